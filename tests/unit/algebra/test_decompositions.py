"""Null spaces and pseudoinverses in kernels, of matrices whose rows may follow from others, against LAPACK."""

from __future__ import annotations

from itertools import accumulate
from typing import Any

import numpy as np
import pytest
from numba import njit

from detent.algebra.decomposition_frame import DECOMPOSITION, LU, QR, SVD, room
from detent.algebra.decomposition_kernel import as_decomposition, decompose, null_space, particular, transposed
from detent.jit.intrinsics import as_doubles


@njit
def taken_apart(record: int, basis: int, right: int, x: int, push: int, y: int) -> Any:
    d = as_decomposition(record)
    decompose(d)
    count = null_space(d, as_doubles(basis))
    particular(d, as_doubles(right), as_doubles(x))
    transposed(d, as_doubles(push), as_doubles(y))
    return count


def solved(
    kind: int, matrix: np.ndarray, right: np.ndarray, push: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    m, n = matrix.shape
    sizes = room(m, n)
    memory, record = np.zeros(sum(sizes.values())), np.zeros(1, dtype=DECOMPOSITION)
    for name, before in zip(sizes, accumulate([0, *sizes.values()]), strict=False):
        record[name] = memory.ctypes.data + 8 * before
    record["kind"], record["rows"], record["columns"] = kind, m, n
    memory[: m * n] = matrix.ravel()
    basis, x, y = np.zeros(n * n), np.zeros(n), np.zeros(m)
    right, push = right.copy(), push.copy()
    given = [array.ctypes.data for array in (record, basis, right, x, push, y)]
    count = taken_apart(*given)
    return basis[: n * count].reshape(n, count), x, y


def random_matrix(seed: int) -> tuple[np.ndarray, int]:
    """Rows of which some are combinations of others, of very different sizes; its rank."""
    numbers = np.random.default_rng([seed, 12])
    m, n = (int(size) for size in numbers.integers(1, 8, 2))
    rank = int(numbers.integers(1, min(m, n) + 1))
    matrix = numbers.standard_normal((m, rank)) @ numbers.standard_normal((rank, n))
    return matrix * 10.0 ** numbers.integers(-2, 3), rank


@pytest.mark.parametrize("kind", [QR, SVD, LU])
@pytest.mark.parametrize("seed", range(60))
def test_null_space_and_solutions_satisfy_what_defines_them(seed: int, kind: int) -> None:
    """Condition numbers here stay below 1e5, and 1e-16 times that, some ten times over, is 1e-10."""
    matrix, rank = random_matrix(seed)
    numbers = np.random.default_rng([seed, 13])
    m, n = matrix.shape
    right, push = matrix @ numbers.standard_normal(n), matrix.T @ numbers.standard_normal(m)
    basis, x, y = solved(kind, matrix, right, push)
    size = np.abs(matrix).max()
    assert basis.shape == (n, n - rank)
    assert np.linalg.matrix_rank(basis) == n - rank if rank < n else True
    assert np.abs(matrix @ basis).max(initial=0.0) < 1e-10 * size
    assert np.abs(matrix @ x - right).max() < 1e-10 * size
    assert np.abs(matrix.T @ y - push).max() < 1e-10 * size


@pytest.mark.parametrize("kind", [QR, SVD])
@pytest.mark.parametrize("seed", range(60))
def test_solutions_are_those_of_the_pseudoinverse(seed: int, kind: int) -> None:
    """Also where rows contradict one another: the smallest in the least squares, as LAPACK finds it."""
    matrix, _ = random_matrix(seed)
    numbers = np.random.default_rng([seed, 14])
    m, n = matrix.shape
    right, push = numbers.standard_normal(m), numbers.standard_normal(n)
    basis, x, y = solved(kind, matrix, right, push)
    inverse = np.linalg.pinv(matrix, rcond=1e-9)
    size = 1e-9 * np.abs(inverse).max()
    assert np.abs(x - inverse @ right).max() < size
    assert np.abs(y - inverse.T @ push).max() < size
    assert np.abs(basis.T @ basis - np.eye(basis.shape[1])).max(initial=0.0) < 1e-13
