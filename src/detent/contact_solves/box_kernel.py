"""In which features two boxes meet, from where they are: a kernel.

Along one of 15 axes two boxes are farthest apart (:func:`detent.contact.box_pairs.separation`). Where that is the
normal of a face they touch in what the other box has lowest above it, clipped by the face: corners of either box, and
crossings of their edges. Where it is across two edges they touch where these cross.

A feature is told by three numbers out of -1, 0 and 1, one for each axis of its box.
"""

from __future__ import annotations

import math
from typing import Final

from detent.contact_solves.box_frame import CODE, FACE, FOUND, POINTS, POSE, SIDE
from detent.jit.abi import EPSILON, WORD
from detent.jit.intrinsics import as_doubles, called, inlined

PARALLEL: Final = 1e-14
"""The square of the sine of an angle below which two edges are parallel."""
_TIE: Final = 1e-10
"""Of axes along which boxes are as far apart, but for this part of their size, one of a face comes first."""
_ALIKE: Final = 64.0 * EPSILON
"""Where they are as far apart but for this part of their size, what the one axis tells to touch does."""
_LEVEL: Final = 1e-9
"""What is no higher, by the size of the boxes, lies in the plane of a face."""
_INSIDE: Final = 5e-11
"""A point may be so far beyond the end of a feature, as a part of its size, and begin to touch there: half of what it
may be to stay there."""
_SAME: Final = 2e-9
"""Points that are nearer, by the size of the boxes, are one."""


@inlined
def _half(pose, box, k):
    return 0.5 * pose[POSE * box + 12 + k]


@inlined
def _axis(pose, box, k, i):
    """A component of an axis of a box."""
    return pose[POSE * box + 3 + 3 * k + i]


@called
def size_of(pose):
    """The size of both boxes together."""
    total = 0.0
    for k in range(3):
        total += _half(pose, 0, k) + _half(pose, 1, k)
    return total


@called
def between_axes(pose, i, j):
    """The product of an axis of the first box and one of the second."""
    total = 0.0
    for x in range(3):
        total += _axis(pose, 0, i, x) * _axis(pose, 1, j, x)
    return total


@called
def _away(pose, box, k):
    """How far the middle of the first is from that of the second, along an axis of one of them."""
    total = 0.0
    for x in range(3):
        total += (pose[x] - pose[POSE + x]) * _axis(pose, box, k, x)
    return total


@called
def _across_faces(pose):
    """The face along whose normal boxes are farthest apart: how far, whose it is, and which axis of that box.

    First of faces along which they are as far apart but for a little, then the one along which they really are.
    """
    best, whose, which, tie = -math.inf, 1, 0, _TIE * size_of(pose)
    top, owner, own = -math.inf, 1, 0
    for turn in range(6):
        box, k = 1 - turn // 3, turn % 3
        reach = _half(pose, box, k)
        for other in range(3):
            turned = between_axes(pose, k, other) if box == 0 else between_axes(pose, other, k)
            reach += _half(pose, 1 - box, other) * abs(turned)
        apart = abs(_away(pose, box, k)) - reach
        if apart > best + (tie if turn > 0 else 0.0):
            best, whose, which = apart, box, k
        if apart > top:
            top, owner, own = apart, box, k
    return best, whose, which, top, owner, own


@called
def _across_edges(pose):
    """The edges across which boxes are farthest apart: how far, and their axes."""
    best, first, second = -math.inf, 0, 0
    for i in range(3):
        for j in range(3):
            m, n, p, q = (i + 1) % 3, (i + 2) % 3, (j + 1) % 3, (j + 2) % 3
            mj, nj = between_axes(pose, m, j), between_axes(pose, n, j)
            square = mj * mj + nj * nj
            if square <= PARALLEL:
                continue
            along = abs(_away(pose, 0, n) * mj - _away(pose, 0, m) * nj)
            reach = _half(pose, 0, m) * abs(nj) + _half(pose, 0, n) * abs(mj)
            reach += _half(pose, 1, p) * abs(between_axes(pose, i, q))
            reach += _half(pose, 1, q) * abs(between_axes(pose, i, p))
            apart = (along - reach) / math.sqrt(square)
            if apart > best:
                best, first, second = apart, i, j
    return best, first, second


@called
def separation_of(pose):
    """How far two boxes are apart; negative where they overlap."""
    _, _, _, faces, _, _ = _across_faces(pose)
    edges, _, _ = _across_edges(pose)
    return max(faces, edges)


# -- points ---------------------------------------------------------------------------------------------


@called
def _middle(pose, box, code, first, out):
    """The middle of a feature of a box, whose numbers begin at ``first``."""
    for x in range(3):
        total = pose[POSE * box + x]
        for k in range(3):
            total += code[first + k] * _half(pose, box, k) * _axis(pose, box, k, x)
        out[x] = total


@called
def seen_from(pose, box, point, k):
    """A coordinate of a point along an axis of a box, from its middle."""
    total = 0.0
    for x in range(3):
        total += (point[x] - pose[POSE * box + x]) * _axis(pose, box, k, x)
    return total


@called
def edge_of(code, first):
    """The axis along which an edge extends."""
    axis = 0
    for k in range(3):
        if code[first + k] == 0.0:
            axis = k
    return axis


@called
def locate(pose, code, out):
    """Where two features meet; of two edges also how far from the middle of each, by its half length, at most."""
    if code[FACE] != 0.0:
        box = 0 if code[FACE] > 0.0 else 1
        _middle(pose, box, code, 3 * box, out)
        return 0.0
    i, j = edge_of(code, 0), edge_of(code, 3)
    cosine, first, second = between_axes(pose, i, j), 0.0, 0.0
    for x in range(3):
        mine, theirs = pose[x], pose[POSE + x]
        for k in range(3):
            mine += code[k] * _half(pose, 0, k) * _axis(pose, 0, k, x)
            theirs += code[3 + k] * _half(pose, 1, k) * _axis(pose, 1, k, x)
        out[x] = theirs
        first += (mine - theirs) * _axis(pose, 0, i, x)
        second += (mine - theirs) * _axis(pose, 1, j, x)
    square = 0.0
    for k in range(3):
        if k != i:
            square += between_axes(pose, k, j) * between_axes(pose, k, j)
    if square <= PARALLEL:
        return math.inf
    own, other = (cosine * second - first) / square, (second - cosine * first) / square
    for x in range(3):
        out[x] += other * _axis(pose, 1, j, x)
    return max(abs(own) / _half(pose, 0, i), abs(other) / _half(pose, 1, j))


@called
def distance(one, other):
    total = 0.0
    for x in range(3):
        total += (one[x] - other[x]) * (one[x] - other[x])
    return math.sqrt(total)


@called
def _keep(pose, found, count):
    """Keep the point that was written after the others, unless it is one of them; how many there are."""
    if count >= POINTS:
        return count
    new, near = as_doubles(found + WORD * (count * FOUND + CODE)), _SAME * size_of(pose)
    for k in range(count):
        if distance(new, as_doubles(found + WORD * (k * FOUND + CODE))) <= near:
            return count
    return count + 1


@inlined
def _matches(code, first, number):
    """Whether a corner, by the bits of a number, belongs to a feature."""
    belongs = True
    for k in range(3):
        sign = 1.0 if (number >> k) & 1 == 0 else -1.0
        belongs = belongs and (code[first + k] == 0.0 or code[first + k] == sign)
    return belongs


@called
def _corners_on(pose, met, ref, found, count):
    """The corners of one box's feature that are on the face of the other, ``ref``; how many points there are."""
    own = 1 - ref
    for number in range(8):
        if count >= POINTS or not _matches(met, 3 * own, number):
            continue
        new = as_doubles(found + WORD * count * FOUND)
        for k in range(3):
            new[3 * own + k] = 1.0 if (number >> k) & 1 == 0 else -1.0
            new[3 * ref + k] = met[3 * ref + k]
        new[FACE], new[SIDE] = 1.0 if ref == 1 else -1.0, 0.0
        point = as_doubles(found + WORD * (count * FOUND + CODE))
        locate(pose, new, point)
        inside = True
        for k in range(3):
            beyond = abs(seen_from(pose, ref, point, k)) - (1.0 + _INSIDE) * _half(pose, ref, k)
            inside = inside and (met[3 * ref + k] != 0.0 or beyond <= 0.0)
        if inside:
            count = _keep(pose, found, count)
    return count


@called
def _write_side(pose, new, up):
    """Which way two edges cross, given the direction from the second box to the first."""
    i, j, total = edge_of(new, 0), edge_of(new, 3), 0.0
    for x in range(3):
        y, z = (x + 1) % 3, (x + 2) % 3
        cross = _axis(pose, 0, i, y) * _axis(pose, 1, j, z) - _axis(pose, 0, i, z) * _axis(pose, 1, j, y)
        total += cross * up[x]
    new[FACE], new[SIDE] = 0.0, 1.0 if total >= 0.0 else -1.0


@called
def _take_edge(met, first, k, sign, new):
    """The edge of a feature along an axis, at one of its ends along the other; False where it has none."""
    zeros, others = 0, 0
    for a in range(3):
        new[first + a] = met[first + a]
        if met[first + a] == 0.0:
            zeros += 1
            if a != k:
                new[first + a] = sign
                others += 1
    return met[first + k] == 0.0 and (zeros == 2 or (zeros == 1 and sign > 0.0))


@called
def _crossings(pose, met, up, found, count):
    """Where edges of one feature cross edges of the other; how many points there are."""
    for turn in range(36):
        if count >= POINTS:
            break
        new = as_doubles(found + WORD * count * FOUND)
        one = _take_edge(met, 0, turn % 3, 1.0 if (turn // 9) % 2 == 0 else -1.0, new)
        other = _take_edge(met, 3, (turn // 3) % 3, 1.0 if turn // 18 == 0 else -1.0, new)
        if not (one and other):
            continue
        _write_side(pose, new, up)
        if locate(pose, new, as_doubles(found + WORD * (count * FOUND + CODE))) <= 1.0 + _INSIDE:
            count = _keep(pose, found, count)
    return count


@called
def _on_face(pose, ref, axis, met, up, found, count):
    """The points in which a box touches a face of the other, ``ref``, after some that are known; how many."""
    own, sign = 1 - ref, 1.0
    toward = _away(pose, ref, axis) if ref == 1 else -_away(pose, ref, axis)
    if toward < 0.0:
        sign = -1.0
    level = _LEVEL * size_of(pose)
    for k in range(3):
        met[3 * ref + k] = sign if k == axis else 0.0
        slope = sign * (between_axes(pose, k, axis) if ref == 1 else between_axes(pose, axis, k))
        met[3 * own + k] = 0.0 if 2.0 * _half(pose, own, k) * abs(slope) <= level else -math.copysign(1.0, slope)
    for x in range(3):
        up[x] = sign * _axis(pose, ref, axis, x) * (1.0 if ref == 1 else -1.0)
    zeros = 0
    for k in range(3):
        zeros += 1 if met[3 * own + k] == 0.0 else 0
    count = _corners_on(pose, met, ref, found, count)
    if zeros == 2:
        count = _corners_on(pose, met, own, found, count)
    return _crossings(pose, met, up, found, count) if zeros > 0 else count


@called
def _at_edges(pose, i, j, found):
    """The point in which two edges cross; how many."""
    m, n = (i + 1) % 3, (i + 2) % 3
    mj, nj = between_axes(pose, m, j), between_axes(pose, n, j)
    side = 1.0 if _away(pose, 0, n) * mj - _away(pose, 0, m) * nj >= 0.0 else -1.0
    new = as_doubles(found)
    for k in range(3):  # a_i x b_j = (b_j . a_m) a_n - (b_j . a_n) a_m
        own, its = 0.0, 0.0
        for x in range(3):
            up = side * (mj * _axis(pose, 0, n, x) - nj * _axis(pose, 0, m, x))
            own += up * _axis(pose, 0, k, x)
            its += up * _axis(pose, 1, k, x)
        new[k] = 0.0 if k == i else -math.copysign(1.0, own)
        new[3 + k] = 0.0 if k == j else math.copysign(1.0, its)
    new[FACE], new[SIDE] = 0.0, side
    return 1 if locate(pose, new, as_doubles(found + WORD * CODE)) <= 1.0 + _INSIDE else 0


@called
def meet(pose, room, found):
    """The points in which two boxes touch where they are, or would; how many. ``room`` is for numbers on the way.

    Boxes that nearly lie on a face touch in what is there, and where they really are nearest, if that is elsewhere.
    """
    faces, whose, axis, top, owner, own = _across_faces(pose)
    edges, i, j = _across_edges(pose)
    met, up, count, alike = as_doubles(room), as_doubles(room + WORD * CODE), 0, _ALIKE * size_of(pose)
    if edges > faces + _TIE * size_of(pose):
        count = _at_edges(pose, i, j, found)
    if count == 0:
        count = _on_face(pose, whose, axis, met, up, found, 0)
        if top > max(edges, faces + alike):
            count = _on_face(pose, owner, own, met, up, found, count)
        elif edges > faces + alike and count < POINTS and _at_edges(pose, i, j, found + WORD * count * FOUND) > 0:
            count = _keep(pose, found, count)
    if count == 0 and edges > -math.inf:
        count = _at_edges(pose, i, j, found)
    return count
