"""What is drawn by hand: a few places in the plane, as a smooth track of arcs and straight pieces through them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Final, TypeAlias

import numpy as np

from detent.errors import ValueProblem
from detent.jit.arrays import FloatArray
from detent.model.track import Turn

Place: TypeAlias = tuple[float, float]

LEAST_PLACES: Final = 4
"""Of a path: a spline needs so many."""
MOST_PLACES: Final = 24
"""Of one drawing: each brings two pieces that may be touched."""
FINE: Final = 16
"""Straight pieces that an arc is shown with."""
STRAIGHT: Final = 1e-9
"""An arc that bends less than this part of its length is a straight piece."""


def apart(places: Sequence[Sequence[float]], least: float) -> list[Place]:
    """The places of a drawing, without those that are nearer than ``least`` (m) to the one before.

    >>> apart([(0, 0), (0, 1e-9), (1, 0)], 1e-3)
    [(0.0, 0.0), (1.0, 0.0)]
    """
    kept: list[Place] = []
    for x, y in places:
        place = (float(x), float(y))
        if not (math.isfinite(place[0]) and math.isfinite(place[1])):
            raise ValueProblem(f"a place of the drawing is ({x}, {y}); draw it in view")
        if not kept or math.dist(place, kept[-1]) > least:
            kept.append(place)
    if not 2 <= len(kept) <= MOST_PLACES:
        raise ValueProblem(
            f"the drawing has {len(kept)} places that are apart; click at least two, and at most {MOST_PLACES}"
        )
    return kept


def facing(places: Sequence[Place], towards: Sequence[float] | FloatArray) -> list[Place]:
    """The places in the order in which a place is on the left of their way: a track has its face there.

    >>> facing([(0.0, 0.0), (1.0, 0.0)], (0.5, -1.0))
    [(1.0, 0.0), (0.0, 0.0)]
    """
    way, eye = np.asarray(places, dtype=float), np.asarray(towards, dtype=float)[:2]
    along = np.diff(way, axis=0)
    part = np.clip(((eye - way[:-1]) * along).sum(axis=1) / (along**2).sum(axis=1), 0.0, 1.0)
    nearest = way[:-1] + part[:, None] * along
    at = int(np.argmin(np.linalg.norm(eye - nearest, axis=1)))
    arm = eye - way[at]
    left = along[at, 0] * arm[1] - along[at, 1] * arm[0] >= 0
    return list(places) if left else list(places)[::-1]


def from_left(places: Sequence[Place]) -> list[Place]:
    """The places of a path from left to right, with some between them where a smooth function needs more.

    >>> from_left([(2.0, 0.0), (0.0, 1.0)])
    [(0.0, 1.0), (0.5, 0.75), (1.0, 0.5), (2.0, 0.0)]
    """
    way = list(places) if places[0][0] < places[-1][0] else list(places)[::-1]
    if any(after[0] <= before[0] for before, after in pairwise(way)):
        raise ValueProblem("the path turns back; draw it from one side to the other, each place further on")
    while len(way) < LEAST_PLACES:
        longest = max(range(len(way) - 1), key=lambda k: way[k + 1][0] - way[k][0])
        (x1, y1), (x2, y2) = way[longest], way[longest + 1]
        way.insert(longest + 1, ((x1 + x2) / 2, (y1 + y2) / 2))
    return way


def smooth(places: Sequence[Place]) -> list[Turn | Place]:
    """The pieces of a track from the first place on through all others, without corners: two arcs between any two.

    At each place the way leads as from the place before to the one after; two arcs that meet that at both ends, and
    each other, are a biarc (Bolton 1975), here with both ends' tangents equally long.

    >>> [piece if isinstance(piece, tuple) else round(piece.angle, 6) for piece in smooth([(0, 0), (1, 1), (2, 0)])]
    [-0.785398, -0.785398, -0.785398, -0.785398]
    """
    way = np.asarray(places, dtype=float)
    if len(way) == 2:
        return [(float(way[1, 0]), float(way[1, 1]))]
    headings = _headings(way)
    pieces: list[Turn | Place] = []
    for number in range(len(way) - 1):
        middle, heading = _joint(way[number], headings[number], way[number + 1], headings[number + 1])
        pieces.append(_arc(way[number], headings[number], middle))
        pieces.append(_arc(middle, heading, way[number + 1]))
    return pieces


def _headings(way: FloatArray) -> FloatArray:
    """Unit vectors along the way: across the neighbours of a place; at the ends as the first and the last arc go."""
    inner = way[2:] - way[:-2]
    inner = inner / np.maximum(np.linalg.norm(inner, axis=1, keepdims=True), np.finfo(float).tiny)
    chords = np.diff(way, axis=0)
    chords = chords / np.linalg.norm(chords, axis=1, keepdims=True)
    first = 2 * (inner[0] @ chords[0]) * chords[0] - inner[0]
    last = 2 * (inner[-1] @ chords[-1]) * chords[-1] - inner[-1]
    return np.concatenate([first[None], inner, last[None]])


def _joint(start: FloatArray, first: FloatArray, end: FloatArray, last: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Where the two arcs meet, and their heading there."""
    apart = end - start
    square, across, both = float(apart @ apart), 2.0 * (1.0 - float(first @ last)), float(apart @ (first + last))
    if across < 1e-12:
        reach = square / (2.0 * both) if both > 0 else math.sqrt(square) / 2.0
    else:
        reach = (-both + math.sqrt(both * both + across * square)) / across
    ahead, behind = start + reach * first, end - reach * last
    return (ahead + behind) / 2.0, (behind - ahead) / (2.0 * reach)


def _arc(start: FloatArray, heading: FloatArray, end: FloatArray) -> Turn | Place:
    """The arc that leaves a place along a heading and ends at another."""
    apart = end - start
    square, aside = float(apart @ apart), float(heading[0] * apart[1] - heading[1] * apart[0])
    if abs(aside) <= STRAIGHT * math.sqrt(square) and heading @ apart > 0:
        return float(end[0]), float(end[1])
    radius = square / (2.0 * aside)
    center = start + radius * np.array([-heading[1], heading[0]])
    angle = 2.0 * math.atan2(aside, float(heading @ apart))
    return Turn((float(center[0]), float(center[1])), angle)


def outlined(start: Place, pieces: Sequence[Turn | Place]) -> list[Place]:
    """Places along a track that are close enough to show it.

    >>> [(round(x, 3), round(y, 3)) for x, y in outlined((1.0, 0.0), [Turn((0.0, 0.0), math.pi)])][:: FINE // 2]
    [(1.0, 0.0), (0.0, 1.0), (-1.0, 0.0)]
    """
    way = [start]
    for piece in pieces:
        if isinstance(piece, Turn):
            (x, y), (a, b) = piece.center, way[-1]
            for angle in np.linspace(0.0, piece.angle, FINE + 1)[1:]:
                c, s = math.cos(angle), math.sin(angle)
                way.append((x + c * (a - x) - s * (b - y), y + s * (a - x) + c * (b - y)))
        else:
            way.append(piece)
    return way
