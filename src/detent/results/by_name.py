"""Quantities reached by their names."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any

from detent.errors import UnknownNameError


class ByName(ABC):
    """Something whose quantities are attributes as well as items: ``run.q1`` is ``run["q1"]``.

    Where a name already means something else on the object, the item is the quantity.

    >>> class Pair(ByName):
    ...     def __init__(self): self.values = {"q1": 3.0}
    ...     @property
    ...     def names(self): return tuple(self.values)
    ...     def __getitem__(self, name): return self.values[name]
    >>> Pair().q1
    3.0
    """

    @property
    @abstractmethod
    def names(self) -> tuple[str, ...]:
        """The names of all quantities."""

    @abstractmethod
    def __getitem__(self, name: str) -> Any:
        """The quantity of this name, or an UnknownNameError."""

    def __getattr__(self, name: str) -> Any:
        # An object that copy or pickle has made but not yet filled has no names to look among.
        if name.startswith("_") or not vars(self):
            raise AttributeError(name)
        try:
            return self[name]
        except UnknownNameError as error:
            raise AttributeError(str(error)) from None

    def __dir__(self) -> Iterable[str]:
        return [*super().__dir__(), *(name for name in self.names if name.isidentifier())]

    # Without these an object with __getitem__ would be taken for a sequence, and `in` would never end.
    def __contains__(self, name: object) -> bool:
        return name in self.names

    __iter__ = None
