"""What contacts do along a run: gaps, slip, where they touch and the forces there, worked out from states."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, final

import numpy as np
from numpy.typing import NDArray

from detent.formulation.compiled import CompiledSystem
from detent.formulation.store import Store
from detent.hybrid.contact_place import Place
from detent.hybrid.status_automaton import StatusAutomaton
from detent.hybrid.turning import Turning
from detent.jit.arrays import FloatArray
from detent.jit.program import Program
from detent.model.contact import ContactStatus, status_name
from detent.model.contact_measure import AXES

Nodes = slice | NDArray[np.int64]
Piece = tuple[tuple[str, ...], Nodes, FloatArray]
"""The names of some reactions, the nodes at which they are known, and a row of them for each."""

MANY: Final = 4096
"""Past so many instants at once, machine code is worth making for those that follow."""

COLUMNS: Final = ("gaps", "slips", "frictions", "points", "forces", "moments")
"""The columns of a run that come from here."""


@final
@dataclass(frozen=True, eq=False)
class PlaceValues:
    """All places of contact at some instants; the first index is the instant, the second the place."""

    status: FloatArray
    gap: FloatArray
    domain: FloatArray
    """Not negative where a place is on its edge or face."""
    thin: FloatArray
    """1 where its gap may be negative though nothing overlaps: on the far side of a face without a body."""
    limit: FloatArray
    """How large friction may be, by the normal force."""
    slip: FloatArray
    point: FloatArray
    normal: FloatArray
    """The force; zero where it is open, NaN where no row tells it."""
    friction: FloatArray
    force: FloatArray
    """Both together as a vector along the axes of the ground, on what carries the first shape."""
    resistance: FloatArray
    """How large a moment against turning may be, by the normal force; the second index is the turning."""
    pressing: FloatArray
    """The normal force of the place where that is."""
    moment: FloatArray
    """That moment, on what carries the first shape: about one axis, then 0, or about each tangent."""
    mass: FloatArray
    """Of all bodies, kg, at each instant."""

    @property
    def counts(self) -> NDArray[np.bool_]:
        """Where a place may touch: its contact is not off, and it is on its edge or face."""
        counts: NDArray[np.bool_] = (self.status >= ContactStatus.OPEN) & (self.domain >= 0.0)
        return counts


@final
class ContactAccount:
    """Made once for a run; what it needs is derived when it is first asked."""

    def __init__(self, automaton: StatusAutomaton, compiled: CompiledSystem, store: Store) -> None:
        self._automaton, self._compiled, self._store = automaton, compiled, store
        self._directions = automaton.dimension - 1
        names = [symbol.name for symbol in automaton.system.discrete_states]
        self._statuses = [names.index(status_name(place.name)) for place in automaton.places]
        self._turning = [names.index(turn.names[0]) for _, turn in automaton.turns]
        self._turn_places = [place.total for place, _ in automaton.turns]

    @property
    def places(self) -> int:
        """How many places there are."""
        return len(self._automaton.places)

    @property
    def width(self) -> int:
        """How many numbers are kept of an instant."""
        return self._width_of_places + sum(len(turn.spins) for _, turn in self._automaton.turns)

    @property
    def _width_of_places(self) -> int:
        return self.places * (7 + 2 * self._directions)

    @property
    def features(self) -> dict[str, tuple[str, ...]]:
        """The places of each contact, by its name."""
        return {contact.name: contact.features for contact in self._automaton.system.contacts.values()}

    @cached_property
    def _program(self) -> Program:
        def made() -> Program:
            with self._compiled.equations.lock:
                convert = self._compiled.equations.quantities.convert
                wanted = [value for place in self._automaton.places for value in _outputs(place)]
                wanted += [value for _, turn in self._automaton.turns for value in _turn_outputs(turn)]
                wanted.append(sum(body.mass for body in self._automaton.system.bodies.values()))
                return self._compiled.program([convert(value) for value in wanted])

        return self._store.program(("contact account", self._automaton), made)

    def seen(
        self, bounds: NDArray[np.int64], times: FloatArray, states: FloatArray, values: FloatArray, held: FloatArray,
        reactions: Sequence[Piece],
    ) -> PlaceValues:  # fmt: skip
        """The contacts at instants, in stretches with a row of values each; ``held`` are the discrete states there."""
        d, places = self._directions, self.places
        if len(times) > MANY:
            self._program.compile_later()
        out = self._program.over_stretches(bounds, times, states, values)
        turns = len(self._turning)
        own = self._program.size - 3 * turns - 1
        found, braking = out[:, :own].reshape(len(times), places, own // places), out[:, own:-1]
        braking = braking.reshape(len(times), turns, 3)
        gap, domain, thin, limit = (found[..., k] for k in range(4))
        slip, drag, point, turned = np.split(found[..., 4:], np.cumsum([d, d, 3]), axis=2)
        status = held[:, self._statuses]
        forces = self._forces(status, drag, reactions)
        force = np.einsum("tpk,tpkx->tpx", forces, turned.reshape(len(times), places, 1 + d, 3))
        pressing = forces[:, self._turn_places, 0]
        moment = self._moments(status, held, braking[..., 1:] * pressing[..., None], reactions)
        return PlaceValues(
            status, gap, domain, thin, limit, slip, point, forces[..., 0], forces[..., 1:], force, braking[..., 0],
            pressing, moment, out[:, -1],
        )  # fmt: skip

    def _moments(
        self, status: FloatArray, held: FloatArray, braking: FloatArray, reactions: Sequence[Piece]
    ) -> FloatArray:
        """The moment against turning: what holds a place, or brakes it."""
        moments = np.zeros(braking.shape)
        for number, (place, turn) in enumerate(self._automaton.turns):
            closed = status[:, place.total] > ContactStatus.OPEN
            moments[closed, number, : len(turn.spins)] = np.nan
            for names, nodes, values in reactions:
                for part, row in enumerate(turn.row_names):
                    if row in names:
                        moments[nodes, number, part] = values[:, names.index(row)]
            turns = closed & (held[:, self._turning[number]] != 0.0)
            moments[turns, number] = braking[turns, number]
        return moments

    def _forces(self, status: FloatArray, drag: FloatArray, reactions: Sequence[Piece]) -> FloatArray:
        """The normal force and friction along each tangent."""
        forces = np.zeros((*status.shape, 1 + self._directions))
        forces[status > ContactStatus.OPEN] = np.nan
        for names, nodes, values in reactions:
            for number, place in enumerate(self._automaton.places):
                for part, row in enumerate(place.row_names):
                    if row in names:
                        forces[nodes, number, part] = values[:, names.index(row)]
        slips = status == ContactStatus.SLIP
        forces[slips, 1:] = drag[slips] * forces[slips, :1]
        return forces

    def kept(self, seen: PlaceValues) -> FloatArray:
        """What a run keeps of it, a row for each instant."""
        parts = (seen.gap[..., None], seen.slip, seen.friction, seen.point, seen.force)
        every = np.concatenate(parts, axis=2).reshape(len(seen.gap), self._width_of_places)
        turns = enumerate(self._automaton.turns)
        moments = [seen.moment[:, number, : len(turn.spins)] for number, (_, turn) in turns]
        return np.concatenate([every, *moments], axis=1)

    def named(self, kept: FloatArray) -> dict[str, dict[str, FloatArray]]:
        """Columns of a run, each by the names of places and of components."""
        d, made = self._directions, {name: dict[str, FloatArray]() for name in COLUMNS}
        components = [""] if d == 1 else [f".{number + 1}" for number in range(d)]
        along = [f".{axis}" for axis in AXES]
        suffixes = zip(COLUMNS, ([""], components, components, along, along), strict=False)
        order = [(name, suffix) for name, every in suffixes for suffix in every]
        rows = kept[:, : self._width_of_places].reshape(len(kept), self.places, len(order))
        for number, place in enumerate(self._automaton.places):
            for column, (name, suffix) in enumerate(order):
                made[name][place.name + suffix] = np.ascontiguousarray(rows[:, number, column])
        moments = (f"{turn.place}{suffix}" for _, turn in self._automaton.turns for suffix in turn.suffixes)
        for column, name in enumerate(moments, self._width_of_places):
            made["moments"][name] = np.ascontiguousarray(kept[:, column])
        return made


def _outputs(place: Place) -> list[object]:
    """What the program gives of a place, in the order in which :meth:`ContactAccount.seen` takes it apart."""
    seen = place.told_gap, place.told_domain, place.thin, place.limit
    return [*seen, *place.slips, *place.drag, *place.point, *place.turned]


def _turn_outputs(turn: Turning) -> list[object]:
    """The same of turning that is resisted."""
    return [turn.resistance, *turn.moment, *[0] * (2 - len(turn.moment))]
