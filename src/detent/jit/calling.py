"""Calling programs from Python, once or along a trajectory. The interpreter lock is free while they run."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from detent.errors import ValueProblem
from detent.jit.kernel_library import DOUBLE, WORD
from detent.jit.kernels import KERNELS
from detent.jit.place import place_of

FloatArray = NDArray[np.float64]


def call_once(cell: NDArray[np.int64], time: float, state: FloatArray, values: FloatArray, out: FloatArray) -> int:
    """One call; returns the program's own status.

    >>> from detent.expr.graph import Graph
    >>> from detent.expr.tape import STATE, build_tape
    >>> from detent.jit.program import Program
    >>> x, out = Graph().leaf("x"), np.empty(1)
    >>> square = Program(build_tape([x * x], {"x": (STATE, 0)}))
    >>> call_once(square.cell, 0.0, np.array([3.0]), np.zeros(0), out), float(out[0])
    (0, 9.0)
    """
    return KERNELS.function("call_once", WORD, DOUBLE, WORD, WORD, WORD)(
        address_of(cell, np.int64), time, address_of(state), address_of(values), address_of(out)
    )


def call_many(
    cell: NDArray[np.int64], times: FloatArray, states: FloatArray, values: FloatArray, out: FloatArray
) -> int:
    """One call per time, with a row of ``states`` each, into a row of ``out``; the last status not 0, or 0.

    >>> from detent.expr.graph import Graph
    >>> from detent.expr.tape import STATE, build_tape
    >>> from detent.jit.program import Program
    >>> x, out = Graph().leaf("x"), np.empty((2, 1))
    >>> square = Program(build_tape([x * x], {"x": (STATE, 0)}))
    >>> call_many(square.cell, np.zeros(2), np.array([[3.0], [4.0]]), np.zeros(0), out), out.ravel().tolist()
    (0, [9.0, 16.0])
    """
    count = len(times)
    if states.ndim != 2 or out.ndim != 2 or not count == len(states) == len(out):
        raise ValueProblem(
            f"{count} times came with states of shape {states.shape} and room for results of shape {out.shape}; give "
            "one row of states and one row of results for each time."
        )
    return KERNELS.function("call_many", *[WORD] * 8)(
        address_of(cell, np.int64), count, address_of(times), address_of(states), states.shape[1],
        address_of(values), address_of(out), out.shape[1],
    )  # fmt: skip


def address_of(array: NDArray[Any], kind: type[np.generic] = np.float64) -> int:
    """Where an array's numbers are, in the form in which generated code reads them.

    >>> address_of(np.zeros((2, 4))[:, 0])
    Traceback (most recent call last):
    ...
    detent.errors.ValueProblem: ...contiguous array of float64...
    """
    if array.dtype != kind or not array.flags.c_contiguous:
        raise ValueProblem(
            f"generated code was given an array of {array.dtype} with shape {array.shape} that it cannot read in "
            f"place; give a contiguous array of {kind.__name__} (numpy.ascontiguousarray)."
        )
    return place_of(array)
