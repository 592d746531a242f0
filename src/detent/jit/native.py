"""Tier 1: the tape as machine code, through LLVM."""

from __future__ import annotations

import llvmlite.binding as llvm

from detent.expr.tape import Tape
from detent.jit import linker, object_cache
from detent.jit.module_text import SYMBOL, TABLE_SYMBOL, module_text


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
