"""When the frames of a moving picture are."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from detent.errors import ValueProblem
from detent.jit.arrays import FloatArray
from detent.results.run import Run

MOST_FRAMES: Final = 20_000
LEAST_SECONDS: Final = 1.0
"""How long a run is watched at least, unless another speed is asked for."""


def natural_speed(run: Run) -> float:
    """How many seconds of a run pass in each that one watches: one or, of a run that would be over at once, so few that
    it lasts for a second; a round number.

    >>> import detent
    >>> crank = detent.example("slider-crank")
    >>> natural_speed(crank.simulate(until=3)), natural_speed(crank.simulate(until=0.3))
    (1.0, 0.2)
    """
    wanted = float(run.t[-1] - run.t[0]) / LEAST_SECONDS
    if not 0.0 < wanted < 1.0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(wanted) + 1e-12)
    return next(round(part * power, 12) for part in (5.0, 2.0, 1.0) if part * power <= wanted * (1 + 1e-12))


def frame_times(run: Run, fps: float, speed: float) -> FloatArray:
    """The times (s) of the frames: ``fps`` for each second of the viewer's, in which ``speed`` seconds of the run pass.

    Frame k is at k speed/fps from the start of the run, so there are floor(duration fps/speed) + 1 of them. Of a run
    that kept only some times, it is the nearest of these.

    >>> from detent.results import sample_run
    >>> frame_times(sample_run(), fps=4, speed=1).tolist()
    [0.0, 0.25, 0.5, 0.75, 1.0, 1.25]
    >>> len(frame_times(sample_run(), fps=4, speed=0.5))
    11
    """
    for word, value in (("fps", fps), ("speed", speed)):
        if not (isinstance(value, (int, float)) and 0 < value < math.inf):
            raise ValueProblem(f"{word} is {value!r}; give a number that is finite and greater than zero")
    first, last = float(run.t[0]), float(run.t[-1])
    count = (last - first) * fps / speed * (1 + 1e-12)
    if not count < MOST_FRAMES:
        raise ValueProblem(
            f"{last - first:.6g} s of the run at fps={fps:g} and speed={speed:g} are {count:.6g} frames; give fewer "
            f"fps or more speed, so that there are at most {MOST_FRAMES}"
        )
    wanted: FloatArray = np.minimum(first + np.arange(int(count) + 1) * (speed / fps), last)
    if run.trajectory.dense is None:
        following = np.minimum(np.searchsorted(run.t, wanted), len(run.t) - 1)
        before = np.maximum(following - 1, 0)
        nearer = np.abs(run.t[before] - wanted) < np.abs(run.t[following] - wanted)
        wanted = run.t[np.where(nearer, before, following)]
    return wanted
