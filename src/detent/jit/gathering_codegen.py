"""Numba as a translator only: what it would optimise, make machine code of and link is gathered instead.

Numba finishes every function that another one calls: it links in what that calls, optimises, makes machine code and
loads it, although nobody will run it. With some seventy functions per library that is two thirds of its time. Here a
function's LLVM code is kept as it was written, once, and the whole library is optimised at the end.

This replaces a part of Numba for everything that is compiled in the process afterwards. So it is for processes that do
nothing else (:mod:`detent.jit.kernel_worker`).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import llvmlite.binding as llvm
from numba.core import codegen
from numba.core.registry import cpu_target
from numba.core.runtime.nrt import rtsys

# Numba has no types, so that a class made from one of its own is unknown to the type checker.


class _Gathered(codegen.CPUCodeLibrary):  # type: ignore[misc]
    """The code of one function as it was written, and the libraries of those it calls."""

    def add_linking_library(self, library: Any) -> None:
        self._linking_libraries.append(library)

    def finalize(self) -> None:
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        return 0  # Numba's word for: not defined

    def _optimize_functions(self, ll_module: Any) -> None:
        pass

    @classmethod
    def _object_compiled_hook(cls, module: Any, code: Any) -> None:
        pass

    @classmethod
    def _object_getbuffer_hook(cls, module: Any) -> None:
        pass


class _Gathering(codegen.JITCPUCodegen):  # type: ignore[misc]
    """Numba's code generator with libraries that gather."""

    _library_class = _Gathered

    def set_env(self, env_name: str, env: Any) -> None:
        """Nothing: an environment is for code that is loaded and raises."""


def install() -> None:
    """From now on this process only translates."""
    context = cpu_target.target_context
    if isinstance(context.codegen(), _Gathering):
        return
    context._internal_codegen = _Gathering("detent")
    if not isinstance(context.codegen(), _Gathering):
        raise RuntimeError("Numba's code generator could not be replaced; this version of Numba keeps it elsewhere")


def gathered(compiled: Iterable[Any]) -> Any:
    """One LLVM module of some C callbacks and of everything they call, each function once."""
    reached: dict[Any, None] = {rtsys.library: None}  # Numba's own runtime, which kernels never reach
    pending = [callback._library for callback in compiled]
    while pending:
        library = pending.pop()
        if library not in reached:
            reached[library] = None
            pending += library._linking_libraries
    whole: Any = llvm.parse_assembly("")
    for library in list(reached)[1:]:
        whole.link_in(library._final_module, preserve=True)
    return whole
