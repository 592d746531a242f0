"""Calling programs from Python, once or along a trajectory. The interpreter lock is free while they run."""

from __future__ import annotations

from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from detent.errors import ValueProblem
from detent.jit.address import address_of, addresses_of
from detent.jit.arrays import FloatArray
from detent.jit.kernel_library import DOUBLE_TYPE, WORD_TYPE
from detent.jit.kernels import KERNELS

_DOUBLE: Final = 8


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
    return KERNELS.function("call_once", WORD_TYPE, DOUBLE_TYPE, WORD_TYPE, WORD_TYPE, WORD_TYPE)(
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
    return KERNELS.function("call_many", *[WORD_TYPE] * 8)(
        address_of(cell, np.int64), count, address_of(times), address_of(states), states.shape[1],
        address_of(values), address_of(out), out.shape[1],
    )  # fmt: skip


def call_stretches(
    cell: NDArray[np.int64], bounds: NDArray[np.int64], times: FloatArray, states: FloatArray, values: FloatArray,
    out: FloatArray,
) -> int:  # fmt: skip
    """As :func:`call_many`, with a row of ``values`` of its own for each stretch from one of the bounds to the next.

    >>> from detent.expr.graph import Graph
    >>> from detent.expr.tape import STATE, VALUES, build_tape
    >>> from detent.jit.program import Program
    >>> graph, out = Graph(), np.empty((3, 1))
    >>> scaled = Program(build_tape([graph.leaf("x") * graph.leaf("k")], {"x": (STATE, 0), "k": (VALUES, 0)}))
    >>> x, k = np.array([[1.0], [2.0], [3.0]]), np.array([[10.0], [100.0]])
    >>> call_stretches(scaled.cell, np.array([0, 2, 3]), np.zeros(3), x, k, out), out.ravel().tolist()
    (0, [10.0, 20.0, 300.0])
    """
    count = len(times)
    fits = states.ndim == out.ndim == values.ndim == 2 and count == len(states) == len(out)
    if (
        not fits
        or len(bounds) != len(values) + 1
        or bounds[0] != 0
        or bounds[-1] != count
        or (np.diff(bounds) < 0).any()
    ):
        raise ValueProblem(
            f"{count} times came with states of shape {states.shape}, values of shape {values.shape}, bounds "
            f"{bounds.tolist()[:4]}... and room for results of shape {out.shape}; give one row of states and one of "
            "results for each time, one row of values for each stretch, and bounds from 0 to the number of times."
        )
    function = KERNELS.function("call_many", *[WORD_TYPE] * 8)
    place, width, size, status = address_of(cell, np.int64), states.shape[1], out.shape[1], 0
    clock, state, value, result = addresses_of(times, states, values, out)
    each, edges = values.shape[1] * _DOUBLE, bounds.tolist()
    for number, (first, last) in enumerate(pairwise(edges)):
        one = function(
            place, last - first, clock + first * _DOUBLE, state + first * width * _DOUBLE, width,
            value + number * each, result + first * size * _DOUBLE, size,
        )  # fmt: skip
        status = one or status
    return status
