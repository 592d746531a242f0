"""A tape walked with intervals, for tests to call."""

from __future__ import annotations

from numba import types

from detent.events.enclosure_kernel import enclose
from detent.jit.intrinsics import as_doubles, as_halfwords, as_words, kernel

WORD = types.int64


@kernel(WORD(WORD, WORD, WORD, WORD, WORD, WORD))
def enclose_tape(order, code, length, jets, flags, tables):
    enclose(order, as_halfwords(code), length, as_doubles(jets), as_words(flags), as_words(tables))
    return 0
