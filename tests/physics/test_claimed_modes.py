"""Statuses that a run meets for the first time: the kernel goes on by itself, to where modes made in Python lead."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import detent
from detent.jit.calling import call_once
from detent.simulation import automaton_tables, claiming
from detent.simulation.automaton_service import AutomatonService
from detent.simulation.claimed_running import ClaimedRunning
from detent.stepping import solver
from tests.physics.contact_scenes import ball, box, cube, groove, sphere
from tests.physics.random_automata import PushedBlock
from tests.physics.test_automata_with_contacts import caught_disk, hopper
from tests.physics.test_random_scenes import scene


def blown_sphere() -> detent.Automaton:
    """A sphere that slips on a plane in space until it rolls; wind makes it slip again, across its way."""
    system = sphere(0.2, ball_x_rate=1.0, ball_wy=2.0)
    system.force("wind", system.bodies["ball"], 9 * system.ground.y, active=False)
    automaton = detent.Automaton(system)
    calm, windy, after = automaton.mode("calm"), automaton.mode("windy", loads=["wind"]), automaton.mode("after")
    automaton.transition("wind rises", calm, windy, when=system.time >= 0.3)
    automaton.transition("wind falls", windy, after, when=system.time >= 0.6)
    return automaton


SCENES: dict[str, tuple[Callable[[], Any], float]] = {
    "ball": (lambda: ball(0.5), 2.0),
    "box": (lambda: box(1.0, 0.5, 0.3, 0.4, box_y=0.6, box_angle=0.1, box_x_rate=1.5), 2.0),
    "groove": (lambda: groove(0.7, 0.3, 0.3, disk_y=1.0, disk_x=0.1), 1.0),
    "sphere": (lambda: sphere(0.2, ball_x_rate=1.0, ball_y_rate=0.5, ball_wx=3.0), 1.0),
    "rocking block": (lambda: detent.example("rocking-block").system, 3.0),
    "hopper": (lambda: hopper(0.2, 8.0), 2.0),
    "caught disk": (lambda: caught_disk(0.8, 1.0, 0.2), 1.5),
    "blown sphere": (blown_sphere, 1.5),
    "pushed block": (lambda: PushedBlock.drawn(4).automaton(), 1.5),
}
"""Systems, and automata whose modes are families: with loads, with a constraint, with contacts that do not count."""
every_scene = pytest.mark.parametrize("name", SCENES)


def simulated(name: str, **options: Any) -> detent.Run:
    make, until = SCENES[name]
    return detent.simulate(make(), until=until, **options)


def states(run: detent.Run) -> np.ndarray:
    names = run.names[: run.names.index("work") + 1]
    return np.column_stack([run[name] for name in names])


def bits(run: detent.Run) -> tuple[bytes, list[str]]:
    return states(run).tobytes(), [repr(event) for event in run.events]


def made_in_python(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(automaton_tables, "claiming_of", lambda *given: None)


# -- without Python ---------------------------------------------------------------------------------


@every_scene
def test_no_excursion_waits_for_a_mode_to_be_made(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def built(service: AutomatonService, mode: Any) -> None:
        raise AssertionError(f"mode '{mode.name}' was made in Python between an event and the next step")

    monkeypatch.setattr(AutomatonService, "_build_mode", built)
    run = simulated(name)
    assert any(event.source != event.target for event in run.events)


def claimed_modes(name: str) -> list[tuple[Any, Any, Any]]:
    """The tables of a run, and each mode that the kernel claimed in it, with what it put together."""
    make, until = SCENES[name]
    simulation = detent.Simulation(make(), embedding="symbolic", modes="lazy")
    simulation.advance(until)
    tables = simulation._director._tables
    running = [(mode, built.running) for mode, built in tables.built.items()]
    return [(tables, mode, each.blank) for mode, each in running if isinstance(each, ClaimedRunning)]


@every_scene
def test_the_kernel_puts_together_what_python_would_have_made(name: str) -> None:
    """The same guards in the same order, watched in the same way, for the same transitions."""
    found = claimed_modes(name)
    assert found
    for tables, mode, blank in found:
        guards = tables.plans.guards(mode)
        count, own = len(guards.nodes), [(tables.transitions.index(t), guards.place[t]) for t in tables.leaving(mode)]
        assert blank.certificate.count == count + len(mode.where)
        assert blank.identities[:count].tolist() == guards.numbers
        assert blank.watched[:count].tolist() == guards.watched
        assert blank.own[["transition", "guard"]][: blank.transitions].tolist() == own
        again = tables.claiming.fill(mode, blank.steps)
        for array in ("slots", "watched", "identities", "own", "key"):
            assert (getattr(again, array) == getattr(blank, array)).all()


def test_the_rows_that_hold_are_those_of_the_constraints() -> None:
    """B, C, Phi, gamma and B' gathered from the program of all rows, bit for bit as their own program gives them."""
    make, _ = SCENES["box"]
    simulation = detent.Simulation(make(), embedding="symbolic", modes="lazy")
    tables, context = simulation._director._tables, simulation._context
    random = np.random.default_rng(3)
    for key in ((0.0, 1.0, 0.0, 0.0, 0.0), (2.0, 0.0, 0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 2.0, 0.0)):
        mode = tables.automaton.member("free", key)
        blank = tables.claiming.fill(mode, 0)
        gathered, active = tables.claiming.gathered[blank], context.workshop.prepare(list(mode.constraints))
        values = context.values.vector.copy()
        values[[context.values.first_discrete + place for place in tables.automaton.key]] = key
        state = random.normal(size=context.compiled.layout.width)
        saved = {"rows": [], "dependent": [], "independent": [], "redundant": [], "bound": [2.0, 0.0]}
        gathered.restore(saved, 0.3, state, values)  # makes ready, and refuses a choice of no rows
        out = np.zeros(active.program.size)
        assert call_once(gathered.gathering, 0.3, state, values, out) == 0
        assert out.tobytes() == active.program(0.3, state, values).tobytes()
        chosen = context.workshop.reduce(active, active.at(0.3, state, values), state).partition
        assert gathered.saved() is not None
        assert (gathered.saved() or {})["dependent"] == list(chosen.dependent)
        assert (gathered.saved() or {})["rows"] == list(chosen.rows)


def holding() -> detent.Automaton:
    """A disk over a floor whose modes hold two constraints, each in an order of its own, and one of them only."""
    system = detent.System("held disk")
    joint = system.planar("disk", system.origin, system.ground)
    body = system.body("disk", joint.point, joint.frame, 2, 0.3)
    system.gravity(-9.81 * system.ground.y)
    system.start(disk_y=0.6, disk_x_rate=1.0)
    system.contact("disk|floor", body.circle(0.5), system.ground.line(), friction=detent.Coulomb(0.4))
    x, y, turn = (system[f"disk_{name}_rate"] for name in ("x", "y", "angle"))
    system.constrain(detent.motion("slowly", x - 0.5 * turn - 0.1 * y - 1), active=False)
    system.constrain(detent.motion("turning", turn - 0.2), active=False)
    automaton = detent.Automaton(system)
    modes = [automaton.mode("free")]
    for number, held in enumerate((["slowly", "turning"], ["turning", "slowly"], ["turning"])):
        modes.append(automaton.mode(f"m{number}", held))
    for source, target, when in zip(modes, modes[1:], (0.05, 0.4, 0.8), strict=False):
        name = f"to {target.name}"
        automaton.transition(name, source, target, when=system.time >= when, reset=detent.Impact())
    return automaton


def test_the_rows_of_a_family_are_in_the_order_of_its_modes() -> None:
    """So that a choice among them means the same where the mode gets programs of its own, and in a checkpoint."""
    simulation = detent.Simulation(holding(), embedding="symbolic", modes="lazy")
    tables, context = simulation._director._tables, simulation._context
    state = np.random.default_rng(4).normal(size=context.compiled.layout.width)
    for family, status in (("m0", 1.0), ("m1", 1.0), ("m1", 0.0), ("m2", 2.0)):
        mode = tables.automaton.member(family, (status, 0.0))
        blank = tables.claiming.fill(mode, 0)
        gathered, active = tables.claiming.gathered[blank], context.workshop.prepare(list(mode.constraints))
        values = context.values.vector.copy()
        values[[context.values.first_discrete + place for place in tables.automaton.key]] = mode.key
        assert call_once(gathered.choice, 0.3, state, values, np.zeros(1)) == 0
        out = np.zeros(active.program.size)
        assert call_once(gathered.gathering, 0.3, state, values, out) == 0
        assert out.tobytes() == active.program(0.3, state, values).tobytes()


def test_constraints_in_another_order_lead_where_modes_made_in_python_lead(monkeypatch: pytest.MonkeyPatch) -> None:
    check_agrees(holding, 1.2, monkeypatch)


# -- the same motion --------------------------------------------------------------------------------


def told_apart(run: detent.Run) -> list[tuple[float, str, str, str]]:
    """Events with none within a millisecond: where bounces pile up, rounding decides their order and number."""
    times = np.concatenate([[-np.inf], run.events.times, [np.inf]])
    alone = (np.diff(times)[1:] > 1e-3) & (np.diff(times)[:-1] > 1e-3)
    return [(e.time, e.kind, e.name, e.target) for e, is_alone in zip(run.events, alone, strict=True) if is_alone]


def check_agrees(make: Callable[[], Any], until: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same events at the same times, and the same state in the end, as with modes that Python makes.

    Both integrate to 1e-9; an impact or a slide passes an error on, and adds its own.
    """
    ours = detent.simulate(make(), until=until)
    with monkeypatch.context() as patched:
        made_in_python(patched)
        theirs = detent.simulate(make(), until=until)
    one, other = told_apart(ours), told_apart(theirs)
    assert [event[1:] for event in one] == [event[1:] for event in other]
    assert max([0.0, *(abs(x[0] - y[0]) for x, y in zip(one, other, strict=True))]) < 1e-7
    assert np.abs(states(ours)[-1] - states(theirs)[-1]).max() < 1e-6


@every_scene
def test_it_goes_where_modes_made_in_python_lead(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    check_agrees(*SCENES[name], monkeypatch)


def test_a_cube_in_space_goes_there_too(monkeypatch: pytest.MonkeyPatch) -> None:
    check_agrees(lambda: cube(0.1, 0.5, cube_x_rate=2.0), 0.6, monkeypatch)


# -- the same bits ----------------------------------------------------------------------------------


@pytest.mark.parametrize("most", [1, 3, claiming.NEVER])
def test_when_programs_of_its_own_come_changes_rounding_only(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    usual = simulated("groove")
    monkeypatch.setattr(claiming, "LASTING", most)
    other = simulated("groove")
    assert [event.name for event in other.events] == [event.name for event in usual.events]
    assert np.abs(np.array(other.events.times) - usual.events.times).max() < 1e-9
    assert bits(other) == bits(simulated("groove"))


@pytest.mark.parametrize("name", ["box", "groove", "sphere", "hopper", "pushed block"])
def test_bits_do_not_depend_on_when_python_looks(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither on how many steps the kernel hands over at a time, nor on how many modes it may claim before it asks."""
    usual = bits(simulated(name))
    monkeypatch.setattr(solver, "FEWEST_STEPS", 3)
    monkeypatch.setattr(claiming, "BLANKS", 1)
    assert bits(simulated(name)) == usual


def test_bits_do_not_depend_on_what_ran_before() -> None:
    """A second run of one model knows all its modes and programs, and gives the same."""
    make, until = SCENES["box"]
    model = make()
    first = bits(detent.simulate(model, until=until))
    assert bits(detent.simulate(model, until=until)) == first


def test_a_mode_that_lasts_gets_programs_of_its_own() -> None:
    make, until = SCENES["groove"]
    simulation = detent.Simulation(make(), embedding="symbolic", modes="lazy", method="rk4", step=1e-3)
    simulation.advance(until)
    running = simulation._standing.mode.running
    assert isinstance(running, ClaimedRunning)
    assert running.own is not None
    assert running.blank.steps == claiming.LASTING


# -- many -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", [0, 3])
def test_random_scenes_go_where_modes_made_in_python_lead(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    check_agrees(lambda: scene(seed), 1.0, monkeypatch)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4, 204))
def test_many_random_scenes_go_where_modes_made_in_python_lead(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    check_agrees(lambda: scene(seed), 1.0, monkeypatch)
