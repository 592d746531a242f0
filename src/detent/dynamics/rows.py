"""Constraints on the graph: each row at position, velocity and acceleration level.

    Phi(q, t) = 0,      B u + C = 0,      B u' = gamma

A row that slides with friction has its reaction along B' = B_n - mu s B_t instead of along B.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import final

from detent.dynamics.equations_of_motion import EquationsOfMotion
from detent.dynamics.quantities import Quantities
from detent.errors import ExpressionError, Fault, ModelError
from detent.expr.derivative import Derivative
from detent.expr.graph import Node
from detent.model.constraint import Constraint
from detent.model.contact_measure import ContactMeasure
from detent.model.row import Row


@dataclass(frozen=True, eq=False)
class RowNodes:
    """One row on the graph. Coefficients by speed number; those that are zero are left out."""

    name: str
    phi: Node | None
    """The position level, None for a row that only binds the motion."""
    B: dict[int, Node]
    C: Node
    gamma: Node
    reaction: dict[int, Node]
    """B' of the row: what its reaction pushes along. The same as B unless it slides."""
    is_linear: bool = True
    """Whether B and C are free of speeds. Otherwise B is the slope along the speeds and B u + C the expression itself,
    so that solving B u + C = 0 is a step of Newton's method, and the reaction pushes along B (Chetaev)."""

    @property
    def slides(self) -> bool:
        return self.reaction is not self.B


def read_constraint(equations: EquationsOfMotion, constraint: Constraint) -> tuple[RowNodes, ...]:
    """The rows of a constraint on the graph."""
    return tuple(_read(equations, row) for row in constraint.rows)


def _read(equations: EquationsOfMotion, row: Row) -> RowNodes:
    quantities, where = equations.quantities, _where(row)
    _ = equations.kinematics  # from here on measures and reactions can be read
    bound = row.read(_LevelReader(quantities))
    pushed = [*_friction(quantities, row, where), *_loads(equations, row, where)]
    reaction = dict(bound.B) if pushed else bound.B
    for r, value in pushed:
        reaction[r] = reaction.get(r, quantities.graph.zero) + value
    return RowNodes(
        row.name, bound.phi, bound.B, bound.C, -quantities.change(bound.velocity), reaction, bound.is_linear
    )


def _where(row: Row) -> str:
    return f"constraint '{row.name}'"


@dataclass(frozen=True)
class _Bound:
    """What a row binds: Phi where it binds the configuration, B and C, and B u + C as one node."""

    phi: Node | None
    B: dict[int, Node]
    C: Node
    velocity: Node
    is_linear: bool = True


@final
class _LevelReader:
    """Reads rows of every level of :class:`detent.model.row.Levels`."""

    def __init__(self, quantities: Quantities) -> None:
        self.quantities = quantities

    def configuration(self, row: Row) -> _Bound:
        quantities, where, node = self.quantities, _where(row), self._node(row)
        if quantities.depends_on_speeds(node):
            found = "it holds speeds, so it binds the motion, not the configuration"
            raise ModelError([Fault(where, found, "use detent.motion for it")])
        for symbol in quantities.jumping_inputs:
            if node.leaves & quantities.convert(symbol).leaves:
                found = f"it holds the input '{symbol}', which is sampled and held, so what it binds would jump"
                raise ModelError([Fault(where, found, "use an input that is an expression of time, or detent.motion")])
        B, C = quantities.parts(node)
        return _Bound(node, B, C, quantities.change(node))

    def motion(self, row: Row) -> _Bound:
        where, node = _where(row), self._node(row)
        B, C, is_linear = self.quantities.motion_parts(node)
        # Shapes that touch may have no freedom to slip along one of their tangents; that is no mistake.
        if not B and not C.is_zero and not isinstance(row.expression, ContactMeasure):
            found = f"it asks that {row.expression} be zero, which holds no speed, so no motion can bring it about"
            raise ModelError([Fault(where, found, "use rates such as x.rate, or detent.holonomic for a configuration")])
        return _Bound(None, B, C, node, is_linear)

    def _node(self, row: Row) -> Node:
        try:
            node = self.quantities.convert(row.expression)
        except ExpressionError as error:
            raise ExpressionError(f"{_where(row)} cannot be read: {error}") from error
        _check_no_reaction(self.quantities, node, _where(row))
        return node


def _friction(quantities: Quantities, row: Row, where: str) -> Iterator[tuple[int, Node]]:
    """What a row that slides adds to the direction of its reaction, per speed."""
    for slide in row.sliding:
        along, _ = quantities.linear_parts(quantities.convert(slide.slip), f"{where}, its slip")
        if not along and not isinstance(slide.slip, ContactMeasure):
            found = f"it slides along {slide.slip}, which holds no speed, so there would be no friction"
            raise ModelError([Fault(where, found, "give detent.Sliding the velocity of the slip, such as x.rate")])
        factor = quantities.convert(slide.coefficient)
        _check_no_reaction(quantities, factor, f"{where}, its friction")
        yield from ((r, -(factor * value)) for r, value in along.items())


def _check_no_reaction(quantities: Quantities, node: Node, where: str) -> None:
    """That a row does not speak of reactions, which are known only when it has been solved for: they would be zero."""
    for name, leaf in quantities.reactions.items():
        if node.leaves & leaf.leaves:
            found = f"it holds the reaction of '{name}', which follows from it"
            raise ModelError([Fault(where, found, "use reactions in loads, guards and conditions")])


def _loads(equations: EquationsOfMotion, row: Row, where: str) -> Iterator[tuple[int, Node]]:
    """What loads that are written with this row's reaction add to the direction in which it pushes, per speed.

    In f itself reactions stand for zero; what is proportional to one moves with it to the other side.
    """
    leaf = equations.quantities.reactions.get(row.name)
    if leaf is None:
        return
    along = Derivative(equations.graph, {leaf: equations.graph.one})
    for r, force in enumerate(equations.forcing):
        value = along(force)
        if value.leaves & leaf.leaves:
            found = "a load is not linear in its reaction"
            raise ModelError([Fault(where, found, "write the load as the reaction times a factor")])
        if not value.is_zero:
            yield r, value
