"""What follows from the states of a run: energies, reactions and residuals, worked out a block of nodes at a time.

Modes and values are needed for it. What has been worked out needs them no more: a run in which constraints come and go
does not keep the equations of all of them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, final

import numpy as np
from numpy.typing import NDArray

from detent.results.audit import Audit, energy_scale
from detent.results.growing_column import GrowingColumn
from detent.results.reactions import Reactions

if TYPE_CHECKING:
    from detent.jit.program import Program
    from detent.simulation.contact_account import ContactAccount, Piece, PlaceValues
    from detent.simulation.contact_audit import ContactAudit, Findings, Flags
    from detent.simulation.history import Segments
    from detent.simulation.recorder import InstantsInSteps

Places = slice | NDArray[np.int64]

BLOCK: Final = 65_536
"""Nodes that are worked out at a time, at most: what is in between takes room."""

BYTES_PER_PIECE: Final = 256
"""What a piece of reactions takes besides its numbers."""


@dataclass(frozen=True, eq=False)
class WorkedNodes:
    """Some nodes, worked out."""

    columns: dict[str, np.ndarray]
    """A row for each node, by the column of a run that it belongs to."""
    work: np.ndarray
    reactions: list[Piece]
    position: float
    velocity: float
    contacts: tuple[PlaceValues, Flags, np.ndarray, Findings] | None = None
    """Contacts at the nodes, which of their places are in front of their faces, their times, and what that shows."""

    def __len__(self) -> int:
        """How many nodes."""
        return len(self.work)

    def taken(self, nodes: np.ndarray) -> WorkedNodes:
        """Some of the nodes."""
        reactions: list[Piece] = []
        for names, places, values in self.reactions:
            own = np.arange(len(self))[places]
            common, mine, theirs = np.intersect1d(own, nodes, assume_unique=True, return_indices=True)
            if len(common):
                reactions.append((names, theirs, values[mine]))
        columns = {name: rows[nodes] for name, rows in self.columns.items()}
        return WorkedNodes(columns, self.work[nodes], reactions, self.position, self.velocity)


@dataclass
class AuditTally:
    """The audit of a run, as far as it has been worked out; :func:`detent.results.audit.audit_energy` says what of."""

    position: float = 0.0
    velocity: float = 0.0
    start: float | None = None
    gained: float = 0.0
    kinetic: float = -np.inf
    highest: float = -np.inf
    lowest: float = np.inf
    contacts: Findings | None = None

    def take(self, worked: WorkedNodes) -> None:
        """Some nodes more. What is not a number stays so, whatever comes after it."""
        self.position, self.velocity = max(self.position, worked.position), max(self.velocity, worked.velocity)
        if worked.contacts is not None:
            self.found(worked.contacts[3])
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

    def found(self, contacts: Findings) -> None:
        """Contacts have shown something more."""
        self.contacts = contacts if self.contacts is None else self.contacts.with_others(contacts)

    def audit(self) -> Audit:
        """The audit of what was taken."""
        with np.errstate(invalid="ignore", over="ignore"):
            scale = energy_scale(self.kinetic, self.lowest, self.highest)
            balance = float(np.float64(self.gained) / scale)
        if self.contacts is None:
            return Audit(balance, self.position, self.velocity, None, scale)
        gap, found = self.contacts.smallest_gap, self.contacts
        return Audit(
            balance, self.position, self.velocity, None if gap == np.inf else gap, scale,
            largest_cone_excess=found.cone_excess(scale), complementarity=found.product / scale,
        )  # fmt: skip


@final
class Account:
    """Energies, discrete states and reactions at the nodes that are kept, and the audit of all that were."""

    def __init__(
        self, observer: Program, held: dict[str, slice], quaternions: list[list[int]],
        contacts: ContactAccount | None = None,
    ) -> None:  # fmt: skip
        self._observer, self._quaternions = observer.clone(), quaternions
        self._held, self._discrete_of = held, held["discrete"]
        """Where the values stand that hold between jumps, by the names of a run's columns."""
        self.contacts = contacts
        self.between: ContactAudit | None = None
        """What contacts do inside steps, where there are some."""
        if contacts is not None:
            from detent.simulation.contact_audit import ContactAudit  # brings all that contacts need

            self.between = ContactAudit(contacts.places)
        self.upto = 0
        """The number of the first node that has not been worked out."""
        shapes: dict[str, tuple[int, ...]] = {"kinetic": (), "potential": ()}
        shapes |= {name: (place.stop - place.start,) for name, place in held.items()}
        if contacts is not None:
            shapes["contacts"] = (contacts.width,)
        self._columns = {name: GrowingColumn(shape) for name, shape in shapes.items()}
        """By the names of a run's columns; ``worked_out`` gives the rows."""
        self._reactions: list[Piece] = []
        self._reaction_bytes, self._let_go = 0, 0
        self.nbytes = 0
        """The size of what is kept."""
        self.tally = AuditTally()

    def __len__(self) -> int:
        """How many nodes are kept."""
        return len(self._columns["kinetic"])

    def _measure(self) -> None:
        """Work the size out where it changes, which is seldom, and not where it is looked at, after every piece."""
        self.nbytes = sum(column.nbytes for column in self._columns.values()) + self._reaction_bytes

    # -- working it out ----------------------------------------------------------------------------

    def worked_out(self, segments: Segments, time: np.ndarray, state: np.ndarray, first: int) -> WorkedNodes:
        """Nodes that follow one another, the first of them with a number."""
        segment, bounds = segments.bounds(first, first + len(time))
        values = np.ascontiguousarray(segments.values.rows[segment : segment + len(bounds) - 1])
        energies = self._observer.over_stretches(bounds - first, time, state, values)
        columns = {name: np.repeat(values[:, place], np.diff(bounds), axis=0) for name, place in self._held.items()}
        reactions, position, velocity = _reactions(segments, segment, bounds - first, time, state, values)
        position = max(position, self._quaternion_residual(state))
        columns |= {"kinetic": energies[:, 0], "potential": energies[:, 1]}
        if self.contacts is None or self.between is None:
            return WorkedNodes(columns, state[:, -1], reactions, position, velocity)
        seen = self.contacts.seen(bounds - first, time, state, values, columns["discrete"], reactions)
        columns["contacts"] = self.contacts.kept(seen)
        found, in_front = self.between.at_nodes(seen, time)
        return WorkedNodes(columns, state[:, -1], reactions, position, velocity, (seen, in_front, time, found))

    def look_inside(self, segments: Segments, inside: InstantsInSteps, last: int) -> Findings:
        """What contacts show inside steps up to a node; each step belongs to the segment of the node at its end."""
        assert self.contacts is not None
        assert self.between is not None
        segment, nodes = segments.bounds(self.between.sampled + 1, last + 1)
        bounds = np.searchsorted(inside.starts, nodes - 1)
        values = np.ascontiguousarray(segments.values.rows[segment : segment + len(bounds) - 1])
        held = np.repeat(values[:, self._discrete_of], np.diff(bounds), axis=0)
        states = self._with_unit_quaternions(inside.states)
        reactions, _, _ = _reactions(segments, segment, bounds, inside.times, states, values)
        seen = self.contacts.seen(bounds, inside.times, states, values, held, reactions)
        return self.between.between(seen, inside.starts, inside.times)

    def _with_unit_quaternions(self, states: np.ndarray) -> np.ndarray:
        """Interpolated states as they are meant: only after a step are quaternions of length one."""
        made = states.copy()
        for columns in self._quaternions:
            made[:, columns] /= np.linalg.norm(made[:, columns], axis=1, keepdims=True)
        return made

    def take(self, worked: WorkedNodes, kept: np.ndarray | None = None) -> None:
        """Put nodes down that were worked out: all, or those that are kept; the audit is of all of them."""
        self.tally.take(worked)
        self.upto += len(worked)
        if worked.contacts is not None and self.between is not None:
            self.between.take(*worked.contacts[:3])
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

    def columns(self, rest: WorkedNodes) -> tuple[dict[str, np.ndarray], Reactions, Audit]:
        """Columns of a run and reactions at the nodes that are kept and at some more, and the audit."""
        tally = AuditTally(**vars(self.tally))
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


def _reactions(
    segments: Segments, segment: int, bounds: np.ndarray, time: np.ndarray, state: np.ndarray, values: np.ndarray
) -> tuple[list[Piece], float, float]:
    """Reactions at instants in the segments from one on, and the largest residuals of positions and speeds."""
    position, velocity, reactions = 0.0, 0.0, []
    for places, own, group in _by_mode(segments, segment, bounds):
        running = segments.mode(segment + int(group[0])).running
        if not (running.whole.rows or running.active.rows):
            continue
        times, states = np.ascontiguousarray(time[places]), np.ascontiguousarray(state[places])
        seen = running.along(own, times, states, np.ascontiguousarray(values[group]))
        position, velocity = max(position, seen.position), max(velocity, seen.velocity)
        reactions.append((running.active.names, places, seen.reactions))
    return reactions, position, velocity


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
