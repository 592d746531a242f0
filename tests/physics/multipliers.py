"""Constrained motion the other way: accelerations and Lagrange multipliers from one linear system.

    [M  -B^T] [u'    ]   [f    ]
    [B    0 ] [lambda] = [gamma]

Here in plain numbers, row by row from the graph, with none of the machinery that embeds constraints.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from detent import System
from detent.dynamics.equations_of_motion import EquationsOfMotion
from detent.dynamics.rows import read_constraint
from detent.expr.evaluate import evaluate_nodes
from detent.model.constraint import Constraint
from tests.physics.numbers import values_of


class Multipliers:
    """The multiplier form of a system under its declared constraints, or those given."""

    def __init__(self, system: System, constraints: list[Constraint] | None = None) -> None:
        self.system = system
        equations = EquationsOfMotion(system)
        quantities = equations.quantities
        _ = equations.kinematics  # from here on measures can be read
        chosen = list(system.constraints.values()) if constraints is None else constraints
        self.rows = [row for constraint in chosen for row in read_constraint(equations, constraint)]
        self.size = len(quantities.u)
        zero = quantities.graph.zero
        self.names = [row.name for row in self.rows]
        self._nodes = [value for line in equations.mass_matrix for value in line]
        self._nodes += [*equations.forcing, *(row.gamma for row in self.rows)]
        self._nodes += [row.B.get(r, zero) for row in self.rows for r in range(self.size)]

    def parts(self, state: Mapping[str, float]) -> tuple[NDArray[np.float64], ...]:
        """M, f, gamma and B at a state."""
        n, m = self.size, len(self.rows)
        values = np.array(evaluate_nodes(self._nodes, values_of(self.system, {"t": 0.0, **state})))
        mass, forcing, bias, rows = np.split(values, [n * n, n * n + n, n * n + n + m])
        return mass.reshape(n, n), forcing, bias, rows.reshape(m, n)

    def at(self, state: Mapping[str, float]) -> tuple[NDArray[np.float64], dict[str, float]]:
        """The accelerations u' and the multipliers by row."""
        mass, forcing, bias, rows = self.parts(state)
        zero = np.zeros((len(rows), len(rows)))
        solved = np.linalg.solve(np.block([[mass, -rows.T], [rows, zero]]), np.concatenate([forcing, bias]))
        return solved[: self.size], dict(zip(self.names, solved[self.size :].tolist(), strict=True))
