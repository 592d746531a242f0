"""Kane's method as a textbook writes it: partial velocities, and what each element brings to every speed.

The engine (:mod:`detent.dynamics.equations_of_motion`) resolves everything along one frame, which is fast to run and
unpleasant to read. Here a vector stays in the frames it was written in, and two vectors meet only in a
dot product, through the rotation between their frames: turns about a common axis add up in the angle, so
a double pendulum gives m*l1*l2*cos(q2) and not sums of products of sines and cosines. The two derivations
share nothing but the quantities of the system, so each checks the other.

Every entry is a stream of terms: a reader who wants only small entries stops listening to a large one
before it is built.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Any

from detent.dynamics.directions import FrameVector, vector_sum
from detent.dynamics.load_terms import EnergyTerms, ForceTerms
from detent.dynamics.measures import holds_acceleration
from detent.dynamics.quantities import Quantities
from detent.dynamics.textbook_kinematics import Motion, TextbookKinematics
from detent.errors import Fault, ModelError
from detent.expr.graph import Node
from detent.model.body import Body, Inertia
from detent.model.frame import Frame
from detent.model.load import Load
from detent.model.measure import Measure
from detent.model.quantity import Reaction
from detent.model.rotation import AxisRotation, QuaternionRotation
from detent.model.system import System


class Kane:
    """Generalized inertia and active forces of a system, element by element, as streams of terms.

    Speeds are given by their number. The sum over all elements obeys M u' = f.
    """

    def __init__(self, system: System, acting: tuple[str, ...] = (), quantities: Quantities | None = None) -> None:
        """``quantities``: those of the engine, which read measures and reactions already."""
        if system.faults:
            raise ModelError(system.faults)
        if not system.bodies:
            raise ModelError(
                [Fault(f"system '{system.name}'", "it has no body", "add one with system.body or particle")]
            )
        self.quantities = quantities or Quantities(system)
        self.graph = self.quantities.graph
        if quantities is None:
            self.quantities.convert.resolve = self._resolved
        self.origin, self.bodies = system.origin, dict(system.bodies)
        self.loads = {
            name: load for name, load in system.loads.items() if name not in system.switched_loads or name in acting
        }
        self.movement = TextbookKinematics(self.quantities)
        self.directions = self.movement.directions

    def _resolved(self, symbol: Any) -> Node | None:
        """A measure written out, a reaction by its name: what loads may speak of besides the system's quantities."""
        if isinstance(symbol, Reaction):
            return self.quantities.reaction(symbol)
        return self.measure(symbol) if isinstance(symbol, Measure) else None

    def measure(self, measure: Measure) -> Node:
        """A measure written out in the frames that it is about."""
        movement, directions = self.movement, self.directions
        along = directions.vector(measure.direction)
        if measure.level in ("acceleration", "spin rate"):
            raise holds_acceleration(measure)
        if measure.level == "spin":
            assert measure.frame is not None
            return directions.dot(movement.spin(measure.frame).velocity, along)
        assert measure.point is not None
        if measure.level == "motion":
            return directions.dot(movement.motion(measure.point).velocity, along)
        assert measure.other is not None
        place, _ = movement.apart(measure.other, measure.point)
        if measure.level == "position":
            return directions.dot(place, along)
        assert measure.frame is not None
        across = directions.cross(movement.spin(measure.frame).velocity, place)
        return directions.dot(vector_sum(movement.motion(measure.other).velocity, across), along)

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
        terms = ForceTerms(self.movement, self.quantities, self.bodies.values(), r)
        return chain.from_iterable(load.actions(terms))

    def potential_terms(self) -> Iterator[Node]:
        """The potential energy of all loads that have one; that of gravity is measured from the origin."""
        terms = EnergyTerms(self.movement, self.quantities, self.bodies.values(), self.origin)
        return chain.from_iterable(term for load in self.loads.values() for term in load.actions(terms))


def _inertia_frame(body: Body) -> Frame:
    """The frame to write a body's inertia in: what turns about an axis of symmetry need not be followed."""
    frame = body.frame
    while frame.parent is not None and _symmetric(body.inertia, frame.rotation):
        frame = frame.parent
    return frame


def _symmetric(inertia: Inertia, rotation: AxisRotation | QuaternionRotation | None) -> bool:
    if inertia.is_round:
        return True
    if not isinstance(rotation, AxisRotation) or sum(along != 0 for along in rotation.axis) != 1:
        return False
    moments = zip((inertia.xx, inertia.yy, inertia.zz), rotation.axis, strict=True)
    first, second = (moment for moment, along in moments if along == 0)
    return bool(first == second) and all(value == 0 for value in (inertia.xy, inertia.yz, inertia.zx))
