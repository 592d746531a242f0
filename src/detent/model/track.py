"""A track: straight pieces and arcs one after another, with corners where they do not join smoothly."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, ClassVar, TypeAlias, final

import sympy

from detent.model.outline import Lines, Look, places_on_arc
from detent.model.plane_shapes import Place, corner_sizes, corner_values, place_text
from detent.model.shape import Complaint, Shape

Heading: TypeAlias = tuple[float, float]

SMOOTH = 1e-9
"""Two pieces whose directions differ by less (rad) join smoothly."""


@final
@dataclass(frozen=True)
class Turn:
    """A piece of a track: from where it stands, about a centre by an angle (rad), counter-clockwise if positive.

    >>> import detent
    >>> ground = detent.System("example").ground
    >>> dip = ground.track((-3, 0), (-1, 0), detent.Turn((-1, 1), 1), detent.Turn((1, -2), -1))
    >>> dip.kind
    'track'
    """

    center: tuple[Any, Any]
    angle: Any


class Bend(Enum):
    """How a piece of a track looks from its face, which is on the left."""

    STRAIGHT = "straight"
    HOLLOW = "turns to the left"
    ROUND = "turns to the right"


@final
@dataclass(frozen=True, eq=False, repr=False)
class Track(Shape):
    """Straight pieces and arcs one after another, with one face: on the left of the way."""

    joints: tuple[Place, ...]
    """Where pieces begin and end; the first is the last again where the track is closed."""
    pieces: tuple[Turn | None, ...]
    """A turn, or None for a straight piece."""
    bends: tuple[Bend, ...]
    corners: tuple[int, ...]
    """The pieces (by number, from 0) at whose end there is a corner that sticks out."""
    closed: bool = False
    kind: ClassVar[str] = "track"
    planar: ClassVar[bool] = True

    @property
    def sizes(self) -> dict[str, Any]:
        found = corner_sizes(self.joints)
        for number, (turn, bend) in enumerate(zip(self.pieces, self.bends, strict=True)):
            if turn is not None:
                x, y = (a - b for a, b in zip(self.joints[number], turn.center, strict=True))
                half = turn.angle / 2 if bend is Bend.HOLLOW else -turn.angle / 2
                names = [f"{word} {number + 1}" for word in ("center x", "center y", "radius", "middle", "half")]
                values = (*turn.center, sympy.sqrt(x**2 + y**2), sympy.atan2(y, x) + turn.angle / 2, half)
                found |= dict(zip(names, values, strict=True))
        return found

    @property
    def structure(self) -> tuple[Any, ...]:
        return (self.kind, self.bends, self.corners, self.closed)

    def outline(self, sizes: Mapping[str, float], look: Look) -> Lines:
        joints = corner_values(sizes, len(self.joints))
        places: list[tuple[float, float]] = [joints[0]]
        for number, bend in enumerate(self.bends, 1):
            if bend is not Bend.STRAIGHT:
                sense = 1.0 if bend is Bend.HOLLOW else -1.0
                middle, half = sizes[f"middle {number}"], sense * sizes[f"half {number}"]
                center = sizes[f"center x {number}"], sizes[f"center y {number}"]
                places += places_on_arc(sizes[f"radius {number}"], middle - half, middle + half, *center)
            places.append(joints[number])
        return [look.line(places)]

    def complaints(self, sizes: Mapping[str, float]) -> Iterator[Complaint]:
        joints = corner_values(sizes, len(self.joints))
        for number, bend in enumerate(self.bends, 1):
            yield from _piece_complaints(sizes, joints, number, bend)
        if self.closed and math.dist(joints[0], joints[-1]) > SMOOTH * max(1.0, *map(abs, joints[0])):
            found = f"it is closed, but starts at {place_text(joints[0])} and ends at {place_text(joints[-1])}"
            yield found, "let its last piece end where the first one starts"
        if corners_sticking_out(sizes, self.bends, self.closed) != self.corners:
            found = "with these values other corners stick out than with those it was declared with"
            yield found, "declare the system with values of this sort"


def _piece_complaints(
    sizes: Mapping[str, float], joints: list[tuple[float, float]], number: int, bend: Bend
) -> Iterator[Complaint]:
    if bend is Bend.STRAIGHT:
        if not 0 < math.dist(joints[number - 1], joints[number]) < math.inf:
            yield f"its piece {number} has no length", "give it places that are apart"
    elif not 0 < sizes[f"radius {number}"] < math.inf:
        yield f"its piece {number} turns about its own start", "give the turn a centre that is elsewhere"
    elif not 0 < sizes[f"half {number}"] <= math.pi:
        angle = 2 * sizes[f"half {number}"] * (1 if bend is Bend.HOLLOW else -1)
        yield f"its piece {number} turns by {angle:.6g} rad", "give the turn an angle of its sense, at most 2 pi"


def corners_sticking_out(sizes: Mapping[str, float], bends: tuple[Bend, ...], closed: bool) -> tuple[int, ...]:
    """The pieces (by number, from 0) at whose end the way turns to the right at once."""
    count = len(bends)
    found = []
    for number in range(count if closed else count - 1):
        before = _heading(sizes, number + 1, bends[number], last=True)
        following = (number + 1) % count
        after = _heading(sizes, following + 1, bends[following], last=False)
        turned = math.remainder(after - before, 2 * math.pi)
        if turned < -SMOOTH or turned > math.pi - SMOOTH:
            found.append(number)
    return tuple(found)


def _heading(sizes: Mapping[str, float], number: int, bend: Bend, last: bool) -> float:
    """The direction in which the way goes at the start or the end of a piece, as an angle."""
    if bend is Bend.STRAIGHT:
        (x1, y1), (x2, y2) = ((sizes[f"x{k}"], sizes[f"y{k}"]) for k in (number, number + 1))
        return math.atan2(y2 - y1, x2 - x1)
    sense = 1.0 if bend is Bend.HOLLOW else -1.0
    along = sizes[f"middle {number}"] + (sense if last else -sense) * sizes[f"half {number}"]
    return along + sense * math.pi / 2


def joints_of(start: Place, pieces: tuple[Turn | Place, ...]) -> tuple[Place, ...]:
    """Where the pieces of a track begin and end."""
    joints = [start]
    for piece in pieces:
        joints.append(_after_turn(joints[-1], piece) if isinstance(piece, Turn) else piece)
    return tuple(joints)


def _after_turn(place: Place, turn: Turn) -> Place:
    (cx, cy), s, c = turn.center, sympy.sin(turn.angle), sympy.cos(turn.angle)
    x, y = place[0] - cx, place[1] - cy
    return (cx + c * x - s * y, cy + s * x + c * y)
