"""The arrays that Python and kernels exchange: numbers, words, and records with named fields."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

FloatArray: TypeAlias = NDArray[np.float64]
Words: TypeAlias = NDArray[np.int64]
"""Integers of 64 bits: counts, places, addresses; two of them are a cell."""
Records: TypeAlias = NDArray[np.void]
