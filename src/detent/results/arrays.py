"""Arrays of numbers that nobody can change by accident."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from detent.errors import DetentError
from detent.jit.arrays import FloatArray


def read_only(values: ArrayLike, shape: tuple[int, ...], what: str) -> FloatArray:
    """A float64 view of ``values`` that cannot be written to, of exactly this shape.

    Nothing is copied when the values are float64 already, because a long run is large.

    >>> read_only([1, 2], (2,), "kinetic energy").flags.writeable
    False
    """
    array = np.ascontiguousarray(values, dtype=np.float64).view()
    if array.shape != shape:
        raise DetentError(f"{what} has shape {array.shape}, expected {shape}; give one value for each node and column.")
    array.flags.writeable = False
    return array
