"""The operations of the table as one switch, for the interpreter: the instructions that native code is written with."""

from __future__ import annotations

import math
from typing import Any, Final

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from detent.expr.operation import OPERATIONS

_DOUBLE: Final = ir.DoubleType()
_FIRST_ARGUMENT: Final = 2
"""Where in an instruction of a tape the places of its arguments begin."""


class _BuilderMachine:
    """Writes with llvmlite's builder; a :class:`detent.expr.elementary.Machine`."""

    zero: Final = ir.Constant(_DOUBLE, 0.0)

    def __init__(self, builder: Any) -> None:
        self._builder = builder

    def call(self, name: str, *arguments: Any) -> Any:
        kind = ir.FunctionType(_DOUBLE, [_DOUBLE] * len(arguments))
        return self._builder.call(cgutils.get_or_insert_function(self._builder.module, kind, name), arguments)

    def arithmetic(self, word: str, *arguments: Any) -> Any:
        return getattr(self._builder, word)(*arguments)

    def test(self, kind: str, a: Any, b: Any) -> Any:
        ordered = kind.startswith("o")
        sign = {"lt": "<", "le": "<=", "gt": ">", "eq": "==", "ne": "!="}[kind[1:]]
        return (self._builder.fcmp_ordered if ordered else self._builder.fcmp_unordered)(sign, a, b)

    def logic(self, word: str, a: Any, b: Any) -> Any:
        return getattr(self._builder, word + "_")(a, b)

    def number(self, test: Any) -> Any:
        return self._builder.uitofp(test, _DOUBLE)

    def select(self, test: Any, a: Any, b: Any) -> Any:
        return self._builder.select(test, a, b)


@intrinsic
def operated(typing_context: Any, operation: Any, code: Any, at: Any, work: Any) -> Any:
    """The value of the instruction at a place of a tape's code; not a number if the table has no such operation.

    ``work`` are the slots; just the arguments that the operation has are read.
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        number, code, at, work = arguments
        end = builder.append_basic_block("operated")
        unknown = builder.append_basic_block("no.operation")
        choice = builder.switch(number, unknown)
        made = [(ir.Constant(_DOUBLE, math.nan), unknown)]
        builder.position_at_end(unknown)
        builder.branch(end)
        for entry in OPERATIONS.values():
            block = builder.append_basic_block(entry.name.replace(" ", "."))
            choice.add_case(ir.Constant(number.type, entry.number), block)
            builder.position_at_end(block)
            values = [_argument(builder, code, at, work, position) for position in range(entry.arity)]
            made.append((entry.machine(_BuilderMachine(builder), *values), builder.block))
            builder.branch(end)
        builder.position_at_end(end)
        value = builder.phi(_DOUBLE)
        for result, block in made:
            value.add_incoming(result, block)
        return value

    halfwords, doubles = types.CPointer(types.int32), types.CPointer(types.float64)
    return types.float64(types.int32, halfwords, types.int64, doubles), generate


def _argument(builder: Any, code: Any, at: Any, work: Any, position: int) -> Any:
    place = builder.add(at, ir.Constant(at.type, _FIRST_ARGUMENT + position))
    slot = builder.load(builder.gep(code, [place]))
    return builder.load(builder.gep(work, [builder.sext(slot, at.type)]))
