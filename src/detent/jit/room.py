"""Buffers that Python makes and a kernel fills: their size is checked where their address is handed over."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from detent.errors import DetentError
from detent.jit.place import place_of


def room_of(name: str, array: NDArray[Any], count: int) -> int:
    """The address of a buffer in which a kernel finds, or leaves, so many numbers, words or records.

    Kernels know no bounds: one number too many would be written over something else, and the process would end, or
    worse, go on.

    >>> state = np.zeros(4)
    >>> room_of("the state", state, 4) == state.ctypes.data
    True
    >>> room_of("the state", np.zeros(4), 5)
    Traceback (most recent call last):
    ...
    detent.errors.DetentError: the state has room for 4 numbers of float64 where a kernel needs 5; ...
    """
    is_plain = array.dtype in (np.float64, np.int64) or array.dtype.names is not None
    if not is_plain or not array.flags.c_contiguous or array.size < count:
        layout = "" if array.flags.c_contiguous else ", not in one piece,"
        raise DetentError(
            f"{name} has room for {array.size} numbers of {array.dtype}{layout} where a kernel needs {count}; this is "
            "a mistake in detent: please report it with the model"
        )
    return place_of(array)


def check_places(name: str, places: NDArray[np.int64], count: int, bound: int) -> None:
    """That there are so many places, each from 0 to below a bound: a kernel reads and writes there.

    >>> check_places("the dependent speeds", np.array([0, 3]), 2, 3)
    Traceback (most recent call last):
    ...
    detent.errors.DetentError: the dependent speeds are [0, 3]; 2 numbers from 0 to 2 were expected: ...
    """
    if places.size != count or (places.size and not (places.min() >= 0 and places.max() < bound)):
        raise DetentError(
            f"{name} are {places.tolist()}; {count} numbers from 0 to {bound - 1} were expected: this is a mistake in "
            "detent, please report it with the model"
        )
