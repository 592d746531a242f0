"""Compiling kernels: Python functions in, one relocatable object out.

Numba translates each function; its wrapper for exceptions refers to CPython and to Numba's own runtime. Kernels raise
nothing, so those paths are never taken: every such name is given a body that stops the process, and the object
needs nothing but the C library of mathematics.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any, Final

import llvmlite.binding as llvm
from numba import cfunc

from detent.jit import linker
from detent.jit.intrinsics import Kernel

_NEVER_REACHED: Final = ("Py", "_Py", "numba_", "NRT_Free")
"""How the names begin that only the paths for exceptions use; allocation is not among them."""
_MATHEMATICS: Final = frozenset(
    {
        "acos", "asin", "atan", "atan2", "ceil", "cos", "cosh", "exp", "fabs", "floor", "fmod", "log", "memcpy",
        "memmove", "memset", "pow", "sin", "sincos", "sinh", "sqrt", "tan", "tanh",
    }
)  # fmt: skip
"""What remains: functions that every C library has."""


def compile_kernels(kernels: Mapping[str, str], prefix: str) -> bytes:
    """The object of some kernels, each given with its module; symbols are their names after ``prefix``."""
    whole: Any = llvm.parse_assembly("")
    for name, module in kernels.items():
        whole.link_in(_translated(getattr(importlib.import_module(module), name), prefix + name))
    whole.link_in(llvm.parse_assembly(_traps(whole)))
    _check(whole)
    return bytes(linker.target().emit_object(whole))


def _translated(kernel: Kernel, symbol: str) -> Any:
    """One kernel as an LLVM module that shows nothing but its symbol."""
    compiled = cfunc(kernel.signature, error_model="numpy")(kernel.function)
    module = llvm.parse_assembly(compiled.inspect_llvm())
    module.get_function(compiled.native_name).name = symbol
    for value in (*module.functions, *module.global_variables):
        if not value.is_declaration and value.name != symbol:
            value.linkage = llvm.Linkage.internal
    return module


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
    """That the object will need nothing that a process without Numba does not have."""
    open_names = [v.name for v in (*module.functions, *module.global_variables) if v.is_declaration]
    strange = [name for name in open_names if not name.startswith("llvm.") and name not in _MATHEMATICS]
    if strange:
        raise RuntimeError(
            f"the kernels refer to {', '.join(sorted(strange))}; only the C library of mathematics was expected. "
            "Rewrite the kernel without it."
        )
