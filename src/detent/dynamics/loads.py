"""What each load brings: generalized forces, a potential energy, or a power.

A force on a body becomes a wrench on that body, to be gathered with all others along the tree; any
other load is projected on the speeds it works on at once.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from detent.dynamics.inertia import Element, Row, pick
from detent.dynamics.kinematics import REMAINDER, Kinematics
from detent.dynamics.quantities import Quantities
from detent.errors import Fault, ModelError
from detent.expr import operation as op
from detent.expr import vector3
from detent.expr.graph import Node
from detent.expr.vector3 import Vector3
from detent.model.load import (
    Damper,
    Force,
    Gravity,
    Load,
    PairDamper,
    PointDamper,
    PointSpring,
    Potential,
    Torque,
)
from detent.model.point import Point


@dataclass
class LoadParts:
    """A load on the graph."""

    name: str
    generalized: dict[int, Node] = field(default_factory=dict)
    """Force per speed, apart from what ``wrenches`` bring; REMAINDER holds what works on prescribed motion."""
    wrenches: list[tuple[Element, Row]] = field(default_factory=list)
    energy: Node | None = None
    """The potential energy of a conservative load."""
    power: Node | None = None
    """The power of any other load, its work on prescribed motion left out."""
    drive: Node | None = None
    """How fast a conservative load's energy changes through prescribed motion and time alone."""

    def push(self, r: int, value: Node) -> None:
        self.generalized[r] = self.generalized[r] + value if r in self.generalized else value

    def times(self, factor: Node) -> LoadParts:
        """The same load, so many times as strong."""
        scaled = [None if part is None else part * factor for part in (self.energy, self.power, self.drive)]
        return LoadParts(
            self.name,
            {r: value * factor for r, value in self.generalized.items()},
            [(element, tuple(value * factor for value in row)) for element, row in self.wrenches],
            *scaled,
        )


def is_steady(quantities: Quantities, gravity: Gravity) -> bool:
    """Whether a field of gravity is the same at all times, so that it has a potential energy.

    One that changes with time or an input, turns with a body, or comes and goes, does work like any other force.
    """
    if gravity.name in quantities.switches:
        return False
    local = Kinematics(quantities, quantities.system.ground, quantities.system.origin)
    inputs = [quantities.convert(symbol) for symbol in quantities.run_inputs]
    for component in local.vector(gravity.acceleration):
        coefficients, rest = quantities.parts(component)
        if coefficients or not rest.is_zero or any(component.leaves & leaf.leaves for leaf in inputs):
            return False
    return True


class LoadReader:
    """Turns the loads of a system into parts."""

    def __init__(self, kinematics: Kinematics, elements: list[Element], active: tuple[int, ...]) -> None:
        self.kinematics, self.elements, self.active = kinematics, elements, active
        self.quantities = kinematics.quantities
        self.graph = kinematics.graph

    def read(self, load: Load) -> LoadParts | None:
        """The parts of one load; None for steady gravity, which the bodies bring themselves."""
        parts = LoadParts(load.name)
        match load:
            case Gravity():
                if is_steady(self.quantities, load):
                    return None
                for element in self.elements:
                    weight = vector3.scale(element.mass, self.kinematics.vector(load.acceleration))
                    self._force(parts, element.body.center, weight)
            case Potential():
                self._potential(parts, self.quantities.convert(load.energy))
            case PointSpring():
                stretch = self._distance(load.first, load.second) - self.quantities.convert(load.rest)
                self._potential(parts, self.quantities.convert(load.stiffness) * stretch * stretch * 0.5)
            case Force():
                self._force(parts, load.point, self.kinematics.vector(load.vector))
                if load.reaction is not None:
                    self._force(parts, load.reaction, self.kinematics.vector(-load.vector))
            case Torque():
                self._torque(parts, load)
            case Damper():
                self._damper(parts, load)
            case PointDamper():
                velocity = self.kinematics.motion(load.point).velocity
                self._force(parts, load.point, self._resistance(load.coefficient, velocity, load.quadratic))
            case PairDamper():
                rate = self.quantities.change(self._distance(load.first, load.second))
                self._resist(parts, rate, load.coefficient, load.quadratic)
        switch = self.quantities.switches.get(load.name)
        return parts if switch is None else parts.times(switch)

    def _potential(self, parts: LoadParts, energy: Node) -> None:
        for row, leaf in self.quantities.reactions.items():
            if energy.leaves & leaf.leaves:
                found = f"its energy depends on the reaction of '{row}', so it is not conserved"
                raise ModelError([Fault(f"potential '{parts.name}'", found, "write it as a force or a torque")])
        for leaf, speed in zip(self.quantities.u, self.quantities.speeds, strict=True):
            if energy.leaves & leaf.leaves:
                found = f"its energy depends on the speed '{speed}'"
                raise ModelError([Fault(f"potential '{parts.name}'", found, "use coordinates, signals and time only")])
        coefficients, rest = self.quantities.parts(energy)
        for r, value in coefficients.items():
            parts.push(r, -value)
        parts.energy, parts.drive = energy, rest

    def _distance(self, first: Point, second: Point) -> Node:
        local = Kinematics(self.quantities, self.kinematics.resolution, first)
        apart = local.position(second)
        return self.graph.function(op.SQRT, vector3.dot(apart, apart))

    def _force(self, parts: LoadParts, point: Point, force: Vector3) -> None:
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

    def _torque(self, parts: LoadParts, load: Torque) -> None:
        torque, zero = self.kinematics.vector(load.vector), self.kinematics.nothing
        own = self.kinematics.spin(load.frame)
        other = None if load.reaction is None else self.kinematics.spin(load.reaction)
        against = {} if other is None else other.partials
        velocity = own.velocity if other is None else vector3.subtract(own.velocity, other.velocity)
        power = vector3.dot(torque, velocity)
        for r in dict.fromkeys([*own.partials, *against]):
            turning = vector3.subtract(own.partials.get(r, zero), against.get(r, zero))
            if not vector3.is_zero(turning):
                parts.push(r, vector3.dot(torque, turning))
        parts.power = power - parts.generalized.get(REMAINDER, self.graph.zero)

    def _damper(self, parts: LoadParts, load: Damper) -> None:
        self._resist(parts, self.quantities.convert(load.rate), load.coefficient, load.quadratic)

    def _resist(self, parts: LoadParts, rate: Node, coefficient: object, quadratic: bool) -> None:
        coefficients, rest = self.quantities.linear_parts(rate, f"damper '{parts.name}', its rate")
        if not coefficients:
            found = "its rate holds no speed, so it does nothing"
            raise ModelError([Fault(f"damper '{parts.name}'", found, "give it a rate such as q.rate or a speed")])
        strength = self.quantities.convert(coefficient)
        if quadratic:
            strength = strength * self.graph.function(op.ABSOLUTE, rate)
        force = -(strength * rate)
        for r, value in coefficients.items():
            parts.push(r, force * value)
        parts.power = force * (rate - rest)

    def _resistance(self, coefficient: object, velocity: Vector3, quadratic: bool) -> Vector3:
        strength = self.quantities.convert(coefficient)
        if quadratic:
            strength = strength * self.graph.function(op.SQRT, vector3.dot(velocity, velocity))
        return vector3.scale(-strength, velocity)
