"""The impact map of a set of constraints, as a cell that the event kernel calls."""

from __future__ import annotations

from itertools import accumulate
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from detent.jit.abi import WORD
from detent.jit.address import address_or_zero, raw_address, words_of_record
from detent.jit.arrays import Words
from detent.solves import impact_frame as at
from detent.solves.kernels import IMPACT


@final
class ImpactMap:
    """x+ from x-, for rows of constraints with a restitution each; see :mod:`detent.solves.impact_kernel`.

    Without ``restitution`` all of it is plastic.

    ``impulses`` is where the impulses are left, one per row. What is given must live as long as this does.
    """

    def __init__(
        self, unsolved: Words, constraints: Words, restitution: Words | None, sizes: tuple[int, int, int], rows: int,
        constraint_outputs: int, impulses: NDArray[np.float64],
    ) -> None:  # fmt: skip
        n_q, n, n_s = sizes
        size = n + rows
        room = {
            "given": n_q + n + n_s + 1 + n + n * (n + 1) // 2, "rows_given": constraint_outputs, "restitutions": rows,
            "matrix": size * size, "right": size, "chosen": size, "scales": size, "exchanges": rows * rows,
        }  # fmt: skip
        memory = np.zeros(sum(room.values()) + 1)
        sizes_and_cells = {
            "unsolved": raw_address(unsolved), "constraints": raw_address(constraints),
            "restitution": address_or_zero(restitution), "coordinates": n_q, "speeds": n,
            "signals": n_s, "rows": rows, "impulses": _address_for(rows, impulses),
        }  # fmt: skip
        first = raw_address(memory)
        places = (first + WORD * before for before in accumulate([0, *room.values()]))
        self._context = words_of_record(at.STRUCK, {**sizes_and_cells, **dict(zip(room, places, strict=False))})
        self._alive: list[NDArray[Any] | None] = [unsolved, constraints, restitution, memory]
        self._impulses = impulses
        self.cell = np.array([IMPACT.address("strike"), raw_address(self._context)], dtype=np.int64)

    def leave_impulses_in(self, impulses: NDArray[np.float64]) -> None:
        """Leave the impulses there from now on; only where the kernel does not run."""
        context = self._context.view(at.STRUCK)
        context["impulses"] = _address_for(int(context["rows"][0]), impulses)
        self._impulses = impulses


def _address_for(rows: int, impulses: NDArray[np.float64]) -> int:
    if impulses.dtype != np.float64 or not impulses.flags.c_contiguous or impulses.size < rows:
        raise ValueError(
            f"an impact leaves {rows} impulses and was given {impulses.size} numbers of type {impulses.dtype}; "
            "give a contiguous array of float64 with room for all of them"
        )
    return raw_address(impulses)
