"""A run as a moving picture: a file to look at, or a page that plays it."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import numpy as np

from detent.hybrid.automaton import Automaton
from detent.model.system import System
from detent.results.run import Run
from detent.view.animation_page import animation_page, event_times
from detent.view.files import check_ending, write_text
from detent.view.frame_times import frame_times, natural_speed
from detent.view.moving_picture import find_ffmpeg, write_film, write_gif
from detent.view.scene import Scene, scene_of

ANIMATIONS: Final = (".gif", ".mp4", ".html")


def animate(
    run: Run,
    path: str | os.PathLike[str],
    fps: float = 30,
    speed: float | None = None,
    traces: Sequence[str] | None = None,
    forces: bool = True,
    system: System | Automaton | None = None,
) -> None:
    """Write a run as a moving picture: ``.gif``, ``.mp4``, or ``.html``, a page that plays it in any browser.

    The page is one file and fetches nothing; it has a slider for the time, the events to jump to, and the curves.
    Shapes are drawn as they are. A body without has rods between its points, and an ellipsoid with its mass and moments
    of inertia (in the plane, a circle with its radius of gyration). ``traces`` names the points whose paths are drawn:
    the ends of the model, if not given. ``forces`` shows where contacts touch, and their forces, which act on what
    carries the first shape.

    There are ``fps`` frames in each second that one watches, in which ``speed`` seconds of the run pass: one or, where
    the whole run lasts for less, fewer. A page has a frame at each event and at the end besides. A run that came
    from a file needs the ``system``. GIF needs the extra ``plot``, MP4 the extra ``film``.

    >>> import detent
    >>> run = detent.example("double-pendulum").simulate(until=2)
    >>> detent.animate(run, "pendulum.html", traces=["tip"])
    >>> detent.animate(run, "slow.gif", fps=10, speed=0.5)
    """
    check_animation(path)
    if run.model is None and system is not None:
        run = run.with_model(system)
    pace = natural_speed(run) if speed is None else speed
    _WRITERS[Path(path).suffix.lower()](run, path, fps, pace, traces, forces)


def check_animation(path: str | os.PathLike[str]) -> None:
    """Refuse what cannot be written, before the work.

    >>> check_animation("run.avi")
    Traceback (most recent call last):
        ...
    detent.errors.ValueProblem: 'run.avi' ends in '.avi'; animations are written as .gif, .mp4, .html
    """
    check_ending(path, ANIMATIONS, "animations")
    if Path(path).suffix.lower() == ".mp4":
        find_ffmpeg()


def _page(
    run: Run, path: str | os.PathLike[str], fps: float, speed: float, traces: Sequence[str] | None, forces: bool
) -> None:
    write_text(page_text(run, fps, speed, traces, forces), path)


def page_text(
    run: Run, fps: float = 30, speed: float | None = None, traces: Sequence[str] | None = None, forces: bool = True
) -> str:
    """The page that plays a run, as text.

    >>> import detent
    >>> page_text(detent.example("pendulum").simulate(until=1))[:15]
    '<!DOCTYPE html>'
    """
    pace = natural_speed(run) if speed is None else speed
    times = np.union1d(frame_times(run, fps, pace), [*event_times(run), run.t[-1]])
    return animation_page(run, scene_of(run, times, traces, forces), fps, pace)


def _gif(
    run: Run, path: str | os.PathLike[str], fps: float, speed: float, traces: Sequence[str] | None, forces: bool
) -> None:
    write_gif(run, _evenly(run, fps, speed, traces, forces), path, fps)


def _film(
    run: Run, path: str | os.PathLike[str], fps: float, speed: float, traces: Sequence[str] | None, forces: bool
) -> None:
    write_film(run, _evenly(run, fps, speed, traces, forces), path, fps)


def _evenly(run: Run, fps: float, speed: float, traces: Sequence[str] | None, forces: bool) -> Scene:
    return scene_of(run, frame_times(run, fps, speed), traces, forces)


_WRITERS: Final[dict[str, Callable[[Run, str | os.PathLike[str], float, float, Sequence[str] | None, bool], None]]] = {
    ".html": _page,
    ".gif": _gif,
    ".mp4": _film,
}
