"""The kernels of :class:`detent.solves.full_solve.FullSolve`: rates, reactions and corrections with all speeds kept.

M = L L^T; in the coordinates y = L^T u the mass is one and the rows are C = B L^-T, so that the smallest change by mass
is the smallest by length, and the pseudoinverse of C finds it whether or not some rows follow from others.
"""

from __future__ import annotations

import math
from typing import Final

from detent.algebra.decomposition_kernel import as_decomposition, decompose, null_space, particular, transposed
from detent.algebra.elimination_kernel import solve
from detent.algebra.factorisation_kernel import factorise, in_triangle
from detent.jit.abi import OK, SINGULAR
from detent.jit.intrinsics import ADDRESSES, as_doubles, as_words, call_cell, called, kernel, record_reader
from detent.solves import full_frame as at
from detent.solves.constraint_frame import PARADOX

as_full: Final = record_reader(at.FULL)
as_numbers: Final = record_reader(at.NUMBERS)

_SINGULAR_PIVOT: Final = 1e-13
"""A pivot of M that is smaller, relative to the entry it came from, is rounding."""


# -- M --------------------------------------------------------------------------------------------


@called
def _is_definite(head, lower):
    """Factorise M, which stands in ``triangle``; whether it could be."""
    n, triangle, given = head.speeds, as_doubles(head.triangle), as_doubles(head.given)
    if not factorise(triangle, n):
        return False
    for i in range(n):
        pivot = triangle[in_triangle(i, i)]
        if not pivot * pivot > _SINGULAR_PIVOT * given[lower + in_triangle(i, i)]:
            return False
    return True


@called
def _weigh(head):
    """M = L L^T. Where M is singular, s B^T B is added, which changes no smallest change: s, or -1 where that fails."""
    n, m = head.speeds, head.rows
    given, triangle, rows = as_doubles(head.given), as_doubles(head.triangle), as_doubles(head.B)
    lower = head.coordinates + 2 * n + head.signals + 1
    size = n * (n + 1) // 2
    for k in range(size):
        triangle[k] = given[lower + k]
    if _is_definite(head, lower):
        return 0.0
    mass, bound = 0.0, 0.0
    for i in range(n):
        mass += given[lower + in_triangle(i, i)]
    for k in range(m * n):
        bound += rows[k] * rows[k]
    if not bound > 0.0:
        return -1.0
    scale = mass / bound if mass > 0.0 else 1.0
    for i in range(n):
        for j in range(i + 1):
            total = given[lower + in_triangle(i, j)]
            for r in range(m):
                total += scale * rows[r * n + i] * rows[r * n + j]
            triangle[in_triangle(i, j)] = total
    return scale if factorise(triangle, n) else -1.0


@called
def _forward(triangle, n, x, first):
    """L y = x in place, from x[first] on."""
    for i in range(n):
        row, total = in_triangle(i, 0), x[first + i]
        for k in range(i):
            total -= triangle[row + k] * x[first + k]
        x[first + i] = total / triangle[row + i]


@called
def _backward(triangle, n, x):
    """L^T y = x in place."""
    for i in range(n - 1, -1, -1):
        total = x[i]
        for k in range(i + 1, n):
            total -= triangle[in_triangle(k, i)] * x[k]
        x[i] = total / triangle[in_triangle(i, i)]


@called
def _weight_rows(head, rows, out):
    """C = B L^-T, row by row."""
    n, triangle = head.speeds, as_doubles(head.triangle)
    for i in range(head.rows):
        for j in range(n):
            out[i * n + j] = rows[i * n + j]
        _forward(triangle, n, out, i * n)


@called
def _take_apart(head, rows):
    """Take all of some rows apart."""
    d = as_decomposition(head.decomposition)
    matrix = as_doubles(d.matrix)
    d.rows = head.rows
    for k in range(head.rows * head.speeds):
        matrix[k] = rows[k]
    decompose(d)


@called
def _take_configurations_apart(head):
    """The same with the weighted rows that bind the configuration."""
    n, d = head.speeds, as_decomposition(head.decomposition)
    matrix, weighted, numbers = as_doubles(d.matrix), as_doubles(head.weighted), as_words(head.configurations)
    d.rows = head.configuration_count
    for i in range(head.configuration_count):
        for j in range(n):
            matrix[i * n + j] = weighted[numbers[i] * n + j]
    decompose(d)


# -- accelerations and reactions ------------------------------------------------------------------


@called
def _along(rows, i, n, x):
    total = 0.0
    for j in range(n):
        total += rows[i * n + j] * x[j]
    return total


@called
def _push_sign(head):
    """(C C'^T) lambda = rest, solved in ``rest``: the sign of the determinant."""
    n, m = head.speeds, head.rows
    weighted, pushed, square = as_doubles(head.weighted), as_doubles(head.pushed), as_doubles(head.square)
    _weight_rows(head, as_doubles(head.B), weighted)
    _weight_rows(head, as_doubles(head.reaction), pushed)
    for i in range(m):
        for k in range(m):
            total = 0.0
            for j in range(n):
                total += weighted[i * n + j] * pushed[k * n + j]
            square[i * m + k] = total
    return solve(square, m, as_doubles(head.rest), 1)


@called
def _accelerate_weighted(head):
    """u' = M^-1 f + L^-T C^+ (gamma - C L^-1 f), and lambda."""
    n, m, scale = head.speeds, head.rows, _weigh(head)
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
    _forward(triangle, n, rate, 0)
    _weight_rows(head, rows, weighted)
    for i in range(m):
        rest[i] = gamma[i] - _along(weighted, i, n, rate)
    if head.slides != 0:
        if _push_sign(head) <= 0:
            return PARADOX
        pushed = as_doubles(head.pushed)
        for i in range(m):
            lambdas[i] = rest[i]
            for j in range(n):
                rate[j] += pushed[i * n + j] * rest[i]
    else:
        _take_apart(head, weighted)
        d, step = as_decomposition(head.decomposition), as_doubles(head.step)
        particular(d, rest, step)
        transposed(d, step, lambdas)
        for j in range(n):
            rate[j] += step[j]
    _backward(triangle, n, rate)
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
        force[i] -= _along(mass, i, n, rate)
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
def _accelerate_along(head):
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
    _take_apart(head, as_doubles(head.B))
    count = null_space(d, basis)
    particular(d, as_doubles(head.gamma), rate)
    if head.slides != 0:
        push = as_doubles(head.push)
        _take_apart(head, as_doubles(head.reaction))
        if null_space(d, push) != count or (_weigh(head) >= 0.0 and _push_sign(head) <= 0):
            return PARADOX
    _reduce(head, count, push)
    free = as_doubles(head.free)
    if solve(as_doubles(head.reduced), count, free, 1) == 0:
        return PARADOX if head.slides != 0 else SINGULAR
    for i in range(n):
        for k in range(count):
            rate[i] += basis[i * count + k] * free[k]
    for i in range(n):
        force[i] = _along(mass, i, n, rate) - given[head.coordinates + i]
    transposed(d, force, as_doubles(head.lambdas))
    return OK


@called
def _velocity_residuals(head, x, out):
    """B u + C."""
    n_q, n, m = head.coordinates, head.speeds, head.rows
    rows, constant = as_doubles(head.B), as_doubles(head.C)
    for i in range(m):
        total = constant[i]
        for j in range(n):
            total += rows[i * n + j] * x[n_q + j]
        out[i] = total


@called
def _manifold(head, x):
    """s of each row into ``free``, and alpha, without the part that is left to the gain, into ``rest``.

    s = mu^2 w'' + 2 mu w' + w for a row of the configuration, mu w' + w for one of the motion; u' is in ``rate``.
    """
    n, mu = head.speeds, as_numbers(head.numbers).time_constant
    rows, phi, gamma, rate = as_doubles(head.B), as_doubles(head.phi), as_doubles(head.gamma), as_doubles(head.rate)
    distance, rest, velocity = as_doubles(head.free), as_doubles(head.rest), as_doubles(head.lambdas)
    numbers, place = as_words(head.configurations), 0
    _velocity_residuals(head, x, velocity)
    for i in range(head.rows):
        change = _along(rows, i, n, rate) - gamma[i]
        if place < head.configuration_count and numbers[place] == i:
            place += 1
            distance[i] = mu * mu * change + 2.0 * mu * velocity[i] + phi[i]
            rest[i] = 2.0 * mu * change + velocity[i]
        else:
            distance[i] = mu * change + velocity[i]
            rest[i] = change


@called
def _push_by_multipliers(head, x):
    """u' = M^-1 (f + B'^T z) into ``rate``, M factorised; OK, or SINGULAR."""
    n, rate, given, places = head.speeds, as_doubles(head.rate), as_doubles(head.given), as_words(head.multipliers)
    rows = as_doubles(head.reaction) if head.slides != 0 else as_doubles(head.B)
    if _weigh(head) != 0.0:
        return SINGULAR
    for j in range(n):
        rate[j] = given[head.coordinates + j]
        for i in range(head.rows):
            rate[j] += rows[i * n + j] * x[places[i]]
    _forward(as_doubles(head.triangle), n, rate, 0)
    _backward(as_doubles(head.triangle), n, rate)
    return OK


@called
def _slide(head):
    """z' = -J^+ (alpha + K sat(s/epsilon)) into ``lambdas``, J = mu^2 or mu times B M^-1 B'^T (Pedrami, (39))."""
    numbers, x = as_numbers(head.numbers), as_doubles(head.state)
    status = _push_by_multipliers(head, x)
    if status != OK:
        return status
    _manifold(head, x)
    distance, rest, lambdas = as_doubles(head.free), as_doubles(head.rest), as_doubles(head.lambdas)
    bound, place = as_words(head.configurations), 0
    for i in range(head.rows):
        pull = max(-1.0, min(1.0, distance[i] / numbers.boundary))
        factor = numbers.time_constant
        if place < head.configuration_count and bound[place] == i:
            place += 1
            factor *= numbers.time_constant
        rest[i] = -(rest[i] + numbers.gain * pull) / factor
    if head.slides != 0:
        if _push_sign(head) <= 0:
            return PARADOX
        for i in range(head.rows):
            lambdas[i] = rest[i]
        return OK
    _weight_rows(head, as_doubles(head.B), as_doubles(head.weighted))
    _take_apart(head, as_doubles(head.weighted))
    d, step = as_decomposition(head.decomposition), as_doubles(head.step)
    particular(d, rest, step)
    transposed(d, step, lambdas)
    return OK


@called
def _write_plain_rates(head, out):
    """out = (q', u', s', power) but for the power of reactions."""
    n_q, n, n_s = head.coordinates, head.speeds, head.signals
    given, rate = as_doubles(head.given), as_doubles(head.rate)
    for i in range(n_q + n + n_s):
        out[i] = given[i]
    for j in range(n):
        out[n_q + j] = rate[j]
    power = n_q + n + n_s
    out[power] = given[power]
    for j in range(n):
        out[power] += given[power + 1 + j] * rate[j]


@called
def _write_sliding_rates(head, out):
    """out = (q', u', s' with z', power): also what reactions do along rows that do not hold exactly is work."""
    n_q, n, places = head.coordinates, head.speeds, as_words(head.multipliers)
    x, slopes = as_doubles(head.state), as_doubles(head.lambdas)
    rows, power = as_doubles(head.reaction) if head.slides != 0 else as_doubles(head.B), n_q + n + head.signals
    _write_plain_rates(head, out)
    for i in range(head.rows):
        out[places[i]] = slopes[i]
        total = 0.0
        for j in range(n):
            total += rows[i * n + j] * x[n_q + j]
        out[power] += x[places[i]] * total


@called
def _write_rates(head, out):
    """out = (q', u', s', power); reactions that slide or are driven do work."""
    n_q, n, power = head.coordinates, head.speeds, head.coordinates + head.speeds + head.signals
    lambdas, x = as_doubles(head.lambdas), as_doubles(head.state)
    rows, constant, push = as_doubles(head.B), as_doubles(head.C), as_doubles(head.reaction)
    _write_plain_rates(head, out)
    total = out[power]
    for i in range(head.rows):
        along = -constant[
            i
        ]  # B u, as it is on the constraints: in a stage they are violated by what is taken out later
        if head.slides != 0:
            for j in range(n):
                along += (push[i * n + j] - rows[i * n + j]) * x[n_q + j]
        total += lambdas[i] * along
    out[power] = total


# -- residuals ------------------------------------------------------------------------------------


@called
def _turn_positions(head, x):
    """q and quaternions moved by -W times what stands in ``step``."""
    n_q, n, n_s = head.coordinates, head.speeds, head.signals
    turn, step = as_doubles(head.turn), as_doubles(head.step)
    for i in range(n_q + n_s):
        x[i if i < n_q else n + i] -= _along(turn, i, n, step)


@called
def _position_step(head, residuals):
    """L^-T C_q^+ residuals of the rows that bind the configuration, into ``step``; they are taken apart already."""
    numbers, rest, step = as_words(head.configurations), as_doubles(head.rest), as_doubles(head.step)
    for i in range(head.configuration_count):
        rest[i] = residuals[numbers[i]]
    particular(as_decomposition(head.decomposition), rest, step)
    _backward(as_doubles(head.triangle), head.speeds, step)


@called
def _velocity_step(head, residuals):
    """L^-T C^+ residuals of all rows into ``step``; they are taken apart already."""
    step = as_doubles(head.step)
    particular(as_decomposition(head.decomposition), residuals, step)
    _backward(as_doubles(head.triangle), head.speeds, step)


@called
def _pull(head, out):
    """Equations (1) and (2) of Braun and Goldfarb: rates under which residuals would vanish within a step."""
    n_q, n, pull = head.coordinates, head.speeds, as_numbers(head.numbers).pull
    frozen = head.placing == at.FROZEN
    step, wanted, residuals = as_doubles(head.step), as_doubles(head.lambdas), as_doubles(head.free)
    phi = as_doubles(head.frozen_phi) if frozen else as_doubles(head.phi)
    velocity = as_doubles(head.frozen_velocity)
    if _weigh(head) < 0.0:
        return SINGULAR
    _weight_rows(head, as_doubles(head.B), as_doubles(head.weighted))
    _velocity_residuals(head, as_doubles(head.state), residuals)
    _take_configurations_apart(head)
    for i in range(head.rows):
        wanted[i] = residuals[i] + pull * phi[i]
    _position_step(head, wanted)
    _turn_positions(head, out)
    _take_apart(head, as_doubles(head.weighted))
    for i in range(head.rows):
        wanted[i] = pull * (velocity[i] if frozen else residuals[i])
    _velocity_step(head, wanted)
    for j in range(n):
        out[n_q + j] -= step[j]
    return OK


@called
def _evaluate(head, time, state, values):
    status = call_cell(head.constraints, time, state, values, head.B)
    return status if status != OK else call_cell(head.unsolved, time, state, values, head.given)


@called
def _unit_quaternions(head, x):
    places = as_words(head.quaternions)
    for k in range(head.quaternion_count):
        total = 0.0
        for i in range(4):
            total += x[places[4 * k + i]] * x[places[4 * k + i]]
        length = math.sqrt(total)
        for i in range(4):
            x[places[4 * k + i]] /= length


@called
def _bring_onto(head, time, address, values):
    """Positions onto the constraints, by the smallest change by mass, some times; all is evaluated at the end."""
    phi, x, before = as_doubles(head.phi), as_doubles(address), math.inf
    for _ in range(head.iterations):
        worst = 0.0
        for i in range(head.rows):
            worst = max(worst, abs(phi[i]))
        if worst <= 1e-15 or worst > 0.5 * before or not worst < 1e300:
            break  # as good as it gets, or nothing that a step could mend
        before = worst
        if _weigh(head) < 0.0:
            return SINGULAR
        _weight_rows(head, as_doubles(head.B), as_doubles(head.weighted))
        _take_configurations_apart(head)
        _position_step(head, phi)
        _turn_positions(head, x)
        _unit_quaternions(head, x)
        status = _evaluate(head, time, address, values)
        if status != OK:
            return status
    return OK


@called
def _correct_speeds(head, time, address, values):
    """Speeds onto the constraints, by the smallest change by mass; where rows are not linear in them, several times."""
    n_q, n, x = head.coordinates, head.speeds, as_doubles(address)
    residuals, step, before = as_doubles(head.lambdas), as_doubles(head.step), math.inf
    for _ in range(head.iterations):
        if _weigh(head) < 0.0:
            return SINGULAR
        _weight_rows(head, as_doubles(head.B), as_doubles(head.weighted))
        _take_apart(head, as_doubles(head.weighted))
        _velocity_residuals(head, x, residuals)
        worst = 0.0
        for i in range(head.rows):
            worst = max(worst, abs(residuals[i]))
        if worst <= 1e-15 or worst > 0.5 * before or not worst < 1e300:
            break
        before = worst
        _velocity_step(head, residuals)
        for j in range(n):
            x[n_q + j] -= step[j]
        if head.iterations > 1:
            status = _evaluate(head, time, address, values)
            if status != OK:
                return status
    return OK


@called
def _correct_energy(head, time, address, values):
    """u <- u - L^-T (C_e N_v)^+ Phi_e, N_v = 1 - C^+ C; the rows are taken apart already."""
    n_q, n, x = head.coordinates, head.speeds, as_doubles(address)
    found, rest, step = as_doubles(head.gradient), as_doubles(head.rest), as_doubles(head.step)
    rate, triangle, numbers = as_doubles(head.rate), as_doubles(head.triangle), as_numbers(head.numbers)
    status = call_cell(head.energy, time, address, values, head.gradient)
    if status != OK:
        return status
    excess = found[0] - x[n_q + n + head.signals]
    if head.begins != 0:
        numbers.reference = excess
        return OK
    for j in range(n):
        rate[j] = found[1 + j]
    _forward(triangle, n, rate, 0)
    for i in range(head.rows):
        rest[i] = _along(as_doubles(head.weighted), i, n, rate)
    particular(as_decomposition(head.decomposition), rest, step)
    size = 0.0
    for j in range(n):
        rate[j] -= step[j]
        size += rate[j] * rate[j]
    if not size > at.ENERGY_TOLERANCE:
        return OK
    for j in range(n):
        rate[j] *= (excess - numbers.reference) / size
    _backward(triangle, n, rate)
    for j in range(n):
        x[n_q + j] -= rate[j]
    return OK


@called
def _sliding(head, out):
    """The rates, or the multipliers, where multipliers are states."""
    x, places = as_doubles(head.state), as_words(head.multipliers)
    if head.wanted == at.REACTIONS:
        for i in range(head.rows):
            out[i] = x[places[i]]
        return OK
    status = _slide(head)
    if status == OK:
        _write_sliding_rates(head, out)
    return status


@called
def _settle_on_manifold(head, x):
    """Where constraints are entered: multipliers as those of index 1. After a step: whether it ends in the layer."""
    places, lambdas, distance = as_words(head.multipliers), as_doubles(head.lambdas), as_doubles(head.free)
    if head.begins != 0:
        status = _accelerate_weighted(head)
        for i in range(head.rows if status == OK else 0):
            x[places[i]] = lambdas[i]
        return status
    status = _push_by_multipliers(head, x)
    if status != OK:
        return status
    _manifold(head, x)
    for i in range(head.rows):
        if not abs(distance[i]) <= as_numbers(head.numbers).boundary:
            return at.LEFT_MANIFOLD
    return OK


# -- what is called -------------------------------------------------------------------------------


@kernel(ADDRESSES)
def full_rates(context, time, state, values, out):
    """out = (q', u', s', power), or the reactions of the rows, under the constraints that ``context`` describes."""
    head, result = as_full(context), as_doubles(out)
    given, x = as_doubles(state), as_doubles(head.state)
    for i in range(head.coordinates + head.speeds + head.signals + 1):
        x[i] = given[i]
    status = _evaluate(head, time, head.state, values)
    if status == OK:
        if head.way == at.MANIFOLD:
            return _sliding(head, result)
        status = _accelerate_weighted(head) if head.way == at.WEIGHTED else _accelerate_along(head)
    if status != OK:
        return status
    if head.wanted == at.REACTIONS:
        lambdas = as_doubles(head.lambdas)
        for i in range(head.rows):
            result[i] = lambdas[i]
        return OK
    _write_rates(head, result)
    return OK if head.placing == at.AT_END else _pull(head, result)


@kernel(ADDRESSES)
def full_state(context, time, state, values, out):
    """out = the state, brought back onto the constraints by the smallest changes by mass, then onto its energy."""
    head = as_full(context)
    given, result = as_doubles(state), as_doubles(out)
    for i in range(head.coordinates + head.speeds + head.signals + 1):
        result[i] = given[i]
    _unit_quaternions(head, result)
    status = _evaluate(head, time, out, values)
    if status == OK:
        status = _bring_onto(head, time, out, values)
    if status == OK:
        status = _correct_speeds(head, time, out, values)
    if status == OK and head.energy != 0:
        status = _correct_energy(head, time, out, values)
    if status == OK and head.way == at.MANIFOLD:
        status = _settle_on_manifold(head, result)
    if status == OK and head.placing == at.FROZEN:
        phi, kept = as_doubles(head.phi), as_doubles(head.frozen_phi)
        _velocity_residuals(head, result, as_doubles(head.frozen_velocity))
        for i in range(head.rows):
            kept[i] = phi[i]
    return status
