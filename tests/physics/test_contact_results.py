"""What a run tells of its contacts: forces that carry the weight, cones, work, and the same again from a file."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import detent
from detent import ContactStatus
from tests.physics.contact_scenes import G, ball, block, box, cube, groove, sphere


def test_forces_on_a_slope_carry_the_weight() -> None:
    tilt = 0.3
    slides = detent.simulate(block(detent.Coulomb(0.2), tilt, speed=3.0), until=2).contacts["block|slope"]
    rests = detent.simulate(block(detent.Coulomb(0.5), tilt), until=1).contacts["block|slope"]
    assert set(slides.status) == {ContactStatus.SLIP}
    assert set(rests.status) == {ContactStatus.STICK}
    for contact in (slides, rests):
        np.testing.assert_allclose(contact.normal, G * math.cos(tilt), rtol=1e-12)
    np.testing.assert_allclose(rests.friction, G * math.sin(tilt), rtol=1e-12)
    np.testing.assert_allclose(rests.force, [[0.0, G, 0.0]] * len(rests.force), atol=1e-12)
    np.testing.assert_allclose(np.abs(slides.friction), 0.2 * slides.normal, rtol=1e-12)


def test_friction_acts_against_the_slip_and_turns_with_it_at_the_event() -> None:
    """The node before the event belongs to the way up, the node after it to the way down."""
    run = detent.simulate(block(detent.Coulomb(0.2), 0.3, speed=3.0), until=2)
    (event,) = run.events.of_kind("transition")
    before, after = np.flatnonzero(run.time == event.time)
    contact = run.contacts["block|slope"]
    assert contact.friction[before] < 0 < contact.friction[after]
    assert contact.slip[0] > 0 > contact.slip[-1]
    np.testing.assert_array_equal(contact.slip, run.x_rate)


@pytest.mark.parametrize("friction", [0.1, 0.3])
def test_a_force_in_space_stays_in_its_cone_and_acts_against_the_slip(friction: float) -> None:
    run = detent.simulate(sphere(friction, tilt=0.2, ball_x_rate=1.0, ball_y_rate=1.0, ball_wx=3.0), until=1)
    contact = run.contacts["ball|plane"]
    size = np.linalg.norm(contact.friction, axis=1)
    assert (size <= friction * contact.normal * (1 + 1e-12)).all()
    slips = contact.status == ContactStatus.SLIP
    assert slips.any()
    speed = np.linalg.norm(contact.slip[slips], axis=1)
    against = (contact.friction[slips] * contact.slip[slips]).sum(axis=1)
    moving = speed > 1e-6
    np.testing.assert_allclose(against[moving], -(size[slips] * speed)[moving], rtol=1e-6)
    whole = np.hypot(contact.normal, size)
    np.testing.assert_allclose(np.linalg.norm(contact.force, axis=1), whole, rtol=1e-12)


def test_the_work_of_friction_is_the_energy_that_is_lost() -> None:
    run = detent.simulate(block(detent.Coulomb(0.5), 0.3, speed=3.0), until=2, step=0.01)
    contact = run.contacts["block|slope"]
    power = contact.friction * contact.slip
    lost = float(np.trapezoid(power, run.time))
    assert lost == pytest.approx(run.energy[-1] - run.energy[0], rel=1e-10)  # the power is linear in time
    assert lost < 0


def test_two_corners_share_the_weight_with_the_moment_of_friction() -> None:
    """A box that slides: the front corner carries more, by mu m g h/w in all."""
    run = detent.simulate(box(1.0, 0.2, 0.3, box_x_rate=3.0), until=0.5)
    places = run.contacts["box|slope"]
    assert list(places) == ["corner 1", "corner 2", "corner 3", "corner 4"]
    rear, front = places["corner 1"], places["corner 2"]
    np.testing.assert_allclose(front.normal - rear.normal, 0.3 * G * 0.2, rtol=1e-11)
    np.testing.assert_allclose(front.normal + rear.normal, G, rtol=1e-12)
    np.testing.assert_allclose(front.point[:, 0], run.box_x + 0.5, atol=1e-12)
    np.testing.assert_array_equal(run.contacts["box|slope corner 2"].normal, front.normal)
    assert set(places["corner 3"].status) == {ContactStatus.OPEN}
    assert (places["corner 3"].normal == 0.0).all()
    assert (places["corner 3"].force == 0.0).all()


def test_a_bounce_has_a_gap_at_all_times_and_no_force_in_the_air() -> None:
    run = detent.simulate(ball(0.5), until=2)
    contact = run.contacts["ball|floor"]
    np.testing.assert_array_equal(contact.gap, run.y)
    np.testing.assert_array_equal(contact.point[:, 0], run.x)
    rests = contact.status == ContactStatus.SLIP
    np.testing.assert_allclose(contact.normal, np.where(rests, G, 0.0), rtol=1e-12)


QUANTITIES = ("status", "gap", "normal", "friction", "slip", "point", "force")


@pytest.mark.parametrize("options", [{}, {"keep": 0.5}, {"keep": "events"}, {"times": [0.1, 0.5, 1.0, 1.9]}], ids=str)
@pytest.mark.parametrize("scene", ["groove", "sphere"])
def test_every_quantity_has_a_row_for_each_node_and_comes_back_from_a_file(
    options: dict[str, object], scene: str, tmp_path: Path
) -> None:
    made = {
        "groove": groove(math.pi / 4, 0.5, disk_x=0.1, disk_y=1.0),
        "sphere": sphere(0.3, ball_x_rate=3.0, ball_y_rate=1.0),
    }
    run = detent.simulate(made[scene], until=2, **options)  # type: ignore[arg-type]
    run.save(tmp_path / "run.nc")
    again = detent.load(tmp_path / "run.nc")
    assert list(again.contacts) == list(run.contacts)
    assert again.audit == run.audit
    for name, contact in run.contacts.items():
        for quantity in QUANTITIES:
            values = getattr(contact, quantity)
            assert len(values) == len(run.time), quantity
            np.testing.assert_array_equal(values, getattr(again.contacts[name], quantity))
            assert np.isfinite(values).all(), quantity


def test_what_is_kept_less_of_is_the_same_where_it_is_kept() -> None:
    scene = groove(math.pi / 4, 0.5, disk_x=0.1, disk_y=1.0)
    whole, events = detent.simulate(scene, until=2), detent.simulate(scene, until=2, keep="events")
    nodes = np.searchsorted(whole.time, events.time[[0, -1]], side="right") - 1
    for quantity in QUANTITIES:
        long, short = (getattr(run.contacts["disk|left"], quantity) for run in (whole, events))
        np.testing.assert_array_equal(short[[0, -1]], long[nodes], err_msg=quantity)
    assert events.audit == whole.audit


def test_a_contact_that_a_mode_does_not_name_is_off() -> None:
    system = ball(0.0)
    automaton = detent.Automaton(system)
    through = automaton.mode("through", contacts=[])
    caught = automaton.mode("caught", contacts=["ball|floor"])
    automaton.transition("turns on", through, caught, when=system.time >= 0.2)
    run = detent.simulate(automaton, until=1, mode="through")
    contact = run.contacts["ball|floor"]
    np.testing.assert_array_equal(contact.status[run.time < 0.2], ContactStatus.OFF)
    assert contact.status[-1] == ContactStatus.SLIP
    assert contact.normal[-1] == pytest.approx(G, rel=1e-12)


def test_the_audit_of_contacts_is_small_where_the_run_is_exact() -> None:
    for system in (ball(0.5), groove(math.pi / 4, 0.5, disk_x=0.1, disk_y=1.0), sphere(0.3, ball_x_rate=1.0)):
        audit = detent.simulate(system, until=2).audit
        assert audit.smallest_gap is not None
        assert audit.largest_cone_excess is not None
        assert audit.complementarity is not None
        assert -1e-12 < audit.smallest_gap <= 0.0 + 1e-12
        assert 0.0 <= audit.largest_cone_excess < 1e-12
        assert 0.0 <= audit.complementarity < 1e-12


def test_a_gap_that_comes_near_zero_inside_a_step_is_seen() -> None:
    """One long step over a hop: the ball is lowest in the middle of a valley of its flight."""
    system = detent.System("swing")
    angle = system.coordinates(angle=-1.0)
    rod = system.ground.rotated("rod", angle)
    bob = system.particle("bob", system.origin.offset("tip", -1 * rod.y), mass=1)
    system.start(angle_rate=2.0)
    system.contact("bob|floor", bob.point(), system.ground.line(at=(0, -1.001)))
    run = detent.simulate(system, until=1.0, method="rk4", step=1.0)
    contact = run.contacts["bob|floor"]
    assert contact.gap.min() > 0.4
    assert run.audit.smallest_gap == pytest.approx(0.001, abs=1e-9)


def test_the_summary_tells_of_contacts() -> None:
    run = detent.simulate(ball(0.5), until=1)
    assert "smallest gap" in run.summary()
    assert "cone excess 0, complementarity" in run.summary()
    assert set(run.as_json()["audit"]) >= {"smallest_gap", "largest_cone_excess", "complementarity"}


def test_unknown_names_and_several_places_are_told() -> None:
    run = detent.simulate(box(1.0, 0.2, 0.3), until=0.1)
    with pytest.raises(
        detent.UnknownNameError, match=r"there is no contact named 'box\|slop'; did you mean 'box\|slope'"
    ):
        run.contacts["box|slop"]
    with pytest.raises(detent.UnknownNameError, match=r"no place of contact 'box\|slope' named 'corner 9'"):
        run.contacts["box|slope"]["corner 9"]
    with pytest.raises(detent.DetentError, match=r"may touch in 4 places; choose one .*\['box\|slope'\]\['corner 1'\]"):
        _ = run.contacts["box|slope"].gap
    assert "box|slope" in run.contacts
    assert "nothing" not in run.contacts


def test_a_body_at_rest_is_nothing_to_remark_on() -> None:
    run = detent.simulate(block(detent.Coulomb(0.5), 0.3, speed=1.0), until=1)
    assert run.mode == "block|slope: stick"
    assert [event.kind for event in run.events] == ["transition"]


def test_that_forces_are_shared_is_said_once_for_the_same_places() -> None:
    """Both corners slip, then both stick: the forces of the same two are not unique in the second of these modes.

    Where a cube slides its four corners share their forces too, and nothing new is to be said when it stops.
    """
    run = detent.simulate(cube(0.1, 0.5, cube_x_rate=1.0), until=0.5)
    assert run.events.of_kind("transition")[0].name.count("slip -> stick") == 4
    (shared,) = run.events.of_kind("shared")
    assert "corner x y -z" in shared.name


def below_a_shelf() -> detent.System:
    """A body that moves along below a shelf, behind its face."""
    system = detent.System("below a shelf")
    x, y = system.coordinates(x=0.0, y=-0.5)
    body = system.particle("body", system.origin.offset("place", x * system.ground.x + y * system.ground.y), mass=1)
    system.start(x_rate=1.0)
    system.contact("body|shelf", body.point(), system.ground.segment((1, 0), (2, 0)))
    return system


def test_what_is_behind_a_face_with_one_side_does_not_overlap_it() -> None:
    run = detent.simulate(below_a_shelf(), until=3)
    assert run.contacts["body|shelf"]["side"].gap.min() == pytest.approx(-0.5)
    assert run.audit.smallest_gap is None or run.audit.smallest_gap >= 0.0


def test_nothing_is_said_of_what_is_behind_a_face() -> None:
    assert list(detent.simulate(below_a_shelf(), until=3).events) == []


def test_a_mode_is_named_after_the_constraints_that_hold_beside_contacts() -> None:
    system = detent.System("bead on a wire")
    x, y = system.coordinates(x=0, y=1)
    center = system.origin.offset("bead", x * system.ground.x + y * system.ground.y)
    bead = system.particle("bead", center, mass=1)
    system.gravity(-9.81 * system.ground.y)
    system.constrain("wire", x)
    system.contact("bead|floor", bead.point(), system.ground.line())
    run = detent.simulate(system, until=1)
    assert [(event.source, event.target) for event in run.events] == [("wire", "wire, bead|floor: slip")]
    shown = detent.equations(system, mode="wire, bead|floor: slip").text()
    assert shown == detent.equations(system, mode="bead|floor: slip").text()
    with pytest.raises(detent.DetentError, match="no mode named 'wyre'; did you mean 'wire'"):
        detent.equations(system, mode="wyre, bead|floor: slip")
