"""What a simulation has to say while it runs: each remark once, as a warning at once and in the run at its end."""

from __future__ import annotations

import sys
import warnings
from types import FrameType
from typing import final

from detent.errors import DetentWarning


@final
class Remarks:
    """The remarks of one simulation.

    >>> remarks = Remarks()
    >>> with warnings.catch_warnings(record=True) as said:
    ...     warnings.simplefilter("always")
    ...     remarks.add("this takes long")
    ...     remarks.warn("this takes long")
    >>> len(said), remarks.texts
    (1, ('this takes long',))
    """

    def __init__(self) -> None:
        self.texts: tuple[str, ...] = ()
        """What was said while it ran."""
        self._warned: set[str] = set()

    def add(self, text: str) -> None:
        """Say something now, and keep it for the run."""
        if text not in self.texts:
            self.texts = (*self.texts, text)
            self.warn(text)

    def warn(self, text: str) -> None:
        """Warn whoever called detent, once."""
        if text not in self._warned:
            self._warned.add(text)
            warnings.warn(text, DetentWarning, stacklevel=_frames_of_detent() + 1)


def _frames_of_detent() -> int:
    """How many of the innermost calls are detent's own, so that a warning points at the line that called it."""
    frame: FrameType | None = sys._getframe(1)
    count = 0
    while frame is not None and str(frame.f_globals.get("__name__")).startswith("detent."):
        frame, count = frame.f_back, count + 1
    return count
