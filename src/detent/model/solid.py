"""How a shape in space is built up for a picture: flat faces between places.

Numbers in plain lists, as a model is written without NumPy.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias, final

from detent.model.outline import spaced

Place3: TypeAlias = tuple[float, float, float]

AROUND: Final = 20
"""Faces on a whole turn."""
QUARTER: Final = 5
"""Faces from a pole of a ball to its equator."""
SQUARES: Final = 10
"""Faces of a plane, each way."""


@final
@dataclass(frozen=True)
class Solid:
    """A surface of flat faces: places (m) along the shape's own axes, and the corners of each face by their numbers.

    Corners go round counter-clockwise, seen from outside; from behind a face is not seen. ``tones`` are 0 or 1 for
    each face: two shades, by which one sees it turn.

    >>> len(box(1.0, 2.0, 3.0).faces)
    6
    """

    places: tuple[Place3, ...]
    faces: tuple[tuple[int, ...], ...]
    tones: tuple[int, ...]

    def turned_inside_out(self) -> Solid:
        """The same surface, seen from the other side: a hollow.

        >>> box(1.0, 1.0, 1.0).turned_inside_out().faces[0] == box(1.0, 1.0, 1.0).faces[0][::-1]
        True
        """
        return Solid(self.places, tuple(face[::-1] for face in self.faces), self.tones)


def ball(radius: float, z: float = 0.0) -> list[tuple[float, float]]:
    """The profile of a ball about a place on the z axis, for :func:`round_solid`: from the lower pole to the upper."""
    angles = spaced(-math.pi / 2, math.pi / 2, 2 * QUARTER + 1)
    return [(radius * math.cos(angle), z + radius * math.sin(angle)) for angle in angles]


def capsule(radius: float, length: float) -> list[tuple[float, float]]:
    """The profile of a rod with round ends, for :func:`round_solid`."""
    lower, upper = ball(radius, -length / 2), ball(radius, length / 2)
    return [*lower[: QUARTER + 1], *upper[QUARTER:]]


def round_solid(profile: Sequence[tuple[float, float]]) -> Solid:
    """What a profile of (radius, z), from below to above, makes when it goes round the z axis; its quarters in turn.

    >>> made = round_solid([(0.0, -1.0), (1.0, -1.0), (1.0, 1.0), (0.0, 1.0)])
    >>> len(made.places), len(made.faces)
    (80, 60)
    """
    angles = [2 * math.pi * number / AROUND for number in range(AROUND)]
    places = tuple((radius * math.cos(angle), radius * math.sin(angle), z) for radius, z in profile for angle in angles)
    faces, tones = [], []
    for row in range(len(profile) - 1):
        for number in range(AROUND):
            following = (number + 1) % AROUND
            low, high = row * AROUND, (row + 1) * AROUND
            faces.append((low + number, low + following, high + following, high + number))
            upper = profile[row][1] + profile[row + 1][1] > 0
            tones.append((number * 4 // AROUND + upper) % 2)
    return Solid(places, tuple(faces), tuple(tones))


def box(length_x: float, length_y: float, length_z: float) -> Solid:
    """A box about its middle."""
    a, b, c = length_x / 2, length_y / 2, length_z / 2
    places = tuple((x, y, z) for x in (-a, a) for y in (-b, b) for z in (-c, c))
    faces = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))
    return Solid(places, faces, (0,) * 6)


def sheet(rows: Sequence[Sequence[Place3]]) -> Solid:
    """A sheet through rows of places, seen from where the way along the rows lies to the right of the way across.

    >>> sheet([[(0, 0, 0), (0, 1, 0)], [(1, 0, 0), (1, 1, 0)]]).faces
    ((0, 2, 3, 1),)
    """
    wide = len(rows[0])
    faces, tones = [], []
    for row in range(len(rows) - 1):
        for number in range(wide - 1):
            first, last = row * wide + number, (row + 1) * wide + number
            faces.append((first, last, last + 1, first + 1))
            tones.append((row + number) % 2)
    return Solid(tuple(place for row in rows for place in row), tuple(faces), tuple(tones))


def level(across: tuple[float, float], along: tuple[float, float]) -> Solid:
    """A piece of the x-y plane, in squares."""
    return sheet([[(x, y, 0.0) for y in spaced(*along, SQUARES + 1)] for x in spaced(*across, SQUARES + 1)])
