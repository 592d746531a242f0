"""Implicit steps, where explicit ones would be short for stability alone."""

from __future__ import annotations

import numpy as np
import pytest

from detent.expr import operation as op
from detent.expr.graph import Graph
from detent.expr.tape import STATE, TIME, build_tape
from detent.jit.program import Program
from detent.stepping.implicit import radau_nodes
from detent.stepping.solver import Solver
from detent.stepping.status import Status


def followed(rate: float, method: str, implicit: bool) -> Solver:
    """x' = -rate (x - cos t) - sin t, which is cos t at all times, to t = 2 (Prothero and Robinson 1974)."""
    graph = Graph()
    x, time = graph.leaf("x"), graph.leaf("t")
    sine, cosine = graph.function(op.SIN, time), graph.function(op.COS, time)
    program = Program(build_tape([-rate * (x - cosine) - sine], {"x": (STATE, 0), "t": (TIME, 0)}))
    solver = Solver(program.cell, width=1, values=np.zeros(0), method=method, rtol=1e-9, atol=1e-12, owner=program)
    if implicit:
        solver.offer_implicit(0, 1)
    solver.start(0.0, [1.0])
    assert solver.advance(2.0, lambda _: None) is Status.DONE
    return solver


@pytest.mark.parametrize("method", ["dopri5", "dop853"])
@pytest.mark.parametrize("rate", [1e4, 1e6, 1e8])
def test_steps_are_as_long_as_the_motion_allows_and_not_what_has_died_away(method: str, rate: float) -> None:
    solver = followed(rate, method, implicit=True)
    assert solver.state[0] == pytest.approx(np.cos(2.0), abs=1e-8)
    assert solver.steps < 150


def test_steps_that_are_not_offered_are_not_taken() -> None:
    assert followed(1e4, "dop853", implicit=False).steps > 2000
    assert followed(1.0, "dop853", implicit=True).steps == followed(1.0, "dop853", implicit=False).steps


@pytest.mark.parametrize("count", [1, 2, 3, 7])
def test_radaus_quadrature_is_exact_to_its_degree(count: int) -> None:
    nodes = radau_nodes(count)
    weights = np.linalg.solve(np.vander(nodes, count, increasing=True).T, 1.0 / np.arange(1, count + 1))
    for degree in range(2 * count - 1):
        assert weights @ nodes**degree == pytest.approx(1.0 / (degree + 1), abs=1e-13)
    assert nodes[-1] == 1.0
