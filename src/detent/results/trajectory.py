"""The motion itself: states at the accepted steps and the interpolant between them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from detent.errors import DetentError, OutsideRunError
from detent.jit.arrays import FloatArray
from detent.results.arrays import read_only
from detent.results.asked_times import asked_times
from detent.results.layout import StateLayout


@final
@dataclass(frozen=True, eq=False)
class Trajectory:
    """States x and rates x' at the nodes t[0] <= t[1] <= ..., one node per accepted step.

    Between node i and node i+1, with h = t[i+1] - t[i], s = (t - t[i])/h, s1 = 1 - s, the interpolant is the
    nested form of Hairer, Norsett and Wanner, *Solving Ordinary Differential Equations I*, section II.6::

        x(s) = x[i] + s (dy + s1 (r3 + s (r4 + s1 (r5 + s (r6 + s1 (r7 + s r8))))))
        dy = x[i+1] - x[i],   r3 = h x'[i] - dy,   r4 = dy - h x'[i+1] - r3

    ``dense[i]`` holds the rows r5, r6, ... of the stepper: none for ``rk4`` (a cubic Hermite polynomial), one
    for ``dopri5``, four for ``dop853``. It is None when a run kept only the asked-for times, or the states at
    its events.

    Two nodes at one time are a jump: first the state before it, then the state after it.

    >>> fall = Trajectory(StateLayout(("y",), ("v",)), [0, 2], [[0, 0, 0], [-20, -20, 0]],
    ...                   [[0, -10, 0], [-20, -10, 0]], np.zeros((1, 0, 3)))
    >>> fall.at(1.0).tolist()
    [-5.0, -10.0, 0.0]
    """

    layout: StateLayout
    time: FloatArray
    state: FloatArray
    rate: FloatArray
    dense: FloatArray | None

    def __post_init__(self) -> None:
        count, width = np.size(self.time), self.layout.width
        time = read_only(self.time, (count,), "the time")
        if count == 0 or not np.isfinite(time).all() or (np.diff(time) < 0).any():
            raise DetentError("the times of a trajectory must be finite and must not decrease; give at least one.")
        object.__setattr__(self, "time", time)
        object.__setattr__(self, "state", read_only(self.state, (count, width), "the state"))
        object.__setattr__(self, "rate", read_only(self.rate, (count, width), "the rate"))
        if self.dense is not None:
            rows = np.shape(self.dense)[1] if np.ndim(self.dense) == 3 else 0
            dense = read_only(self.dense, (count - 1, rows, width), "the dense output")
            object.__setattr__(self, "dense", dense)

    def narrowed(self, layout: StateLayout) -> Trajectory:
        """The same with a part of what is in the state.

        >>> fall = Trajectory(StateLayout(("y",), ("v",), ("s",)), [0], [[1, 2, 3, 0]], np.zeros((1, 4)), None)
        >>> fall.narrowed(StateLayout(("y",), ("v",))).state.tolist()
        [[1.0, 2.0, 0.0]]
        """
        if layout == self.layout:
            return self
        columns = [self.layout.column(name) for name in layout.names]
        dense = None if self.dense is None else self.dense[..., columns]
        return Trajectory(layout, self.time, self.state[:, columns], self.rate[:, columns], dense)

    def at(self, times: ArrayLike) -> FloatArray:
        """The state at one time (width,) or at many (..., width); at a jump, the state after it.

        >>> fall = Trajectory(StateLayout((), ()), [0, 1, 1, 2], [[0], [1], [5], [6]], np.ones((4, 1)),
        ...                   np.zeros((3, 0, 1)))
        >>> fall.at([0.5, 1.0, 1.5]).ravel().tolist()
        [0.5, 5.0, 5.5]
        """
        asked = asked_times(times)
        outside = ~((asked >= self.time[0]) & (asked <= self.time[-1]))  # written so that NaN is outside
        if outside.any():
            raise OutsideRunError(float(asked[outside].flat[0]), float(self.time[0]), float(self.time[-1]))
        flat = asked.ravel()
        # The last node at or before each time: after a jump at that very time, and never before an empty interval.
        node = np.searchsorted(self.time, flat, side="right") - 1
        values = self.state[node]
        between = flat > self.time[node]
        if between.any():
            values[between] = self._interpolated(flat[between], node[between])
        return values.reshape(*asked.shape, self.layout.width)

    def inside(self, fractions: Sequence[float]) -> tuple[NDArray[np.intp], FloatArray, FloatArray]:
        """Instants inside every step, at some fractions of it: the node where the step starts, the time, the state.

        >>> fall = Trajectory(StateLayout((), ()), [0, 1, 1, 2], [[0], [1], [5], [6]], np.ones((4, 1)),
        ...                   np.zeros((3, 0, 1)))
        >>> starts, times, states = fall.inside([0.5])
        >>> starts.tolist(), times.tolist(), states.ravel().tolist()
        ([0, 2], [0.5, 1.5], [0.5, 5.5])
        """
        node: NDArray[np.intp] = np.repeat(np.flatnonzero(np.diff(self.time) > 0), len(fractions))
        along = np.tile(np.asarray(fractions, dtype=np.float64), len(node) // max(len(fractions), 1))
        times: FloatArray = self.time[node] + along * (self.time[node + 1] - self.time[node])
        return node, times, self._interpolated(times, node)

    def _interpolated(self, times: FloatArray, node: NDArray[np.intp]) -> FloatArray:
        if self.dense is None:
            raise DetentError(
                f"the run kept only the asked-for times and t = {float(times[0])!r} is not one of them; "
                "simulate without times= (and without keep='events') to interpolate."
            )
        step = (self.time[node + 1] - self.time[node])[:, None]
        along = (times - self.time[node])[:, None] / step
        factors = (along, 1.0 - along)
        change = self.state[node + 1] - self.state[node]
        third = step * self.rate[node] - change
        fourth = change - step * self.rate[node + 1] - third
        rows = [change, third, fourth, *np.moveaxis(self.dense[node], 1, 0)]
        nested = rows.pop()
        while rows:
            nested = rows[-1] + factors[len(rows) % 2] * nested
            rows.pop()
        values: FloatArray = self.state[node] + along * nested
        return values
