"""Small programs with known solutions, and the interpolant written out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from detent.expr import operation as op
from detent.expr.graph import Graph, Node
from detent.expr.tape import STATE, TIME, VALUES, build_tape
from detent.jit.program import Program
from detent.stepping.solver import Solver
from detent.stepping.status import Status
from detent.stepping.trajectory_piece import TrajectoryPiece

FloatArray = NDArray[np.float64]


def program(width: int, outputs: Callable[..., Sequence[Node]], values: int = 0) -> Program:
    """A program of ``outputs(graph, t, x, p)``."""
    graph = Graph()
    inputs = {"t": (TIME, 0)}
    inputs |= {f"x{i}": (STATE, i) for i in range(width)} | {f"p{i}": (VALUES, i) for i in range(values)}
    leaves = {name: graph.leaf(name) for name in inputs}
    x, p = [leaves[f"x{i}"] for i in range(width)], [leaves[f"p{i}"] for i in range(values)]
    return Program(build_tape(list(outputs(graph, leaves["t"], x, p)), inputs))


def oscillator() -> Program:
    """x'' = -x: cos t and -sin t from (1, 0)."""
    return program(2, lambda graph, t, x, p: [x[1], -x[0]])


def witch() -> Program:
    """x' = -2 t x^2: 1/(1 + t^2) from 1 at t = 0."""
    return program(1, lambda graph, t, x, p: [-2.0 * t * x[0] * x[0]])


def spin() -> Program:
    """A rotation at the speed x^2 + y^2: cos t and sin t from (1, 0)."""

    def rates(graph: Graph, t: Node, x: list[Node], p: list[Node]) -> list[Node]:
        speed = x[0] * x[0] + x[1] * x[1]
        return [-x[1] * speed, x[0] * speed]

    return program(2, rates)


def orbit() -> Program:
    """Two bodies in a plane, gravitational parameter 1: period 2 pi for a semi-major axis of 1."""

    def rates(graph: Graph, t: Node, x: list[Node], p: list[Node]) -> list[Node]:
        squared = x[0] * x[0] + x[1] * x[1]
        cubed = squared * graph.function(op.SQRT, squared)
        return [x[2], x[3], -x[0] / cubed, -x[1] / cubed]

    return program(4, rates)


ORBIT_START = np.array([0.7, 0.0, 0.0, np.sqrt(1.3 / 0.7)])
"""At the pericentre of an orbit of eccentricity 0.3."""


@dataclass(frozen=True)
class Path:
    """All pieces of a run joined, the starting node first."""

    status: Status
    time: FloatArray
    state: FloatArray
    rate: FloatArray
    dense: FloatArray

    def bits(self) -> tuple[bytes, ...]:
        return self.time.tobytes(), self.state.tobytes(), self.rate.tobytes(), self.dense.tobytes()

    def between(self, interval: int, s: FloatArray) -> FloatArray:
        """The interpolant at the fractions s of an interval, (len(s), width)."""
        h = self.time[interval + 1] - self.time[interval]
        s, s1 = s[:, None], 1.0 - s[:, None]
        change = self.state[interval + 1] - self.state[interval]
        third = h * self.rate[interval] - change
        fourth = change - h * self.rate[interval + 1] - third
        r5, r6, r7, r8 = [*self.dense[interval], *np.zeros((4, len(change)))][:4]
        inner = r5 + s * (r6 + s1 * (r7 + s * r8))
        return self.state[interval] + s * (change + s1 * (third + s * (fourth + s1 * inner)))


def solver_of(what: Program, values: FloatArray | None = None, **options: Any) -> Solver:
    options.setdefault("width", what.size)
    return Solver(what.cell, values=np.zeros(0) if values is None else values, owner=what, **options)


def run(solver: Solver, *ends: float) -> Path:
    """Advance through some ends, from where the solver stands."""
    pieces = [TrajectoryPiece(np.array([solver.time]), solver.state[None], solver.rate[None], np.zeros((0, 0, 0)))]
    status = Status.DONE
    for end in ends:
        status = solver.advance(end, pieces.append)
    dense = [piece.dense for piece in pieces[1:]] or [np.zeros((0, 0, 0))]
    join = np.concatenate
    return Path(
        status,
        join([c.time for c in pieces]),
        join([c.state for c in pieces]),
        join([c.rate for c in pieces]),
        join(dense),
    )


def path(what: Program, x0: Sequence[float] | FloatArray, end: float, **options: Any) -> Path:
    """A run from t = 0."""
    solver = solver_of(what, **options)
    solver.start(0.0, x0)
    return run(solver, end)
