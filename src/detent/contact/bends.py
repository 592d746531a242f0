"""Where a curve begins to bend the other way: values between which it does so once at most, with nothing left out.

A face lies on a curve where that sticks out, so a needle that no sample sees would be passed through. How a curve bends
is bounded over whole parts of it, by intervals from its expressions; parts of which bounds do not tell are halved.
"""

from __future__ import annotations

from typing import Final, NamedTuple, final

import numpy as np
from numpy.typing import NDArray

from detent.errors import DetentError
from detent.events.enclosure_frame import INFINITE
from detent.expr.derivative import partial
from detent.expr.from_sympy import FromSympy
from detent.expr.graph import Graph
from detent.expr.operation import RATE_MAY_JUMP
from detent.expr.tape import STATE, build_tape
from detent.model.parametric_shapes import Curve

Numbers = NDArray[np.float64]

_MOST: Final = 1 << 17
"""So many parts are looked at: a needle that is a millionth of a curve wide takes 150, the ridge of a roof that is
rounded by as little some 20,000, for its expressions cancel."""
_FINEST: Final = 2.0**-40
"""The part of a curve's range below which nothing is told apart: where there are no bounds, say."""
CORNER: Final = 1e-3
"""A way that turns by more, rad, within a part that is as short has a corner there."""


class _Bent(NamedTuple):
    """Bounds over some parts: of b = side (y' x'' - x' y''), positive where the curve sticks out, of its slope and its
    second slope; of the square of the speed, by which b is divided to tell by how much the way turns; and how far ways
    are from one another, rad."""

    low: Numbers
    high: Numbers
    least_slope: Numbers
    largest_slope: Numbers
    least_bend: Numbers
    largest_bend: Numbers
    least_square: Numbers
    largest_square: Numbers
    spread: Numbers


@final
class Bends:
    """How a curve bends, in bounds."""

    def __init__(self, curve: Curve) -> None:
        from detent.solves.box_walk import BoxWalk  # a model without faces on curves does without kernels

        graph = Graph()
        at = graph.leaf("at")
        x, y = (FromSympy(graph, {curve.parameter: at})(function) for function in curve.functions)
        across, up = partial(x, at), partial(y, at)
        side = -1.0 if curve.turned else 1.0
        bend = side * (up * partial(across, at) - across * partial(up, at))
        tape = build_tape([bend, across * across + up * up, across, up], {"at": (STATE, 0)})
        self._parameter, self._walk = curve.parameter, BoxWalk(tape, [0], 2)
        self._jumps = bool(RATE_MAY_JUMP.intersection(tape.code[:, 0].tolist()))
        self._is_smooth = not self._jumps and not tape.tables

    def more_values(self, values: list[float], least: float, short: float) -> list[float]:
        """These values and more, between any two of which the curve begins to bend the other way once at most.

        What bends by less than ``least`` counts as straight, and what is no longer than ``short`` as nothing.
        """
        low, high, found = np.array(values[:-1]), np.array(values[1:]), [np.array(values)]
        looked, finest = 0, _FINEST * (values[-1] - values[0])
        while len(low):
            looked += len(low)
            if looked > _MOST:
                raise DetentError(
                    f"where this curve sticks out could not be told by bounds around {self._parameter} = "
                    f"{float(np.median(low)):.6g}, so that a face might pass through it; write its expressions with "
                    "fewer terms that cancel, or cut it into several curves"
                )
            undecided = ~self._tell(low, high, least, short, finest)
            low, high = low[undecided], high[undecided]
            middle = 0.5 * (low + high)
            found.append(middle)
            low, high = np.concatenate([low, middle]), np.concatenate([middle, high])
        every: list[float] = np.unique(np.concatenate(found)).tolist()
        return every

    def _over(self, low: Numbers, high: Numbers) -> _Bent:
        given = self._walk.over(low[:, None], high[:, None], [1.0], np.zeros(0))
        bent, square, across, up = (given[:, k] for k in range(4))
        slopes, bends = (bent[:, 2], bent[:, 3]), (bent[:, 4], bent[:, 5])
        anything = np.full(len(low), -INFINITE), np.full(len(low), INFINITE)
        if self._jumps:  # what is bounded by slopes is bounded where nothing jumps
            slopes = anything
        if not self._is_smooth:
            bends = anything
        spread = np.hypot(across[:, 1] - across[:, 0], up[:, 1] - up[:, 0]) / np.sqrt(np.maximum(square[:, 0], 1e-300))
        return _Bent(bent[:, 0], bent[:, 1], *slopes, *bends, square[:, 0], square[:, 1], spread)

    def _tell(self, low: Numbers, high: Numbers, least: float, short: float, finest: float) -> NDArray[np.bool_]:
        """Which parts stick out all along, or nowhere, or begin to bend the other way once, or are too short."""
        wide = high - low
        with np.errstate(invalid="ignore", over="ignore"):  # what has no bounds tells nothing
            lowest, highest, once, over, at_ends = self._bounds(low, high)
            straight, speed = least * np.maximum(0.0, over.least_square), np.sqrt(np.maximum(0.0, over.least_square))
            nothing = wide * np.sqrt(np.maximum(0.0, over.largest_square)) <= short
            # Between two places that stick out a dent may be as deep as a face may sink in elsewhere.
            dent = (at_ends > -straight) & (-lowest * wide * wide <= short * speed)
        bounded, tiny = over.largest_square < INFINITE, wide <= finest
        told: NDArray[np.bool_] = bounded & ((lowest > -straight) | (highest <= straight) | once | nothing | dent)
        if self._jumps:
            turns = bounded & ~(over.spread <= CORNER)
            corner = turns & (nothing | tiny)
            if corner.any():
                raise corner_at(float(low[corner][0]))
            told &= ~turns
        return told | tiny

    def _bounds(self, low: Numbers, high: Numbers) -> tuple[Numbers, Numbers, NDArray[np.bool_], _Bent, Numbers]:
        """The least and the largest b in each part, whether its slope has one sign, all that is known of it, and the
        least b at its ends."""
        over, start, end, wide = self._over(low, high), self._over(low, low), self._over(high, high), high - low
        falls, rises = wide * np.minimum(0.0, over.least_slope), wide * np.maximum(0.0, over.largest_slope)
        down, up = wide * np.minimum(0.0, over.least_bend), wide * np.maximum(0.0, over.largest_bend)
        from_start = wide * np.minimum(0.0, start.least_slope), wide * np.maximum(0.0, start.largest_slope)
        from_end = wide * np.minimum(0.0, -end.largest_slope), wide * np.maximum(0.0, -end.least_slope)
        half = 0.5 * wide
        lows = (over.low, start.low + falls, end.low - rises, start.low + from_start[0] + half * down,
                end.low + from_end[0] + half * down)  # fmt: skip
        highs = (over.high, start.high + rises, end.high - falls, start.high + from_start[1] + half * up,
                 end.high + from_end[1] + half * up)  # fmt: skip
        least = np.maximum.reduce([over.least_slope, start.least_slope + down, end.least_slope - up])
        largest = np.minimum.reduce([over.largest_slope, start.largest_slope + up, end.largest_slope - down])
        once = (least > 0.0) | (largest < 0.0)
        return np.fmax.reduce(lows), np.fmin.reduce(highs), once, over, np.minimum(start.low, end.low)


def corner_at(value: float) -> DetentError:
    """What is wrong with a curve that turns all at once, or on a way that is as short as what may be left out of it."""
    return DetentError(
        f"this curve has a corner where its parameter is {value:.6g}, on which a face cannot be followed; give it as a "
        "path, cut it there into two curves, or round it"
    )
