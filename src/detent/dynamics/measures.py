"""Measures on the graph: leaves that the engine knows the motion of.

A position measure becomes a leaf whose rate and second rate come from the recursive kinematics, so that a
constraint written with it is differentiated in a handful of operations however long the chain is.
The leaf is *bound* to its value when a tape is built.
"""

from __future__ import annotations

from collections.abc import Sequence

from detent.dynamics.kinematics import REMAINDER, Kinematics
from detent.errors import ExpressionError
from detent.expr import vector3
from detent.expr.graph import Node
from detent.expr.vector3 import Vector3
from detent.model.measure import Measure
from detent.model.point import Point
from detent.model.vector import Vector


class MeasureReader:
    """Finds the node of a measure."""

    def __init__(self, kinematics: Kinematics) -> None:
        self.kinematics = kinematics
        self.quantities = kinematics.quantities

    def __call__(self, measure: Measure) -> Node:
        """The node that stands for a measure."""
        direction = self.kinematics.vector(measure.direction)
        if measure.level == "position":
            return self._position(measure, direction)
        if measure.level in ("acceleration", "spin rate"):
            raise holds_acceleration(measure)
        if measure.level == "motion":
            assert measure.point is not None
            return vector3.dot(self.kinematics.motion(measure.point).velocity, direction)
        assert measure.frame is not None
        if measure.level == "spin":
            return vector3.dot(self.kinematics.spin(measure.frame).velocity, direction)
        assert measure.point is not None
        assert measure.other is not None
        arm = vector3.subtract(self.kinematics.position(measure.point), self.kinematics.position(measure.other))
        across = vector3.cross(self.kinematics.spin(measure.frame).velocity, arm)
        return vector3.dot(vector3.add(self.kinematics.motion(measure.other).velocity, across), direction)

    def acceleration(self, measure: Measure, rates: Sequence[Node]) -> Node:
        """The node of an acceleration, from those of u': partial velocities times u', and what is left without."""
        direction = self.kinematics.vector(measure.direction)
        if measure.level == "spin rate":
            assert measure.frame is not None
            spin = self.kinematics.spin(measure.frame)
            bias, partials = spin.bias, {r: vector3.dot(part, direction) for r, part in spin.partials.items()}
        else:
            assert measure.point is not None
            bias = self.kinematics.motion(measure.point).bias
            partials = self._partials(measure.point, measure.point.system.origin, direction)
        moved = [value * rates[r] for r, value in partials.items() if r != REMAINDER]
        return self.kinematics.graph.sum([*moved, vector3.dot(bias, direction)])

    def _position(self, measure: Measure, direction: Vector3) -> Node:
        kinematics, quantities, graph = self.kinematics, self.quantities, self.kinematics.graph
        assert measure.point is not None
        assert measure.other is not None
        apart = vector3.subtract(kinematics.position(measure.point), kinematics.position(measure.other))
        value = vector3.dot(apart, direction)
        if not _stands_still(measure.direction):
            return value
        leaf, rate = graph.leaf(measure.name), graph.leaf(f"rate of {measure.name}")
        first, second = kinematics.motion(measure.point), kinematics.motion(measure.other)
        coefficients = self._partials(measure.point, measure.other, direction)
        remainder = coefficients.pop(REMAINDER, graph.zero)
        quantities.bind(leaf, value, rate, coefficients, remainder)
        quantities.bind_rate(
            rate,
            vector3.dot(vector3.subtract(first.velocity, second.velocity), direction),
            vector3.dot(vector3.subtract(first.bias, second.bias), direction),
        )
        return leaf

    def _partials(self, point: Point, other: Point, direction: Vector3) -> dict[int, Node]:
        total: dict[int, Node] = {}
        for end, sign in ((point, 1.0), (other, -1.0)):
            place = self.kinematics.position(end)
            for r, (turning, moving) in self.kinematics.twist(end, end.carrier).items():
                value = vector3.dot(vector3.add(moving, vector3.cross(turning, place)), direction) * sign
                total[r] = total[r] + value if r in total else value
        return {r: value for r, value in total.items() if not value.is_zero}


def holds_acceleration(measure: Measure) -> ExpressionError:
    """What is wrong with an acceleration in a model."""
    return ExpressionError(
        f"'{measure}' holds u', which is known along a run only; use it in run.value, files and plots, and positions "
        "and velocities here"
    )


def _stands_still(direction: Vector) -> bool:
    """Whether a direction is fixed in the ground: then its own rate is zero."""
    return all(
        frame.parent is None and not any(getattr(c, "free_symbols", ()) for c in components)
        for frame, components in direction.terms.items()
    )
