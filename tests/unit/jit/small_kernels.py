"""A kernel of two lines, in a module of its own, to be made and called."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from detent.jit.kernel_library import WORD_TYPE, KernelLibrary

SOURCE = """
import numpy as np
from numba import types
from detent.jit.intrinsics import kernel

@kernel(types.int64(types.int64))
def scaled(x):
    {body}
"""
MODULE = "kernel_of_a_test"


def write(folder: Path, body: str, module: str = MODULE) -> Path:
    """The kernel's module, as if it had just been written for the first time."""
    file = folder / f"{module}.py"
    file.write_text(SOURCE.format(body=body))
    sys.modules.pop(module, None)
    # Two versions written within a second and of equal length would share what Python keeps of the first.
    for kept in (folder / "__pycache__").glob("*.pyc"):
        kept.unlink()
    return file


def library(module: str = MODULE) -> KernelLibrary:
    """A library that has loaded nothing yet, as in another process."""
    return KernelLibrary(f"library of {module}", {"scaled": module})


def found(scaled: KernelLibrary) -> int:
    return scaled.function("scaled", WORD_TYPE)(21)


def start(*arguments: str, **environment: str) -> subprocess.Popen[str]:
    """Another Python that finds the same modules."""
    everything = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)} | environment
    pipe = subprocess.PIPE
    return subprocess.Popen(
        [sys.executable, *arguments], env=everything, stdin=pipe, stdout=pipe, stderr=pipe, text=True
    )
