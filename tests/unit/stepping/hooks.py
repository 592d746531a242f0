"""Something that happens after a chosen step, in the middle of a kernel: no clock and no other thread decides when."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable, Mapping
from typing import Any
from weakref import WeakKeyDictionary

from detent.stepping.solver import Solver

_Function = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64, ctypes.c_double, *[ctypes.c_void_p] * 3)


_KEPT: WeakKeyDictionary[Solver, AfterSteps] = WeakKeyDictionary()


class AfterSteps:
    """Calls functions, each once, when a solver has taken so many steps since this was made; in the thread that steps.

    Whatever a function raises is lost, as Python can pass nothing through a kernel; it is kept in ``failures``.
    """

    def __init__(self, solver: Solver, actions: Mapping[int, Callable[[], object]]) -> None:
        self._taken, self._actions = 0, dict(actions)
        self.failures: list[BaseException] = []
        self._function = _Function(self._called)
        address = ctypes.cast(self._function, ctypes.c_void_p).value
        assert address is not None
        solver.after_step[:] = [address, 0]
        _KEPT[solver] = self  # the kernel has only its address

    def _called(self, *arguments: Any) -> int:
        self._taken += 1
        action = self._actions.get(self._taken)
        if action is not None:
            try:
                action()
            except BaseException as error:
                self.failures.append(error)
        return 0


def elsewhere(action: Callable[[], object]) -> Callable[[], None]:
    """A function that has another thread do something, and waits until it is done."""

    def run() -> None:
        thread = threading.Thread(target=action)
        thread.start()
        thread.join()

    return run
