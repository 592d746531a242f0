"""Inputs that are sampled and held: values that change only at certain instants."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import sympy

from detent.errors import ValueProblem


class Held:
    """Given values at given times, each held until the next (zero-order hold).

    Before the first time the first value holds, after the last time the last.

    >>> Held([0, 1, 2], [5, 6, 7]).value(1.5)
    6.0
    """

    def __init__(self, times: Sequence[float], values: Sequence[float]) -> None:
        import numpy as np  # slow to import; a model without held inputs is written without it

        self.times = np.asarray(times, float)
        self.values = np.asarray(values, float)
        if self.times.ndim != 1 or self.times.shape != self.values.shape or len(self.times) == 0:
            raise ValueProblem(
                f"a held input has {self.times.size} times and {self.values.size} values; give the same number of each"
            )
        if not (np.isfinite(self.times).all() and np.isfinite(self.values).all()):
            raise ValueProblem("a held input has a time or value that is not finite; remove or mend that sample")
        if not (np.diff(self.times) > 0).all():
            raise ValueProblem("the times of a held input do not increase; sort the samples and remove doubles")

    def value(self, time: float) -> float:
        """The value held at a time."""
        return float(self.values[max(0, int(self.times.searchsorted(time, side="right")) - 1)])

    def next_change(self, time: float) -> float:
        """The first instant after ``time`` at which the value changes; infinite if there is none."""
        later = self.times[self.times > time]
        return float(later[0]) if len(later) else math.inf


class Sampled:
    """A function called every ``period`` seconds with the time and the state; its result is held in between.

    The state comes as a mapping from names of coordinates, speeds and signals to values: a sampled controller.

    >>> controller = Sampled(0.01, lambda time, state: -10*state["angle"])
    >>> controller.period
    0.01
    """

    def __init__(self, period: float, function: Callable[[float, Mapping[str, float]], float]) -> None:
        if not (period > 0 and math.isfinite(period)):
            raise ValueProblem(f"a sampled input has the period {period!r}; give a finite time greater than zero")
        self.period = float(period)
        self.function = function

    def next_change(self, time: float) -> float:
        """The first sampling instant after ``time``: whole multiples of the period."""
        number = round(time / self.period)
        while number * self.period <= time:  # the division rounds; an instant that has come must not come again
            number += 1
        return number * self.period


def is_function(value: object) -> bool:
    """Whether a Python function was given where an input's value belongs: it has to say when it is called.

    >>> is_function(lambda time: 2*time), is_function(Sampled(0.1, lambda time, state: 0.0))
    (True, False)
    """
    return callable(value) and not isinstance(value, (Held, Sampled, sympy.Basic))  # a symbol can be called, too


FUNCTION_REMEDY = (
    "write an expression in system.time, detent.Sampled(period, function) to have function(time, state) called every "
    "period, or detent.Held(times, values)"
)
"""What to give instead of a Python function."""
