"""The kernels of :class:`detent.solves.full_solve.FullSolve`: rates, reactions and corrections with all speeds kept."""

from __future__ import annotations

from typing import Final

from detent.jit.abi import OK
from detent.jit.intrinsics import ADDRESSES, as_doubles, kernel, record_reader
from detent.solves import full_frame as at
from detent.solves.full_acceleration_kernel import accelerate_along, accelerate_weighted, write_rates
from detent.solves.full_correction_kernel import (
    bring_onto_by_mass,
    call_programs,
    correct_energy,
    correct_speeds,
    pull_residuals,
)
from detent.solves.manifold_kernel import settle_on_manifold, sliding
from detent.solves.quaternion_kernel import unit_quaternions
from detent.solves.state_kernel import copy_state
from detent.solves.weighted_rows_kernel import velocity_residuals

as_full: Final = record_reader(at.FULL)


@kernel(ADDRESSES)
def full_rates(context, time, state, values, out):
    """out = (q', u', s', power), or the reactions of the rows, under the constraints that ``context`` describes."""
    head, result = as_full(context), as_doubles(out)
    copy_state(head, state, head.state)
    status = call_programs(head, time, head.state, values)
    if status == OK:
        if head.accelerations == at.MANIFOLD:
            return sliding(head, result)
        status = accelerate_weighted(head) if head.accelerations == at.WEIGHTED else accelerate_along(head)
    if status != OK:
        return status
    if head.wanted == at.REACTIONS:
        lambdas = as_doubles(head.lambdas)
        for i in range(head.rows):
            result[i] = lambdas[i]
        return OK
    write_rates(head, result)
    return OK if head.placing == at.AT_END else pull_residuals(head, result)


@kernel(ADDRESSES)
def full_state(context, time, state, values, out):
    """out = the state, brought back onto the constraints by the smallest changes by mass, then onto its energy."""
    head = as_full(context)
    result = as_doubles(out)
    copy_state(head, state, out)
    unit_quaternions(head, result)
    status = call_programs(head, time, out, values)
    if status == OK:
        status = bring_onto_by_mass(head, time, out, values)
    if status == OK:
        status = correct_speeds(head, time, out, values)
    if status == OK and head.energy != 0:
        status = correct_energy(head, time, out, values)
    if status == OK and head.accelerations == at.MANIFOLD:
        status = settle_on_manifold(head, result)
    if status == OK and head.placing == at.FROZEN:
        phi, kept = as_doubles(head.phi), as_doubles(head.frozen_phi)
        velocity_residuals(head, result, as_doubles(head.frozen_velocity))
        for i in range(head.rows):
            kept[i] = phi[i]
    return status
