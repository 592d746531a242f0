"""Two dominoes fall. The second slides on an edge; how far it leans says when its two corners can no longer share."""

from __future__ import annotations

import math

import pytest

import detent

G = 9.81
THICK, WIDE, HIGH, MASS, APART = 0.007, 0.024, 0.048, 0.01, 0.025
FRICTION = 0.5


def dominoes() -> detent.System:
    system = detent.System("dominoes")
    ground = system.ground
    system.gravity(-G * ground.z)
    inertia = tuple(MASS / 12 * each for each in (WIDE**2 + HIGH**2, THICK**2 + HIGH**2, THICK**2 + WIDE**2))
    shapes = []
    for number in (1, 2):
        joint = system.free(
            f"domino{number}", system.origin.offset(f"place {number}", (number - 1) * APART * ground.x), ground
        )
        body = system.body(f"domino {number}", joint.point, joint.frame, mass=MASS, inertia=inertia)
        shapes.append(body.box(THICK, WIDE, HIGH))
        system.contact(f"domino {number}|floor", shapes[-1], ground.plane(), friction=detent.Coulomb(FRICTION))
        system.start(**{f"domino{number}_z": HIGH / 2})
    system.contact("domino 1|domino 2", *shapes)
    spin = 6.0
    system.start(domino1_wy=spin, domino1_x_rate=spin * HIGH / 2, domino1_z_rate=spin * THICK / 2)
    return system


def test_a_domino_that_slides_on_an_edge_goes_on_by_one_corner_where_two_would_draw() -> None:
    """A difference of the normal forces of two corners turns the domino by cos(lean) of it, and their friction turns it
    back by mu sin(lean): from tan(lean) = 1/mu on, more force at a corner would draw that in. It goes on with one of
    them, and that is told."""
    run = detent.simulate(dominoes(), until=0.21, most_steps=2000)
    (told,) = run.events.of_kind("several")
    state = run.at(told.time)
    lean = 2 * math.atan2(float(state.domino2_qy), float(state.domino2_qw))
    assert lean == pytest.approx(math.atan(1 / FRICTION), abs=1e-7)
    (lifts,) = (event for event in run.events if event.time == told.time and event.kind == "transition")
    assert lifts.name.startswith("domino 2|floor corner x ")
    assert lifts.name.endswith("-z: slip -> open")
    assert "Painleve" in told.name
    assert run.audit.energy_balance < 1e-9
    assert run.audit.largest_cone_excess is not None
    assert run.audit.largest_cone_excess < 1e-9
    assert run.audit.smallest_gap is not None
    assert run.audit.smallest_gap > -1e-9
