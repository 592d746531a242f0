"""Haptic devices that are not as they should be: said by name, and nothing is lost."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import detent
from detent.errors import DetentError, ValueProblem
from detent.simulation.devices import Devices
from detent.simulation.live_timing import DeviceCounts, LiveTiming
from detent.stepping.servo import ServoCounts


class Device(detent.Hand):
    """Somewhere; after some readings it does something else."""

    damping = 5.0

    def __init__(self, then: Any, after: int = 0) -> None:
        self.then, self.after, self.felt = then, after, list[Any]()

    def position(self) -> Any:
        self.after -= 1
        if self.after >= 0:
            return 0.1, 0.0, 0.0
        if isinstance(self.then, Exception):
            raise self.then
        return self.then

    def feel(self, force: Any) -> None:
        self.felt.append(force)


def bead() -> tuple[detent.System, Any]:
    system = detent.System("bead")
    x = system.coordinates("x")
    body = system.particle("bead", system.origin.offset("bead", x * system.ground.x), mass=1)
    return system, detent.couple("hand", body, stiffness=200, damping=2)


def live_of(device: Any) -> detent.Live:
    system, coupler = bead()
    return detent.Live(system, couplers=[coupler], hands={"hand": device}, clock=detent.SimulatedClock())


@pytest.mark.parametrize(
    "wrong",
    [(float("nan"), 0, 0), (0.0, float("inf"), 0.0), (0.0, 0.0), None, ("a", "b", "c"), (1j, 0, 0), [[0, 0, 0]]],
)
def test_a_place_that_is_none_is_told_with_the_coupler_and_what_was_found(wrong: Any) -> None:
    device = Device(wrong, after=5)
    live = live_of(device)
    with pytest.raises(ValueProblem, match=r"the device of coupler 'hand' is at .*; give three finite numbers"):
        live.advance(0.02)
    assert live.timing.counts.steps == 5 == len(device.felt)
    assert live.recording.replay().final.x == live.state.x


def test_a_device_that_fails_and_comes_back_is_gone_on_with() -> None:
    """The same as one that never failed, to the bit."""
    device = Device(OSError("cable pulled"), after=5)
    live = live_of(device)
    with pytest.raises(DetentError, match="'hand' could not say where it is: OSError: cable pulled") as caught:
        live.advance(0.02)
    assert isinstance(caught.value.__cause__, OSError)
    device.after = 15
    live.advance(0.015)
    other = live_of(Device(None, after=20))
    other.advance(0.02)
    assert live.state.values.tobytes() == other.state.values.tobytes()


def test_a_device_that_fails_in_a_thread_ends_the_steps_and_stop_raises_it() -> None:
    system, coupler = bead()
    live = detent.Live(system, couplers=[coupler], hands={"hand": Device(OSError("cable pulled"))})
    live.start()
    live._threads[0].join(timeout=60)
    assert not live.is_running
    with pytest.raises(DetentError, match="OSError: cable pulled"):
        live.stop()


def test_a_device_that_cannot_feel_is_named() -> None:
    class Numb(Device):
        def feel(self, force: Any) -> None:
            raise RuntimeError("motor off")

    with pytest.raises(DetentError, match="'hand' could not take a force: RuntimeError: motor off"):
        live_of(Numb(None, after=9)).advance(0.01)


@pytest.mark.parametrize(
    ("word", "value"), [("damping", float("nan")), ("damping", "5"), ("delay", -1.0), ("delay", float("inf"))]
)
def test_what_a_device_says_of_itself_is_checked(word: str, value: Any) -> None:
    """A delay below zero would make a coupler pass that gives away energy."""
    device = Device((0, 0, 0))
    setattr(device, word, value)
    with pytest.raises(ValueProblem, match=rf"has {word} = .*; give a finite number, zero or more"):
        live_of(device)
    device.damping, device.delay = np.float32(5.0), 0  # type: ignore[assignment]
    live_of(device)


def test_what_is_no_device_is_refused() -> None:
    with pytest.raises(ValueProblem, match=r"the device of coupler 'hand' is <object .*derived from detent.Hand"):
        live_of(object())
    system, coupler = bead()
    with pytest.raises(ValueProblem, match="give them by the names of couplers"):
        detent.Live(system, couplers=[coupler], hands=[Device(None)])  # type: ignore[arg-type]


def test_what_a_device_holds_is_not_moved_by_words() -> None:
    live = live_of(Device((0.1, 0, 0)))
    for act in (lambda: live.grab("hand"), lambda: live.move("hand", (1, 0, 0)), lambda: live.let_go("hand")):
        with pytest.raises(DetentError, match="coupler 'hand' is held by its device"):
            act()


def test_servings_that_take_longer_than_the_bound_allows_for_are_counted() -> None:
    _, coupler = bead()
    devices = Devices({"hand": Device(None)}, [coupler])
    for periods in (1, 3, 4, 7, 2):
        devices.count(periods)
    assert devices.counts == DeviceCounts(served=5, late=2, longest=7)
    timing = LiveTiming(1e-3, ServoCounts(9, 0, 0.0, 0, 0.0, 0), None, (), devices.counts)
    assert "devices served               5   (in 7 periods at most; in more than three: 2)" in timing.text()
    assert timing.as_json()["devices_late"] == 2
    assert "devices_late" not in LiveTiming(1e-3, timing.counts, None, ()).as_json()
