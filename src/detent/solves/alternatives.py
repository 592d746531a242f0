"""Partitions of the speeds of a mode, between which the kernel chooses while it runs."""

from __future__ import annotations

from functools import cached_property
from typing import Any, Final, NamedTuple, final

import numpy as np
from numpy.typing import NDArray

from detent.errors import DetentError
from detent.jit.address import raw_address, room_of
from detent.jit.arrays import Words
from detent.jit.words import publish, published
from detent.solves import choice_frame as at
from detent.solves.constraint_solve import ConstraintSolve
from detent.solves.kernels import CONSTRAINT_SOLVE

MOST = 64
"""Splits of one mode that the kernel knows, at most."""


class Chosen(NamedTuple):
    """Another choice that the kernel made."""

    steps: int
    """The steps taken before it."""
    number: int
    time: float


@final
class Adopting:
    """Has what runs now, if it solves for its rates, go on with other dependent speeds, without a table of them.

    >>> len(Adopting().cell)
    2
    """

    @cached_property
    def cell(self) -> Words:
        again, *known = (
            CONSTRAINT_SOLVE.address(name) for name in ("adopt_again", "constrained_rates", "constrained_state")
        )
        self._known = np.array(known, dtype=np.int64)
        return np.array([again, raw_address(self._known)], dtype=np.int64)

    def count_by(self, counters: NDArray[np.void]) -> None:
        """Nothing is put down."""


ADOPTING: Final = Adopting()


@final
class Alternatives:
    """A table of partitions, each with its rates and its correction.

    The first is the one that runs when the table is begun. ``add`` puts one more at its end; a *spare* one takes
    whatever partition is new, as the kernel solves for the rates of that.
    """

    def __init__(self) -> None:
        self._known = np.zeros(1, dtype=at.ALTERNATIVES)
        self._table = np.zeros(MOST, dtype=at.ALTERNATIVE)
        self._log = np.zeros(at.LOG_ROOM, dtype=at.CHOICE)
        self._known["table"], self._known["log"] = raw_address(self._table), raw_address(self._log)
        self.cell = np.array([CONSTRAINT_SOLVE.address("choose_again"), raw_address(self._known)], dtype=np.int64)
        self.solves: list[ConstraintSolve] = []
        self._alive: list[NDArray[Any]] = []

    def begin(self, solve: ConstraintSolve, rates: Words) -> None:
        """Forget all others; only where the kernel does not run."""
        self._known[["used", "ready", "present", "asks", "logged", "read"]] = 0
        self.solves, self._alive = [], []
        self.add(solve, rates)

    def count_by(self, counters: NDArray[np.void]) -> None:
        """Use the counters of the stepper whose steps are counted in the log."""
        self._alive.append(counters)
        self._known["counters"] = room_of("the stepper's counters", counters, 1)

    def add(self, solve: ConstraintSolve, rates: Words | None = None) -> None:
        """A partition more, with its rates; a spare one without."""
        number = len(self.solves)
        if number == MOST or (self.solves and solve.sizes != self.solves[0].sizes):
            raise DetentError(
                f"partition {number} of sizes {solve.sizes} does not fit into a table of {MOST} partitions of one "
                "mode; this is a mistake in detent: please report it with the model"
            )
        self.solves.append(solve)
        self.improve(number, solve.rates if rates is None else rates)
        self._table["context"][number] = solve.rates[1]
        self._table["correction"][number] = raw_address(solve.correction)
        publish(self._known["ready"], 0, number + 1)  # last, for the kernel may be running
        if rates is not None:
            self._known["used"] = number + 1

    def improve(self, number: int, rates: Words) -> None:
        """Let a partition have another program for its rates from now on."""
        self._alive.append(rates)
        publish(self._table["rates"][number : number + 1], 0, raw_address(rates))

    @property
    def spare(self) -> int:
        """How many partitions that are new the kernel can take."""
        return int(self._known["ready"][0] - self._known["used"][0])

    @property
    def is_full(self) -> bool:
        return len(self.solves) == MOST

    def asks(self) -> int:
        """Why the kernel could not choose by itself (ROOM or LOST), or 0; that is forgotten now."""
        asked = int(self._known["asks"][0])
        self._known["asks"] = 0
        return asked

    def take_log(self) -> list[Chosen]:
        """The choices made since the last time."""
        first, last = int(self._known["read"][0]), published(self._known["logged"], 0)
        made = [Chosen(*self._log[entry % at.LOG_ROOM].tolist()) for entry in range(first, last)]
        publish(self._known["read"], 0, last)
        return made
