"""Rates by a dense factorisation in the kernel, from a program that gives M and f.

For systems whose unrolled solve would be too much code for a compiler to digest, and for the moment
after a change when nothing but M and f exists yet.
"""

from __future__ import annotations

import math

import numpy as np
from numba import cfunc, types
from numpy.typing import NDArray

from detent.jit.abi import OK, SINGULAR, as_doubles, as_words, call, read_word

_ADDRESSES = types.int64(types.int64, types.float64, types.int64, types.int64, types.int64)
"""The calling convention with its pointers as plain addresses, which are passed on to the inner program."""


@cfunc(_ADDRESSES, cache=True, error_model="numpy")
def mass_solve(context, time, state, values, out):  # type: ignore[no-untyped-def]
    """out = (q', u', s', power), from a program whose outputs :class:`MassSolve` describes."""
    head = as_words(context)
    n_q, n, n_s = head[1], head[2], head[3]
    cell, given, result = as_words(head[0]), as_doubles(head[4]), as_doubles(out)
    status = call(read_word(head[0]), cell[1], time, state, values, head[4])
    if status != OK:
        return status
    f, power = n_q, n_q + n + n_s
    drive, m = power + 1, power + 1 + n
    for i in range(n):  # Cholesky in place: M = L L^T, row by row
        row = m + i * (i + 1) // 2
        for j in range(i + 1):
            other = m + j * (j + 1) // 2
            total = given[row + j]
            for k in range(j):
                total -= given[row + k] * given[other + k]
            if i == j:
                if not total > 0.0:
                    return SINGULAR
                given[row + i] = math.sqrt(total)
            else:
                given[row + j] = total / given[other + j]
    for i in range(n):
        row = m + i * (i + 1) // 2
        total = given[f + i]
        for k in range(i):
            total -= given[row + k] * given[f + k]
        given[f + i] = total / given[row + i]
    for i in range(n - 1, -1, -1):
        total = given[f + i]
        for k in range(i + 1, n):
            total -= given[m + k * (k + 1) // 2 + i] * given[f + k]
        given[f + i] = total / given[m + i * (i + 1) // 2 + i]
    total = given[power]
    for i in range(n):
        total += given[drive + i] * given[f + i]
    for i in range(n_q + n + n_s):
        result[i] = given[i]
    result[n_q + n + n_s] = total
    return OK


class MassSolve:
    """A cell for rates that are solved for in the kernel.

    ``program`` is the cell of a program with the outputs, in this order: q' (``coordinates`` of them), f (``speeds``),
    s' (``signals``), the power that does not depend on u', its factor of each u' (``speeds``), and the
    lower triangle of M row by row.
    """

    def __init__(self, program: NDArray[np.int64], coordinates: int, speeds: int, signals: int) -> None:
        size = coordinates + 2 * speeds + signals + 1 + speeds * (speeds + 1) // 2
        self._given = np.zeros(size)
        self._program = program
        self._head = np.array(
            [program.ctypes.data, coordinates, speeds, signals, self._given.ctypes.data], dtype=np.int64
        )
        self.cell = np.array([mass_solve.address, self._head.ctypes.data], dtype=np.int64)
