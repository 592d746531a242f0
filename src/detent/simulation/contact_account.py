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
from detent.jit.program import Program
from detent.model.contact import ContactStatus, status_name
from detent.model.contact_measure import AXES

Floats = NDArray[np.float64]
Nodes = slice | NDArray[np.int64]
Piece = tuple[tuple[str, ...], Nodes, Floats]
"""The names of some reactions, the nodes at which they are known, and a row of them for each."""

MANY: Final = 4096
"""Past so many instants at once, machine code is worth making for those that follow."""

COLUMNS: Final = ("gaps", "slips", "frictions", "points", "forces", "moments")
"""The columns of a run that come from here."""


@final
@dataclass(frozen=True, eq=False)
class Seen:
    """All places of contact at some instants; the first index is the instant, the second the place."""

    status: Floats
    gap: Floats
    domain: Floats
    """Not negative where a place is on its edge or face."""
    static: Floats
    """The coefficient of friction up to which it sticks."""
    slip: Floats
    point: Floats
    normal: Floats
    """The force; zero where it is open, NaN where no row tells it."""
    friction: Floats
    force: Floats
    """Both together as a vector along the axes of the ground, on what carries the first shape."""
    resistance: Floats
    """How large a moment against turning may be, by the normal force."""
    moment: Floats
    """That moment, on what carries the first shape; zero where nothing resists turning."""

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
        self._turning = {place.total: names.index(place.turning[0].name) for place in automaton.resisting}

    @property
    def places(self) -> int:
        """How many places there are."""
        return len(self._automaton.places)

    @property
    def width(self) -> int:
        """How many numbers are kept of an instant."""
        return self.places * (7 + 2 * self._directions) + len(self._turning)

    @property
    def features(self) -> dict[str, tuple[str, ...]]:
        """The places of each contact, by its name."""
        return {contact.name: contact.features for contact in self._automaton.system.contacts.values()}

    @cached_property
    def _program(self) -> Program:
        def made() -> Program:
            with self._compiled.equations.lock:
                convert = self._compiled.equations.quantities.convert
                nodes = [convert(value) for place in self._automaton.places for value in _outputs(place)]
                return self._compiled.program(nodes)

        return self._store.program(("contact account", self._automaton), made)

    def seen(
        self, bounds: NDArray[np.int64], times: Floats, states: Floats, values: Floats, held: Floats,
        reactions: Sequence[Piece],
    ) -> Seen:  # fmt: skip
        """The contacts at instants, in stretches with a row of values each; ``held`` are the discrete states there."""
        d, places = self._directions, self.places
        if len(times) > MANY:
            self._program.compile_later()
        out = self._program.over_stretches(bounds, times, states, values)
        found = out.reshape(len(times), places, self._program.size // places)
        gap, domain, static, resistance, brake = (found[..., k] for k in range(5))
        slip, drag, point, turned = np.split(found[..., 5:], np.cumsum([d, d, 3]), axis=2)
        status = held[:, self._statuses]
        forces = self._forces(status, drag, reactions)
        force = np.einsum("tpk,tpkx->tpx", forces, turned.reshape(len(times), places, 1 + d, 3))
        moment = self._moments(status, held, brake * forces[..., 0], reactions)
        return Seen(
            status, gap, domain, static, slip, point, forces[..., 0], forces[..., 1:], force, resistance, moment
        )  # fmt: skip

    def _moments(self, status: Floats, held: Floats, braking: Floats, reactions: Sequence[Piece]) -> Floats:
        """The moment against turning: what holds a place, or brakes it."""
        moments = np.zeros(status.shape)
        for number, state in self._turning.items():
            row, closed = self._automaton.places[number].turn_row, status[:, number] > ContactStatus.OPEN
            moments[closed, number] = np.nan
            for names, nodes, values in reactions:
                if row in names:
                    moments[nodes, number] = values[:, names.index(row)]
            turns = closed & (held[:, state] != 0.0)
            moments[turns, number] = braking[turns, number]
        return moments

    def _forces(self, status: Floats, drag: Floats, reactions: Sequence[Piece]) -> Floats:
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

    def kept(self, seen: Seen) -> Floats:
        """What a run keeps of it, a row for each instant."""
        parts = (seen.gap[..., None], seen.slip, seen.friction, seen.point, seen.force)
        every = np.concatenate(parts, axis=2).reshape(len(seen.gap), self.width - len(self._turning))
        return np.concatenate([every, seen.moment[:, list(self._turning)]], axis=1)

    def named(self, kept: Floats) -> dict[str, dict[str, Floats]]:
        """Columns of a run, each by the names of places and of components."""
        d, made = self._directions, {name: dict[str, Floats]() for name in COLUMNS}
        components = [""] if d == 1 else [f".{number + 1}" for number in range(d)]
        along = [f".{axis}" for axis in AXES]
        suffixes = zip(COLUMNS, ([""], components, components, along, along), strict=False)
        order = [(name, suffix) for name, every in suffixes for suffix in every]
        every = kept[:, : self.width - len(self._turning)]
        rows, moments = every.reshape(len(kept), self.places, len(order)), kept[:, every.shape[1] :]
        for number, place in enumerate(self._automaton.places):
            for column, (name, suffix) in enumerate(order):
                made[name][place.name + suffix] = np.ascontiguousarray(rows[:, number, column])
        for column, number in enumerate(self._turning):
            made["moments"][self._automaton.places[number].name] = np.ascontiguousarray(moments[:, column])
        return made


def _outputs(place: Place) -> list[object]:
    """What the program gives of a place, in the order in which :meth:`ContactAccount.seen` takes it apart."""
    domain = place.domains[0] if place.domains else 1
    told = [place.gap, domain, place.static, place.resistance, place.moment]
    return [*told, *place.slips, *place.drag, *place.point, *place.turned]
