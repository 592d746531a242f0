"""This machine as LLVM sees it, and linking compiled objects into this process."""

from __future__ import annotations

import functools
import itertools
import sys
import threading
from collections.abc import Mapping, Sequence
from typing import Any, Final, final

import llvmlite
import llvmlite.binding as llvm

from detent.jit import abi

LIBRARIES_PER_COMPILER: Final = 32
"""LLVM keeps some 9 kB of each library that it has linked until the compiler goes, long after the library has gone."""

_lock: Final = threading.Lock()
_numbers: Final = itertools.count(1)


@functools.cache
def target() -> Any:
    """The target machine: this processor with all it can do."""
    return _target(llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten())


@functools.cache
def target_of_this_kind() -> Any:
    """What all processors of this machine's architecture can do."""
    return _target("generic", "")


def _target(processor: str, features: str) -> Any:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return llvm.Target.from_default_triple().create_target_machine(
        cpu=processor, features=features, opt=2, reloc="pic", codemodel="default", jit=True
    )


@functools.cache
def machine() -> str:
    """What makes compiled code fit this machine and no other: part of every cache key.

    >>> machine() == machine()
    True
    """
    version = ".".join(map(str, llvm.llvm_version_info))
    features = llvm.get_host_cpu_features().flatten()
    return f"{abi.VERSION}|{llvmlite.__version__}|{version}|{llvm.get_default_triple()}|" + (
        f"{llvm.get_host_cpu_name()}|{features}"
    )


@functools.lru_cache(maxsize=1)
def _compiler(group: int) -> Any:
    """What links a group of libraries; it goes with the last of them.

    JITLink puts all sections of a library into one piece of memory. LLVM's older linker looks for a place for each of
    them, and where memory is in pieces, as in a process that has run for long, two may be more than 2 GB apart: its
    references do not reach so far, and it aborts the process. For Windows JITLink is not complete.
    """
    return llvm.create_lljit_compiler(target(), use_jit_link=sys.platform != "win32")


@final
class Library:
    """A linked object: the address of each exported name, valid as long as this lives."""

    def __init__(self, tracker: Any, compiler: Any) -> None:
        self._tracker, self._compiler = tracker, compiler

    def __getitem__(self, name: str) -> int:
        address: int = self._tracker[name]
        return address


def link(code: bytes, exports: Sequence[str], imports: Mapping[str, int]) -> Library:
    """Link a relocatable object; the result gives the address of each exported name and keeps the code alive.

    ``imports`` are addresses of names that the object refers to and this process does not know.
    """
    with _lock:
        builder = llvm.JITLibraryBuilder().add_object_img(code).add_current_process()
        for name, address in imports.items():
            builder.import_symbol(name, address)
        for name in exports:
            builder.export_symbol(name)
        number = next(_numbers)
        compiler = _compiler(number // LIBRARIES_PER_COMPILER)
        return Library(builder.link(compiler, f"detent_{number}"), compiler)
