"""Where a curve sticks out: only there does a straight face lie on it between its ends.

Between two bumps, where it bends the other way, a face touches it with its corners, or the curve's ends touch the face.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise
from typing import Final, NamedTuple, TypeAlias
from weakref import WeakKeyDictionary

from detent.expr.derivative import partial
from detent.expr.evaluate import evaluate_nodes
from detent.expr.from_sympy import FromSympy
from detent.expr.graph import Graph
from detent.model.parametric_shapes import Curve

_SAMPLES: Final = 1024
_FLATTEST: Final = tuple(10.0**-power for power in range(3, 10))
"""Where a bump ends it bends by one of these parts of what the curve bends at most: the first to leave out little."""
_DEEP: Final = 1e-9
"""The part of the length of a curve by which a face may sink in where it lies on what is left out of a bump. Where that
ends because the curve bends the other way it is the cube of what is left out; a long tail, or a gentle hill beside a
sharp one, is much deeper."""
_LOOKED_AT: Final = 64
"""Between so many pieces of what is left out it is seen how deep that is."""
_NOTHING: Final = 1e-9
"""A bend below this part of the largest is none."""
_MOST: Final = 2 * math.pi - 0.1
"""A bump that turns by more winds round itself, and is cut."""
_PART: Final = math.pi
"""Into parts that turn by no more than this."""
_HALVINGS: Final = 30
"""So often is the distance of two samples halved to find where between them a bump ends."""


_Line: TypeAlias = Callable[[float], tuple[float, float]]
"""How a curve bends at a value, and how fast its point goes."""


class Bump(NamedTuple):
    """A part of a curve that sticks out all along, and the angle by which it turns there."""

    lowest: float
    highest: float
    turning: float
    goes_on: tuple[bool, bool] = (False, False)
    """Whether another one goes on at its start, and at its end."""
    flattest: float = 1.0
    """The least that it bends between its ends, by what it bends on average."""


_FOUND: Final[WeakKeyDictionary[Curve, tuple[Bump, ...] | None]] = WeakKeyDictionary()


def bumps_of(curve: Curve) -> tuple[Bump, ...] | None:
    """The bumps of a curve, in order, those that wind round themselves cut; None where they are not known before a run.

    >>> import detent, sympy
    >>> s = sympy.Symbol("s")
    >>> waves = detent.System("example").ground.curve(s, s, sympy.cos(s), (-5, 5))
    >>> [(round(bump.lowest, 1), round(bump.highest, 1)) for bump in bumps_of(waves)]
    [(-5.0, -4.7), (-1.6, 1.6), (4.7, 5.0)]
    """
    if curve not in _FOUND:
        _FOUND[curve] = _found(curve)
    return _FOUND[curve]


def _found(curve: Curve) -> tuple[Bump, ...] | None:
    others = {symbol for function in curve.functions for symbol in function.free_symbols} - {curve.parameter}
    if others or not all(end.is_number for end in (curve.lowest, curve.highest)):
        return None
    lowest, highest = float(curve.lowest), float(curve.highest)
    values = [lowest + (highest - lowest) * k / _SAMPLES for k in range(_SAMPLES + 1)]
    line = _line_of(curve)
    seen = [line(value) for value in values]
    bends = [bend for bend, _ in seen]
    most, deep = max(map(abs, bends)), _DEEP * sum(speed for _, speed in seen[1:]) * (highest - lowest) / _SAMPLES
    if most == 0.0:
        return ()
    signs = [bend > -_NOTHING * most for bend in bends]
    if curve.closed and not all(signs):  # begin where it bends the other way
        first = signs.index(False)
        period = highest - lowest
        values = [*values[first:-1], *(value + period for value in values[: first + 1])]
        bends = [*bends[first:-1], *bends[: first + 1]]
        signs = [bend > -_NOTHING * most for bend in bends]
    made = [_bump(line, values, bends, part, most, deep) for part in _runs(signs)]
    bumps = tuple(bump for bump in made if bump is not None)
    if curve.closed and all(signs):
        return bumps
    return tuple(part for bump in bumps for part in _cut(line, bump))


def _cut(line: _Line, bump: Bump) -> list[Bump]:
    """A bump that winds round itself as several, one after the other."""
    if bump.turning <= _MOST:
        return [bump]
    along = [bump.lowest + (bump.highest - bump.lowest) * k / _SAMPLES for k in range(_SAMPLES + 1)]
    turned = _turned(along, [line(value)[0] for value in along])
    count = math.ceil(turned[-1] / _PART)
    ends = [min(k for k in range(_SAMPLES + 1) if turned[k] >= turned[-1] * part / count) for part in range(count + 1)]
    return [
        Bump(along[first], along[last], turned[last] - turned[first], (part > 0, part < count - 1))
        for part, (first, last) in enumerate(pairwise(ends))
    ]


def _turned(along: list[float], bends: list[float]) -> list[float]:
    """By how much a curve has turned since the first of some values."""
    turned = [0.0]
    for (before, after), (one, other) in zip(pairwise(along), pairwise(bends), strict=True):
        turned.append(turned[-1] + 0.5 * (one + other) * (after - before))
    return turned


def _line_of(curve: Curve) -> _Line:
    """How much a curve sticks out at a value, the rate at which its way turns away from its face; and its speed."""
    graph = Graph()
    at = graph.leaf("at")
    x, y = (FromSympy(graph, {curve.parameter: at})(function) for function in curve.functions)
    slopes = [partial(x, at), partial(y, at)]
    nodes = [*slopes, *(partial(each, at) for each in slopes)]
    side = -1.0 if curve.turned else 1.0

    def line(value: float) -> tuple[float, float]:
        dx, dy, ddx, ddy = evaluate_nodes(nodes, {"at": value})
        return side * (dy * ddx - dx * ddy) / (dx * dx + dy * dy), math.hypot(dx, dy)

    return line


def _runs(signs: list[bool]) -> list[range]:
    """The stretches in which all are true."""
    edges = [0, *(k for k in range(1, len(signs)) if signs[k] != signs[k - 1]), len(signs)]
    return [range(a, b) for a, b in pairwise(edges) if signs[a]]


def _bump(
    line: _Line, values: list[float], bends: list[float], part: range, most: float, deep: float
) -> Bump | None:  # fmt: skip
    """What is left of a stretch without its flat ends, which are no deeper than this."""
    start = values[0] if part[0] == 0 else _end(line, values[part[0]], values[part[0] - 1], 0.0)
    end = values[-1] if part[-1] == len(values) - 1 else _end(line, values[part[-1]], values[part[-1] + 1], 0.0)
    if _depth(line, start, end) <= deep:
        return None
    found = None
    for flat in _FLATTEST:
        found = _without_ends(line, values, bends, part, flat * most)
        if found is not None and max(_depth(line, found.lowest, start), _depth(line, found.highest, end)) <= deep:
            break
    return found


def _depth(line: _Line, start: float, end: float) -> float:
    """How deep the end of a stretch is below the tangent at its start: by how much it has turned, summed along it."""
    along = [start + (end - start) * k / _LOOKED_AT for k in range(_LOOKED_AT + 1)]
    seen = [line(value) for value in along]
    turned = _turned(along, [bend for bend, _ in seen])
    whole = math.fsum(turn * speed for turn, (_, speed) in zip(turned, seen, strict=True))
    return abs(whole * (end - start) / _LOOKED_AT)


def _without_ends(line: _Line, values: list[float], bends: list[float], part: range, flat: float) -> Bump | None:
    """What of a stretch lies between the first and the last sample that bend by more than this."""
    inner = [k for k in part if bends[k] > flat]
    if not inner:
        return None
    first, last = inner[0], inner[-1]
    lowest = values[0] if first == 0 else _end(line, values[first], values[first - 1], flat)
    highest = values[-1] if last == len(values) - 1 else _end(line, values[last], values[last + 1], flat)
    along = [lowest, *values[first : last + 1], highest]
    bent = [line(lowest)[0], *bends[first : last + 1], line(highest)[0]]
    turning = _turned(along, bent)[-1]
    return Bump(lowest, highest, turning, flattest=min(bends[first : last + 1]) * (highest - lowest) / turning)


def _end(line: _Line, inside: float, outside: float, flat: float) -> float:
    """Where a bump ends between a value on it and one beyond."""
    for _ in range(_HALVINGS):
        middle = 0.5 * (inside + outside)
        inside, outside = (middle, outside) if line(middle)[0] > flat else (inside, middle)
    return inside
