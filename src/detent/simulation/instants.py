"""Instants of a run at which something is asked for: its nodes, or times on and between them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import final

import numpy as np
from numpy.typing import NDArray

from detent.jit.arrays import FloatArray
from detent.results.run import Run


@final
@dataclass(frozen=True, eq=False)
class Instants:
    """Times, the states there, and the last node at or before each.

    >>> from detent.results import sample_run
    >>> Instants.at(sample_run(), np.array([0.5, 1.0])).node.tolist()
    [0, 2]
    """

    times: FloatArray
    states: FloatArray
    node: NDArray[np.intp]
    on_node: NDArray[np.bool_]
    """Whether it is at that node, where the run itself knows more than the state."""

    @classmethod
    def of_nodes(cls, run: Run) -> Instants:
        """All nodes of a run: at a jump, before it and after it."""
        count = len(run.t)
        return cls(run.t, run.trajectory.state, np.arange(count), np.ones(count, bool))

    @classmethod
    def at(cls, run: Run, times: FloatArray) -> Instants:
        """Some times of a run: at a jump, after it."""
        states = run.trajectory.at(times)
        node: NDArray[np.intp] = np.searchsorted(run.t, times, side="right") - 1
        return cls(times, states, node, run.t[node] == times)

    def __len__(self) -> int:
        return len(self.times)

    def part(self, first: int, last: int) -> Instants:
        """Those from one to another."""
        own = slice(first, last)
        return Instants(self.times[own], self.states[own], self.node[own], self.on_node[own])

    def chosen(self, which: NDArray[np.bool_]) -> Instants:
        """Some of them."""
        if which.all():
            return self
        return Instants(self.times[which], self.states[which], self.node[which], self.on_node[which])

    def with_unit_quaternions(self, columns: list[list[int]]) -> Instants:
        """Interpolated states as they are meant: only at nodes are quaternions of length one."""
        if not columns or self.on_node.all():
            return self
        states = self.states.copy()
        for own in columns:
            length = np.linalg.norm(states[:, own], axis=1, keepdims=True)
            states[:, own] /= np.where(self.on_node[:, None], 1.0, length)
        return replace(self, states=states)
