"""How long one evaluation takes, on a machine that other programs use as well.

Another program, an interrupt or a cold cache can only add time to a batch of calls; nothing can make a batch
faster than the work it holds. So the minimum over many short batches is the estimate of the undisturbed cost,
and it is the one that repeats from run to run: the median moves with whatever else the machine is doing.
The batches are kept short so that most of them fit between two disturbances.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from timeit import Timer

LONGEST_BATCH_S = 2e-3
"""Batches this long (s) dwarf the clock's resolution and are still shorter than a scheduler's time slice."""

FEWEST_BATCHES = 10
"""With a small budget the batches shrink until this many fit, so that a minimum means something."""


@dataclass(frozen=True)
class Batch:
    """A call that does the same evaluation many times, and how many times.

    Compiled code that loops by itself has no Python call per evaluation. Timing it as a ``Batch`` gives seconds
    per evaluation where a plain callable gives seconds per call.

    >>> squares = Batch(lambda: [n * n for n in range(100)], evaluations=100)
    >>> seconds_per_call(squares, budget_s=0.01) < 1e-3
    True
    """

    run: Callable[[], object]
    evaluations: int

    def __post_init__(self) -> None:
        if self.evaluations < 1:
            raise ValueError(
                f"a batch of {self.evaluations} evaluations was found, at least 1 was expected; "
                "give the number of evaluations that one call does"
            )


def seconds_per_call(function: Callable[[], object] | Batch, budget_s: float) -> float:
    """Seconds for one call of ``function`` (for one evaluation of a :class:`Batch`), measured for ``budget_s`` s.

    The smallest mean over the batches; the garbage collector is off while a batch runs.

    >>> 0.0 < seconds_per_call(lambda: None, budget_s=0.01) < 1e-3
    True
    """
    return interleaved({"function": function}, budget_s)["function"]


def interleaved(functions: Mapping[str, Callable[[], object] | Batch], budget_s: float) -> dict[str, float]:
    """Seconds per call of each function, the functions taking turns so that noise hits all of them alike.

    ``budget_s`` is for all functions together. Each gets at least one batch of at least one call, even where that
    takes longer. The result is the smallest mean over the batches, per name, in the order given. A loop of the
    interpreter is part of what is measured (some tens of nanoseconds per call): hand compiled loops in as a
    :class:`Batch`.

    >>> seconds = interleaved({"short": lambda: sum(range(10)), "long": lambda: sum(range(10_000))}, budget_s=0.05)
    >>> list(seconds)
    ['short', 'long']
    >>> seconds["short"] < seconds["long"]
    True
    """
    if not budget_s > 0.0:
        raise ValueError(f"a budget of {budget_s!r} s was found, a positive one was expected; give for example 0.5")
    if not functions:
        raise ValueError("no function to measure was found, at least one was expected; map a name to a function")
    deadline = time.perf_counter() + budget_s
    batch_s = min(LONGEST_BATCH_S, budget_s / (len(functions) * FEWEST_BATCHES))
    contestants = {name: _Contestant(function, batch_s) for name, function in functions.items()}
    while True:
        for contestant in contestants.values():
            contestant.take_turn()
        if time.perf_counter() >= deadline:
            return {name: contestant.seconds for name, contestant in contestants.items()}


class _Contestant:
    """One function under measurement: how many calls fill a batch, and the best batch so far."""

    def __init__(self, function: Callable[[], object] | Batch, batch_s: float) -> None:
        run, evaluations = (function.run, function.evaluations) if isinstance(function, Batch) else (function, 1)
        self._timer = Timer(run)  # turns the garbage collector off while it counts
        self._calls = _calls_to_fill(self._timer, batch_s)
        self._evaluations = self._calls * evaluations
        self.seconds = float("inf")

    def take_turn(self) -> None:
        self.seconds = min(self.seconds, self._timer.timeit(self._calls) / self._evaluations)


def _calls_to_fill(timer: Timer, batch_s: float) -> int:
    """Doubles the number of calls until they take ``batch_s``, which also warms caches and compiles what is lazy."""
    timer.timeit(1)
    calls = 1
    while timer.timeit(calls) < batch_s:
        calls *= 2
    return calls
