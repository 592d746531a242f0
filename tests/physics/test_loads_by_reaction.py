"""A load may be written with a constraint's reaction: friction in the words of a textbook, F = mu N."""

from __future__ import annotations

import math

import pytest

import detent

TILT, MU, G = 0.6, 0.3, 9.81
EMBEDDINGS = ("symbolic", "numeric", "live")


def block() -> detent.System:
    """A block on an incline, free to leave it; sliding down."""
    system = detent.System("block on an incline")
    x, y = system.coordinates("x", "y")
    incline = system.ground.rotated("incline", -TILT)
    body = system.particle("block", system.origin.offset("block", x * incline.x + y * incline.y), mass=2)
    system.gravity(-G * system.ground.y)
    system.constrain(detent.holonomic("incline", y))
    system.force("friction", body, -MU * system.reaction("incline") * incline.x)
    return system


@pytest.mark.parametrize("embedding", EMBEDDINGS)
def test_friction_by_the_normal_force_slows_the_block(embedding: str) -> None:
    run = detent.simulate(block(), until=2, embedding=embedding, rtol=1e-10)
    acceleration = G * (math.sin(TILT) - MU * math.cos(TILT))
    assert run.final.x == pytest.approx(acceleration * 2**2 / 2, rel=1e-9)
    assert run.reactions["incline"][-1] == pytest.approx(2 * G * math.cos(TILT), rel=1e-12)
    assert run.audit.energy_balance < 1e-9
    assert run.work[-1] == pytest.approx(-MU * 2 * G * math.cos(TILT) * run.final.x, rel=1e-9)


def test_without_the_constraint_its_reaction_is_zero() -> None:
    run = detent.simulate(block(), until=1, constraints=[], rtol=1e-10)
    assert run.final.x == pytest.approx(G * math.sin(TILT) / 2, rel=1e-9)


def test_a_load_that_is_not_linear_in_the_reaction_is_refused_by_name() -> None:
    system = block()
    system.force("odd", system.points["block"], system.reaction("incline") ** 2 * system.ground.x)
    with pytest.raises(detent.ModelError, match=r"constraint 'incline': a load is not linear in its reaction"):
        detent.simulate(system, until=1)


def test_the_embedded_equation_is_the_textbooks() -> None:
    shown = detent.equations(block())
    assert shown.independent == ("x_rate",)
    expected = 2 * G * (math.sin(TILT) - MU * math.cos(TILT))
    assert float(shown.forcing[0]) == pytest.approx(expected, rel=1e-12)
    assert float(shown.mass_matrix[0, 0]) == 2.0
