"""Those who work between the steps of a solver, or take them in its place, as far as it knows them."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from detent.jit.arrays import Words
from detent.stepping.status import Status


class Chooser(Protocol):
    """Sees to what a program asks for between two steps."""

    @property
    def cell(self) -> Words:
        """Called with the time and the state there; it may change the words that say what runs now."""

    def count_by(self, counters: NDArray[np.void]) -> None:
        """Use the counters of the stepper to tell when something was done."""


class Step(NamedTuple):
    """A step that was taken: why it could not be, or DONE; where it ends, and the state there."""

    status: Status
    time: float
    state: NDArray[np.float64]


class SignChange(NamedTuple):
    """The first guard that changes its sign along a step, when, and the state there, on the constraints.

    Where none does the guard is -1, and all else the end of the step; so it is where one could not be looked at.
    """

    guard: int
    step: Step


class AlongStep(Protocol):
    """Looks for events along steps that a :class:`StepTaker` takes, one after the other."""

    def first_change(self, time: float, step: Step, inside: Callable[[float], NDArray[np.float64]]) -> SignChange:
        """What changes first from a time to the end of a step that began there; ``inside`` gives states on the way."""

    def settle(self, guard: int) -> int:
        """Take the transitions that are due where such a step ends, at a guard or at none (-1): -1, or a status."""


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

    def among(self, mode: int, words: ctypes.Array[ctypes.c_int64], values: NDArray[np.float64]) -> AlongStep:
        """What looks at steps that the kernels do not take, in a mode by its number; ``words`` are the frame's."""


class StepTaker(Protocol):
    """Takes steps in place of the kernels, by a method that is no explicit Runge-Kutta method."""

    @property
    def name(self) -> str:
        """The name of its method."""

    @property
    def calls(self) -> int:
        """How often its equations were evaluated so far."""

    def begin(self, time: float, state: NDArray[np.float64], rate: NDArray[np.float64], equations: int) -> None:
        """Go on from a state, with its rate, whatever came before; ``equations`` is the cell of rates, by address."""

    def step(self, t_end: float) -> Step:
        """Take one step, to ``t_end`` at most; the next one goes on from there."""

    def inside(self, time: float) -> NDArray[np.float64]:
        """The state at a time in the last step."""
