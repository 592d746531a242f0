"""The kernels of this layer: the interpreter, and calling programs from Python."""

from __future__ import annotations

from typing import Final

from detent.jit.kernel_library import KernelLibrary

KERNELS: Final = KernelLibrary(
    "interpreter",
    {
        **dict.fromkeys(["interpret", "table_function"], "detent.jit.interpreter_kernel"),
        **dict.fromkeys(["call_once", "call_many"], "detent.jit.calling_kernel"),
        **dict.fromkeys(["publish_word", "published_word"], "detent.jit.words_kernel"),
    },
)
