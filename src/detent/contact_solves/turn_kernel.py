"""Contacts that resist turning: a moment of at most (resistance * normal force) against it.

Such a moment is friction of another kind, bounded by the same normal force n. In the cone problem it is one contact
more, whose normal force n' is tied to n by a speed that no body has:

    row of the normal: (J_n, s),    row of the other normal: (0, -s),    so that u_n' = s^2 (n' - n)

With n' >= 0, u_n' >= 0 and one of them zero, n' = n is all that is left, and u_n is what it was without the tie. So
statuses, moments, directions and forces that are not unique are found together, by whatever solves cone problems. Rows
of turning are brought to the length of the tie, that of the normal, so that moments are forces and resistances numbers.
"""

from __future__ import annotations

import math
from typing import Final

from detent.contact_solves.cone_frame import OPEN, SLIP, STICK
from detent.contact_solves.contact_rows_kernel import (
    CORRECTED,
    NEAR,
    ROUNDING,
    STRAIGHT,
    first_guess,
    pose,
    resistance,
    row_length,
    status_place,
)
from detent.contact_solves.flat_end_kernel import end_that_tilts, is_level
from detent.contact_solves.settle_frame import TURN_STATES, Reason
from detent.jit.abi import WORD
from detent.jit.intrinsics import as_doubles, as_words, called, inlined

_STOPS: Final = 1e-10
"""Where something stops, what is no faster than what it gains in this part of the time stops with it."""
_HELD: Final = 1e-6
"""A row of a normal below this part of the longest one of its place cannot move: rounding is what is left of it."""
_TURNING: Final = 0
_WAY: Final = 1
"""Of the discrete states of turning: whether there is any, then what is kept of its direction."""


@inlined
def _state(head, turn, number):
    """Which discrete state it is."""
    return as_words(head.turn_places)[TURN_STATES * turn + number]


@inlined
def _first(head, turn):
    return as_words(head.turn_first)[turn]


@inlined
def _width(head, turn):
    """How many rows it has."""
    return as_words(head.turn_first)[turn + 1] - as_words(head.turn_first)[turn]


@called
def pace_of(head, turn):
    """The largest acceleration of a row of contacts as one of turning."""
    n, row, around = head.speeds, as_words(head.turn_contacts)[turn] * head.dimension, 0.0
    across = row_length(as_doubles(head.rows + WORD * row * n), n)
    for i in range(_first(head, turn), _first(head, turn + 1)):
        around = max(around, row_length(as_doubles(head.turn_rows + WORD * i * n), n))
    return head.acceleration * around / across if across > 0.0 else 0.0


@called
def speed_of(head, turn):
    """How fast it turns, and the terms that is the sum of."""
    speed, terms, total, size = as_doubles(head.turn_speed), as_doubles(head.turn_terms), 0.0, 0.0
    for i in range(_first(head, turn), _first(head, turn + 1)):
        total += speed[i] * speed[i]
        size = max(size, terms[i])
    return math.sqrt(total), size


# -- which turn ---------------------------------------------------------------------------------------------


@called
def _rests(head, turn, trigger, time, discrete, struck):
    """Whether the speed of turning is zero: because it was, because it has just ended, or by its size."""
    turned = discrete[_state(head, turn, _TURNING)] != 0.0
    held = discrete[status_place(head, as_words(head.turn_contacts)[turn])] > 0.0 and not turned
    anew = struck or trigger.reason <= Reason.CHANGES
    stops = trigger.reason == Reason.HALTS or trigger.reason == Reason.ENDS
    own = trigger.reason == Reason.HALTS and turn == trigger.turn
    speed, terms = speed_of(head, turn)
    if not anew and held:
        return True
    end = end_that_tilts(head, turn)
    if anew and end >= 0:
        return is_level(head, end, time)  # as it was asked whether its face touches, or its rim
    if not anew and own and (_width(head, turn) == 1 or speed <= discrete[_state(head, turn, _WAY + NEAR)]):
        return True
    breaks = trigger.reason == Reason.BREAKS  # friction may break because the turning, and its moment, turn round
    if not anew and turned and not stops and not breaks:
        return False
    slowly, size = ROUNDING, abs(time)
    if stops or (held and not struck):
        slowly, size = _STOPS, max(1.0, size)
    return speed <= min(slowly * (terms + size * pace_of(head, turn)), CORRECTED * max(1.0, terms))


@called
def _write_way(head, turn, time, discrete, goes_on):
    """Which way it turns: as it is measured, or as it did; one that is slow turns by rounding."""
    first, speed = _first(head, turn), as_doubles(head.turn_speed)
    size, _ = speed_of(head, turn)
    known = discrete[_state(head, turn, _TURNING)] != 0.0
    if _width(head, turn) == 1:
        kept = known and (goes_on or size == 0.0)
        sign = 1.0 if speed[first] >= 0.0 else -1.0
        as_doubles(head.turn_ways)[first] = discrete[_state(head, turn, _WAY)] if kept else sign
        return
    measured = size > ROUNDING * abs(time) * pace_of(head, turn)
    for i in range(2):
        way = (1.0, 0.0)[i]
        if measured:
            way = speed[first + i] / size
        elif known:
            way = discrete[_state(head, turn, _WAY + i)]
        as_doubles(head.turn_ways)[first + i] = way


@called
def judge_turns(head, trigger, time, values, struck):
    """What the velocities say: which turn, and which way."""
    discrete, turned = as_doubles(values + WORD * head.first_discrete), as_doubles(head.turned)
    for i in range(head.turns):
        rests = _rests(head, i, trigger, time, discrete, struck) and resistance(head, i) > 0.0
        turned[i] = 0.0 if rests else 1.0
        _write_way(head, i, time, discrete, not struck and trigger.reason != Reason.HALTS)


@called
def recall_turns(head, values):
    """What turns goes on to turn, as it does between instants; what does not is held."""
    discrete, speed = as_doubles(values + WORD * head.first_discrete), as_doubles(head.turn_speed)
    for i in range(head.turns):
        first, ways = _first(head, i), as_doubles(head.turn_ways)
        as_doubles(head.turned)[i] = discrete[_state(head, i, _TURNING)]
        size, _ = speed_of(head, i)
        kept = _width(head, i) == 1 or size == 0.0 or discrete[_state(head, i, _WAY + STRAIGHT)] != 0.0
        along = 0.0
        for k in range(_width(head, i)):
            along += speed[first + k] * discrete[_state(head, i, _WAY + k)]
        for k in range(_width(head, i)):
            measured = speed[first + k] if along >= 0.0 else -speed[first + k]
            ways[first + k] = discrete[_state(head, i, _WAY + k)] if kept else measured / size


# -- turning in the cone problem ----------------------------------------------------------------------------


@called
def _find_members(head, count):
    """Which contact of the cone problem each is, after those of the members; how many there are."""
    members, at, found = as_words(head.turn_members), as_words(head.turn_at), 0
    for i in range(head.turns):
        members[i], at[i] = -1, -1
        for place in range(count):
            if as_words(head.members)[place] == as_words(head.turn_contacts)[i]:
                members[i], at[i] = place, count + found
                found += 1
    return found


@called
def pose_all(head, cone, count, values, measured):
    """The cone problem of the members, and of the turning that they resist."""
    found = _find_members(head, count)
    tied = head.speeds
    pose(head, cone, count, values, measured, head.speeds + found * (head.dimension - 1))
    for i in range(head.turns):
        if as_words(head.turn_at)[i] >= 0:
            _tie(head, cone, i, tied)
            _pose_rows(head, cone, i, tied)
            _pose_friction(head, cone, i, values)
            tied += head.dimension - 1
    cone.contacts = count + found


@called
def _tie_size(rows, n, wide, d):
    """As long as the row of the normal; as the longest of its place where something else holds it along the normal."""
    longest, normal = 0.0, row_length(rows, n)
    for i in range(d):
        square = 0.0
        for j in range(n):
            square += rows[i * wide + j] * rows[i * wide + j]
        longest = max(longest, math.sqrt(square))
    if normal > _HELD * longest:
        return normal
    return longest if longest > 0.0 else 1.0


@called
def _tie(head, cone, turn, tied):
    """The normal force of what stands for turning is that of its place."""
    d, n, wide = head.dimension, head.speeds, cone.speeds
    normal = as_doubles(cone.rows + WORD * as_words(head.turn_members)[turn] * d * wide)
    own = as_doubles(cone.rows + WORD * as_words(head.turn_at)[turn] * d * wide)
    size = _tie_size(normal, n, wide, d)
    for j in range(d * wide):
        own[j] = 0.0
    normal[tied], own[tied] = size, -size
    if d - 1 > _width(head, turn):  # nothing turns about a second axis
        own[(d - 1) * wide + tied + 1] = size


@called
def _pose_rows(head, cone, turn, tied):
    """Rows of turning, as long as that of the normal."""
    d, n, wide, at, longest = head.dimension, head.speeds, cone.speeds, as_words(head.turn_at)[turn], 0.0
    for i in range(_first(head, turn), _first(head, turn + 1)):
        longest = max(longest, row_length(as_doubles(head.turn_rows + WORD * i * n), n))
    size = -as_doubles(cone.rows)[at * d * wide + tied]
    scale = size / longest if longest > 0.0 else 1.0
    as_doubles(head.turn_scales)[turn] = scale
    for i in range(d):
        as_doubles(cone.bias)[at * d + i], as_doubles(cone.carried)[at * d + i] = 0.0, 0.0
        as_doubles(cone.forces)[at * d + i] = 0.0
    for i in range(_width(head, turn)):
        row = _first(head, turn) + i
        given = as_doubles(head.turn_rows + WORD * row * n)
        own = as_doubles(cone.rows + WORD * (at * d + 1 + i) * wide)
        as_doubles(cone.bias)[at * d + 1 + i] = scale * as_doubles(head.turn_bias)[row]
        as_doubles(cone.carried)[at * d + 1 + i] = scale * as_doubles(head.turn_carried)[row]
        for j in range(n):
            own[j] = scale * given[j]


@called
def _pose_friction(head, cone, turn, values):
    """How large it may be, and what held."""
    d, at, contact = head.dimension, as_words(head.turn_at)[turn], as_words(head.turn_contacts)[turn]
    discrete = as_doubles(values + WORD * head.first_discrete)
    turns = as_doubles(head.turned)[turn] != 0.0
    as_doubles(cone.friction)[at] = resistance(head, turn) / as_doubles(head.turn_scales)[turn]
    as_words(cone.given)[at], as_doubles(cone.lower)[at] = 1 if turns else 0, 0.0
    known, status = discrete[status_place(head, contact)], first_guess(head, contact)
    if known > 0.0:
        status = SLIP if discrete[_state(head, turn, _TURNING)] != 0.0 else STICK
    as_words(cone.statuses)[at] = SLIP if turns else status
    for i in range(d - 1):
        way = as_doubles(head.turn_ways)[_first(head, turn) + i] if i < _width(head, turn) else 0.0
        as_doubles(cone.directions)[at * (d - 1) + i] = way
        as_doubles(cone.slip)[at * (d - 1) + i] = way


# -- what comes of it ---------------------------------------------------------------------------------------


@called
def contact_of(head, count, place):
    """The contact that one of the cone problem is, or whose turning it stands for."""
    if place < count:
        return as_words(head.members)[place]
    for i in range(head.turns):
        if as_words(head.turn_at)[i] == place:
            return as_words(head.turn_contacts)[i]
    return -1


@called
def does_turn(head, cone, turn):
    """Whether it turns from now on."""
    place, at = as_words(head.turn_members)[turn], as_words(head.turn_at)[turn]
    return at >= 0 and as_words(cone.statuses)[place] != OPEN and as_words(cone.statuses)[at] != STICK


@called
def is_held(head, cone, turn):
    """Whether it is held from now on."""
    place = as_words(head.turn_members)[turn]
    return place >= 0 and as_words(cone.statuses)[place] != OPEN and not does_turn(head, cone, turn)


@called
def turns_changed(head, cone, values):
    """Whether something turns that did not, or does not that did."""
    discrete, other = as_doubles(values + WORD * head.first_discrete), False
    for i in range(head.turns):
        now = 1.0 if does_turn(head, cone, i) else 0.0
        other = other or discrete[_state(head, i, _TURNING)] != now
    return other


@called
def moment_of(head, cone, turn, number):
    """The moment along one row of turning."""
    at = as_words(head.turn_at)[turn]
    if at < 0:
        return 0.0
    return as_doubles(head.turn_scales)[turn] * as_doubles(cone.forces)[at * head.dimension + 1 + number]


@called
def write_turns(head, cone, last, clear, fewer, discrete):
    """Whether each turns, and which way, among the discrete states; near its end as a slip in space is."""
    d = head.dimension
    for i in range(head.turns):
        at, width = as_words(head.turn_at)[i], _width(head, i)
        for number in range(2 if width == 1 else TURN_STATES):
            discrete[_state(head, i, number)] = 0.0
        if not does_turn(head, cone, i):
            continue
        discrete[_state(head, i, _TURNING)] = 1.0
        known = as_doubles(cone.directions if as_words(cone.given)[at] == 1 else cone.slip)
        for number in range(width):
            discrete[_state(head, i, _WAY + number)] = known[at * (d - 1) + number]
        if width == 2:
            size, terms = speed_of(head, i)
            end = max(last * pace_of(head, i), clear * ROUNDING * terms)
            straight = size <= 1.5 * end
            discrete[_state(head, i, _WAY + STRAIGHT)] = 1.0 if straight else 0.0
            discrete[_state(head, i, _WAY + NEAR)] = end if straight else max(end, fewer * size)
