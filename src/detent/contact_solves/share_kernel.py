"""Contacts that share their forces: more rows than the motion needs, a box on its face, a ball in a groove.

Their statuses hold as equations; of all forces that satisfy these, those well inside the cones are taken
(:mod:`detent.contact_solves.centring_kernel`). Where slipping contacts share, the motion depends on that choice.
"""

from __future__ import annotations

import math
from typing import Final

from detent.contact_solves.attempt_kernel import is_solution
from detent.contact_solves.centring_kernel import centre_forces, centre_held_forces
from detent.contact_solves.cone_frame import SLIP, STICK
from detent.contact_solves.contact_rows_kernel import (
    as_posed,
    as_settled,
    as_trigger,
    read_programs,
    status_place,
)
from detent.contact_solves.natural_map_kernel import largest_force, loading_force, residual, size_contacts
from detent.contact_solves.rates_kernel import accelerate, go_on, write_rates
from detent.contact_solves.status_solve_kernel import length_of, solve_statuses
from detent.contact_solves.turn_kernel import moment_of, pose_all, recall_turns
from detent.jit.abi import OK, WORD
from detent.jit.intrinsics import ADDRESSES, as_doubles, as_words, called, kernel

_UNLOADED: Final = 1e-6
"""Loads that ask for less than this part of the largest force are none: all of it is by what carries the contacts."""
_EDGE: Final = 1e-4
"""Forces that are so near the edges of their cones, by the largest force, are at them."""


@called
def hold_all(head, values):
    """All contacts that are not open, as they are; how many."""
    discrete = as_doubles(values + WORD * head.first_discrete)
    members, still, count = as_words(head.members), as_words(head.still), 0
    for k in range(head.count):
        status = discrete[status_place(head, k)]
        if status > 0.0:
            members[count], still[k] = k, 1 if status == STICK else 0
            count += 1
    recall_turns(head, values)
    return count


@called
def _share(head, cone, time, state, values, told):
    """The forces of the contacts that hold, into the cone problem; how many, or minus a status and one.

    They are shared well where they are to be ``told``, and where the motion depends on it.
    """
    status = read_programs(head, time, state, values)
    if status != OK:
        return -1 - status
    count = hold_all(head, values)
    pose_all(head, cone, count, values, False)
    pressed, modes, given = as_words(cone.pressed), as_words(cone.modes), as_words(cone.given)
    for place in range(cone.contacts):
        pressed[place], modes[place] = 1, SLIP if given[place] == 1 else STICK
    cone.not_unique = 0
    size_contacts(cone)
    solve_statuses(cone)
    slides = False
    for place in range(cone.contacts):
        slides = slides or given[place] == 1
    if slides:
        centre_held_forces(cone)
    elif told:  # else the motion does not depend on how the forces are shared
        centre_forces(cone)
    return count


@called
def holds_by_sharing(head, cone, values):
    """Whether all members of a posed problem that do not slip hold, by forces that are shared as they would be then.

    Of the motions that forces which are not unique leave open a cone problem finds any; what slips by that one may be
    turned back at once by the forces that are shared.
    """
    if as_doubles(values + WORD * head.first_discrete)[head.sharing_place] == 0.0:
        return False
    pressed, modes, given = as_words(cone.pressed), as_words(cone.modes), as_words(cone.given)
    for place in range(cone.contacts):
        pressed[place], modes[place] = 1, SLIP if given[place] == 1 else STICK
    cone.several, cone.culprit = 0, -1
    size_contacts(cone)
    solve_statuses(cone)
    centre_held_forces(cone)
    holds = is_solution(cone)
    for place in range(cone.contacts if holds else 0):
        as_words(cone.statuses)[place] = modes[place]
    for i in range(0 if holds else cone.contacts * head.dimension):
        as_doubles(cone.forces)[i] = 0.0
    cone.residual = residual(cone)
    return holds


@called
def _accelerate(head, cone):
    """u' with the forces of the cone problem, into ``change``."""
    count = cone.contacts * head.dimension
    accelerate(head, as_doubles(cone.rows), cone.speeds, as_doubles(cone.forces), count)


@called
def go_ahead(head, cone, time, values, state, ahead):
    """The state a little later, if contacts go on to hold, into ``later``."""
    if _share(head, cone, time, state, values, False) < 0:
        for i in range(head.coordinates + head.speeds + head.signals + 1):
            as_doubles(head.later)[i] = as_doubles(state)[i]
        return
    _accelerate(head, cone)
    go_on(head, state, ahead)


@called
def find_edges(head, cone, time, values, state, before):
    """Which forces were at the edges of their cones a little before: what these hold gives way, and nothing else."""
    head.edge_count = 0
    go_ahead(head, cone, time, values, state, -before)
    if _share(head, cone, time - before, head.later, values, True) < 0:
        return
    d, forces, friction = head.dimension, as_doubles(cone.forces), as_doubles(cone.friction)
    edges, ways, scale = as_words(head.edges), as_doubles(head.edge_ways), largest_force(cone)
    for place in range(cone.contacts):
        size = length_of(forces, place * d + 1, d - 1)
        room = friction[place] * forces[place * d] - size
        edges[place] = 1 if size > 0.0 and room <= _EDGE * friction[place] * scale else 0
        for i in range(d - 1):
            ways[place * (d - 1) + i] = -forces[place * d + 1 + i] / size if size > 0.0 else 0.0
    head.edge_count = cone.contacts


@called
def guess_from_edges(head, cone):
    """Let what was at the edge of its cone slip, to begin with."""
    d = head.dimension
    for place in range(head.edge_count if head.edge_count == cone.contacts else 0):
        if as_words(head.edges)[place] == 1 and as_words(cone.given)[place] == 0:
            as_words(cone.statuses)[place] = SLIP
            for i in range(place * (d - 1), (place + 1) * (d - 1)):
                as_doubles(cone.slip)[i] = as_doubles(head.edge_ways)[i]


@kernel(ADDRESSES)
def shared_rates(context, time, state, values, out):
    """out = (q', u', s', power)."""
    head = as_settled(as_trigger(context).settled)
    cone = as_posed(head.cone)
    count = _share(head, cone, time, state, values, False)
    if count < 0:
        return -1 - count
    _accelerate(head, cone)
    write_rates(head, state, out)
    return OK


@kernel(ADDRESSES)
def shared_slack(context, time, state, values, out):
    """out = by how much of what the loads ask for the normal forces could fall before one leaves its cone.

    Of the largest force it would be no less where all of them fall together, up to where they vanish.
    """
    head = as_settled(as_trigger(context).settled)
    cone, d = as_posed(head.cone), head.dimension
    count = _share(head, cone, time, state, values, True)
    if count < 0:
        return -1 - count
    forces, friction, given = as_doubles(cone.forces), as_doubles(cone.friction), as_words(cone.given)
    least, largest, loading = math.inf, largest_force(cone), loading_force(cone)
    scale = loading if loading > _UNLOADED * largest else largest
    for place in range(cone.contacts):
        least = min(least, forces[place * d])
        if given[place] == 0 and friction[place] > 0.0:
            least = min(least, forces[place * d] - length_of(forces, place * d + 1, d - 1) / friction[place])
    as_doubles(out)[0] = least / scale if scale > 0.0 else 0.0
    return OK


@kernel(ADDRESSES)
def shared_forces(context, time, state, values, out):
    """out = the force on each row of each contact, then the moment on each of turning; 0 where it is open."""
    head = as_settled(as_trigger(context).settled)
    cone, d, result = as_posed(head.cone), head.dimension, as_doubles(out)
    for i in range(head.count * d):
        result[i] = 0.0
    count = _share(head, cone, time, state, values, True)
    if count < 0:
        return -1 - count
    forces, members = as_doubles(cone.forces), as_words(head.members)
    for place in range(count):
        for i in range(d):
            result[members[place] * d + i] = forces[place * d + i]
    for turn in range(head.turns):
        first = as_words(head.turn_first)[turn]
        for row in range(first, as_words(head.turn_first)[turn + 1]):
            result[head.count * d + row] = moment_of(head, cone, turn, row - first)
    return OK
