"""LLVM's part in compiling kernels: optimising them for every processor of a kind, then machine code for this one.

All that is optimised stands in the translation, so that a wheel can carry it: what is left to do on a user's machine is
to choose instructions and registers. Measured on steps, events and dense solves of up to 24 speeds, code that was
optimised for the processor at hand, or made of vector instructions, is no faster.
"""

from __future__ import annotations

from typing import Any

import llvmlite.binding as llvm

from detent.jit import linker


def optimise_translation(module: Any) -> None:
    """Optimise a module as a whole, for every processor of this machine's kind."""
    tuning: Any = llvm.create_pipeline_tuning_options(speed_level=2)
    tuning.loop_vectorization = tuning.slp_vectorization = False
    passes: Any = llvm.create_pass_builder(linker.target_of_this_kind(), tuning)
    passes.getModulePassManager().run(module, passes)


def compile_translation(bitcode: bytes) -> bytes:
    """The relocatable object of translated kernels, for this processor.

    A RuntimeError if LLVM cannot read them: a later version may have written them.
    """
    module: Any = llvm.parse_bitcode(bitcode)
    return bytes(linker.target().emit_object(module))
