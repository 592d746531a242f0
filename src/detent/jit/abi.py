"""The one calling convention of all generated code.

    int64 function(int64 context, double time, const double *state, const double *values, double *out)

``state`` is the run's state vector (coordinates, speeds, signals, work), ``values`` the run-time
values that are not integrated (parameters, inputs, discrete states), ``out`` whatever the function
computes. The return value is 0, or a reason not to go on. ``context`` belongs to the callee: the
interpreter finds its tape there, native code ignores it, a kernel that combines other functions finds
their addresses in it.

What a stepper is given is a *cell*, an int64 array (address, context). It reads the address afresh at
every step, so a background thread may replace it by a faster function of the same bits at any moment:
storing one aligned 64-bit word is atomic.

How kernels written in Python say this is in :mod:`detent.jit.intrinsics`.
"""

from __future__ import annotations

from typing import Final

VERSION: Final = 1
"""Part of the key of every cached object; raise it when the convention or the code generator changes."""

WORD: Final = 8
"""The size of a word, and of a number, in bytes."""
EPSILON: Final = 2.0**-52
"""One unit in the last place of 1."""

OK: Final = 0
SINGULAR: Final = 1
"""Reason: a matrix that must be positive definite is not."""
