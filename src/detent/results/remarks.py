"""What a run says about itself where its numbers look doubtful."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import ArrayLike

WORST_BALANCE: Final = 1e-3
"""Of an energy that is off by more than this part of what moved, a plot already shows the difference."""
ROUNDED: Final = 1e-10
"""Below this part of the energies themselves an imbalance is their rounding, gathered over a million steps."""


def energy_remarks(
    balance: float, scale: float, energies: ArrayLike, rtol: float | None, step: float | None
) -> tuple[str, ...]:
    """What there is to say about an energy balance, with the remedy; ``energies`` (J) are all that the run has.

    >>> energy_remarks(1e-9, 10.0, [10.0], 1e-9, None)
    ()
    >>> print(*energy_remarks(3.0, 10.0, [10.0], None, 0.5))
    the energy balance is off by 3 of the 10 J that moved, so the motion is not to be trusted (more than 0.001 is too \
much); take a step smaller than 0.5 s, or an adaptive method
    """
    largest = float(np.abs(np.asarray(energies, dtype=np.float64)).max(initial=0.0))
    if not balance > WORST_BALANCE or balance * scale <= ROUNDED * largest:
        return ()
    remedy = (
        f"take a step smaller than {step:g} s, or an adaptive method"
        if rtol is None
        else f"tighten rtol, which is {rtol:g}, or look for a place where the model jumps"
    )
    return (
        f"the energy balance is off by {balance:.3g} of the {scale:.6g} J that moved, so the motion is not to be "
        f"trusted (more than {WORST_BALANCE:g} is too much); {remedy}",
    )
