"""Where a curve sticks out: only there does a straight face lie on it between its ends.

Between two bumps, where it bends the other way, a face touches it with its corners, or the curve's ends touch the face.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from itertools import pairwise
from typing import Final, NamedTuple, TypeAlias
from weakref import WeakKeyDictionary

from detent.contact.bends import CORNER, Bends, corner_at
from detent.contact.caps import Cap, Spots, caps_of
from detent.expr.derivative import partial
from detent.expr.evaluate import evaluate_nodes
from detent.expr.from_sympy import FromSympy
from detent.expr.graph import Graph
from detent.model.parametric_shapes import Curve

_SAMPLES: Final = 1024
_FLATTEST: Final = tuple(10.0**-power for power in range(3, 16))
"""Where a bump ends because the curve bends the other way beyond, it bends by one of these parts of what the curve
bends at most: by the first to leave out little."""
_DEEP: Final = 1e-9
"""The part of the length of a curve by which a face may sink in where it lies on what is left out there: it is the cube
of what is left out, of a gentle hill beside a sharp one it would be all."""
_LOOKED_AT: Final = 64
"""Between so many pieces of what is left out it is seen how deep that is."""
_FLAT: Final = 1e-5
"""A curve is flat at its own end if it bends by less than this part of what it would bend if it turned by 1 rad on its
way. There a tail is left out of a bump that is as little deep: a face lies on its ends, as on what is straight."""
_NOTHING: Final = 1e-9
"""A bend below this part of the largest is none."""
_SHARP: Final = 1e4
"""What bends more than so many times as much as to turn by 1 rad on all of the way is a needle: beside it others stick
out, too."""
_MOST: Final = 2 * math.pi - 0.1
"""A bump that turns by more winds round itself, and is cut."""
_PART: Final = math.pi
"""Into parts that turn by no more than this."""
_OVERLAP: Final = 0.25
"""Each of which is followed until the next has turned by this, rad."""
_HALVINGS: Final = 30
"""So often is the distance of two samples halved to find where between them a bump ends."""


class _Spot(NamedTuple):
    """How much a curve sticks out at a value, the rate at which its way turns away from its face; its way there, and
    the point."""

    bend: float
    way: tuple[float, float]
    point: tuple[float, float]


_Line: TypeAlias = Callable[[float], _Spot]


class Bump(NamedTuple):
    """A part of a curve that sticks out all along, and the angle by which it turns there."""

    lowest: float
    highest: float
    turning: float
    goes_on: tuple[bool, bool] = (False, False)
    """Whether another one goes on at its start, and at its end."""
    flattest: float = 1.0
    """The least that it bends between its ends, by what it bends on average."""
    tails: tuple[bool, bool] = (False, False)
    """Whether all the rest of the curve before its start, and beyond its end, is flat, and is left out."""
    caps: tuple[Cap, ...] = ()
    """Where it is seen as its cap."""
    seen: tuple[float, float, float] | None = None
    """From where to where it is followed, and how much it turns there, if that is more: where another one goes on, a
    little of that. There the way and how it bends are the same for both, so that it is known what presses either."""

    @property
    def followed(self) -> tuple[float, float, float]:
        """From where to where it is followed, and the angle by which it turns there."""
        return (self.lowest, self.highest, self.turning) if self.seen is None else self.seen


class Left(NamedTuple):
    """A part of a curve that is left out of its bumps, or seen as its cap, and the angle by which it turns there.

    A face that lies on it does so with its corners, which must be turned out of their cones by no more than that.
    """

    start: float
    end: float
    turning: float


class _Found(NamedTuple):
    bumps: tuple[Bump, ...]
    left: tuple[Left, ...]


_FOUND: Final[WeakKeyDictionary[Curve, _Found | None]] = WeakKeyDictionary()


def bumps_of(curve: Curve) -> tuple[Bump, ...] | None:
    """The bumps of a curve, in order, those that wind round themselves cut; None where they are not known before a run.

    >>> import detent, sympy
    >>> s = sympy.Symbol("s")
    >>> waves = detent.System("example").ground.curve(s, s, sympy.cos(s), (-5, 5))
    >>> [(round(bump.lowest, 1), round(bump.highest, 1)) for bump in bumps_of(waves)]
    [(-5.0, -4.7), (-1.6, 1.6), (4.7, 5.0)]
    """
    found = _known(curve)
    return None if found is None else found.bumps


def left_out_of(curve: Curve) -> tuple[Left, ...]:
    """What is left out of the bumps of a curve; nothing where they are not known before a run.

    >>> import detent, sympy
    >>> s = sympy.Symbol("s")
    >>> waves = detent.System("example").ground.curve(s, s, sympy.cos(s), (-3, 3))
    >>> [f"{part.start:.3f} to {part.end:.3f}, {part.turning:.0e} rad" for part in left_out_of(waves)]
    ['-1.573 to -1.569, 1e-06 rad', '1.569 to 1.573, 1e-06 rad']
    """
    found = _known(curve)
    return () if found is None else found.left


def _known(curve: Curve) -> _Found | None:
    if curve not in _FOUND:
        _FOUND[curve] = _found(curve)
    return _FOUND[curve]


def _found(curve: Curve) -> _Found | None:
    others = {symbol for function in curve.functions for symbol in function.free_symbols} - {curve.parameter}
    if others or not all(end.is_number for end in (curve.lowest, curve.highest)):
        return None
    lowest, highest = float(curve.lowest), float(curve.highest)
    values = [lowest + (highest - lowest) * k / _SAMPLES for k in range(_SAMPLES + 1)]
    line = _line_of(curve)
    seen = [line(value) for value in values]
    bends = [spot.bend for spot in seen]
    length = math.fsum(math.hypot(*spot.way) for spot in seen) * (highest - lowest) / _SAMPLES
    most, deep = max(map(abs, bends)), _DEEP * length
    most = min(most, _SHARP / (highest - lowest))
    values = Bends(curve).more_values(values, _NOTHING * most, deep)
    if len(values) > len(seen):
        bends = [line(value).bend for value in values]
    if not any(bends):
        return _Found((), ())
    signs = [bend > -_NOTHING * most for bend in bends]
    if curve.closed and not all(signs):  # begin where it bends the other way
        first = signs.index(False)
        period = highest - lowest
        values = [*values[first:-1], *(value + period for value in values[: first + 1])]
        bends = [*bends[first:-1], *bends[: first + 1]]
        signs = [bend > -_NOTHING * most for bend in bends]
    made = [_bump(line, values, bends, part, most, deep) for part in _runs(signs)]
    bumps = [bump for bump, _ in made if bump is not None]
    if not (curve.closed and all(signs)):
        bumps = [part for bump in bumps for part in _cut(line, bump)]
    capped = [_with_caps(curve, line, values, bump, deep) for bump in bumps]
    left = [part for _, parts in made for part in parts]
    left += [Left(cap.start, cap.end, _turn(line, cap.start, cap.end)) for bump in capped for cap in bump.caps]
    return _Found(tuple(capped), tuple(part for part in left if part.end > part.start and part.turning > 0.0))


def _with_caps(curve: Curve, line: _Line, values: list[float], bump: Bump, deep: float) -> Bump:
    within = [bump.lowest, *(value for value in values if bump.lowest < value < bump.highest), bump.highest]
    average = bump.turning / (bump.highest - bump.lowest)
    side = -1.0 if curve.turned else 1.0
    return bump._replace(caps=caps_of(_spots_of(curve), lambda value: line(value).bend, side, within, average, deep))


def _cut(line: _Line, bump: Bump) -> list[Bump]:
    """A bump that winds round itself as several, one after the other."""
    if bump.turning <= _MOST:
        return [bump]
    along = [bump.lowest + (bump.highest - bump.lowest) * k / _SAMPLES for k in range(_SAMPLES + 1)]
    turned = [abs(turn) for turn in _turned(line, along)]
    count = math.ceil(turned[-1] / _PART)
    ends = [min(k for k in range(_SAMPLES + 1) if turned[k] >= turned[-1] * part / count) for part in range(count + 1)]
    return [_part(along, turned, first, last) for first, last in pairwise(ends)]


def _part(along: list[float], turned: list[float], first: int, last: int) -> Bump:
    start = max(k for k in range(first + 1) if k == 0 or turned[k] <= turned[first] - _OVERLAP)
    end = min(k for k in range(last, len(along)) if k == len(along) - 1 or turned[k] >= turned[last] + _OVERLAP)
    seen = along[start], along[end], turned[end] - turned[start]
    goes_on = first > 0, last < len(along) - 1
    return Bump(along[first], along[last], turned[last] - turned[first], goes_on, seen=seen)


def _turned(line: _Line, along: list[float]) -> list[float]:
    """By how much a curve has turned since the first of some values, to the left.

    However narrow a tip is, between two values it turns by less than half a turn; how it bends there need not be seen.
    """
    ways, turned = [line(value).way for value in along], [0.0]
    for (x, y), (other_x, other_y) in pairwise(ways):
        turned.append(turned[-1] + math.atan2(x * other_y - y * other_x, x * other_x + y * other_y))
    return turned


def _spots_of(curve: Curve) -> Spots:
    """The point of a curve at a value, its way and its second slope there."""
    graph = Graph()
    at = graph.leaf("at")
    x, y = (FromSympy(graph, {curve.parameter: at})(function) for function in curve.functions)
    slopes = [partial(x, at), partial(y, at)]
    nodes = [x, y, *slopes, *(partial(each, at) for each in slopes)]
    return lambda value: evaluate_nodes(nodes, {"at": value})


def _line_of(curve: Curve) -> _Line:
    """What is to be known of a curve at a value."""
    spots, side = _spots_of(curve), -1.0 if curve.turned else 1.0

    @cache
    def line(value: float) -> _Spot:
        x, y, dx, dy, ddx, ddy = spots(value)
        return _Spot(side * (dy * ddx - dx * ddy) / (dx * dx + dy * dy), (dx, dy), (x, y))

    return line


def _runs(signs: list[bool]) -> list[range]:
    """The stretches in which all are true."""
    edges = [0, *(k for k in range(1, len(signs)) if signs[k] != signs[k - 1]), len(signs)]
    return [range(a, b) for a, b in pairwise(edges) if signs[a]]


def _bump(
    line: _Line, values: list[float], bends: list[float], part: range, most: float, deep: float
) -> tuple[Bump | None, list[Left]]:
    """What is left of a stretch without its flat ends, and these."""
    first, last = part[0], part[-1]
    most = max(most, *bends[first : last + 1])
    inner, at_end = values[first : last + 1], last == len(values) - 1
    outer = [
        inner[0] if first == 0 else _bent_by(line, 0.0, inner[0], values[first - 1]),
        inner[-1] if at_end else _bent_by(line, 0.0, inner[-1], values[last + 1]),
    ]
    start = _tail(line, inner, deep) if first == 0 else _end(line, values, part, -1, most, deep)
    end = _tail(line, inner[::-1], deep) if at_end else _end(line, values, part, 1, most, deep)
    if start is not None and end is not None and not start < end and abs(_turned(line, inner)[-1]) > CORNER:
        raise corner_at(float(start))
    if start is None or end is None or not start < end:
        return None, [_left(line, outer[0], outer[1], first > 0, not at_end)]
    left = [_left(line, outer[0], start, first > 0, False)] if start > outer[0] else []
    left += [_left(line, end, outer[1], False, not at_end)] if end < outer[1] else []
    seen = zip(inner, bends[first : last + 1], strict=True)
    within = [(value, bend) for value, bend in seen if start < value < end]
    along = [start, *(value for value, _ in within), end]
    bent = [line(start).bend, *(bend for _, bend in within), line(end).bend]
    turning = abs(_turned(line, along)[-1])
    flattest = min(bent[1:-1], default=1.0) * (end - start) / turning
    tails = (first == 0 and start > values[0], at_end and end < values[-1])
    return Bump(start, end, turning, flattest=flattest, tails=tails), left


def _left(line: _Line, start: float, end: float, before: bool, after: bool) -> Left:
    """A part that is left out; where the curve bends the other way beyond, with as much again of that."""
    wide = end - start
    return Left(start - wide * before, end + wide * after, _most_turned(line, start, end))


def _most_turned(line: _Line, start: float, end: float) -> float:
    along = [start + (end - start) * k / _LOOKED_AT for k in range(_LOOKED_AT + 1)]
    return max(map(abs, _turned(line, along)))


def _end(line: _Line, values: list[float], part: range, outward: int, most: float, deep: float) -> float | None:
    """Where a bump ends that the curve leaves by bending the other way; None where all of it is not deep."""
    inner = part if outward < 0 else part[::-1]
    end = _bent_by(line, 0.0, values[inner[0]], values[inner[0] + outward])
    if _depth(line, values[inner[-1]], end) <= deep:
        return None
    found = None
    for flat in _FLATTEST:
        bent = next((k for k in inner if line(values[k]).bend > flat * most), None)
        if bent is not None:
            found = _bent_by(line, flat * most, values[bent], end if bent == inner[0] else values[bent + outward])
            if _depth(line, found, end) <= deep:
                break
    return found


def _bent_by(line: _Line, least: float, inside: float, outside: float) -> float:
    """The last value on the way outward at which a curve bends by more than this."""
    return _between(lambda at: line(at).bend > least, inside, outside)


def _tail(line: _Line, values: list[float], deep: float) -> float | None:
    """Where a bump ends that begins with the curve: there, or, where it is flat, farther in; None where it is nowhere
    deeper than what is left out."""
    end, inside = values[0], values[-1]
    if line(end).bend * abs(inside - end) > _FLAT:
        return end
    return _between(lambda at: _sag(line, at, end) > deep, inside, end) if _sag(line, inside, end) > deep else None


def _turn(line: _Line, value: float, end: float) -> float:
    """By how much a curve turns between two values, if that is less than half a turn."""
    (x, y), (other_x, other_y) = line(value).way, line(end).way
    return abs(math.atan2(x * other_y - y * other_x, x * other_x + y * other_y))


def _depth(line: _Line, start: float, end: float) -> float:
    """How far a stretch is from the tangent at its start at most."""
    return _farthest(line, start, end, line(start).way)


def _sag(line: _Line, start: float, end: float) -> float:
    """How far a stretch is from the straight way between its ends at most."""
    (x, y), (other_x, other_y) = line(start).point, line(end).point
    return _farthest(line, start, end, (other_x - x, other_y - y))


def _farthest(line: _Line, start: float, end: float, way: tuple[float, float]) -> float:
    """How far a stretch is from what goes straight from its start at most."""
    (x, y), (across, up) = line(start).point, way
    points = (line(start + (end - start) * k / _LOOKED_AT).point for k in range(1, _LOOKED_AT + 1))
    aside = max(abs(across * (other_y - y) - up * (other_x - x)) for other_x, other_y in points)
    return aside / math.hypot(across, up) if start != end else 0.0


def _between(holds: Callable[[float], bool], inside: float, outside: float) -> float:
    """The last value on the way outward at which something holds."""
    for _ in range(_HALVINGS):
        middle = 0.5 * (inside + outside)
        inside, outside = (middle, outside) if holds(middle) else (inside, middle)
    return inside
