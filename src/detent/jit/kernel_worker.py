"""What a process does that compiles kernels for another one: a line for each library in, a file for each out."""

from __future__ import annotations

import gc
import json
import os
import sys
from typing import Any, Final

from detent.jit.kernel_job import PREFIX, Job, object_of

ENVIRONMENT: Final = {
    "NUMBA_OPT": "0", "NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": "", "NUMBA_DISABLE_INTEL_SVML": "1",
}  # fmt: skip
"""So that what Numba writes fits every processor of this kind; optimising is left to the end."""

START: Final = (
    "import json, sys; sys.path[:] = json.loads(sys.stdin.readline()); "
    "from detent.jit.kernel_worker import work; work()"
)
"""The program of such a process; first it is told where modules are found."""


def work() -> None:
    """Do what is asked for, line by line, until there is no more."""
    gc.disable()  # a short life in which little becomes garbage
    for line in sys.stdin:
        asked = json.loads(line)
        made = _made(Job(**asked["job"]), asked["product"])
        unfinished = f"{asked['output']}.unfinished"
        with open(unfinished, "wb") as file:
            file.write(made)
        os.replace(unfinished, asked["output"])


def _made(job: Job, product: str) -> bytes:
    return _translated(job) if product == "translation" else object_of(job, _translated)


def _translated(job: Job) -> bytes:
    """The translation, made by a Numba that does nothing else."""
    modules: dict[str, Any] = sys.modules
    modules.setdefault("scipy", None)  # Numba would import it to look for BLAS, which kernels do not use
    from detent.jit import gathering_codegen
    from detent.jit.kernel_translator import translate_kernels

    gathering_codegen.install()
    return translate_kernels(job.kernels, PREFIX, gathering_codegen.gathered)
