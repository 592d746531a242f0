"""Numba's part in compiling kernels: Python functions in, optimised LLVM code out for every processor of this kind.

Numba translates each function; its wrapper for exceptions refers to CPython and to Numba's own runtime. Kernels raise
nothing, so those paths are never taken: every such name is given a body that stops the process, and the code needs
nothing but the C library of mathematics.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Container, Iterable, Mapping
from typing import Any, Final

import llvmlite.binding as llvm
from numba import cfunc

from detent.jit.intrinsics import Kernel
from detent.jit.kernel_compiler import optimise_translation

Joined = Callable[[Iterable[Any]], Any]
"""How the code of several C callbacks becomes one LLVM module."""

_NEVER_REACHED: Final = ("Py", "_Py", "numba_", "NRT_Free")
"""How the names begin that only the paths for exceptions use; allocation is not among them."""
_MATHEMATICS: Final = frozenset(
    {
        "acos", "asin", "atan", "atan2", "ceil", "cos", "cosh", "exp", "fabs", "floor", "fmod", "log", "memcpy",
        "memmove", "memset", "pow", "sin", "sincos", "sinh", "sqrt", "tan", "tanh",
    }
)  # fmt: skip
"""What remains: functions that every C library has. Those of the table of operations are allowed as well."""


def linked(compiled: Iterable[Any]) -> Any:
    """One LLVM module of some C callbacks, from what Numba has finished: for a process that others use as well."""
    whole: Any = llvm.parse_assembly("")
    for callback in compiled:
        whole.link_in(llvm.parse_assembly(callback.inspect_llvm()))
    return whole


def translate_kernels(kernels: Mapping[str, str], prefix: str, joined: Joined = linked) -> bytes:
    """The LLVM bitcode of some kernels, each given with its module; symbols are their names after ``prefix``."""
    compiled = {prefix + name: _callback(getattr(importlib.import_module(kernels[name]), name)) for name in kernels}
    whole = joined(compiled.values())
    for symbol, callback in compiled.items():
        whole.get_function(callback.native_name).name = symbol
    whole.link_in(llvm.parse_assembly(_traps(whole)))
    _check(whole)
    _hide(whole, shown=compiled)
    optimise_translation(whole)
    return bytes(whole.as_bitcode())


def _callback(kernel: Kernel) -> Any:
    return cfunc(kernel.signature, error_model="numpy")(kernel.function)


def _hide(module: Any, shown: Container[str]) -> None:
    """Let nothing be seen from outside but some symbols."""
    for value in (*module.functions, *module.global_variables):
        if not value.is_declaration and value.name not in shown:
            value.linkage = llvm.Linkage.internal


def _traps(module: Any) -> str:
    """Bodies for the names that are never reached."""
    functions = [f.name for f in module.functions if f.is_declaration and f.name.startswith(_NEVER_REACHED)]
    variables = [v.name for v in module.global_variables if v.is_declaration and v.name.startswith(_NEVER_REACHED)]
    return "\n".join(
        [
            "declare void @llvm.trap()",
            *(f"define void @{name}() {{\n  call void @llvm.trap()\n  unreachable\n}}" for name in functions),
            *(f"@{name} = constant ptr null" for name in variables),
        ]
    )


def _check(module: Any) -> None:
    """That the code will need nothing that a process without Numba does not have."""
    open_names = [v.name for v in (*module.functions, *module.global_variables) if v.is_declaration]
    known = _MATHEMATICS | _called_by_operations()
    strange = [name for name in open_names if not name.startswith("llvm.") and name not in known]
    if strange:
        raise RuntimeError(
            f"the kernels refer to {', '.join(sorted(strange))}; only the C library of mathematics was expected. "
            "Rewrite the kernel without it."
        )


def _called_by_operations() -> set[str]:
    # Imported here: the table decides what is allowed, not what becomes of kernels, and is no part of their keys.
    from detent.expr.elementary import LibraryCall
    from detent.expr.operation import OPERATIONS

    return {entry.machine.function for entry in OPERATIONS.values() if isinstance(entry.machine, LibraryCall)}
