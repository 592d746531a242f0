"""Three ways to solve M u' = f for the chain, which is why the engine switches where it does.

``FACTORISE_UP_TO`` in :mod:`detent.dynamics.equations_of_motion` is the number of speeds up to which the unrolled
factorisation clearly takes less time than the recursion. A few speeds more and the two take the same time per
evaluation, but the recursion is machine code in less than half the time.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Final

import numpy as np
from numpy.typing import NDArray

from detent.dynamics.equations_of_motion import FACTORISE_UP_TO, EquationsOfMotion
from detent.expr.graph import Node
from detent.formulation.compiled import compile_system
from detent.jit.calling import call_many
from detent.jit.program import Program
from detent.solves.mass_solve import MassSolve

from .derivation import cold_cache
from .detent_chain import ANGLES_PER_BATCH, chain_system, parameter_values, random_states
from .runner import Row, quantity
from .timing import Batch, interleaved

TITLE = "rates of an N-link chain: the way the engine chose against the two others, per evaluation"

SIZES: Final = (2, 5, 7, 10, 12, 16, 20, 50)

AGREEMENT: Final = 1e-9
"""Largest difference of rates, relative to the largest of them."""

UNROLLED, RECURSION, KERNEL = "unrolled LDL^T", "O(N) recursion", "factorised in the kernel"

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class _Way:
    """Native code of all rates, with what it took."""

    batch: Batch
    rates: FloatArray
    """Where the batch puts its results."""
    native_s: float
    instructions: int


def run(quick: bool) -> list[Row]:
    """Per number of links, the chosen way against each of the others.

    >>> [row.peer for row in run(quick=True)]
    ['O(N) recursion', 'factorised in the kernel']
    """
    rows = []
    for links in (2,) if quick else SIZES:
        rows += _rows(links, budget_s=0.1 if quick else 1.0)
    return rows


def _rows(links: int, budget_s: float) -> list[Row]:
    ways = {name: _way(links, name) for name in (UNROLLED, RECURSION, KERNEL)}
    _check(links, ways)
    seconds = interleaved({name: way.batch for name, way in ways.items()}, budget_s)
    chosen = UNROLLED if links <= FACTORISE_UP_TO else RECURSION
    return [
        Row.at_least(
            None,
            f"{links} links, {chosen}",
            ours=1e6 * seconds[chosen],
            theirs=1e6 * seconds[other],
            unit="us",
            peer=other,
            note=_effort(ways[chosen], ways[other]),
        )
        for other in ways
        if other != chosen
    ]


def _check(links: int, ways: dict[str, _Way]) -> None:
    """A fast wrong answer is no answer."""
    for way in ways.values():
        way.batch.run()
    expected = ways[UNROLLED].rates
    for name, way in ways.items():
        difference = float(np.max(np.abs(way.rates - expected)) / np.max(np.abs(expected)))
        if not difference <= AGREEMENT:
            raise ArithmeticError(
                f"rates of {links} links by {name!r} and by {UNROLLED!r} differ by {difference:.2g} of the largest, "
                f"at most {AGREEMENT:g} was expected; find out which of the two is wrong before timing them"
            )


def _effort(ours: _Way, theirs: _Way) -> str:
    native = f"native {quantity(1e3 * ours.native_s, 'ms')} / {quantity(1e3 * theirs.native_s, 'ms')}"
    return f"{native}, {ours.instructions} / {theirs.instructions} instructions"


def _way(links: int, name: str) -> _Way:
    compiled = compile_system(chain_system(links))
    equations = compiled.equations
    outputs: dict[str, Callable[[], list[Node]]] = {
        UNROLLED: lambda: _rates(equations, equations.factorised_accelerations()),
        RECURSION: lambda: _rates(equations, equations.recursive_accelerations()),
        KERNEL: equations.unsolved_rates,
    }
    program = compiled.program(outputs[name]())
    with cold_cache():
        program.compile()
    assert program.native_seconds is not None
    count = max(1, ANGLES_PER_BATCH // links)
    states, rates = random_states(links, count), np.empty((count, 2 * links + 1))
    solver = MassSolve(program.cell, links, links, 0) if name == KERNEL else None
    evaluate = partial(_evaluate, program, solver, np.zeros(count), states, parameter_values(compiled), rates)
    return _Way(Batch(evaluate, count), rates, program.native_seconds, len(program.tape))


def _rates(equations: EquationsOfMotion, accelerations: list[Node]) -> list[Node]:
    """q', u' and the power, which is zero: no load of the chain takes or gives energy."""
    return [*equations.quantities.q_rates, *accelerations, equations.graph.zero]


def _evaluate(
    program: Program, solver: MassSolve | None, times: FloatArray, states: FloatArray, values: FloatArray,
    rates: FloatArray,
) -> None:  # fmt: skip
    # Both are passed although one is called: a solver knows only the address of its program, which must stay alive.
    status = call_many(program.cell if solver is None else solver.cell, times, states, values, rates)
    if status != 0:
        raise ArithmeticError(f"the solve returned {status}, 0 was expected; the mass matrix must be positive definite")
