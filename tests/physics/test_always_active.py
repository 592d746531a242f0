"""What a system declares as active holds and acts in every mode of an automaton, and through its impacts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sympy import cos, sin

import detent

TIGHT: dict[str, Any] = {"until": 3, "rtol": 1e-12, "atol": 1e-13}
GRAVITY, RESTITUTION = 9.81, 0.8


def striking(system: detent.System, wall: Any) -> detent.Automaton:
    """Swings and strikes a wall that is at zero of an expression."""
    system.constrain(detent.holonomic("wall", wall), active=False)
    automaton = detent.Automaton(system)
    swing = automaton.mode("swing", where=wall >= 0)
    bounce = detent.Impact("wall", restitution=RESTITUTION)
    automaton.transition("strike", swing, swing, when=wall <= 0, reset=bounce)
    return automaton


def bob_on_a_rod() -> detent.Automaton:
    """A pendulum in Cartesian coordinates, held by a rod that no mode names."""
    system = detent.System("bob")
    x, y = system.coordinates(x=np.sin(1.0), y=-np.cos(1.0))
    system.particle("bob", system.origin.offset("bob", x * system.ground.x + y * system.ground.y), mass=2)
    system.gravity(-GRAVITY * system.ground.y)
    system.constrain(detent.holonomic("rod", (x**2 + y**2 - 1) / 2))
    return striking(system, x)


def pendulum() -> detent.Automaton:
    system = detent.System("pendulum")
    angle = system.coordinates(angle=1.0)
    place = sin(angle) * system.ground.x - cos(angle) * system.ground.y
    system.particle("bob", system.origin.offset("bob", place), mass=2)
    system.gravity(-GRAVITY * system.ground.y)
    return striking(system, sin(angle))


def test_a_rod_that_no_mode_names_holds_as_an_angle_does() -> None:
    held, free = detent.simulate(bob_on_a_rod(), **TIGHT), detent.simulate(pendulum(), **TIGHT)
    strikes = [run.events.of_kind("impact") for run in (held, free)]
    assert len(strikes[1]) == 3
    for one, other in zip(*strikes, strict=True):
        assert one.time == pytest.approx(other.time, abs=1e-9)
    assert np.hypot(held.x, held.y) == pytest.approx(np.ones(len(held.t)), abs=1e-12)
    assert held.final.x == pytest.approx(np.sin(free.final.angle), abs=1e-9)
    assert np.isfinite(held.reactions["rod"]).all()


def test_a_mode_shows_what_always_holds() -> None:
    mode = bob_on_a_rod().modes["swing"]
    assert [constraint.name for constraint in mode.constraints] == ["rod"]
