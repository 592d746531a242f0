"""Constraints on the graph: each row at position, velocity and acceleration level.

    Phi(q, t) = 0,      B u + C = 0,      B u' = gamma

A row that slides with friction has its reaction along B' = B_n - mu s B_t instead of along B.
"""

from __future__ import annotations

from dataclasses import dataclass

from detent.dynamics.quantities import Quantities
from detent.errors import Fault, ModelError
from detent.expr.graph import Node
from detent.model.constraint import Constraint, Row


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

    @property
    def slides(self) -> bool:
        return self.reaction is not self.B


def read_constraint(quantities: Quantities, constraint: Constraint) -> tuple[RowNodes, ...]:
    """The rows of a constraint on the graph."""
    return tuple(_read(quantities, constraint, row) for row in constraint.rows)


def _read(quantities: Quantities, constraint: Constraint, row: Row) -> RowNodes:
    graph = quantities.graph
    where = f"constraint '{row.name}'"
    node = quantities.convert(row.expression)
    phi = None
    if row.holonomic:
        if quantities.depends_on_speeds(node):
            found = "it holds speeds, so it binds the motion, not the configuration"
            raise ModelError([Fault(where, found, "use detent.motion for it")])
        phi = node
        B, C = quantities.parts(node)
        velocity = quantities.change(node)
    else:
        B, C = quantities.linear_parts(node, where)
        velocity = node
    reaction = B
    if row.sliding:
        reaction = dict(B)
        for slide in row.sliding:
            along, _ = quantities.linear_parts(quantities.convert(slide.slip), f"{where}, its slip")
            factor = quantities.convert(slide.coefficient)
            for r, value in along.items():
                reaction[r] = reaction.get(r, graph.zero) - factor * value
    return RowNodes(row.name, phi, B, C, -quantities.change(velocity), reaction)
