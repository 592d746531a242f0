"""Rates and multipliers on a sliding manifold (:mod:`detent.formulation.sliding_manifold`)."""

from __future__ import annotations

from detent.algebra.decomposition_kernel import as_decomposition, particular, transposed
from detent.algebra.factorisation_kernel import solve_lower, solve_upper
from detent.jit.abi import OK, SINGULAR
from detent.jit.intrinsics import as_doubles, as_words, called
from detent.solves import full_frame as at
from detent.solves.constraint_frame import PARADOX
from detent.solves.full_acceleration_kernel import accelerate_weighted
from detent.solves.state_kernel import write_plain_rates
from detent.solves.weighted_rows_kernel import (
    along_row,
    as_numbers,
    factorise_mass,
    push_sign,
    take_apart,
    velocity_residuals,
    weight_rows,
)


@called
def _manifold(head, x):
    """s of each row into ``free``, and alpha, without the part that is left to the gain, into ``rest``.

    s = mu^2 w'' + 2 mu w' + w for a row of the configuration, mu w' + w for one of the motion; u' is in ``rate``.
    """
    n, mu = head.speeds, as_numbers(head.numbers).time_constant
    rows, phi, gamma, rate = as_doubles(head.B), as_doubles(head.phi), as_doubles(head.gamma), as_doubles(head.rate)
    distance, rest, velocity = as_doubles(head.free), as_doubles(head.rest), as_doubles(head.lambdas)
    numbers, place = as_words(head.configurations), 0
    velocity_residuals(head, x, velocity)
    for i in range(head.rows):
        change = along_row(rows, i, n, rate) - gamma[i]
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
    if factorise_mass(head) != 0.0:
        return SINGULAR
    for j in range(n):
        rate[j] = given[head.coordinates + j]
        for i in range(head.rows):
            rate[j] += rows[i * n + j] * x[places[i]]
    solve_lower(as_doubles(head.triangle), n, rate, 0)
    solve_upper(as_doubles(head.triangle), n, rate)
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
        if push_sign(head) <= 0:
            return PARADOX
        for i in range(head.rows):
            lambdas[i] = rest[i]
        return OK
    weight_rows(head, as_doubles(head.B), as_doubles(head.weighted))
    take_apart(head, as_doubles(head.weighted))
    d, step = as_decomposition(head.decomposition), as_doubles(head.step)
    particular(d, rest, step)
    transposed(d, step, lambdas)
    return OK


@called
def _write_sliding_rates(head, out):
    """out = (q', u', s' with z', power): also what reactions do along rows that do not hold exactly is work."""
    n_q, n, places = head.coordinates, head.speeds, as_words(head.multipliers)
    x, slopes = as_doubles(head.state), as_doubles(head.lambdas)
    rows, power = as_doubles(head.reaction) if head.slides != 0 else as_doubles(head.B), n_q + n + head.signals
    write_plain_rates(head, out)
    for i in range(head.rows):
        out[places[i]] = slopes[i]
        total = 0.0
        for j in range(n):
            total += rows[i * n + j] * x[n_q + j]
        out[power] += x[places[i]] * total


@called
def sliding(head, out):
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
def settle_on_manifold(head, x):
    """Where constraints are entered: multipliers as those of index 1. After a step: whether it ends in the layer."""
    places, lambdas, distance = as_words(head.multipliers), as_doubles(head.lambdas), as_doubles(head.free)
    if head.begins != 0:
        status = accelerate_weighted(head)
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
