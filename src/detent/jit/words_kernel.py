"""Words that pass between Python and a kernel that runs in another thread, in the order in which they were written."""

from __future__ import annotations

from typing import Final

from numba import types

from detent.jit.intrinsics import kernel, read_word, write_word

_WORD: Final = types.int64


@kernel(_WORD(_WORD, _WORD))
def publish_word(address: int, value: int) -> int:
    """Write a word at an address, after everything that was written before."""
    write_word(address, value)
    return 0


@kernel(_WORD(_WORD))
def published_word(address: int) -> int:
    """Read a word at an address, before everything that is read after it."""
    word: int = read_word(address)
    return word
