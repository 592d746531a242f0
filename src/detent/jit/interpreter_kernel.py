"""The interpreter's kernel: one compiled function walks any tape.

Its bits are those of the native code: the same operations in the same order, the same library functions, no
contraction of products and sums.
"""

from __future__ import annotations

import math

from numba import njit, types

from detent.expr import operation as op
from detent.expr.instruction import SINCOS, STATE, TIME
from detent.expr.table_value import table_value
from detent.jit.abi import OK
from detent.jit.intrinsics import POINTER, SIGNATURE, as_doubles, as_halfwords, as_words, called, kernel

_table_value = called(table_value)


@kernel(types.float64(POINTER, types.float64, types.int64))
def table_function(data, x, order):
    """The tabulated function, for the interpreter and (by address) for native code."""
    return _table_value(data, x, order)


@njit(inline="always", error_model="numpy")
def _of_one(operation, x):
    if operation == op.SQRT:
        return math.sqrt(x)
    if operation == op.SIN:
        return math.sin(x)
    if operation == op.COS:
        return math.cos(x)
    if operation == op.TAN:
        return math.tan(x)
    if operation == op.ASIN:
        return math.asin(x)
    if operation == op.ACOS:
        return math.acos(x)
    if operation == op.ATAN:
        return math.atan(x)
    if operation == op.EXP:
        return math.exp(x)
    if operation == op.LOG:
        return math.log(x)
    if operation == op.SINH:
        return math.sinh(x)
    if operation == op.COSH:
        return math.cosh(x)
    if operation == op.TANH:
        return math.tanh(x)
    if operation == op.ABSOLUTE:
        return abs(x)
    if operation == op.SIGN:
        return (1.0 if x > 0.0 else 0.0) - (1.0 if x < 0.0 else 0.0)
    return math.nan  # an operation that was forgotten here must not look like another


@njit(inline="always", error_model="numpy")
def _of_two(operation, a, b):
    if operation == op.LESS:
        return 1.0 if a < b else 0.0
    if operation == op.LESS_EQUAL:
        return 1.0 if a <= b else 0.0
    if operation == op.EQUAL:
        return 1.0 if a == b else 0.0
    if operation == op.BOTH:
        return 1.0 if a != 0.0 and b != 0.0 else 0.0
    if operation == op.EITHER:
        return 1.0 if a != 0.0 or b != 0.0 else 0.0
    if operation == op.MINIMUM:
        return a if a < b else b
    if operation == op.MAXIMUM:
        return a if a > b else b
    if operation == op.ATAN2:
        return math.atan2(a, b)
    if operation == op.POWER:
        return math.pow(a, b)
    if operation == op.NOT:
        return 1.0 if a == 0.0 else 0.0
    return math.nan  # as above


@kernel(SIGNATURE)
def interpret(context, time, state, values, out):
    """Run the tape that ``context`` points to (see :func:`detent.jit.interpreter.pack`)."""
    head = as_words(context)
    loads, load_count = as_halfwords(head[0]), head[1]
    code, length = as_halfwords(head[2]), head[3]
    work, outputs, output_count, tables = as_doubles(head[4]), as_halfwords(head[5]), head[6], as_words(head[7])
    for i in range(load_count):
        bank, index = loads[3 * i], loads[3 * i + 1]
        work[loads[3 * i + 2]] = time if bank == TIME else (state[index] if bank == STATE else values[index])
    for i in range(length):
        at = 5 * i
        operation, target = code[at], code[at + 1]
        a = work[code[at + 2]]
        if operation == op.MULTIPLY:
            work[target] = a * work[code[at + 3]]
        elif operation == op.ADD:
            work[target] = a + work[code[at + 3]]
        elif operation == op.SUBTRACT:
            work[target] = a - work[code[at + 3]]
        elif operation == op.DIVIDE:
            work[target] = a / work[code[at + 3]]
        elif operation == op.NEGATE:
            work[target] = -a
        elif operation == SINCOS:
            work[target] = math.sin(a)
            work[code[at + 3]] = math.cos(a)
        elif operation == op.SELECT:
            work[target] = work[code[at + 3]] if a != 0.0 else work[code[at + 4]]
        elif operation == op.TABLE:
            work[target] = _table_value(as_doubles(tables[code[at + 3]]), a, code[at + 4])
        elif operation >= op.MINIMUM or operation == op.ATAN2 or operation == op.POWER:
            work[target] = _of_two(operation, a, work[code[at + 3]])
        else:
            work[target] = _of_one(operation, a)
    for i in range(output_count):
        out[i] = work[outputs[i]]
    return OK
