"""Addresses of arrays, for kernels: where their numbers are, and that there are enough of them.

Kernels know no bounds and look at no types, so both are checked where an address is handed over.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterable, Mapping
from itertools import repeat
from typing import Any

import numpy as np
from numpy.typing import NDArray

from detent.errors import DetentError, ValueProblem

_address = ctypes.addressof
_first: Any = ctypes.c_char.from_buffer


def raw_address(array: NDArray[Any]) -> int:
    """The address of an array's first number, valid as long as the array lives.

    The same as ``array.ctypes.data`` in a quarter of its time, which counts between an event and the next step.

    >>> import numpy as np
    >>> numbers = np.zeros(3)
    >>> raw_address(numbers) == numbers.ctypes.data
    True
    """
    try:
        return _address(_first(array))
    except (TypeError, ValueError):  # not to be written to, not in one piece, or empty
        return array.ctypes.data


def address_or_zero(array: NDArray[Any] | None) -> int:
    """The same, or 0, by which kernels know that there is none.

    >>> address_or_zero(None)
    0
    """
    return 0 if array is None else raw_address(array)


def address_of_some(array: NDArray[Any]) -> int:
    """The same, or 0 where there are none: the address of an empty array takes as long to find as ten others.

    >>> address_of_some(np.zeros((0, 2)))
    0
    """
    return raw_address(array) if array.size else 0


def raw_addresses(arrays: Iterable[NDArray[Any]]) -> list[int]:
    """The addresses of several.

    >>> len(raw_addresses([np.zeros(1), np.ones(2)]))
    2
    """
    return [raw_address(array) for array in arrays]


def words_of_record(fields: np.dtype[Any], words: Mapping[str, int]) -> NDArray[np.int64]:
    """The words of a record, all of eight bytes; zero where none is given. Field by field it would take ten times as
    long, and the address of a record longer than that of its words.

    >>> fields = np.dtype([("first", np.int64), ("last", np.int64)])
    >>> words_of_record(fields, {"last": 3}).tolist()
    [0, 3]
    """
    return np.array(list(map(words.get, fields.names or (), repeat(0))), dtype=np.int64)


def record_address(record: NDArray[np.void]) -> int:
    """Where a record, or the first of several, is.

    :func:`raw_address` takes several times as long for it: what is lent as a buffer has all its fields put into words.

    >>> record = np.zeros(2, dtype=[("first", np.int64), ("last", np.int64)])
    >>> record_address(record) == raw_address(record)
    True
    """
    return record.ctypes.data


def address_of(array: NDArray[Any], kind: type[np.generic] = np.float64) -> int:
    """Where an array's numbers are, in the form in which generated code reads them.

    >>> address_of(np.zeros((2, 4))[:, 0])
    Traceback (most recent call last):
    ...
    detent.errors.ValueProblem: ...contiguous array of float64...
    """
    if array.dtype.type is not kind or not array.flags.c_contiguous:
        raise ValueProblem(
            f"generated code was given an array of {array.dtype} with shape {array.shape} that it cannot read in "
            f"place; give a contiguous array of {kind.__name__} (numpy.ascontiguousarray)."
        )
    return raw_address(array)


def addresses_of(*arrays: NDArray[Any]) -> list[int]:
    """The same of several arrays of numbers.

    >>> len(addresses_of(np.zeros(1), np.ones(2)))
    2
    """
    return [address_of(array) for array in arrays]


def room_of(name: str, array: NDArray[Any], count: int, kinds: tuple[type[Any], ...] = (np.float64, np.int64)) -> int:
    """The address of a buffer in which a kernel finds, or leaves, so many numbers or words of one of these kinds, or
    records.

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
    kind = array.dtype.type  # comparing types takes a tenth of comparing what describes them
    if (kind not in kinds and kind is not np.void) or not array.flags.c_contiguous or array.size < count:
        layout = "" if array.flags.c_contiguous else ", not in one piece,"
        raise DetentError(
            f"{name} has room for {array.size} numbers of {array.dtype}{layout} where a kernel needs {count}; this is "
            "a mistake in detent: please report it with the model"
        )
    if kind is np.void:
        return record_address(array)
    try:  # as raw_address does it: a run hands over hundreds of buffers before its first step
        return _address(_first(array))
    except (TypeError, ValueError):
        return array.ctypes.data


def check_places(name: str, places: NDArray[np.int64], count: int, bound: int) -> None:
    """That there are so many places, each from 0 to below a bound: a kernel reads and writes there.

    >>> check_places("the dependent speeds", np.array([0, 3]), 2, 3)
    Traceback (most recent call last):
    ...
    detent.errors.DetentError: the dependent speeds are [0, 3]; 2 numbers from 0 to 2 were expected: ...
    """
    numbers = places.tolist()  # there are few of them: a list is looked at in less time
    if len(numbers) != count or (count and not (min(numbers) >= 0 and max(numbers) < bound)):
        raise DetentError(
            f"{name} are {numbers}; {count} numbers from 0 to {bound - 1} were expected: this is a mistake in "
            "detent, please report it with the model"
        )


def check_count(name: str, found: int, expected: int) -> None:
    """That there is one of something for each of something else, for a kernel goes through both together.

    >>> check_count("what is watched in mode 0", 1, 2)
    Traceback (most recent call last):
    ...
    detent.errors.DetentError: what is watched in mode 0 has 1 entries, where a kernel goes through 2; ...
    """
    if found != expected:
        raise DetentError(
            f"{name} has {found} entries, where a kernel goes through {expected}; this is a mistake in detent: please "
            "report it with the model"
        )


def check_room(name: str, needed: int, room: int) -> None:
    """That a kernel will write no more than there is room for.

    >>> check_room("the reactions of mode 1", 3, 2)
    Traceback (most recent call last):
    ...
    detent.errors.DetentError: the reactions of mode 1 need room for 3 numbers, and there is room for 2; ...
    """
    if needed > room:
        raise DetentError(
            f"{name} need room for {needed} numbers, and there is room for {room}; this is a mistake in detent: please "
            "report it with the model"
        )
