"""Kernels as machine code: compiled once, afterwards read from the object cache.

Numba and the compilation of a few hundred lines take seconds; reading and linking the object takes milliseconds and
needs llvmlite alone. So a process that finds its kernels in the cache never imports Numba, nor the kernels' sources.
"""

from __future__ import annotations

import ctypes
import functools
import importlib.util
import os
import threading
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, final

from detent.jit import carried_kernels, linker, object_cache
from detent.jit.kernel_job import PREFIX, Job
from detent.jit.kernel_sources import texts_of
from detent.jit.waiting import waiting

WORD_TYPE: Final = ctypes.c_int64
DOUBLE_TYPE: Final = ctypes.c_double

_loading: Final = threading.RLock()


@final
class KernelLibrary:
    """Some kernels, by name, in one object.

    ``name`` is for people; ``kernels`` gives the module in which each is written. The texts of these modules and of all
    that they import are part of the cache's key.

    >>> from detent.jit.kernels import KERNELS
    >>> KERNELS.address("interpret") != KERNELS.address("table_function")
    True
    """

    def __init__(self, name: str, kernels: Mapping[str, str]) -> None:
        self.name = name
        self.kernels: Final = dict(kernels)
        self._library: Any = None
        self._addresses: dict[str, int] = {}
        self._functions: dict[str, Callable[..., int]] = {}
        self.from_cache: bool | None = None
        """Whether the object was found in the cache; None before the first kernel is asked for."""

    @property
    def sources(self) -> tuple[str, ...]:
        """The modules whose text decides what is compiled."""
        return tuple(texts_of(self.kernels.values()))

    def key(self) -> str:
        """Where the object is kept: a digest of the sources, the compilers and the machine."""
        texts = [f"{name}\0{text}" for name, text in texts_of(self.kernels.values()).items()]
        return object_cache.key_of("kernels", linker.machine(), _numba_version(), *sorted(self.kernels), *texts)

    def job(self) -> Job:
        """What there is to do where the object is missing."""
        texts = texts_of(self.kernels.values())
        translation = carried_kernels.key_of(self.kernels, texts)
        return Job(self.name, self.kernels, self.key(), translation, sum(map(len, texts.values())))

    @property
    def is_loaded(self) -> bool:
        """Whether its kernels can be called at once."""
        return self._library is not None

    def address(self, name: str) -> int:
        """Where a kernel is; valid as long as this library lives."""
        if self._library is None:
            make_ready([self])
        return self._addresses[name]

    def function(self, name: str, *arguments: type[Any]) -> Callable[..., int]:
        """A kernel that returns a word, to be called from Python without the interpreter lock."""
        if name not in self._functions:
            self._functions[name] = ctypes.CFUNCTYPE(WORD_TYPE, *arguments)(self.address(name))
        return self._functions[name]

    def short_function(self, name: str, *arguments: type[Any]) -> Callable[..., int]:
        """The same, keeping the lock: for what is done sooner than the lock is had again."""
        if name not in self._functions:
            self._functions[name] = ctypes.PYFUNCTYPE(WORD_TYPE, *arguments)(self.address(name))
        return self._functions[name]

    def link(self, code: bytes, from_cache: bool) -> None:
        """Load an object of this library."""
        self._library = linker.link(code, exports=[PREFIX + name for name in self.kernels], imports={})
        self._addresses = {name: self._library[PREFIX + name] for name in self.kernels}
        self.from_cache = from_cache


def make_ready(libraries: Iterable[KernelLibrary]) -> None:
    """Load some libraries; those that are not in the cache are made side by side.

    >>> from detent.jit.kernels import KERNELS
    >>> make_ready([KERNELS])
    >>> KERNELS.is_loaded
    True
    """
    with _loading:
        missing = [library for library in libraries if not library.is_loaded and not _found(library)]
        if missing:
            from detent.jit.kernel_crew import make_libraries

            with waiting():
                jobs = [library.job() for library in missing]
                made = make_libraries(jobs)
            for library, job in zip(missing, jobs, strict=True):
                library.link(made[job.key], from_cache=False)


def _found(library: KernelLibrary) -> bool:
    """Load a library from the cache, if it is there."""
    code = object_cache.read(library.key())
    if code is not None:
        library.link(code, from_cache=True)
    return code is not None


@functools.cache
def _numba_version() -> str:
    """Numba's version without importing Numba, nor importlib.metadata, which takes longer than all the rest here."""
    spec = importlib.util.find_spec("numba")
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        try:
            with open(os.path.join(folder, "_version.py"), encoding="utf-8") as file:
                return file.read()
        except OSError:
            continue
    from importlib.metadata import version

    return version("numba")
