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
