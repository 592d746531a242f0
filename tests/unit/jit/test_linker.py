"""What is linked into the process goes when nobody has it any more, and so does what LLVM keeps beside it."""

from __future__ import annotations

import subprocess
import sys
import weakref
from typing import Any

import numpy as np
import pytest

from detent.expr.graph import Graph
from detent.expr.tape import STATE, build_tape
from detent.jit import linker
from detent.jit.program import Program


@pytest.fixture
def compilers(monkeypatch: pytest.MonkeyPatch) -> list[weakref.ref[Any]]:
    """All compilers that are made."""
    made: list[weakref.ref[Any]] = []
    make = linker.llvm.create_lljit_compiler

    def create(*given: Any, **options: Any) -> Any:
        compiler = make(*given, **options)
        made.append(weakref.ref(compiler))
        return compiler

    monkeypatch.setattr(linker.llvm, "create_lljit_compiler", create)
    return made


def doubled() -> Program:
    x = Graph().leaf("x")
    program = Program(build_tape([2.0 * x], {"x": (STATE, 0)}))
    program.compile()
    return program


def test_compilers_go_with_the_last_of_their_libraries(compilers: list[weakref.ref[Any]]) -> None:
    kept = doubled()
    for _ in range(4 * linker.LIBRARIES_PER_COMPILER):
        doubled()
    assert 4 <= len(compilers) <= 5
    alive = [compiler for compiler in compilers if compiler() is not None]
    assert len(alive) <= 2  # that of what is kept, if it was made here, and the one that is in use
    assert kept(0.0, np.array([3.0]), np.zeros(0)).tolist() == [6.0]


FRAGMENTED = """
import ctypes
import llvmlite.binding as llvm
from detent.jit import linker

PAGE, NONE, READ, BOTH = 4096, 0, 1, 3
library = ctypes.CDLL(None)
library.mmap.restype, library.munmap.restype = ctypes.c_size_t, ctypes.c_int
library.mmap.argtypes = [ctypes.c_size_t, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]
library.munmap.argtypes = [ctypes.c_size_t, ctypes.c_size_t]

def mapped(size, access):
    return library.mmap(0, size, access, 0x22, -1, 0)  # private and anonymous, wherever there is room

module = llvm.parse_assembly('''
@table = constant [3 x double] [double 1.5, double 2.5, double 3.5]
define double @scaled(double %x, i64 %row) {
  %place = getelementptr [3 x double], ptr @table, i64 0, i64 %row
  %entry = load double, ptr %place
  %product = fmul double %x, %entry
  ret double %product
}''')
code = bytes(linker.target().emit_object(module))
linker.link(code, ["scaled"], {})

far, filled = mapped(5 << 30, NONE), []
while (page := mapped(PAGE, READ if len(filled) % 2 else BOTH)) > far:  # so that neighbours are not joined to one
    filled.append(page)
for page in sorted(filled)[-40::8]:
    library.munmap(page, PAGE)
linked = [linker.link(code, ["scaled"], {}) for _ in range(8)]
call = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_double, ctypes.c_int64)
print([call(each["scaled"])(2.0, 1) for each in linked])
"""


@pytest.mark.skipif(sys.platform != "linux", reason="asks Linux for pages of memory")
def test_a_library_is_linked_where_memory_is_left_in_single_pages_far_from_one_another() -> None:
    """Sections that were put into pages more than 2 GB apart could not refer to one another: the process aborted."""
    done = subprocess.run([sys.executable, "-c", FRAGMENTED], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == str([5.0] * 8)
