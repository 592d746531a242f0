"""Steps across change points: the tables and the memory of the kernel that takes them."""

from __future__ import annotations

import functools
from typing import final

import numpy as np
from numpy.polynomial import legendre

from detent.jit.address import raw_address
from detent.jit.arrays import FloatArray
from detent.stepping import crossing_frame as at
from detent.stepping.tableau import Tableau


@functools.cache
def _tables(method: Tableau, extra: int) -> FloatArray:
    """Gauss's collocation with each number of nodes, one after the other."""
    stages = np.concatenate([method.c, [1.0], method.extra_c[:extra]])
    parts = []
    for count in range(at.FEWEST, at.MOST + 1):
        roots, weights = legendre.leggauss(count)
        to_coefficients = np.linalg.inv(legendre.legvander(roots, count - 1))
        integrals = [legendre.legval(roots, legendre.legint(column, lbnd=-1)) / 2 for column in to_coefficients.T]
        at_stages = legendre.legvander(2 * stages - 1, count - 1) @ to_coefficients
        parts += [(roots + 1) / 2, np.transpose(integrals).ravel(), weights / 2, at_stages.ravel()]
    return np.concatenate(parts)


@final
class CrossingMemory:
    """What the kernel reads and writes that takes one stepper's steps across change points."""

    def __init__(self, method: Tableau, extra: int, rates: FloatArray, trial: FloatArray) -> None:
        padded = len(trial)
        self._step = np.zeros(1, dtype=at.STEP)
        tables, space = _tables(method, extra), np.zeros((2 * at.MOST + 1, padded))
        self._alive = (tables, space, rates, trial)
        self.record = np.zeros(1, dtype=at.CROSSING)
        self.record["rows"], self.record["width"] = method.stages + 1 + extra, padded
        arrays = {"step": self._step, "tables": tables, "space": space, "rates": rates, "trial": trial}
        for name, array in arrays.items():
            self.record[name] = raw_address(array)
