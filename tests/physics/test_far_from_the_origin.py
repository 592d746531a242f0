"""What a body does does not depend on how far it is from the origin, where the ground is the same there."""

from __future__ import annotations

import math

import pytest

import detent


def rolling_ball(far: float) -> detent.System:
    """A ball on a slope, given along the axes of the slope, that rolls down from a distance."""
    system = detent.System("ball on a slope")
    slope = system.ground.rotated("slope", 0.3, about="y")
    joint = system.free("ball", system.origin, slope)
    ball = system.body("ball", joint.point, joint.frame, 1, (0.004,) * 3)
    system.gravity(-9.81 * system.ground.z)
    system.start(ball_x=far, ball_z=0.1, ball_x_rate=4, ball_wy=40)
    system.contact("ball|slope", ball.sphere(0.1), slope.plane(), friction=detent.Coulomb(0.5))
    return system


@pytest.mark.parametrize("far", [0.0, 50.0, 5000.0])
def test_a_ball_rolls_down_a_slope_with_5_7_of_what_pulls_it(far: float) -> None:
    """Its inertia of 0.004 kg m^2 is not what is left of m x^2, which 5 km away would leave nothing of it."""
    run = detent.simulate(rolling_ball(far), until=0.1)
    contact = run.contacts["ball|slope"]
    assert (contact.status == detent.ContactStatus.STICK).all()
    along = contact.force @ [math.cos(0.3), 0, -math.sin(0.3)]
    assert along == pytest.approx(-2 / 7 * 9.81 * math.sin(0.3), abs=1e-13)
