"""LLVM's part in compiling kernels: translated code in, a relocatable object for this processor out."""

from __future__ import annotations

from typing import Any

import llvmlite.binding as llvm

from detent.jit import linker


def compile_translation(bitcode: bytes) -> bytes:
    """The object of translated kernels: optimised once, as a whole, for this processor.

    A RuntimeError if LLVM cannot read them: another version may have written them.
    """
    target = linker.target()
    module: Any = llvm.parse_bitcode(bitcode)
    module.data_layout = str(target.target_data)
    tuning: Any = llvm.create_pipeline_tuning_options(speed_level=2)
    tuning.loop_vectorization = True
    tuning.slp_vectorization = False  # steps of a few numbers get a third slower by it
    passes: Any = llvm.create_pass_builder(target, tuning)
    passes.getModulePassManager().run(module, passes)
    return bytes(target.emit_object(module))


def remove_unused(module: Any) -> None:
    """Take out of a module what none of its visible functions needs."""
    passes: Any = llvm.create_new_module_pass_manager()
    passes.add_global_dead_code_eliminate_pass()
    passes.run(module, llvm.create_pass_builder(linker.target(), llvm.create_pipeline_tuning_options()))
