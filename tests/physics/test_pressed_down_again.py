"""What is struck, comes off by less than rounding and is pressed down again at once does not pass through."""

from __future__ import annotations

import pytest

import detent


@pytest.mark.parametrize("lift", [1e-12, 1e-9, 1e-6])
@pytest.mark.parametrize("time", [1.0, 100.0])
def test_a_contact_that_opens_for_an_instant_closes_again(lift: float, time: float) -> None:
    """A particle that accelerates by ``lift - (t - time)`` strikes a floor at ``time`` with 1 m/s, without restitution.

    Then it is lifted, and comes down after 3 lift (s), having risen by 2/3 lift^3 (m), which nobody can see.
    """
    system = detent.System("pressed down")
    y = system.coordinates("y")
    body = system.particle("particle", system.origin.offset("particle", y * system.ground.y), mass=2)
    system.force("push", body, 2 * (lift - (system.time - time)) * system.ground.y)
    system.contact("particle|floor", body.point(), system.ground.line())
    start = {"y": time + lift * time**2 / 2 + time**3 / 6, "y_rate": -1 - lift * time - time**2 / 2}
    run = detent.simulate(system, until=time + 1, start=start)
    assert run.events[0].time == pytest.approx(time, abs=1e-6)
    assert run.contacts["particle|floor"].gap.min() > -1e-12 * max(1.0, time**3)
    assert run.contacts["particle|floor"].normal[-1] == pytest.approx(2 * (1 - lift), rel=1e-6)
