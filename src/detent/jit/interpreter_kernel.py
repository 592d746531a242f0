"""The interpreter's kernel: one compiled function walks any tape.

Its bits are those of the native code: the same operations in the same order, the same library functions, no
contraction of products and sums.
"""

from __future__ import annotations

import math

from numba import types

from detent.expr import operation as op
from detent.expr.instruction import SINCOS, STATE, TIME
from detent.expr.table_value import table_value
from detent.jit.abi import OK, WORD
from detent.jit.intrinsics import POINTER, SIGNATURE, as_doubles, as_halfwords, as_words, called, kernel, place_of
from detent.jit.operation_switch import operated

_table_value = called(table_value)


@kernel(types.float64(POINTER, types.float64, types.int64))
def table_function(data, x, order):
    """The tabulated function, for the interpreter and (by address) for native code."""
    return _table_value(data, x, order)


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
    drawn = as_words(head[8])
    for i in range(head[9]):
        tables[drawn[2 * i]] = place_of(values) + WORD * drawn[2 * i + 1]
    for i in range(length):
        at = 5 * i
        operation, target = code[at], code[at + 1]
        if operation == SINCOS:
            angle = work[code[at + 2]]
            work[target] = math.sin(angle)
            work[code[at + 3]] = math.cos(angle)
        elif operation == op.TABLE:
            work[target] = _table_value(as_doubles(tables[code[at + 3]]), work[code[at + 2]], code[at + 4])
        else:
            work[target] = operated(operation, code, at, work)
    for i in range(output_count):
        out[i] = work[outputs[i]]
    return OK
