"""Rates by a dense factorisation in the kernel, from a program that gives M and f.

For systems whose unrolled solve would be too much code for a compiler to digest, and for the moment
after a change when nothing but M and f exists yet.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from detent.jit.address import raw_address, room_of
from detent.solves.kernels import MASS_SOLVE
from detent.solves.mass_frame import UNCONSTRAINED


class MassSolve:
    """A cell for rates that are solved for in the kernel.

    ``program`` is the cell of a program with the outputs, in this order: q' (``coordinates`` of them), f (``speeds``),
    s' (``signals``), the power that does not depend on u', its factor of each u' (``speeds``), and the
    lower triangle of M row by row.
    """

    def __init__(self, program: NDArray[np.int64], coordinates: int, speeds: int, signals: int) -> None:
        size = coordinates + 2 * speeds + signals + 1 + speeds * (speeds + 1) // 2
        self._given = np.zeros(size)
        self._program = program
        self._head = np.zeros(1, dtype=UNCONSTRAINED)
        self._head["given"] = room_of("what M and f are read from", self._given, size)
        self._head["program"] = room_of("the cell of M and f", program, 2)
        self._head["coordinates"], self._head["speeds"], self._head["signals"] = coordinates, speeds, signals
        self.cell = np.array([MASS_SOLVE.address("mass_solve"), raw_address(self._head)], dtype=np.int64)
