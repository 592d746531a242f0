"""Which column of a run's state is which quantity."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import final

from detent.errors import DetentError, UnknownNameError, listed
from detent.results.columns import RESERVED


def refuse_unfit(names: Iterable[str]) -> None:
    """Refuse names that a part of the state cannot have, because they mean something else in every run or file.

    >>> refuse_unfit(["q1", "energy"])
    Traceback (most recent call last):
        ...
    detent.errors.DetentError: the state cannot have a quantity named 'energy'; choose a name without '/' that is not \
one of time, t, work, ... and does not start with 'detent.'.
    """
    # A slash would open a group in a result file and `detent.` marks what the file keeps for itself.
    unfit = [name for name in names if name in (*RESERVED, "", ".") or "/" in name or name.startswith("detent.")]
    if unfit:
        raise DetentError(
            f"the state cannot have a quantity named {listed(map(repr, unfit))}; choose a name without '/' "
            f"that is not one of {listed(RESERVED)} and does not start with 'detent.'."
        )


@final
@dataclass(frozen=True)
class StateLayout:
    """The order of a state: coordinates q, speeds u, signals s, and the work of non-conservative loads last.

    The work, in joules, is integrated beside the state so that every run can be audited.

    >>> layout = StateLayout(("q1", "q2"), ("u1", "u2"), ())
    >>> layout.names
    ('q1', 'q2', 'u1', 'u2', 'work')
    >>> layout.column("u1")
    2
    >>> layout.speed_columns
    slice(2, 4, None)
    """

    coordinates: tuple[str, ...]
    speeds: tuple[str, ...]
    signals: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        names = self.names[:-1]
        repeated = [name for name in dict.fromkeys(names) if names.count(name) > 1]
        if repeated:
            raise DetentError(f"the state has more than one {listed(repeated)}; give every quantity its own name.")
        refuse_unfit(names)

    @property
    def names(self) -> tuple[str, ...]:
        """Every column's name, in order."""
        return (*self.coordinates, *self.speeds, *self.signals, "work")

    @property
    def width(self) -> int:
        """The number of columns."""
        return len(self.coordinates) + len(self.speeds) + len(self.signals) + 1

    @property
    def coordinate_columns(self) -> slice:
        """The columns of the coordinates q."""
        return slice(0, len(self.coordinates))

    @property
    def speed_columns(self) -> slice:
        """The columns of the speeds u."""
        start = len(self.coordinates)
        return slice(start, start + len(self.speeds))

    @property
    def signal_columns(self) -> slice:
        """The columns of the signals s."""
        return slice(len(self.coordinates) + len(self.speeds), self.width - 1)

    def has_all(self, of: StateLayout) -> bool:
        """Whether it has the same coordinates and speeds, and all signals, of another.

        >>> StateLayout(("q",), ("u",), ("s", "r")).has_all(StateLayout(("q",), ("u",), ("r",)))
        True
        """
        same = (self.coordinates, self.speeds) == (of.coordinates, of.speeds)
        return same and set(of.signals) <= set(self.signals)

    def column(self, name: str) -> int:
        """The column of a quantity.

        >>> StateLayout(("q",), ("u",)).column("v")
        Traceback (most recent call last):
            ...
        detent.errors.UnknownNameError: there is no quantity named 'v'. Names that exist: q, u, work.
        """
        try:
            return self.names.index(name)
        except ValueError:
            raise UnknownNameError(name, self.names) from None

    def kind(self, name: str) -> str:
        """What a quantity is: ``coordinate``, ``speed``, ``signal`` or ``energy``.

        >>> StateLayout(("q",), ("u",)).kind("u")
        'speed'
        """
        column = self.column(name)
        if column < self.speed_columns.start:
            return "coordinate"
        if column < self.signal_columns.start:
            return "speed"
        return "signal" if column < self.width - 1 else "energy"
