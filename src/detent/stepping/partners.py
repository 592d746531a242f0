"""Those who work between the steps of a solver, as far as it knows them: addresses that its kernels call."""

from __future__ import annotations

import ctypes
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Words = NDArray[np.int64]


class Chooser(Protocol):
    """Sees to what a program asks for between two steps."""

    @property
    def cell(self) -> Words:
        """Called with the time and the state there; it may change the words that say what runs now."""

    def count_by(self, counters: NDArray[np.void]) -> None:
        """Use the counters of the stepper to tell when something was done."""


class EventSearch(Protocol):
    """Looks for events after each trial, and takes transitions after an accepted step."""

    @property
    def excursion(self) -> NDArray[np.void]:
        """What keeps the next step from being taken, first of all (:mod:`detent.stepping.interruption`)."""

    @property
    def frame(self) -> ctypes.Array[ctypes.c_int64]:
        """What its kernels read, by the address that they find in the stepper's frame."""

    def kernels(self) -> tuple[int, int, int]:
        """The addresses of what is called after a trial, after an accepted step, and to go on with an excursion."""
