"""The direction of a slip, or of rolling: what discrete states keep of it, and what ends it.

In one dimension it is a sign. In two it follows the velocity, and is kept near its end, where that turns at any rate.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, final

import sympy

from detent.contact_solves.settle_frame import Reason
from detent.model.system import System


class WatchedExpression(NamedTuple):
    """An expression that is watched until it falls below zero, and what that means."""

    reason: Reason
    expression: Any
    turn: Any = None
    """The turning that it is about; None where it is not about one."""


@final
@dataclass(frozen=True, eq=False)
class Heading:
    """The direction of a velocity of one or two components, by the discrete states with these names."""

    system: System
    names: tuple[str, ...]
    velocity: tuple[Any, ...]

    @cached_property
    def began(self) -> tuple[Any, ...]:
        """The direction in which it began."""
        return self._kept[: len(self.velocity)]

    @property
    def _near(self) -> Any:
        """Of two components: the speed below which it is straight."""
        return self._kept[2]

    @property
    def _straight(self) -> Any:
        """Whether it is: 1 or 0."""
        return self._kept[3]

    @cached_property
    def _kept(self) -> tuple[Any, ...]:
        return tuple(self.system[name] for name in self.names)

    @cached_property
    def towards(self) -> tuple[Any, ...]:
        """The direction; where the velocity is zero, that in which it began."""
        if len(self.velocity) == 1:
            return self.began
        (first, second), side = self.began, sympy.Piecewise((1, self._along >= 0), (-1, True), evaluate=False)
        across = first * self.velocity[1] - second * self.velocity[0]
        # Its bounds stay bounded where slip ends; from where it began it turns less than a right angle, so no angle
        # jumps by a whole turn, which one from the first tangent would where the slip is against that.
        angle = sympy.atan2(side * across, side * self._along, evaluate=False)  # all that is asked of it is slow
        cosine, sine = sympy.cos(angle, evaluate=False), sympy.sin(angle, evaluate=False)
        turning = first * cosine - second * sine, second * cosine + first * sine
        return tuple(self._if_straight(d, turned) for d, turned in zip(self.began, turning, strict=True))

    @cached_property
    def _along(self) -> Any:
        """The velocity along the direction in which it began; positive until it ends, or turns far."""
        return sum((v * d for v, d in zip(self.velocity, self.began, strict=True)), start=sympy.Integer(0))

    def _if_straight(self, value: Any, otherwise: Any) -> Any:
        """What depends on whether it is so near its end that it is straight."""
        return sympy.Piecewise((value, self._straight > sympy.Rational(1, 2)), (otherwise, True), evaluate=False)

    def watched(self, ends: Reason, turn: Any = None) -> list[WatchedExpression]:
        """What ends it; of two components also what ends a direction."""
        if len(self.velocity) == 1:
            return [WatchedExpression(ends, self._along, turn)]
        square = self.velocity[0] ** 2 + self.velocity[1] ** 2
        # Regular where the speed is zero, as its square is, and of the size of speeds: among squares the rounding of a
        # fast slip that an impact ends would hide a slow one, and a direction that is kept would be kept for good.
        size = sympy.sqrt(square + self._near**2)
        becomes_fast, becomes_slow = sympy.sqrt(5) * self._near - size, size - sympy.sqrt(2) * self._near
        return [
            WatchedExpression(ends, self._if_straight(self._along, 1), turn),
            WatchedExpression(Reason.TURNS, self._if_straight(becomes_fast, becomes_slow), turn),
            WatchedExpression(Reason.TURNS, self._if_straight(1, 2 * self._along - sympy.sqrt(square)), turn),
        ]
