"""What changes a result of a run with contacts is told by an event, or ends the run with a message."""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np
import pytest

import detent
from detent.contact_solves.settle_frame import SETTLED, Unsettled
from detent.contact_solves.several_impacts import SeveralImpacts
from detent.contact_solves.several_impacts_frame import ImpactOrder
from detent.gallery.painleve_rod import least_coefficient
from detent.hybrid.status_automaton import automaton_of_contacts
from detent.simulation.contact_words import why_not_settled
from tests.physics.contact_scenes import G, ball, block, box, groove
from tests.physics.silence_scenes import (
    GAINING,
    GAINING_BEFORE,
    GAINING_FRICTION,
    GAINING_RESTITUTION,
    add_rod,
    rod,
    rod_in_space,
    two_points,
    wedge,
)
from tests.physics.test_several_impacts_in_a_run import cradle

CANNOT_GAIN = (
    "would gain energy by its law, detent.Newton; detent.Poisson, detent.Stronge and detent.Plastic cannot: use one of "
    "them"
)


def poissons(restitutions: tuple[float, ...]) -> list[detent.Poisson]:
    return [detent.Poisson(e) for e in restitutions]


# -- impacts that are not what their laws say ---------------------------------------------------------


@pytest.mark.parametrize("later", [1.0, 0.0], ids=["in the run", "at its start"])
def test_an_impact_that_is_capped_is_told_with_its_contacts_laws_and_factor(later: float) -> None:
    system = two_points(GAINING, GAINING_BEFORE, GAINING_FRICTION, poissons(GAINING_RESTITUTION), later)
    run = detent.simulate(system, until=later + 0.1)
    (capped,) = run.events.of_kind("capped")
    (impact,) = run.events.of_kind("impact")
    assert capped.time == impact.time == pytest.approx(later, abs=1e-14)
    assert capped.name.startswith("tip 0|floor, tip 1|floor: by their restitutions (Poisson(0.25), Poisson(1))")
    rows = np.linalg.cholesky(GAINING)
    known = SeveralImpacts.of(rows, GAINING_BEFORE, GAINING_FRICTION, GAINING_RESTITUTION, 2)
    assert capped.details["factor"] == pytest.approx(known.factor, abs=1e-9)
    assert impact.details["energy"] == pytest.approx(0.0, abs=1e-11)


def test_equal_restitutions_are_not_capped() -> None:
    run = detent.simulate(two_points(GAINING, GAINING_BEFORE, GAINING_FRICTION, poissons((1.0, 1.0))), until=1.1)
    (impact,) = run.events
    assert impact.details["energy"] == pytest.approx(-0.26332073151942, abs=1e-11)


@pytest.mark.parametrize("count", [20, pytest.param(300, marks=pytest.mark.slow)])
def test_every_run_whose_energy_would_have_grown_is_told(count: int) -> None:
    """Random impacts of two contacts; what is to be told comes from the kernel of impacts alone, on the same matrix."""
    random, capped = np.random.default_rng(11), 0
    for _ in range(count):
        noise = random.uniform(-0.03, 0.03, (4, 4))
        yields = GAINING + np.eye(4) * 1e-3 + noise @ noise.T
        before = GAINING_BEFORE * random.uniform(0.9, 1.1, 4)
        friction = np.array(GAINING_FRICTION) * random.uniform(0.9, 1.1, 2)
        restitution = (float(random.uniform(0.1, 0.4)), float(random.uniform(0.8, 1.0)))
        known = SeveralImpacts.of(np.linalg.cholesky(yields), before, friction, restitution, 2, ImpactOrder.WAVES)
        run = detent.simulate(two_points(yields, before, tuple(friction), poissons(restitution)), until=1.0 + 1e-9)
        factors = [event.details["factor"] for event in run.events.of_kind("capped")]
        assert factors == ([pytest.approx(known.factor, abs=1e-7)] if known.factor < 1.0 else [])
        energies = [float(event.details["energy"]) for event in run.events.of_kind("impact")]
        assert max(energies) < 1e-9
        capped += len(factors)
    assert 0 < capped < count


def test_impacts_that_were_ended_are_told() -> None:
    run = detent.simulate(cradle(8, restitution=0.01), until=1, impacts="sequential")
    (ended,) = run.events.of_kind("ended")
    (impact,) = run.events.of_kind("impact")
    assert ended.time == impact.time
    assert "after 1000 impacts at one instant (Poisson(0.01)) a plastic one of all ended them" in ended.name


EVERY_LAW = (detent.Poisson(0.5), detent.Stronge(0.5), detent.Newton(0.5), detent.Smith(0.5), detent.Plastic())


@pytest.mark.parametrize("law", EVERY_LAW, ids=lambda law: type(law).__name__)
def test_contacts_that_do_not_feel_each_other_follow_their_own_laws_at_once(law: object) -> None:
    system, alone = detent.System("two rods"), detent.System("one rod")
    for name in ("1", "2"):
        add_rod(system, name, 0.2, math.pi / 3, 0.2, -1.0, 0.0, law, 0.1)
    add_rod(alone, "1", 0.2, math.pi / 3, 0.2, -1.0, 0.0, law, 0.1)
    for each in (system, alone):
        each.gravity(-G * each.ground.y)
    both, one = detent.simulate(system, until=0.12), detent.simulate(alone, until=0.12)
    assert not both.events.of_kind("law")
    for name in ("1", "2"):
        speeds = [both.final[f"{word}{name}_rate"] for word in ("x", "y", "angle")]
        assert speeds == pytest.approx([one.final[f"{word}1_rate"] for word in ("x", "y", "angle")], abs=1e-12)


def test_that_a_law_about_one_contact_alone_was_not_followed_is_told_once() -> None:
    system = detent.System("box")
    joint = system.planar("box", system.origin, system.ground)
    box = system.body("box", joint.point, joint.frame, 1, 0.1)
    system.gravity(-G * system.ground.y)
    system.start(box_y=0.6, box_x_rate=1)
    corners = box.polygon((-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5))
    law = detent.Smith(0.5)
    system.contact("box|floor", corners, system.ground.line(), friction=detent.Coulomb(0.2), impact=law)
    told = detent.simulate(system, until=0.2).events.of_kind("law")
    assert [event.name for event in told] == [
        "box|floor corner 1, box|floor corner 2: they strike at once, and a law of theirs (Smith(0.5)) is about one "
        "contact alone, or could not be followed by all: Poisson's hypothesis took its place"
    ]


def test_one_contact_alone_follows_its_own_law_and_nothing_is_told() -> None:
    run = detent.simulate(rod(0.2, math.pi / 3, 0.2, -1.0, law=detent.Stronge(0.5), height=0.1, g=0.0), until=0.2)
    assert run.events.counts == {"impact": 1}


def test_that_friction_holds_what_would_be_given_back_is_told() -> None:
    """A slide that is guided at 45 degrees down to a rough floor wedges itself in: no normal impulse moves it."""
    system = detent.System("guide")
    s = system.coordinates("s")
    along = s * (system.ground.x - system.ground.y)
    slide = system.particle("slide", system.origin.offset("slide", along), 1)
    system.start(s=-0.1, s_rate=1)
    law = detent.Stronge(0.5)
    system.contact("slide|floor", slide.point(), system.ground.line(), friction=detent.Coulomb(2), impact=law)
    run = detent.simulate(system, until=1)
    (told,) = run.events.of_kind("law")
    assert told.name == (
        "slide|floor: friction holds what strikes, so that nothing is given back, whatever the law (Stronge(0.5))"
    )
    assert run.s_rate[-1] == 0.0


def test_newtons_law_that_would_gain_energy_stops_the_run_and_names_those_that_cannot() -> None:
    """The rod at 45 degrees with v = (-1, 0.5), mu = 0.8, e = 1 gains 0.109375 J by Newton's law."""
    values = (0.8, math.pi / 4, 0.5, -1.0)
    in_the_plane = rod(*values, law=detent.Newton(1), height=0.1, g=0.0)
    in_space = rod_in_space(*values, detent.Newton(1))
    for system in (in_the_plane, in_space):
        with pytest.raises(detent.SimulationError, match=r"contact 'tip\|floor': its impact") as caught:
            detent.simulate(system, until=1)
        assert CANNOT_GAIN in str(caught.value)


def test_newtons_law_that_would_gain_energy_stops_the_run_also_among_several_contacts_and_at_the_start() -> None:
    values = (0.8, math.pi / 4, 0.5, -1.0, 0.0, detent.Newton(1))
    both = detent.System("two rods")
    for name in ("1", "2"):
        add_rod(both, name, *values, height=0.1)
    with pytest.raises(detent.SimulationError) as caught:
        detent.simulate(both, until=1, impacts="sequential")
    assert "contact 'tip1|floor'" in str(caught.value)
    assert CANNOT_GAIN in str(caught.value)
    with pytest.raises(detent.DetentError, match="at the start, contact 'tip"):
        detent.simulate(rod(*values[:4], law=detent.Newton(1), g=0.0), until=1)


# -- accumulation -------------------------------------------------------------------------------------


@pytest.mark.parametrize("restitution", [0.2, 0.5, 0.9])
def test_the_lost_time_of_a_ball_is_what_its_bounces_would_have_taken(restitution: float) -> None:
    """Dropped from 1 m, it would rest at sqrt(2/g) (1 + e)/(1 - e); known to rounding of each bounce's time."""
    run = detent.simulate(ball(restitution), until=12)
    (zeno,) = run.events.of_kind("zeno")
    bounces = run.events.of_kind("impact")
    end = math.sqrt(2 / G) * (1 + restitution) / (1 - restitution)
    assert zeno.details["count"] == len(bounces)
    assert zeno.details["accumulates at"] == pytest.approx(end, abs=1e-14 * len(bounces))
    assert zeno.details["lost time is"] == "the sum of its flights"
    speed = float(bounces[-1].details["impulse of ball|floor.normal"]) * restitution / (1 + restitution)
    lost = speed / G * 2 * restitution / (1 - restitution)
    assert zeno.details["lost time"] == pytest.approx(lost, rel=1e-3)  # the speed falls to rounding of the height


def test_the_lost_time_of_a_cluster_is_estimated_and_said_to_be() -> None:
    """A box that lands flat bounces as a ball does, on two corners at once."""
    run = detent.simulate(box(1.0, 0.5, 0.3, 0.5, box_y=1.25), until=3)
    (zeno,) = run.events.of_kind("zeno")
    assert zeno.details["lost time is"] == "estimated from the ratio of its last intervals"
    assert zeno.details["count"] == len(run.events.of_kind("impact"))
    cut_off = float(zeno.details["lost time"])
    # The speeds of the last bounces are known to some thousandth: their flights rise by some roundings of the height.
    assert zeno.details["accumulates at"] == pytest.approx(3 * math.sqrt(2 / G), abs=1e-3 * cut_off)
    last = zeno.time - run.events.of_kind("impact")[-1].time
    assert cut_off == pytest.approx(last, rel=1e-3)  # e/(1 - e) = 1 times the last flight


def test_what_rocks_to_rest_tells_how_much_time_was_cut_off() -> None:
    run = detent.simulate(box(1.0, 0.5, 0.3, 0.5, box_y=0.6, box_angle=0.1), until=3)
    zenos = run.events.of_kind("zeno")
    rests = zenos[-1]
    assert "corner 1: open -> stick" in rests.name
    assert "corner 2: open -> stick" in rests.name
    assert rests.details["lost time is"].startswith("estimated")
    assert 0.0 < float(rests.details["lost time"]) < 1e-5
    assert all(float(zeno.details["count"]) > 0 for zeno in zenos)


def test_a_groove_counts_the_bounces_of_both_faces() -> None:
    run = detent.simulate(groove(math.pi / 4, 0.0, 0.5, disk_y=1.3), until=6)
    rests = run.events.of_kind("zeno")[-1]
    impacts = [event for event in run.events.of_kind("impact") if "bounce" in event.name]
    assert rests.details["count"] == len(impacts) > 10


def test_what_never_bounced_does_not_accumulate() -> None:
    """A ball that rolls over the smooth joint of two pieces of track closes a gap there without any speed."""
    run = detent.example("ramps-and-ground").simulate()
    assert all(float(zeno.details["count"]) > 0 for zeno in run.events.of_kind("zeno"))
    assert not [event.name for event in run.events.of_kind("zeno") if "ramps" in event.name]


# -- Painleve's paradox -------------------------------------------------------------------------------


def boundary(friction: float) -> float:
    """The least angle at which a coefficient leaves a rod that slides no acceleration: 4 + tan^2 = 3 mu tan."""
    return math.atan((3 * friction - math.sqrt(9 * friction**2 - 16)) / 2)


@pytest.mark.parametrize("friction", [1.7, 2.0, 3.0])
def test_a_rod_that_slides_into_the_paradox_comes_to_its_critical_point_and_seizes(friction: float) -> None:
    """Genot and Brogliato (1999): a slide reaches the boundary only where the free acceleration of the tip vanishes.

    That is at angle_rate^2 sin(angle) = 2 g/L. The closer, the larger the force: so the state just before is known less
    well than the motion afterwards, which does not depend on how much of the slip is left when steps end.
    """
    runs = [
        detent.simulate(rod(friction, boundary(friction) - 0.1, -30.0, turn=1.0), until=0.1, rtol=rtol)
        for rtol in (1e-8, 1e-12)
    ]
    for run in runs:
        event = run.events[0]
        assert (event.kind, event.details["coefficient"]) == ("impact", friction)
        assert event.name.startswith("tip|floor: impact without collision, tip|floor: slip -> ")
        assert run.at(event.time).angle == pytest.approx(boundary(friction), abs=1e-9)
        assert run.at(event.time).x_rate == pytest.approx(0.0, abs=1e-6)
        number = int(np.searchsorted(run.time, event.time))
        turning = run.angle_rate[number] ** 2 * math.sin(run.angle[number]) / (2 * G)
        assert turning == pytest.approx(1.0, abs=0.1 if friction > 2.5 else 1e-3)
        assert run.audit.energy_balance < 1e-9
    one, other = (run.final for run in runs)
    assert one.angle_rate == pytest.approx(other.angle_rate, rel=1e-7)
    assert one.x_rate == pytest.approx(other.x_rate, rel=1e-7)


def test_a_rod_seizes_alike_in_both_formulations() -> None:
    system = rod(2.0, boundary(2.0) - 0.1, -30.0, turn=1.0)
    one, other = (detent.simulate(system, until=0.1, formulation=word) for word in ("embedded", "multipliers"))
    assert [event.name for event in one.events] == [event.name for event in other.events]
    assert one.final.angle_rate == pytest.approx(other.final.angle_rate, rel=1e-9)


def test_below_the_critical_coefficient_a_rod_lifts_off_before_the_paradox() -> None:
    """Below 8/(3 sqrt(3)) no slide reaches the boundary (the same source)."""
    friction = 1.5
    assert friction < 8 / (3 * math.sqrt(3))
    for turn in (1.0, 2.0, 3.0):
        run = detent.simulate(rod(friction, boundary(friction) - 0.1, -30.0, turn=turn), until=0.1)
        assert [event.name for event in run.events.of_kind("transition")] == ["tip|floor: slip -> open"]


def test_a_slide_whose_friction_grows_on_the_way_seizes_at_the_least_coefficient_of_its_angle() -> None:
    """It is still pressed down there, so that the force grows without bound, however fast it slides."""
    system = rod(lambda x: 1 - 10 * x, math.atan(2), -20.0)
    run = detent.simulate(system, until=0.05, rtol=1e-10)
    event = run.events[0]
    assert event.name.startswith("tip|floor: impact without collision")
    expected = least_coefficient(run.at(event.time).angle)
    assert event.details["coefficient"] == pytest.approx(expected, rel=1e-6)
    assert run.at(event.time).x_rate == pytest.approx(0.0, abs=1e-6)
    assert float(event.details["energy"]) < 0.0


# -- what is not unique -------------------------------------------------------------------------------


def test_two_possible_motions_are_told_with_the_one_that_was_kept_and_why() -> None:
    """A disk in a wedge of 30 degrees with mu = 1 that is pulled out may leave, or stay jammed."""
    (told,) = detent.simulate(wedge(2.0), until=0.1).events
    assert (told.time, told.kind) == (0.0, "several")
    assert told.name == (
        "more than one motion is possible; kept: no contact; nothing held before: it is the first that was found"
    )
    jammed = detent.simulate(wedge(-2.0, grows=8.0, other=True), until=0.5)  # pushed in first, then pulled
    (told,) = jammed.events.of_kind("several")
    assert told.time == pytest.approx(math.sqrt(2 / G), abs=1e-13)
    assert "kept: disk|left: roll, disk|right: roll, ball|floor: slip; what held before holds on" in told.name
    assert jammed.disk_y[-1] == jammed.disk_y[0]


def _wedges(count: int) -> detent.System:
    """Disks in wedges of 30 degrees with mu = 1, each of which is pulled out and may leave, or stay jammed."""
    system = detent.System("wedges")
    for number in range(count):
        joint = system.planar(f"disk{number}", system.origin, system.ground)
        disk = system.body(f"disk{number}", joint.point, joint.frame, 1, 0.2)
        system.force(f"pull {number}", disk, 2.0 * system.ground.y)
        system.start(**{f"disk{number}_x": 5.0 * number, f"disk{number}_y": 1 / math.sin(math.pi / 12)})
        for side, angle in (("left", -1), ("right", 1)):
            face = system.ground.rotated(f"{side} {number}", angle * (math.pi / 2 - math.pi / 12))
            line = face.line(at=system.origin.offset(f"foot {side} {number}", 5.0 * number * system.ground.x))
            system.contact(f"disk{number}|{side}", disk.circle(1), line, friction=detent.Coulomb(1.0))
    return system


def test_several_motions_are_told_of_up_to_four_contacts_in_the_plane() -> None:
    assert len(detent.simulate(_wedges(2), until=0.05).events.of_kind("several")) == 1
    assert len(detent.simulate(_wedges(3), until=0.05).events.of_kind("several")) == 0  # it would take long


def test_several_motions_are_told_of_two_contacts_in_space() -> None:
    """A ball between two planes that meet at 30 degrees, with mu = 1: pulled out it may leave, or stay jammed."""
    system = detent.System("ball in a wedge")
    joint = system.free("ball", system.origin, system.ground)
    ball = system.body("ball", joint.point, joint.frame, 1, (0.4, 0.4, 0.4))
    system.force("pull", ball, 2.0 * system.ground.z)
    system.start(ball_z=1 / math.sin(math.pi / 12))
    for side, angle in (("left", 1), ("right", -1)):
        face = system.ground.rotated(side, angle * (math.pi / 2 - math.pi / 12), "x")
        system.contact(f"ball|{side}", ball.sphere(1), face.plane(), friction=detent.Coulomb(1.0))
    (told,) = detent.simulate(system, until=0.05).events.of_kind("several")
    assert told.time == 0.0
    assert "more than one motion is possible" in told.name


def test_no_solution_several_forces_not_unique_and_not_converged_are_four_words() -> None:
    """The first is resolved by an impact without collision where that leads out of it, and said if it does not."""
    seized = detent.simulate(rod(2.0, math.atan(2), -1.0), until=0.01).events[0]
    assert (seized.kind, "at the start, tip|floor: impact without collision" in seized.name) == ("impact", True)
    several = detent.simulate(wedge(2.0), until=0.1).events
    assert [(event.kind, "more than one motion is possible" in event.name) for event in several] == [("several", True)]
    shared = detent.simulate(box(1.0, 0.5, 0.3), until=0.1).events
    assert [(event.kind, "are not unique" in event.name) for event in shared] == [("shared", True)]
    automaton = automaton_of_contacts(ball(0.5))
    assert automaton is not None
    record = SimpleNamespace(record=np.zeros(1, dtype=SETTLED))
    none, lost = (
        why_not_settled(automaton, "", record, each) for each in (Unsettled.NO_STATUS, Unsettled.NOT_CONVERGED)
    )
    assert "contact 'ball|floor': no motion satisfies its friction (Painleve's paradox)" in str(none)
    assert "not converged: what the contacts do could not be found (residual 0)" in str(lost)


def test_what_has_one_motion_only_is_not_told_to_have_several() -> None:
    for system in (ball(0.5), block(detent.Coulomb(0.3), 0.2, 1.0), box(1.0, 0.5, 0.3, 0.0, box_y=0.6), wedge(-2.0)):
        assert len(detent.simulate(system, until=1).events.of_kind("several")) == 0


# -- the start ----------------------------------------------------------------------------------------


def test_a_collision_at_the_start_is_an_event_there() -> None:
    thrown = ball(0.5, height=0.0)
    thrown.start(y_rate=-2.0)
    run = detent.simulate(thrown, until=0.1)
    (event,) = run.events
    assert (event.time, event.kind, event.name) == (0.0, "impact", "at the start, ball|floor: bounce")
    assert event.details["impulse of ball|floor.normal"] == pytest.approx(3.0, abs=1e-14)
    assert event.details["energy"] == pytest.approx(-1.5, abs=1e-14)
    assert run.y_rate[0] == pytest.approx(1.0, abs=1e-15)


def test_a_plastic_collision_at_the_start_tells_what_the_contacts_do_then() -> None:
    run = detent.simulate(box(1.0, 0.5, 0.3, box_y_rate=-1.0), until=0.1)
    first = run.events[0]
    assert first.name == "at the start, box|slope corner 1: open -> stick, box|slope corner 2: open -> stick"
    assert first.details["energy"] == pytest.approx(-0.5, abs=1e-14)


def test_a_start_at_rest_in_contact_is_no_event() -> None:
    assert len(detent.simulate(block(detent.Coulomb(0.3), 0.2), until=0.1).events) == 0
