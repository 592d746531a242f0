"""Kane's method as a textbook writes it: partial velocities, and what each element brings to every speed.

The engine (:mod:`detent.dynamics.motion`) resolves everything along one frame, which is fast to run and
unpleasant to read. Here a vector stays in the frames it was written in, and two vectors meet only in a
dot product, through the rotation between their frames: turns about a common axis add up in the angle, so
a double pendulum gives m*l1*l2*cos(q2) and not sums of products of sines and cosines. The two derivations
share nothing but the quantities of the system, so each checks the other.

Every entry is a stream of terms: a reader who wants only small entries stops listening to a large one
before it is built.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from detent.dynamics.directions import FrameVector, times
from detent.dynamics.movement import Motion, Movement
from detent.dynamics.quantities import Quantities
from detent.errors import Fault, ModelError
from detent.expr import operation as op
from detent.expr.graph import Node
from detent.model.body import Body, Inertia
from detent.model.frame import Frame
from detent.model.load import Damper, Force, Gravity, Load, PairDamper, PointDamper, PointSpring, Potential, Torque
from detent.model.measure import Measure
from detent.model.quantity import Reaction
from detent.model.rotation import AxisRotation, QuaternionRotation
from detent.model.system import System


class Kane:
    """Generalized inertia and active forces of a system, element by element, as streams of terms.

    Speeds are given by their number. The sum over all elements obeys M u' = f.
    """

    def __init__(self, system: System, acting: tuple[str, ...] = ()) -> None:
        if system.faults:
            raise ModelError(system.faults)
        if not system.bodies:
            raise ModelError(
                [Fault(f"system '{system.name}'", "it has no body", "add one with system.body or particle")]
            )
        self.quantities = Quantities(system)
        self.graph = self.quantities.graph
        self.quantities.convert.resolve = self._resolved
        self.origin, self.bodies = system.origin, dict(system.bodies)
        self.loads = {
            name: load for name, load in system.loads.items() if name not in system.switched_loads or name in acting
        }
        self.movement = Movement(self.quantities)
        self.directions = self.movement.directions

    def _resolved(self, symbol: Any) -> Node | None:
        """A measure written out, a reaction by its name: what loads may speak of besides the system's quantities."""
        if isinstance(symbol, Reaction):
            return self.quantities.reaction(symbol)
        if isinstance(symbol, Measure) and symbol.level == "position" and symbol.point is not None:
            return self.quantities.convert(symbol.point.position(symbol.other).dot(symbol.direction))
        return None

    # -- bodies ------------------------------------------------------------------------------

    def mass_terms(self, body: Body, r: int, s: int) -> Iterator[Node]:
        """A body's part of M: m v_r . v_s + w_r . I . w_s."""
        moving, turning = self.movement.motion(body.center).partials, self._turning(body).partials
        if r in moving and s in moving:
            mass = self.quantities.convert(body.mass)
            yield from (mass * term for term in self.directions.dot_terms(moving[r], moving[s]))
        if r in turning and s in turning:
            yield from self._inertia_terms(body, turning[r], turning[s])

    def bias_terms(self, body: Body, r: int) -> Iterator[Node]:
        """A body's inertia force without u': -m v_r . a - w_r . (I . alpha + w x I . w)."""
        motion, spin = self.movement.motion(body.center), self._turning(body)
        if r in motion.partials:
            mass = self.quantities.convert(body.mass)
            yield from (-(mass * term) for term in self.directions.dot_terms(motion.partials[r], motion.bias))
        if r in spin.partials:
            yield from (-term for term in self._inertia_terms(body, spin.partials[r], spin.bias))
            # w_r . (w x I . w) is (w_r x w) . I . w
            across = self.directions.cross(spin.partials[r], spin.velocity)
            yield from (-term for term in self._inertia_terms(body, across, spin.velocity))

    def kinetic_terms(self, body: Body) -> Iterator[Node]:
        """A body's kinetic energy: m v . v / 2 + w . I . w / 2."""
        velocity, half = self.movement.motion(body.center).velocity, self.quantities.convert(body.mass) * 0.5
        yield from (half * term for term in self.directions.dot_terms(velocity, velocity))
        spin = self._turning(body).velocity
        yield from (0.5 * term for term in self._inertia_terms(body, spin, spin))

    def _turning(self, body: Body) -> Motion:
        given = body.inertia
        point_like = all(value == 0 for value in (given.xx, given.yy, given.zz, given.xy, given.yz, given.zx))
        return Motion() if point_like else self.movement.spin(body.frame)

    def _inertia_terms(self, body: Body, first: FrameVector, second: FrameVector) -> Iterator[Node]:
        convert, given, frame = self.quantities.convert, body.inertia, _inertia_frame(body)
        rows = ((given.xx, given.xy, given.zx), (given.xy, given.yy, given.yz), (given.zx, given.yz, given.zz))
        a, b = self.directions.express(first, frame), self.directions.express(second, frame)
        for x, row in zip(a, rows, strict=True):
            for y, moment in zip(b, row, strict=True):
                if not (moment == 0 or x.is_zero or y.is_zero):
                    yield convert(moment) * (x * y)

    # -- loads -------------------------------------------------------------------------------

    def force_terms(self, load: Load, r: int) -> Iterator[Node]:
        """A load's generalized force for one speed: its force times the partial velocity of where it acts."""
        movement, vector = self.movement, self.directions.vector
        match load:
            case Gravity():
                for body in self.bodies.values():
                    weight = times(self.quantities.convert(body.mass), vector(load.acceleration))
                    yield from self._along(weight, movement.motion(body.center), r)
            case Force():
                yield from self._along(vector(load.vector), movement.motion(load.point), r)
                if load.reaction is not None:
                    yield from self._along(vector(-load.vector), movement.motion(load.reaction), r)
            case Torque():
                yield from self._along(vector(load.vector), movement.spin(load.frame), r)
                if load.reaction is not None:
                    yield from self._along(vector(-load.vector), movement.spin(load.reaction), r)
            case Potential():
                yield from self._slope_terms(load, r)
            case PointSpring() | PairDamper():
                place, motion = movement.apart(load.first, load.second)
                push = self._tension(load, place, motion)
                yield from (push * term for term in self._along(place, motion, r))
            case PointDamper():
                motion = movement.motion(load.point)
                yield from self._along(self._drag(load, motion.velocity), motion, r)
            case Damper():
                yield from self._damper_terms(load, r)

    def _along(self, force: FrameVector, motion: Motion, r: int) -> Iterator[Node]:
        return self.directions.dot_terms(force, motion.partials.get(r, {}))

    def _slope_terms(self, load: Potential, r: int) -> Iterator[Node]:
        energy = self.quantities.convert(load.energy)
        for leaf, speed in zip(self.quantities.u, self.quantities.speeds, strict=True):
            if energy.leaves & leaf.leaves:
                found = f"its energy depends on the speed '{speed}'"
                raise ModelError([Fault(f"potential '{load.name}'", found, "use coordinates, signals and time only")])
        slopes, _ = self.quantities.parts(energy)
        if r in slopes:
            yield -slopes[r]

    def _tension(self, load: PointSpring | PairDamper, place: FrameVector, motion: Motion) -> Node:
        """The force along the line between two points, divided by their distance."""
        convert, graph = self.quantities.convert, self.graph
        if isinstance(load, PointSpring):
            stiffness, rest = convert(load.stiffness), convert(load.rest)
            if rest.is_zero:
                return -stiffness
            return stiffness * (rest / graph.function(op.SQRT, self.directions.dot(place, place)) - 1.0)
        square, parting = self.directions.dot(place, place), self.directions.dot(place, motion.velocity)
        strength = convert(load.coefficient) * parting / square
        if load.quadratic:
            strength = strength * graph.function(op.ABSOLUTE, parting) / graph.function(op.SQRT, square)
        return -strength

    def _drag(self, load: PointDamper, velocity: FrameVector) -> FrameVector:
        strength = self.quantities.convert(load.coefficient)
        if load.quadratic:
            strength = strength * self.graph.function(op.SQRT, self.directions.dot(velocity, velocity))
        return times(-strength, velocity)

    def _damper_terms(self, load: Damper, r: int) -> Iterator[Node]:
        rate = self.quantities.convert(load.rate)
        factors, _ = self.quantities.linear_parts(rate, f"damper '{load.name}', its rate")
        strength = self.quantities.convert(load.coefficient)
        if load.quadratic:
            strength = strength * self.graph.function(op.ABSOLUTE, rate)
        if r in factors:
            yield -(strength * rate * factors[r])

    def potential_terms(self) -> Iterator[Node]:
        """The potential energy of all loads that have one; that of gravity is measured from the origin."""
        convert, graph = self.quantities.convert, self.graph
        for load in self.loads.values():
            match load:
                case Gravity():
                    for body in self.bodies.values():
                        weight = times(-convert(body.mass), self.directions.vector(load.acceleration))
                        yield from self.directions.dot_terms(weight, self.movement.apart(self.origin, body.center)[0])
                case Potential():
                    yield convert(load.energy)
                case PointSpring():
                    place, _ = self.movement.apart(load.first, load.second)
                    square, rest = self.directions.dot(place, place), convert(load.rest)
                    stretch = graph.function(op.SQRT, square) - rest
                    yield convert(load.stiffness) * (square if rest.is_zero else stretch * stretch) * 0.5


def _inertia_frame(body: Body) -> Frame:
    """The frame to write a body's inertia in: what turns about an axis of symmetry need not be followed."""
    frame = body.frame
    while frame.parent is not None and _symmetric(body.inertia, frame.rotation):
        frame = frame.parent
    return frame


def _symmetric(inertia: Inertia, rotation: AxisRotation | QuaternionRotation | None) -> bool:
    if not isinstance(rotation, AxisRotation) or sum(along != 0 for along in rotation.axis) != 1:
        return False
    moments = zip((inertia.xx, inertia.yy, inertia.zz), rotation.axis, strict=True)
    first, second = (moment for moment, along in moments if along == 0)
    return bool(first == second) and all(value == 0 for value in (inertia.xy, inertia.yz, inertia.zx))
