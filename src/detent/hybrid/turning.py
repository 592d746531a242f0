"""Turning that a place of contact resists: rolling, or spinning about the normal."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, final

import sympy

from detent.contact_solves.settle_frame import Reason
from detent.hybrid.heading import Heading, WatchedExpression
from detent.model.constraint import Constraint
from detent.model.contact import turn_names
from detent.model.row import ConfigurationRow, MotionRow, Sliding
from detent.model.system import System


@final
@dataclass(frozen=True, eq=False)
class Turning:
    """Rolling or spinning at a place, with a moment against it of at most ``resistance`` times the normal force."""

    system: System
    place: str
    word: str
    planar: bool
    spins: tuple[Any, ...]
    """How fast the first shape turns against the second: about one axis, or about each tangent."""
    resistance: Any
    """m."""
    tilts: tuple[Any, ...] = ()
    """Of a face that lies flat, how far it is turned about each tangent: it never turns and stays, it tips."""

    @property
    def names(self) -> tuple[str, ...]:
        """Of its discrete states: whether it turns, and which way."""
        return turn_names(self.place, self.word, self.planar)

    @property
    def does(self) -> tuple[float, ...]:
        """What it may do while its place is closed: be held, or turn."""
        return (0.0,) if self.tilts else (0.0, 1.0)

    @cached_property
    def turning(self) -> Any:
        """The discrete state that tells whether it turns."""
        return self.system[self.names[0]]

    @cached_property
    def _heading(self) -> Heading:
        return Heading(self.system, self.names[1:], self.spins)

    @cached_property
    def moment(self) -> tuple[Any, ...]:
        """While it turns: the moment against that, by the normal force."""
        return tuple(-self.resistance * direction for direction in self._heading.towards)

    @property
    def suffixes(self) -> list[str]:
        """What stands after the name of its place in those of its moments."""
        return [""] if len(self.spins) == 1 else [".1", ".2"]

    @property
    def row_names(self) -> list[str]:
        """Of the rows that it has while it does not turn."""
        return [f"{self.place}.{self.word}{suffix.replace('.', ' ')}" for suffix in self.suffixes]

    @cached_property
    def held(self) -> Constraint:
        """That it does not turn."""
        if self.tilts:
            flat = zip(self.row_names, self.tilts, strict=True)
            return Constraint(self.place, tuple(ConfigurationRow(name, tilt) for name, tilt in flat))
        named = zip(self.row_names, self.spins, strict=True)
        return Constraint(self.place, tuple(MotionRow(name, spin) for name, spin in named))

    @cached_property
    def braked(self) -> tuple[Sliding, ...]:
        """What turning adds to the row of the normal."""
        return tuple(Sliding(spin, -moment) for spin, moment in zip(self.spins, self.moment, strict=True))

    def watched(self, turning: float, shares: bool, normal: Any) -> list[WatchedExpression]:
        """What ends that it turns, or that it does not."""
        if turning:
            return self._heading.watched(Reason.HALTS, self)
        if shares:
            return []
        used = sum((self.system.reaction(name) ** 2 for name in self.row_names), start=sympy.Integer(0))
        return [WatchedExpression(Reason.GIVES, self.resistance**2 * normal**2 - used, self)]
