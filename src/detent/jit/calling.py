"""Calling programs from Python, once or along a trajectory."""

from __future__ import annotations

from numba import njit, types

from detent.jit.abi import call

_CELL = types.int64[::1]
_ROW = types.float64[::1]
_ROWS = types.float64[:, ::1]
_GIVEN_ROW = types.Array(types.float64, 1, "C", readonly=True)
_GIVEN_ROWS = types.Array(types.float64, 2, "C", readonly=True)


@njit(types.int64(_CELL, types.float64, _GIVEN_ROW, _GIVEN_ROW, _ROW), nogil=True, cache=True)
def call_once(cell, time, state, values, out):  # type: ignore[no-untyped-def]
    """One call; returns the program's own status."""
    return call(cell[0], cell[1], time, state.ctypes.data, values.ctypes.data, out.ctypes.data)


@njit(types.int64(_CELL, _GIVEN_ROW, _GIVEN_ROWS, _GIVEN_ROW, _ROWS), nogil=True, cache=True)
def call_many(cell, times, states, values, out):  # type: ignore[no-untyped-def]
    """One call per row; returns the last status that was not 0, or 0."""
    status = 0
    for i in range(len(times)):
        one = call(cell[0], cell[1], times[i], states[i].ctypes.data, values.ctypes.data, out[i].ctypes.data)
        if one != 0:
            status = one
    return status
