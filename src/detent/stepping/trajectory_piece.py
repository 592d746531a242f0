"""A piece of trajectory, as a stepper delivers it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from detent.jit.arrays import FloatArray


@final
@dataclass(frozen=True, eq=False)
class TrajectoryPiece:
    """The nodes of some accepted steps, in order; the node from which the first step started is not among them.

    ``dense[i]`` holds the rows r5, r6, ... of the step that ends at ``time[i]``. With x0, x0' the state and rate at
    the start of that step, x1, x1' at its end, h its size, s = (t - t0)/h and s1 = 1 - s, between the two
    (Hairer, Norsett and Wanner, *Solving Ordinary Differential Equations I*, sections II.6 and II.10)::

        x(s) = x0 + s (dy + s1 (r3 + s (r4 + s1 (r5 + s (r6 + s1 (r7 + s r8))))))
        dy = x1 - x0,   r3 = h x0' - dy,   r4 = dy - h x1' - r3

    >>> import numpy as np
    >>> len(TrajectoryPiece(np.zeros(2), np.zeros((2, 3)), np.zeros((2, 3)), np.zeros((2, 0, 3))))
    2
    """

    time: FloatArray
    """(steps,)"""
    state: FloatArray
    """(steps, width)"""
    rate: FloatArray
    """(steps, width): x' at the nodes."""
    dense: FloatArray
    """(steps, rows, width): 0 rows for ``rk4``, 1 for ``dopri5``, 4 for ``dop853``."""

    def part(self, first: int, last: int) -> TrajectoryPiece:
        """Some of the nodes."""
        return TrajectoryPiece(
            self.time[first:last], self.state[first:last], self.rate[first:last], self.dense[first:last]
        )

    @property
    def nbytes(self) -> int:
        """The size of its arrays."""
        return self.time.nbytes + self.state.nbytes + self.rate.nbytes + self.dense.nbytes

    def __len__(self) -> int:
        """The number of steps."""
        return len(self.time)
