"""An expression along the motion: its value and its first and second derivative with respect to time.

The derivatives are exact, by the chain rule on the graph, with u' and the reactions as *inputs*: they are numbers that
the stepper has at hand, so that one small program serves whatever way a mode is run. An expression of the
configuration has both derivatives; one that holds speeds has its first, and of its second the part without u'', which
tells how much it bends but no sign; one that holds reactions has its value, and a first derivative in which the rates
of the reactions are inputs too.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from detent.dynamics.equations_of_motion import EquationsOfMotion
from detent.dynamics.kane import Kane
from detent.dynamics.rows import RowNodes
from detent.events.event_frame import UNKNOWN
from detent.expr import operation as op
from detent.expr.derivative import Derivative
from detent.expr.graph import Node, in_order
from detent.expr.instruction import STATE
from detent.expr.linear import MOST_UNKNOWNS, solve_by_determinants, solve_general
from detent.expr.substitute import substitute, transplanted

Inputs = dict[str, tuple[int, int]]
_SUMS = (op.ADD, op.SUBTRACT, op.NEGATE, op.MULTIPLY, op.DIVIDE)
"""Of these alone an affine expression is made."""


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
        self._alongs: dict[Node, list[Node]] = {}
        self._partials: dict[Node, Derivative] = {}
        self._excesses: dict[tuple[tuple[str, ...], int], Node] = {}
        _ = equations.kinematics  # from here on measures and reactions can be read

    def node(self, expression: Any) -> Node:
        """An expression on the graph."""
        return self.quantities.convert(expression)

    def reactions(self, node: Node) -> list[str]:
        """The rows whose reactions an expression speaks of."""
        quantities = self.quantities
        if not node.leaves & quantities.reaction_leaves:
            return []
        return [name for name, leaf in quantities.reactions.items() if node.leaves & leaf.leaves]

    def along_motion(self, node: Node) -> list[Node]:
        """Value, first and second derivative; then for each the size of the terms that it is the sum of."""
        if node not in self._alongs:
            self._alongs[node] = self._along_motion(node)
        return self._alongs[node]

    def _along_motion(self, node: Node) -> list[Node]:
        graph = self.graph
        first, value_scale, first_scale = self._rate(node)
        second, second_scale = graph.zero, graph.zero
        if self.reactions(node):
            first_scale = graph.constant(UNKNOWN)  # the rates of reactions steer the search, and tell no sign
        elif self.quantities.depends_on_speeds(node) or node in self.quantities.told_by_rates:
            second_scale = graph.constant(UNKNOWN)  # no sign is told by it
        else:
            second, _, second_scale = self._rate(first)
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

    # -- between the ends of a step ------------------------------------------------------------------

    def reactions_by_motion(self, rows: Sequence[RowNodes], acting: tuple[str, ...]) -> dict[Node, Node]:
        """What the reactions of some rows are, by q, u and u': B'^T lambda = M u' - f.

        Where there are as many rows as speeds that they move, they are solved for as they stand; elsewhere
        (B' B'^T) lambda = B' (M u' - f). No choice of dependent speeds enters, so it serves as long as forces are
        unique; B B'^T, of rows that slide, may be singular before that, by the units that lengths have. ``acting``
        names the loads that come and go and act here.
        """
        graph = self.graph
        spoken = {row.name: leaf for row in rows if (leaf := self.quantities.reactions.get(row.name)) is not None}
        if not spoken:
            return {}
        none = dict.fromkeys(self.quantities.reactions.values(), graph.zero)  # what they add to f is in B'
        moved = sorted({r for row in rows for r in row.B})
        pushes = [{r: substitute(value, none) for r, value in row.reaction.items()} for row in rows]
        as_they_stand = len(moved) == len(rows) <= MOST_UNKNOWNS
        wanted = moved if as_they_stand else sorted({r for push in pushes for r in push})
        excess = {r: substitute(node, none) for r, node in self._excess(wanted, acting).items()}
        if as_they_stand:
            across = [[push.get(r, graph.zero) for push in pushes] for r in moved]
            solved = solve_by_determinants(graph, across, [excess[r] for r in moved])
        else:
            square = [[graph.sum([one[r] * other[r] for r in one if r in other]) for other in pushes] for one in pushes]
            right = [[graph.sum([value * excess[r] for r, value in push.items()])] for push in pushes]
            solved = [line[0] for line in solve_general(graph, square, right)]
        return {spoken[row.name]: value for row, value in zip(rows, solved, strict=True) if row.name in spoken}

    def _excess(self, speeds: list[int], acting: tuple[str, ...]) -> dict[int, Node]:
        """(M u' - f) of some speeds, as a textbook writes it: bounds of what the engine runs are far too wide, for all
        its vectors are resolved along one frame, and what cancels cancels only in the end."""
        new = [r for r in speeds if (acting, r) not in self._excesses]
        if new:
            self._excesses |= {(acting, r): node for r, node in self._derived_excess(new, acting).items()}
        return {r: self._excesses[acting, r] for r in speeds}

    def _derived_excess(self, speeds: list[int], acting: tuple[str, ...]) -> dict[int, Node]:
        kane = Kane(self.equations.system, acting)
        rates = [kane.graph.leaf(rate_name(symbol.name)) for symbol in self.quantities.speeds]
        made = []
        for r in speeds:
            terms = [-term for load in kane.loads.values() for term in kane.force_terms(load, r)]
            for body in kane.bodies.values():
                terms += [-term for term in kane.bias_terms(body, r)]
                terms += [term * rate for s, rate in enumerate(rates) for term in kane.mass_terms(body, r, s)]
            made.append(kane.graph.sum(terms))
        return dict(zip(speeds, transplanted(made, self.graph), strict=True))

    def affine(self, node: Node, names: Sequence[str]) -> list[Node] | None:
        """The factors of some leaves and of the time, then the rest; None unless that is all there is to it."""
        quantities, graph = self.quantities, self.graph
        leaves = self._leaves(node)
        moving = 0
        for leaf in leaves:
            moving |= leaf.leaves
        own = {*quantities.q, *quantities.u, *quantities.s, quantities.time}
        inner = [part for part in in_order([node]) if part.leaves & moving and part.operation != op.LEAF]
        if not own.issuperset(leaves) or any(part.operation not in _SUMS for part in inner):
            return None
        factors = {leaf: Derivative(graph, {leaf: graph.one})(node) for leaf in leaves}
        if any(factor.leaves & moving for factor in factors.values()):
            return None
        rest = substitute(node, dict.fromkeys(leaves, graph.zero))
        named = [factors.get(graph.leaf(name), graph.zero) for name in names]
        return [*named, factors.get(quantities.time, graph.zero), rest]

    # -- rates -------------------------------------------------------------------------------------

    def _rate(self, node: Node) -> tuple[Node, Node, Node]:
        """The rate of a node along the motion; then the size of the node's own terms, and of the rate's."""
        graph, size = self.graph, self._size
        rates, own, terms = graph.zero, graph.zero, graph.zero
        for leaf in self._leaves(node):
            partial = self._partial(leaf)(node)
            if not partial.is_zero:
                rate, spread = self._move(leaf)
                summed = leaf in self.quantities.sums
                rates, terms_of = rates + partial * rate, self.quantities.size(leaf) if summed else leaf
                own = own + size(partial * terms_of)
                terms = terms + size(partial) * spread
        return rates, own, terms

    def _partial(self, leaf: Node) -> Derivative:
        """What differentiates by a leaf: one for all nodes, for they have much in common."""
        if leaf not in self._partials:
            self._partials[leaf] = Derivative(self.graph, {leaf: self.graph.one})
        return self._partials[leaf]

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
