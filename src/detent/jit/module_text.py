"""The text of the LLVM module of a tape.

It is written directly from the tape: straight-line code, one SSA value per instruction, no fast-math flags, so LLVM may
neither reorder nor contract and the bits stay those of the interpreter.

What LLVM takes for a function grows with the square of its length, so a long tape becomes several functions, called one
after the other. A slot that a later one reads is handed on in memory.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence
from typing import Final, TypeAlias

from detent.expr import operation as op
from detent.expr.operation import OPERATIONS
from detent.expr.tape import SINCOS, STATE, TIME, Tape

SYMBOL: Final = "detent_function"
TABLE_SYMBOL: Final = "detent_table_function"
PART: Final = 2000
"""So many instructions a function has at most."""
_ARGUMENTS: Final = "double %time, ptr noalias %state, ptr noalias %values, ptr noalias %out"
_HANDED_ON: Final = "ptr noalias %handed"

Instruction: TypeAlias = Sequence[int]


def module_text(tape: Tape, part: int = PART) -> str:
    """The LLVM module of a tape; ``part`` is how many instructions a function has at most."""
    code = tape.code.tolist()
    parts = [code[first : first + part] for first in range(0, len(code), part)] or [code]
    writer = _ModuleWriter(tape)
    if len(parts) == 1:
        writer.function(f"i64 @{SYMBOL}(i64 %context, {_ARGUMENTS})", code, (), range(len(tape.outputs)))
        writer.lines += ["  ret i64 0", "}"]
    else:
        _in_turn(writer, parts)
    declarations = [
        f"declare double @{name}({', '.join(['double'] * count)})" for name, count in sorted(writer.used.items())
    ]
    table_function = f"declare double @{TABLE_SYMBOL}(ptr, double, i64)"
    return "\n".join([*_tables(tape), *declarations, table_function, *writer.lines, ""])


def _in_turn(writer: _ModuleWriter, parts: Sequence[Sequence[Instruction]]) -> None:
    """A function for each part of the code, and the one that calls them."""
    outputs = _outputs_of(writer.tape, parts)
    for number, (part, handed_on) in enumerate(zip(parts, _read_later(parts), strict=True)):
        writer.function(f"internal void @part{number}({_ARGUMENTS}, {_HANDED_ON})", part, handed_on, outputs[number])
        writer.lines += ["  ret void", "}"]
    arguments = "double %time, ptr %state, ptr %values, ptr %out, ptr %handed"
    writer.lines += [
        f"define i64 @{SYMBOL}(i64 %context, {_ARGUMENTS}) {{",
        f"  %handed = alloca [{len(writer.handed)} x double]",
        *(f"  call void @part{number}({arguments})" for number in range(len(parts))),
        "  ret i64 0",
        "}",
    ]


def _read_later(parts: Sequence[Sequence[Instruction]]) -> list[list[int]]:
    """Of each part the slots that it writes and a later one reads, as it left them."""
    wanted, found = set[int](), list[list[int]]()
    for part in reversed(parts):
        written, read = set[int](), set[int]()
        for instruction in part:
            read.update(slot for slot in _read(instruction) if slot not in written)
            written.update(_written(instruction))
        found.append(sorted(written & wanted))
        wanted = (wanted - written) | read
    return found[::-1]


def _outputs_of(tape: Tape, parts: Sequence[Sequence[Instruction]]) -> list[list[int]]:
    """Of each part the outputs whose slots it is the last to write; inputs and constants are nobody's: the first's."""
    last = {slot: number for number, part in enumerate(parts) for each in part for slot in _written(each)}
    found: list[list[int]] = [[] for _ in parts]
    for output, slot in enumerate(tape.outputs.tolist()):
        found[last.get(slot, 0)].append(output)
    return found


def _read(instruction: Instruction) -> Sequence[int]:
    """The slots that an instruction reads."""
    operation, _, *arguments = instruction
    alone = operation in (SINCOS, op.TABLE)
    return arguments[: 1 if alone or operation not in OPERATIONS else OPERATIONS[operation].arity]


def _written(instruction: Instruction) -> Sequence[int]:
    """The slots that it writes."""
    return (instruction[1], instruction[3]) if instruction[0] == SINCOS else (instruction[1],)


def _tables(tape: Tape) -> Iterable[str]:
    for number, table in enumerate(tape.tables):
        if len(table):  # or else its numbers are run-time values
            numbers = ", ".join(f"double {_literal(value)}" for value in table)
            yield f"@table{number} = private constant [{len(table)} x double] [{numbers}]"


def _literal(value: float) -> str:
    """A double in LLVM's exact hexadecimal form."""
    return f"0x{struct.unpack('<Q', struct.pack('<d', value))[0]:016X}"


class _ModuleWriter:
    """Writes functions, while it remembers which SSA value each slot holds at the moment."""

    def __init__(self, tape: Tape) -> None:
        self.tape = tape
        self.lines: list[str] = []
        self.used: dict[str, int] = {}
        self.handed: dict[int, int] = {}
        """Where in memory each slot is handed on."""
        first = tape.first_constant
        self._constants = {first + n: _literal(value) for n, value in enumerate(tape.constants.tolist())}
        self._inputs = {slot: (bank, index) for bank, index, slot in tape.loads.tolist()}
        self._count = 0
        self._slot: dict[int, str] = {}

    def function(
        self, head: str, code: Iterable[Instruction], handed_on: Iterable[int], outputs: Iterable[int]
    ) -> None:
        """A function of some instructions up to its end; it leaves slots for others, and outputs."""
        self._count, self._slot = 0, dict(self._constants)
        self.lines.append(f"define {head} {{")
        for instruction in code:
            self._instruction(*instruction)
        for slot in handed_on:
            self._store(slot, "%handed", self.handed.setdefault(slot, len(self.handed)))
        for output in outputs:
            self._store(int(self.tape.outputs[output]), "%out", output)

    def _store(self, slot: int, base: str, index: int) -> None:
        value = self._value(slot)
        self.lines.append(f"  store double {value}, ptr {self._pointer(base, index)}")

    def _define(self, text: str) -> str:
        self._count += 1
        name = f"%v{self._count}"
        self.lines.append(f"  {name} = {text}")
        return name

    def _pointer(self, base: str, index: int) -> str:
        return self._define(f"getelementptr double, ptr {base}, i64 {index}")

    def _value(self, slot: int) -> str:
        """What a slot holds: what was written, an input, or what another function has handed on."""
        if slot not in self._slot:
            bank, index = self._inputs.get(slot, (None, 0))
            if bank == TIME:
                self._slot[slot] = "%time"
            elif bank is None:
                self._slot[slot] = self._define(f"load double, ptr {self._pointer('%handed', self.handed[slot])}")
            else:
                base = "%state" if bank == STATE else "%values"
                self._slot[slot] = self._define(f"load double, ptr {self._pointer(base, index)}")
        return self._slot[slot]

    def _instruction(self, operation: int, target: int, first: int, second: int, third: int) -> None:
        slot = self._slot
        if operation == SINCOS:
            # Side by side, so that the code generator can make one call of both where the platform has it.
            argument = self._value(first)
            slot[target] = OPERATIONS[op.SIN].machine(self, argument)
            slot[second] = OPERATIONS[op.COS].machine(self, argument)
        elif operation == op.TABLE:
            arguments = f"ptr {self._table(second)}, double {self._value(first)}, i64 {third}"
            slot[target] = self._define(f"call double @{TABLE_SYMBOL}({arguments})")
        else:
            entry = OPERATIONS.get(operation)
            if entry is None:
                raise NotImplementedError(f"a tape holds the instruction {operation}, which has no machine code")
            slot[target] = entry.machine(self, *map(self._value, (first, second, third)[: entry.arity]))

    def _table(self, number: int) -> str:
        for drawn, first in self.tape.drawn.tolist():
            if drawn == number:
                return self._pointer("%values", first)
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
