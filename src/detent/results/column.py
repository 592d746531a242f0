"""What a column of a run is: what it means, how it is saved and read, and where it is shown."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, final

import numpy as np

from detent.jit.arrays import FloatArray
from detent.results.arrays import read_only
from detent.results.field_kinds import Kind
from detent.results.reactions import Reactions

if TYPE_CHECKING:
    from detent.results.run import Run

OLDEST: Final = 2
"""The first format of result files that is still read."""

Per: TypeAlias = Literal["run", "event", "node"]

_NOT_KNOWN: Final = np.empty(0)


def not_known() -> FloatArray:
    """What stands for numbers at the nodes that nobody gave; a run has NaN for them.

    >>> NodeQuantity("heat", "energy").checked(not_known(), (2,)).tolist()
    [nan, nan]
    """
    return _NOT_KNOWN


def _as_it_is(value: Any) -> Any:
    return value


@final
@dataclass(frozen=True)
class SavedField:
    """A field of the description in a result file: its key, what may stand there, how a value becomes that and back.

    Of columns with an array for each of several names, the description holds the names.

    >>> SavedField("until", lambda where, found: float(found)).write(2.0)
    2.0
    """

    key: str
    kind: Kind
    write: Callable[[Any], Any] = _as_it_is
    read: Callable[[Any], Any] = _as_it_is


@final
@dataclass(frozen=True)
class Printed:
    """An entry of what ``detent run --json`` prints: its key, and how a value becomes that.

    >>> Printed("remarks", list).write(("stiff",))
    ['stiff']
    """

    key: str
    write: Callable[[Any], Any] = _as_it_is


@final
@dataclass(frozen=True)
class NodeQuantity:
    """Numbers at the nodes: the name by which a run gives them, and of what kind they are.

    With ``several`` there is an array for each of some names, and ``name`` is what stands before each of them. What is
    ``held`` is a part of the state that is constant between jumps: it follows the state, and is printed with the final
    one. ``follows`` gives numbers that a run does not keep, because they follow from what it keeps. What is not
    ``drawn`` is in plots only where it is named.

    >>> NodeQuantity("reaction of ", "reaction", several=True).named("floor")
    'reaction of floor'
    """

    name: str
    kind: str
    several: bool = False
    held: bool = False
    drawn: bool = True
    follows: Callable[[Run], FloatArray] | None = None

    def named(self, own: str) -> str:
        """The name in a run of one of several."""
        return f"{self.name}{own}"

    def checked(self, value: Any, nodes: tuple[int, ...]) -> Any:
        """The numbers as a run keeps them: read only, one for each node.

        >>> NodeQuantity("kinetic_energy", "energy").checked([1, 2], (2,)).tolist()
        [1.0, 2.0]
        """
        if value is _NOT_KNOWN:
            value = np.full(nodes, np.nan)
        if not self.several:
            return read_only(value, nodes, f"the {self.name.replace('_', ' ')}")
        if isinstance(value, Reactions):  # they are made when they are asked for, and of the right size
            return value
        before = self.name or f"{self.kind} "
        return {own: read_only(row, nodes, f"the {before}'{own}'") for own, row in value.items()}


@final
@dataclass(frozen=True, kw_only=True)
class Column:
    """Something that a run has: for the run as a whole, for each event, or for each node (``per``).

    ``name`` is its field in :class:`Run`. What is not ``saved`` and no ``quantity`` is not kept in files. ``since`` is
    the format of result files in which it came: a run from an older file has the default of its field.

    >>> kept = SavedField("method", lambda where, found: found)
    >>> Column(name="method", meaning="how it was integrated", saved=kept).per
    'run'
    """

    name: str
    meaning: str
    per: Per = "run"
    unit: str = ""
    quantity: NodeQuantity | None = None
    saved: SavedField | None = None
    printed: Printed | None = None
    since: int = OLDEST

    @property
    def is_in_files(self) -> bool:
        """Whether a file has it, rather than what it follows from."""
        return self.saved is not None or (self.quantity is not None and self.quantity.follows is None)

    @property
    def panel(self) -> str:
        """The heading under which numbers at the nodes are drawn."""
        kind = self.quantity.kind if self.quantity is not None else self.name
        return f"{kind} in {self.unit}" if self.unit else f"{kind}s"

    @property
    def attributes(self) -> dict[str, str]:
        """What a labelled array says about itself."""
        kind = {} if self.quantity is None else {"kind": self.quantity.kind}
        return kind | ({"units": self.unit} if self.unit else {})

    def names(self, run: Run) -> Iterable[str]:
        """The names by which a run gives the numbers at the nodes."""
        quantity = self.quantity
        if quantity is None:
            return ()
        return map(quantity.named, getattr(run, self.name)) if quantity.several else (quantity.name,)

    def numbers(self, run: Run, name: str) -> FloatArray | None:
        """The numbers at the nodes that have this name in a run, if they are of this column."""
        quantity = self.quantity
        if quantity is None or not name.startswith(quantity.name):
            return None
        if quantity.several:
            found: FloatArray | None = getattr(run, self.name).get(name[len(quantity.name) :])
            return found
        if name != quantity.name:
            return None
        numbers: FloatArray = getattr(run, self.name) if quantity.follows is None else quantity.follows(run)
        return numbers

    def read(self, known: Mapping[str, Any], array: Callable[[str], FloatArray]) -> Any:
        """The value from the description in a file, which has been checked, and its arrays."""
        if self.quantity is None:
            return None if self.saved is None else self.saved.read(known[self.saved.key])
        if self.saved is None:
            return array(self.quantity.name)
        return {own: array(self.quantity.named(own)) for own in known[self.saved.key]}
