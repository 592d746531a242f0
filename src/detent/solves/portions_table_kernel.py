"""The tables of the portions of a curve: of the smallest from bounds over them, of all others from their halves.

Bounds come from the tape of the curve walked with intervals; where any is not known, what follows from it is what holds
whatever it may be.
"""

from __future__ import annotations

import math
from typing import Final

from detent.events.enclosure_frame import JET
from detent.jit.abi import WORD
from detent.jit.intrinsics import ADDRESSES, as_doubles, call_cell, called, kernel, record_reader
from detent.solves import portions_frame as at
from detent.solves.box_walk_frame import BOX, WALKS
from detent.solves.box_walk_kernel import walk_all

_as_table: Final = record_reader(at.TABLE)
_as_walks: Final = record_reader(WALKS)

_OUTPUTS: Final = 2
_SLOPE: Final = 2
_BEND: Final = 4
"""Where the least and the largest slope and second slope are among the bounds of each of the two coordinates."""
_ROUNDING: Final = 1.0 + 1e-14


@kernel(ADDRESSES)
def tabulate_portions(context, time, state, values, out):
    """Tell what is known of all portions of a curve, of which the smallest are equally wide: all tables at once."""
    table = _as_table(context)
    _place(table, time, state, values)
    walk_all(table.walks, table.over)
    for k in range(2 * table.count):
        _leave_open(as_doubles(table.over + WORD * _OUTPUTS * JET * k))
    leaves = table.nodes + WORD * at.NODE * table.count
    table.middle = table.over + WORD * table.count * _OUTPUTS * JET
    _measure_all(table, leaves)
    table.sharpest, table.size = 0.0, 0.0
    for k in range(table.count):
        node, leaf = as_doubles(leaves + WORD * at.NODE * k), as_doubles(table.leaves + WORD * at.LEAF * k)
        table.sharpest = max(table.sharpest, node[at.HALF])
        if leaf[at.BEGIN] + leaf[at.SPAN] <= table.lowest or leaf[at.BEGIN] >= table.highest:
            node[at.RADIUS] = -1.0
        else:
            table.size = max(table.size, _length(node[at.X], node[at.Y]) + node[at.RADIUS])
    _join_all(table)
    return 0


@called
def _leave_open(bounds):
    """Where any bound of a portion is not a number, none of them is known."""
    is_known = True
    for n in range(_OUTPUTS * JET):
        is_known = is_known and not math.isnan(bounds[n])
    if not is_known:
        for n in range(_OUTPUTS * JET):
            bounds[n] = -math.inf if n % 2 == 0 else math.inf


@called
def _place(table, time, state, values):
    """Where the smallest portions are, with points and normals in their middle, and the boxes over them."""
    begins, widths, x = as_doubles(table.begins), as_doubles(table.widths), as_doubles(state)
    boxes, width = as_doubles(_as_walks(table.walks).boxes), table.span / table.count
    for k in range(table.count):
        begins[k], widths[k] = table.low + k * width, width
        middle = begins[k] + 0.5 * width
        x[table.column] = middle
        call_cell(table.spot, time, state, values, table.spots + WORD * at.SPOT * k)
        box, other = BOX * k, BOX * (table.count + k)
        boxes[box], boxes[box + 1], boxes[box + 2] = begins[k], begins[k] + width, 1.0
        boxes[other], boxes[other + 1], boxes[other + 2] = middle, middle, 1.0


@kernel(ADDRESSES)
def measure_portions(context, time, state, values, out):
    """Tell what is known of the smallest portions, from points and normals in their middle and bounds over all of them
    and in the middle."""
    table = _as_table(context)
    _measure_all(table, table.nodes)
    return 0


@called
def _measure_all(table, nodes):
    begins, widths = as_doubles(table.begins), as_doubles(table.widths)
    for k in range(table.count):
        spot, node = as_doubles(table.spots + WORD * at.SPOT * k), as_doubles(nodes + WORD * at.NODE * k)
        over = as_doubles(table.over + WORD * _OUTPUTS * JET * k)
        middle = as_doubles(table.middle + WORD * _OUTPUTS * JET * k)
        speed, turning, bend = _measure(spot, over, middle, 0.5 * widths[k], table.offset)
        node[at.X], node[at.Y], node[at.NORMAL_X], node[at.NORMAL_Y] = spot[0], spot[1], spot[2], spot[3]
        node[at.RADIUS] = 0.5 * widths[k] * speed * _ROUNDING
        node[at.HALF] = min(math.pi, 0.5 * widths[k] * turning)
        node[at.BEND] = bend
        leaf = as_doubles(table.leaves + WORD * at.LEAF * k)
        leaf[at.SPEED], leaf[at.TURNING], leaf[at.BEGIN], leaf[at.SPAN] = speed, turning, begins[k], widths[k]


@called
def _length(x, y):
    return math.sqrt(x * x + y * y)


@called
def _largest(bounds, first):
    return max(abs(bounds[first]), abs(bounds[first + 1]))


@called
def _narrowed(over, middle, first, half):
    """The least and the largest slope: by the mean value it is that in the middle, and half the width times a second
    slope."""
    off = half * _largest(over, first + _BEND)
    low, high = over[first + _SLOPE], over[first + _SLOPE + 1]
    return max(low, middle[first + _SLOPE] - off), min(high, middle[first + _SLOPE + 1] + off)


@called
def _least_size(low, high):
    return 0.0 if low <= 0.0 <= high else min(abs(low), abs(high))


@called
def _product(low, high, bounds, first):
    """The least and the largest product; not a number where one of them is not."""
    a, b, c, d = low * bounds[first], low * bounds[first + 1], high * bounds[first], high * bounds[first + 1]
    if math.isnan(a) or math.isnan(b) or math.isnan(c) or math.isnan(d):
        return math.nan, math.nan
    return min(min(a, b), min(c, d)), max(max(a, b), max(c, d))


@called
def _measure(spot, over, middle, half, offset):
    """How fast places and normals change with the coordinate at most, and how much the curve sticks out at least."""
    speed = _length(_largest(over, _SLOPE), _largest(over, JET + _SLOPE))
    x_low, x_high = _narrowed(over, middle, 0, half)
    y_low, y_high = _narrowed(over, middle, JET, half)
    slowest = _length(_least_size(x_low, x_high), _least_size(y_low, y_high))
    fastest = _length(max(abs(x_low), abs(x_high)), max(abs(y_low), abs(y_high)))
    if not slowest > 0.0:
        return speed if offset == 0.0 else math.inf, math.inf, -math.inf
    turning = _length(_largest(over, _BEND), _largest(over, JET + _BEND)) / slowest
    one_low, one_high = _product(x_low, x_high, over, JET + _BEND)
    other_low, other_high = _product(y_low, y_high, over, _BEND)
    low, high = one_low - other_high, one_high - other_low
    # The normal is on the left of the way, or on the right: there it bends the other way.
    if middle[_SLOPE] * spot[3] - middle[JET + _SLOPE] * spot[2] > 0.0:
        low, high = -high, -low
    least = low / fastest**3 if low > 0.0 else low / slowest**3
    most = high / slowest**3 if high > 0.0 else high / fastest**3
    if math.isnan(turning) or math.isnan(least) or math.isnan(most):
        return speed if offset == 0.0 else math.inf, math.inf, -math.inf
    if offset != 0.0:  # normals change by k c' with the coordinate, where k is the curvature
        factor = max(abs(1.0 + offset * least), abs(1.0 + offset * most))
        speed = min(speed * factor, speed + abs(offset) * turning)
    return speed, turning, least


@kernel(ADDRESSES)
def join_portions(context, time, state, values, out):
    """From the smallest portions to the whole: what holds for two halves holds for what they make up."""
    _join_all(_as_table(context))
    return 0


@called
def _join_all(table):
    for k in range(table.count - 1, 0, -1):
        node = as_doubles(table.nodes + WORD * at.NODE * k)
        one = as_doubles(table.nodes + WORD * at.NODE * 2 * k)
        other = as_doubles(table.nodes + WORD * at.NODE * (2 * k + 1))
        if one[at.RADIUS] < 0.0 or other[at.RADIUS] < 0.0:
            for i in range(at.NODE):
                node[i] = one[i] if other[at.RADIUS] < 0.0 else other[i]
        else:
            _join_circles(node, one, other)
            _join_normals(node, one, other)
            node[at.BEND] = min(one[at.BEND], other[at.BEND])


@called
def _join_circles(node, one, other):
    """A circle around both."""
    x, y, first, second = other[at.X] - one[at.X], other[at.Y] - one[at.Y], one[at.RADIUS], other[at.RADIUS]
    apart = _length(x, y)
    radius = max(max(0.5 * (apart + first + second), first), second)
    part = (radius - first) / apart if apart > 0.0 else 0.0
    part = min(max(part, 0.0), 1.0) if part == part else 0.0
    node[at.X], node[at.Y] = one[at.X] + part * x, one[at.Y] + part * y
    reach = _length(node[at.X] - one[at.X], node[at.Y] - one[at.Y]) + first
    farther = _length(node[at.X] - other[at.X], node[at.Y] - other[at.Y]) + second
    node[at.RADIUS] = max(reach, farther) * _ROUNDING


@called
def _join_normals(node, one, other):
    """A direction and an angle that hold the normals of both."""
    first = math.atan2(one[at.NORMAL_Y], one[at.NORMAL_X])
    off = math.atan2(other[at.NORMAL_Y], other[at.NORMAL_X]) - first
    off -= 2.0 * math.pi * math.floor((off + math.pi) / (2.0 * math.pi))
    low, high = min(-one[at.HALF], off - other[at.HALF]), max(one[at.HALF], off + other[at.HALF])
    angle = first + 0.5 * (low + high)
    node[at.NORMAL_X], node[at.NORMAL_Y] = math.cos(angle), math.sin(angle)
    node[at.HALF] = min(math.pi, 0.5 * (high - low) + 1e-14)
