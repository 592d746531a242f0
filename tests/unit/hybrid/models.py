"""Small automata with known motions, for the tests that try to break them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import detent

EXACT: dict[str, Any] = {"rtol": 1e-12, "atol": 1e-13}


def particle(**start: float) -> tuple[detent.System, Any]:
    """A mass of 1 kg on a line, without any load."""
    system = detent.System("particle")
    x = system.coordinates("x")
    system.particle("mass", system.origin.offset("mass", x * system.ground.x), mass=1)
    system.start(**start)
    return system, x


def moving(**start: float) -> tuple[detent.System, Any, detent.Automaton, Any]:
    """The particle at 1 m/s, with an automaton of one mode."""
    system, x = particle(**({"x_rate": 1.0} | start))
    automaton = detent.Automaton(system)
    return system, x, automaton, automaton.mode("moving")


def oscillator() -> tuple[detent.System, Any, detent.Automaton, Any]:
    """x = cos t, with an automaton of one mode."""
    system, x, automaton, mode = moving(x=1.0, x_rate=0.0)
    system.spring("spring", x, 1)
    return system, x, automaton, mode


def ball(restitution: Any, accumulates: bool = False) -> detent.Automaton:
    """A ball that falls 1 m with 10 m/s^2: it strikes the floor at sqrt(0.2) s."""
    system, x = particle(x=1.0)
    system.force("weight", system.bodies["mass"], -10 * system.ground.x)
    system.constrain(detent.holonomic("floor", x), active=False)
    automaton = detent.Automaton(system)
    flight = automaton.mode("flight")
    rest = automaton.mode("rest", ["floor"]) if accumulates else None
    impact = detent.Impact("floor", restitution=restitution)
    automaton.transition("bounce", flight, flight, when=x <= 0, reset=impact, accumulates=rest)
    return automaton


def balls(heights: Sequence[float], restitutions: Sequence[float], gravity: float = 10.0) -> detent.Automaton:
    """Balls of 1, 2, 3, ... kg above one floor, which do not know of one another."""
    system = detent.System("balls")
    automaton = detent.Automaton(system)
    flight = automaton.mode("flight")
    for number, (height, restitution) in enumerate(zip(heights, restitutions, strict=True), 1):
        y = system.coordinates(**{f"y{number}": height})
        place = system.origin.offset(f"ball {number}", y * system.ground.y)
        system.particle(f"ball {number}", place, mass=number)
        system.constrain(detent.holonomic(f"under {number}", y), active=False)
        impact = detent.Impact(f"under {number}", restitution=restitution)
        automaton.transition(f"bounce {number}", flight, flight, when=y <= 0, reset=impact)
    system.gravity(-gravity * system.ground.y)
    return automaton


def taken(run: detent.Run) -> list[tuple[str, float]]:
    """Names and times of the transitions of a run."""
    return [(event.name, event.time) for event in run.events if event.kind in ("transition", "impact", "zeno")]
