"""One word changes how constraints are handled; the model, its events and its results stay the same."""

from __future__ import annotations

import math
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import detent
from detent.formulation.registry import FORMULATIONS
from detent.jit.calling import call_once
from tests.physics.chains import GRAVITY, Chain

EXACT = [
    name for name, option in FORMULATIONS.items() if not option.carries and not option.owns_contacts and name != "dae"
]
"""Those that the kernel steps, and that let constraints err by no more than its steps do; the others have files of
their own."""
OTHERS = [name for name in EXACT if name != "embedded"]
SHORT = {"four-bar-chain": 1.0, "closing-loop": 2.5, "ball-in-bowl": 3.0, "seven-link-biped": 1.0}
"""Where motions part that began alike, as the double pendulum's do, only the first seconds can be compared."""
RTOL, GROWN = 1e-11, 1e6
"""What is asked of a step, and how much larger its error may have become at the end. In closing-loop it is 2e5 times,
and falls with the tolerance from 1e-8 to 1e-12."""


def constrained_examples() -> list[str]:
    """The ready models in which something is constrained."""
    found = []
    for name in detent.examples():
        example = detent.example(name)
        modes = [] if example.automaton is None else example.automaton.modes.values()
        if example.system.constraints or any(mode.constraints for mode in modes):
            found.append(name)
    return found


def happened(run: detent.Run) -> list[tuple[str, str]]:
    return [(event.kind, event.name) for event in run.events if event.kind in ("transition", "impact", "zeno")]


@pytest.mark.parametrize("formulation", OTHERS)
@pytest.mark.parametrize("name", constrained_examples())
def test_every_ready_model_runs_the_same_in_every_formulation(name: str, formulation: str) -> None:
    settings: dict[str, Any] = {"rtol": RTOL} | ({"until": SHORT[name]} if name in SHORT else {})
    known = detent.example(name).simulate(**settings)
    run = detent.example(name).simulate(formulation=formulation, **settings)
    assert happened(run) == happened(known)
    times = [[e.time for e in each.events if e.kind in ("transition", "impact", "zeno")] for each in (run, known)]
    assert times[0] == pytest.approx(times[1], abs=1e-7)
    assert run.final.values[:-1].tolist() == pytest.approx(
        known.final.values[:-1].tolist(), rel=GROWN * RTOL, abs=GROWN * RTOL
    )
    assert set(run.reactions) == set(known.reactions)
    assert run.audit.position_residual < 1e-6
    assert run.audit.energy_balance < 1e-7


def score(formulation: str, seeds: range) -> dict[str, int]:
    """How chains in absolute coordinates did against the same by angles: the ends of all rods after a second."""
    counts = {"tried": 0, "right": 0, "wrong": 0}
    for seed in seeds:
        chain = Chain.random(seed)
        names = [f"angle_{n}" for n in range(len(chain.lengths))]
        known = detent.simulate(chain.by_angles(), 1.0, rtol=1e-11)
        run = detent.simulate(chain.by_places(), 1.0, rtol=1e-10, formulation=formulation)
        error = max(abs(run.final[name] - known.final[name]) for name in names)
        counts["tried"] += 1
        counts["right" if error < 1e-6 else "wrong"] += 1
    return counts


@pytest.mark.parametrize("formulation", EXACT)
def test_chains_by_places_move_as_chains_by_angles(formulation: str) -> None:
    assert score(formulation, range(10)) == {"tried": 10, "right": 10, "wrong": 0}


@pytest.mark.slow
@pytest.mark.parametrize("formulation", EXACT)
@pytest.mark.parametrize("first", range(0, 1000, 100))
def test_a_thousand_chains_move_as_they_do_by_angles(formulation: str, first: int) -> None:
    assert score(formulation, range(first, first + 100)) == {"tried": 100, "right": 100, "wrong": 0}


def pendulum() -> detent.System:
    """A point on a circle of radius 1, let go at rest to the right."""
    system = detent.System("pendulum by places")
    x, y = system.coordinates(x=1, y=0)
    system.particle("bob", system.origin.offset("bob", x * system.ground.x + y * system.ground.y), mass=2)
    system.gravity(-GRAVITY * system.ground.y)
    system.constrain("rod", x**2 + y**2 - 1)
    return system


@pytest.mark.parametrize("formulation", EXACT)
def test_the_tension_of_a_pendulum_is_three_times_the_weight_along_the_rod(formulation: str) -> None:
    """From rest at the height of the pivot: m v^2 / r + m g sin = 3 m g sin; the row pushes by 2 r lambda."""
    run = detent.simulate(pendulum(), 1.0, formulation=formulation)
    assert -2 * run.reactions["rod"] == pytest.approx(3 * 2 * GRAVITY * -run.y, abs=1e-5)


def final_error(step: float, formulation: Any) -> float:
    known = detent.simulate(pendulum(), 1.0, rtol=1e-13, atol=1e-14).final
    run = detent.simulate(pendulum(), 1.0, method="rk4", step=step, formulation=formulation)
    return math.hypot(run.final.x - known.x, run.final.y - known.y)


@pytest.mark.parametrize(
    "formulation", ["multipliers", detent.Multipliers(damping=0, stiffness=0), detent.Multipliers(2, 1)], ids=str
)
def test_multipliers_keep_the_order_of_the_method(formulation: Any) -> None:
    errors = [final_error(step, formulation) for step in (1 / 50, 1 / 100, 1 / 200)]
    orders = [math.log2(one / two) for one, two in pairwise(errors)]
    assert all(3.5 < order < 5.5 for order in orders), (errors, orders)


def residual(formulation: Any, until: float) -> float:
    run = detent.simulate(pendulum(), until, method="rk4", step=0.01, formulation=formulation)
    return run.audit.position_residual


def test_without_stabilisation_constraints_drift_and_with_it_they_do_not() -> None:
    """Twice the time lets the one grow at least twice as large, and the other by less than half of itself."""
    none = detent.Multipliers(damping=0, stiffness=0)
    assert residual(none, 20) > 2 * residual(none, 10)
    assert residual("multipliers", 20) < 1.5 * residual("multipliers", 10) < 0.1 * residual(none, 10)


def test_violations_of_both_kinds_die_out_with_the_same_exponent() -> None:
    """Phi'' + 10 Phi' + 25 Phi = 0 has the root -5 twice; a row that binds the motion alone has it once."""
    system = detent.System("violated")
    x, y, z = system.coordinates("x", "y", "z")
    ground = system.ground
    system.particle("bead", system.origin.offset("bead", x * ground.x + y * ground.y + z * ground.z), mass=2)
    system.constrain("plane", x)
    system.constrain(detent.motion("slope", y.rate - 3 * z.rate))
    simulation = detent.Simulation(system, formulation="multipliers")
    state, rates = np.array([0.01, 0, 0, 0.02, 0.5, 0.1, 0]), np.empty(7)
    assert call_once(simulation._standing.mode.running.rates, 0.0, state, np.zeros(1), rates) == 0
    assert rates[3] == pytest.approx(-10 * 0.02 - 25 * 0.01, rel=1e-13)
    assert rates[4] - 3 * rates[5] == pytest.approx(-5 * (0.5 - 3 * 0.1), rel=1e-13)


def test_a_part_without_mass_goes_where_constraints_lead_it() -> None:
    """x follows y = sin t by a constraint, and z, without any inertia, is half of x."""
    system = detent.System("massless")
    x, z = system.coordinates(x=0, z=0)
    system.start(x_rate=1, z_rate=0.5)
    system.particle("mass", system.origin.offset("mass", x * system.ground.x), mass=3)
    system.origin.offset("pointer", z * system.ground.x)
    system.constrain("half", z - x / 2)
    run = detent.simulate(system, 2.0, formulation="multipliers")
    assert run.final.z == pytest.approx(1.0, abs=1e-9)
    assert run.final.x == pytest.approx(2.0, abs=1e-9)


@pytest.mark.parametrize("formulation", EXACT)
def test_rows_that_say_the_same_twice_are_dropped_and_named(formulation: str) -> None:
    system = pendulum()
    x, y = (each for each in system.quantities() if each.name in ("x", "y"))
    system.constrain("again", 3 * (x**2 + y**2 - 1))
    run = detent.simulate(system, 1.0, formulation=formulation)
    assert next(event.kind for event in run.events) == "redundant"
    assert run.final.x == pytest.approx(detent.simulate(pendulum(), 1.0).final.x, abs=1e-7)


@pytest.mark.parametrize(
    "formulation",
    [
        *EXACT,
        detent.Multipliers(4, 4),
        detent.Projection("svd"),
        detent.Corrected(energy=True),
        detent.Corrected(residuals="literal"),
        detent.Corrected(residuals="frozen"),
    ],
    ids=str,
)
def test_a_run_goes_on_from_a_checkpoint_to_the_last_bit(formulation: Any, tmp_path: Path) -> None:
    whole = detent.Simulation(pendulum(), method="rk4", step=0.01, formulation=formulation, embedding="symbolic")
    whole.advance(1.0)
    whole.checkpoint(tmp_path / "half.json")
    whole.advance(2.0)
    rest = detent.resume(pendulum(), tmp_path / "half.json")
    rest.advance(2.0)
    assert rest.state.values.tolist() == whole.state.values.tolist()


@pytest.mark.parametrize("formulation", OTHERS)
@pytest.mark.parametrize("embedding", ["symbolic", "numeric", "live"])
def test_constraints_come_and_go_in_every_formulation(formulation: str, embedding: Any) -> None:
    """A bead falls for a second, is caught by a floor it meets plastically, slides on, and falls again."""
    system = detent.System("bead")
    x, y = system.coordinates("x", "y")
    system.particle("bead", system.origin.offset("bead", x * system.ground.x + y * system.ground.y), mass=1)
    system.gravity(-GRAVITY * system.ground.y)
    simulation = detent.Simulation(system, start={"x_rate": 1}, formulation=formulation, embedding=embedding)
    simulation.advance(1)
    simulation.constrain("floor", y - simulation.value(y))
    assert simulation.reactions()["floor"] == pytest.approx(GRAVITY)
    simulation.advance(2)
    simulation.release("floor")
    simulation.advance(3)
    expected = np.array([3.0, -GRAVITY, 1.0, -GRAVITY])
    assert simulation.state.values[:4].tolist() == pytest.approx(expected.tolist(), abs=1e-8)


def test_soft_constraints_push_beside_the_multipliers() -> None:
    """Off the circle: m u' = f + 2 r (lambda - k Phi - d Phi'), lambda as without spring and damper; m = 2."""
    simulation = detent.Simulation(pendulum(), formulation=detent.Multipliers(damping=3, stiffness=7, soft=True))
    running = simulation._standing.mode.running
    place, velocity, rates = np.array([1.1, 0.2]), np.array([0.3, -0.4]), np.empty(5)
    state = np.array([*place, *velocity, 0.0])
    assert call_once(running.rates, 0.0, state, np.zeros(1), rates) == 0
    free, row = np.array([0.0, -GRAVITY]), 2 * place
    pull = 2 * (-2 * velocity @ velocity - row @ free) / (row @ row)
    push = pull - 7 * (place @ place - 1) - 3 * (row @ velocity)
    assert rates[2:4] == pytest.approx(free + row * push / 2, rel=1e-13)


def test_springs_and_dampers_hold_what_would_drift() -> None:
    none, soft = detent.Multipliers(0, 0, soft=True), detent.Multipliers(5, 12.5, soft=True)
    assert residual(none, 10) == pytest.approx(residual(detent.Multipliers(0, 0), 10), rel=1e-6)
    assert residual(soft, 20) < 0.01 * residual(none, 20)


def test_a_soft_constraint_needs_mass_to_push_on() -> None:
    system = detent.System("massless")
    x, z = system.coordinates(x=0, z=0)
    system.particle("mass", system.origin.offset("mass", x * system.ground.x), mass=3)
    system.origin.offset("pointer", z * system.ground.x)
    system.constrain("half", z - x / 2)
    with pytest.raises(detent.DetentError, match="would push on nothing; use Multipliers"):
        detent.simulate(system, 1.0, formulation=detent.Multipliers(soft=True))
    with pytest.raises(detent.ValueProblem, match="use True or False"):
        detent.Multipliers(soft="very")
