"""Features of boxes, in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

_KINDS: Final = {3: "corner", 2: "edge", 1: "face"}


def met_features(numbers: Sequence[float]) -> str:
    """Which features of two boxes meet, by the eight numbers that tell it; empty where none do.

    >>> met_features((1, -1, -1, 0, 0, 1, 1, 0))
    'corner x -y -z on face z'
    >>> met_features((0, 0, -1, 1, 1, 1, -1, 0)), met_features((0, 1, -1, 1, 0, 1, 0, 1)), met_features((0,) * 8)
    ('face -z under corner x y z', 'edge y -z on edge x z', '')
    """
    first, second, face, side = numbers[:3], numbers[3:6], numbers[6], numbers[7]
    if not face and not side:
        return ""
    return f"{_feature(first)} {'under' if face < 0 else 'on'} {_feature(second)}"


def _feature(numbers: Sequence[float]) -> str:
    words = [letter if sign > 0 else f"-{letter}" for letter, sign in zip("xyz", numbers, strict=True) if sign]
    return " ".join([_KINDS[len(words)], *words])
