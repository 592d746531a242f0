"""Live runs at 1 kHz: the own computing time of steps, and the deadlines missed beside those of an idle loop.

Own computing time is the processor's time of the servo's thread, first steps in new modes and Python's part included.
Deadlines are by the clock of the machine: on one that is shared, mostly what the system takes away for others, which is
why an idle loop runs beside each. The fence is drawn under way: as a contact that the disk falls on, and as a path that
holds the disk from the next step on, again and again.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, Final

import numpy as np
from sympy import Symbol

import detent
from detent.simulation.live import Live, watched
from detent.simulation.live_timing import LiveTiming

from .runner import Row

TITLE = "live runs at 1 kHz: own computing time and missed deadlines"

SECONDS: Final = 60.0
SECONDS_IF_QUICK: Final = 0.2
MISSES: Final = 1.5
"""Deadlines missed, at most as many times those of an idle loop."""
DRAWN: Final = 20
"""How often a path is drawn."""
POINTS: Final = ((-1.0, 0.5), (0.0, 0.2), (1.0, 0.0), (2.0, 0.1), (3.0, 0.5))


def run(quick: bool) -> list[Row]:
    """Two rows for each scene, and those of drawing.

    >>> {row.unit for row in run(quick=True)}
    {'ms', '1'}
    """
    seconds = SECONDS_IF_QUICK if quick else SECONDS
    rows: list[Row] = []
    for name in ("conveyor-pendulum", "kneed-walker", "rocking-block"):
        example = detent.example(name)
        running = detent.Live(example.automaton or example.system)
        failure = watched(running, seconds)
        rows += _rows(name, running.timing, "" if failure is None else f"ended early: {failure}; ")
    return rows + _drawn_fence(seconds) + _drawn_paths(1 if quick else DRAWN)


def _rows(name: str, timing: LiveTiming, note: str = "") -> list[Row]:
    counts, idle = timing.counts, timing.idle_missed or 0
    told = f"{note}{counts.steps} steps, {counts.over} of them over a period, mean {1e3 * counts.mean_own:.3g} ms; "
    modes = [f"{m.mode} {m.derive_ms:.3g}/{'-' if m.native_ms is None else f'{m.native_ms:.3g}'}" for m in timing.modes]
    return [
        Row.within(
            1e3 * timing.period, f"{name}, longest own computing time of a step", ours=1e3 * counts.worst_own,
            unit="ms", note=f"{told}modes, embedded/native in ms: {', '.join(modes)}",
        ),
        Row.at_most(
            MISSES, f"{name}, deadlines missed", ours=counts.missed, theirs=max(1, idle), unit="1",
            peer="an idle loop", note="" if idle else "the idle loop missed none, counted as one",
        ),
    ]  # fmt: skip


def _disk() -> tuple[Any, Any]:
    system = detent.System("disk over a fence")
    x, y, turn = system.coordinates(x=0, y=1, turn=0)
    center = system.origin.offset("center", x * system.ground.x + y * system.ground.y)
    disk = system.body("disk", center, system.ground.rotated("disk", turn), 1, 0.005)
    g = system.parameters(g=9.81)
    system.gravity(-g * system.ground.y)
    return system, disk


def _drawn_fence(seconds: float) -> list[Row]:
    """A disk that falls while a fence is drawn below it, and rides it."""
    system, disk = _disk()
    live = detent.Live(system, parameters={"g": 0.0})
    live.start(beside_idle=True)
    live.contact("disk|fence", disk.circle(0.1), system.ground.track(*POINTS), impact=detent.Plastic())
    live.set(g=9.81)
    time.sleep(seconds)
    live.stop()
    return _rows("drawn fence", live.timing)


def _drawn_paths(times: int) -> list[Row]:
    """How soon a path that is drawn holds the disk: by the clock, and in own computing time."""
    system, _ = _disk()
    x, y = system["x"], system["y"]
    live = detent.Live(system, start={"x_rate": 0.1}, parameters={"g": 0.0})
    waits, own = [], []
    live.start()
    for number in range(times):
        path = y - _spline(x, number)
        began = time.perf_counter()
        live.latch("path", path)
        waits.append(time.perf_counter() - began)
        step = live.timing.counts.steps
        _wait(live, lambda step=step: live.timing.counts.steps > step + 5)  # type: ignore[misc]
        own.append(float(live._paced.servo.course(12)[:, 1].max()))
        live.release("path")
    live.stop()
    return [
        Row.within(
            1.0, "from the last point of a drawn path to its first step, by the clock", unit="ms",
            ours=1e3 * float(np.median(waits)), note=f"median of {times}, longest {1e3 * max(waits):.3g} ms",
        ),
        Row.within(
            1.0, "own computing time of the first step on a drawn path", unit="ms", ours=1e3 * max(own),
            note=f"longest of {times}, median {1e3 * float(np.median(own)):.3g} ms",
        ),
    ]  # fmt: skip


def _spline(x: Symbol, number: int) -> Any:
    """A smooth curve through control points, another each time."""
    at, heights = zip(*POINTS, strict=True)
    return detent.tabulated(f"drawn_{number}", list(at), [h + 0.01 * number for h in heights])(x)


def _wait(live: Live, until: Callable[[], bool]) -> None:
    while live.is_running and not until():
        time.sleep(1e-3)
