"""The memory of a live run does not grow with time: by a simulated clock, so that an hour need not be waited for."""

from __future__ import annotations

import gc
import tracemalloc
from collections.abc import Callable
from typing import Any

import pytest

import detent
from detent.jit.background import in_background
from detent.simulation import live as module


def scene() -> Any:
    system = detent.System("disk over a fence")
    x, y, turn = system.coordinates(x=0.3, y=1, turn=0)
    center = system.origin.offset("center", x * system.ground.x + y * system.ground.y)
    disk = system.body("disk", center, system.ground.rotated("disk", turn), 1, 0.005)
    system.gravity(-system.parameters(g=9.81) * system.ground.y)
    fence = system.ground.drawing("fence", points=6)
    system.contact("disk|fence", disk.circle(0.1), fence, friction=detent.Coulomb(0.3), impact=detent.Poisson(0.5))
    return system


def grown(work: Callable[[], object]) -> int:
    """Bytes that are held after some work and were not before; what compiles beside it is through, at each look."""

    def done() -> None:
        work()
        in_background(lambda: None).result()
        gc.collect()

    done()  # what is made once is there
    tracemalloc.start()
    try:
        done()
        before, _ = tracemalloc.get_traced_memory()
        done()
        return tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()


def test_a_disk_that_bounces_and_rolls_for_long_takes_no_more_memory() -> None:
    live = detent.Live(scene(), clock=detent.SimulatedClock())
    live.draw("fence", [(x, 0.3 * x * x) for x in (-1.5, -0.9, -0.3, 0.3, 0.9, 1.5)])
    # An hour is 360 times as long; a record of each step would be some 100 bytes for each of 10,000.
    assert grown(lambda: live.advance(10.0)) < 20_000


def test_changes_are_kept_up_to_a_number_and_no_longer_replayed_then(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_CHANGES", 30)
    live = detent.Live(scene(), clock=detent.SimulatedClock())

    def steer() -> None:
        for number in range(100):
            live.set(g=9.81 + 1e-3 * number)
            live.draw("fence", [(-1, -5 - 1e-3 * number), (1, -5)])
            live.advance(0.002)

    live.set(g=9.0)
    live.recording.replay()
    assert grown(steer) < 200 * 100  # less than a hundred bytes for each change: nothing of it is kept
    with pytest.raises(detent.DetentError, match="only 30 changes are kept"):
        _ = live.recording
