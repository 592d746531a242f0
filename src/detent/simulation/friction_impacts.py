"""The impacts with friction of an automaton's resets, as the event kernel calls them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from detent.contact_solves.friction_impact import FrictionImpactMap, ImpactDiscretes
from detent.errors import DetentError
from detent.expr.graph import Node
from detent.formulation.compiled import CompiledSystem
from detent.formulation.workshop import Workshop
from detent.hybrid.automaton import Automaton
from detent.hybrid.friction_impact import FrictionImpact
from detent.hybrid.transition import Transition
from detent.jit.program import Program
from detent.model.constraint import Constraint
from detent.simulation.contact_plans import LAWS


@final
@dataclass(frozen=True, eq=False)
class FrictionStrike:
    """An impact map, the rows it gives impulses to, and the program of its coefficients."""

    map: FrictionImpactMap
    rows: tuple[str, str]
    coefficients: Program


@final
class FrictionImpacts:
    """Made once for a run; ``read`` gives the node of an expression that is known before an impact."""

    def __init__(
        self, automaton: Automaton, compiled: CompiledSystem, workshop: Workshop, read: Callable[[str, Any], Node]
    ) -> None:
        self._automaton, self._compiled, self._workshop, self._read = automaton, compiled, workshop, read
        self._made: dict[FrictionImpact, FrictionStrike] = {}

    def leave_impulses_in(self, impulses: NDArray[np.float64]) -> None:
        """Leave impulses there from now on."""
        for strike in self._made.values():
            strike.map.leave_impulses_in(impulses)

    def map_of(
        self, transition: Transition, step: FrictionImpact, after: tuple[Constraint, ...] | None,
        impulses: NDArray[np.float64],
    ) -> FrictionStrike:  # fmt: skip
        """The impact map of a step."""
        where = f"transition '{self._automaton.declared_name(transition)}'"
        own = [self._automaton.constraint(where, each) for each in step.constraints]
        self._check(where, own)
        held = [*transition.source.constraints, *(transition.target.constraints if after is None else after)]
        self.check_alone(transition, [constraint.name for constraint in held if constraint not in own])
        if step not in self._made:
            self._made[step] = self._map(where, step, own, impulses)
        return self._made[step]

    def check_alone(self, transition: Transition, others: Sequence[str]) -> None:
        """That nothing else holds where a transition strikes with friction, given the names of what does."""
        if others:
            raise DetentError(
                f"transition '{self._automaton.declared_name(transition)}': '{others[0]}' holds where its impact with "
                "friction strikes, which that does not know; describe it as a contact (system.contact), or leave the "
                "constraint out of the modes"
            )

    def _check(self, where: str, own: list[Constraint]) -> None:
        for constraint in own:
            if len(constraint.rows) != 1:
                raise DetentError(
                    f"{where}: its impact with friction is against '{constraint.name}', which has "
                    f"{len(constraint.rows)} rows; give a constraint of one row across, and one along the slip"
                )

    def _map(
        self, where: str, step: FrictionImpact, own: list[Constraint], impulses: NDArray[np.float64]
    ) -> FrictionStrike:
        compiled, layout = self._compiled, self._compiled.layout
        active = self._workshop.prepare(own)
        names = [row.name for row in active.rows]
        rows = (own[0].rows[0].name, own[1].rows[0].name)
        numbers = [step.law.restitution, step.friction.kinetic, step.friction.static]
        program = compiled.program([self._read(f"the impact with friction of {where}", number) for number in numbers])
        program.compile_later()
        quantities, states = compiled.equations.quantities, self._automaton.system.discrete_states
        direction = -1 if step.direction is None else [symbol.name for symbol in states].index(step.direction.name)
        made = FrictionImpactMap(
            compiled.unsolved.cell, active.program.cell, program.cell,
            (len(layout.coordinates), len(layout.speeds), len(layout.signals)),
            (names.index(rows[0]), names.index(rows[1])), len(names), active.program.size, LAWS[type(step.law)],
            ImpactDiscretes(len(quantities.parameters) + len(quantities.run_inputs), len(states), direction), impulses,
        )  # fmt: skip
        return FrictionStrike(made, rows, program)
