"""The impacts of an automaton's resets against constraints and closed contacts, as the event kernel calls them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from detent.dynamics.rows import RowNodes
from detent.errors import DetentError
from detent.expr.graph import Node
from detent.formulation.compiled import CompiledSystem
from detent.formulation.workshop import Workshop
from detent.hybrid.automaton import Automaton
from detent.hybrid.contact_place import Place
from detent.hybrid.impact import Impact
from detent.jit.program import Program
from detent.model.constraint import Constraint
from detent.simulation.closed_rows import closed_rows
from detent.solves.impact_map import ImpactMap


@final
@dataclass(frozen=True, eq=False)
class Strike:
    """An impact map, the rows it gives impulses to, and its programs."""

    map: ImpactMap
    rows: tuple[str, ...]
    struck: Program
    restitution: Program


@final
class Impacts:
    """Made once for a run; ``read`` gives the node of an expression that is known before an impact, ``stored`` keeps a
    program."""

    def __init__(
        self, automaton: Automaton, compiled: CompiledSystem, workshop: Workshop, read: Callable[[str, Any], Node],
        stored: Callable[[Hashable, Callable[[], Program]], Program],
    ) -> None:  # fmt: skip
        self._automaton, self._compiled, self._workshop = automaton, compiled, workshop
        self._read, self._stored = read, stored
        self._made: dict[Any, Strike] = {}

    def leave_impulses_in(self, impulses: NDArray[np.float64]) -> None:
        """Leave impulses there from now on."""
        for strike in self._made.values():
            strike.map.leave_impulses_in(impulses)

    def map_of(
        self, transition: str, mode: str, step: Impact, held: Sequence[Constraint], touching: tuple[Place, ...],
        impulses: NDArray[np.float64],
    ) -> Strike:  # fmt: skip
        """The impact map of a step of a transition, both by name, to a mode: against what holds there, what the step
        names, and contacts where they are closed."""
        key = (transition, mode, step.constraints, step.restitution)
        if key not in self._made:
            named = [self._automaton.constraint(f"transition '{transition}'", each) for each in step.constraints]
            constraints = list(dict.fromkeys([*held, *named]))
            if not constraints and not touching:
                raise DetentError(
                    f"transition '{transition}': its impact is against nothing, for mode '{mode}' has no constraints; "
                    "name some: detent.Impact('floor')"
                )
            self._made[key] = self._map(constraints, named, step, touching, impulses)
        return self._made[key]

    def _map(
        self, constraints: list[Constraint], named: list[Constraint], step: Impact, touching: tuple[Place, ...],
        impulses: NDArray[np.float64],
    ) -> Strike:  # fmt: skip
        compiled, layout = self._compiled, self._compiled.layout
        active = self._workshop.prepare(constraints)
        rows = (*active.rows, *closed_rows(compiled.equations, touching))
        own = {row.name for constraint in named for row in constraint.rows}
        restitution = self._read("the restitution of an impact", step.restitution)
        factors = [restitution if row.name in own else compiled.equations.graph.zero for row in rows]
        key = (tuple(constraints), touching)
        program = self._stored(("restitution", *key, tuple(named), step.restitution), lambda: compiled.program(factors))
        struck = active.program
        if touching:
            struck = self._stored(("struck rows", *key), lambda: self._struck_program(rows))
        made = ImpactMap(
            compiled.unsolved.cell, struck.cell, program.cell,
            (len(layout.coordinates), len(layout.speeds), len(layout.signals)), len(rows), struck.size, impulses,
        )  # fmt: skip
        return Strike(made, tuple(row.name for row in rows), struck, program)

    def _struck_program(self, rows: Sequence[RowNodes]) -> Program:
        """B row by row, then C."""
        zero, speeds = self._compiled.equations.graph.zero, range(len(self._compiled.layout.speeds))
        return self._compiled.program([*(row.B.get(r, zero) for row in rows for r in speeds), *(row.C for row in rows)])
