"""Live runs at 1 kHz: the own computing time of steps, and the deadlines missed beside those of an idle loop.

Own computing time is the processor's time of the servo's thread, first steps in new modes and Python's part included;
changes, as drawings, are made in the thread that asks for them, and the time to their first step has both.
Where the processor is itself shared by machines, what others take of it is counted too: an idle loop's longest is told.
The steps of a run are the same each time. Where one of them took longer than a period all are taken again, in another
run by the clock, and the longest is told by the better of both readings of each group of steps: what a step takes it
takes both times, what others take they take at another time. What counts is the first reading.
Deadlines are by the clock of the machine: on one that is shared, mostly what the system takes away for others, which is
why an idle loop runs beside each, both on the same processor: what is taken of another one for tens of milliseconds
would count for one of them alone. The fence is a bowl that a disk falls into and rolls in, drawn anew once a second.
From the last point to the end of the first step that has it is told in processor time of both threads, and by the
clock, which also has the wait for the next deadline in it. A path is a function that holds the disk.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, final

import numpy as np

import detent
from detent.errors import SimulationError
from detent.jit.arrays import FloatArray
from detent.simulation.live import Live
from detent.stepping.servo_frame import COURSE

from .runner import Row

TITLE = "live runs at 1 kHz: own computing time and missed deadlines"

SECONDS: Final = 60.0
SECONDS_IF_QUICK: Final = 0.2
MISSES: Final = 1.5
"""Deadlines missed, at most as many times those of an idle loop."""
DRAWN: Final = 20
"""How often something is drawn where the time to its first step is looked at."""
POINTS: Final = ((-1.0, 0.5), (0.0, 0.2), (1.0, 0.0), (2.0, 0.1), (3.0, 0.5))
WAKE_SECONDS: Final = 1e-3
STEAL: Final = 8
"""The word of the first line of /proc/stat that tells it, in ticks."""
AGAIN_STEPS: Final = 1000
"""How often the fence is drawn anew."""
LOOK_SECONDS: Final = 0.05
LOOKED_AT: Final = 1000
"""So many of the last steps are looked at each time: more than there can be since the last look, unless it was late."""
LOOPS: Final = ("detent-servo", "detent-idle")
GROUP: Final = 50
"""So many steps are compared with the same ones of another run: what is drawn comes some steps sooner or later."""


def run(quick: bool) -> list[Row]:
    """Two rows for each scene, and those of drawing.

    >>> sorted({row.unit for row in run(quick=True)})
    ['1', 'ms']
    """
    seconds = SECONDS_IF_QUICK if quick else SECONDS
    rows: list[Row] = []
    for name in ("conveyor-pendulum", "kneed-walker", "rocking-block"):
        rows += _rows(name, lambda name=name: _gallery(name, seconds))  # type: ignore[misc]
    rows += _rows("drawn fence", lambda: _drawn_fence(seconds))
    times = 1 if quick else DRAWN
    return rows + _first_steps("fence", times) + _first_steps("path", times) + _contacts(times)


@final
@dataclass(frozen=True)
class _Reading:
    """A run by the clock, beside an idle loop."""

    live: Live
    own: FloatArray
    """The own computing time of each step, s; 0 of those that were not seen."""
    note: str

    @property
    def longest(self) -> float:
        return self.live.timing.counts.worst_own

    def longest_beside(self, other: _Reading) -> float:
        """The longest step, of each group in the better of two readings."""
        count = min(len(self.own), len(other.own)) // GROUP
        groups = [each.own[: count * GROUP].reshape(count, GROUP).max(axis=1) for each in (self, other)]
        return float(np.minimum(*groups).max())


def _read(live: Live, seconds: float, act: Callable[[int], None] = lambda steps: None) -> _Reading:
    """Let a live run go on for so many seconds, and look at all its steps; ``act`` is told how many there are."""
    before, own, note = _stolen(), np.zeros(1 + round(2 * seconds / live._period)), ""
    at, when = COURSE.index("own"), COURSE.index("time")
    live.start(beside_idle=True)
    _share_a_processor(live)
    end = time.monotonic() + seconds
    while live.is_running and (left := end - time.monotonic()) > 0.0:
        act(live.timing.counts.steps)
        rows = live._paced.servo.course(LOOKED_AT)
        own[np.rint(rows[:, when] / live._period).astype(int)] = rows[:, at]
        time.sleep(min(LOOK_SECONDS, left))
    try:
        live.stop()
    except SimulationError as failure:
        note = f"ended early: {failure}; "
    return _Reading(live, own, _told_stolen(before) + note)


def _share_a_processor(live: Live) -> None:
    """Keep the loop and the idle one beside it to the same processor, where the system lets them."""
    if not hasattr(os, "sched_setaffinity"):
        return
    last = max(os.sched_getaffinity(0))
    for thread in live._threads:
        if thread.name in LOOPS and thread.native_id is not None:
            with suppress(ProcessLookupError):  # one that has failed at once
                os.sched_setaffinity(thread.native_id, {last})


def _gallery(name: str, seconds: float) -> _Reading:
    example = detent.example(name)
    return _read(detent.Live(example.automaton or example.system), seconds)


def _stolen() -> float | None:
    """Seconds that other machines on the same processors took from this one so far, where the system tells them."""
    try:
        words = Path("/proc/stat").read_text().split("\n", 1)[0].split()
    except OSError:
        return None
    return int(words[STEAL]) / os.sysconf("SC_CLK_TCK") if len(words) > STEAL else None


def _told_stolen(before: float | None) -> str:
    after = _stolen()
    return "" if before is None or after is None else f"other machines took {1e3 * (after - before):.0f} ms; "


def _rows(name: str, read: Callable[[], _Reading]) -> list[Row]:
    reading, told = read(), ""
    live, longest = reading.live, reading.longest
    timing = live.timing
    if longest > timing.period:
        again = read()
        better = reading.longest_beside(again)
        told = f"taken again {1e3 * again.longest:.3g} ms, by the better of both {1e3 * better:.3g} ms; "
    counts, idle = timing.counts, timing.idle_missed or 0
    assert live._idle is not None
    told += f"{reading.note}{counts.steps} steps, {counts.over} of them over a period, "
    told += f"mean {1e3 * counts.mean_own:.3g} ms; "
    told += f"of an idle loop, which does nothing, the longest {1e3 * live._idle.counts.worst_own:.3g} ms; "
    own = [m for m in timing.modes if not m.prefetched]
    modes = [f"{m.mode} {m.derive_ms:.3g}/{'-' if m.native_ms is None else f'{m.native_ms:.3g}'}" for m in own]
    ahead = [m.derive_ms for m in timing.modes if m.prefetched]
    if ahead:
        modes.append(f"{len(ahead)} ahead, {max(ahead):.3g} at most")
    return [
        Row.within(
            1e3 * timing.period, f"{name}, longest own computing time of a step", ours=1e3 * longest,
            unit="ms", note=f"{told}modes, embedded/native in ms: {', '.join(modes)}",
        ),
        Row.at_most(
            MISSES, f"{name}, deadlines missed", ours=counts.missed, theirs=max(1, idle), unit="1",
            peer="an idle loop", note="on the same processor" if idle else "the idle loop missed none, counted as one",
        ),
    ]  # fmt: skip


def _disk() -> tuple[Any, Any]:
    """A disk above a fence and a path that are not drawn yet."""
    system = detent.System("disk over a fence")
    x, y, turn = system.coordinates(x=0, y=1, turn=0)
    center = system.origin.offset("center", x * system.ground.x + y * system.ground.y)
    disk = system.body("disk", center, system.ground.rotated("disk", turn), 1, 0.005)
    g = system.parameters(g=9.81)
    system.gravity(-g * system.ground.y)
    return system, disk


def _fenced() -> Any:
    system, disk = _disk()
    fence = system.ground.drawing("fence")
    system.contact("disk|fence", disk.circle(0.1), fence, friction=detent.Coulomb(0.3), impact=detent.Plastic())
    return system


def _bowl(number: int) -> list[tuple[float, float]]:
    """A bowl that is a little lower each time, so that what rolls in it falls into the next one."""
    return [(x, 0.2 * x * x - 0.05 * number) for x in np.linspace(-1.5, 1.5, 12).tolist()]


def _drawn_fence(seconds: float) -> _Reading:
    """A disk that rolls in a bowl, which is drawn anew now and then."""
    live, drawn = detent.Live(_fenced(), start={"x": 0.3}), 0

    def draw(steps: int) -> None:
        nonlocal drawn
        if steps >= drawn * AGAIN_STEPS:
            live.draw("fence", _bowl(drawn))
            drawn += 1

    reading = _read(live, seconds, draw)
    return replace(reading, note=f"{reading.note}drawn {drawn} times; ")


def _first_steps(what: str, times: int) -> list[Row]:
    """How soon something that is drawn acts: in processor time, and by the clock."""
    if what == "fence":
        live, act = detent.Live(_fenced(), parameters={"g": 0.0}), _draw_fence
    else:
        live, act = _on_a_path(), _draw_path
    waits, computed, own = [], [], []
    live.start()
    for number in range(times):
        time.sleep(0.01 + 1e-4 * number)  # at whatever time within a period
        _wake()
        before, began, processor = live.timing.counts.steps, time.perf_counter(), time.thread_time()
        act(live, number)
        spent, made = time.thread_time() - processor, live._changes[-1][0]
        _wait(live, lambda made=made: live._paced.servo.steps > made)  # type: ignore[misc]
        waits.append(time.perf_counter() - began)
        steps = live._paced.servo.course(live.timing.counts.steps - before)
        own.append(float(steps[:, 1].max()))
        computed.append(spent + own[-1])
        if what == "path":
            live.release("on the path")
    live.stop()
    return [
        Row.within(
            1.0, f"from the last point of a drawn {what} to its first step, computing", unit="ms",
            ours=1e3 * float(np.median(computed)), note=f"median of {times}, longest {1e3 * max(computed):.3g} ms",
        ),
        Row.within(
            1.0, f"from the last point of a drawn {what} to its first step, by the clock", unit="ms",
            ours=1e3 * float(np.median(waits)),
            note=f"median of {times}, longest {1e3 * max(waits):.3g} ms; the wait for the next deadline included",
        ),
        Row.within(
            1.0, f"own computing time of the first step with a drawn {what}", unit="ms", ours=1e3 * max(own),
            note=f"longest of {times}, median {1e3 * float(np.median(own)):.3g} ms",
        ),
    ]  # fmt: skip


def _wake() -> None:
    """Have the processor awake, as it is where a click has just been read: what sleeps takes some tenths of a
    millisecond for anything."""
    end = time.perf_counter() + WAKE_SECONDS
    while time.perf_counter() < end:
        pass


def _draw_fence(live: Live, number: int) -> None:
    live.draw("fence", [(x, y - 1e-3 * number) for x, y in POINTS])


def _on_a_path() -> Live:
    """A disk without weight, which moves along whatever path is drawn through where it is."""
    system, _ = _disk()
    path = system.drawn("path")
    system.latch("on the path", system["y"] - path(system["x"]))
    return detent.Live(system, start={"x_rate": 0.1}, parameters={"g": 0.0})


def _draw_path(live: Live, number: int) -> None:
    state = live.state
    live.draw("path", [(state.x + x, state.y + (h - 0.2) * 0.01 * (number + 1)) for x, h in POINTS])
    live.latch("on the path")


def _contacts(times: int) -> list[Row]:
    """How soon a contact acts that nobody had declared; its equations are derived first."""
    system, disk = _disk()
    live = detent.Live(system, parameters={"g": 0.0})
    waits = []
    live.start()
    for _ in range(min(times, 3)):
        began = time.perf_counter()
        live.contact("disk|fence", disk.circle(0.1), system.ground.track(*POINTS), impact=detent.Plastic())
        made = live.timing.counts.steps
        _wait(live, lambda made=made: live.timing.counts.steps > made)  # type: ignore[misc]
        waits.append(time.perf_counter() - began)
        live.release("disk|fence")
    live.stop()
    what = "from a contact that nobody had declared to its first step, by the clock"
    return [Row(what, "ms", ours=1e3 * min(waits), note=f"least of {len(waits)}; its equations are derived first")]


def _wait(live: Live, until: Callable[[], bool]) -> None:
    while live.is_running and not until():
        time.sleep(5e-5)
