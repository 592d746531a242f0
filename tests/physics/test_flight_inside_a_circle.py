"""A bead leaves a round track, flies, and lands on it again where other speeds must depend than when it left.

On the inside of a circle of radius 1 a bead that leaves at the angle a (from the horizontal) has there the speed
v^2 = g sin a. Its parabola touches the circle so closely that it meets it again at the angle -3 a, and nowhere before.
"""

from __future__ import annotations

import math
from typing import Any

import pytest
from sympy import sqrt

import detent
from tests.unit.hybrid.models import EXACT, taken

GRAVITY = 9.81
CLOSE = 1e-8
"""A thousand steps off by 1e-12 each, and ten times that for what they do to the angle at which it leaves."""


def bead(leaves: float) -> detent.Automaton:
    """Started at the height of the centre, fast enough to leave at this angle; there x is the speed that depends."""
    system = detent.System("bead")
    x, y = system.coordinates(x=1.0, y=0.0)
    system.particle("bead", system.origin.offset("bead", x * system.ground.x + y * system.ground.y), mass=1)
    system.gravity(-GRAVITY * system.ground.y)
    system.start(y_rate=math.sqrt(3 * GRAVITY * math.sin(leaves)))
    system.constrain(detent.holonomic("track", 1 - sqrt(x**2 + y**2)), active=False)
    automaton = detent.Automaton(system)
    on, off = automaton.mode("on", ["track"]), automaton.mode("off")
    automaton.transition("leaves", on, off, when=system.reaction("track") <= 0)
    automaton.transition("lands", off, on, when=1 - sqrt(x**2 + y**2) <= 0, reset=detent.Impact())
    return automaton


@pytest.mark.parametrize("beside", [0.0, 1e-9, -1e-6, 1e-3, -1e-2, 0.05, -0.1, 0.2, -0.3, 0.4])
def test_a_bead_lands_on_its_track_near_the_bottom_and_goes_on(beside: float) -> None:
    angle = math.pi / 6 + beside / 3
    speed = math.sqrt(GRAVITY * math.sin(angle))
    flies = (math.cos(angle) - math.cos(3 * angle)) / (speed * math.sin(angle))
    run = detent.simulate(bead(angle), until=3.0, **EXACT)
    assert [name for name, _ in taken(run)] == ["leaves", "lands"]
    (_, left), (_, landed) = taken(run)
    assert landed - left == pytest.approx(flies, abs=CLOSE)
    at = run.at(landed)
    assert (at.x, at.y) == pytest.approx((math.cos(3 * angle), -math.sin(3 * angle)), abs=CLOSE)
    assert after_landing(angle, speed, flies) == pytest.approx(energy(at), abs=CLOSE)
    assert energy(run.final) == pytest.approx(energy(at), abs=CLOSE)
    assert run.audit.position_residual < 1e-12


def energy(state: Any) -> float:
    return float(state.x_rate**2 + state.y_rate**2) / 2 + GRAVITY * float(state.y)


def after_landing(angle: float, speed: float, flies: float) -> float:
    """What the speed along the track at -3 a leaves of the energy."""
    across, up = -speed * math.sin(angle), speed * math.cos(angle) - GRAVITY * flies
    along = across * math.sin(3 * angle) + up * math.cos(3 * angle)
    return along**2 / 2 - GRAVITY * math.sin(3 * angle)
