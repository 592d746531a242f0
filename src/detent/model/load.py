"""A load: what acts on bodies, told in a few actions that whoever derives equations knows.

Each load keeps its own name and its own contribution.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

if TYPE_CHECKING:
    from detent.model.frame import Frame
    from detent.model.point import Point
    from detent.model.vector import Vector

Made = TypeVar("Made", covariant=True)


class Actions(Protocol[Made]):
    """What a load can do to a system. ``where`` is what messages call the load: ``damper 'brake'``."""

    def field(self, acceleration: Vector) -> Made:
        """The same acceleration (m/s^2) for every mass."""

    def force(self, point: Point, vector: Vector) -> Made:
        """A force (N) at a point."""

    def torque(self, frame: Frame, vector: Vector, reaction: Frame | None) -> Made:
        """A torque (N m) on a frame; its opposite on ``reaction``, if there is one."""

    def potential(self, where: str, energy: Any) -> Made:
        """A potential energy (J), a function of coordinates, signals and time."""

    def spring(self, where: str, first: Point, second: Point, stiffness: Any, rest: Any) -> Made:
        """V = k (distance - rest)^2 / 2 between two points."""

    def resistance(self, where: str, rate: Any, coefficient: Any, quadratic: bool) -> Made:
        """Against a rate chi: -b chi, or -b |chi| chi when quadratic."""

    def drag(self, point: Point, coefficient: Any, quadratic: bool) -> Made:
        """Against the velocity of a point: -b v, or -b |v| v when quadratic."""

    def parting(self, where: str, first: Point, second: Point, coefficient: Any, quadratic: bool) -> Made:
        """Against the rate at which two points part, along the line between them."""


class Load(ABC):
    """What acts on bodies, by name. A kind of load is one class, which tells what it does in actions.

    >>> import detent
    >>> system = detent.System("example")
    >>> system.gravity(-9.81*system.ground.y)
    >>> system.loads["gravity"].name
    'gravity'
    """

    name: str

    @abstractmethod
    def actions(self, on: Actions[Made]) -> Iterator[Made]:
        """What it does, one action after another."""
