"""The arrays that Python and kernels exchange: numbers, words, and records with named fields."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

FloatArray: TypeAlias = NDArray[np.float64]
Words: TypeAlias = NDArray[np.int64]
"""Integers of 64 bits: counts, places, addresses; two of them are a cell."""
Records: TypeAlias = NDArray[np.void]


def distinct(numbers: NDArray[np.integer[Any]]) -> list[int]:
    """The whole numbers that an array has, each once, in their order.

    NumPy's ``unique`` does the same, but imports masked arrays first, which takes a run longer than its steps do.

    >>> distinct(np.array([3, 1, 3]))
    [1, 3]
    """
    return sorted(set(numbers.tolist()))
