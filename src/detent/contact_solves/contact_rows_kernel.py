"""Contacts at a state, in numbers: their rows scaled by the mass, their velocities, the cone problem they pose.

With w = L^T u and M = L L^T the rows are J = B L^-T, less what the constraints that hold prevent. So J J^T is how
accelerations answer to forces, and speeds to impulses.
"""

from __future__ import annotations

import math
from typing import Final

from detent.algebra.factorisation_kernel import factorise, solve_lower
from detent.contact_solves.cone_frame import CONE, OPEN, SLIP, STICK, UNKNOWN
from detent.contact_solves.flat_end_frame import FLAT_END
from detent.contact_solves.settle_frame import COEFFICIENTS, SETTLED, TRIGGER, Unsettled
from detent.jit.abi import EPSILON, OK, WORD
from detent.jit.intrinsics import as_doubles, as_words, call_cell, called, inlined, record_reader, row_reader

as_settled: Final = record_reader(SETTLED)
as_trigger: Final = record_reader(TRIGGER)
as_posed: Final = record_reader(CONE)
end_at: Final = row_reader(FLAT_END)

ROUNDING: Final = 64.0 * EPSILON
"""A relative velocity within this part of the terms that it is the sum of, and of what it gains in all the time that
has passed, is zero."""
CORRECTED: Final = 5e-8
"""What stops with something else is no faster than this part of its terms, or of one: where a mode is entered that
holds it, a speed may be corrected by twice as much."""
DEPENDENT: Final = 1e-10
"""A row of which the others leave less than this part follows from them."""
NEAR: Final = 2
STRAIGHT: Final = 3
"""What is kept of a slip in space after its direction: the speed near which it is at its end, and whether it is."""
CAME_DOWN: Final = 3e-9
"""An end that has come down, and leans aside no more (rad), lies flat."""
GAP: Final = 0
KINETIC: Final = 1
STATIC: Final = 2
RESTITUTION: Final = 3
DOMAIN: Final = 4
LAW: Final = 5
SIZE: Final = 6
THIN: Final = 7
INWARDS: Final = 8
ROUND: Final = 9
SWEPT: Final = 10


@inlined
def coefficient(head, which, contact):
    """One of what the program gives of a contact besides its rows."""
    rows = head.count * head.dimension
    return as_doubles(head.geometry)[rows * head.speeds + 2 * rows + which * head.count + contact]


@inlined
def of_turns(head):
    """What the program gives of the turning that is resisted: B row by row, C, gamma, angles, the resistances."""
    rows = head.count * head.dimension
    return as_doubles(head.geometry + WORD * (rows * head.speeds + 2 * rows + len(COEFFICIENTS) * head.count))


@inlined
def resistance(head, turn):
    """How large the moment may be, by the normal force."""
    return of_turns(head)[turn_row_count(head) * (head.speeds + 3) + turn]


@inlined
def leaning(head, row):
    """How far an end leans about a tangent, by the number of that row of turning."""
    return of_turns(head)[turn_row_count(head) * (head.speeds + 2) + row]


@inlined
def turn_row_count(head):
    """How many rows there are of turning that is resisted."""
    return as_words(head.turn_first)[head.turns]


@inlined
def status_place(head, contact):
    return as_words(head.status_places)[contact]


@inlined
def slip_place(head, contact, number):
    return as_words(head.slip_places)[contact * (1 if head.dimension == 2 else 4) + number]


# -- rows, scaled by the mass ---------------------------------------------------------------------------


@called
def _hold(head):
    """The rows of the constraints that hold made orthonormal, and the free acceleration onto them."""
    n, m = head.speeds, head.held_rows
    given, triangle, free = as_doubles(head.holds), as_doubles(head.triangle), as_doubles(head.free)
    gamma = as_doubles(head.holds + WORD * (m * n + 2 * m + (head.coordinates + head.signals) * n))
    kept = 0
    for i in range(m):
        row, wanted = as_doubles(head.basis + WORD * kept * n), gamma[i]
        for j in range(n):
            row[j] = given[i * n + j]
        solve_lower(triangle, n, row, 0)
        whole = row_length(row, n)
        for _ in range(2):
            for k in range(kept):
                other = as_doubles(head.basis + WORD * k * n)
                along = row_product(row, other, n)
                for j in range(n):
                    row[j] -= along * other[j]
                wanted -= along * as_doubles(head.wanted)[k]
        left = row_length(row, n)
        if not left > DEPENDENT * whole:
            continue
        for j in range(n):
            row[j] /= left
        as_doubles(head.wanted)[kept] = wanted / left
        kept += 1
    as_words(head.kept_rows)[0] = kept
    for k in range(kept):
        row = as_doubles(head.basis + WORD * k * n)
        missing = as_doubles(head.wanted)[k] - row_product(row, free, n)
        for j in range(n):
            free[j] += missing * row[j]


@called
def row_product(one, other, n):
    total = 0.0
    for j in range(n):
        total += one[j] * other[j]
    return total


@called
def row_length(row, n):
    return math.sqrt(row_product(row, row, n))


@called
def _read_rows(head):
    """Rows of all contacts, scaled by the mass, and their accelerations without contacts."""
    n, m = head.speeds, head.count * head.dimension
    given, triangle, free = as_doubles(head.geometry), as_doubles(head.triangle), as_doubles(head.free)
    gamma, bias = as_doubles(head.geometry + WORD * (m * n + m)), as_doubles(head.bias)
    carried = as_doubles(head.carried)
    for i in range(m):
        row = as_doubles(head.rows + WORD * i * n)
        for j in range(n):
            row[j] = given[i * n + j]
        solve_lower(triangle, n, row, 0)
        bias[i] = row_product(row, free, n) - gamma[i]
        carried[i] = _leave_free(head, row) - gamma[i]


@called
def _leave_free(head, row):
    """A row less what the constraints that hold prevent, in place; what they prevent but for rounding is zero.

    What they accelerate it by.
    """
    n, kept, accelerated = head.speeds, as_words(head.kept_rows)[0], 0.0
    if kept == 0:
        return accelerated
    whole = row_length(row, n)
    for k in range(kept):
        other = as_doubles(head.basis + WORD * k * n)
        along = row_product(row, other, n)
        accelerated += along * as_doubles(head.wanted)[k]
        for j in range(n):
            row[j] -= along * other[j]
    if not row_length(row, n) > DEPENDENT * whole:
        for j in range(n):
            row[j] = 0.0
    return accelerated


@called
def _read_turns(head, state):
    """The same of the turning that is resisted, and how fast it is."""
    n, m, given = head.speeds, turn_row_count(head), of_turns(head)
    triangle, free, u = as_doubles(head.triangle), as_doubles(head.free), as_doubles(state + WORD * head.coordinates)
    speed, terms, bias = as_doubles(head.turn_speed), as_doubles(head.turn_terms), as_doubles(head.turn_bias)
    for i in range(m):
        row = as_doubles(head.turn_rows + WORD * i * n)
        total, size = given[m * n + i], abs(given[m * n + i])
        for j in range(n):
            row[j] = given[i * n + j]
            total += row[j] * u[j]
            size += abs(row[j] * u[j])
        speed[i], terms[i] = total, max(size, terms[i])
        solve_lower(triangle, n, row, 0)
        bias[i] = row_product(row, free, n) - given[m * n + m + i]
        as_doubles(head.turn_carried)[i] = _leave_free(head, row) - given[m * n + m + i]


@called
def _size_terms(head, contact, u):
    """How large the terms are that the relative velocity at a contact is the sum of, in whatever direction they are.

    Across a direction that they have none in, all that is left of them is rounding: it goes by their size too. So does
    what is left of a spin about the line to the contact, whose terms are all but zero where that is along an axis.
    """
    n, d, m, given = head.speeds, head.dimension, head.count * head.dimension, as_doubles(head.geometry)
    size = coefficient(head, SWEPT, contact)
    for j in range(n + 1):
        square = 0.0
        for i in range(contact * d, (contact + 1) * d):
            part = given[i * n + j] * u[j] if j < n else given[m * n + i]
            square += part * part
        size += math.sqrt(square)
    return size


@called
def _read_speeds(head, state):
    """The relative velocity of each row, and the largest terms it has been the sum of at this instant."""
    n, d, m = head.speeds, head.dimension, head.count * head.dimension
    given, u = as_doubles(head.geometry), as_doubles(state + WORD * head.coordinates)
    speed, terms = as_doubles(head.speed), as_doubles(head.terms)
    for k in range(head.count):
        size = _size_terms(head, k, u)
        for i in range(k * d, (k + 1) * d):
            total = given[m * n + i]
            for j in range(n):
                total += given[i * n + j] * u[j]
            speed[i], terms[i] = total, max(size, terms[i])


@called
def _level_coefficients(head):
    """Static friction that only rounding leaves below the kinetic, by whose expression it may be given, is as large."""
    first = head.count * head.dimension * (head.speeds + 2)
    given = as_doubles(head.geometry)
    for k in range(head.count):
        kinetic, static = given[first + KINETIC * head.count + k], given[first + STATIC * head.count + k]
        if static < kinetic <= static * (1.0 + ROUNDING):
            given[first + STATIC * head.count + k] = kinetic


@called
def _is_told(head, contact):
    """Whether the rows of a place tell how fast things are accelerated: the lowest point of a rim that does not lean,
    of the other end too, may be accelerated at any rate. An end that looks away has a domain 2 below that of one that
    does not, and more by as much as it leans."""
    told = True
    for e in range(head.end_count):
        end = end_at(head.ends, e)
        inside = coefficient(head, DOMAIN, end.face)
        told = told and (contact != end.rim or -2.0 + CAME_DOWN < inside < -CAME_DOWN)
    return told


@called
def read_programs(head, time, state, values):
    """All that the programs say at a state; OK, or why not."""
    n, n_q = head.speeds, head.coordinates
    status = call_cell(head.unsolved, time, state, values, head.given)
    if status == OK:
        status = call_cell(head.contacts, time, state, values, head.geometry)
        _level_coefficients(head)
    if status == OK and head.constraints != 0:
        status = call_cell(head.constraints, time, state, values, head.holds)
    if status != OK:
        return status
    given, triangle, free = as_doubles(head.given), as_doubles(head.triangle), as_doubles(head.free)
    lower = n_q + 2 * n + head.signals + 1
    for i in range(n * (n + 1) // 2):
        triangle[i] = given[lower + i]
    if not factorise(triangle, n):
        return Unsettled.NO_MASS
    for j in range(n):
        free[j] = given[n_q + j]
    solve_lower(triangle, n, free, 0)
    as_words(head.kept_rows)[0] = 0
    if head.constraints != 0:
        _hold(head)
    _read_rows(head)
    _read_speeds(head, state)
    _read_turns(head, state)
    head.acceleration = 0.0
    for k in range(head.count):
        for i in range(k * head.dimension, (k + 1) * head.dimension if _is_told(head, k) else 0):
            head.acceleration = max(head.acceleration, abs(as_doubles(head.bias)[i]))
    head.slow = ROUNDING * abs(time) * head.acceleration
    return OK


@called
def slip_of(head, contact):
    """How fast a contact slips, and the terms that is the sum of."""
    speed, terms, d = as_doubles(head.speed), as_doubles(head.terms), head.dimension
    total, size = 0.0, 0.0
    for i in range(contact * d + 1, contact * d + d):
        total += speed[i] * speed[i]
        size = max(size, terms[i])
    return math.sqrt(total), size


@called
def small(head, row, time):
    """A velocity of a row that counts as none."""
    return ROUNDING * (as_doubles(head.terms)[row] + abs(time) * head.acceleration)


# -- the cone problem -------------------------------------------------------------------------------------


@called
def _write_direction(head, contact, discrete, measured, out, at):
    """The direction of slip: as it is measured, or as it goes on from that in which it began."""
    d, speed = head.dimension, as_doubles(head.speed)
    size, _ = slip_of(head, contact)
    if measured and size > head.slow:  # one that is slower has a direction by rounding alone
        for i in range(d - 1):
            out[at + i] = speed[contact * d + 1 + i] / size
        return
    if d == 2:
        out[at] = discrete[slip_place(head, contact, 0)]
        return
    along, straight = 0.0, discrete[slip_place(head, contact, STRAIGHT)] != 0.0
    for i in range(d - 1):
        along += speed[contact * d + 1 + i] * discrete[slip_place(head, contact, i)]
    for i in range(d - 1):
        turned = speed[contact * d + 1 + i] if along >= 0.0 else -speed[contact * d + 1 + i]
        out[at + i] = discrete[slip_place(head, contact, i)] if straight or size == 0.0 else turned / size


@inlined
def first_guess(head, contact):
    """What a contact may do that was open: it sticks, where it does not slip and all that is free presses it together.

    Where forces are not unique it might also carry nothing and slip; what can hold does.
    """
    pressed = as_doubles(head.bias)[contact * head.dimension] < 0.0
    return STICK if pressed and as_words(head.still)[contact] == 1 else UNKNOWN


@called
def pose(head, cone, count, values, measured, wide):
    """The cone problem of the members: their rows, ``wide`` numbers each, warm from what held."""
    n, d = head.speeds, head.dimension
    discrete = as_doubles(values + WORD * head.first_discrete)
    members, still = as_words(head.members), as_words(head.still)
    rows, bias = as_doubles(head.rows), as_doubles(head.bias)
    posed, right, friction = as_doubles(cone.rows), as_doubles(cone.bias), as_doubles(cone.friction)
    given, directions, lower = as_words(cone.given), as_doubles(cone.directions), as_doubles(cone.lower)
    forces, statuses, slips = as_doubles(cone.forces), as_words(cone.statuses), as_doubles(cone.slip)
    free, carried = as_doubles(cone.free), as_doubles(cone.carried)
    cone.contacts, cone.speeds, cone.parted = count, wide, 1
    for j in range(wide):
        free[j] = as_doubles(head.free)[j] if j < n else 0.0
    for place in range(count):
        k = members[place]
        for i in range(d):
            right[place * d + i], forces[place * d + i] = bias[k * d + i], 0.0
            carried[place * d + i] = as_doubles(head.carried)[k * d + i]
            for j in range(wide):
                posed[(place * d + i) * wide + j] = rows[(k * d + i) * n + j] if j < n else 0.0
        friction[place] = coefficient(head, STATIC if still[k] == 1 else KINETIC, k)
        given[place], lower[place] = 1 - still[k], 0.0
        known = discrete[status_place(head, k)]
        statuses[place] = int(known) if known != OPEN else first_guess(head, k)
        _write_direction(head, k, discrete, measured and still[k] == 0, directions, place * (d - 1))
        for i in range(d - 1):
            slips[place * (d - 1) + i] = directions[place * (d - 1) + i]
        if given[place] == 1:
            statuses[place] = SLIP
