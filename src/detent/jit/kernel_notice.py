"""Says that kernels are being compiled and how far it has come: in a terminal, in a notebook, in a log."""

from __future__ import annotations

import logging
import shutil
import sys
import time
from collections.abc import Sequence
from typing import Any, Final, final

from detent.jit import object_cache

LOGGER: Final = logging.getLogger("detent")


@final
class Notice:
    """What somebody who waits for kernels is told.

    A terminal or a notebook shows one line that changes. Elsewhere there is a line for each library as it is ready: to
    the logger ``detent`` (level INFO) of a program that has set up logging, to the standard error of one that has not.
    """

    def __init__(self, names: Sequence[str]) -> None:
        self._names = tuple(names)
        self._began = time.perf_counter()
        self._screen = _changes_lines(sys.stderr)
        self._shown = ""
        self._ready: set[str] = set()
        if self._screen:
            self.show([])
        else:
            self._say(f"compiling kernels, once: {len(names)} {_libraries(len(names))} ({', '.join(names)})")

    def show(self, ready: Sequence[str]) -> None:
        """These are ready by now."""
        seconds, count = time.perf_counter() - self._began, len(self._names)
        if self._screen:
            left = [name for name in self._names if name not in ready]
            text = f"compiling kernels, once: {len(ready)} of {count} ready, {seconds:.0f} s ({', '.join(left)})"
            self._say(_cut(text, shutil.get_terminal_size().columns - len("detent: ") - 1))
        else:
            for name in [name for name in ready if name not in self._ready]:
                self._ready.add(name)
                self._say(f"kernels {len(self._ready)} of {count} ready: {name}, after {seconds:.0f} s")

    def end(self) -> None:
        """All are ready."""
        seconds, count = time.perf_counter() - self._began, len(self._names)
        if object_cache.is_writable():
            later = "later runs find them in the cache"
        else:
            later = "every start will, as the cache cannot be written; set DETENT_CACHE_DIR to a folder that can"
        self._say(f"compiled {count} {_libraries(count)} of kernels in {seconds:.0f} s; {later}")
        self.close()

    def close(self) -> None:
        """Nothing more will be said."""
        if self._screen and self._shown:
            print(file=sys.stderr, flush=True)
            self._shown = ""

    def _say(self, text: str) -> None:
        line = f"detent: {text}"
        if self._screen:
            if line != self._shown:
                print("\r" + line.ljust(len(self._shown)), end="", file=sys.stderr, flush=True)
                self._shown = line
        elif LOGGER.hasHandlers():
            LOGGER.info(text)
        elif sys.stderr is not None:
            print(line, file=sys.stderr, flush=True)


def _libraries(count: int) -> str:
    return "library" if count == 1 else "libraries"


def _cut(text: str, width: int) -> str:
    """A text that fits into a line: only the last line of a terminal can be written over."""
    return text if len(text) <= width else f"{text[: max(0, width - 3)]}..."


def _changes_lines(stream: Any) -> bool:
    """Whether a line that was written can be written over: in a terminal, and below the cell of a notebook."""
    if stream is None:
        return False
    shell: Any = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return bool(stream.isatty()) or hasattr(shell, "kernel")
