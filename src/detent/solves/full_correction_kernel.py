"""Residuals of constraints and of the energy, taken out at the end of a step or pulled out along it."""

from __future__ import annotations

import math

from detent.algebra.decomposition_kernel import as_decomposition, particular
from detent.algebra.factorisation_kernel import solve_lower, solve_upper
from detent.jit.abi import OK, SINGULAR
from detent.jit.intrinsics import as_doubles, as_words, call_cell, called
from detent.solves import full_frame as at
from detent.solves.quaternion_kernel import unit_quaternions
from detent.solves.state_kernel import is_settled, largest_of
from detent.solves.weighted_rows_kernel import (
    along_row,
    as_numbers,
    factorise_mass,
    take_apart,
    take_configurations_apart,
    velocity_residuals,
    weight_rows,
)


@called
def _turn_positions(head, x):
    """q and quaternions moved by -W times what stands in ``step``."""
    n_q, n, n_s = head.coordinates, head.speeds, head.signals
    turn, step = as_doubles(head.turn), as_doubles(head.step)
    for i in range(n_q + n_s):
        x[i if i < n_q else n + i] -= along_row(turn, i, n, step)


@called
def _position_step(head, residuals):
    """L^-T C_q^+ residuals of the rows that bind the configuration, into ``step``; they are taken apart already."""
    numbers, rest, step = as_words(head.configurations), as_doubles(head.rest), as_doubles(head.step)
    for i in range(head.configuration_count):
        rest[i] = residuals[numbers[i]]
    particular(as_decomposition(head.decomposition), rest, step)
    solve_upper(as_doubles(head.triangle), head.speeds, step)


@called
def _velocity_step(head, residuals):
    """L^-T C^+ residuals of all rows into ``step``; they are taken apart already."""
    step = as_doubles(head.step)
    particular(as_decomposition(head.decomposition), residuals, step)
    solve_upper(as_doubles(head.triangle), head.speeds, step)


@called
def pull_residuals(head, out):
    """Equations (1) and (2) of Braun and Goldfarb: rates under which residuals would vanish within a step."""
    n_q, n, pull = head.coordinates, head.speeds, as_numbers(head.numbers).pull
    frozen = head.placing == at.FROZEN
    step, wanted, residuals = as_doubles(head.step), as_doubles(head.lambdas), as_doubles(head.free)
    phi = as_doubles(head.frozen_phi) if frozen else as_doubles(head.phi)
    velocity = as_doubles(head.frozen_velocity)
    if factorise_mass(head) < 0.0:
        return SINGULAR
    weight_rows(head, as_doubles(head.B), as_doubles(head.weighted))
    velocity_residuals(head, as_doubles(head.state), residuals)
    take_configurations_apart(head)
    for i in range(head.rows):
        wanted[i] = residuals[i] + pull * phi[i]
    _position_step(head, wanted)
    _turn_positions(head, out)
    take_apart(head, as_doubles(head.weighted))
    for i in range(head.rows):
        wanted[i] = pull * (velocity[i] if frozen else residuals[i])
    _velocity_step(head, wanted)
    for j in range(n):
        out[n_q + j] -= step[j]
    return OK


@called
def call_programs(head, time, state, values):
    status = call_cell(head.constraints, time, state, values, head.B)
    return status if status != OK else call_cell(head.unsolved, time, state, values, head.given)


@called
def bring_onto_by_mass(head, time, address, values):
    """Positions onto the constraints, by the smallest change by mass, some times; all is evaluated at the end."""
    phi, x, before = as_doubles(head.phi), as_doubles(address), math.inf
    for _ in range(head.iterations):
        worst = largest_of(phi, head.rows)
        if is_settled(worst, before):
            break
        before = worst
        if factorise_mass(head) < 0.0:
            return SINGULAR
        weight_rows(head, as_doubles(head.B), as_doubles(head.weighted))
        take_configurations_apart(head)
        _position_step(head, phi)
        _turn_positions(head, x)
        unit_quaternions(head, x)
        status = call_programs(head, time, address, values)
        if status != OK:
            return status
    return OK


@called
def correct_speeds(head, time, address, values):
    """Speeds onto the constraints, by the smallest change by mass; where rows are not linear in them, several times."""
    n_q, n, x = head.coordinates, head.speeds, as_doubles(address)
    residuals, step, before = as_doubles(head.lambdas), as_doubles(head.step), math.inf
    for _ in range(head.iterations):
        if factorise_mass(head) < 0.0:
            return SINGULAR
        weight_rows(head, as_doubles(head.B), as_doubles(head.weighted))
        take_apart(head, as_doubles(head.weighted))
        velocity_residuals(head, x, residuals)
        worst = largest_of(residuals, head.rows)
        if is_settled(worst, before):
            break
        before = worst
        _velocity_step(head, residuals)
        for j in range(n):
            x[n_q + j] -= step[j]
        if head.iterations > 1:
            status = call_programs(head, time, address, values)
            if status != OK:
                return status
    return OK


@called
def correct_energy(head, time, address, values):
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
    solve_lower(triangle, n, rate, 0)
    for i in range(head.rows):
        rest[i] = along_row(as_doubles(head.weighted), i, n, rate)
    particular(as_decomposition(head.decomposition), rest, step)
    size = 0.0
    for j in range(n):
        rate[j] -= step[j]
        size += rate[j] * rate[j]
    if not size > at.ENERGY_TOLERANCE:
        return OK
    for j in range(n):
        rate[j] *= (excess - numbers.reference) / size
    solve_upper(triangle, n, rate)
    for j in range(n):
        x[n_q + j] -= rate[j]
    return OK
