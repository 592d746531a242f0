"""Tier 1: the tape as machine code, through LLVM.

The text of the module is written directly from the tape: straight-line code, one SSA value per
instruction, no fast-math flags, so LLVM may neither reorder nor contract and the bits stay those of
the interpreter.
"""

from __future__ import annotations

from typing import Final

import llvmlite.binding as llvm

from detent.expr import operation as op
from detent.expr.operation import OPERATIONS
from detent.expr.tape import SINCOS, STATE, TIME, Tape
from detent.jit import linker, object_cache

SYMBOL: Final = "detent_function"
TABLE_SYMBOL: Final = "detent_table_function"


def module_text(tape: Tape) -> str:
    """The LLVM module of a tape, as text."""
    writer = _CodeWriter(tape)
    for number, table in enumerate(tape.tables):
        if len(table) == 0:  # its numbers are run-time values
            continue
        numbers = ", ".join(f"double {_literal(value)}" for value in table)
        writer.head.append(f"@table{number} = private constant [{len(table)} x double] [{numbers}]")
    writer.loads()
    for instruction in tape.code.tolist():
        writer.instruction(*instruction)
    writer.stores()
    declarations = [
        f"declare double @{name}({', '.join(['double'] * count)})" for name, count in sorted(writer.used.items())
    ]
    signature = "i64 %context, double %time, ptr noalias %state, ptr noalias %values, ptr noalias %out"
    return "\n".join(
        [
            *writer.head,
            *declarations,
            f"declare double @{TABLE_SYMBOL}(ptr, double, i64)",
            f"define i64 @{SYMBOL}({signature}) {{",
            *writer.body,
            "  ret i64 0",
            "}",
            "",
        ]
    )


def _literal(value: float) -> str:
    """A double in LLVM's exact hexadecimal form."""
    import struct

    return f"0x{struct.unpack('<Q', struct.pack('<d', value))[0]:016X}"


class _CodeWriter:
    """Writes instructions while it remembers which SSA value each slot holds at the moment."""

    def __init__(self, tape: Tape) -> None:
        self.tape = tape
        self.head: list[str] = []
        self.body: list[str] = []
        self.used: dict[str, int] = {}
        self.count = 0
        first = tape.first_constant
        self.slot: dict[int, str] = {first + n: _literal(value) for n, value in enumerate(tape.constants.tolist())}

    def _define(self, text: str) -> str:
        self.count += 1
        name = f"%v{self.count}"
        self.body.append(f"  {name} = {text}")
        return name

    def loads(self) -> None:
        for bank, index, slot in self.tape.loads.tolist():
            if bank == TIME:
                self.slot[slot] = "%time"
                continue
            base = "%state" if bank == STATE else "%values"
            pointer = self._define(f"getelementptr double, ptr {base}, i64 {index}")
            self.slot[slot] = self._define(f"load double, ptr {pointer}")

    def stores(self) -> None:
        for number, slot in enumerate(self.tape.outputs.tolist()):
            pointer = self._define(f"getelementptr double, ptr %out, i64 {number}")
            self.body.append(f"  store double {self.slot[slot]}, ptr {pointer}")

    def instruction(self, operation: int, target: int, first: int, second: int, third: int) -> None:
        slot = self.slot
        if operation == SINCOS:
            # Side by side, so that the code generator can make one call of both where the platform has it.
            argument = slot[first]
            slot[target] = OPERATIONS[op.SIN].machine(self, argument)
            slot[second] = OPERATIONS[op.COS].machine(self, argument)
        elif operation == op.TABLE:
            arguments = f"ptr {self._table(second)}, double {slot[first]}, i64 {third}"
            slot[target] = self._define(f"call double @{TABLE_SYMBOL}({arguments})")
        else:
            entry = OPERATIONS.get(operation)
            if entry is None:
                raise NotImplementedError(f"a tape holds the instruction {operation}, which has no machine code")
            slot[target] = entry.machine(self, *(slot[first], slot[second], slot[third])[: entry.arity])

    def _table(self, number: int) -> str:
        for drawn, first in self.tape.drawn.tolist():
            if drawn == number:
                return self._define(f"getelementptr double, ptr %values, i64 {first}")
        return f"@table{number}"

    # -- as detent.expr.elementary.Machine --

    zero: Final = _literal(0.0)

    def call(self, name: str, *arguments: str) -> str:
        self.used[name] = len(arguments)
        return self._define(f"call double @{name}({', '.join(f'double {a}' for a in arguments)})")

    def arithmetic(self, word: str, *arguments: str) -> str:
        return self._define(f"{word} double {', '.join(arguments)}")

    def test(self, kind: str, a: str, b: str) -> str:
        return self._define(f"fcmp {kind} double {a}, {b}")

    def logic(self, word: str, a: str, b: str) -> str:
        return self._define(f"{word} i1 {a}, {b}")

    def number(self, test: str) -> str:
        return self._define(f"uitofp i1 {test} to double")

    def select(self, test: str, a: str, b: str) -> str:
        return self._define(f"select i1 {test}, double {a}, double {b}")


# -- compiling and linking ---------------------------------------------------------------------


def object_code(tape: Tape) -> bytes:
    """The relocatable object of a tape, freshly compiled."""
    target = linker.target()
    module = llvm.parse_assembly(module_text(tape))
    return bytes(target.emit_object(module))


class NativeCode:
    """Machine code of one tape, linked into this process. ``address`` is valid as long as this object lives."""

    def __init__(self, tape: Tape, table_address: int) -> None:
        key = object_cache.key_of(linker.machine(), tape.key)
        code = object_cache.read(key)
        self.from_cache = code is not None
        if code is None:
            code = object_code(tape)
            object_cache.write(key, code)
        self._library = linker.link(code, exports=[SYMBOL], imports={TABLE_SYMBOL: table_address})
        self.address: int = self._library[SYMBOL]
