"""Kernels that a wheel carries, translated and optimised: what is left for a first run is to make machine code of them.

They are made when the wheel is built, by the hook in ``packaging_hooks``. Each file's name is a digest of all texts
that decide what is in it, so an edited source never meets the translation of another; each file begins with the digest
of its content, so a damaged one is not used.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import llvmlite.binding as llvm

import detent.jit
from detent.jit import object_cache

FOLDER: Final = "translated"
"""Where they are, beside this module."""

_DIGEST: Final = hashlib.sha256().digest_size


def key_of(kernels: Mapping[str, str], texts: Mapping[str, str]) -> str:
    """The name under which the translation of some kernels is carried, for machines of this kind."""
    parts = [f"{name}\0{text}" for name, text in texts.items()]
    return object_cache.key_of("translation", kind_of_machine(), *sorted(kernels), *parts)


def kind_of_machine() -> str:
    """Architecture and operating system, without their versions: what a translation is tied to.

    >>> kind_of_machine().count("-") >= 1
    True
    """
    return re.sub(r"[\d.]+$", "", llvm.get_default_triple())


def read(key: str) -> bytes | None:
    """The translation that this package carries under a key, or None if there is none or it is damaged."""
    loader: Any = detent.jit.__spec__.loader
    try:
        content: bytes = loader.get_data(os.path.join(os.path.dirname(detent.jit.__file__), FOLDER, key))
    except OSError:
        return None
    return content[_DIGEST:] if hashlib.sha256(content[_DIGEST:]).digest() == content[:_DIGEST] else None


def write(folder: Path, key: str, bitcode: bytes) -> None:
    """Put a translation into a folder that is to be carried."""
    (folder / key).write_bytes(hashlib.sha256(bitcode).digest() + bitcode)
