"""Planes without ends that meet: of each only what is in front of the others is seen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from detent.jit.arrays import FloatArray
from detent.model.solid import Place3, Solid
from detent.view.piece import Piece


def clipped(pieces: Sequence[Piece]) -> list[Piece]:
    """The pieces; planes that stand still are cut off where they lie behind one another, in what is solid.

    A plane that lies behind another with all that is seen of it stays whole: it bounds something else.

    >>> from detent.model.solid import level
    >>> floor = Piece("ground", "plane", np.zeros((1, 3)), np.eye(3)[None], (), level((-1, 1), (-1, 1)))
    >>> wall = replace(floor, turns=np.array([[[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]]))
    >>> [float(piece.corners().min()) for piece in clipped([floor, wall])]
    [-1.0, -1.0]
    >>> [float(piece.corners()[..., axis].min()) for piece, axis in zip(clipped([floor, wall]), (0, 2))]
    [0.0, 0.0]
    """
    return [_clipped(piece, _others(piece, pieces)) for piece in pieces]


def _others(piece: Piece, pieces: Sequence[Piece]) -> list[Piece]:
    if piece.kind != "plane" or not piece.is_still:
        return []
    return [one for one in pieces if one.kind == "plane" and one.is_still and one is not piece]


def _clipped(piece: Piece, others: list[Piece]) -> Piece:
    if piece.solid is None or not others:
        return piece
    places: list[Place3] = []
    faces: list[tuple[int, ...]] = []
    tones: list[int] = []
    own = np.array(piece.solid.places)
    for face, tone in zip(piece.solid.faces, piece.solid.tones, strict=True):
        corners = own[list(face)]
        for other in others:
            corners = _in_front(corners, *_seen_from(piece, other))
        if len(corners) > 2:
            faces.append(tuple(range(len(places), len(places) + len(corners))))
            places += [(x, y, z) for x, y, z in corners.tolist()]
            tones.append(tone)
    if not faces:
        return piece
    return replace(piece, solid=Solid(tuple(places), tuple(faces), tuple(tones)))


def _seen_from(piece: Piece, other: Piece) -> tuple[FloatArray, FloatArray]:
    """A place of another plane and its normal, along a piece's own axes."""
    turn = piece.turns[0].T
    return turn @ (other.places[0] - piece.places[0]), turn @ other.turns[0][:, 2]


def _in_front(corners: FloatArray, place: FloatArray, normal: FloatArray) -> FloatArray:
    """What of a convex face is in front of a plane (Sutherland and Hodgman, *Communications of the ACM* 17, 1974)."""
    heights = (corners - place) @ normal
    kept: list[FloatArray] = []
    for number in range(len(corners)):
        following = (number + 1) % len(corners)
        here, there = heights[number], heights[following]
        if here >= 0:
            kept.append(corners[number])
        if (here >= 0) != (there >= 0):
            kept.append(corners[number] + here / (here - there) * (corners[following] - corners[number]))
    return np.array(kept).reshape(-1, 3)
