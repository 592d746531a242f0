"""What each load brings: generalized forces, a potential energy, or a power.

A force on a body becomes a wrench on that body, to be gathered with all others along the tree; any
other action is projected on the speeds it works on at once.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, final

from detent.dynamics.inertia import Element, Row, pick
from detent.dynamics.kinematics import REMAINDER, Kinematics
from detent.dynamics.quantities import Quantities
from detent.errors import Fault, ModelError
from detent.expr import operation as op
from detent.expr import vector3
from detent.expr.graph import Node
from detent.expr.vector3 import Vector3
from detent.model.frame import Frame
from detent.model.load import Load
from detent.model.point import Point
from detent.model.vector import Vector


@dataclass
class LoadParts:
    """A load, or one of its actions, on the graph."""

    generalized: dict[int, Node] = field(default_factory=dict)
    """Force per speed, apart from what ``wrenches`` bring; REMAINDER holds what works on prescribed motion."""
    wrenches: list[tuple[Element, Row]] = field(default_factory=list)
    energy: Node | None = None
    """The potential energy of what is conservative."""
    power: Node | None = None
    """The power of anything else, its work on prescribed motion left out."""
    drive: Node | None = None
    """How fast a potential energy changes through prescribed motion and time alone."""

    def push(self, r: int, value: Node) -> None:
        self.generalized[r] = self.generalized[r] + value if r in self.generalized else value

    def add(self, other: LoadParts) -> None:
        """Take what another action brings."""
        for r, value in other.generalized.items():
            self.push(r, value)
        self.wrenches += other.wrenches
        self.energy, self.power = _sum(self.energy, other.energy), _sum(self.power, other.power)
        self.drive = _sum(self.drive, other.drive)

    def times(self, factor: Node) -> LoadParts:
        """The same load, so many times as strong."""
        scaled = [None if part is None else part * factor for part in (self.energy, self.power, self.drive)]
        return LoadParts(
            {r: value * factor for r, value in self.generalized.items()},
            [(element, tuple(value * factor for value in row)) for element, row in self.wrenches],
            *scaled,
        )


def _sum(first: Node | None, second: Node | None) -> Node | None:
    if first is None or second is None:
        return first if second is None else second
    return first + second


@final
class _Fields:
    """Of all actions of a load, the accelerations that it gives to every mass."""

    def field(self, acceleration: Vector) -> Vector:
        return acceleration

    def _none(self, *told: Any) -> None:
        """Any other action."""

    force = torque = potential = spring = resistance = drag = parting = _none


def steady_fields(quantities: Quantities) -> list[Vector]:
    """The fields of gravity that are the same at all times, so that they have a potential energy.

    One that changes with time or an input, turns with a body, or comes and goes, does work like any other force.
    """
    system = quantities.system
    always = [load for name, load in system.loads.items() if name not in quantities.switches]
    fields = [field for load in always for field in load.actions(_Fields()) if field is not None]
    return [field for field in fields if _is_steady(quantities, field)]


def _is_steady(quantities: Quantities, acceleration: Vector) -> bool:
    local = Kinematics(quantities, quantities.system.ground, quantities.system.origin)
    inputs = [quantities.convert(symbol) for symbol in quantities.run_inputs]
    for component in local.vector(acceleration):
        coefficients, rest = quantities.parts(component)
        if coefficients or not rest.is_zero or any(component.leaves & leaf.leaves for leaf in inputs):
            return False
    return True


@final
class LoadReader:
    """Turns the loads of a system into parts: knows every action of :class:`detent.model.load.Actions`."""

    def __init__(
        self, kinematics: Kinematics, elements: list[Element], active: tuple[int, ...], steady: list[Vector]
    ) -> None:
        self.kinematics, self.elements, self.active = kinematics, elements, active
        self.quantities = kinematics.quantities
        self.graph = kinematics.graph
        self.steady = steady
        """Fields that the bodies bring themselves, as their weight."""

    def read(self, load: Load) -> LoadParts:
        """The parts of one load."""
        parts = LoadParts()
        for action in load.actions(self):
            parts.add(action)
        switch = self.quantities.switches.get(load.name)
        return parts if switch is None else parts.times(switch)

    # -- actions -----------------------------------------------------------------------------

    def field(self, acceleration: Vector) -> LoadParts:
        parts = LoadParts()
        if not any(acceleration is each for each in self.steady):
            for element in self.elements:
                weight = vector3.scale(element.mass, self.kinematics.vector(acceleration))
                self._push(parts, element.body.center, weight)
        return parts

    def force(self, point: Point, vector: Vector) -> LoadParts:
        parts = LoadParts()
        self._push(parts, point, self.kinematics.vector(vector))
        return parts

    def torque(self, frame: Frame, vector: Vector, reaction: Frame | None) -> LoadParts:
        parts = LoadParts()
        torque, zero = self.kinematics.vector(vector), self.kinematics.nothing
        own = self.kinematics.spin(frame)
        other = None if reaction is None else self.kinematics.spin(reaction)
        against = {} if other is None else other.partials
        velocity = own.velocity if other is None else vector3.subtract(own.velocity, other.velocity)
        power = vector3.dot(torque, velocity)
        for r in dict.fromkeys([*own.partials, *against]):
            turning = vector3.subtract(own.partials.get(r, zero), against.get(r, zero))
            if not vector3.is_zero(turning):
                parts.push(r, vector3.dot(torque, turning))
        parts.power = power - parts.generalized.get(REMAINDER, self.graph.zero)
        return parts

    def potential(self, where: str, energy: Any) -> LoadParts:
        return self._stored(where, self.quantities.convert(energy))

    def spring(self, where: str, first: Point, second: Point, stiffness: Any, rest: Any) -> LoadParts:
        stretch = self._distance(first, second) - self.quantities.convert(rest)
        return self._stored(where, self.quantities.convert(stiffness) * stretch * stretch * 0.5)

    def resistance(self, where: str, rate: Any, coefficient: Any, quadratic: bool) -> LoadParts:
        return self._resist(where, self.quantities.convert(rate), coefficient, quadratic)

    def drag(self, point: Point, coefficient: Any, quadratic: bool) -> LoadParts:
        parts, velocity = LoadParts(), self.kinematics.motion(point).velocity
        strength = self.quantities.convert(coefficient)
        if quadratic:
            strength = strength * self.graph.function(op.SQRT, vector3.dot(velocity, velocity))
        self._push(parts, point, vector3.scale(-strength, velocity))
        return parts

    def parting(self, where: str, first: Point, second: Point, coefficient: Any, quadratic: bool) -> LoadParts:
        return self._resist(where, self.quantities.change(self._distance(first, second)), coefficient, quadratic)

    # -- what they share ---------------------------------------------------------------------

    def _stored(self, where: str, energy: Node) -> LoadParts:
        for row, leaf in self.quantities.reactions.items():
            if energy.leaves & leaf.leaves:
                found = f"its energy depends on the reaction of '{row}', so it is not conserved"
                raise ModelError([Fault(where, found, "write it as a force or a torque")])
        for leaf, speed in zip(self.quantities.u, self.quantities.speeds, strict=True):
            if energy.leaves & leaf.leaves:
                found = f"its energy depends on the speed '{speed}'"
                raise ModelError([Fault(where, found, "use coordinates, signals and time only")])
        coefficients, rest = self.quantities.parts(energy)
        return LoadParts({r: -value for r, value in coefficients.items()}, energy=energy, drive=rest)

    def _distance(self, first: Point, second: Point) -> Node:
        local = Kinematics(self.quantities, self.kinematics.resolution, first)
        apart = local.position(second)
        return self.graph.function(op.SQRT, vector3.dot(apart, apart))

    def _push(self, parts: LoadParts, point: Point, force: Vector3) -> None:
        kinematics, velocity = self.kinematics, self.kinematics.motion(point).velocity
        place = kinematics.position(point)
        twist = kinematics.twist(point, point.carrier)
        partials = {r: vector3.add(moving, vector3.cross(turning, place)) for r, (turning, moving) in twist.items()}
        power = vector3.dot(force, velocity)
        if REMAINDER in partials:
            driven = vector3.dot(force, partials[REMAINDER])
            parts.push(REMAINDER, driven)
            power = power - driven
        carrier = self._carrier(point)
        if carrier is not None:
            parts.wrenches.append((carrier, pick((vector3.cross(place, force), force), self.active)))
        else:
            for r, partial in partials.items():
                if r != REMAINDER:
                    parts.push(r, vector3.dot(force, partial))
        parts.power = power if parts.power is None else parts.power + power

    def _carrier(self, point: Point) -> Element | None:
        """The body that a point is fixed to, if it is fixed to one."""
        for element in self.elements:
            frame = element.body.frame
            if (element.body.center is point or frame is point.carrier) and (
                self.kinematics.twist(point, frame) == element.twist
            ):
                return element
        return None

    def _resist(self, where: str, rate: Node, coefficient: Any, quadratic: bool) -> LoadParts:
        coefficients, rest = self.quantities.linear_parts(rate, f"{where}, its rate")
        if not coefficients:
            found = "its rate holds no speed, so it does nothing"
            raise ModelError([Fault(where, found, "give it a rate such as q.rate or a speed")])
        strength = self.quantities.convert(coefficient)
        if quadratic:
            strength = strength * self.graph.function(op.ABSOLUTE, rate)
        force = -(strength * rate)
        return LoadParts({r: force * value for r, value in coefficients.items()}, power=force * (rate - rest))
