"""Accelerations and reactions with all speeds kept: by the pseudoinverse of weighted rows, or along a null space."""

from __future__ import annotations

from detent.algebra.decomposition_kernel import as_decomposition, null_space, particular, transposed
from detent.algebra.elimination_kernel import solve
from detent.algebra.factorisation_kernel import in_triangle, solve_lower, solve_upper
from detent.jit.abi import OK, SINGULAR
from detent.jit.intrinsics import as_doubles, called
from detent.solves.constraint_frame import PARADOX
from detent.solves.state_kernel import write_plain_rates
from detent.solves.weighted_rows_kernel import (
    along_row,
    factorise_mass,
    push_sign,
    take_apart,
    weight_rows,
)


@called
def accelerate_weighted(head):
    """u' = M^-1 f + L^-T C^+ (gamma - C L^-1 f), and lambda."""
    n, m, scale = head.speeds, head.rows, factorise_mass(head)
    if scale < 0.0:
        return SINGULAR
    triangle, given, rows, gamma = (
        as_doubles(head.triangle),
        as_doubles(head.given),
        as_doubles(head.B),
        as_doubles(head.gamma),
    )
    rate, rest, lambdas, weighted = (
        as_doubles(head.rate),
        as_doubles(head.rest),
        as_doubles(head.lambdas),
        as_doubles(head.weighted),
    )
    for j in range(n):
        rate[j] = given[head.coordinates + j]
        for i in range(m):
            rate[j] += scale * rows[i * n + j] * gamma[i]
    solve_lower(triangle, n, rate, 0)
    weight_rows(head, rows, weighted)
    for i in range(m):
        rest[i] = gamma[i] - along_row(weighted, i, n, rate)
    if head.slides != 0:
        if push_sign(head) <= 0:
            return PARADOX
        pushed = as_doubles(head.pushed)
        for i in range(m):
            lambdas[i] = rest[i]
            for j in range(n):
                rate[j] += pushed[i * n + j] * rest[i]
    else:
        take_apart(head, weighted)
        d, step = as_decomposition(head.decomposition), as_doubles(head.step)
        particular(d, rest, step)
        transposed(d, step, lambdas)
        for j in range(n):
            rate[j] += step[j]
    solve_upper(triangle, n, rate)
    return OK


@called
def _reduce(head, count, push):
    """Z'^T M Z and Z'^T (f - M c), c being in ``rate``."""
    n = head.speeds
    mass, basis, moved = as_doubles(head.mass), as_doubles(head.basis), as_doubles(head.moved)
    reduced, free, force, rate = (
        as_doubles(head.reduced),
        as_doubles(head.free),
        as_doubles(head.force),
        as_doubles(head.rate),
    )
    for i in range(n):
        for k in range(count):
            total = 0.0
            for j in range(n):
                total += mass[i * n + j] * basis[j * count + k]
            moved[i * count + k] = total
        force[i] -= along_row(mass, i, n, rate)
    for a in range(count):
        for b in range(count):
            total = 0.0
            for i in range(n):
                total += push[i * count + a] * moved[i * count + b]
            reduced[a * count + b] = total
        total = 0.0
        for i in range(n):
            total += push[i * count + a] * force[i]
        free[a] = total


@called
def accelerate_along(head):
    """u' = Z w' + c with B c = gamma, and lambda from what M u' - f leaves."""
    n, lower = head.speeds, head.coordinates + 2 * head.speeds + head.signals + 1
    given, mass, force, rate = (
        as_doubles(head.given),
        as_doubles(head.mass),
        as_doubles(head.force),
        as_doubles(head.rate),
    )
    d, basis, push = as_decomposition(head.decomposition), as_doubles(head.basis), as_doubles(head.basis)
    for i in range(n):
        force[i] = given[head.coordinates + i]
        for j in range(n):
            mass[i * n + j] = given[lower + in_triangle(i, j)]
    take_apart(head, as_doubles(head.B))
    count = null_space(d, basis)
    particular(d, as_doubles(head.gamma), rate)
    if head.slides != 0:
        push = as_doubles(head.push)
        take_apart(head, as_doubles(head.reaction))
        if null_space(d, push) != count or (factorise_mass(head) >= 0.0 and push_sign(head) <= 0):
            return PARADOX
    _reduce(head, count, push)
    free = as_doubles(head.free)
    if solve(as_doubles(head.reduced), count, free, 1) == 0:
        return PARADOX if head.slides != 0 else SINGULAR
    for i in range(n):
        for k in range(count):
            rate[i] += basis[i * count + k] * free[k]
    for i in range(n):
        force[i] = along_row(mass, i, n, rate) - given[head.coordinates + i]
    transposed(d, force, as_doubles(head.lambdas))
    return OK


@called
def write_rates(head, out):
    """out = (q', u', s', power); reactions that slide or are driven do work."""
    n_q, n, power = head.coordinates, head.speeds, head.coordinates + head.speeds + head.signals
    lambdas, x = as_doubles(head.lambdas), as_doubles(head.state)
    rows, constant, push = as_doubles(head.B), as_doubles(head.C), as_doubles(head.reaction)
    write_plain_rates(head, out)
    total = out[power]
    for i in range(head.rows):
        # B u, as it is on the constraints: in a stage they are violated by what is taken out later
        along = -constant[i]
        if head.slides != 0:
            for j in range(n):
                along += (push[i * n + j] - rows[i * n + j]) * x[n_q + j]
        total += lambdas[i] * along
    out[power] = total
