"""Quantities reached by their names."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any, Final

from detent.errors import DetentError, UnknownNameError
from detent.results.columns import at_nodes

_SEVERAL: Final = tuple(quantity.kind for _, quantity in at_nodes() if quantity.several)
_KEPT: Final = ("coordinate", "speed", "signal", "time", *_SEVERAL)
"""The roles of symbols in a model whose values a run keeps."""


def name_of(key: object) -> str:
    """The name that a key stands for: the key itself, or the name of a model's symbol for something that a run keeps.

    >>> name_of("q1")
    'q1'
    """
    if isinstance(key, str):
        return key
    role, name = getattr(key, "role", None), getattr(key, "name", None)
    if role in _KEPT and isinstance(name, str):
        return name
    raise DetentError(
        f"found {key!r} where the name of a quantity was expected; the values of rates, measures and other expressions "
        "along a run come from run.value(expression)"
    )


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
    def __contains__(self, key: object) -> bool:
        try:
            return name_of(key) in self.names
        except DetentError:
            return False

    __iter__ = None
