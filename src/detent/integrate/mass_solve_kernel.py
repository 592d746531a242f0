"""The kernel of :class:`detent.integrate.mass_solve.MassSolve`."""

from __future__ import annotations

import math

from detent.jit.abi import OK, SINGULAR
from detent.jit.intrinsics import ADDRESSES, as_doubles, as_words, call, kernel, read_word


@kernel(ADDRESSES)
def mass_solve(context, time, state, values, out):
    """out = (q', u', s', power), from a program whose outputs ``MassSolve`` describes."""
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
