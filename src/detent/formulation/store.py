"""What runs of one model share: derived and compiled once, however many runs there are."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, TypeVar, final

from detent.jit.program import Program

Made = TypeVar("Made")


@final
class Store:
    """Programs and rows by what they are for. A program is handed out once as it is, afterwards as clones.

    A clone has working memory of its own and the machine code of the first: runs in several threads do not meet.
    """

    def __init__(self) -> None:
        self._programs: dict[Hashable, Program] = {}
        self._others: dict[Hashable, Any] = {}

    def program(self, key: Hashable, make: Callable[[], Program]) -> Program:
        """A program for one run alone."""
        if key in self._programs:
            return self._programs[key].clone()
        self._programs[key] = made = make()
        return made

    def other(self, key: Hashable, make: Callable[[], Made]) -> Made:
        """Something that is never changed."""
        if key not in self._others:
            self._others[key] = make()
        found: Made = self._others[key]
        return found
