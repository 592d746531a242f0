"""What the compiled steppers promise: orders, tolerances, exact ends, and honest failures."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numba import cfunc

from detent.expr import operation as op
from detent.jit.intrinsics import SIGNATURE
from detent.jit.program import Program
from detent.stepping.solver import Solver
from detent.stepping.status import Status
from detent.stepping.tableau import TABLEAUS
from tests.unit.stepping.problems import (
    ORBIT_START,
    orbit,
    oscillator,
    path,
    program,
    run,
    solver_of,
    spin,
    witch,
)

EPSILON = float(np.finfo(float).eps)
ADAPTIVE = [name for name, method in TABLEAUS.items() if method.is_adaptive]


def slope(errors: list[float], sizes: list[float]) -> float:
    """The power p in error = C size^p, between the first and the last."""
    return math.log(errors[-1] / errors[0]) / math.log(sizes[-1] / sizes[0])


# -- order ----------------------------------------------------------------------------------------


# From the first step where the leading term of the error dominates, down to where rounding begins. Order 8 leaves
# little room between the two in doubles: on problems with a less even error the slope wanders between 7 and 9, and
# the order conditions in test_tableau.py say more. Here three halvings in a row show the order of every method.
@pytest.mark.parametrize(("method", "step"), [("rk4", 0.1), ("dopri5", 0.05), ("dop853", 0.8)])
def test_global_error_has_the_order_of_the_method(method: str, step: float) -> None:
    sizes = [step, step / 2, step / 4, step / 8]
    errors = []
    for h in sizes:
        found = path(spin(), [1.0, 0.0], 4.0, method=method, step=h, fixed=True)
        exact = np.stack([np.cos(found.time), np.sin(found.time)], axis=1)
        errors.append(float(np.abs(found.state - exact).max()))
    slopes = [slope(errors[i : i + 2], sizes[i : i + 2]) for i in range(3)]
    assert slopes == pytest.approx([TABLEAUS[method].order] * 3, abs=0.2)


@pytest.mark.parametrize("method", list(TABLEAUS))
def test_time_is_a_state_like_any_other(method: str) -> None:
    clocked = program(2, lambda graph, t, x, p: [-2.0 * x[1] * x[0] * x[0], graph.constant(1.0)])
    options: dict[str, Any] = {"method": method, "step": 0.125, "fixed": True}
    by_time, by_state = path(witch(), [1.0], 4.0, **options), path(clocked, [1.0, 0.0], 4.0, **options)
    # Only rounding differs: in each of 32 steps, in coefficients of up to 43 that cancel.
    assert by_time.state[:, 0] == pytest.approx(by_state.state[:, 0], abs=32 * 43 * EPSILON)


@pytest.mark.parametrize(("method", "order", "step"), [("rk4", 3, 0.1), ("dopri5", 4, 0.1), ("dop853", 7, 0.1)])
def test_error_of_dense_output_on_one_step_has_its_order_plus_one(method: str, order: int, step: float) -> None:
    s = np.linspace(0.05, 0.95, 19)

    def error(h: float) -> float:
        solver = solver_of(witch(), method=method, step=h, fixed=True)
        solver.start(1.0, [0.5])
        times = 1.0 + h * s
        return float(np.abs(run(solver, 1.0 + h).between(0, s)[:, 0] - 1.0 / (1.0 + times * times)).max())

    sizes = [step, step / 2]
    assert slope([error(h) for h in sizes], sizes) == pytest.approx(order + 1, abs=0.2)


@pytest.mark.parametrize("method", ADAPTIVE)
def test_dense_output_is_as_accurate_as_the_steps(method: str) -> None:
    rtol = 1e-9
    found = path(oscillator(), [1.0, 0.0], 10.0, method=method, rtol=rtol, atol=rtol)
    s = np.linspace(0.0, 1.0, 11)
    worst = 0.0
    for i in range(len(found.time) - 1):
        times = found.time[i] + s * (found.time[i + 1] - found.time[i])
        worst = max(worst, float(np.abs(found.between(i, s)[:, 0] - np.cos(times)).max()))
    at_nodes = float(np.abs(found.state[:, 0] - np.cos(found.time)).max())
    # Between nodes the interpolant adds about one local error, which is at most the tolerance times a modest factor.
    assert worst < at_nodes + 30 * rtol


# -- tolerance ------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ADAPTIVE)
def test_error_is_proportional_to_tolerance(method: str) -> None:
    tolerances = [1e-5, 1e-7, 1e-9, 1e-11]
    errors = []
    for rtol in tolerances:
        found = path(oscillator(), [1.0, 0.0], 20.0, method=method, rtol=rtol, atol=rtol)
        errors.append(float(np.abs(found.state[:, 0] - np.cos(found.time)).max()))
    assert slope(errors, tolerances) == pytest.approx(1.0, abs=0.1)


@pytest.mark.parametrize("method", ADAPTIVE)
def test_an_orbit_closes(method: str) -> None:
    rtol, period = 1e-11, 2.0 * math.pi
    found = path(orbit(), ORBIT_START, period, method=method, rtol=rtol, atol=rtol)
    # An error in energy at any step is one in the period: it grows by the time that remains, at 3 v^2 at most.
    growth = 3.0 * period * ORBIT_START[3] ** 2
    assert np.abs(found.state[-1] - ORBIT_START).max() < len(found.time) * 2 * rtol * growth


@pytest.mark.parametrize("method", ADAPTIVE)
def test_harmonic_oscillator_at_the_tightest_useful_tolerance(method: str) -> None:
    rtol, end = 1e-13, 20.0 * math.pi
    found = path(oscillator(), [1.0, 0.0], end, method=method, rtol=rtol, atol=rtol)
    exact = np.stack([np.cos(found.time), -np.sin(found.time)], axis=1)
    # The oscillator carries every local error along undiminished; each has a root mean square below 2 rtol.
    bound = len(found.time) * 2 * math.sqrt(2) * rtol
    assert found.status is Status.DONE
    assert float(np.abs(found.state - exact).max()) < bound


def test_entries_that_are_not_controlled_do_not_change_the_steps() -> None:
    fast = program(3, lambda graph, t, x, p: [x[1], -x[0], 1e6 * graph.function(op.COS, 1e6 * t)])
    alone = path(oscillator(), [1.0, 0.0], 5.0, rtol=1e-8, atol=1e-8)
    beside = path(fast, [1.0, 0.0, 0.0], 5.0, rtol=1e-8, atol=1e-8, controlled=2)
    assert np.array_equal(alone.time, beside.time)
    assert np.array_equal(alone.state, beside.state[:, :2])


def test_absolute_tolerance_of_each_entry_counts() -> None:
    counts = []
    for atol in ([1e-9, 1e-9], [1e-9, 1e-3], [1e-3, 1e-3]):
        solver = solver_of(oscillator(), rtol=1e-14, atol=atol)
        solver.start(0.0, [1.0, 0.0])
        run(solver, 20.0)
        counts.append(solver.steps)
    assert counts[0] >= counts[1] > counts[2]


def test_the_largest_step_is_kept() -> None:
    found = path(oscillator(), [1.0, 0.0], 5.0, rtol=1e-3, atol=1e-3, step=0.0625)
    assert np.diff(found.time).max() == 0.0625


@pytest.mark.parametrize("start", [0.0, 1e9, -1e9])
def test_a_constant_is_integrated_from_any_time(start: float) -> None:
    solver = solver_of(program(1, lambda graph, t, x, p: [graph.constant(2.0)]))
    solver.start(start, [0.0])
    found = run(solver, start + 8.0)
    assert found.status is Status.DONE
    assert found.state[-1, 0] == pytest.approx(16.0, rel=8 * EPSILON * len(found.time))


# -- where steps end ------------------------------------------------------------------------------


@given(end=st.floats(1e-6, 3.0), method=st.sampled_from(ADAPTIVE))
def test_controlled_steps_land_exactly(end: float, method: str) -> None:
    found = path(oscillator(), [1.0, 0.0], end, method=method, rtol=1e-6, atol=1e-6)
    assert found.time[-1] == end
    assert (np.diff(found.time) > 0).all()


@given(end=st.floats(1e-3, 3.0), step=st.floats(0.01, 1.0))
def test_fixed_steps_land_exactly(end: float, step: float) -> None:
    found = path(oscillator(), [1.0, 0.0], end, method="rk4", step=step)
    inner = found.time[:-1]
    assert found.time[-1] == end
    assert np.array_equal(inner, np.arange(len(inner)) * step)
    assert np.diff(found.time).min() > 0.5e-9 * step
    assert np.diff(found.time).max() < step * (1 + 2e-9)


@pytest.mark.parametrize(("end", "steps"), [(1.0, 10), (1.0 + 1e-12, 10), (1.0 - 1e-12, 10), (0.35, 4), (1.001, 11)])
def test_number_of_fixed_steps(end: float, steps: int) -> None:
    assert len(path(oscillator(), [1.0, 0.0], end, method="rk4", step=0.1).time) == steps + 1


@pytest.mark.parametrize("options", [{}, {"method": "dopri5"}, {"method": "rk4", "step": 0.1}])
def test_an_end_already_reached_takes_no_step(options: dict[str, Any]) -> None:
    solver = solver_of(oscillator(), **options)
    solver.start(2.0, [1.0, 0.0])
    assert solver.advance(2.0, lambda piece: pytest.fail("there is nothing to hand over")) is Status.DONE
    assert (solver.time, solver.steps) == (2.0, 0)


def test_a_step_cut_short_by_the_end_does_not_shorten_the_next() -> None:
    whole, pieces = solver_of(oscillator(), rtol=1e-6), solver_of(oscillator(), rtol=1e-6)
    for solver in (whole, pieces):
        solver.start(0.0, [1.0, 0.0])
    run(whole, 30.0)
    run(pieces, *(k + extra for k in range(1, 31) for extra in (-1e-9, 0.0)))
    assert pieces.steps <= whole.steps + 60


# -- evaluations ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("method", "dense", "each"),
    [("rk4", True, 4), ("dopri5", True, 6), ("dop853", False, 12), ("dop853", True, 15)],
)
def test_the_last_stage_is_the_first_of_the_next_step(method: str, dense: bool, each: int) -> None:
    solver = solver_of(oscillator(), method=method, step=0.125, fixed=True, dense=dense)
    solver.start(0.0, [1.0, 0.0])
    found = run(solver, 2.0)
    assert solver.evaluations == 1 + 16 * each
    assert found.dense.shape == (16, len(TABLEAUS[method].dense) if dense else 0, 2)


def test_dense_output_does_not_change_the_steps() -> None:
    with_rows, without = (path(orbit(), ORBIT_START, 6.0, dense=dense) for dense in (True, False))
    assert with_rows.state.tobytes() == without.state.tobytes()


@pytest.mark.parametrize("width", [1, 2, 3, 4, 5, 8, 9])
def test_every_width_gives_each_entry_its_own_solution(width: int) -> None:
    rates = np.linspace(-1.0, 0.5, width)
    decay = program(width, lambda graph, t, x, p: [float(rate) * entry for rate, entry in zip(rates, x, strict=True)])
    found = path(decay, np.ones(width), 1.0, rtol=1e-12, atol=1e-12)
    assert found.state[-1] == pytest.approx(np.exp(rates), rel=1e-10)


# -- failures -------------------------------------------------------------------------------------


def root_of_the_rest() -> Program:
    return program(1, lambda graph, t, x, p: [graph.function(op.SQRT, 1.0 - t)])


@pytest.mark.parametrize("method", ADAPTIVE)
def test_a_rate_that_stops_being_a_number_is_approached_and_named(method: str) -> None:
    solver = solver_of(root_of_the_rest(), method=method)
    solver.start(0.0, [0.0])
    found = run(solver, 2.0)
    assert found.status is Status.NOT_A_NUMBER
    # A trial beyond 1 is retreated from by tenths down to 16 roundings of the time.
    assert 0.0 <= 1.0 - solver.time < 1000 * EPSILON
    assert solver.state[0] == pytest.approx(2.0 / 3.0, rel=1e-8)
    assert solver.concerned == 0
    for array in (found.time, found.state, found.rate, found.dense):
        assert np.isfinite(array).all()


def test_fixed_steps_stop_before_what_is_not_a_number() -> None:
    found = path(root_of_the_rest(), [0.0], 2.0, method="rk4", step=0.125)
    assert found.status is Status.NOT_A_NUMBER
    assert found.time[-1] == 1.0
    assert np.isfinite(found.state).all()


def test_the_entry_that_stops_being_a_number_is_named() -> None:
    third = program(3, lambda graph, t, x, p: [x[2], x[0], graph.function(op.LOG, 1.0 - t)])
    solver = solver_of(third)
    solver.start(0.0, [0.0, 0.0, 0.0])
    assert run(solver, 2.0).status is Status.NOT_A_NUMBER
    assert solver.concerned == 2


@pytest.mark.parametrize("method", ADAPTIVE)
def test_a_division_by_zero_is_approached(method: str) -> None:
    # x' = -1/x from 1: x = sqrt(1 - 2 t) ends at t = 1/2.
    solver = solver_of(program(1, lambda graph, t, x, p: [-1.0 / x[0]]), method=method)
    solver.start(0.0, [1.0])
    found = run(solver, 1.0)
    assert found.status in (Status.NOT_A_NUMBER, Status.STEP_TOO_SMALL)
    assert solver.time == pytest.approx(0.5, abs=1e-8)
    assert np.isfinite(found.state).all()
    assert solver.concerned == 0


@pytest.mark.parametrize("method", ADAPTIVE)
def test_a_solution_that_grows_without_bound_keeps_what_it_has(method: str) -> None:
    # x' = x^2 from 1: x = 1/(1 - t).
    solver = solver_of(program(1, lambda graph, t, x, p: [x[0] * x[0]]), method=method, rtol=1e-10)
    solver.start(0.0, [1.0])
    found = run(solver, 2.0)
    assert found.status in (Status.NOT_A_NUMBER, Status.STEP_TOO_SMALL)
    assert found.time[-1] == pytest.approx(1.0, abs=1e-8)
    assert solver.concerned == 0
    early = found.time < 0.999
    # An error e in x moves the pole by e (1 - t)^2, which is a relative error of at most 1000 e before 0.999.
    assert found.state[early, 0] == pytest.approx(1.0 / (1.0 - found.time[early]), rel=1e-6)


@pytest.mark.parametrize("method", ["rk4", "dopri5", "dop853"])
def test_a_step_below_the_resolution_of_time_is_refused(method: str) -> None:
    solver = solver_of(oscillator(), method=method, step=1e-9)
    solver.start(1e9, [1.0, 0.0])
    assert run(solver, 1e9 + 1.0).status is Status.STEP_TOO_SMALL
    assert solver.steps == 0
    assert solver.concerned is None


@cfunc(SIGNATURE)
def refuses_beyond_two(context: Any, time: Any, state: Any, values: Any, out: Any) -> Any:
    out[0] = 1.0
    return 7 if state[0] > 2.0 else 0


def refusing(**options: Any) -> Solver:
    return Solver(np.array([refuses_beyond_two.address, 0]), width=1, values=np.zeros(0), **options)


@pytest.mark.parametrize("method", ADAPTIVE)
def test_a_program_that_refuses_is_approached_and_its_reason_kept(method: str) -> None:
    solver = refusing(method=method)
    assert solver.start(0.0, [0.0]) is Status.DONE
    assert run(solver, 5.0).status is Status.PROGRAM_STATUS
    assert solver.reason == 7
    assert solver.time == pytest.approx(2.0, abs=1000 * EPSILON)


def test_fixed_steps_stop_when_a_program_refuses() -> None:
    solver = refusing(method="rk4", step=0.25)
    solver.start(0.0, [0.0])
    assert run(solver, 5.0).status is Status.PROGRAM_STATUS
    assert (solver.time, solver.reason) == (2.0, 7)


def test_a_start_that_a_program_refuses() -> None:
    solver = refusing()
    assert solver.start(0.0, [3.0]) is Status.PROGRAM_STATUS
    assert solver.reason == 7
    assert solver.advance(1.0, lambda piece: None) is Status.PROGRAM_STATUS


def test_a_start_where_the_rate_is_not_a_number() -> None:
    solver = solver_of(program(2, lambda graph, t, x, p: [x[1], 1.0 / x[0]]))
    assert solver.start(0.0, [0.0, 1.0]) is Status.NOT_A_NUMBER
    assert solver.concerned == 1
    assert solver.advance(1.0, lambda piece: None) is Status.NOT_A_NUMBER


# -- projection -----------------------------------------------------------------------------------


def unit_circle() -> Program:
    def corrected(graph: Any, t: Any, x: Any, p: Any) -> Any:
        length = graph.function(op.SQRT, x[0] * x[0] + x[1] * x[1])
        return [x[0] / length, x[1] / length]

    return program(2, corrected)


def projected(projection: Program | None, **options: Any) -> Solver:
    what = oscillator()
    cell = None if projection is None else projection.cell
    solver = Solver(what.cell, cell, width=2, values=np.zeros(0), owner=(what, projection), **options)
    solver.start(0.0, [1.0, 0.0])
    return solver


METHODS: list[dict[str, Any]] = [
    {"method": "rk4", "step": 0.1},
    {"method": "dopri5", "rtol": 1e-5},
    {"method": "dop853", "rtol": 1e-5},
]


@pytest.mark.parametrize("options", METHODS)
def test_projection_holds_the_constraint_to_rounding(options: dict[str, Any]) -> None:
    found = run(projected(unit_circle(), **options), 50.0)
    assert np.abs(np.hypot(found.state[:, 0], found.state[:, 1]) - 1.0).max() < 2 * EPSILON
    assert np.array_equal(found.rate, np.stack([found.state[:, 1], -found.state[:, 0]], axis=1))


@pytest.mark.parametrize("options", METHODS)
def test_a_projection_that_changes_nothing_costs_no_evaluation(options: dict[str, Any]) -> None:
    identity = program(2, lambda graph, t, x, p: list(x))
    without, beside = projected(None, **options), projected(identity, **options)
    assert run(without, 10.0).bits() == run(beside, 10.0).bits()
    assert without.evaluations == beside.evaluations


def test_dense_output_meets_the_projected_nodes() -> None:
    found = run(projected(unit_circle(), method="dop853", rtol=1e-6), 10.0)
    middle = np.array([found.between(i, np.array([0.5]))[0] for i in range(len(found.time) - 1)])
    assert np.abs(np.hypot(middle[:, 0], middle[:, 1]) - 1.0).max() < 1e-4


ACROSS: list[Callable[[], Program]] = [oscillator, witch]


@pytest.mark.parametrize("problem", ACROSS)
def test_both_tiers_give_the_same_bits(problem: Callable[[], Program]) -> None:
    interpreted, native = problem(), problem()
    native.compile()
    start = np.ones(interpreted.size)
    assert path(interpreted, start, 3.0).bits() == path(native, start, 3.0).bits()
