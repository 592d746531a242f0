"""What happens at one instant is told whole, whatever of it is found first."""

from __future__ import annotations

import math

import pytest

import detent

G = 10.0
ENDS = 1.0 + 2e-10
"""A feature of 2 m from its middle, and beyond it by 1e-10 of that: there a point leaves it."""


def two_bodies(plank_first: bool, restitution: float) -> detent.System:
    """A slider that leaves its plank after ENDS seconds, and a ball that lands then: neither knows of the other."""
    system = detent.System("slider and ball")
    x, y, z = system.coordinates("x", "y", "z")
    slider = system.particle("slider", system.origin.offset("slider", x * system.ground.x + y * system.ground.y), 1)
    ball = system.particle("ball", system.origin.offset("ball", 50 * system.ground.x + z * system.ground.y), 2)
    system.gravity(-G * system.ground.y)

    def plank() -> None:
        system.contact("slider|plank", slider.point(), system.ground.segment((-1, 0), (1, 0)), impact=detent.Poisson(0))

    def floor() -> None:
        system.contact("ball|floor", ball.point(), system.ground.line(), impact=detent.Poisson(restitution))

    for declare in (plank, floor) if plank_first else (floor, plank):
        declare()
    system.start(x=0, y=0, z=G * ENDS**2 / 2, x_rate=1, y_rate=0, z_rate=0)
    return system


@pytest.mark.parametrize("restitution", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("plank_first", [True, False])
def test_an_impact_is_told_where_another_contact_leaves_at_that_instant(plank_first: bool, restitution: float) -> None:
    """The plank that is left settled the ball with it: it bounced, and nothing told of that."""
    run = detent.simulate(two_bodies(plank_first, restitution), until=1.2)
    speed = G * ENDS
    told = [event for event in run.events if abs(event.time - ENDS) < 1e-13]
    assert "slider|plank side: slip -> open" in ", ".join(event.name for event in told)
    (impact,) = (event for event in told if event.kind == "impact")
    assert ("ball|floor: open -> slip" if restitution == 0 else "ball|floor: bounce") in impact.name
    impulse, lost = 2 * (1 + restitution) * speed, speed**2 * (1 - restitution**2)
    assert impact.details["impulse of ball|floor.normal"] == pytest.approx(impulse, rel=1e-12)
    assert impact.details["energy"] == pytest.approx(-lost, rel=1e-12, abs=1e-12 * speed**2)
    assert run.at(1.1).z_rate == pytest.approx((restitution * speed - G * (1.1 - ENDS)) * (restitution > 0), rel=1e-12)


def test_all_that_bounce_at_one_instant_are_told() -> None:
    system = detent.System("two balls")
    for name, x in (("first", 0), ("second", 5)):
        height = system.coordinates(name)
        ball = system.particle(
            f"ball {name}", system.origin.offset(name, x * system.ground.x + height * system.ground.y), 1
        )
        system.contact(f"{name}|floor", ball.point(), system.ground.line(), impact=detent.Poisson(0.5))
    system.gravity(-G * system.ground.y)
    system.start(first=5, second=5, first_rate=0, second_rate=0)
    run = detent.simulate(system, until=2.2)
    assert [event.name for event in run.events] == ["first|floor: bounce, second|floor: bounce"] * 2
    assert [event.time for event in run.events] == pytest.approx([1.0, 2.0], rel=1e-13)
    for event, speed in zip(run.events, (10.0, 5.0), strict=True):
        for name in ("first", "second"):
            assert event.details[f"impulse of {name}|floor.normal"] == pytest.approx(1.5 * speed, rel=1e-12)
        assert math.isclose(float(event.details["energy"]), -0.75 * speed**2, rel_tol=1e-12)


def test_a_bounce_at_the_instant_of_a_leaving_counts_where_bounces_accumulate() -> None:
    run = detent.simulate(two_bodies(True, 0.5), until=4)
    (rests,) = run.events.of_kind("zeno")
    assert rests.details["count"] == len(run.events.of_kind("impact"))
    assert rests.details["accumulates at"] == pytest.approx(3 * ENDS, rel=1e-13)
