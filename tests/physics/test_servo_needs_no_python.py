"""A servo follows automata and contacts without Python: nothing is asked for after its first step.

Dependent speeds are chosen again in the kernel; what a run shows of that is compared with runs where Python chooses.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import detent
from detent.simulation.automaton_service import AutomatonService
from detent.simulation.switching import Switching
from tests.physics.random_automata import PushedBlock

POINTS = [(-1.0, 0.5), (0.0, 0.2), (1.0, 0.0), (2.0, 0.1), (3.0, 0.5)]


def model(name: str) -> Any:
    example = detent.example(name)
    return example.automaton or example.system


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What Python was asked for."""
    found: list[str] = []
    serve, ask = AutomatonService.serve, Switching.ask

    def told(self: AutomatonService, status: Any) -> str | None:
        found.append(status.name)
        return serve(self, status)

    def chosen(self: Switching, running: Any) -> Any:
        found.append("CHOICE")
        return ask(self, running)

    monkeypatch.setattr(AutomatonService, "serve", told)
    monkeypatch.setattr(Switching, "ask", chosen)
    return found


@pytest.mark.parametrize(
    ("name", "seconds"), [("kneed-walker", 2.0), ("rocking-block", 12.0), ("conveyor-pendulum", 4.0), ("v-groove", 1.0)]
)
def test_nothing_is_asked_for_on_the_way(name: str, seconds: float, asked: list[str]) -> None:
    live = detent.Live(model(name), clock=detent.SimulatedClock())
    asked.clear()
    live.advance(seconds)
    assert asked == []
    run = live.recording.replay()
    assert run.final.values.tobytes() == live.state.values.tobytes()
    assert len(run.events) >= 3


def test_nothing_is_asked_for_in_the_modes_of_an_automaton_with_contacts(asked: list[str]) -> None:
    """Six families of modes; the status of the floor, and whether it counts, change with them."""
    drawn = PushedBlock.drawn(3)
    live = detent.Live(drawn.automaton(), clock=detent.SimulatedClock())
    asked.clear()
    live.advance(drawn.until)
    assert asked == []
    run = live.recording.replay()
    assert run.final.values.tobytes() == live.state.values.tobytes()
    assert len({event.target for event in run.events}) >= 5


def test_a_ball_rolls_down_a_groove_by_the_closed_form_while_its_forces_are_shared() -> None:
    """The correction chooses other dependent speeds as the ball turns; the rates, shared, know nothing of that."""
    live = detent.Live(model("v-groove"), clock=detent.SimulatedClock())
    live.advance(0.8)
    assert live.mode == "ball|left: roll, ball|right: roll, sharing"
    before = live.state.ball_x_rate
    live.advance(1.0)
    assert live.mode == "ball|left: roll, ball|right: roll, sharing"
    rolls = 9.81 * math.sin(math.pi / 12) / (1 + 0.4 / math.sin(math.pi / 4) ** 2)
    # The axes that turn with the ball see its spin go round: a step of order 4 is off by (omega h)^5/120 of it.
    spin = live.state.ball_x_rate / (0.1 * math.sin(math.pi / 4))
    bound = live.state.ball_x_rate * 1000 * (spin * 1e-3) ** 5 / 120
    assert abs(live.state.ball_x_rate - before - rolls) < bound


def test_a_drawn_fence_is_struck_ridden_and_left_without_python(asked: list[str]) -> None:
    system = detent.System("disk over a fence")
    x, y, turn = system.coordinates(x=0, y=1, turn=0)
    center = system.origin.offset("center", x * system.ground.x + y * system.ground.y)
    disk = system.body("disk", center, system.ground.rotated("disk", turn), 1, 0.005)
    g = system.parameters(g=9.81)
    system.gravity(-g * system.ground.y)
    fence = system.ground.drawing("fence")
    system.contact("disk|fence", disk.circle(0.1), fence, friction=detent.Coulomb(0.3), impact=detent.Plastic())
    live = detent.Live(system, clock=detent.SimulatedClock())
    asked.clear()
    live.draw("fence", POINTS)
    live.advance(0.8)
    live.set(g=20.0)
    live.advance(0.5)
    live.erase("fence")
    live.advance(0.2)
    assert asked == []
    assert {event.kind for event in live.recording.replay().events} >= {"impact", "transition"}


def test_speeds_that_the_kernel_chooses_again_leave_motion_and_reactions_as_they_are() -> None:
    """A bead on a ring, in an automaton: twice a turn the other speed becomes the dependent one."""

    def ring() -> detent.Automaton:
        system = detent.System("ring")
        x, y = system.coordinates(x=1, y=0)
        system.start(y_rate=3)
        system.particle("bead", system.origin.offset("bead", x * system.ground.x + y * system.ground.y), mass=2)
        system.gravity(-9.81 * system.ground.y)
        system.constrain(detent.holonomic("ring", (x**2 + y**2 - 1) / 2), active=False)
        automaton = detent.Automaton(system)
        automaton.mode("on", ["ring"])
        automaton.mode("off")
        automaton.transition("never", "on", "off", when=x >= 2)
        return automaton

    live = detent.Live(ring(), clock=detent.SimulatedClock())
    live.advance(3.0)
    run = live.recording.replay()
    other = detent.simulate(ring(), until=3.0, method="rk4", step=1e-3)
    assert len(other.events.of_kind("reselection")) > 3
    np.testing.assert_allclose([live.state.x, live.state.y], [other.final.x, other.final.y], rtol=0, atol=1e-12)
    # N = m (v^2 + g . r) along r, from the motion alone
    found = run.reactions["ring"]
    expected = -2 * (run.x_rate**2 + run.y_rate**2) + 2 * 9.81 * run.y
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-11)
    assert run.audit.position_residual < 1e-14
    assert math.isfinite(run.audit.energy_balance)
