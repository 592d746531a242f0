"""Tier 1: the tape as machine code, through LLVM.

The text of the module is written directly from the tape: straight-line code, one SSA value per
instruction, no fast-math flags, so LLVM may neither reorder nor contract and the bits stay those of
the interpreter.
"""

from __future__ import annotations

from typing import Final

import llvmlite.binding as llvm

from detent.expr import operation as op
from detent.expr.tape import SINCOS, STATE, TIME, Tape
from detent.jit import linker, object_cache

SYMBOL: Final = "detent_function"
TABLE_SYMBOL: Final = "detent_table_function"

_INTRINSICS: Final[dict[int, str]] = {
    op.SQRT: "llvm.sqrt.f64", op.SIN: "llvm.sin.f64", op.COS: "llvm.cos.f64", op.EXP: "llvm.exp.f64",
    op.LOG: "llvm.log.f64", op.ABSOLUTE: "llvm.fabs.f64",
}  # fmt: skip
_LIBRARY: Final[dict[int, str]] = {
    op.TAN: "tan", op.ASIN: "asin", op.ACOS: "acos", op.ATAN: "atan", op.SINH: "sinh", op.COSH: "cosh",
    op.TANH: "tanh", op.ATAN2: "atan2", op.POWER: "pow",
}  # fmt: skip
_ARITHMETIC: Final[dict[int, str]] = {
    op.ADD: "fadd", op.SUBTRACT: "fsub", op.MULTIPLY: "fmul", op.DIVIDE: "fdiv",
}  # fmt: skip
_COMPARISONS: Final[dict[int, str]] = {op.LESS: "olt", op.LESS_EQUAL: "ole", op.EQUAL: "oeq"}


def module_text(tape: Tape) -> str:
    """The LLVM module of a tape, as text."""
    writer = _Writer(tape)
    for number, table in enumerate(tape.tables):
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


class _Writer:
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
        if operation in _ARITHMETIC:
            slot[target] = self._define(f"{_ARITHMETIC[operation]} double {slot[first]}, {slot[second]}")
        elif operation == op.NEGATE:
            slot[target] = self._define(f"fneg double {slot[first]}")
        elif operation == SINCOS:
            # Side by side, so that the code generator can make one call of both where the platform has it.
            argument = slot[first]
            slot[target] = self._call(_INTRINSICS[op.SIN], argument)
            slot[second] = self._call(_INTRINSICS[op.COS], argument)
        elif operation == op.TABLE:
            arguments = f"ptr @table{second}, double {slot[first]}, i64 {third}"
            slot[target] = self._define(f"call double @{TABLE_SYMBOL}({arguments})")
        elif operation in (op.ATAN2, op.POWER):
            slot[target] = self._call(_LIBRARY[operation], slot[first], slot[second])
        elif operation in _INTRINSICS or operation in _LIBRARY:
            slot[target] = self._call(_INTRINSICS.get(operation) or _LIBRARY[operation], slot[first])
        else:
            slot[target] = self._logic(operation, slot[first], slot[second], slot[third])

    def _call(self, name: str, *arguments: str) -> str:
        self.used[name] = len(arguments)
        return self._define(f"call double @{name}({', '.join(f'double {a}' for a in arguments)})")

    def _test(self, kind: str, a: str, b: str) -> str:
        return self._define(f"fcmp {kind} double {a}, {b}")

    def _number(self, test: str) -> str:
        return self._define(f"uitofp i1 {test} to double")

    def _logic(self, operation: int, a: str, b: str, c: str) -> str:
        zero = _literal(0.0)
        if operation in _COMPARISONS:
            return self._number(self._test(_COMPARISONS[operation], a, b))
        if operation in (op.MINIMUM, op.MAXIMUM):
            test = self._test("olt" if operation == op.MINIMUM else "ogt", a, b)
            return self._define(f"select i1 {test}, double {a}, double {b}")
        if operation == op.SELECT:
            return self._define(f"select i1 {self._test('une', a, zero)}, double {b}, double {c}")
        if operation == op.SIGN:
            above, below = self._number(self._test("ogt", a, zero)), self._number(self._test("olt", a, zero))
            return self._define(f"fsub double {above}, {below}")
        if operation == op.NOT:
            return self._number(self._test("oeq", a, zero))
        if operation not in (op.BOTH, op.EITHER):
            raise NotImplementedError(f"the operation '{op.NAMES.get(operation, operation)}' has no machine code")
        word = "and" if operation == op.BOTH else "or"
        return self._number(self._define(f"{word} i1 {self._test('une', a, zero)}, {self._test('une', b, zero)}"))


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
