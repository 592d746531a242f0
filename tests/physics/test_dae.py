"""Constraints as differential-algebraic equations, by IDA and by Radau's method."""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sympy import pi

import detent
from tests.physics.chains import Chain
from tests.physics.test_constraints_sliding import block_on_an_incline

GRAVITY = 9.81
WAYS = [detent.Dae(), detent.Dae(index=1), detent.Dae(solver="radau"), detent.Dae(index=3, solver="radau")]
"""Index 2 and 1 by IDA, index 2 and 3 by Radau's method."""


def pendulum() -> detent.System:
    """IFToMM A01 by places: 1 kg on a rod of 1 m, let go at rest to the left."""
    system = detent.System("pendulum by places")
    x, y = system.coordinates(x=-1, y=0)
    system.particle("bob", system.origin.offset("bob", x * system.ground.x + y * system.ground.y), mass=1)
    system.gravity(-GRAVITY * system.ground.y)
    system.constrain("rod", (x**2 + y**2 - 1) / 2)
    return system


def test_ida_with_the_stabilised_index_2_keeps_a_pendulum_to_a_hundred_thousandth() -> None:
    run = detent.simulate(pendulum(), 10, rtol=1e-8, formulation="dae")
    assert run.final.x == pytest.approx(-0.2750874625761, abs=1e-5)
    assert run.final.y == pytest.approx(-0.9614192050991, abs=1e-5)
    assert run.method == "ida"


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_errors_fall_with_the_tolerance(way: detent.Dae) -> None:
    """A hundred times smaller it leaves at most a tenth, though BDF and index 3 do not follow it one to one."""
    known = detent.simulate(pendulum(), 3, rtol=1e-13).final
    runs = [detent.simulate(pendulum(), 3, rtol=rtol, formulation=way) for rtol in (1e-5, 1e-7, 1e-9)]
    errors = [math.hypot(run.final.x - known.x, run.final.y - known.y) for run in runs]
    assert errors[1] < 0.1 * errors[0]
    assert errors[2] < 0.1 * errors[1]


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_between_its_steps_a_run_errs_by_what_a_cubic_does(way: detent.Dae) -> None:
    """Hermite's polynomial errs by h^4/384 of the fourth derivative, and by h/4 of the errors of speeds at its ends."""
    known = detent.simulate(pendulum(), 2, rtol=1e-13)
    run = detent.simulate(pendulum(), 2, rtol=1e-8, formulation=way)
    middles, longest = (run.t[1:] + run.t[:-1]) / 2, np.diff(run.t).max()
    places, speeds = (np.abs(run[name] - known.at(run.t)[name]).max() for name in ("x", "x_rate"))
    fourth = known.at(np.linspace(0, 2, 2001)).x_rate
    for _ in range(3):
        fourth = np.gradient(fourth, 1e-3)
    bound = places + longest / 4 * speeds + longest**4 / 384 * np.abs(fourth).max()
    assert np.abs(run.at(middles).x - known.at(middles).x).max() < bound


def test_what_is_stabilised_does_not_drift() -> None:
    """Positions hold as exactly as Newton's method solves; of index 1 nothing but steps is asked."""
    drifting, held = (
        detent.simulate(pendulum(), 10, rtol=1e-7, formulation=detent.Dae(index)).audit for index in (1, 2)
    )
    assert held.position_residual < 1e-6
    assert drifting.position_residual > 10 * held.position_residual


SLIDER_CRANK = {"angle": 21.80846449661, "angle_rate": 6.5994230847, "slider": 1.00837232538}
"""Lengths 1 and 2, three masses of 1, from pi/4 with 3 rad/s, after 5 s; by two independent methods."""


@pytest.mark.parametrize(("way", "rtol"), [(WAYS[2], 1e-11), (WAYS[0], 1e-11), (WAYS[3], 1e-8)], ids=str)
def test_a_slider_crank_under_gravity(way: detent.Dae, rtol: float) -> None:
    """Each step may err by rtol of what it changes, and steps add up; Radau's method leaves nine decimals."""
    system = detent.example("slider-crank").system
    system.gravity(-GRAVITY * system.ground.y)
    sizes = {"crank": 1, "rod": 2, "m_crank": 1, "m_rod": 1, "m_slider": 1}
    start = {"angle": math.pi / 4, "angle_rate": 3}
    run = detent.simulate(system, 5, rtol=rtol, parameters=sizes, start=start, formulation=way)
    for name, value in SLIDER_CRANK.items():
        within = 1e-9 if way == WAYS[2] else run.timing.steps * rtol * abs(value)
        assert run.final[name] == pytest.approx(value, abs=within)


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_reactions_are_those_of_the_motion(way: detent.Dae) -> None:
    """Tension is 3 m g times the depth: from rest at the height of the pivot, m v^2 + m g depth."""
    run = detent.simulate(pendulum(), 1, formulation=way)
    assert np.asarray(run.reactions["rod"]) == pytest.approx(3 * GRAVITY * run.y, abs=1e-4)
    assert run.audit.energy_balance < 1e-6


def score(way: detent.Dae, seeds: range) -> dict[str, int]:
    """How chains in absolute coordinates did against the same by angles, after half a second."""
    counts = {"tried": 0, "right": 0, "wrong": 0}
    for seed in seeds:
        chain = Chain.random(seed)
        names = [f"angle_{n}" for n in range(len(chain.lengths))]
        known = detent.simulate(chain.by_angles(), 0.5, rtol=1e-11)
        run = detent.simulate(chain.by_places(), 0.5, rtol=1e-8, formulation=way)
        error = max(abs(run.final[name] - known.final[name]) for name in names)
        counts["tried"] += 1
        counts["right" if error < 1e-4 else "wrong"] += 1
    return counts


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_chains_by_places_move_as_chains_by_angles(way: detent.Dae) -> None:
    assert score(way, range(5)) == {"tried": 5, "right": 5, "wrong": 0}


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS, ids=str)
def test_hundreds_of_chains_move_as_they_do_by_angles(way: detent.Dae) -> None:
    assert score(way, range(300)) == {"tried": 300, "right": 300, "wrong": 0}


# -- kinds of rows and systems -----------------------------------------------------------------------------------------


def test_a_speed_that_is_held_is_a_row_that_is_not_linear() -> None:
    """|v| = 2 under gravity from the slope pi/3, after 1 s: a closed form by tanh."""
    system = detent.System("held")
    x, y = system.coordinates("x", "y")
    system.start(x_rate=2 * math.cos(math.pi / 3), y_rate=2 * math.sin(math.pi / 3))
    system.particle("ball", system.origin.offset("ball", x * system.ground.x + y * system.ground.y), mass=1)
    system.gravity(-GRAVITY * system.ground.y)
    system.constrain(detent.motion("speed", x.rate**2 + y.rate**2 - 4))
    for way in WAYS:
        run = detent.simulate(system, 1, rtol=1e-9, formulation=way)
        assert run.final.x == pytest.approx(1.044935018079891, abs=1e-6)
        assert run.final.y == pytest.approx(-0.8980681369941673, abs=1e-6)


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_a_system_without_constraints_runs_too(way: detent.Dae) -> None:
    run = detent.example("pendulum").simulate(until=1, formulation=way)
    assert run.final.angle == pytest.approx(detent.example("pendulum").simulate(until=1).final.angle, abs=1e-5)


def test_quaternions_keep_their_length() -> None:
    run = detent.example("tumbling-body").simulate(until=2, rtol=1e-7, formulation="dae")
    known = detent.example("tumbling-body").simulate(until=2, rtol=1e-12)
    parts = [part.name for part in detent.example("tumbling-body").system.quaternions[0]]
    lengths = np.sqrt(sum(np.asarray(run[name]) ** 2 for name in parts))
    assert lengths == pytest.approx(np.ones(len(lengths)), abs=1e-6)
    for name in parts:
        assert run.final[name] == pytest.approx(known.final[name], abs=1e-4)


def test_a_part_without_mass_goes_where_constraints_lead_it() -> None:
    system = detent.System("massless")
    x, z = system.coordinates(x=0, z=0)
    system.start(x_rate=1, z_rate=0.5)
    system.particle("mass", system.origin.offset("mass", x * system.ground.x), mass=3)
    system.origin.offset("pointer", z * system.ground.x)
    system.constrain("half", z - x / 2)
    for way in WAYS:
        assert detent.simulate(system, 2, formulation=way).final.z == pytest.approx(1.0, abs=1e-8)


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_a_block_slides_down_with_the_textbook_acceleration(way: detent.Dae) -> None:
    """g (sin - mu cos) along an incline of 30 degrees; the speed is linear in time, so steps leave next to no error."""
    run = detent.simulate(block_on_an_incline(pi / 6, 0.2), 0.5, rtol=1e-8, formulation=way)
    sine, cosine = math.sin(math.pi / 6), math.cos(math.pi / 6)
    speed = run.x_rate * cosine - run.y_rate * sine
    assert speed - speed[0] == pytest.approx(GRAVITY * (sine - 0.2 * cosine) * run.t, abs=1e-5)
    assert run.audit.energy_balance < 1e-5


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_rows_that_say_the_same_twice_are_dropped_and_named(way: detent.Dae) -> None:
    system = pendulum()
    x, y = (each for each in system.quantities() if each.name in ("x", "y"))
    system.constrain("again", 3 * (x**2 + y**2 - 1))
    run = detent.simulate(system, 1, formulation=way)
    assert next(event.kind for event in run.events) == "redundant"
    assert run.final.x == pytest.approx(detent.simulate(pendulum(), 1).final.x, abs=1e-5)


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_constraints_come_and_go(way: detent.Dae) -> None:
    """A bead falls for a second, is caught by a floor that it meets plastically, slides on, and falls again."""
    system = detent.System("bead")
    x, y = system.coordinates("x", "y")
    system.particle("bead", system.origin.offset("bead", x * system.ground.x + y * system.ground.y), mass=1)
    system.gravity(-GRAVITY * system.ground.y)
    simulation = detent.Simulation(system, start={"x_rate": 1}, formulation=way, embedding="symbolic")
    simulation.advance(1)
    simulation.constrain("floor", y - simulation.value(y))
    assert simulation.reactions()["floor"] == pytest.approx(GRAVITY)
    simulation.advance(2)
    simulation.release("floor")
    simulation.advance(3)
    assert simulation.state.values[:4].tolist() == pytest.approx([3.0, -GRAVITY, 1.0, -GRAVITY], abs=1e-6)


@pytest.mark.parametrize("way", [WAYS[0], WAYS[3]], ids=str)
def test_asked_times_and_inputs_that_jump(way: detent.Dae) -> None:
    """A force of 1 N from t = 1 on, on 1 kg that a row leads along x: (t - 1)^2/2 after it."""
    system = detent.System("pushed")
    x, y = system.coordinates("x", "y")
    push = system.input("push", detent.Held([0, 1], [0, 1]))
    block = system.origin.offset("block", x * system.ground.x + y * system.ground.y)
    system.particle("block", block, mass=1)
    system.force("push", block, push * system.ground.x)
    system.constrain("guide", y)
    run = detent.simulate(system, 3, times=[0.5, 1.5, 3.0], formulation=way)
    assert run.x.tolist() == pytest.approx([0.0, 0.125, 2.0], abs=1e-7)


# -- events and checkpoints --------------------------------------------------------------------------------------------


def happened(run: detent.Run) -> list[tuple[str, str]]:
    return [(event.kind, event.name) for event in run.events if event.kind in ("transition", "impact", "zeno")]


def check_automaton(name: str, way: detent.Dae) -> None:
    """The events of the embedded run in their order, within a hundred thousand times what a step may err by."""
    known = detent.example(name).simulate(rtol=1e-11)
    run = detent.example(name).simulate(rtol=1e-9, formulation=way)
    assert happened(run) == happened(known)
    times = [[event.time for event in each.events if event.kind in ("transition", "impact")] for each in (run, known)]
    assert times[0] == pytest.approx(times[1], abs=1e-4)
    assert run.final.values[:-1].tolist() == pytest.approx(known.final.values[:-1].tolist(), rel=1e-4, abs=1e-4)
    assert set(run.reactions) == set(known.reactions)


@pytest.mark.parametrize("way", [WAYS[0], WAYS[2]], ids=str)
@pytest.mark.parametrize("name", ["disk-on-ramp", "conveyor-pendulum", "latch", "adjustable-fence"])
def test_automata_go_through_the_events_of_the_embedded_run(name: str, way: detent.Dae) -> None:
    check_automaton(name, way)


@pytest.mark.slow
@pytest.mark.parametrize("way", [WAYS[0], WAYS[1], WAYS[2]], ids=str)
@pytest.mark.parametrize("name", ["kneed-walker", "passive-walker", "detent-escapement"])
def test_long_walks_go_through_the_events_of_the_embedded_run(name: str, way: detent.Dae) -> None:
    check_automaton(name, way)


@pytest.mark.parametrize("way", [WAYS[0], WAYS[2]], ids=str)
def test_bounces_accumulate_where_a_geometric_series_ends(way: detent.Dae) -> None:
    """How many are told apart before that hangs on rounding."""
    known, run = (detent.example("bouncing-ball").simulate(formulation=each) for each in ("embedded", way))
    ends = [next(event.time for event in each.events if event.kind == "zeno") for each in (known, run)]
    assert ends[1] == pytest.approx(ends[0], abs=1e-10)
    bounces = [[event.time for event in each.events if event.kind == "impact"][:30] for each in (known, run)]
    assert bounces[1] == pytest.approx(bounces[0], abs=1e-10)
    assert (run.mode, run.final.values.tolist()[:2]) == (known.mode, known.final.values.tolist()[:2])


def gliding(width: float) -> detent.Automaton:
    """A bead that glides at 1 m/s, and is counted where it is nearer to x = 2.3 than a width."""
    system = detent.System("gliding")
    x = system.coordinates("x")
    system.start(x_rate=1)
    system.particle("bead", system.origin.offset("bead", x * system.ground.x), mass=1)
    automaton = detent.Automaton(system)
    out, near = automaton.mode("out"), automaton.mode("near")
    automaton.transition("comes", out, near, when=(x - 2.3) ** 2 - width**2, direction="falling")
    automaton.transition("goes", near, out, when=(x - 2.3) ** 2 - width**2, direction="rising")
    return automaton


@pytest.mark.parametrize("way", [WAYS[0], WAYS[2]], ids=str)
def test_a_guard_that_passes_zero_and_comes_back_within_a_step_is_found(way: detent.Dae) -> None:
    """Nothing but the last step's end limits steps of uniform motion: both changes lie between two places."""
    for width in (0.5, 0.1, 1e-3, 1e-6):
        run = detent.simulate(gliding(width), 10, formulation=way)
        assert [event.time for event in run.events] == pytest.approx([2.3 - width, 2.3 + width], abs=1e-9)


@pytest.mark.parametrize("way", [WAYS[0], WAYS[2]], ids=str)
def test_a_mode_that_must_not_be_left_ends_the_run(way: detent.Dae) -> None:
    system = detent.System("falling")
    y = system.coordinates(y=1)
    system.particle("stone", system.origin.offset("stone", y * system.ground.y), mass=1)
    system.gravity(-GRAVITY * system.ground.y)
    automaton = detent.Automaton(system)
    automaton.mode("above", where=[y > 0])
    run = detent.simulate(automaton, 1, formulation=way, check=False)
    assert run.outcome.word == detent.simulate(automaton, 1, check=False).outcome.word != "completed"
    assert run.t[-1] == pytest.approx(math.sqrt(2 / GRAVITY), abs=1e-6)


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_a_run_goes_on_from_a_checkpoint_to_the_last_bit(way: detent.Dae, tmp_path: Path) -> None:
    """The solver begins anew where one is written, in the run that goes on too."""
    system = detent.example("slider-crank").system
    whole = detent.Simulation(system, rtol=1e-7, formulation=way, embedding="symbolic")
    whole.advance(0.6)
    whole.checkpoint(tmp_path / "half.json")
    whole.advance(1.5)
    rest = detent.resume(system, tmp_path / "half.json")
    rest.advance(1.5)
    assert rest.state.values.tolist() == whole.state.values.tolist()


def test_an_automaton_goes_on_from_a_checkpoint(tmp_path: Path) -> None:
    """Through the same events, within what steps err by: in modes that are entered after it other speeds may depend."""
    automaton = detent.example("conveyor-pendulum").automaton
    assert automaton is not None
    whole = detent.Simulation(automaton, rtol=1e-9, formulation="dae", embedding="symbolic")
    whole.advance(0.6)
    whole.checkpoint(tmp_path / "half.json")
    rest = detent.resume(automaton, tmp_path / "half.json")
    for simulation in (whole, rest):
        simulation.advance(1.5)
    assert rest.mode == whole.mode
    assert rest.state.values.tolist() == pytest.approx(whole.state.values.tolist(), abs=1e-6)
    later = [(e.kind, e.name) for e in whole.result().events if e.time > 0.6]
    assert [(e.kind, e.name) for e in rest.result().events if e.time > 0.6] == later


# -- what it refuses ---------------------------------------------------------------------------------------------------


def test_ida_is_not_used_with_index_3() -> None:
    with pytest.raises(detent.ValueProblem, match=r"reports success with a wrong answer; use Dae\(index=2\), or"):
        detent.Dae(index=3)


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"index": 4}, r"the index of Dae is 4; use 1, 2 \(stabilised\) or 3"),
        ({"solver": "rk4"}, "the solver of Dae is 'rk4'; use one of ida, radau"),
        ({"most_calls": 0}, "the most_calls of Dae is 0; give a whole number greater than 0"),
    ],
)
def test_settings_that_make_no_sense(settings: dict[str, Any], told: str) -> None:
    with pytest.raises(detent.ValueProblem, match=told):
        detent.Dae(**settings)


@pytest.mark.parametrize("solver", ["ida", "radau"])
def test_calls_are_capped(solver: str) -> None:
    run = detent.simulate(pendulum(), 10, formulation=detent.Dae(solver=solver, most_calls=500), check=False)
    assert run.outcome.word == "too-many-calls"
    assert 0 < run.t[-1] < 10
    assert "evaluated more often than allowed" in run.message
    assert "most_calls of detent.Dae" in run.message


@pytest.mark.parametrize(("solver", "package"), [("ida", "sksundae"), ("radau", "scipy_dae")])
def test_a_missing_package_is_named_with_its_extra(solver: str, package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == package]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(sys, "meta_path", [_Without(package), *sys.meta_path])
    with pytest.raises(detent.MissingExtraError, match=rf'{package} is needed to .* run: pip install "detent\[dae\]"'):
        detent.simulate(pendulum(), 1, formulation=detent.Dae(solver=solver))


class _Without:
    """Finds that a package is not there."""

    def __init__(self, package: str) -> None:
        self.package = package

    def find_spec(self, name: str, path: object = None, target: object = None) -> None:
        if name.partition(".")[0] == self.package:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


OTHERS = "formulation='embedded', 'corrected', 'projection' or 'multipliers'"


def test_contacts_are_for_others() -> None:
    with pytest.raises(detent.DetentError, match=f"contacts must not be missed; use {OTHERS} for contacts"):
        detent.example("bouncing-ball-contact").simulate(until=1, formulation="dae")


def test_live_runs_are_for_others() -> None:
    with pytest.raises(detent.DetentError, match=f"use embedding='symbolic', or {OTHERS} for live runs"):
        detent.Simulation(pendulum(), formulation="dae")


def test_a_method_with_fixed_steps_is_for_others() -> None:
    with pytest.raises(detent.ValueProblem, match=f"method='rk4' takes steps of a fixed size; .* use {OTHERS}"):
        detent.simulate(pendulum(), 1, method="rk4", step=0.01, formulation="dae")


def test_the_largest_step_is_kept() -> None:
    for way in (WAYS[0], WAYS[3]):
        run = detent.simulate(pendulum(), 1, rtol=1e-4, step=0.01, formulation=way)
        assert np.diff(run.t).max() <= 0.01 * (1 + 1e-9)
