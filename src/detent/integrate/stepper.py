"""The compiled steppers, called from Python. The interpreter lock is free while they run."""

from __future__ import annotations

import ctypes
import functools
from typing import Final

from detent.integrate.frame import Control, Frame
from detent.integrate.kernels import STEPPER
from detent.jit.kernel_library import DOUBLE, WORD

_Words: Final = WORD * len(Frame._fields)
_Numbers: Final = DOUBLE * len(Control._fields)


# A solver calls with the same frame and control many times; turning them into C arrays would be most of a short call.
@functools.lru_cache(maxsize=64)
def _words(frame: Frame) -> ctypes.Array[ctypes.c_int64]:
    return _Words(*frame)


@functools.lru_cache(maxsize=64)
def _numbers(control: Control) -> ctypes.Array[ctypes.c_double]:
    return _Numbers(*control)


def advance_fixed(frame: Frame, control: Control, t_end: float) -> int:
    """Take steps of fixed size until ``t_end`` or until something else ends the call; returns a status."""
    return _advance("advance_fixed", frame, control, t_end)


def advance_adaptive(frame: Frame, control: Control, t_end: float) -> int:
    """Take steps of controlled size until ``t_end`` or until something else ends the call; returns a status."""
    return _advance("advance_adaptive", frame, control, t_end)


def _advance(name: str, frame: Frame, control: Control, t_end: float) -> int:
    words, numbers = _words(frame), _numbers(control)  # held until the call returns, whatever the cache forgets
    kernel = STEPPER.function(name, WORD, WORD, DOUBLE)
    return kernel(ctypes.addressof(words), ctypes.addressof(numbers), t_end)


def evaluate_rate(frame: Frame) -> int:
    """The rate at the present time and state into rates[0]; returns the program's own status."""
    words = _words(frame)
    return STEPPER.function("evaluate_rate", WORD)(ctypes.addressof(words))
