"""The interpolant reproduces the polynomials it is made of, and jumps have two sides."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.polynomial import Polynomial
from numpy.typing import ArrayLike
from scipy.integrate import DOP853, solve_ivp

from detent.errors import DetentError, OutsideRunError
from detent.results import StateLayout, Trajectory

ONLY_WORK = StateLayout((), ())
coefficients = st.lists(st.integers(-9, 9), min_size=8, max_size=8)


def of_one_column(time: ArrayLike, state: ArrayLike, rate: ArrayLike, dense: ArrayLike | None) -> Trajectory:
    rows = None if dense is None else np.asarray(dense, dtype=float)
    return Trajectory(ONLY_WORK, np.array(time, dtype=float), np.array(state), np.array(rate), rows)


def divided(polynomial: list[Fraction], root: int) -> tuple[Fraction, list[Fraction]]:
    """The remainder and the quotient of a polynomial (lowest power first) by s - root."""
    quotient = [Fraction(0)] * (len(polynomial) - 1)
    carry = Fraction(0)
    for power in range(len(polynomial) - 1, 0, -1):
        carry = polynomial[power] + root * carry
        quotient[power - 1] = carry
    return polynomial[0] + root * carry, quotient


def nested_rows(powers: list[Fraction]) -> list[Fraction]:
    """The rows dy, r3, r4, ... of x(s) = x0 + s (dy + (1 - s)(r3 + s (r4 + ...))) for x given by its powers of s.

    The bracket that holds a row as its constant is evaluated where the factor behind the row is zero: at s = 1
    for dy, at s = 0 for r3, and so on in turn.
    """
    bracket, rows, root = powers[1:], [], 1
    while bracket:
        row, bracket = divided(bracket, root)
        if root == 1:
            bracket = [-value for value in bracket]  # divided by 1 - s, not by s - 1
        rows.append(row)
        root = 1 - root
    return rows


def one_interval(values: list[int], h: float, extra: int) -> Trajectory:
    """A trajectory of one step that holds x = sum values[k] s^k, with as many dense rows as asked for."""
    x = Polynomial(values)
    rate = x.deriv()
    rows = [float(row) for row in nested_rows([Fraction(value) for value in values])][3 : 3 + extra]
    dense = np.array(rows).reshape(1, extra, 1)
    states, rates = [[x(0)], [x(1)]], [[rate(0) / h], [rate(1) / h]]
    return of_one_column([0.0, h], states, rates, dense)


@pytest.mark.parametrize("extra", range(5))
@given(values=coefficients, h=st.sampled_from([0.25, 1.0, 8.0]))
def test_polynomials_of_the_stepper_are_reproduced_exactly(extra: int, values: list[int], h: float) -> None:
    # Small integers and eighths of a step: every operation is exact in double precision, so nothing may differ.
    values = values[: extra + 4]
    s = np.arange(9) / 8
    found = one_interval(values, h, extra).at(h * s)[:, 0]
    np.testing.assert_array_equal(found, Polynomial(values)(s))


@pytest.mark.parametrize("extra", range(5))
def test_one_degree_more_is_not_reproduced(extra: int) -> None:
    values = [0] * (extra + 4) + [1]
    assert abs(one_interval(values, 1.0, extra).at(0.25)[0] - 0.25 ** (extra + 4)) > 1e-5


@given(values=st.lists(st.floats(-10, 10), min_size=4, max_size=4), start=st.floats(-10, 10), s=st.floats(0, 1))
def test_cubics_are_reproduced_to_rounding(values: list[float], start: float, s: float) -> None:
    h = 0.5
    x = Polynomial(values)
    states, rates = [[x(0.0)], [x(1.0)]], [[x.deriv()(0.0) / h], [x.deriv()(1.0) / h]]
    found = of_one_column([start, start + h], states, rates, np.zeros((1, 0, 1)))
    time = min(start + h * s, found.time[-1])
    # The time is known to half a unit in its last place, and about twenty operations round.
    slope = sum(k * abs(value) for k, value in enumerate(values)) / h
    bound = 4 * np.spacing(abs(start) + h) * slope + 40 * np.finfo(float).eps * (1 + np.abs(values).sum())
    assert abs(found.at(time)[0] - x((time - start) / (found.time[1] - start))) <= bound


def test_rows_of_dop853_give_its_own_dense_output() -> None:
    solver = DOP853(lambda t, x: np.array([x[1], -np.sin(x[0])]), 0.0, [2.0, 0.0], 10.0, rtol=1e-9, atol=1e-9)
    time, states, rates, dense = [0.0], [solver.y], [solver.f], []
    while solver.status == "running":
        solver.step()
        dense.append(solver.dense_output().F[3:])
        time, states, rates = [*time, solver.t], [*states, solver.y], [*rates, solver.f]
    widened = [np.pad(np.array(array), [(0, 0)] * (np.ndim(array) - 1) + [(0, 1)]) for array in (states, rates, dense)]
    found = Trajectory(StateLayout(("angle",), ("rate",)), np.array(time), *widened)
    asked = np.linspace(0.0, 10.0, 301)
    expected = solve_ivp(solver.fun, (0, 10), [2.0, 0.0], "DOP853", rtol=1e-9, atol=1e-9, dense_output=True).sol(asked)
    np.testing.assert_allclose(found.at(asked)[:, :2], expected.T, rtol=0, atol=1e-14)


def jumping() -> Trajectory:
    """x = t until t = 1, where it jumps twice, to 5 and then to 7; afterwards x = 6 + t."""
    states = [[0.0], [1.0], [5.0], [7.0], [8.0]]
    rates = [[1.0], [1.0], [np.nan], [1.0], [1.0]]
    dense = np.zeros((4, 1, 1))
    dense[1:3] = np.nan
    return of_one_column([0.0, 1.0, 1.0, 1.0, 2.0], states, rates, dense)


def test_the_state_at_a_jump_is_the_one_after_it() -> None:
    assert jumping().at(1.0).tolist() == [7.0]


def test_a_jump_is_approached_from_both_sides_without_being_interpolated() -> None:
    before, after = np.nextafter(1.0, 0.0), np.nextafter(1.0, 2.0)
    np.testing.assert_allclose(jumping().at([before, after])[:, 0], [1.0, 7.0], rtol=1e-15)


def test_a_jump_at_the_end_gives_the_state_after_it() -> None:
    ending = of_one_column([0.0, 1.0, 1.0], [[0.0], [1.0], [9.0]], np.ones((3, 1)), np.zeros((2, 0, 1)))
    assert ending.at(1.0).tolist() == [9.0]


def test_nodes_are_given_exactly_even_where_the_rate_is_not_a_number() -> None:
    states = [[0.1], [0.3]]
    broken = of_one_column([0.0, 0.7], states, [[np.nan], [np.inf]], np.full((1, 4, 1), np.nan))
    assert broken.at([0.0, 0.7]).tolist() == states


def test_a_run_of_one_node_has_a_state() -> None:
    only = of_one_column([3.0], [[4.0]], [[0.0]], np.zeros((0, 4, 1)))
    assert only.at(3.0).tolist() == [4.0]


def test_times_of_any_shape_keep_their_shape() -> None:
    assert jumping().at(0.5).shape == (1,)
    assert jumping().at([[0.0, 0.5], [1.0, 1.5]]).shape == (2, 2, 1)
    assert jumping().at([]).shape == (0, 1)


@given(st.lists(st.floats(0.0, 2.0), min_size=1))
def test_many_times_give_the_same_bits_as_one_at_a_time(times: list[float]) -> None:
    together = jumping().at(times)
    assert together.tobytes() == b"".join(jumping().at(time).tobytes() for time in times)


@pytest.mark.parametrize("time", [-1e-9, 2.0000001, float("nan"), float("inf"), -float("inf")])
def test_a_time_outside_the_run_is_refused(time: float) -> None:
    with pytest.raises(OutsideRunError, match=r"no state at t = .*; it covers 0\.0 to 2\.0"):
        jumping().at([0.5, time])


def test_asked_for_times_can_be_read_and_no_others() -> None:
    kept = of_one_column([0.0, 0.1, 0.2], [[0.0], [1.0], [2.0]], np.zeros((3, 1)), None)
    assert kept.at([0.1, 0.2]).ravel().tolist() == [1.0, 2.0]
    with pytest.raises(DetentError, match=r"kept only the asked-for times .* t = 0\.15 .* simulate without times="):
        kept.at([0.1, 0.15])
    with pytest.raises(OutsideRunError):
        kept.at(0.3)


def test_arrays_cannot_be_changed() -> None:
    trajectory = jumping()
    for array in (trajectory.time, trajectory.state, trajectory.rate, trajectory.dense):
        assert array is not None
        assert array.dtype == np.float64
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1.0
    trajectory.at(0.5)[0] = 1.0


@pytest.mark.parametrize(
    ("time", "text"),
    [([], "at least one"), ([0.0, -1.0], "must not decrease"), ([0.0, np.nan], "must be finite")],
)
def test_impossible_times_are_refused(time: list[float], text: str) -> None:
    count = len(time)
    with pytest.raises(DetentError, match=text):
        of_one_column(time, np.zeros((count, 1)), np.zeros((count, 1)), None)


@pytest.mark.parametrize("wrong", ["state", "rate", "dense"])
def test_arrays_of_the_wrong_shape_are_refused(wrong: str) -> None:
    arrays = {"state": np.zeros((2, 1)), "rate": np.zeros((2, 1)), "dense": np.zeros((1, 4, 1))}
    arrays[wrong] = np.zeros((2, 2))
    with pytest.raises(DetentError, match=rf"{wrong}.* has shape \(2, 2\), expected"):
        of_one_column([0.0, 1.0], **arrays)
