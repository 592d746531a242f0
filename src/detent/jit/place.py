"""Where an array's numbers are."""

from __future__ import annotations

import ctypes
from typing import Any

from numpy.typing import NDArray

_address = ctypes.addressof
_first: Any = ctypes.c_char.from_buffer


def place_of(array: NDArray[Any]) -> int:
    """The address of an array's first number, valid as long as the array lives.

    The same as ``array.ctypes.data`` in a quarter of its time, which counts between an event and the next step.

    >>> import numpy as np
    >>> numbers = np.zeros(3)
    >>> place_of(numbers) == numbers.ctypes.data
    True
    """
    try:
        return _address(_first(array))
    except (TypeError, ValueError):  # not to be written to, not in one piece, or empty
        return array.ctypes.data
