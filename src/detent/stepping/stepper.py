"""The compiled steppers, called from Python. The interpreter lock is free while they run."""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from detent.jit.address import raw_address
from detent.jit.kernel_library import DOUBLE_TYPE, WORD_TYPE, KernelLibrary
from detent.stepping.frame import Control, StepFrame
from detent.stepping.kernels import HANDOVER

FrameWords: TypeAlias = ctypes.Array[ctypes.c_int64]

_Words: Final = WORD_TYPE * len(StepFrame._fields)
_Numbers: Final = DOUBLE_TYPE * len(Control._fields)


def words_of(frame: StepFrame) -> FrameWords:
    """A frame as the kernels read it."""
    return _Words(*frame)


# A solver calls with the same control many times; turning it into a C array would be much of a short call.
@functools.lru_cache(maxsize=64)
def numbers_of(control: Control) -> ctypes.Array[ctypes.c_double]:
    """A control as the kernels read it."""
    return _Numbers(*control)


def advancing(steps: KernelLibrary) -> Callable[..., int]:
    """The kernel that takes steps until a time, or until something else ends the call; it returns a status.

    ``steps`` are those of fixed or of controlled size. It is called with the addresses of a frame's words and of a
    control's numbers: ``advancing(steps)(words, t_end, numbers, 0, 0)``.
    """
    return _advancing(steps, "advance")


def advance_handing_over(handover: NDArray[np.void], words: FrameWords, control: Control, t_end: float) -> int:
    """The same, from block to block of a record (:class:`detent.stepping.handover.HandOver`)."""
    numbers = numbers_of(control)
    kernel = _advancing(HANDOVER, "advance_handing_over")
    return kernel(raw_address(handover), t_end, ctypes.addressof(words), ctypes.addressof(numbers), 0)


def _advancing(library: KernelLibrary, name: str) -> Callable[..., int]:
    return library.function(name, WORD_TYPE, DOUBLE_TYPE, WORD_TYPE, WORD_TYPE, WORD_TYPE)


def evaluate_rate(steps: KernelLibrary, words: FrameWords) -> int:
    """The rate at the present time and state into rates[0]; returns the program's own status."""
    return steps.function("evaluate_rate", WORD_TYPE)(ctypes.addressof(words))
