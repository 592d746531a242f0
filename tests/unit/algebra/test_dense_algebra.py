"""Elimination and factorisation in kernels satisfy the equations that define them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numba import njit

from detent.algebra.elimination_kernel import last_pivot, solve
from detent.algebra.factorisation_kernel import factorise, solve_factorised
from detent.algebra.rank_kernel import basic_solution, null_vector, reduce_by_rank

SMALL = np.finfo(float).eps


@njit
def solved(a: Any, n: int, b: Any, k: int) -> Any:
    return solve(a, n, b, k)


@njit
def pivot_of(a: Any, m: int, n: int) -> Any:
    return last_pivot(a, m, n)


@njit
def factorised(triangle: Any, n: int, b: Any) -> Any:
    if not factorise(triangle, n):
        return False
    solve_factorised(triangle, n, b)
    return True


def random_matrix(seed: int, rows: int, columns: int) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal((rows, columns))


@given(seed=st.integers(0, 10**6), n=st.integers(1, 8), k=st.integers(1, 3))
def test_the_solution_satisfies_the_equations(seed: int, n: int, k: int) -> None:
    """Row pivoting leaves a residual of about n eps |A| |x|; growth of the entries, at most 2^(n-1), allows more."""
    a, x = random_matrix(seed, n, n), random_matrix(seed + 1, n, k)
    b = a @ x
    found = b.ravel().copy()
    sign = solved(a.ravel().copy(), n, found, k)
    assert sign == np.sign(np.linalg.det(a))
    found = found.reshape(n, k)
    bound = 2**n * n * SMALL * np.abs(a).sum() * np.abs(found).max()
    assert np.abs(a @ found - b).max() <= bound


def test_a_singular_matrix_has_no_sign() -> None:
    assert solved(np.array([1.0, 2.0, 2.0, 4.0]), 2, np.array([1.0, 1.0]), 1) == 0


@pytest.mark.parametrize(
    ("rows", "size"),
    [([[2.0, 0.0, 0.0], [0.0, 0.5, 0.0]], 0.5), ([[1.0, 2.0, 3.0], [2.0, 4.0, 6.0]], 0.0), ([[0.0, 0.0]], 0.0)],
)
def test_the_last_pivot_is_how_far_rows_are_from_depending_on_one_another(rows: list[list[float]], size: float) -> None:
    matrix = np.array(rows)
    assert pivot_of(matrix.ravel(), *matrix.shape) == size


@given(seed=st.integers(0, 10**6), n=st.integers(1, 8))
def test_cholesky_solves_what_is_positive_definite(seed: int, n: int) -> None:
    """The residual of Cholesky's method is within about n^2 eps |A| |x| whatever the condition."""
    root = random_matrix(seed, n, n)
    a, b = root @ root.T + n * np.eye(n), random_matrix(seed + 1, n, 1)[:, 0]
    found = b.copy()
    assert factorised(a[np.tril_indices(n)], n, found)
    assert np.abs(a @ found - b).max() <= 4 * n**2 * SMALL * np.abs(a).max() * np.abs(found).sum()


def test_what_is_not_positive_definite_is_not_factorised() -> None:
    assert not factorised(np.array([1.0, 2.0, 1.0]), 2, np.array([1.0, 1.0]))


@njit
def reduced(a: Any, m: int, n: int, right: Any, order: Any, x: Any, z: Any) -> Any:
    """The rank, the basic solution, and a row of ``z`` for each unknown without a pivot."""
    rank = reduce_by_rank(a, m, n, right, order, 1e-11)
    basic_solution(a, n, rank, right, order, x)
    for free in range(rank, n):
        null_vector(a, n, rank, free, order, z[free - rank])
    return rank


@given(seed=st.integers(0, 10**6), m=st.integers(1, 7), n=st.integers(1, 7), rank=st.integers(0, 7))
def test_equations_that_follow_from_others_are_found_and_leave_unknowns_free(
    seed: int, m: int, n: int, rank: int
) -> None:
    """Residuals are rounding times the size of the entries, growth included, as above."""
    rank = min(m, n, rank)
    a = random_matrix(seed, m, rank) @ random_matrix(seed + 1, rank, n)
    b, x, z = a @ random_matrix(seed + 2, n, 1).ravel(), np.zeros(n), np.zeros((n, n))
    assert reduced(a.ravel().copy(), m, n, b.copy(), np.zeros(n, dtype=np.int64), x, z) == rank
    bound = 2**n * n * SMALL * max(np.abs(a).sum(), SMALL)
    assert np.abs(a @ x - b).max(initial=0) <= bound * max(1.0, np.abs(x).max())
    for vector in z[: n - rank]:
        assert np.abs(a @ vector).max(initial=0) <= bound * max(1.0, np.abs(vector).max())
    assert np.linalg.matrix_rank(z[: n - rank]) == n - rank
