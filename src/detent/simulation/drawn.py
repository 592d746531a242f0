"""What a run does where something is drawn: the nearest points on it, and whether it overlaps what is there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, final

import numpy as np
from numpy.typing import NDArray

from detent.errors import DetentError
from detent.formulation.running import Instant
from detent.hybrid.contact_place import Place
from detent.hybrid.status_automaton import StatusAutomaton
from detent.jit.arrays import FloatArray
from detent.jit.program import Program
from detent.model.drawing import UNDRAWN, Drawing
from detent.model.parametric_shapes import Curve
from detent.simulation.context import Context
from detent.solves.drawn_curve import drawn_curve
from detent.solves.following import FollowedPlace

_OVERLAP: Final = 1e-9
"""An overlap below this (m), or this part of the largest coordinate, is rounding."""


@final
@dataclass(frozen=True, eq=False)
class DrawnNumbers:
    """What is to be drawn, worked out as far as no state is needed: another thread may do that."""

    told: str
    values: FloatArray
    samples: int
    """At how many points of a curve a nearest one is looked for."""


@final
@dataclass(frozen=True, eq=False)
class DrawingBefore:
    """The numbers of a drawing before it was drawn anew, and what was known of nearest points."""

    numbers: FloatArray
    nearest: NDArray[np.uint8] | None


@final
@dataclass(frozen=True, eq=False)
class Approached:
    """The nearest points on what is to be drawn: their coordinates, and what is known of them."""

    coordinates: FloatArray
    nearest: NDArray[np.uint8] | None


@final
class Drawn:
    """A drawing as a run has it: where its numbers stand, and what may touch it. Its programs are compiled at once."""

    def __init__(self, context: Context, drawing: Drawing) -> None:
        self._context, self.drawing = context, drawing
        names = context.compiled.value_names
        first = names.index(drawing.inputs[0])
        self._columns = slice(first, first + len(drawing.inputs))
        self._places = _places_of(context, drawing)
        following = context.compiled.following
        known = {place.name for place in self._places}
        followed = () if following is None else following.places
        self._followed: tuple[FollowedPlace, ...] = tuple(place for place in followed if place.name in known)
        self.nearest = [column for place in self._followed for column in place.columns]
        """Where the coordinates of the nearest points on it stand in a state."""
        self.stores_energy = context.compiled.observer.tape.reads_values(first, self._columns.stop)
        """Whether there is energy that depends on how it is drawn."""
        self._statuses = [names.index(place.status.name) for place in self._places]
        self._gaps: Program | None = None
        if self._places:
            convert = context.compiled.equations.quantities.convert
            with context.compiled.equations.lock:
                nodes = [convert(each) for place in self._places for each in (place.gap, place.domains[0])]
            self._gaps = context.compiled.program(nodes)
            self._gaps.compile()

    def numbers(self, points: Sequence[Any] | None) -> DrawnNumbers:
        """What goes through points; None to have it touch nothing."""
        drawing, told = self.drawing, f"{'erase' if points is None else 'draw'} {self.drawing.name}"
        if drawing.is_drawn is None:  # a function, on which nothing is looked at
            return DrawnNumbers(told, np.concatenate(drawing.numbers(points or UNDRAWN)), 0)
        numbers, samples = drawn_curve(*drawing.laid_out(points or UNDRAWN), len(drawing.tables[0].names))
        made = DrawnNumbers(told, np.append(numbers, float(points is not None)), samples)
        following = self._context.compiled.following
        if following is not None and self._followed:
            values = self._context.values.vector.copy()
            values[self._columns] = made.values
            following.foresee(self._followed, values)
        return made

    @property
    def is_touched(self) -> bool:
        """Whether something touches it now."""
        vector = self._context.values.vector
        return any(vector[place] > 0.0 for place in self._statuses)

    def let_go(self) -> None:
        """Have it touch nothing, where it is."""
        self._context.values.vector[self._columns.stop - 1] = 0.0

    def put(self, numbers: FloatArray, approached: Approached | None = None) -> DrawingBefore:
        """Give it other numbers, with the nearest points on it if they are known; what was before."""
        vector, following = self._context.values.vector, self._context.compiled.following
        before = DrawingBefore(vector[self._columns].copy(), None if following is None else following.memory)
        vector[self._columns] = numbers
        self._work_out()
        if following is not None and approached is not None and approached.nearest is not None:
            following.memory = approached.nearest
        return before

    def take_back(self, before: DrawingBefore) -> None:
        """It is as it was, to the last bit: a run that is done again does not know what was refused."""
        self._context.values.vector[self._columns] = before.numbers
        self._work_out()
        if before.nearest is not None and self._context.compiled.following is not None:
            self._context.compiled.following.memory = before.nearest

    def _work_out(self) -> None:
        """What is known of the portions of curves is of those that are drawn now."""
        context = self._context
        if context.compiled.following is not None:
            context.compiled.following.work_out(context.instant.state, context.values.vector)

    def approached(self, numbers: DrawnNumbers, instant: Instant) -> Approached:
        """The nearest points on it where it is drawn so; refused where something overlaps it. Nothing changes."""
        before = self.put(numbers.values)
        try:
            self.approach(numbers, instant)
            following = self._context.compiled.following
            return Approached(instant.state[self.nearest], None if following is None else following.memory)
        finally:
            self.take_back(before)

    def approach(self, numbers: DrawnNumbers, instant: Instant) -> None:
        """Put the nearest points on it, as it is drawn now, into the state of an instant; refused where something
        overlaps it."""
        following = self._context.compiled.following
        for place in self._followed:
            assert following is not None
            following.begin_anew(place, numbers.samples)
            if not following.find(place, instant.time, instant.state, instant.values):
                raise DetentError(
                    f"'{self.drawing.name}' cannot be drawn there at t = {instant.time:.9g}: no point of it is nearest "
                    f"to what may touch it at {place.name}; draw it elsewhere, or less curved"
                )
        self._refuse_overlap(instant)
        if following is not None and self._followed and not following.look(instant.time, instant.state, instant.values):
            raise DetentError(
                f"'{self.drawing.name}' cannot be drawn there at t = {instant.time:.9g}: the shapes of "
                f"{following.culprit.name} overlap at another place than the nearest; draw it clear of what moves"
            )
        if following is not None:
            following.forget_jump()

    def _refuse_overlap(self, instant: Instant) -> None:
        if self._gaps is None:
            return
        found = self._gaps(instant.time, instant.state, instant.values).tolist()
        coordinates = instant.state[: len(self._context.compiled.layout.coordinates)].tolist()
        largest = max(1.0, *map(abs, coordinates))
        for place, gap, domain in zip(self._places, found[::2], found[1::2], strict=True):
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
