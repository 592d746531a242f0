"""Automata whose modes say which contacts count, and whose guards, conditions and loads know what contacts do."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from sympy import Eq, Ne, Piecewise

import detent
from detent import ContactStatus
from tests.physics.contact_scenes import G, ball, block, box


def names(run: detent.Run) -> list[str]:
    return [event.name for event in run.events if event.kind in ("transition", "impact")]


def gripper(force: float, friction: float = 0.5) -> detent.Automaton:
    """A block between a wall and a jaw that presses it; at t = 0.5 they let it go."""
    system = detent.System("gripper")
    x, y, reach = system.coordinates("x", "y", "reach")
    ground = system.ground
    held = system.particle("block", system.origin.offset("block", x * ground.x + y * ground.y), 1)
    jaw = system.particle("jaw", system.origin.offset("jaw", reach * ground.x), 0.5)
    system.gravity(-G * ground.y)
    system.force("squeeze", jaw, -force * ground.x)
    system.contact("block|wall", held.point(), ground.line(along="-y"), friction=detent.Coulomb(friction))
    system.contact("block|jaw", held.point(), jaw.line(along="y"), friction=detent.Coulomb(friction))
    automaton = detent.Automaton(system)
    automaton.transition("opens", automaton.mode("hold"), automaton.mode("open", contacts=[]), when=system.time >= 0.5)
    return automaton


def test_a_gripper_holds_by_friction_and_lets_go_where_its_contacts_do_not_count() -> None:
    run = detent.simulate(gripper(force=15.0), until=1.0)
    np.testing.assert_array_equal(run.y[run.time < 0.5], 0.0)
    assert names(run) == ["opens"]
    assert run.y[-1] == pytest.approx(-G * 0.5**2 / 2, rel=1e-12)
    assert run.reach[-1] == pytest.approx(-15.0 / 0.5 * 0.5**2 / 2, rel=1e-12)
    assert run.contacts["block|jaw"].status[-1] == ContactStatus.OFF


def test_a_gripper_that_presses_too_little_lets_slip_by_what_friction_leaves() -> None:
    run = detent.simulate(gripper(force=6.0), until=0.5)
    assert run.y[-1] == pytest.approx(-(G - 2 * 0.5 * 6.0) * 0.5**2 / 2, rel=1e-12)


def latch() -> detent.Automaton:
    """A bolt that flies at a wall, where a magnet draws it, until t = 1."""
    system = detent.System("latch")
    x = system.coordinates(x=0.0)
    bolt = system.particle("bolt", system.origin.offset("bolt", x * system.ground.x), 1)
    system.spring("spring", x, 4.0)
    system.force("magnet", bolt, 10.0 * system.ground.x, active=False)
    system.start(x_rate=3.0)
    system.contact("bolt|wall", bolt.point(), system.ground.line(at=(0.5, 0), along="y"))
    automaton = detent.Automaton(system)
    free, held = automaton.mode("free"), automaton.mode("held", loads=["magnet"])
    automaton.transition("catches", free, held, when=x >= 0.5 - 1e-3)
    automaton.transition("lets go", held, free, when=system.time >= 1)
    return automaton


def test_a_latch_holds_a_bolt_against_its_spring_and_lets_it_go() -> None:
    """The bolt rests at the wall, pressed by the magnet less the spring; then it swings as a spring lets it."""
    run = detent.simulate(latch(), until=1.5)
    at_rest = (run.time > 0.3) & (run.time < 1)
    np.testing.assert_allclose(run.x[at_rest], 0.5, rtol=0, atol=1e-15)
    np.testing.assert_allclose(run.contacts["bolt|wall"].normal[at_rest], 10.0 - 4.0 * 0.5, rtol=1e-12)
    assert run.x[-1] == pytest.approx(0.5 * math.cos(2 * 0.5), rel=1e-10)
    assert names(run)[-1] == "lets go, bolt|wall: slip -> open"


def catching_block(friction: float, speed: float) -> detent.Automaton:
    """A block that slides on a floor; once it sticks it is lifted."""
    system = block(detent.Coulomb(friction), 0.0, speed)
    status = system.contact_status("block|slope")
    system.force("lift", system.bodies["block"], 2 * G * system.ground.y, active=False)
    automaton = detent.Automaton(system)
    slides, lifted = automaton.mode("slides"), automaton.mode("lifted", loads=["lift"])
    automaton.transition("comes to rest", slides, lifted, when=Eq(status, ContactStatus.STICK))
    return automaton


def test_a_guard_on_a_status_fires_at_the_instant_at_which_the_contact_comes_to_it() -> None:
    friction, speed = 0.4, 3.0
    run = detent.simulate(catching_block(friction, speed), until=1.5)
    stops = speed / (friction * G)
    assert names(run) == ["block|slope: slip -> stick", "comes to rest, block|slope: stick -> open"]
    assert [event.time for event in run.events.of_kind("transition")] == pytest.approx([stops, stops], abs=1e-13)
    assert run.x[-1] == pytest.approx(speed**2 / (2 * friction * G), rel=1e-12)
    assert run.y[-1] == pytest.approx(G * (1.5 - stops) ** 2 / 2, rel=1e-12)


@pytest.mark.parametrize(
    ("relation", "fires"),
    [
        (lambda s: s >= ContactStatus.SLIP, True),
        (lambda s: s > ContactStatus.OPEN, True),
        (lambda s: s > 0.5, True),
        (lambda s: Ne(s, 0), True),
        (lambda s: Eq(s, ContactStatus.SLIP), True),
        (lambda s: Eq(s, ContactStatus.STICK), False),
        (lambda s: s > ContactStatus.SLIP, False),
        (lambda s: s <= ContactStatus.OPEN, False),
    ],
)
def test_every_relation_of_a_status_becomes_true_where_it_says(relation: Any, fires: bool) -> None:
    """The ball comes to rest on the floor, which without friction is slipping, and does so once."""
    system = ball(0.0)
    automaton = detent.Automaton(system)
    here, there = automaton.mode("here"), automaton.mode("there")
    automaton.transition("goes", here, there, when=relation(system.contact_status("ball|floor")))
    run = detent.simulate(automaton, until=1)
    taken = [event.time for event in run.events if event.name == "goes"]
    assert taken == pytest.approx([math.sqrt(2 / G)] if fires else [], abs=1e-14)


def test_a_condition_on_a_status_decides_which_transition_is_taken() -> None:
    for height, expected in ((1.0, "in the air"), (0.0, "on the floor")):
        system = ball(0.0, height=height)
        status = system.contact_status("ball|floor")
        automaton = detent.Automaton(system)
        begin, air, floor = (automaton.mode(name) for name in ("begin", "in the air", "on the floor"))
        automaton.transition("a", begin, air, when=system.time >= 0.1, condition_before=Eq(status, ContactStatus.OPEN))
        automaton.transition("b", begin, floor, when=system.time >= 0.1, condition_before=status >= ContactStatus.SLIP)
        run = detent.simulate(automaton, until=0.2)
        assert run.mode.split(",")[0] == expected


def test_a_load_that_knows_a_status_acts_while_the_contact_has_it() -> None:
    system = ball(0.0)
    status = system.contact_status("ball|floor")
    wind = Piecewise((2.0, Eq(status, ContactStatus.OPEN)), (0.0, True))
    system.force("wind", system.bodies["ball"], wind * system.ground.x)
    run = detent.simulate(system, until=1)
    lands = math.sqrt(2 / G)
    assert run.x_rate[-1] == pytest.approx(2 * lands, rel=1e-13)
    assert run.x[-1] == pytest.approx(lands**2 + 2 * lands * (1 - lands), rel=1e-13)
    assert abs(run.audit.energy_balance) < 1e-12


BODY, FOOT, STIFFNESS, LENGTH = 2.0, 0.5, 400.0, 0.5


def hopper(height: float, thrust: float) -> detent.Automaton:
    """A body on a springy leg with a foot; in stance it thrusts."""
    system = detent.System("hopper")
    y, foot = system.coordinates(y=height + LENGTH, foot=height)
    ground = system.ground
    body = system.particle("body", system.origin.offset("body", y * ground.y), BODY)
    low = system.particle("foot", system.origin.offset("foot", foot * ground.y), FOOT)
    system.gravity(-G * ground.y)
    system.spring("leg", y - foot, STIFFNESS, LENGTH)
    system.force("thrust", body, thrust * ground.y, reaction=low, active=False)
    system.contact("foot|floor", low.point(), ground.line())
    status = system.contact_status("foot|floor")
    automaton = detent.Automaton(system)
    flight, stance = automaton.mode("flight"), automaton.mode("stance", loads=["thrust"])
    automaton.transition("touches down", flight, stance, when=status >= ContactStatus.SLIP)
    automaton.transition("lifts off", stance, flight, when=status <= ContactStatus.OPEN)
    return automaton


def test_a_hopper_lands_and_lifts_off_at_its_closed_form_times() -> None:
    """In stance y'' = -k/m (y - L) - g + T/m; the foot lifts where the leg pulls with its weight and the thrust."""
    height, thrust = 0.2, 8.0
    run = detent.simulate(hopper(height, thrust), until=0.7)
    lands, speed, rate = math.sqrt(2 * height / G), math.sqrt(2 * height * G), math.sqrt(STIFFNESS / BODY)
    above, sideways = (BODY * G - thrust) / STIFFNESS, -speed / rate
    size, phase = math.hypot(above, sideways), math.atan2(sideways, above)
    lasts = (2 * math.pi + phase - math.acos((BODY + FOOT) * G / STIFFNESS / size)) / rate
    assert names(run) == ["foot|floor: open -> slip", "touches down", "foot|floor: slip -> open", "lifts off"]
    expected = [lands, lands, lands + lasts, lands + lasts]
    assert [e.time for e in run.events if e.kind in ("impact", "transition")] == pytest.approx(expected, abs=1e-10)
    lasting = [visit.mode.split(",")[0] for visit in run.modes if visit.end > visit.start]
    assert lasting == ["flight", "stance", "flight"]
    assert run.events.of_kind("remark") == []
    assert abs(run.audit.energy_balance) < 1e-9  # the tolerance of the integration


def test_a_contact_that_a_mode_enables_where_shapes_touch_strikes_at_once() -> None:
    """A ball passes the floor's height at some speed just when the floor begins to count there."""
    system = ball(0.5)
    y = system["y"]
    automaton = detent.Automaton(system)
    through, caught = automaton.mode("through", contacts=[]), automaton.mode("caught", contacts=["ball|floor"])
    automaton.transition("counts", through, caught, when=y <= 0)
    run = detent.simulate(automaton, until=0.6)
    lands = math.sqrt(2 / G)
    after = 0.5 * math.sqrt(2 * G)
    assert names(run)[0] == "counts"
    assert run.y_rate[-1] == pytest.approx(after - G * (0.6 - lands), rel=1e-12)


def test_a_contact_that_a_mode_enables_where_shapes_overlap_is_refused_with_pair_and_depth() -> None:
    system = ball(0.5)
    automaton = detent.Automaton(system)
    through, caught = automaton.mode("through", contacts=[]), automaton.mode("caught", contacts=["ball|floor"])
    automaton.transition("counts", through, caught, when=system.time >= 0.5)
    with pytest.raises(detent.SimulationError) as caught_error:
        detent.simulate(automaton, until=1)
    depth = G * 0.5**2 / 2 - 1
    assert f"contact 'ball|floor': its shapes overlap by {depth:.6g} m" in str(caught_error.value)
    assert "'counts'" in str(caught_error.value)


def caught_disk(friction: float, at: float, height: float = 0.0) -> detent.Automaton:
    """A disk of 2 kg that a mode holds from a time on, by an impact."""
    system = detent.System("caught disk")
    joint = system.planar("disk", system.origin, system.ground)
    body = system.body("disk", joint.point, joint.frame, 2, 0.3)
    system.gravity(-G * system.ground.y)
    system.start(disk_y=0.5 + height, disk_x_rate=3, disk_angle_rate=-2)
    law = detent.Coulomb(friction) if friction else None
    system.contact("disk|floor", body.circle(0.5), system.ground.line(), friction=law)
    system.constrain(detent.motion("held", system["disk_x_rate"]), active=False)
    automaton = detent.Automaton(system)
    free, held = automaton.mode("free"), automaton.mode("held", ["held"])
    automaton.transition("caught", free, held, when=system.time >= at, reset=detent.Impact())
    return automaton


@pytest.mark.parametrize(
    ("friction", "at", "height", "expected"),
    [
        (0.8, 1.0, 0.0, "roll"),
        (0.1, 0.2, 0.0, "slip"),
        (0.0, 0.1, 0.0, "slip"),
        (0.5, 0.1, 1.0, "open"),
    ],
)
def test_an_impact_is_against_the_contacts_that_are_closed(
    friction: float, at: float, height: float, expected: str
) -> None:
    """What rolls is stopped with its turning: m v + I w/r; what slips, or flies, goes on turning."""
    run = detent.simulate(caught_disk(friction, at, height), until=at + 0.1)
    (event,) = (event for event in run.events if event.name == "caught")
    statuses = {"roll": ContactStatus.STICK, "slip": ContactStatus.SLIP, "open": ContactStatus.OPEN}
    assert run.contacts["disk|floor"].status[run.time < at][-1] == statuses[expected]
    before = int(np.searchsorted(run.time, at))
    v, w = run.disk_x_rate[before], run.disk_angle_rate[before]
    turning = 0.3 * w / 0.5 if expected == "roll" else 0.0
    assert event.details["impulse of held"] == pytest.approx(-2 * v + turning, rel=1e-12)
    assert event.details.get("impulse of disk|floor.friction", 0.0) == pytest.approx(-turning, rel=1e-12)
    assert event.details["impulse of disk|floor.normal"] == 0.0
    assert run.disk_angle_rate[before + 1] == pytest.approx(0.0 if expected == "roll" else w, abs=1e-12)
    assert run.disk_x_rate[-1] == 0.0


def test_an_impact_with_friction_strikes_only_where_no_contact_is_closed() -> None:
    """Before the wall it strikes as its law says; at the wall, which holds it, the run says that it cannot."""

    def simulated(x_rate: float) -> detent.Run:
        system = ball(0.0)
        y, ground = system["y"], system.ground
        system.contact("ball|wall", system.bodies["ball"].point(), ground.line(at=(0.2, 0), along="y"))
        system.constrain(detent.holonomic("shelf", y - 0.5), active=False)
        system.constrain(detent.motion("along", system["x_rate"]), active=False)
        system.force("push", system.bodies["ball"], x_rate * ground.x)
        system.start(x_rate=x_rate)
        automaton = detent.Automaton(system)
        falls = automaton.mode("falls")
        law = detent.FrictionImpact("shelf", "along", law=detent.Poisson(0.5), friction=detent.Coulomb(0.1))
        automaton.transition("strikes", falls, falls, when=y <= 0.5, reset=law)
        return detent.simulate(automaton, until=0.4)

    run, speed = simulated(-1.0), math.sqrt(G)
    (event,) = run.events.of_kind("impact")
    assert event.details["impulse of shelf"] == pytest.approx(1.5 * speed, rel=1e-12)
    assert event.details["impulse of along"] == pytest.approx(0.1 * 1.5 * speed, rel=1e-12)
    with pytest.raises(detent.DetentError, match=r"'ball\|wall' holds where its impact with friction strikes"):
        simulated(2.0)


def test_a_reaction_that_contacts_share_is_not_one_that_a_guard_may_speak_of() -> None:
    """Guards of a mode in which forces are unique may; the slack of those that are shared is nobody's to ask for."""
    system = box(1.0, 0.5, 0.4)
    automaton = detent.Automaton(system)
    lies, flies = automaton.mode("lies"), automaton.mode("flies")
    automaton.transition("pressed", lies, flies, when=system.reaction("box|slope corner 1.normal") >= 20)
    with pytest.raises(detent.DetentError, match="so that its reaction is not unique"):
        detent.simulate(automaton, until=0.1)
    system.start(box_y=0.6)
    with pytest.raises(detent.DetentError, match="so that its reaction is not unique"):
        detent.simulate(automaton, until=1.0)
    other = detent.Automaton(system)
    here, there = other.mode("here"), other.mode("there")
    other.transition("slack", here, there, when=system.reaction("contacts.slack") >= 1)
    with pytest.raises(detent.UnknownNameError, match="there is no row of a constraint with a reaction"):
        detent.simulate(other, until=0.1)


def test_modes_and_transitions_are_added_while_contacts_hold() -> None:
    simulation = detent.Simulation(gripper(force=15.0), embedding="symbolic")
    simulation.advance(0.2)
    automaton = simulation.automaton
    assert automaton is not None
    assert automaton.name == "gripper"
    half = automaton.mode("half", contacts=["block|wall"])
    automaton.transition("jaw breaks", automaton.modes["hold"], half, when=simulation.system.time >= 0.3)
    simulation.advance(0.5)
    run = simulation.result()
    assert names(run)[0].startswith("jaw breaks")
    assert run.mode.split(",")[0] == "half"
    assert run.y[-1] == pytest.approx(-G * 0.2**2 / 2, rel=1e-11)


def test_a_system_with_contacts_has_no_automaton_to_add_to() -> None:
    assert detent.Simulation(ball(0.5)).automaton is None


MESSAGES: list[tuple[Any, list[str]]] = [
    (lambda a: a.mode("x", contacts=["ball|flor"]), ["contact (mode 'x')", "ball|flor", "ball|floor"]),
    (lambda a: a.mode("x", contacts="floor"), ["contact (mode 'x')", "'floor'", "ball|floor"]),
    (lambda a: a.mode("x", contacts=[3]), ["contact (mode 'x')", "'3'", "ball|floor"]),
    (lambda a: a.system.contact_status("ball|wall"), ["no contact named 'ball|wall'", "ball|floor"]),
    (lambda a: a.transition("x", "on", "on", when=Eq(a.system["y"], 1)), ["transition 'x'", "use <, <=, > or >="]),
    (
        lambda a: (
            a.transition("x", "on", "on", when=a.system["y"] <= 0, accumulates="on"), detent.simulate(a, until=1)
        ),
        ["transition 'x' of an automaton with contacts has accumulates=", "leave them out"],
    ),
]  # fmt: skip


@pytest.mark.parametrize("number", range(len(MESSAGES)))
def test_mistakes_with_contacts_of_automata_are_named(number: int) -> None:
    mistake, expected = MESSAGES[number]
    automaton = detent.Automaton(ball(0.5))
    automaton.mode("on")
    with pytest.raises(detent.DetentError) as caught:
        mistake(automaton)
    for words in expected:
        assert words in str(caught.value)


def dropped_beside(restitution: float) -> detent.Automaton:
    """A block that slides with a contact, and beside it a weight that falls onto what is declared as a floor."""
    system = block(detent.Coulomb(0.2), 0.0, speed=1.0)
    height = system.coordinates(height=0.5)
    system.particle("weight", system.origin.offset("weight", height * system.ground.y), 1)
    floor = system.constrain(detent.holonomic("floor", height), active=False)
    automaton = detent.Automaton(system)
    falls = automaton.mode("falls")
    automaton.transition("bounce", falls, falls, when=height <= 0, reset=detent.Impact(floor, restitution=restitution))
    return automaton


@pytest.mark.parametrize(("restitution", "flights", "told"), [(0.0, 1, "at the first of them"), (0.5, 3, "after 47")])
def test_declared_impacts_that_nothing_ends_are_told_with_what_can_be_done(
    restitution: float, flights: float, told: str
) -> None:
    with pytest.raises(detent.SimulationError) as caught:
        detent.simulate(dropped_beside(restitution), until=2)
    assert caught.value.run.time[-1] == pytest.approx(flights * math.sqrt(2 * 0.5 / G), abs=1e-12)
    assert f"the transitions 'bounce' accumulate ({told}" in str(caught.value)
    assert "let a transition lead to a mode that holds the body there, or give the body a contact" in str(caught.value)
    assert "accumulates=" not in str(caught.value)


def test_an_impact_may_lead_to_a_mode_that_watches_the_same_status() -> None:
    """A status stands where it jumped to: no impact leaves it at zero."""
    system = block(detent.Coulomb(0.2), 0.0, speed=1.0)
    system.constrain(detent.motion("held", system["x_rate"]), active=False)
    sticks = Eq(system.contact_status("block|slope"), ContactStatus.STICK)
    automaton = detent.Automaton(system)
    slides, held = automaton.mode("slides"), automaton.mode("held", ["held"])
    automaton.transition("catch", slides, held, when=sticks, reset=detent.Impact())
    automaton.transition("again", held, slides, when=sticks)
    run = detent.simulate(automaton, until=1)
    assert [event.name for event in run.events if event.kind != "shared"] == ["block|slope: slip -> stick", "catch"]
    assert run.events.times[0] == pytest.approx(1 / (0.2 * G), abs=1e-12)
