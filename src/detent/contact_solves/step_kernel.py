"""Contacts that push once a step, without events: by forces that hold all along it, or by impulses at its end.

At the end of a step of size h the contacts count whose gaps are not positive. Their impulses P solve the cone problem
of speeds, in which what the forces F of the step have done is taken back:

    v+ = v - J J^T F h + J J^T P,     P in its cone,  v+_n >= target,  one of them with equality

so what was to stick and slipped, or slipped and turned round, is stopped, and what approaches bounces as its
restitution says. Where the forces have kept everything as it should be nothing is solved: what rests is to rest for
ever.
"""

from __future__ import annotations

import math
from typing import Final

from detent.algebra.factorisation_kernel import in_triangle, solve_upper
from detent.contact_solves.cone_frame import OPEN, SLIP, STICK, UNKNOWN
from detent.contact_solves.cone_kernel import solve_cone
from detent.contact_solves.contact_rows_kernel import (
    DOMAIN,
    GAP,
    KINETIC,
    RESTITUTION,
    ROUNDING,
    STATIC,
    as_posed,
    as_settled,
    coefficient,
    pose,
    read_programs,
    slip_of,
    small,
)
from detent.contact_solves.rates_kernel import accelerate, write_rates
from detent.contact_solves.settle_frame import Unsettled
from detent.contact_solves.step_frame import FORCES, STEPPED
from detent.jit.abi import OK, WORD
from detent.jit.intrinsics import ADDRESSES, as_doubles, as_words, call_cell, called, kernel, record_reader

as_stepped: Final = record_reader(STEPPED)

_NEAR: Final = 1e-9
"""A gap within this part of the terms that it is the sum of is closed: more than steps of rounding leave."""
_LEFT: Final = 1.000001
"""What slips no faster than so many steps of free flight make it stuck before."""
_ATTEMPTS: Final = 8
_LITTLE: Final = 1e-9
"""The part of all work that impulses may do on balance: rounding."""
_FAST: Final = 2.0
"""A collision is one in its own right where it is faster than so many steps of free flight make it."""


@called
def _gather(stepped, head):
    """The contacts that touch, into ``members``; how many."""
    members, deepest, count = as_words(head.members), as_doubles(stepped.deepest), 0
    for k in range(head.count):
        gap = coefficient(head, GAP, k)
        near = _NEAR * (1.0 + abs(gap))
        if gap <= near and gap >= -deepest[k] and coefficient(head, DOMAIN, k) >= 0.0:
            members[count] = k
            count += 1
    return count


@called
def _answer(head, one, other):
    """How the motion of one row answers to a push on another."""
    rows, n, total = as_doubles(head.rows), head.speeds, 0.0
    for j in range(n):
        total += rows[one * n + j] * rows[other * n + j]
    return total


@called
def _is_kept(stepped, head, contact, time):
    """Whether a contact does at the end of a step what it was to do."""
    d, speed, planned = head.dimension, as_doubles(head.speed), as_words(stepped.planned)[contact]
    threshold = small(head, contact * d, time)
    if speed[contact * d] < -threshold or (planned != OPEN and speed[contact * d] > threshold):
        return False
    size, terms = slip_of(head, contact)
    if planned == STICK:
        return size <= ROUNDING * (terms + abs(time) * head.acceleration)
    along, directions = 0.0, as_doubles(stepped.directions)
    for i in range(d - 1):
        along += speed[contact * d + 1 + i] * directions[contact * (d - 1) + i]
    return planned == OPEN or along > 0.0 or coefficient(head, KINETIC, contact) == 0.0


@called
def _stuck(stepped, head, contact, time, step):
    """Whether a contact stuck when the step began: what it slips now is what it was left to."""
    if stepped.by == FORCES and as_words(stepped.planned)[contact] != OPEN:
        return as_words(stepped.planned)[contact] == STICK
    size, terms = slip_of(head, contact)
    left, d = 0.0, head.dimension
    for i in range(1, d):
        left += as_doubles(head.bias)[contact * d + i] ** 2
    slack = ROUNDING * (terms + abs(time) * head.acceleration)
    return size <= slack + (_LEFT * step * math.sqrt(left) if stepped.by != FORCES else 0.0)


@called
def _target(stepped, head, contact, step, part):
    """The normal speed that a contact is to have at least; of a collision, with a part of its restitution."""
    row, deep = contact * head.dimension, max(0.0, -coefficient(head, GAP, contact))
    approach = max(0.0, -as_doubles(head.speed)[row])
    gained = abs(as_doubles(head.bias)[row]) * step
    if approach > _FAST * gained:
        return part * coefficient(head, RESTITUTION, contact) * approach
    if stepped.by == FORCES:
        return 0.0
    return max(stepped.restitution * approach, min(deep / step, gained))  # not deeper and deeper, step by step


@called
def _pose_impulses(stepped, head, cone, count, time, step, part):
    """The cone problem of speeds; whether some contact approaches faster than it may."""
    n, d, members = head.speeds, head.dimension, as_words(head.members)
    rows, speed, forces = as_doubles(head.rows), as_doubles(head.speed), as_doubles(stepped.forces)
    posed, right, friction = as_doubles(cone.rows), as_doubles(cone.bias), as_doubles(cone.friction)
    pushes = False
    cone.contacts, cone.parted = count, 0
    for place in range(count):
        k = members[place]
        target = _target(stepped, head, k, step, part)
        pushes = pushes or speed[k * d] < target - small(head, k * d, time)
        for i in range(d):
            total = speed[k * d + i] - (target if i == 0 else 0.0)
            for other in range(count):
                for j in range(d):
                    at = members[other] * d + j
                    if forces[at] != 0.0:
                        total -= _answer(head, k * d + i, at) * forces[at] * step
            right[place * d + i], as_doubles(cone.forces)[place * d + i] = total, 0.0
            for j in range(n):
                posed[(place * d + i) * n + j] = rows[(k * d + i) * n + j]
        friction[place] = coefficient(head, STATIC if _stuck(stepped, head, k, time, step) else KINETIC, k)
        as_words(cone.given)[place], as_doubles(cone.lower)[place] = 0, 0.0
        as_words(cone.statuses)[place] = UNKNOWN
        for i in range(d - 1):
            as_doubles(cone.directions)[place * (d - 1) + i] = 0.0
            as_doubles(cone.slip)[place * (d - 1) + i] = 0.0
    return pushes


@called
def _gains(stepped, head, cone, count, step):
    """Whether impulses that end a step do work on balance, as seen from the surfaces, beyond what lifts them out."""
    d, members, speed = head.dimension, as_words(head.members), as_doubles(head.speed)
    forces, total, size = as_doubles(stepped.forces), 0.0, 0.0
    for place in range(count):
        for i in range(d):
            at, after = members[place] * d + i, 0.0
            for other in range(count):
                for j in range(d):
                    change = as_doubles(cone.forces)[other * d + j] - forces[members[other] * d + j] * step
                    after += _answer(head, at, members[other] * d + j) * change
            change = as_doubles(cone.forces)[place * d + i] - forces[at] * step
            term = change * (speed[at] + 0.5 * after)
            total, size = total + term, size + abs(term)
    return total > _LITTLE * size


@called
def _solve_impulses(stepped, head, cone, count, time, step):
    """The impulses at the end of a step; 1 where there are some, 0 where none is needed, -1 where none was found.

    Newton's restitution may gain energy where there is friction: then less is given back, at last nothing.
    """
    part, collides = 1.0, False
    for place in range(count):
        k = as_words(head.members)[place]
        gained = _FAST * abs(as_doubles(head.bias)[k * head.dimension]) * step
        fast = -as_doubles(head.speed)[k * head.dimension] > gained
        collides = collides or (fast and coefficient(head, RESTITUTION, k) > 0.0)
    for attempt in range(_ATTEMPTS):
        if not _pose_impulses(stepped, head, cone, count, time, step, part) and stepped.by != FORCES:
            return 0
        if solve_cone(cone) != OK:
            head.residual = cone.residual
            return -1
        if not collides or not _gains(stepped, head, cone, count, step):
            return 1
        part = 0.5 * part if attempt < _ATTEMPTS - 2 else 0.0
    return 1


@called
def _push(stepped, head, cone, count, step, state):
    """The speeds after the impulses of the cone problem, and what they have done to the energy as work."""
    n, n_q, d, members = head.speeds, head.coordinates, head.dimension, as_words(head.members)
    change, triangle, rows = as_doubles(head.change), as_doubles(head.triangle), as_doubles(head.rows)
    u, forces, pushed = as_doubles(state + WORD * n_q), as_doubles(stepped.forces), as_doubles(stepped.pushed)
    for j in range(n):
        change[j] = 0.0
    for place in range(count):
        for i in range(d):
            at = members[place] * d + i
            impulse = as_doubles(cone.forces)[place * d + i] - forces[at] * step
            pushed[at] = as_doubles(cone.forces)[place * d + i]
            for j in range(n):
                change[j] += rows[at * n + j] * impulse
    work = 0.0
    for j in range(n):
        scaled = 0.0
        for i in range(j, n):
            scaled += triangle[in_triangle(i, j)] * u[i]
        work += change[j] * (scaled + 0.5 * change[j])
    solve_upper(triangle, n, change)
    for j in range(n):
        u[j] += change[j]
    as_doubles(state)[n_q + n + head.signals] += work


@called
def _find_forces(stepped, head, cone, time, values, found):
    """The forces of contacts that touch and do not part, into ``found``, and what each does by them."""
    d, members, still = head.dimension, as_words(head.members), as_words(head.still)
    planned, directions = as_words(stepped.planned), as_doubles(stepped.directions)
    for i in range(head.count * d):
        found[i] = 0.0
    for k in range(head.count):
        planned[k] = OPEN
    touching, count = _gather(stepped, head), 0
    for place in range(touching):
        k = members[place]
        if as_doubles(head.speed)[k * d] <= small(head, k * d, time):
            size, terms = slip_of(head, k)
            still[k] = 1 if size <= ROUNDING * (terms + abs(time) * head.acceleration) else 0
            members[count] = k
            count += 1
    if count == 0:
        return
    pose(head, cone, count, values, True, head.speeds)
    if solve_cone(cone) != OK:
        return  # friction leaves no forces: impulses at the end of the step are left to it
    forces, statuses = as_doubles(cone.forces), as_words(cone.statuses)
    for place in range(count):
        k = members[place]
        slides = still[k] == 0
        if forces[place * d] > 0.0:
            planned[k] = SLIP if slides or statuses[place] == SLIP else STICK
        for i in range(d):
            found[k * d + i] = forces[place * d + i]
        for i in range(d - 1):
            known = as_doubles(cone.directions if slides else cone.slip)
            directions[k * (d - 1) + i] = known[place * (d - 1) + i]


@kernel(ADDRESSES)
def step_contacts(context, time, state, values, out):
    """out = the state with what contacts do at the end of a step; the forces of the next are found."""
    stepped = as_stepped(context)
    head = as_settled(stepped.settled)
    cone, size = as_posed(head.cone), head.coordinates + head.speeds + head.signals + 1
    if stepped.correction != 0:
        status = call_cell(stepped.correction, time, state, values, out)
        if status != OK:
            return status
    else:
        for i in range(size):
            as_doubles(out)[i] = as_doubles(state)[i]
    for i in range(head.count * head.dimension):
        as_doubles(head.terms)[i] = 0.0
        as_doubles(stepped.pushed)[i] = 0.0
    status = read_programs(head, time, out, values)
    if status != OK:
        return status
    step = time - stepped.last
    stepped.last = time
    count, kept = _gather(stepped, head), stepped.by == FORCES
    for place in range(count):
        kept = kept and _is_kept(stepped, head, as_words(head.members)[place], time)
    if count > 0 and not kept:
        pushes = _solve_impulses(stepped, head, cone, count, time, step if step > 0.0 else stepped.step)
        if pushes < 0:
            return Unsettled.NOT_CONVERGED
        if pushes > 0:
            _push(stepped, head, cone, count, step, out)
            status = read_programs(head, time, out, values)
    if status == OK and stepped.by == FORCES:
        _find_forces(stepped, head, cone, time, values, as_doubles(stepped.forces))
    return status


@kernel(ADDRESSES)
def stepped_rates(context, time, state, values, out):
    """out = (q', u', s', power), with the forces that were found at the start of the step."""
    stepped = as_stepped(context)
    head = as_settled(stepped.settled)
    status = read_programs(head, time, state, values)
    if status != OK:
        return status
    accelerate(head, as_doubles(head.rows), head.speeds, as_doubles(stepped.forces), head.count * head.dimension)
    write_rates(head, state, out)
    return OK


@kernel(ADDRESSES)
def stepped_forces(context, time, state, values, out):
    """out = the force of each row at a state."""
    stepped = as_stepped(context)
    head = as_settled(stepped.settled)
    for i in range(head.count * head.dimension):
        as_doubles(head.terms)[i] = 0.0
    status = read_programs(head, time, state, values)
    if status == OK:
        _find_forces(stepped, head, as_posed(head.cone), time, values, as_doubles(out))
    return status
