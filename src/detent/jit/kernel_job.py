"""What there is to do for one kernel library: from its sources to an object for this processor."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, final

from detent.jit import carried_kernels
from detent.jit.kernel_compiler import compile_translation

PREFIX: Final = "detent_kernel_"
"""Before the name of every kernel, so that no name of the C library can be meant."""

Translate = Callable[["Job"], bytes]


@final
@dataclass(frozen=True)
class Job:
    """A kernel library that is to be made.

    ``name`` is for people, ``kernels`` gives the module of each; ``key`` is where the cache keeps the object and
    ``translation`` where the package may carry LLVM code of exactly these sources.
    """

    name: str
    kernels: Mapping[str, str]
    key: str
    translation: str
    weight: int
    """How much there is to do, in characters of source."""

    def as_json(self) -> dict[str, Any]:
        """What a worker process is told."""
        return {**vars(self), "kernels": dict(self.kernels)}


def object_of(job: Job, translate: Translate, carried: bool = True) -> bytes:
    """The object, from the translation that the package carries if it has a sound one that LLVM can read."""
    found = carried_kernels.read(job.translation) if carried else None
    if found is not None:
        with contextlib.suppress(RuntimeError):  # written by a later version of LLVM than this one
            return compile_translation(found)
    return compile_translation(translate(job))


def translated_here(job: Job) -> bytes:
    """The translation, made in this process as Numba is found in it."""
    from detent.jit.kernel_translator import translate_kernels  # imports Numba

    return translate_kernels(job.kernels, PREFIX)
