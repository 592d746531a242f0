"""The mass matrix by composite inertias, for a solve by factorisation.

M_rs is the momentum that speed s gives to the bodies which both speeds carry, seen along the twist of
speed r. Bodies that share a partial twist are gathered first, so each pair of speeds costs one dot
product.
"""

from __future__ import annotations

from detent.dynamics.inertia import Element, Row, Square, pick
from detent.dynamics.kinematics import Partial
from detent.expr.graph import Graph, Node


class Composite:
    """Sums over sets of bodies (as bit sets), each made once."""

    def __init__(self, graph: Graph, elements: list[Element], wrenches: list[Row], active: tuple[int, ...]) -> None:
        self.graph, self.elements, self.wrenches, self.active = graph, elements, wrenches, active
        self._inertias: dict[int, Square] = {}
        self._wrench_sums: dict[int, Row] = {}
        self.carried: dict[int, dict[Partial, int]] = {}
        """For each speed, its partial twists, each with the set of bodies that have it."""
        for number, element in enumerate(elements):
            for r, partial in element.twist.items():
                groups = self.carried.setdefault(r, {})
                groups[partial] = groups.get(partial, 0) | 1 << number

    def inertia(self, bodies: int) -> Square:
        """The inertia of a set of bodies."""
        if bodies not in self._inertias:
            lowest = bodies & -bodies
            own = self.elements[lowest.bit_length() - 1].inertia
            if bodies != lowest:
                rest = self.inertia(bodies ^ lowest)
                own = tuple(tuple(a + b for a, b in zip(x, y, strict=True)) for x, y in zip(rest, own, strict=True))
            self._inertias[bodies] = own
        return self._inertias[bodies]

    def wrench(self, bodies: int) -> Row:
        """The wrench on a set of bodies."""
        if bodies not in self._wrench_sums:
            lowest = bodies & -bodies
            own = self.wrenches[lowest.bit_length() - 1]
            if bodies != lowest:
                own = tuple(a + b for a, b in zip(self.wrench(bodies ^ lowest), own, strict=True))
            self._wrench_sums[bodies] = own
        return self._wrench_sums[bodies]

    def mass(self, r: int, s: int) -> Node:
        """One element of the mass matrix."""
        total = self.graph.zero
        for second, with_second in self.carried.get(s, {}).items():
            for first, with_first in self.carried.get(r, {}).items():
                both = with_first & with_second
                if both:
                    momentum = self._momentum(both, second)
                    total = total + self.graph.dot(pick(first, self.active), momentum)
        return total

    def _momentum(self, bodies: int, partial: Partial) -> Row:
        along = pick(partial, self.active)
        return tuple(self.graph.dot(row, along) for row in self.inertia(bodies))

    def force(self, r: int) -> Node:
        """The generalized force of all wrenches for one speed."""
        total = self.graph.zero
        for partial, bodies in self.carried.get(r, {}).items():
            total = total + self.graph.dot(pick(partial, self.active), self.wrench(bodies))
        return total
