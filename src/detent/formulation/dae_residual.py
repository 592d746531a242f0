"""F(t, y, y') in numbers, with its derivatives, as often as is allowed."""

from __future__ import annotations

from typing import Final, final

import numpy as np

from detent.jit.arrays import FloatArray
from detent.jit.calling import call_many, call_once
from detent.jit.program import Program

NO_NUMBER: Final = 1e30
"""Stands for what is not a number: solvers compare, and comparing with NaN lets everything pass."""
DIFFERENCE: Final = float(np.sqrt(np.finfo(np.float64).eps))
"""The size of differences, relative to what is changed or to one: half of the digits for each."""


class TooManyCalls(Exception):
    """Ends a step in which the equations would be evaluated more often than is allowed."""


@final
class Calls:
    """Counts how often the equations of a run are evaluated.

    >>> calls = Calls(most=3)
    >>> calls.add(3)
    >>> calls.count
    3
    """

    def __init__(self, most: int) -> None:
        self.count, self._most = 0, most

    def add(self, more: int) -> None:
        """Some more, unless that is too many."""
        if self.count + more > self._most:
            raise TooManyCalls
        self.count += more


@final
class Residual:
    """F of a program that takes y followed by y'. What it returns is written anew by the next call."""

    def __init__(self, program: Program, values: FloatArray, calls: Calls) -> None:
        self._program, self._values, self._calls = program, values, calls
        count = program.size
        self._both, self._out = np.empty(2 * count), np.empty(count)
        self._changed, self._found = np.empty((2 * count, 2 * count)), np.empty((2 * count, count))

    def __call__(self, time: float, y: FloatArray, rates: FloatArray) -> FloatArray:
        self._calls.add(1)
        count = len(self._out)
        self._both[:count], self._both[count:] = y, rates
        call_once(self._program.cell, time, self._both, self._values, self._out)
        return _numbers(self._out)

    def slopes(self, time: float, y: FloatArray, rates: FloatArray) -> tuple[FloatArray, FloatArray]:
        """dF/dy and dF/dy', by differences."""
        count = len(self._out)
        centre = self(time, y, rates).copy()
        steps = DIFFERENCE * np.maximum(1.0, np.abs(self._both))
        self._changed[:] = self._both
        self._changed[np.diag_indices(2 * count)] += steps
        steps = np.diagonal(self._changed) - self._both  # as they are after rounding
        self._calls.add(2 * count)
        times = np.full(2 * count, time)
        call_many(self._program.cell, times, self._changed, self._values, self._found)
        slopes = ((_numbers(self._found) - centre) / steps[:, None]).T
        return slopes[:, :count], slopes[:, count:]


def _numbers(found: FloatArray) -> FloatArray:
    if not np.isfinite(found).all():
        found[~np.isfinite(found)] = NO_NUMBER
    return found
