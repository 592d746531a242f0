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
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

VERSION = 1
"""Part of the key of every cached object; raise it when the convention or the code generator changes."""

POINTER = types.CPointer(types.float64)
SIGNATURE = types.int64(types.int64, types.float64, POINTER, POINTER, POINTER)

OK = 0
SINGULAR = 1
"""Reason: a matrix that must be positive definite is not."""


def _pointer_intrinsic(element: types.Type) -> Any:
    @intrinsic
    def as_pointer(typing_context: Any, address: Any) -> Any:
        pointer = types.CPointer(element)

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return builder.inttoptr(arguments[0], context.get_value_type(pointer))

        return pointer(types.int64), generate

    return as_pointer


as_doubles = _pointer_intrinsic(types.float64)
as_words = _pointer_intrinsic(types.int64)
as_halfwords = _pointer_intrinsic(types.int32)


@intrinsic
def call(typing_context: Any, address: Any, context: Any, time: Any, state: Any, values: Any, out: Any) -> Any:
    """Call generated code by address; ``state``, ``values`` and ``out`` are addresses too."""
    signature = types.int64(types.int64, types.int64, types.float64, types.int64, types.int64, types.int64)

    def generate(target: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        word, double = ir.IntType(64), ir.DoubleType()
        pointer = double.as_pointer()
        function = ir.FunctionType(word, [word, double, pointer, pointer, pointer])
        callee = builder.inttoptr(arguments[0], function.as_pointer())
        passed = [arguments[1], arguments[2], *(builder.inttoptr(a, pointer) for a in arguments[3:])]
        return builder.call(callee, passed)

    return signature, generate


@intrinsic
def read_word(typing_context: Any, address: Any) -> Any:
    """An int64 read that the compiler must do each time it is written, never hoist out of a loop."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        pointer = builder.inttoptr(arguments[0], ir.IntType(64).as_pointer())
        loaded = builder.load_atomic(pointer, "acquire", 8)
        return loaded

    return types.int64(types.int64), generate
