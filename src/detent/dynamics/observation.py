"""An expression along the motion: its value and its first and second derivative with respect to time.

The derivatives are exact, by the chain rule on the graph, with u' and the reactions as *inputs*: they are numbers that
the stepper has at hand, so that one small program serves whatever way a mode is run. An expression of the
configuration has both derivatives; one that holds speeds has its first, and of its second the part without u'', which
tells how much it bends but no sign; one that holds reactions has its value, and a first derivative in which the rates
of the reactions are inputs too.
"""

from __future__ import annotations

from typing import Any

from detent.dynamics.motion import EquationsOfMotion
from detent.expr import operation as op
from detent.expr.derivative import Derivative
from detent.expr.graph import Node
from detent.expr.instruction import STATE
from detent.integrate.event_frame import UNKNOWN

Inputs = dict[str, tuple[int, int]]


def rate_name(name: str) -> str:
    """The name of the input that stands for the rate of a speed or of a reaction."""
    return f"rate of {name}"


class Observation:
    """Reads expressions of one system as observers see them."""

    def __init__(self, equations: EquationsOfMotion) -> None:
        self.equations = equations
        self.quantities, self.graph = equations.quantities, equations.graph
        self._accelerations = [self.graph.leaf(rate_name(symbol.name)) for symbol in self.quantities.speeds]
        self._moves: dict[Node, tuple[Node, Node]] = {}
        _ = equations.kinematics  # from here on measures and reactions can be read

    def node(self, expression: Any) -> Node:
        """An expression on the graph."""
        return self.quantities.convert(expression)

    def reactions(self, node: Node) -> list[str]:
        """The rows whose reactions an expression speaks of."""
        return [name for name, leaf in self.quantities.reactions.items() if node.leaves & leaf.leaves]

    def along_motion(self, node: Node) -> list[Node]:
        """Value, first and second derivative; then for each the size of the terms that it is the sum of."""
        graph = self.graph
        first, value_scale, first_scale = self._rate(node)
        second, second_scale = graph.zero, graph.zero
        if not self.reactions(node):
            second, _, second_scale = self._rate(first)
            if self.quantities.depends_on_speeds(node):
                second_scale = graph.constant(UNKNOWN)
        return [node, first, second, value_scale, first_scale, second_scale]

    def inputs(self, reactions: list[str], width: int, base: Inputs) -> Inputs:
        """Where an observer finds what is no state: the row (x, x', reactions, rates of reactions)."""
        q = len(self.quantities.q)
        found = {rate_name(s.name): (STATE, width + q + r) for r, s in enumerate(self.quantities.speeds)}
        for number, name in enumerate(reactions):
            leaf = f"reaction of {name}"
            found[leaf] = (STATE, 2 * width + number)
            found[rate_name(leaf)] = (STATE, 2 * width + len(reactions) + number)
        return {**base, **found}

    def bound(self, reactions: list[str]) -> dict[Node, Node]:
        """What leaves stand for: as everywhere, but the reactions that are given as inputs."""
        given = {self.quantities.reactions[name] for name in reactions if name in self.quantities.reactions}
        zero = {self.graph.leaf(rate_name(leaf.name)): self.graph.zero for leaf in self.quantities.reactions.values()
                if leaf not in given}  # fmt: skip
        return {**{leaf: value for leaf, value in self.quantities.bound.items() if leaf not in given}, **zero}

    # -- rates -------------------------------------------------------------------------------------

    def _rate(self, node: Node) -> tuple[Node, Node, Node]:
        """The rate of a node along the motion; then the size of the node's own terms, and of the rate's."""
        graph, size = self.graph, self._size
        rates, own, terms = graph.zero, graph.zero, graph.zero
        for leaf in self._leaves(node):
            partial = Derivative(graph, {leaf: graph.one})(node)
            if not partial.is_zero:
                rate, spread = self._move(leaf)
                rates, own = rates + partial * rate, own + size(partial * leaf)
                terms = terms + size(partial) * spread
        return rates, own, terms

    def _leaves(self, node: Node) -> list[Node]:
        """The leaves of a node that change along the motion."""
        quantities = self.quantities
        own = [quantities.time, *quantities.q, *quantities.u, *quantities.s, *quantities.reactions.values()]
        return [leaf for leaf in [*own, *quantities.measures()] if node.leaves & leaf.leaves]

    def _move(self, leaf: Node) -> tuple[Node, Node]:
        """The rate of a leaf along the motion, and the size of the terms of that rate."""
        if leaf not in self._moves:
            self._moves[leaf] = self._moved(leaf)
        return self._moves[leaf]

    def _moved(self, leaf: Node) -> tuple[Node, Node]:
        quantities, graph, size = self.quantities, self.graph, self._size
        if leaf is quantities.time:
            return graph.one, graph.one
        factors = quantities.u
        parts = quantities.speed_parts(leaf)
        if parts is None:
            parts, factors = quantities.acceleration_parts(leaf), self._accelerations
        if parts is None:
            number = quantities.s.index(leaf) if leaf in quantities.s else None
            rate = graph.leaf(rate_name(leaf.name)) if number is None else quantities.s_rates[number]
            return rate, size(rate)
        coefficients, rest = parts
        terms = [value * factors[r] for r, value in coefficients.items()]
        rate = quantities.change(leaf) if factors is quantities.u else graph.sum(terms) + rest
        return rate, graph.sum([size(term) for term in terms]) + size(rest)

    def _size(self, node: Node) -> Node:
        return self.graph.function(op.ABSOLUTE, node)
