"""What each load brings, as a textbook writes it: streams of terms for :class:`detent.dynamics.kane.Kane`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, final

from detent.dynamics.directions import FrameVector, vector_scaled
from detent.dynamics.quantities import Quantities
from detent.dynamics.textbook_kinematics import Motion, TextbookKinematics
from detent.errors import Fault, ModelError
from detent.expr import operation as op
from detent.expr.graph import Node
from detent.model.body import Body
from detent.model.frame import Frame
from detent.model.point import Point
from detent.model.vector import Vector


@final
class ForceTerms:
    """The generalized force for one speed: a force times the partial velocity of where it acts.

    Knows every action of :class:`detent.model.load.Actions`; a term is made when it is asked for.
    """

    def __init__(self, movement: TextbookKinematics, quantities: Quantities, bodies: Iterable[Body], r: int) -> None:
        self.movement, self.directions, self.bodies, self.r = movement, movement.directions, bodies, r
        self.quantities, self.graph = quantities, quantities.graph

    def field(self, acceleration: Vector) -> Iterator[Node]:
        for body in self.bodies:
            weight = vector_scaled(self.quantities.convert(body.mass), self.directions.vector(acceleration))
            yield from self._along(weight, self.movement.motion(body.center))

    def force(self, point: Point, vector: Vector) -> Iterator[Node]:
        yield from self._along(self.directions.vector(vector), self.movement.motion(point))

    def torque(self, frame: Frame, vector: Vector, reaction: Frame | None) -> Iterator[Node]:
        yield from self._along(self.directions.vector(vector), self.movement.spin(frame))
        if reaction is not None:
            yield from self._along(self.directions.vector(-vector), self.movement.spin(reaction))

    def potential(self, where: str, energy: Any) -> Iterator[Node]:
        stored = self.quantities.convert(energy)
        for leaf, speed in zip(self.quantities.u, self.quantities.speeds, strict=True):
            if stored.leaves & leaf.leaves:
                found = f"its energy depends on the speed '{speed}'"
                raise ModelError([Fault(where, found, "use coordinates, signals and time only")])
        slopes, _ = self.quantities.parts(stored)
        if self.r in slopes:
            yield -slopes[self.r]

    def spring(self, where: str, first: Point, second: Point, stiffness: Any, rest: Any) -> Iterator[Node]:
        place, motion = self.movement.apart(first, second)
        factor, length = self.quantities.convert(stiffness), self.quantities.convert(rest)
        if length.is_zero:
            tension = -factor
        else:
            tension = factor * (length / self.graph.function(op.SQRT, self.directions.dot(place, place)) - 1.0)
        yield from (tension * term for term in self._along(place, motion))

    def resistance(self, where: str, rate: Any, coefficient: Any, quadratic: bool) -> Iterator[Node]:
        chi = self.quantities.convert(rate)
        factors, _ = self.quantities.linear_parts(chi, f"{where}, its rate")
        strength = self.quantities.convert(coefficient)
        if quadratic:
            strength = strength * self.graph.function(op.ABSOLUTE, chi)
        if self.r in factors:
            yield -(strength * chi * factors[self.r])

    def drag(self, point: Point, coefficient: Any, quadratic: bool) -> Iterator[Node]:
        motion, strength = self.movement.motion(point), self.quantities.convert(coefficient)
        if quadratic:
            square = self.directions.dot(motion.velocity, motion.velocity)
            strength = strength * self.graph.function(op.SQRT, square)
        yield from self._along(vector_scaled(-strength, motion.velocity), motion)

    def parting(self, where: str, first: Point, second: Point, coefficient: Any, quadratic: bool) -> Iterator[Node]:
        place, motion = self.movement.apart(first, second)
        square, rate = self.directions.dot(place, place), self.directions.dot(place, motion.velocity)
        strength = self.quantities.convert(coefficient) * rate / square
        if quadratic:
            strength = strength * self.graph.function(op.ABSOLUTE, rate) / self.graph.function(op.SQRT, square)
        yield from (-strength * term for term in self._along(place, motion))

    def _along(self, force: FrameVector, motion: Motion) -> Iterator[Node]:
        return self.directions.dot_terms(force, motion.partials.get(self.r, {}))


@final
class EnergyTerms:
    """The potential energy of the actions that have one; that of a field is measured from the origin."""

    def __init__(
        self, movement: TextbookKinematics, quantities: Quantities, bodies: Iterable[Body], origin: Point
    ) -> None:
        self.movement, self.directions, self.bodies, self.origin = movement, movement.directions, bodies, origin
        self.quantities = quantities

    def field(self, acceleration: Vector) -> Iterator[Node]:
        for body in self.bodies:
            weight = vector_scaled(-self.quantities.convert(body.mass), self.directions.vector(acceleration))
            yield from self.directions.dot_terms(weight, self.movement.apart(self.origin, body.center)[0])

    def potential(self, where: str, energy: Any) -> Iterator[Node]:
        yield self.quantities.convert(energy)

    def spring(self, where: str, first: Point, second: Point, stiffness: Any, rest: Any) -> Iterator[Node]:
        place, _ = self.movement.apart(first, second)
        square, length = self.directions.dot(place, place), self.quantities.convert(rest)
        stretch = self.quantities.graph.function(op.SQRT, square) - length
        yield self.quantities.convert(stiffness) * (square if length.is_zero else stretch * stretch) * 0.5

    def _none(self, *told: Any) -> Iterator[Node]:
        """Any other action does work and stores none."""
        return iter(())

    force = torque = resistance = drag = parting = _none
