"""Curves and functions that are drawn while a run goes on: room for their numbers, among the run-time values."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final, final

from detent.errors import DetentError, ValueProblem
from detent.expr.drawn_table import FEWEST, DrawnTable, drawn_numbers
from detent.expr.tabulated import drawn_function

if TYPE_CHECKING:
    import numpy as np

    from detent.model.system import System

MOST: Final = 16
"""Points that something drawn goes through, at most, where nothing else is said."""
LARGEST: Final = 256
SHOWN: Final = 100
"""Straight pieces with which it is shown."""
UNDRAWN: Final = ((-1e9, -1e9), (1e9, -1e9))
"""Where a curve is before it is drawn, m: far from everything, for nearest points on it are followed all the same."""
_ZERO: Final = ((0.0, 0.0), (1.0, 0.0))


@final
@dataclass(frozen=True, eq=False)
class Drawing:
    """What can be drawn: a curve y(s), x(s) along which s goes from 0 to 1, or a function y(x).

    Its numbers are inputs of the system, so that what is drawn takes no derivation and no compilation: programs that
    read them are there before a run begins.

    >>> import detent
    >>> system = detent.System("example")
    >>> path = system.drawn("path", points=4)
    >>> system.drawings["path"].values([(0, 1), (2, 1)])["path_y_2"]
    0.0
    """

    name: str
    most: int
    tables: tuple[DrawnTable, ...]
    """Of y(x), or of x(s) and y(s)."""
    is_drawn: str | None
    """The input that says whether a curve is drawn, 1 or 0."""

    @cached_property
    def inputs(self) -> tuple[str, ...]:
        """The names of all inputs that hold it."""
        own = () if self.is_drawn is None else (self.is_drawn,)
        return (*(name for table in self.tables for name in table.names), *own)

    def values(self, points: Sequence[Any], drawn: bool = True) -> dict[str, float]:
        """The values of its inputs by name where it goes through points (x, y)."""
        found = [number for part in self.numbers(points) for number in part.tolist()]
        return dict(zip(self.inputs, [*found, float(drawn)], strict=False))

    def numbers(self, points: Sequence[Any]) -> list[np.ndarray]:
        """The numbers of its tables where it goes through points (x, y)."""
        along, places = self.laid_out(points)
        return drawn_numbers(self.tables, along, [place[-len(self.tables) :] for place in places])

    def laid_out(self, points: Sequence[Any]) -> tuple[list[float], list[tuple[float, float]]]:
        """Where along it points (x, y) are, and the points, if it can go through them."""
        places = self._checked(points)
        return [place[0] for place in places] if self.is_drawn is None else _along(places), places

    def outline(self, points: Sequence[Any]) -> list[tuple[float, float]]:
        """Places along it where it goes through points (x, y), close enough to show it.

        >>> import detent
        >>> system = detent.System("example")
        >>> path = system.drawn("path", points=4)
        >>> system.drawings["path"].outline([(0, 0), (2, 2)])[:: SHOWN // 2]
        [(0.0, 0.0), (1.0, 1.0), (2.0, 2.0)]
        """
        values = self.values(points)
        numbers = [[values[name] for name in table.names] for table in self.tables]
        places = self._checked(points)
        low, high = (places[0][0], places[-1][0]) if self.is_drawn is None else (0.0, 1.0)
        along = [low + (high - low) * k / SHOWN for k in range(SHOWN + 1)]
        found = [[table.value((s, *row), 0) for table, row in zip(self.tables, numbers, strict=True)] for s in along]
        return [(s, row[0]) if self.is_drawn is None else (row[0], row[1]) for s, row in zip(along, found, strict=True)]

    def _checked(self, points: Sequence[Any]) -> list[tuple[float, float]]:
        try:
            places = [(float(x), float(y)) for x, y in points]
        except (TypeError, ValueError):
            raise ValueProblem(
                f"'{self.name}' is drawn through {points!r}; give pairs of numbers, such as [(0, 0), (1, 0.5)]"
            ) from None
        if not FEWEST <= len(places) <= self.most:
            raise ValueProblem(
                f"'{self.name}' is drawn through {len(places)} points; give {FEWEST} to {self.most}, or declare it "
                "with room for more: points="
            )
        if not all(math.isfinite(value) for place in places for value in place):
            raise ValueProblem(f"'{self.name}' is drawn through a point that is not finite; leave it out or mend it")
        if self.is_drawn is None and any(b[0] <= a[0] for a, b in pairwise(places)):
            raise ValueProblem(f"the points of '{self.name}' do not go on to the right; sort them by x, each x once")
        if any(a == b for a, b in pairwise(places)):
            raise ValueProblem(f"'{self.name}' is drawn through the same point twice in a row; leave one of them out")
        return places


def _along(places: Sequence[tuple[float, float]]) -> list[float]:
    """How far along its polygon each point is, from 0 to 1."""
    lengths = [0.0]
    for before, place in pairwise(places):
        lengths.append(lengths[-1] + math.dist(before, place))
    return [length / lengths[-1] for length in lengths]


def declared_function(system: System, name: str, points: int) -> Any:
    """A function y(x) of a system that can be drawn; the x axis before."""
    drawing = Drawing(name, _most(name, points), (DrawnTable(f"{name}_y", points),), None)
    _declare(system, drawing)
    return drawn_function(drawing.tables[0])


def declared_curve(system: System, name: str, points: int) -> tuple[Any, Any, Any]:
    """The functions x(s) and y(s) of a curve that can be drawn, and the symbol that says whether it is."""
    tables = tuple(DrawnTable(f"{name}_{axis}", _most(name, points)) for axis in "xy")
    drawing = Drawing(name, points, tables, f"{name}_is_drawn")
    _declare(system, drawing)
    x, y = (drawn_function(table) for table in tables)
    return x, y, system[drawing.is_drawn or ""]


def _declare(system: System, drawing: Drawing) -> None:
    if drawing.name in system.drawings:
        raise DetentError(f"'{drawing.name}' is declared twice as something to be drawn; give each a name of its own")
    system.drawings[drawing.name] = drawing
    first = drawing.values(_ZERO if drawing.is_drawn is None else UNDRAWN, drawn=False)
    for name in drawing.inputs:
        system.input(name, first[name])


def _most(name: str, points: Any) -> int:
    if isinstance(points, bool) or not isinstance(points, int) or not FEWEST <= points <= LARGEST:
        raise ValueProblem(
            f"'{name}' is to be drawn through up to {points!r} points; give a whole number from {FEWEST} to {LARGEST}"
        )
    return points
