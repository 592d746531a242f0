"""The kinds of loads."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, final

from detent.model.frame import Frame
from detent.model.load import Actions, Load, Made
from detent.model.point import Point
from detent.model.vector import Vector


@final
@dataclass(frozen=True, eq=False)
class Gravity(Load):
    """The same acceleration (m/s^2) for every mass. Conservative."""

    name: str
    acceleration: Vector

    def actions(self, on: Actions[Made]) -> Iterator[Made]:
        yield on.field(self.acceleration)


@final
@dataclass(frozen=True, eq=False)
class Force(Load):
    """A force (N) at a point; its opposite at ``reaction``, if there is one."""

    name: str
    point: Point
    vector: Vector
    reaction: Point | None = None

    def actions(self, on: Actions[Made]) -> Iterator[Made]:
        yield on.force(self.point, self.vector)
        if self.reaction is not None:
            yield on.force(self.reaction, -self.vector)


@final
@dataclass(frozen=True, eq=False)
class Torque(Load):
    """A torque (N m) on a frame; its opposite on ``reaction``, if there is one."""

    name: str
    frame: Frame
    vector: Vector
    reaction: Frame | None = None

    def actions(self, on: Actions[Made]) -> Iterator[Made]:
        yield on.torque(self.frame, self.vector, self.reaction)


@final
@dataclass(frozen=True, eq=False)
class Potential(Load):
    """A potential energy (J), a function of coordinates, signals and time. Springs are potentials. Conservative."""

    name: str
    energy: Any

    def actions(self, on: Actions[Made]) -> Iterator[Made]:
        yield on.potential(f"potential '{self.name}'", self.energy)


@final
@dataclass(frozen=True, eq=False)
class PointSpring(Load):
    """A spring between two points: V = k (distance - rest)^2 / 2. Conservative."""

    name: str
    first: Point
    second: Point
    stiffness: Any
    rest: Any

    def actions(self, on: Actions[Made]) -> Iterator[Made]:
        yield on.spring(f"potential '{self.name}'", self.first, self.second, self.stiffness, self.rest)


@final
@dataclass(frozen=True, eq=False)
class Damper(Load):
    """Resists a rate chi (an expression linear in the speeds): -b chi, or -b |chi| chi when quadratic."""

    name: str
    rate: Any
    coefficient: Any
    quadratic: bool = False

    def actions(self, on: Actions[Made]) -> Iterator[Made]:
        yield on.resistance(f"damper '{self.name}'", self.rate, self.coefficient, self.quadratic)


@final
@dataclass(frozen=True, eq=False)
class PointDamper(Load):
    """Resists the velocity of a point against the ground: -b v, or -b |v| v when quadratic."""

    name: str
    point: Point
    coefficient: Any
    quadratic: bool = False

    def actions(self, on: Actions[Made]) -> Iterator[Made]:
        yield on.drag(self.point, self.coefficient, self.quadratic)


@final
@dataclass(frozen=True, eq=False)
class PairDamper(Load):
    """Resists the rate at which two points part, along the line between them."""

    name: str
    first: Point
    second: Point
    coefficient: Any
    quadratic: bool = False

    def actions(self, on: Actions[Made]) -> Iterator[Made]:
        yield on.parting(f"damper '{self.name}'", self.first, self.second, self.coefficient, self.quadratic)
