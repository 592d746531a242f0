"""A shape: what touches, carried by a body or a frame."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

from detent.model.outline import Lines, Look
from detent.model.solid import Solid
from detent.model.vector import Components

if TYPE_CHECKING:
    from detent.model.carrier import Carrier
    from detent.model.frame import Frame
    from detent.model.point import Point

Axes: TypeAlias = tuple[Components, Components, Components]
"""A shape's x, y and z axis, each by its components along the axes of a frame."""

Complaint: TypeAlias = tuple[str, str]
"""What was found, and what to do."""


@dataclass(frozen=True, eq=False)
class Seat:
    """Where a shape sits: it moves with a point and turns with a frame.

    ``offset`` leads from the point to the shape's own origin, ``axes`` are the shape's own axes; both are given along
    the frame's axes.
    """

    carrier: Carrier
    origin: Point
    frame: Frame
    offset: Components
    axes: Axes


@dataclass(frozen=True, eq=False, repr=False)
class Shape(ABC):
    """What touches: a circle on a body, a line on the ground. Made by methods of bodies and frames.

    A kind of shape is one class. Planar shapes lie in the x-y plane of their frame.

    >>> import detent
    >>> system = detent.System("example")
    >>> x, y = system.coordinates("x", "y")
    >>> hub = system.origin.offset("hub", x*system.ground.x + y*system.ground.y)
    >>> disk = system.body("disk", center=hub, frame=system.ground, mass=1, inertia=1)
    >>> disk.circle(0.5)
    <circle of the body 'disk'>
    >>> disk.circle(0.5).sizes
    {'radius': 0.5}
    """

    seat: Seat
    surface_velocity: tuple[Any, Any] = field(default=(0, 0), kw_only=True)
    """How its surface moves along itself (m/s), by components along the shape's own x and y: a belt."""

    kind: ClassVar[str]
    """The word for shapes like this one."""
    planar: ClassVar[bool | None]
    """Whether it lies in the x-y plane of its frame; if not it is in space. None for a point, which may be either."""

    @property
    @abstractmethod
    def sizes(self) -> dict[str, Any]:
        """Its lengths (m) and angles (rad) by name: numbers, or expressions in parameters."""

    @abstractmethod
    def complaints(self, sizes: Mapping[str, float]) -> Iterator[Complaint]:
        """What is wrong with a shape of these sizes."""

    def outline(self, sizes: Mapping[str, float], look: Look) -> Lines:
        """How a shape of these sizes looks in a picture: lines; none, where a kind of shape does not say."""
        return []

    def solid(self, sizes: Mapping[str, float], look: Look) -> Solid | None:
        """The faces of a shape of these sizes, along its own axes; None for one that is all lines."""
        return None

    @property
    def structure(self) -> tuple[Any, ...]:
        """What, besides the values of its sizes, makes it different from others: its kind, how many corners it has."""
        return (self.kind,)

    @property
    def parameters(self) -> tuple[Any, ...]:
        """The symbols of its own that a parametric shape has."""
        return ()

    @property
    def functions(self) -> tuple[Any, ...]:
        """The coordinates of its points, where it is parametric."""
        return ()

    @property
    def moves_along_itself(self) -> bool:
        """Whether its surface moves though the shape does not: a belt."""
        return any(value != 0 for value in self.surface_velocity)

    @property
    def where(self) -> str:
        """What messages call it."""
        return f"{self.kind} of the {self.seat.carrier.called}"

    def __repr__(self) -> str:
        return f"<{self.where}>"


def positive(sizes: Mapping[str, float], *names: str) -> Iterator[Complaint]:
    """Complaints about sizes that are not greater than zero.

    >>> list(positive({"radius": -1.0}, "radius"))
    [('its radius is -1', 'give it one that is finite and greater than zero')]
    """
    for name in names:
        if not 0 < sizes[name] < float("inf"):
            yield f"its {name} is {sizes[name]:.6g}", "give it one that is finite and greater than zero"
