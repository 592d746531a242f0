"""Words that Python publishes to a kernel that runs in another thread, and reads from it.

What NumPy writes, other processors see in whatever order theirs likes. That is the order of the program on x86, whose
stores never pass one another; on others (arm64) a kernel could see that a table is ready before it sees the table. So a
word that says that something else is there is stored with release order and read with acquire order, on both sides: the
kernels do it themselves (:mod:`detent.jit.intrinsics`), Python here.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from detent.errors import ValueProblem
from detent.jit.address import raw_address
from detent.jit.kernel_library import WORD_TYPE
from detent.jit.kernels import KERNELS

_SIZE = 8


def publish(words: NDArray[np.int64], place: int, value: int) -> None:
    """Store a word so that a kernel that sees it sees all that was written before it.

    >>> words = np.zeros(2, dtype=np.int64)
    >>> publish(words, 1, 7)
    >>> words.tolist(), published(words, 1)
    ([0, 7], 7)
    """
    KERNELS.short_function("publish_word", WORD_TYPE, WORD_TYPE)(_address(words, place), value)


def published(words: NDArray[np.int64], place: int) -> int:
    """A word that a kernel published; what is read after it is at least as new.

    >>> published(np.zeros(2, dtype=np.int64), 2)
    Traceback (most recent call last):
    ...
    detent.errors.ValueProblem: word 2 was asked for among 2 words of int64; give one that is there.
    """
    return KERNELS.short_function("published_word", WORD_TYPE)(_address(words, place))


def _address(words: NDArray[np.int64], place: int) -> int:
    if words.dtype != np.int64 or words.ndim != 1 or not words.flags.c_contiguous or not 0 <= place < len(words):
        raise ValueProblem(
            f"word {place} was asked for among {words.size} words of {words.dtype}; give one that is there."
        )
    return raw_address(words) + _SIZE * place
