"""Friction that depends on the speed of slip: it may rise above the static one, but not where slip begins.

A block that slides on the level slows by mu(v) g: it stops after the integral of dv/(mu(v) g), and slides for that of
v dv/(mu(v) g), which SciPy works out.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import sympy
from scipy.integrate import quad

import detent

G = 9.81


def block(law: Any, speed: float, height: float = 0.0) -> detent.System:
    """A block that slides, and a ball that bounces meanwhile: its events are unrelated."""
    system = detent.System("block and ball")
    x, y, ball = system.coordinates("x", "y", "ball")
    slides = system.particle("block", system.origin.offset("block", x * system.ground.x + y * system.ground.y), mass=2)
    bounces = system.particle("ball", system.origin.offset("ball", ball * system.ground.y), mass=1)
    system.gravity(-G * system.ground.y)
    system.start(x_rate=speed, y=height, ball=0.1)
    system.contact("block|floor", slides.point(), system.ground.line(), friction=law(system.slip_speed))
    system.contact("ball|floor", bounces.point(), system.ground.line(), impact=detent.Poisson(0.5))
    return system


def slide(mu: Any, speed: float) -> tuple[float, float]:
    """How long a block slides, and how far."""
    took, way = (quad(lambda v, n=n: v**n / (mu(v) * G), 0, abs(speed), epsabs=1e-13, epsrel=1e-13)[0] for n in (0, 1))
    return took, math.copysign(way, speed)


def check(run: detent.Run, took: float, way: float) -> None:
    (stops,) = (event for event in run.events if event.name == "block|floor: slip -> stick")
    assert stops.time == pytest.approx(took, rel=1e-7)
    assert run.x[-1] == pytest.approx(way, rel=1e-7)
    assert run.audit.largest_cone_excess is not None
    assert run.audit.largest_cone_excess < 1e-12


def random_law(seed: int) -> tuple[Any, Any, float]:
    """Stribeck's curve, which falls at first and rises again; as expressions and by NumPy; and a speed."""
    random = np.random.default_rng([seed, 6])
    low, drop, rise = random.uniform(0.05, 0.3), random.uniform(0, 0.3), random.uniform(0.01, 0.5)
    scale, power, above = random.uniform(0.1, 1), int(random.integers(1, 4)), random.choice([0.0, 0.05])

    def law(v: Any) -> detent.Coulomb:
        return detent.Coulomb(low + drop * sympy.exp(-v / scale) + rise * v**power, static=low + drop + above)

    return law, lambda v: low + drop * math.exp(-v / scale) + rise * v**power, float(random.uniform(-3, 3))


@pytest.mark.parametrize("seed", range(3))
def test_a_block_stops_when_and_where_its_curve_of_friction_says(seed: int) -> None:
    law, mu, speed = random_law(seed)
    took, way = slide(mu, speed)
    check(detent.simulate(block(law, speed), until=took + 0.5), took, way)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(3, 303, 50))
def test_hundreds_of_blocks_stop_when_and_where_their_curves_say(first: int) -> None:
    for seed in range(first, first + 50):
        law, mu, speed = random_law(seed)
        took, way = slide(mu, speed)
        check(detent.simulate(block(law, speed), until=took + 0.5), took, way)


def test_an_impact_is_rubbed_as_fast_as_shapes_slip_when_they_meet() -> None:
    """It takes mu(v) times the normal impulse from the slip, and the block slides on with what is left."""
    fall, speed = math.sqrt(2 * G * 0.1), 3.0
    left = speed - (0.2 + 0.1 * speed) * fall
    took, way = slide(lambda v: 0.2 + 0.1 * v, left)
    run = detent.simulate(block(lambda v: detent.Coulomb(0.2 + 0.1 * v), speed, height=0.1), until=2)
    check(run, fall / G + took, speed * fall / G + way)


def test_in_space_a_ball_that_slips_rolls_when_its_curve_of_friction_says() -> None:
    """The slip of a solid ball falls by 7/2 mu(v) g; with mu = a + b v that is over at ln(1 + b v/a)/(7/2 b g)."""
    system = detent.System("ball")
    joint = system.free("ball", system.origin, system.ground)
    ball = system.body("ball", joint.point, joint.frame, mass=1, inertia=(0.1, 0.1, 0.1))
    system.gravity(-G * system.ground.z)
    system.start(ball_z=0.5, ball_x_rate=1.2, ball_y_rate=1.6)
    friction = detent.Coulomb(0.1 + 0.2 * system.slip_speed, static=0.15)
    system.contact("ball|floor", ball.sphere(0.5), system.ground.plane(), friction=friction)
    run = detent.simulate(system, until=1)
    (rolls,) = run.events
    assert rolls.name == "ball|floor: slip -> roll"
    assert rolls.time == pytest.approx(math.log(1 + 0.2 * 2 / 0.1) / (3.5 * 0.2 * G), rel=1e-7)
    assert run.audit.largest_cone_excess is not None
    assert run.audit.largest_cone_excess < 1e-9


FALLS = "its static friction 0.3 is below its kinetic friction 0.5 where slip begins; give a static coefficient"
DRIVES = "its kinetic friction is -0.1 where slip begins; give a law that is not negative there"


@pytest.mark.parametrize(
    ("law", "found"),
    [
        (lambda v: detent.Coulomb(0.5 / (1 + v), static=0.3), FALLS),
        (lambda v: detent.Coulomb(v - 0.1, static=0.3), DRIVES),
    ],
)
def test_what_is_wrong_where_slip_begins_is_told_before_a_run(law: Any, found: str) -> None:
    with pytest.raises(detent.ModelError, match=found):
        detent.simulate(block(law, 1.0), until=1)


def test_static_friction_below_the_kinetic_one_by_rounding_is_as_large() -> None:
    """0.2 + 0.1 e^0 is 0.30000000000000004."""
    assert 0.2 + 0.1 > 0.3
    law, speed = lambda v: detent.Coulomb(0.2 + 0.1 * sympy.exp(-v), static=0.3), 1.0
    check(detent.simulate(block(law, speed), until=1), *slide(lambda v: 0.2 + 0.1 * math.exp(-v), speed))
