"""Work that the keyboard may interrupt only when it is done, or at places where nothing is half done."""

from __future__ import annotations

# The signal module itself looks each handler up among two enumerated words, which takes 40 microseconds: more than all
# else between two calls of a kernel. This is what it calls then.
import _signal  # type: ignore[import-not-found]
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType, TracebackType
from typing import Any, final

from detent.stepping.signal_watch import SignalWatch


@final
class _Keyboard:
    """What the keyboard has asked for while it was held back. Python tells the main thread alone."""

    def __init__(self) -> None:
        self.depth = 0
        self.is_open = False
        """Whether what runs now may be interrupted after all."""
        self.held: list[tuple[int, FrameType | None]] = []
        self.before: Any = None
        self.listeners: list[Callable[[], object]] = []
        self.watch = SignalWatch(self.tell)

    def add(self, listener: Callable[[], object]) -> None:
        """Tell somebody who runs long."""
        self.listeners.append(listener)
        if len(self.listeners) == 1:
            self.watch.listen()

    def remove(self) -> None:
        """Tell the last one no more."""
        self.listeners.pop()
        if not self.listeners:
            self.watch.rest()

    def tell(self) -> None:
        """Ask who runs long to come back; from any thread."""
        for listener in tuple(self.listeners):
            listener()

    def hear(self, number: int, frame: FrameType | None) -> None:
        """The handler of the signal: remember it, and tell who runs long."""
        self.held.append((number, frame))
        self.tell()
        if self.is_open:
            self.answer()

    def answer(self) -> None:
        """Let whoever handled signals before handle what was held back; usually that raises KeyboardInterrupt.

        It is forgotten when that returns, or when the exception has come out: one that is raised where Python prints
        it and goes on, in a finaliser, is raised again.
        """
        if self.held:
            self.before(*self.held[0])
            self.held.clear()


_keyboard = _Keyboard()


@final
class holding_interrupts:
    """Hold back what the keyboard asks for until the end: what is inside is done whole.

    ``stop`` is called when something was asked for, also while a kernel runs, and then by another thread. Inside
    another one it costs next to nothing.

    >>> with holding_interrupts():
    ...     signal.getsignal(signal.SIGINT) is signal.default_int_handler
    False
    """

    def __init__(self, stop: Callable[[], object] | None = None) -> None:
        self._stop = stop
        self._mine = False

    def __enter__(self) -> holding_interrupts:
        if self._stop is None and _keyboard.depth and not _keyboard.is_open:
            return self  # what is around it holds everything back, and nobody more is to be told
        if threading.current_thread() is not threading.main_thread():
            return self
        if _keyboard.depth == 0:
            before = _signal.getsignal(signal.SIGINT)
            if not callable(before):
                return self
            _keyboard.before = before
            _keyboard.held.clear()
            _signal.signal(signal.SIGINT, _keyboard.hear)
        self._mine, self._was_open = True, _keyboard.is_open
        _keyboard.depth += 1
        _keyboard.is_open = False
        if self._stop is not None:
            _keyboard.add(self._stop)
        return self

    def answer(self) -> None:
        """Nothing is half done here: pass on what the keyboard asked for meanwhile."""
        if self._mine:
            _keyboard.answer()

    def forget(self) -> None:
        """What the keyboard asked for has been answered."""
        if self._mine:
            _keyboard.held.clear()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if not self._mine:
            return
        if self._stop is not None:
            _keyboard.remove()
        _keyboard.depth -= 1
        _keyboard.is_open = self._was_open
        if _keyboard.depth == 0:
            _signal.signal(signal.SIGINT, _keyboard.before)
            held = _keyboard.held.copy()
            if held and kind is not KeyboardInterrupt:
                _keyboard.before(*held[0])
        elif _keyboard.is_open and kind is None:
            _keyboard.answer()


@contextmanager
def interruptible() -> Iterator[None]:
    """Let the keyboard interrupt what is inside, though what is around it is not to be: it may take long.

    >>> with holding_interrupts():
    ...     try:
    ...         with interruptible():
    ...             signal.raise_signal(signal.SIGINT)
    ...     except KeyboardInterrupt:
    ...         print("interrupted there")
    ...         _keyboard.held.clear()
    interrupted there
    """
    if _keyboard.depth == 0 or threading.current_thread() is not threading.main_thread():
        yield
        return
    _keyboard.answer()
    was_open, _keyboard.is_open = _keyboard.is_open, True
    try:
        yield
    finally:
        _keyboard.is_open = was_open
    _keyboard.answer()
