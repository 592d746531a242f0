"""What a stepper is asked for, checked before it starts."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from detent.errors import ValueProblem
from detent.stepping.tableau import TABLEAUS, Tableau

TIGHTEST: Final = 1e-14
"""The smallest relative tolerance: about 50 roundings of a double; below it the error estimate is noise."""


@final
@dataclass(frozen=True, eq=False)
class StepperSettings:
    """A method with its tolerances or its step, all of them sound.

    >>> StepperSettings.checked("rk4", rtol=1e-9, atol=1e-12, step=0.01, fixed=False, controlled=2).fixed
    True
    """

    method: Tableau
    rtol: float
    atol: NDArray[np.float64]
    """One for each controlled entry of the state."""
    step: float
    """The size of every step, or the largest size; infinite when steps are not limited."""
    fixed: bool

    @classmethod
    def checked(
        cls, method: str, *, rtol: float, atol: ArrayLike, step: float | None, fixed: bool, controlled: int
    ) -> StepperSettings:
        """The settings, or a ValueProblem that says which of them is wrong and what to give instead."""
        if method not in TABLEAUS:
            raise ValueProblem(f"there is no method named {method!r}; choose one of {', '.join(TABLEAUS)}.")
        tableau = TABLEAUS[method]
        every_step = fixed or not tableau.is_adaptive
        return cls(tableau, _relative(rtol), _absolute(atol, controlled), _step(method, step, every_step), every_step)


def _relative(rtol: float) -> float:
    if not TIGHTEST <= rtol < 1.0:
        raise ValueProblem(
            f"the relative tolerance rtol is {rtol!r}; give a number from {TIGHTEST:g} (doubles carry no more digits) "
            "to below 1, such as 1e-9."
        )
    return float(rtol)


def _absolute(atol: ArrayLike, controlled: int) -> NDArray[np.float64]:
    given = np.asarray(atol, dtype=np.float64)
    if given.shape not in ((), (controlled,)):
        raise ValueProblem(
            f"the absolute tolerance atol has shape {given.shape}; give one number, or {controlled} of them, one for "
            "each entry of the state whose error counts."
        )
    if not (np.isfinite(given) & (given > 0.0)).all():
        raise ValueProblem(
            f"the absolute tolerance atol is {atol!r}; give finite numbers greater than 0, such as 1e-12."
        )
    return np.broadcast_to(given, (controlled,))


def _step(method: str, step: float | None, fixed: bool) -> float:
    if step is None:
        if fixed:
            raise ValueProblem(
                f"{method} takes steps of a fixed size and no step was given; give step=, in seconds, or choose "
                "dop853, which finds its own."
            )
        return math.inf
    if not 0.0 < step < math.inf:
        raise ValueProblem(f"the step is {step!r}; give a finite number of seconds greater than 0.")
    return float(step)
