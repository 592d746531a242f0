"""The rows of contacts by values, in one program: they hold where they are closed, and are nothing elsewhere."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from detent.dynamics.equations_of_motion import EquationsOfMotion
from detent.dynamics.rows import RowNodes, read_constraint
from detent.expr import operation as op
from detent.expr.graph import Node
from detent.hybrid.contact_place import Place
from detent.model.contact import ContactStatus


def closed_rows(equations: EquationsOfMotion, places: Sequence[Place]) -> Iterator[RowNodes]:
    """At velocity level: of each place the normal while it is closed, and its slip while it sticks.

    Resistance to turning has no part in impacts.
    """
    for place in places:
        normal, *friction = read_constraint(equations, place.sticking if place.rubs else place.slipping)
        yield _gated(equations, normal, _at_least(equations, place, ContactStatus.SLIP))
        for row in friction:
            yield _gated(equations, row, _at_least(equations, place, ContactStatus.STICK))


def _at_least(equations: EquationsOfMotion, place: Place, status: ContactStatus) -> Node:
    """Whether a place has a status, or one that holds more."""
    graph = equations.graph
    return graph.function2(op.LESS_EQUAL, graph.constant(float(status)), equations.quantities.convert(place.status))


def _gated(equations: EquationsOfMotion, row: RowNodes, holds: Node) -> RowNodes:
    """A row that is zero where it does not hold, whatever its numbers are there."""
    graph = equations.graph
    B = {speed: graph.select(holds, value, graph.zero) for speed, value in row.B.items()}
    return replace(row, B=B, C=graph.select(holds, row.C, graph.zero))
