"""Where nearest points are at the start of a run, or of a contact: looked for everywhere, refused if not unique."""

from __future__ import annotations

import math
from collections.abc import Container
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Final, final

import numpy as np

from detent.errors import DetentError
from detent.jit.arrays import FloatArray
from detent.jit.calling import call_many, call_once
from detent.solves import following_frame as at
from detent.solves.following import FollowedPlace

if TYPE_CHECKING:
    from detent.simulation.context import Context


_SAMPLES: Final = {1: 2001, 2: 81}
"""How many values of each coordinate are looked at, by the number of coordinates."""
_MOST: Final = 12
"""Of the points that are nearer than those around them, so many are looked at closely."""
_MOST_STEPS: Final = 80
_SURE: Final = 1e-3
"""A point is followed from where it is nearer than those around by a curvature of more than this part; where there is
always one, and only one, from wherever it is."""
_EQUAL: Final = 1e-9
"""Points whose distances differ by less than this part are equally near."""
_APART: Final = 1e-6
"""Coordinates that differ by less than this part of their range are of one point."""


def nearest_points(context: Context, state: FloatArray, given: Container[str], time: float = 0.0) -> None:
    """Put the coordinates of nearest points into a state; those that are ``given`` are only made exact."""
    following, names = context.compiled.following, context.compiled.layout.names
    if following is None:
        return
    for place in following.places:
        own, search = [names[column] for column in place.columns], _Search(place, time, state, context.values.vector)
        if all(name in given for name in own):
            state[list(place.columns)] = search.from_given(own)
        else:
            state[list(place.columns)] = search.nearest(own)
    if call_once(following.newton, time, state, context.values.vector, state) != 0:
        raise DetentError(f"contact '{following.culprit.name}': its nearest point cannot be followed from the start")


def nearest_point(
    place: FollowedPlace, time: float, state: FloatArray, values: FloatArray, names: list[str]
) -> FloatArray:
    """The coordinates of the nearest point at a place, looked for everywhere; ``names`` are theirs, for messages."""
    return _Search(place, time, state, values).nearest(names)


def _is_singular(slopes: FloatArray) -> bool:
    """Whether equations do not tell all coordinates."""
    return bool(slopes[0, 0] == 0.0 if len(slopes) == 1 else np.linalg.matrix_rank(slopes) < len(slopes))


_SLOWLY: Final = 0.02
"""The part of its range by which a coordinate moves at most in one step of the search."""


@final
@dataclass(frozen=True)
class _Found:
    at: FloatArray
    apart: float


@final
class _Search:
    """Looks for the nearest point at a place, all other things being as in a state."""

    def __init__(self, place: FollowedPlace, time: float, state: FloatArray, values: FloatArray) -> None:
        self.place, self.time, self.state, self.values = place, time, state.copy(), values
        self.start = state[list(place.columns)].copy()
        self.count = len(place.columns)
        ranges = self._given(state[list(place.columns)])[at.RANGES : at.RANGES + 2 * self.count].reshape(-1, 2)
        self.low, self.high = ranges.T.copy()
        self.span = self.high - self.low

    def from_given(self, names: list[str]) -> FloatArray:
        """The coordinates of the point that is nearest among those around the given one."""
        found = self.refined(self.start, _SLOWLY)
        if found is None:
            raise DetentError(
                f"contact '{self.place.name}': no nearest point is found from the start value "
                f"{self._told(names, self.start)}; give one closer to it, or leave it out"
            )
        return found.at

    def nearest(self, names: list[str]) -> FloatArray:
        """The coordinates of the nearest point; an error where there are several, or none that could be followed."""
        grid, apart = self._sampled()
        where = f"contact '{self.place.name}'"
        if not np.isfinite(apart).any():
            raise DetentError(f"{where}: its curve or surface has no points within its range; mend its expressions")
        ends, inner = self._minima(grid, apart)
        found = [each for start in inner[:_MOST] if (each := self.refined(start, 1.0 / _SAMPLES[self.count]))]
        found = sorted((each for each in found if self._is_within(each.at)), key=lambda each: each.apart)
        best = found[0] if found else None
        for start, distance in ends:
            if best is None or distance < best.apart * (1.0 - _EQUAL):
                beyond = self.refined(start, math.inf)
                if beyond is not None:
                    return beyond.at
        if best is None and self.place.lasting:
            return self._where_it_rises(grid[:, 0])
        if best is None:
            raise DetentError(
                f"{where}: at the start no point of its curve or surface is nearer than all around it, so that there "
                "is none to follow; move the shapes, or use other ones there"
            )
        for other in found[1:]:
            if other.apart - best.apart <= _EQUAL * (abs(best.apart) + _EQUAL) and self._differ(best.at, other.at):
                both = " and ".join(self._told(names, each.at) for each in (best, other))
                raise DetentError(
                    f"{where}: at the start several points of its curve or surface are equally near: {both}; give a "
                    f"start value of {' and '.join(map(repr, names))} near the one to be followed, or move the shapes"
                )
        return best.at

    def refined(self, start: FloatArray, longest: float) -> _Found | None:
        """The point nearest among those around, from a start, by steps of at most a part of the range."""
        x, n = np.array(start, dtype=float), self.count
        for _ in range(_MOST_STEPS):
            given = self._given(x)
            first = at.RANGES + 2 * n
            slopes = given[first + n : first + n + n * n].reshape(n, n)
            if not np.isfinite(given).all() or _is_singular(slopes):
                return None
            step = -np.linalg.solve(slopes, given[first : first + n])
            if (np.abs(step) <= 1e-14 * (self.span + np.abs(x))).all():
                is_sure = given[at.NEAREST] > (0.0 if self.place.lasting else _SURE)
                return _Found(x, float(given[at.APART])) if is_sure else None
            if given[at.NEAREST] <= 0.0 and longest < math.inf:
                return None
            size = float((np.abs(step) / self.span).max())
            x = x + step * min(1.0, longest / size)
        return None

    def _where_it_rises(self, along: FloatArray) -> FloatArray:
        """The coordinate of the only point there is, where Newton's method does not lead to it: the equation of a
        nearest point rises through zero there, and nowhere else."""
        equation = at.RANGES + 2
        ends = [*along, self.high[0]]
        signs = [float(self._given(np.array([each]))[equation]) > 0.0 for each in ends]
        first = next(k for k in range(len(along)) if signs[k + 1] and not signs[k])
        below, above = ends[first], ends[first + 1]
        while below < (middle := 0.5 * (below + above)) < above:
            rises = self._given(np.array([middle]))[equation] > 0.0
            below, above = (below, middle) if rises else (middle, above)
        return np.array([below])

    def _given(self, x: FloatArray) -> FloatArray:
        self.state[list(self.place.columns)] = x
        return self.place.program(self.time, self.state, self.values)

    def _sampled(self) -> tuple[FloatArray, FloatArray]:
        """Coordinates all over their ranges, and how far apart shapes are there."""
        count = _SAMPLES[self.count]
        axes = [
            low + (high - low) * np.arange(count) / (count if closed else count - 1)
            for low, high, closed in zip(self.low, self.high, self.place.closed, strict=True)
        ]
        grid = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1)
        states = np.repeat(self.state[None, :], grid[..., 0].size, axis=0)
        states[:, list(self.place.columns)] = grid.reshape(-1, self.count)
        out = np.empty((len(states), 1))
        call_many(self.place.apart.cell, np.full(len(states), self.time), states, self.values, out)
        return grid, out.reshape(grid.shape[:-1])

    def _minima(self, grid: FloatArray, apart: FloatArray) -> tuple[list[tuple[FloatArray, float]], list[FloatArray]]:
        """Samples that are nearer than those around: at the ends of ranges, with their distance; and elsewhere."""
        padded = apart
        for axis, closed in enumerate(self.place.closed):
            pads = [(1, 1) if k == axis else (0, 0) for k in range(self.count)]
            padded = np.pad(padded, pads, mode="wrap") if closed else np.pad(padded, pads, constant_values=np.inf)
        least = np.isfinite(apart)
        for shift in product((0, 1, 2), repeat=self.count):
            if any(each != 1 for each in shift):
                around = tuple(slice(each, each + n) for each, n in zip(shift, apart.shape, strict=True))
                least &= apart <= padded[around]
        order = sorted(np.argwhere(least), key=lambda index: float(apart[tuple(index)]))
        at_end = [
            any(
                not closed and i in (0, n - 1)
                for i, n, closed in zip(index, apart.shape, self.place.closed, strict=True)
            )
            for index in order
        ]
        ends = [(grid[tuple(i)], float(apart[tuple(i)])) for i, end in zip(order, at_end, strict=True) if end]
        return ends, [grid[tuple(i)] for i in order]

    def _is_within(self, x: FloatArray) -> bool:
        slack = 1e-12 * self.span
        inside = (x >= self.low - slack) & (x <= self.high + slack)
        return bool((inside | np.array(self.place.closed)).all())

    def _differ(self, one: FloatArray, other: FloatArray) -> bool:
        difference = np.abs(one - other)
        turned = np.where(self.place.closed, np.abs(difference - self.span), difference)
        return bool((np.minimum(difference, turned) > _APART * self.span).any())

    def _told(self, names: list[str], x: FloatArray) -> str:
        return ", ".join(f"{name} = {value:.6g}" for name, value in zip(names, x, strict=True))
