"""What follows from the states of a run: energies, reactions and residuals, worked out a block of nodes at a time.

Modes and values are needed for it. What has been worked out needs them no more: a run in which constraints come and go
does not keep the equations of all of them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, final

import numpy as np
from numpy.typing import NDArray

from detent.jit.program import Program
from detent.results.audit import Audit
from detent.results.growing_column import GrowingColumn
from detent.results.reactions import Reactions
from detent.simulation.history import Segments

Places = slice | NDArray[np.int64]
Piece = tuple[tuple[str, ...], Places, np.ndarray]
"""The names of some reactions, the nodes at which they are known, and a row of them for each."""

BLOCK: Final = 65_536
"""Nodes that are worked out at a time, at most: what is in between takes room."""

BYTES_PER_PIECE: Final = 256
"""What a piece of reactions takes besides its numbers."""


@dataclass(frozen=True, eq=False)
class Worked:
    """Some nodes, worked out."""

    columns: dict[str, np.ndarray]
    """A row for each node, by the column of a run that it belongs to."""
    work: np.ndarray
    reactions: list[Piece]
    position: float
    velocity: float

    def __len__(self) -> int:
        """How many nodes."""
        return len(self.work)

    def taken(self, nodes: np.ndarray) -> Worked:
        """Some of the nodes."""
        reactions: list[Piece] = []
        for names, places, values in self.reactions:
            own = np.arange(len(self))[places]
            common, mine, theirs = np.intersect1d(own, nodes, assume_unique=True, return_indices=True)
            if len(common):
                reactions.append((names, theirs, values[mine]))
        columns = {name: rows[nodes] for name, rows in self.columns.items()}
        return Worked(columns, self.work[nodes], reactions, self.position, self.velocity)


@dataclass
class Tally:
    """The audit of a run, as far as it has been worked out; :func:`detent.results.audit.audit_energy` says what of."""

    position: float = 0.0
    velocity: float = 0.0
    start: float | None = None
    gained: float = 0.0
    kinetic: float = -np.inf
    highest: float = -np.inf
    lowest: float = np.inf

    def take(self, worked: Worked) -> None:
        """Some nodes more. What is not a number stays so, whatever comes after it."""
        self.position, self.velocity = max(self.position, worked.position), max(self.velocity, worked.velocity)
        if len(worked) == 0:
            return
        kinetic, potential = worked.columns["kinetic"], worked.columns["potential"]
        # A run that stopped where an energy is infinite still has an audit, though not a finite one.
        with np.errstate(invalid="ignore", over="ignore"):
            energy = kinetic + potential
            if self.start is None:
                self.start, self._work = float(energy[0]), float(worked.work[0])
            gained = np.abs((energy - self.start) - (worked.work - self._work))
        self.gained = float(np.maximum(self.gained, gained.max()))
        self.kinetic = float(np.maximum(self.kinetic, kinetic.max()))
        self.highest = float(np.maximum(self.highest, potential.max()))
        self.lowest = float(np.minimum(self.lowest, potential.min()))

    _work: float = field(default=0.0, repr=False)

    def audit(self) -> Audit:
        """The audit of what was taken."""
        with np.errstate(invalid="ignore", over="ignore"):
            scale = float(np.maximum(self.kinetic, self.highest - self.lowest)) or 1.0
            balance = float(np.float64(self.gained) / scale)
        return Audit(balance, self.position, self.velocity, None, scale)


@final
class Account:
    """Energies, discrete states and reactions at the nodes that are kept, and the audit of all that were."""

    def __init__(self, observer: Program, discrete: slice, quaternions: list[list[int]]) -> None:
        self._observer, self._discrete_of, self._quaternions = observer.clone(), discrete, quaternions
        self.upto = 0
        """The number of the first node that has not been worked out."""
        shapes = {"kinetic": (), "potential": (), "discrete": (discrete.stop - discrete.start,)}
        self._columns = {name: GrowingColumn(shape) for name, shape in shapes.items()}
        """By the names of a run's columns; ``worked_out`` gives the rows."""
        self._reactions: list[Piece] = []
        self._reaction_bytes, self._let_go = 0, 0
        self.nbytes = 0
        """The size of what is kept."""
        self.tally = Tally()

    def __len__(self) -> int:
        """How many nodes are kept."""
        return len(self._columns["kinetic"])

    def _measure(self) -> None:
        """Work the size out where it changes, which is seldom, and not where it is looked at, after every piece."""
        self.nbytes = sum(column.nbytes for column in self._columns.values()) + self._reaction_bytes

    # -- working it out ----------------------------------------------------------------------------

    def worked_out(self, segments: Segments, time: np.ndarray, state: np.ndarray, first: int) -> Worked:
        """Nodes that follow one another, the first of them with a number."""
        segment, bounds = segments.bounds(first, first + len(time))
        values = np.ascontiguousarray(segments.values.rows[segment : segment + len(bounds) - 1])
        energies = self._observer.over_stretches(bounds - first, time, state, values)
        held = np.repeat(values[:, self._discrete_of], np.diff(bounds), axis=0)
        position, velocity = self._quaternion_residual(state), 0.0
        reactions = []
        for places, own, group in _by_mode(segments, segment, bounds):
            running = segments.mode(segment + int(group[0])).running
            if not running.whole.rows:
                continue
            times, states = np.ascontiguousarray(time[places]), np.ascontiguousarray(state[places])
            seen = running.along(own, times, states, np.ascontiguousarray(values[group]))
            position, velocity = max(position, seen.position), max(velocity, seen.velocity)
            reactions.append((running.active.names, places, seen.reactions))
        columns = {"kinetic": energies[:, 0], "potential": energies[:, 1], "discrete": held}
        return Worked(columns, state[:, -1], reactions, position, velocity)

    def take(self, worked: Worked, kept: np.ndarray | None = None) -> None:
        """Put nodes down that were worked out: all, or those that are kept; the audit is of all of them."""
        self.tally.take(worked)
        self.upto += len(worked)
        chosen = worked if kept is None else worked.taken(kept)
        for names, places, values in chosen.reactions:
            self._reactions.append((names, _moved(places, len(self) + self._let_go), values))
            self._reaction_bytes += _size(self._reactions[-1])
        for name, column in self._columns.items():
            column.extend(chosen.columns[name])
        self._measure()

    def let_go(self, count: int) -> None:
        """Forget so many of the nodes that are kept."""
        for column in self._columns.values():
            column.let_go(count)
        self._let_go += count
        self._reactions = [piece for piece in (_cut(piece, self._let_go) for piece in self._reactions) if len(piece[2])]
        self._reaction_bytes = sum(map(_size, self._reactions))
        self._measure()

    # -- what there is -----------------------------------------------------------------------------

    def columns(self, rest: Worked) -> tuple[dict[str, np.ndarray], Reactions, Audit]:
        """Columns of a run and reactions at the nodes that are kept and at some more, and the audit."""
        tally = Tally(**vars(self.tally))
        tally.take(rest)
        count = len(self)
        pieces = [(names, _moved(places, -self._let_go), values) for names, places, values in self._reactions]
        pieces += [(names, _moved(places, count), values) for names, places, values in rest.reactions]
        whole = {name: np.concatenate([column.rows, rest.columns[name]]) for name, column in self._columns.items()}
        return whole, Reactions(count + len(rest), pieces), tally.audit()

    def _quaternion_residual(self, state: np.ndarray) -> float:
        """How far any quaternion was from length one."""
        lengths = [np.linalg.norm(state[:, columns], axis=1) for columns in self._quaternions]
        return max((float(np.max(np.abs(length - 1.0), initial=0.0)) for length in lengths), default=0.0)


def _by_mode(segments: Segments, segment: int, bounds: np.ndarray) -> list[tuple[Places, np.ndarray, np.ndarray]]:
    """The nodes of each mode between some bounds, the bounds of its stretches among them, and which stretches."""
    numbers = segments.mode_numbers(segment, segment + len(bounds) - 1)
    order = np.argsort(numbers, kind="stable")
    groups = np.split(order, np.flatnonzero(np.diff(numbers[order])) + 1)
    begins, lengths = bounds[:-1] - bounds[0], np.diff(bounds)
    found: list[tuple[Places, np.ndarray, np.ndarray]] = []
    for group in groups:
        own = np.concatenate([[0], np.cumsum(lengths[group])])
        if own[-1] == 0:
            continue
        if len(group) == 1:
            first = int(begins[group[0]])
            places: Places = slice(first, first + int(own[-1]))
        else:
            places = np.arange(own[-1]) + np.repeat(begins[group] - own[:-1], lengths[group])
        found.append((places, own, group))
    return found


def _size(piece: Piece) -> int:
    places, values = piece[1:]
    return values.nbytes + BYTES_PER_PIECE + (0 if isinstance(places, slice) else places.nbytes)


def _moved(places: Places, by: int) -> Places:
    return slice(places.start + by, places.stop + by) if isinstance(places, slice) else places + by


def _cut(piece: Piece, first: int) -> Piece:
    """A piece of reactions without its nodes before the first one."""
    names, places, values = piece
    if isinstance(places, slice):
        old = max(0, min(first, places.stop) - places.start)
        return names, slice(places.start + old, places.stop), values[old:].copy() if old else values
    keep = places >= first
    return (names, places[keep], values[keep]) if not keep.all() else piece
