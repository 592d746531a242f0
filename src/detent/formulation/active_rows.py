"""The rows of a set of constraints, with their program: what every formulation begins with."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from detent.dynamics.partition import Partition, choose_partition
from detent.dynamics.rows import RowNodes
from detent.jit.program import Program
from detent.model.constraint import Constraint


@dataclass(frozen=True)
class RowValues:
    """The constraints at one state, in numbers."""

    phi: np.ndarray
    B: np.ndarray
    C: np.ndarray
    turn: np.ndarray
    """How coordinates and signals change per unit of each speed."""
    reaction: np.ndarray
    """Along which reactions push: B where no row slides."""

    def partition(self, fastest: float = 1.0) -> Partition:
        """Which speeds depend on which; ``fastest`` is the size of the speeds."""
        return choose_partition(self.B, self.C, fastest, self.reaction)


@dataclass(frozen=True, eq=False)
class ActiveRows:
    """The rows of a set of constraints with their programs; does not depend on the state."""

    constraints: tuple[Constraint, ...]
    rows: tuple[RowNodes, ...]
    program: Program
    """B, C, Phi, how q and s change per unit of each speed, gamma, and B' where rows slide."""
    coordinates: int
    speeds: int
    largest: NDArray[np.float64]
    """The largest entry that each row has had in this run, whatever the choice of speeds; then, of each column, the
    largest part of those; then both as they were last, and the largest of these where a step has ended."""

    @property
    def slides(self) -> bool:
        return any(row.slides for row in self.rows)

    @property
    def bent(self) -> tuple[str, ...]:
        """The names of the rows that are not linear in the speeds."""
        return tuple(row.name for row in self.rows if not row.is_linear)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the rows."""
        return tuple(row.name for row in self.rows)

    def at(self, time: float, state: np.ndarray, values: np.ndarray) -> RowValues:
        """The constraints at a state, in numbers."""
        m, n = len(self.rows), self.speeds
        out, c, phi, turn = self.program(time, state, values), m * n, m * n + m, m * n + 2 * m
        turned = turn + (len(state) - 1 - n) * n
        B = out[:c].reshape(m, n)
        reaction = out[turned + m :].reshape(m, n) if self.slides else B
        return RowValues(out[phi:turn], B, out[c:phi], out[turn:turned].reshape(-1, n), reaction)

    def residuals(
        self, bounds: np.ndarray, times: np.ndarray, states: np.ndarray, values: np.ndarray
    ) -> tuple[float, float]:
        """The largest violation along a trajectory, of positions and of speeds; a row of values for each stretch."""
        m, n, first = len(self.rows), self.speeds, self.coordinates
        out = self.program.over_stretches(bounds, times, states, values)
        B, C, phi = out[:, : m * n].reshape(-1, m, n), out[:, m * n : m * n + m], out[:, m * n + m : m * n + 2 * m]
        violation = np.einsum("tmn,tn->tm", B, states[:, first : first + n]) + C
        return float(np.abs(phi).max(initial=0.0)), float(np.abs(violation).max(initial=0.0))

    def violation(self, time: float, state: np.ndarray, values: np.ndarray) -> tuple[str, float]:
        """The row that is violated most, and by how much relative to the state."""
        now = self.at(time, state, values)
        speeds = state[self.coordinates : self.coordinates + self.speeds]
        each = np.maximum(np.abs(now.phi), np.abs(now.B @ speeds + now.C))
        worst = int(each.argmax())
        return self.rows[worst].name, float(each[worst] / (1.0 + np.abs(state[:-1]).max()))
