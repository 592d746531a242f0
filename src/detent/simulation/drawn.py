"""What a run does where something is drawn: the nearest points on it, and whether it overlaps what is there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, final

import numpy as np

from detent.errors import DetentError
from detent.formulation.running import Instant
from detent.hybrid.contact_place import Place
from detent.hybrid.status_automaton import StatusAutomaton
from detent.jit.program import Program
from detent.model.drawing import Drawing
from detent.model.parametric_shapes import Curve
from detent.simulation.context import Context
from detent.simulation.nearest_start import nearest_point
from detent.solves.following import FollowedPlace

_OVERLAP: Final = 1e-9
"""An overlap below this (m), or this part of the largest coordinate, is rounding."""


@final
class Drawn:
    """A drawing as a run has it: where its numbers stand, and what may touch it. Its programs are compiled at once."""

    def __init__(self, context: Context, drawing: Drawing) -> None:
        self._context, self.drawing = context, drawing
        names = context.compiled.value_names
        self._columns = np.array([names.index(name) for name in drawing.inputs])
        self._places = _places_of(context, drawing)
        following = context.compiled.following
        known = {place.name for place in self._places}
        followed = () if following is None else following.places
        self._followed: tuple[FollowedPlace, ...] = tuple(place for place in followed if place.name in known)
        self._statuses = np.array([names.index(place.status.name) for place in self._places], dtype=np.int64)
        self._gaps: Program | None = None
        if self._places:
            convert = context.compiled.equations.quantities.convert
            with context.compiled.equations.lock:
                nodes = [convert(each) for place in self._places for each in (place.gap, place.domains[0])]
            self._gaps = context.compiled.program(nodes)
            self._gaps.compile()

    @property
    def is_touched(self) -> bool:
        """Whether something touches it now."""
        return bool((self._context.values.vector[self._statuses] > 0).any())

    def told(self, changes: Mapping[str, float]) -> str:
        """What is done to it, in words."""
        flag = self.drawing.is_drawn
        return f"{'draw' if flag is None or changes[flag] > 0.0 else 'erase'} {self.drawing.name}"

    def let_go(self) -> None:
        """Have it touch nothing, where it is."""
        self._context.values.vector[self._columns[-1]] = 0.0

    def put(self, changes: Mapping[str, float]) -> np.ndarray:
        """Give its numbers other values; those before."""
        vector = self._context.values.vector
        before: np.ndarray = vector[self._columns].copy()
        vector[self._columns] = [changes[name] for name in self.drawing.inputs]
        return before

    def take_back(self, before: np.ndarray) -> None:
        """Give its numbers the values that they had."""
        self._context.values.vector[self._columns] = before

    def approach(self, instant: Instant) -> None:
        """Put the nearest points on it into the state of an instant; refused where something overlaps it."""
        following, names = self._context.compiled.following, self._context.compiled.layout.names
        for place in self._followed:
            columns = list(place.columns)
            found = nearest_point(place, instant.time, instant.state, instant.values, [names[each] for each in columns])
            instant.state[columns] = found
        if following is not None and self._followed:
            following.look_at(instant.state, instant.values, self._followed)
        self._refuse_overlap(instant)

    def _refuse_overlap(self, instant: Instant) -> None:
        if self._gaps is None:
            return
        found = self._gaps(instant.time, instant.state, instant.values).reshape(-1, 2)
        largest = max(1.0, float(np.abs(instant.state[: len(self._context.compiled.layout.coordinates)]).max()))
        for place, (gap, domain) in zip(self._places, found.tolist(), strict=True):
            if domain >= 0.0 and gap < -_OVERLAP * largest:
                raise DetentError(
                    f"'{self.drawing.name}' cannot be drawn there at t = {instant.time:.9g}: the shapes of "
                    f"{place.name} overlap by {-gap:.6g} m; draw it clear of what moves, on the left of its way"
                )


def _places_of(context: Context, drawing: Drawing) -> tuple[Place, ...]:
    """The places where something may touch a curve."""
    automaton = context.automaton
    if not isinstance(automaton, StatusAutomaton) or drawing.is_drawn is None:
        return ()
    return tuple(
        place
        for place in automaton.places
        for shape in (place.contact.first, place.contact.second)
        if isinstance(shape, Curve) and shape.is_drawn is not None and shape.is_drawn.name == drawing.is_drawn
    )
