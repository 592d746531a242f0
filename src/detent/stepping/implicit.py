"""Implicit steps: their tables and their memory."""

from __future__ import annotations

import functools
from typing import Any, final

import numpy as np
from numpy.polynomial import legendre
from numpy.typing import NDArray

from detent.jit.address import raw_address
from detent.jit.arrays import FloatArray
from detent.stepping.implicit_frame import IMPLICIT, NODES
from detent.stepping.kernels import IMPLICIT_STEPS
from detent.stepping.tableau import Tableau


def radau_nodes(count: int) -> FloatArray:
    """The nodes of Radau's quadrature on [0, 1] that has the end among them (Hairer and Wanner, section IV.5).

    >>> radau_nodes(2)
    array([0.33333333, 1.        ])
    """
    series = np.zeros(count + 1)
    series[count - 1], series[count] = -1.0, 1.0
    roots = np.sort(legendre.legroots(series).real)
    for _ in range(3):  # what the eigenvalues are off by rounding
        roots -= legendre.legval(roots, series) / legendre.legval(roots, legendre.legder(series))
    roots[-1] = 1.0
    nodes: FloatArray = (roots + 1.0) / 2.0
    return nodes


@functools.cache
def longest_stable(method: Tableau) -> float:
    """The largest step times rate with which a method lets die away what does (Hairer and Wanner, section IV.2).

    >>> from detent.stepping.tableau import DOP853, DOPRI5
    >>> round(longest_stable(DOPRI5), 2), round(longest_stable(DOP853), 2)
    (3.3, 6.39)
    """
    within, ones = 0.0, np.ones(method.stages)
    for size in np.arange(0.01, 20.0, 0.01):
        stages = np.linalg.solve(np.eye(method.stages) + size * method.a, ones)
        if abs(1.0 - size * method.b @ stages) > 1.0:
            break
        within = float(size)
    return within


@functools.cache
def _tables(method: Tableau, extra: int) -> tuple[FloatArray, FloatArray, FloatArray]:
    """The nodes; the integral of each node's polynomial to each node; its values at the stages of the method."""
    nodes = radau_nodes(NODES)
    stages = np.concatenate([method.c, [1.0], method.extra_c[:extra]])
    to_coefficients = np.linalg.inv(legendre.legvander(2 * nodes - 1, NODES - 1))
    integrals = [legendre.legval(2 * nodes - 1, legendre.legint(column, lbnd=-1)) / 2 for column in to_coefficients.T]
    return nodes, np.transpose(integrals).copy(), legendre.legvander(2 * stages - 1, NODES - 1) @ to_coefficients


@final
class ImplicitMemory:
    """What the kernel reads and writes that takes one stepper's implicit steps; it takes none until :meth:`offer`."""

    def __init__(self, method: Tableau, extra: int, shared: dict[str, NDArray[Any]], controlled: int) -> None:
        """``shared`` are arrays of the stepper, by the names that the record has for them."""
        self.record = np.zeros(1, dtype=IMPLICIT)
        self._method, self._extra, self._width = method, extra, len(shared["trial"])
        self._alive: list[Any] = [shared]
        for name, array in shared.items():
            self.record[name] = raw_address(array)
        self.record["rows"], self.record["width"] = method.stages + 1 + extra, self._width
        self.record["controlled"] = controlled

    def forget(self) -> None:
        """Let no step that was taken help with the next one."""
        self.record["solved_from"] = np.nan

    def offer(self, first: int, count: int, relative: float) -> None:
        """Take implicit steps where these entries of the state are stiff, with this relative tolerance."""
        record, room = self.record, NODES * count
        nodes, integrals, at_stages = _tables(self._method, self._extra)
        arrays = {
            "nodes": nodes, "integrals": integrals, "at_stages": at_stages,
            **{name: np.zeros((NODES, self._width)) for name in ("slopes_at", "states_at", "rates_at")},
            "derivatives": np.zeros(NODES * count * count), "matrix": np.zeros(room * room), "right": np.zeros(room),
            "way": np.zeros(2 * count),
        }  # fmt: skip
        self._alive.append(arrays)
        for name, array in arrays.items():
            record[name] = raw_address(array)
        record["first"], record["count"], record["relative"] = first, count, relative
        record["longest"] = longest_stable(self._method)
        record["kernel"] = IMPLICIT_STEPS.address("step_implicitly")
