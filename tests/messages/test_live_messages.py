"""What a live run refuses, and in which words."""

from __future__ import annotations

from typing import Any

import pytest

import detent
from detent.errors import DetentError, UnknownNameError, ValueProblem


@pytest.fixture
def held() -> tuple[Any, Any]:
    system = detent.System("bead")
    x = system.coordinates("x")
    body = system.particle("bead", system.origin.offset("bead", x * system.ground.x), mass=1)
    return system, detent.couple("hand", body, stiffness=1000, damping=2)


def live_of(held: tuple[Any, Any], **options: Any) -> detent.Live:
    return detent.Live(held[0], couplers=[held[1]], clock=detent.SimulatedClock(), **options)


def test_a_coupler_that_is_not_passive_is_refused_with_the_bound(held: tuple[Any, Any]) -> None:
    with pytest.raises(ValueProblem, match=r"needs more than K \(T/2 \+ delay\) \+ B = 2.5 N s/m .* and has 2.5"):
        live_of(held, hands={"hand": detent.SimulatedHand(1e-3, device_damping=2.5)})
    live_of(held, hands={"hand": detent.SimulatedHand(1e-3, device_damping=2.51)})


def test_gains_that_are_changed_are_checked_too(held: tuple[Any, Any]) -> None:
    live = live_of(held, hands={"hand": detent.SimulatedHand(1e-3, device_damping=2.51)})
    with pytest.raises(ValueProblem, match="not passive"):
        live.set(hand_stiffness=1100)
    with pytest.raises(ValueProblem, match="zero or more"):
        live.set(hand_stiffness=-1)
    assert live.parameters["hand_stiffness"] == 1000


def test_a_thread_between_device_and_loop_counts_as_delay(held: tuple[Any, Any]) -> None:
    live = live_of(held, hands={"hand": detent.SimulatedHand(1e-3, device_damping=2.51)})
    with pytest.raises(ValueProblem, match=r"a delay of 0\.002 s"):
        live.start()
    assert not live.is_running


def test_what_is_not_there_is_named(held: tuple[Any, Any]) -> None:
    live = live_of(held)
    with pytest.raises(UnknownNameError, match="coupler of this live run"):
        live.grab("foot")
    with pytest.raises(UnknownNameError, match="coupler of this live run"):
        live_of(held, hands={"foot": detent.SimulatedHand(1e-3)})
    with pytest.raises(UnknownNameError, match="parameter"):
        live.set(weight=1)
    other = detent.System("other")
    with pytest.raises(ValueProblem, match=r"declare it there with detent.couple\('hand', point\)"):
        detent.Live(other, couplers=[held[1]], clock=detent.SimulatedClock())


@pytest.mark.parametrize("position", [(1, 2), (0, 0, float("nan")), 3])
def test_a_hand_is_at_three_finite_numbers(held: tuple[Any, Any], position: Any) -> None:
    with pytest.raises(ValueProblem, match="three finite numbers"):
        live_of(held).move("hand", position)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"rate": 0}, "number of steps in a second"),
        ({"rate": "fast"}, "number of steps in a second"),
        ({"filter": -1}, "time of zero or more"),
        ({"embedding": "live"}, "could not be replayed"),
    ],
)
def test_options_that_make_no_live_run_are_refused(held: tuple[Any, Any], options: Any, words: str) -> None:
    with pytest.raises(ValueProblem, match=words):
        live_of(held, **options)


def test_a_live_run_is_stopped_before_it_is_advanced_by_hand(held: tuple[Any, Any]) -> None:
    live = detent.Live(held[0], couplers=[held[1]])
    live.start()
    with pytest.raises(DetentError, match="stop it first"):
        live.advance(1)
    live.stop()


def test_only_points_and_bodies_can_be_coupled() -> None:
    with pytest.raises(DetentError, match="a point or a body was expected"):
        detent.couple("hand", "bead")  # type: ignore[arg-type]


def test_a_parameter_takes_finite_numbers_only(held: tuple[Any, Any]) -> None:
    with pytest.raises(ValueProblem, match="give a finite number"):
        detent.Simulation(held[0]).set(hand_stiffness=float("inf"))


def test_a_latch_in_an_automaton_is_refused_with_what_to_do_instead() -> None:
    system = detent.System("bead")
    x = system.coordinates("x")
    system.particle("bead", system.origin.offset("bead", x * system.ground.x), mass=1)
    system.latch("catch", x)
    automaton = detent.Automaton(system)
    automaton.mode("free")
    live = detent.Live(automaton, clock=detent.SimulatedClock())
    for change in (lambda: live.latch("catch"), lambda: live.latch("other", x), lambda: live.release("catch")):
        with pytest.raises(
            DetentError, match=r"guards, resets and conditions is not known; .* a parameter that you set"
        ):
            change()
