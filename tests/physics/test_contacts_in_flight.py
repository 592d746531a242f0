"""Contacts that come, change and go during a run: as if the model had had them, in the modes of an automaton."""

from __future__ import annotations

import gc
import math
import threading
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import detent
from detent import ContactStatus
from tests.physics.contact_scenes import G, ball, block, box, groove


def names(run: detent.Run) -> list[str]:
    return [event.name for event in run.events if event.kind in ("transition", "impact", "zeno")]


def disk(**start: float) -> tuple[detent.System, detent.Body]:
    """A disk of radius 1/2 over a floor that does not count yet."""
    system = detent.System("disk")
    joint = system.planar("disk", system.origin, system.ground)
    body = system.body("disk", joint.point, joint.frame, 1, 1 / 8)
    system.gravity(-G * system.ground.y)
    system.start(**start)
    return system, body


FLOOR: dict[str, Any] = {"friction": detent.Coulomb(0.3), "impact": detent.Poisson(0.4)}
WALL: dict[str, Any] = {"friction": detent.Coulomb(0.2), "impact": detent.Poisson(0.7)}
START = {"disk_y": 1.0, "disk_x_rate": 2.0, "disk_angle_rate": 1.0}


def by_automaton(method: Any, until: float) -> detent.Run:
    """The floor counts from t = 0.1 on, a wall from t = 0.9 on, the floor no more from t = 1.6 on."""
    system, body = disk(**START)
    system.contact("disk|floor", body.circle(0.5), system.ground.line(), **FLOOR)
    system.contact("disk|wall", body.circle(0.5), system.ground.line(at=(3, 0), along="y"), **WALL)
    automaton = detent.Automaton(system)
    free, one = automaton.mode("free", contacts=[]), automaton.mode("one", contacts=["disk|floor"])
    two = automaton.mode("two", contacts=["disk|floor", "disk|wall"])
    off = automaton.mode("off", contacts=["disk|wall"])
    for name, source, target, when in (("a", free, one, 0.1), ("b", one, two, 0.9), ("c", two, off, 1.6)):
        automaton.transition(name, source, target, when=system.time >= when)
    return detent.simulate(automaton, until=until, **method)


def in_flight(method: Any, until: float) -> detent.Run:
    """The same, steered from outside."""
    system, body = disk(**START)
    simulation = detent.Simulation(system, **method)
    simulation.advance(0.1)
    simulation.contact("disk|floor", body.circle(0.5), system.ground.line(), **FLOOR)
    simulation.advance(0.9)
    simulation.contact("disk|wall", body.circle(0.5), system.ground.line(at=(3, 0), along="y"), **WALL)
    simulation.advance(1.6)
    simulation.release("disk|floor")
    simulation.advance(until)
    return simulation.result()


@pytest.mark.parametrize(
    "method",
    [{"method": "rk4", "step": 1e-2, "embedding": "symbolic"}, {"rtol": 1e-11, "embedding": "numeric"},
     {"rtol": 1e-11, "embedding": "live"}],
)  # fmt: skip
def test_contacts_in_flight_do_what_an_automaton_that_enables_them_does(method: Any) -> None:
    run, expected = in_flight(method, 2.0), by_automaton(method, 2.0)
    np.testing.assert_allclose(run.trajectory.state[-1], expected.trajectory.state[-1], rtol=0, atol=1e-12)
    happened, same = run.events.of_kind("impact"), expected.events.of_kind("impact")
    assert [event.name for event in happened] == [event.name for event in same]
    # An instant is known as well as the rounding of the gap, by the speed at which it closes after a flight of dt.
    flight = np.diff(same.times, prepend=0.0)
    assert (np.abs(happened.times - same.times) <= 1e-12 + 4e-16 / (G * flight / 2)).all()
    for quantity in ("gap", "normal", "friction", "slip"):
        for name in ("disk|floor", "disk|wall"):
            mine, its = (getattr(each.contacts[name], quantity)[-1] for each in (run, expected))
            if name == "disk|wall":
                assert mine == pytest.approx(its, abs=1e-11)
    assert abs(run.audit.energy_balance) < 1e-10
    assert run.audit.smallest_gap is not None
    assert run.audit.smallest_gap > -1e-12


def test_a_run_with_contacts_in_flight_is_one_run(tmp_path: Path) -> None:
    run = in_flight({"rtol": 1e-11}, 2.0)
    assert (np.diff(run.time) >= 0).all()
    assert run.start["disk_y"] == 1.0
    status = run.contacts["disk|floor"].status
    assert set(status[run.time < 0.1]) == {ContactStatus.OFF}
    assert set(status[run.time > 1.6]) == {ContactStatus.OFF}
    assert ContactStatus.SLIP in status or ContactStatus.STICK in status
    assert run.at(0.05).disk_y == pytest.approx(1 - G * 0.05**2 / 2, abs=1e-12)
    assert [event.name for event in run.events if event.name.startswith(("contact", "release"))] == [
        "contact disk|floor", "contact disk|wall", "release disk|floor",
    ]  # fmt: skip
    run.save(tmp_path / "run.nc")
    again = detent.load(tmp_path / "run.nc")
    np.testing.assert_array_equal(again.contacts["disk|wall"].gap, run.contacts["disk|wall"].gap)


def test_a_floor_that_comes_under_a_disk_where_it_touches_strikes_at_once() -> None:
    system, body = disk(disk_y=1.5)
    simulation = detent.Simulation(system, embedding="symbolic")
    simulation.advance(math.sqrt(2 / G))
    simulation.contact("disk|floor", body.circle(0.5), system.ground.line(), impact=detent.Poisson(0.5))
    assert simulation.state.disk_y_rate == pytest.approx(0.5 * math.sqrt(2 * G), rel=1e-12)
    assert simulation.events[-1].details["energy"] == pytest.approx(-0.75 * G, rel=1e-12)
    simulation.advance(0.6)
    assert abs(simulation.result().audit.energy_balance) < 1e-12


def test_a_shelf_is_released_and_then_the_floor() -> None:
    system = ball(0.0)
    body = system.bodies["ball"]
    system.contact("ball|shelf", body.point(), system.ground.line(at=(0, 1)))
    simulation = detent.Simulation(system)
    simulation.advance(0.5)
    assert simulation.mode == "ball|shelf: slip"
    simulation.release("ball|shelf")
    simulation.advance(0.7)
    assert simulation.state.y == pytest.approx(1 - G * 0.2**2 / 2, rel=1e-12)
    simulation.release(simulation.system.contacts["ball|floor"])
    simulation.advance(1.2)
    assert simulation.state.y == pytest.approx(1 - G * 0.7**2 / 2, rel=1e-12)
    assert simulation.state.y < 0
    assert names(simulation.result()) == ["release ball|shelf", "release ball|floor"]


def test_a_contact_that_is_declared_as_off_is_enabled_by_its_name() -> None:
    system, body = disk(disk_y=1.5)
    system.contact("disk|floor", body.circle(0.5), system.ground.line(), enabled=False)
    simulation = detent.Simulation(system)
    simulation.advance(0.1)
    simulation.contact("disk|floor", impact=detent.Poisson(0.5))
    simulation.advance(0.5)
    assert names(simulation.result()) == ["contact disk|floor", "disk|floor: bounce"]


def test_laws_change_in_flight() -> None:
    """A block slides with one coefficient, then with another, then rests."""
    simulation = detent.Simulation(block(detent.Coulomb(0.2), 0.0, speed=3.0), embedding="symbolic")
    simulation.advance(0.5)
    simulation.contact("block|slope", friction=detent.Coulomb(0.5))
    speed = 3.0 - 0.2 * G * 0.5
    assert simulation.state.x_rate == pytest.approx(speed, rel=1e-13)
    simulation.advance(2)
    run = simulation.result()
    assert names(run) == ["laws of block|slope", "block|slope: slip -> stick"]
    assert run.events[-1].time == pytest.approx(0.5 + speed / (0.5 * G), abs=1e-12)
    simulation.contact("block|slope", friction=None)
    assert simulation.mode == "block|slope: slip"


def test_a_constraint_is_imposed_and_released_while_contacts_hold() -> None:
    """A block that slides is stopped by a brake, on a slope, and slides again."""
    tilt = 0.5
    system = block(detent.Coulomb(0.1), tilt, speed=-1.0)
    simulation = detent.Simulation(system, embedding="symbolic")
    simulation.advance(0.2)
    simulation.constrain("brake", system["x"] - simulation.value(system["x"]))
    assert simulation.state.x_rate == 0.0
    where = simulation.state.x
    simulation.advance(0.5)
    assert simulation.state.x == pytest.approx(where, abs=1e-15)
    assert "brake" in simulation.active
    simulation.release("brake")
    simulation.advance(1.0)
    pull = G * (math.sin(tilt) - 0.1 * math.cos(tilt))
    assert simulation.state.x == pytest.approx(where - pull * 0.5**2 / 2, rel=1e-12)
    assert abs(simulation.result().audit.energy_balance) < 1e-12


def test_contacts_come_while_others_share_their_forces() -> None:
    """A box slides on its face against a stop that is put in its way."""
    system = box(1.0, 0.5, 0.3, box_x_rate=2.0)
    simulation = detent.Simulation(system, embedding="symbolic")
    simulation.advance(0.1)
    body = system.bodies["box"]
    simulation.contact("box|stop", body.point((0.5, 0.0)), system.ground.line(at=(0.8, 0), along="y"))
    simulation.advance(1.0)
    strikes = (2.0 - math.sqrt(4.0 - 2 * 0.3 * G * 0.3)) / (0.3 * G)
    assert simulation.result().events.of_kind("impact")[0].time == pytest.approx(strikes, abs=1e-10)
    assert simulation.state.box_x == pytest.approx(0.3, abs=1e-12)


def test_an_automaton_goes_on_with_its_guards_where_a_contact_comes() -> None:
    system, body = disk(**START)
    automaton = detent.Automaton(system)
    calm, windy = automaton.mode("calm"), automaton.mode("windy")
    automaton.transition("wind", calm, windy, when=system.time >= 0.5)
    simulation = detent.Simulation(automaton, embedding="symbolic")
    simulation.advance(0.2)
    simulation.contact("disk|floor", body.circle(0.5), system.ground.line(), **FLOOR)
    simulation.advance(0.6)
    assert [event.time for event in simulation.events if event.name.startswith("wind")] == [0.5]
    assert simulation.mode.startswith("windy")
    later = automaton.mode("later")
    automaton.transition("late", windy, later, when=system.time >= 0.7)
    simulation.advance(0.8)
    assert simulation.mode.startswith("later")


def test_a_run_with_a_contact_in_flight_goes_on_from_a_checkpoint(tmp_path: Path) -> None:
    system, body = disk(**START)
    whole = detent.Simulation(system, method="rk4", step=1e-2, embedding="symbolic")
    whole.advance(0.1)
    whole.contact("disk|floor", body.circle(0.5), system.ground.line(), **FLOOR)
    whole.advance(0.5)
    whole.checkpoint(tmp_path / "at.json")
    rest = detent.resume(whole.system, tmp_path / "at.json")
    for simulation in (whole, rest):
        simulation.advance(2)
    assert rest.state.values.tolist() == whole.state.values.tolist()


def test_inputs_and_discrete_states_stay_what_they_are() -> None:
    system, body = disk(**START)
    push, count = system.input("push", 0.0), system.discrete("count", 3.0)
    system.force("push", body, push * count * system.ground.x)
    simulation = detent.Simulation(system, inputs={"push": detent.Held([0.0, 0.05, 0.3], [0.0, 2.0, 0.0])})
    simulation.advance(0.1)
    simulation.contact("disk|floor", body.circle(0.5), system.ground.line())
    simulation.advance(0.3)
    assert simulation.state.disk_x_rate == pytest.approx(2.0 + 6.0 * 0.25, rel=1e-12)


def test_cycles_of_contacts_that_come_and_go_keep_nothing_of_those_that_went() -> None:
    system, body = disk(disk_y=5.0)
    simulation = detent.Simulation(system, keep=0.05)
    models: list[weakref.ref[Any]] = []
    for cycle in range(12):
        name = f"disk|floor {cycle}"
        simulation.contact(name, body.circle(0.5), system.ground.line())
        models.append(weakref.ref(simulation.system))
        simulation.advance(simulation.time + 0.02)
        simulation.release(name)
        simulation.advance(simulation.time + 0.02)
        assert len(simulation.system.contacts) == 1
    gc.collect()
    assert sum(model() is not None for model in models) <= 2
    assert len(simulation._past) <= 4
    assert simulation.state.disk_y == pytest.approx(5.0 - G * simulation.time**2 / 2, rel=1e-12)


MISTAKES: list[tuple[Callable[[detent.Simulation, detent.Body], Any], list[str]]] = [
    (lambda s, b: s.contact("disk|floor", b.circle(0.5), s.system.ground.line(at=(0, 0.7))),
     ["at t = 0, contact 'disk|floor': its shapes overlap by 0.2 m"]),
    (lambda s, b: s.contact("disk|floor"), ["no contact (give shapes to add one) named 'disk|floor'"]),
    (lambda s, b: s.contact(" ", b.circle(1), b.circle(1)), ["a contact is named ' '"]),
    (lambda s, b: s.contact("x", b.circle(1), None), ["contact 'x'", "a shape was expected"]),
    (lambda s, b: s.contact("x", b.circle(0.5), detent.System("other").ground.line()), ["of two systems"]),
    (lambda s, b: s.contact("x", b.circle(0.5), s.system.ground.line(), fricton=1), ["law of a contact", "friction"]),
    (lambda s, b: s.contact("x", b.circle(0.5), s.system.ground.line(), friction=detent.Coulomb(-1)),
     ["contact 'x': its kinetic friction is -1"]),
    (lambda s, b: s.contact("disk|wall"), ["contact 'disk|wall' counts already", "another friction or impact"]),
    (lambda s, b: s.contact("disk|wall", b.circle(0.5), s.system.ground.line()), ["'disk|wall' counts already"]),
    (lambda s, b: s.contact("x", b.sphere(0.5), s.system.ground.plane()), ["contact 'x' is in space, and others"]),
    (lambda s, b: s.release("disk|roof"), ["no active constraint or contact named 'disk|roof'", "disk|wall"]),
    (lambda s, b: (s.release("disk|wall"), s.release("disk|wall")), ["contact 'disk|wall' does not count now"]),
]  # fmt: skip


@pytest.mark.parametrize("number", range(len(MISTAKES)))
def test_what_cannot_be_is_said_and_the_run_goes_on_as_it_was(number: int) -> None:
    mistake, expected = MISTAKES[number]
    system, body = disk(disk_y=1.0)
    system.contact("disk|wall", body.circle(0.5), system.ground.line(at=(3, 0), along="y"))
    simulation = detent.Simulation(system)
    with pytest.raises(detent.DetentError) as caught:
        mistake(simulation, body)
    for words in expected:
        assert words in str(caught.value)
    simulation.advance(0.5)
    assert simulation.state.disk_y == pytest.approx(1 - G * 0.5**2 / 2, rel=1e-12)


def test_contacts_that_modes_name_are_changed_by_modes() -> None:
    system = ball(0.5)
    automaton = detent.Automaton(system)
    automaton.mode("on", contacts=["ball|floor"])
    simulation = detent.Simulation(automaton)
    with pytest.raises(detent.DetentError, match=r"named by mode 'on' of the automaton; add a mode without it"):
        simulation.release("ball|floor")
    body = system.bodies["ball"]
    with pytest.raises(detent.DetentError, match=r"mode 'on' names the contacts that count in it, and 'ball\|roof'"):
        simulation.contact("ball|roof", body.point(), system.ground.line(at=(0, 3), along="-x"))


def test_times_that_were_asked_for_exclude_it() -> None:
    simulation = detent.Simulation(groove(0.7, 0.3, disk_y=1.0), times=[0.0, 0.5, 1.0])
    with pytest.raises(detent.DetentError, match=r"a run with times= cannot change its contacts"):
        simulation.release("disk|left")


def test_another_thread_is_told_to_wait() -> None:
    simulation = detent.Simulation(ball(0.5))
    said: list[str] = []

    def script(running: detent.Simulation) -> None:
        with running._loop._requests:

            def ask() -> None:
                try:
                    running.release("ball|floor")
                except detent.DetentError as error:
                    said.append(str(error))

            thread = threading.Thread(target=ask)
            thread.start()
            thread.join()

    script(simulation)
    assert "between two calls of advance" in said[0]
