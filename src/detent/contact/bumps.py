"""Where a curve sticks out: only there does a straight face lie on it between its ends.

Between two bumps, where it bends the other way, a face touches it with its corners, or the curve's ends touch the face.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Final, NamedTuple
from weakref import WeakKeyDictionary

from detent.expr.derivative import partial
from detent.expr.evaluate import evaluate_nodes
from detent.expr.from_sympy import FromSympy
from detent.expr.graph import Graph
from detent.model.parametric_shapes import Curve

_SAMPLES: Final = 1024
_FLAT: Final = 1e-3
"""Where a bump ends it bends by this part of what it bends at most: only what ends there too could lie on the rest."""
_NOTHING: Final = 1e-9
"""A bend below this part of the largest is none."""
_MOST: Final = 2 * math.pi - 0.1
"""A bump that turns by more winds round itself."""


class Bump(NamedTuple):
    """A part of a curve that sticks out all along, and the angle by which it turns there."""

    lowest: float
    highest: float
    turning: float


_FOUND: Final[WeakKeyDictionary[Curve, tuple[Bump, ...] | None]] = WeakKeyDictionary()


def bumps_of(curve: Curve) -> tuple[Bump, ...] | None:
    """The bumps of a curve, in order; None where they are not known before a run, or where one winds round itself.

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
    bends = _bends(curve, values)
    most = max(map(abs, bends))
    if most == 0.0:
        return ()
    signs = [bend > -_NOTHING * most for bend in bends]
    if curve.closed and not all(signs):  # begin where it bends the other way
        first = signs.index(False)
        period = highest - lowest
        values = [*values[first:-1], *(value + period for value in values[: first + 1])]
        bends = [*bends[first:-1], *bends[: first + 1]]
        signs = [bend > -_NOTHING * most for bend in bends]
    made = [_bump(curve, values, bends, part, most) for part in _runs(signs)]
    bumps = tuple(bump for bump in made if bump is not None)
    winds = any(bump.turning > _MOST for bump in bumps) and not (curve.closed and all(signs))
    return None if winds else bumps


def _bends(curve: Curve, values: list[float]) -> list[float]:
    """How much a curve sticks out at some values: the rate at which its way turns away from its face."""
    graph = Graph()
    at = graph.leaf("at")
    x, y = (FromSympy(graph, {curve.parameter: at})(function) for function in curve.functions)
    slopes = [partial(x, at), partial(y, at)]
    nodes = [*slopes, *(partial(each, at) for each in slopes)]
    side = -1.0 if curve.turned else 1.0
    found = []
    for value in values:
        dx, dy, ddx, ddy = evaluate_nodes(nodes, {"at": value})
        found.append(side * (dy * ddx - dx * ddy) / (dx * dx + dy * dy))
    return found


def _runs(signs: list[bool]) -> list[range]:
    """The stretches in which all are true."""
    edges = [0, *(k for k in range(1, len(signs)) if signs[k] != signs[k - 1]), len(signs)]
    return [range(a, b) for a, b in pairwise(edges) if signs[a]]


def _bump(curve: Curve, values: list[float], bends: list[float], part: range, most: float) -> Bump | None:
    """What is left of a stretch without its flat ends."""
    inner = [k for k in part if bends[k] > _FLAT * most]
    if not inner or inner[-1] == inner[0]:
        return None
    first, last = inner[0], inner[-1]
    step = values[1] - values[0]
    turning = sum(0.5 * (bends[k] + bends[k + 1]) * step for k in range(first, last))
    return Bump(values[first], values[last], turning)
