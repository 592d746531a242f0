"""A mode of an automaton: which constraints hold and which loads act."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

from detent.model.constraint import Constraint
from detent.model.contact import ContactStatus


@final
@dataclass(frozen=True, eq=False)
class Mode:
    """A named set of constraints and loads; made by :meth:`Automaton.mode`.

    >>> import detent
    >>> mode = detent.example("bouncing-ball").automaton.modes["rest"]
    >>> mode, [constraint.name for constraint in mode.constraints]
    (<mode 'rest'>, ['floor'])
    """

    name: str
    constraints: tuple[Constraint, ...]
    """Those that always hold, then those that hold only where they are named."""
    loads: tuple[str, ...]
    """Of the loads that act only where they are named, those that act here."""
    where: tuple[Any, ...]
    """Expressions that must not be negative when the mode is entered."""
    family: str = ""
    """Modes of one family differ by the statuses of contacts."""
    key: tuple[float, ...] = ()
    """These statuses, of all turning that is resisted whether it is done, of pairs of boxes whether they touch, and
    whether forces are not unique."""
    between: int = 0
    """How many numbers of the key are between the statuses and the last."""

    contacts: tuple[str, ...] | None = None
    """The contacts that count here; None: those that the system enables."""

    @property
    def shares(self) -> bool:
        """Whether forces of contacts are not unique."""
        return bool(self.key) and bool(self.key[-1])

    @property
    def statuses(self) -> tuple[float, ...]:
        """What each place of contact does."""
        return self.key[: len(self.key) - 1 - self.between]

    @property
    def touches(self) -> bool:
        """Whether a contact is closed."""
        return any(status > ContactStatus.OPEN for status in self.statuses)

    def __repr__(self) -> str:
        return f"<mode '{self.name}'>"
