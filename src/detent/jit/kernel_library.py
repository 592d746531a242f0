"""Kernels as machine code: compiled by Numba once, afterwards read from the object cache.

Numba and the compilation of a few hundred lines take seconds; reading and linking the object takes milliseconds and
needs llvmlite alone. So a process that finds its kernels in the cache never imports Numba, nor the kernels' sources.
"""

from __future__ import annotations

import ctypes
import importlib.util
import os
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, final

from detent.jit import linker, object_cache

WORD: Final = ctypes.c_int64
DOUBLE: Final = ctypes.c_double

WRITTEN_WITH: Final = ("detent.jit.abi", "detent.jit.intrinsics", "detent.jit.kernel_compiler", "detent.jit.linker")
"""Modules that decide what becomes of every kernel."""

PREFIX: Final = "detent_kernel_"
"""Before the name of every kernel, so that no name of the C library can be meant."""

_told = threading.Event()


@final
class KernelLibrary:
    """Some kernels, by name, in one object.

    ``kernels`` gives the module in which each is written; ``reads`` names the other modules whose text decides what
    is compiled: constants and shared functions. All of them are part of the cache's key.

    >>> from detent.jit.kernels import KERNELS
    >>> KERNELS.address("interpret") != KERNELS.address("table_function")
    True
    """

    def __init__(self, kernels: Mapping[str, str], reads: Sequence[str]) -> None:
        self._kernels = dict(kernels)
        self._reads = tuple(reads)
        self._lock = threading.Lock()
        self._library: Any = None
        self._functions: dict[str, Callable[..., int]] = {}
        self.from_cache: bool | None = None
        """Whether the object was found in the cache; None before the first kernel is asked for."""

    @property
    def sources(self) -> tuple[str, ...]:
        """The modules whose text decides what is compiled."""
        return tuple(sorted({*self._kernels.values(), *self._reads}))

    def key(self) -> str:
        """Where the object is kept: a digest of the sources, the compilers and the machine."""
        texts = [f"{name}\0{_text_of(name)}" for name in self.sources]
        return object_cache.key_of("kernels", linker.machine(), _numba_version(), *sorted(self._kernels), *texts)

    def address(self, name: str) -> int:
        """Where a kernel is; valid as long as this library lives."""
        if self._library is None:
            with self._lock:
                if self._library is None:
                    self._library = self._load()
        address: int = self._library[PREFIX + name]
        return address

    def function(self, name: str, *arguments: type[Any]) -> Callable[..., int]:
        """A kernel that returns a word, to be called from Python without the interpreter lock."""
        if name not in self._functions:
            self._functions[name] = ctypes.CFUNCTYPE(WORD, *arguments)(self.address(name))
        return self._functions[name]

    def _load(self) -> Any:
        key = self.key()
        code = object_cache.read(key)
        self.from_cache = code is not None
        if code is None:
            _tell()
            from detent.jit.kernel_compiler import compile_kernels  # imports Numba

            code = compile_kernels(self._kernels, PREFIX)
            object_cache.write(key, code, kind="kernels")
        return linker.link(code, exports=[PREFIX + name for name in self._kernels], imports={})


def _text_of(module: str) -> str:
    """A module's text, without importing it."""
    spec = importlib.util.find_spec(module)
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError(f"the source of '{module}', from which kernels are compiled, is missing; reinstall")
    loader: Any = spec.loader
    text: bytes = loader.get_data(spec.origin)  # also from a zip archive
    return text.decode("latin-1")


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


def _tell() -> None:
    """Say once, to someone who waits at a terminal, why this start takes long."""
    if _told.is_set() or not sys.stderr.isatty():
        return
    _told.set()
    if object_cache.is_writable():
        message = "compiling kernels, once: up to a minute"
    else:
        message = (
            "compiling kernels: up to a minute, at every start, as the cache cannot be written; set DETENT_CACHE_DIR "
            "to a folder that can"
        )
    print(f"detent: {message}", file=sys.stderr, flush=True)
