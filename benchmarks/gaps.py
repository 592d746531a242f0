"""Gaps between steps while native code of a new mode is made in the background and taken up by the stepper.

The tip of a running chain is put on a new line, and the run goes on in one call, a step right after the other: the
stepper itself reads the clock after every one of them. Beside it the same when nothing is made, alone and with another
thread that keeps a processor busy.

A gap is what the clock shows: on a machine that is shared, mostly what the system takes away for others. What the
library can do about it is never to let the stepping thread wait; the system counts how often it did.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final, final

import numpy as np
from numpy.typing import NDArray

from detent.simulation.simulation import Simulation

from .derivation import cold_cache
from .embedding import LINES, PERIOD, STEP, FloatArray, TipOnLines, nothing_left_to_collect, wait_for_compiler
from .runner import Row
from .step_stamps import StepStamps, SystemClock, ThirdWord

TITLE = "the tip of a running N-link chain put on a new line: gaps between steps until native code runs"

STRETCH: Final = 40.0
"""Simulated seconds in one call: long enough for native code to come."""

AFTERWARDS: Final = 0.005
"""How long the gaps still count after native code has come, s."""

ROOM: Final = 500_000
"""Steps whose times are kept."""


def run(quick: bool) -> list[Row]:
    """Rows for 2 and 7 links.

    >>> {row.unit for row in run(quick=True)}
    {'ms'}
    """
    links = (2,) if quick else (2, 7)
    return [row for number in links for row in gap_rows(number, lines=1 if quick else LINES)]


@dataclass(frozen=True)
class Gaps:
    """Seconds from each step to the next.

    >>> print(Gaps(np.array([1e-6, 4e-3, 3e-3]), np.array([0, 0, 1])))
    median 3e+03 us, 99.9 % 4e+03 us, longest 4 ms, 2 of 3 over 1 ms, the thread waited 1 times
    """

    seconds: FloatArray
    waited: NDArray[np.int64]
    """How often the thread waited for something in them."""

    def __str__(self) -> str:
        gaps = self.seconds
        return (
            f"median {1e6 * np.median(gaps):.3g} us, 99.9 % {1e6 * np.percentile(gaps, 99.9):.3g} us, longest "
            f"{1e3 * gaps.max():.3g} ms, {int(np.sum(gaps > PERIOD))} of {len(gaps)} over 1 ms, the thread waited "
            f"{int(self.waited.sum())} times"
        )

    @classmethod
    def joined(cls, parts: Sequence[Gaps]) -> Gaps:
        """Those of several runs."""
        return cls(np.concatenate([p.seconds for p in parts]), np.concatenate([p.waited for p in parts]))


@final
class GapStamps:
    """The clock after every step of a simulation, read by the stepper itself.

    >>> chain = TipOnLines(2, "numeric")
    >>> stamps = GapStamps(chain.simulation, 1000)
    >>> chain.simulation.advance(chain.simulation.time + 0.01)
    >>> bool((stamps.gaps().seconds > 0).all())
    True
    """

    def __init__(self, simulation: Simulation, room: int) -> None:
        self._stamps = StepStamps(simulation, room, SystemClock.MONOTONIC, ThirdWord.WAITS)

    def gaps(self, until: float = np.inf) -> Gaps:
        """From each step to the next, up to a time of the clock; the stamps begin anew afterwards."""
        words = self._stamps.words
        self._stamps.begin_anew()
        seconds, passed = words[:, 0] + 1e-9 * words[:, 1], np.diff(words, axis=0)
        last = int(np.searchsorted(seconds, until))
        return Gaps((passed[:, 0] + 1e-9 * passed[:, 1])[:last], passed[:last, 2])


def gap_rows(links: int, lines: int) -> list[Row]:
    """The longest gap between two steps from a new line until its native code runs, in one call that goes on and on.

    >>> [row.unit for row in gap_rows(2, lines=1)]
    ['ms', 'ms']
    """
    busy, quiet, beside = _gaps(links, lines)
    late, floor = (1e3 * float(np.percentile(gaps.seconds, 99.99)) for gaps in (busy, beside))
    return [
        Row.within(
            1e3 * PERIOD, f"{links} links, live, longest gap between steps until native code runs",
            ours=1e3 * float(busy.seconds.max()), unit="ms",
            note=f"{busy}, {lines} modes; as many when nothing is made: {quiet}; when nothing is made, but another "
            f"thread steps something else: {beside}",
        ),
        Row.at_most(
            None, f"{links} links, live, 99.99 % of gaps between steps", ours=late, theirs=floor, unit="ms",
            peer="another thread steps",
        ),
    ]  # fmt: skip


def _gaps(links: int, lines: int) -> tuple[Gaps, Gaps, Gaps]:
    """The gaps from a new line until some time after its native code runs, and as many of two calls afterwards.

    In the second of them another thread keeps a processor busy, as one that derives and compiles does.
    """
    busy: list[Gaps] = []
    quiet: list[Gaps] = []
    beside: list[Gaps] = []
    with cold_cache(), nothing_left_to_collect():
        chain = TipOnLines(links, "live", method="rk4", step=STEP, times=np.array([0.0]))
        simulation = chain.simulation
        stamps, swapped = GapStamps(simulation, ROOM), _swaps(simulation)
        for _ in range(lines):
            chain.put_on(chain.new_line())
            stamps.gaps()
            swapped.clear()
            simulation.advance(simulation.time + STRETCH)
            if not swapped:
                raise RuntimeError(f"no native code came within {STRETCH} s of the simulation; make the call longer")
            busy.append(stamps.gaps(until=swapped[0] + AFTERWARDS))
            wait_for_compiler()
            simulation.advance(simulation.time + len(busy[-1].seconds) * STEP)
            quiet.append(stamps.gaps())
            with _another_that_steps():
                simulation.advance(simulation.time + len(busy[-1].seconds) * STEP)
            beside.append(stamps.gaps())
            chain.let_go()
    return Gaps.joined(busy), Gaps.joined(quiet), Gaps.joined(beside)


@contextmanager
def _another_that_steps() -> Iterator[None]:
    """Another thread takes steps of something else meanwhile."""
    solver = TipOnLines(2, "numeric", method="rk4", step=STEP).simulation._context.solver
    thread = threading.Thread(target=solver.advance, args=(1e9, lambda piece: None))
    thread.start()
    try:
        yield
    finally:
        solver.stop()
        thread.join()


def _swaps(simulation: Simulation) -> list[float]:
    """When native code is handed to the stepper, from now on, by the monotonic clock."""
    times: list[float] = []
    hand_over = simulation._context.solver.exchange_soon

    def noted(old: NDArray[np.int64], rhs: NDArray[np.int64]) -> None:
        hand_over(old, rhs)
        times.append(time.clock_gettime(time.CLOCK_MONOTONIC))

    simulation._context.solver.exchange_soon = noted  # type: ignore[method-assign]
    return times
