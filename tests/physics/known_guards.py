"""What a guard with known zeros consists of, and how zeros are isolated and located."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from tests.physics.known_motions import ROUNDING, Argument, Motion

Random = np.random.Generator
Symbols = Mapping[str, Any]


class Unfit(Exception):
    """A draw whose answer rounding leaves open; the next draw is taken instead."""


@dataclass(frozen=True)
class Place:
    """A value of the argument at which a guard may change its sign."""

    at: float
    noise: float
    """Within this distance the guard is zero within rounding."""
    moves: float = 0.0
    """How far it moves per unit of error in the state, where the guard is not a function of its argument alone."""


@dataclass(frozen=True)
class KnownGuard:
    """A guard, with every place at which it may change its sign, and its value to tell on which side it is."""

    argument: Argument
    expression: Callable[[Symbols], Any]
    value: Callable[[float], float | Fraction]
    places: tuple[Place, ...]


@dataclass(frozen=True)
class Draw:
    """What a guard is drawn from."""

    random: Random
    argument: Argument
    motion: Motion
    until: float
    places: tuple[float, ...]
    """Values that the argument has at some times of the run, some of them very close together."""

    def range(self) -> tuple[float, float]:
        return self.argument.range(self.until)

    def known(
        self, function: Callable[[Any], Any], value: Callable[[float], float | Fraction], places: Iterable[Place]
    ) -> KnownGuard:
        """A guard that is a function of the argument alone."""
        name = self.argument.name
        return KnownGuard(self.argument, lambda symbols: function(symbols[name]), value, tuple(places))


def rounding_at(place: float) -> float:
    """How well s - place is known."""
    return 64 * ROUNDING * abs(place)


def isolated(
    function: Callable[[float], float],
    rate: Callable[[float], float],
    bounds: tuple[float, float],
    low: float,
    high: float,
) -> list[float]:
    """All zeros, by bounds of the first and the second derivative: no zero, or monotone, else two halves."""
    steepest, bent = bounds
    found: list[float] = []
    pending = [(low, high)]
    while pending:
        a, b = pending.pop()
        middle, half = (a + b) / 2, (b - a) / 2
        if abs(function(middle)) > steepest * half:
            continue
        if abs(rate(middle)) > bent * half:
            if (function(a) < 0) != (function(b) < 0):
                found.append(bisected(function, a, b))
            continue
        if half < 1e-9 * (high - low):
            raise Unfit
        pending += [(a, middle), (middle, b)]
    return sorted(found)


def bisected(function: Callable[[float], float], a: float, b: float) -> float:
    """The zero between a and b, where the function has opposite signs, to the last digit."""
    below = function(a) < 0
    while True:
        middle = a + (b - a) / 2
        if middle in (a, b):
            return middle
        if (function(middle) < 0) == below:
            a = middle
        else:
            b = middle
