"""The impact of one contact with friction, as a cell that the event kernel calls."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate
from typing import final

import numpy as np
from numpy.typing import NDArray

from detent.contact_solves.friction_impact_frame import FRICTION_STRUCK
from detent.contact_solves.kernels import FRICTION_IMPACT
from detent.contact_solves.single_impact_frame import SINGLE_IMPACT, Law
from detent.jit.abi import WORD
from detent.jit.address import raw_address
from detent.jit.arrays import Words

COEFFICIENTS = ("restitution", "friction", "static friction")
"""What the cell of coefficients gives."""


@final
@dataclass(frozen=True)
class ImpactDiscretes:
    """Where discrete states are: the first among the values, how many, and which becomes the direction of slip."""

    first: int
    count: int
    direction: int


@final
class FrictionImpactMap:
    """x+ from x-, and the discrete states; see :mod:`detent.contact_solves.friction_impact_kernel`.

    ``rows`` are the numbers of the two rows that are struck among ``row_count``; cells must live as long as this does.
    """

    def __init__(
        self, unsolved: Words, constraints: Words, coefficients: Words, sizes: tuple[int, int, int],
        rows: tuple[int, int], row_count: int, constraint_outputs: int, law: Law, discrete: ImpactDiscretes,
        impulses: NDArray[np.float64],
    ) -> None:  # fmt: skip
        n_q, n, n_s = sizes
        room = {
            "given": n_q + n + n_s + 1 + n + n * (n + 1) // 2, "rows_given": constraint_outputs,
            "numbers": len(COEFFICIENTS), "matrix": n * n, "yields": 2 * n,
        }  # fmt: skip
        memory, single = np.zeros(sum(room.values()) + 1), np.zeros(1, dtype=SINGLE_IMPACT)
        single["law"] = law
        self._context = np.zeros(1, dtype=FRICTION_STRUCK)
        words = {
            "unsolved": raw_address(unsolved), "constraints": raw_address(constraints),
            "coefficients": raw_address(coefficients), "coordinates": n_q, "speeds": n, "signals": n_s,
            "rows": row_count, "normal": rows[0], "along": rows[1], "single": raw_address(single),
            "discrete": discrete.first, "discrete_count": discrete.count, "direction": discrete.direction,
        }  # fmt: skip
        for name, word in words.items():
            self._context[name] = word
        for name, before in zip(room, accumulate([0, *room.values()]), strict=False):
            self._context[name] = raw_address(memory) + WORD * before
        self._alive = [unsolved, constraints, coefficients, memory, single]
        self.leave_impulses_in(impulses)
        self.cell = np.array([FRICTION_IMPACT.address("strike_with_friction"), raw_address(self._context)], np.int64)

    def leave_impulses_in(self, impulses: NDArray[np.float64]) -> None:
        """Leave the two impulses there from now on; only where the kernel does not run."""
        self._impulses = impulses
        self._context["impulses"] = raw_address(impulses)
