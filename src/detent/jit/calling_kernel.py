"""Kernels that call a program from outside, once or along a trajectory."""

from __future__ import annotations

from typing import Final

from numba import types

from detent.jit.intrinsics import as_doubles, as_words, call, kernel

_DOUBLE: Final = 8
_WORD: Final = types.int64


@kernel(_WORD(_WORD, types.float64, _WORD, _WORD, _WORD))
def call_once(cell, time, state, values, out):
    """One call; returns the program's own status."""
    words = as_words(cell)
    return call(words[0], words[1], time, state, values, out)


@kernel(_WORD(_WORD, _WORD, _WORD, _WORD, _WORD, _WORD, _WORD, _WORD))
def call_many(cell, count, times, states, width, values, out, size):
    """One call per row of ``states``, of this width, into a row of ``out``; returns the last status that was not 0."""
    words, clock, status = as_words(cell), as_doubles(times), 0
    for i in range(count):
        state, result = states + i * width * _DOUBLE, out + i * size * _DOUBLE
        one = call(words[0], words[1], clock[i], state, values, result)
        if one != 0:
            status = one
    return status
