"""The compiled steppers, called from Python. The interpreter lock is free while they run."""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable
from typing import Final

from detent.integrate.frame import Control, Frame
from detent.integrate.kernels import RELAY, STEPPER
from detent.jit.kernel_library import DOUBLE, WORD, KernelLibrary

_Words: Final = WORD * len(Frame._fields)
_Numbers: Final = DOUBLE * len(Control._fields)


# A solver calls with the same frame and control many times; turning them into C arrays would be most of a short call.
@functools.lru_cache(maxsize=64)
def _words(frame: Frame) -> ctypes.Array[ctypes.c_int64]:
    return _Words(*frame)


@functools.lru_cache(maxsize=64)
def _numbers(control: Control) -> ctypes.Array[ctypes.c_double]:
    return _Numbers(*control)


def advance(kernel: str, frame: Frame, control: Control, t_end: float) -> int:
    """Take steps until ``t_end`` or until something else ends the call; returns a status.

    ``kernel`` is ``advance_fixed`` or ``advance_adaptive``, for steps of fixed or of controlled size.
    """
    words, numbers = _words(frame), _numbers(control)  # held until the call returns, whatever the cache forgets
    return _advancing(STEPPER, kernel)(ctypes.addressof(words), t_end, ctypes.addressof(numbers), 0, 0)


def advance_relay(
    relay: ctypes.Array[ctypes.c_int64], words: ctypes.Array[ctypes.c_int64], control: Control, t_end: float
) -> int:
    """The same, from block to block of a record (:class:`detent.integrate.relay.Relay`)."""
    numbers = _numbers(control)
    kernel = _advancing(RELAY, "advance_relay")
    return kernel(ctypes.addressof(relay), t_end, ctypes.addressof(words), ctypes.addressof(numbers), 0)


def _advancing(library: KernelLibrary, name: str) -> Callable[..., int]:
    return library.function(name, WORD, DOUBLE, WORD, WORD, WORD)


def evaluate_rate(frame: Frame) -> int:
    """The rate at the present time and state into rates[0]; returns the program's own status."""
    words = _words(frame)
    return STEPPER.function("evaluate_rate", WORD)(ctypes.addressof(words))
