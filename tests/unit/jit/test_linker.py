"""What is linked into the process goes when nobody has it any more, and so does what LLVM keeps beside it."""

from __future__ import annotations

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
