"""The features of boxes among the discrete states: chosen where boxes meet, and told where all contacts are settled.

A place of two boxes that is closed keeps its features until it leaves them. All other points in which the boxes touch
at an instant are offered to the others of their places, as open ones, or as closed ones where they follow upon one that
has left its features. What of the boxes lies in the plane in which they touch follows from what is closed afterwards.
"""

from __future__ import annotations

import math
from typing import Final

from detent.contact_solves.box_frame import CODE, FACE, FOUND, PAIR, POINTS, POSE, SIDE
from detent.contact_solves.box_kernel import (
    between_axes,
    distance,
    edge_of,
    locate,
    meet,
    seen_from,
    separation_of,
    size_of,
)
from detent.contact_solves.contact_rows_kernel import GAP, ROUNDING, coefficient, slip_place, status_place
from detent.contact_solves.settle_frame import AT_START, Reason
from detent.jit.abi import OK, WORD
from detent.jit.intrinsics import as_doubles, call_cell, called, inlined, row_reader

_pair_at: Final = row_reader(PAIR)

_ONE: Final = 1e-8
"""Points that are nearer, by the size of the boxes, are one where it is asked what lies in a plane."""
_FLUSH: Final = 1e-16
"""The square of the sine of an angle below which faces are flush."""
_AS_NEAR: Final = 1e-14
"""Points that are nearer to closing by no more than this, by the size of the boxes, close together."""
_SLIP_STATES: Final = 4
_OFF: Final = -1.0


@inlined
def _code_of(pair, discrete, place):
    """The features of a place; of the boxes as a whole where it is -1."""
    return as_doubles(discrete + WORD * (pair.features + CODE * (1 + place)))


@inlined
def _is_there(code):
    return code[FACE] != 0.0 or code[SIDE] != 0.0


@called
def _clear(code):
    for i in range(CODE):
        code[i] = 0.0


@inlined
def _closed(head, pair, discrete, place):
    return as_doubles(discrete)[status_place(head, pair.first + place)] > 0.0


@called
def _is_near_closed(head, pair, pose, discrete, point):
    """Whether a closed place is where a point is."""
    near, found = _ONE * size_of(pose), False
    where = as_doubles(head.box_room)
    for place in range(POINTS):
        if _closed(head, pair, discrete, place):
            locate(pose, _code_of(pair, discrete, place), where)
            found = found or distance(where, point) <= near
    return found


@called
def _is_held(head, pair, discrete, new):
    """Whether a closed place has these features."""
    found = False
    for place in range(POINTS):
        if _closed(head, pair, discrete, place):
            code, same = _code_of(pair, discrete, place), True
            for i in range(CODE):
                same = same and code[i] == new[i]
            found = found or same
    return found


@called
def _follow(head, pair, discrete, place, left, status):
    """Let a place go on as one that has left its features did."""
    states = as_doubles(discrete)
    states[status_place(head, pair.first + place)] = status
    for i in range(_SLIP_STATES):
        states[slip_place(head, pair.first + place, i)] = states[slip_place(head, left, i)]


@called
def _offer(head, pair, pose, discrete, left, status):
    """Give the points in which boxes touch to the places that are not closed; ``left`` has left its features."""
    count = meet(pose, head.box_room, head.box_found)
    place = 0
    for number in range(count):
        new = as_doubles(head.box_found + WORD * number * FOUND)
        point = as_doubles(head.box_found + WORD * (number * FOUND + CODE))
        if _is_held(head, pair, discrete, new) or _is_near_closed(head, pair, pose, discrete, point):
            continue
        while place < POINTS and _closed(head, pair, discrete, place):
            place += 1
        if place == POINTS:
            return
        code = _code_of(pair, discrete, place)
        for i in range(CODE):
            code[i] = new[i]
        if left >= 0:
            _follow(head, pair, discrete, place, left, status)
        place += 1


@called
def _count_closed(head, pair, discrete):
    count = 0
    for place in range(POINTS):
        count += 1 if _closed(head, pair, discrete, place) else 0
    return count


@called
def _clear_open(head, pair, discrete):
    for place in range(POINTS):
        if not _closed(head, pair, discrete, place):
            _clear(_code_of(pair, discrete, place))


@called
def _choose(head, trigger, number, pose, discrete):
    """Choose the features of one pair of boxes."""
    pair, states = _pair_at(head.pairs, number), as_doubles(discrete)
    if states[status_place(head, pair.first)] < 0.0:
        return
    leaves = trigger.reason == Reason.LEAVES and pair.first <= trigger.contact < pair.first + POINTS
    left, status = -1, 0.0
    if leaves:
        left, head.goes_on = trigger.contact, 1
        status, states[status_place(head, left)] = states[status_place(head, left)], 0.0
    _clear_open(head, pair, discrete)
    closed = _count_closed(head, pair, discrete)
    if leaves and closed == 0:
        return  # what is left of them comes away, or is met again
    near = (AT_START if trigger.reason == Reason.STARTS else ROUNDING) * max(1.0, size_of(pose))
    if closed > 0 or trigger.pair == number or separation_of(pose) <= near:
        _offer(head, pair, pose, discrete, left, status)


@called
def choose_features(head, trigger, time, state, values):
    """Choose the features of all boxes that touch; OK, or why not."""
    head.goes_on = 0
    if head.pair_count == 0:
        return OK
    status = call_cell(head.standing, time, state, values, head.poses)
    if status != OK:
        return status
    for number in range(head.pair_count):
        pose = as_doubles(head.poses + WORD * number * 2 * POSE)
        _choose(head, trigger, number, pose, values + WORD * head.first_discrete)
    return OK


@called
def _is_offered(head, pair, discrete, place):
    """Whether a place has features at which it may close."""
    return _is_there(_code_of(pair, discrete, place)) and not _closed(head, pair, discrete, place)


@called
def name_struck(head, trigger, values):
    """Where boxes meet, it is about that of their places which is nearest; of those that are as near, the fastest."""
    if trigger.pair < 0:
        return
    pair, discrete = _pair_at(head.pairs, trigger.pair), values + WORD * head.first_discrete
    nearest, fastest, speed = math.inf, math.inf, as_doubles(head.speed)
    for place in range(POINTS):
        if _is_offered(head, pair, discrete, place):
            nearest = min(nearest, coefficient(head, GAP, pair.first + place))
    within = nearest + _AS_NEAR * size_of(as_doubles(head.poses + WORD * trigger.pair * 2 * POSE))
    trigger.contact = pair.first
    for place in range(POINTS):
        k = pair.first + place
        if not _is_offered(head, pair, discrete, place) or coefficient(head, GAP, k) > within:
            continue
        if speed[k * head.dimension] < fastest:
            trigger.contact, fastest = k, speed[k * head.dimension]


# -- what lies in the plane in which boxes touch ----------------------------------------------------------


@called
def _spread(head, pair, pose, discrete):
    """The dimension of what is closed: 0 a point, 1 a line, 2 more than that; the points are left behind."""
    points, count = head.box_found, 0
    for place in range(POINTS):
        if _closed(head, pair, discrete, place):
            locate(pose, _code_of(pair, discrete, place), as_doubles(points + WORD * 3 * count))
            count += 1
    near, first = _ONE * size_of(pose), as_doubles(points)
    far, longest = 0, 0.0
    for k in range(1, count):
        apart = distance(first, as_doubles(points + WORD * 3 * k))
        if apart > longest:
            far, longest = k, apart
    if longest <= near:
        return 0, count
    end, widest = as_doubles(points + WORD * 3 * far), 0.0
    for k in range(1, count):
        other, along, square = as_doubles(points + WORD * 3 * k), 0.0, 0.0
        for x in range(3):
            along += (other[x] - first[x]) * (end[x] - first[x]) / longest
            square += (other[x] - first[x]) * (other[x] - first[x])
        widest = max(widest, square - along * along)
    return (1 if widest <= near * near else 2), count


@called
def _common(head, pose, box, count, code):
    """The smallest feature of a box that has some points on it; how many of its numbers are not zero."""
    near, set_ = _ONE * size_of(pose), 0
    for k in range(3):
        half = 0.5 * pose[POSE * box + 12 + k]
        sign = 0.0
        for number in range(count):
            at = seen_from(pose, box, as_doubles(head.box_found + WORD * 3 * number), k)
            own = 1.0 if abs(at - half) <= near else -1.0 if abs(at + half) <= near else 0.0
            sign = own if number == 0 or own == sign else 0.0
        code[3 * box + k] = sign
        set_ += 1 if sign != 0.0 else 0
    return set_


@called
def _normal_along(pose, code, box, k):
    """How far the normal of two features goes along an axis of a box."""
    total = 0.0
    if code[FACE] > 0.0:
        for j in range(3):
            total += code[3 + j] * (between_axes(pose, k, j) if box == 0 else 1.0 if j == k else 0.0)
        return total
    if code[FACE] < 0.0:
        for j in range(3):
            total -= code[j] * (between_axes(pose, j, k) if box == 1 else 1.0 if j == k else 0.0)
        return total
    i, j = edge_of(code, 0), edge_of(code, 3)
    m, n = (i + 1) % 3, (i + 2) % 3
    mj, nj = between_axes(pose, m, j), between_axes(pose, n, j)
    sine = code[SIDE] * math.sqrt(mj * mj + nj * nj)
    if box == 0:
        return mj / sine if k == n else -nj / sine if k == m else 0.0
    return (mj * between_axes(pose, n, k) - nj * between_axes(pose, m, k)) / sine


@called
def _face_along(pose, code, box, out):
    """The face of a box that lies in the plane of two features, if one does."""
    best, along = -1, 0.0
    for k in range(3):
        aside = 0.0
        for other in range(3):
            if other != k:
                aside += _normal_along(pose, code, box, other) ** 2
        if aside <= _FLUSH:
            best, along = k, _normal_along(pose, code, box, k)
    if best < 0:
        return False
    for k in range(3):
        out[3 * box + k] = 0.0
    out[3 * box + best] = math.copysign(1.0, along) * (1.0 if box == 1 else -1.0)
    return True


@called
def _lie(head, pair, pose, discrete):
    """Write what of two boxes lies in the plane in which they touch, so that all else is above it; its dimension."""
    whole, first = _code_of(pair, discrete, -1), 0
    while first < POINTS - 1 and not _closed(head, pair, discrete, first):
        first += 1
    own = _code_of(pair, discrete, first)
    for i in range(CODE):
        whole[i] = own[i]
    spread, count = _spread(head, pair, pose, discrete)
    if spread == 0:
        return spread
    common = as_doubles(head.box_room)
    mine, theirs = _common(head, pose, 0, count, common), _common(head, pose, 1, count, common)
    faces = as_doubles(head.box_room + WORD * CODE)
    on_first, on_second = _face_along(pose, own, 0, faces), _face_along(pose, own, 1, faces)
    if spread == 2 and on_first and on_second:
        for i in range(6):
            whole[i] = faces[i]
        whole[FACE], whole[SIDE] = 1.0, 0.0
    elif on_second and mine == 2:
        for k in range(3):
            whole[k], whole[3 + k] = common[k], faces[3 + k]
        whole[FACE], whole[SIDE] = 1.0, 0.0
    elif on_first and theirs == 2:
        for k in range(3):
            whole[k], whole[3 + k] = faces[k], common[3 + k]
        whole[FACE], whole[SIDE] = -1.0, 0.0
    return spread


@called
def tell_features(head, discrete):
    """Write whether boxes touch, and how, after all contacts have been settled."""
    states = as_doubles(discrete)
    for number in range(head.pair_count):
        pair, pose = _pair_at(head.pairs, number), as_doubles(head.poses + WORD * number * 2 * POSE)
        closed = _count_closed(head, pair, discrete)
        off = states[status_place(head, pair.first)] < 0.0
        _clear_open(head, pair, discrete)
        _clear(_code_of(pair, discrete, -1))
        spread = _lie(head, pair, pose, discrete) if closed > 0 else -1
        states[pair.touching] = _OFF if off else 1.0 + spread  # see Touching
