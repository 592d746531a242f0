"""A row: one scalar equation of a constraint, told at the level on which it was written down."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol, TypeVar, final

Made = TypeVar("Made", covariant=True)


@final
@dataclass(frozen=True, eq=False)
class Sliding:
    """Friction of a row that slides: its reaction N is joined by -coefficient * N along a slip velocity.

    ``slip`` is a velocity linear in the speeds; ``coefficient`` is mu times the direction of slip, +1 or -1 in a plane.

    >>> import detent
    >>> system = detent.System("block")
    >>> x, y = system.coordinates("x", "y")
    >>> floor = detent.holonomic("floor", y, sliding=[detent.Sliding(x.rate, 0.3)])
    >>> floor.rows[0].sliding[0].coefficient
    0.3
    """

    slip: Any
    coefficient: Any


class Levels(Protocol[Made]):
    """On what levels an expression may be bound; position, velocity and acceleration level are derived from it."""

    def configuration(self, row: Row) -> Made:
        """Its expression of coordinates, signals, measures and time stays zero."""

    def motion(self, row: Row) -> Made:
        """Its expression of the speeds stays zero."""


@dataclass(frozen=True, eq=False)
class Row(ABC):
    """One scalar equation of a constraint. A kind of row is one class, which tells on which level it binds.

    >>> import detent
    >>> x = detent.System("example").coordinates("x")
    >>> detent.holonomic("stop", x - 2).rows[0].expression
    x - 2
    """

    name: str
    expression: Any
    sliding: tuple[Sliding, ...] = ()

    holonomic: ClassVar[bool]
    """Whether it binds the configuration."""

    @abstractmethod
    def read(self, levels: Levels[Made]) -> Made:
        """It at the level on which it binds."""


@final
@dataclass(frozen=True, eq=False)
class ConfigurationRow(Row):
    """Binds the configuration, and with it the motion: Phi(q, t) = 0."""

    holonomic: ClassVar[bool] = True

    def read(self, levels: Levels[Made]) -> Made:
        return levels.configuration(self)


@final
@dataclass(frozen=True, eq=False)
class MotionRow(Row):
    """Binds the motion alone: B u + C = 0."""

    holonomic: ClassVar[bool] = False

    def read(self, levels: Levels[Made]) -> Made:
        return levels.motion(self)
