"""What formulations cost, in processor time: a step of the ball in a bowl, the biped against real time, equations.

Steps of 0.01 s by the classical Runge-Kutta method, with machine code that is ready. Processor time of the thread that
steps, the least of some turns, so that other work on the machine does not count.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, Final

from detent.gallery.example import NAMES, Example, example
from detent.simulation.simulation import Simulation

from .embedding import wait_for_compiler
from .runner import Row

TITLE = "a step of the ball in a bowl by formulation, the biped against real time, equations to print"

STEP: Final = 0.01
FASTER_THAN_CORRECTED: Final = 3.0
TIMES_REAL_TIME: Final = 300.0
PRINTED_S: Final = 2.0
"""Seconds after which the equations of a model must be there to read."""
BIPED: Final = {"embedded": 1000.0, "corrected": TIMES_REAL_TIME}
"""How many times faster than real time, by formulation."""


def run(quick: bool) -> list[Row]:
    """Steps against one another, the biped against the clock, and equations against a limit.

    >>> [row.met is None for row in bowl_rows(steps=10, turns=1)]
    [False, False, True]
    """
    steps, turns = (10, 1) if quick else (5000, 7)
    printed = ("slider-crank",) if quick else NAMES
    return [*bowl_rows(steps, turns), *biped_rows(steps, turns), *printing_rows(printed, turns=1 if quick else 2)]


def bowl_rows(steps: int, turns: int) -> list[Row]:
    """A step of ``embedded`` against one of ``corrected``, by the kernel alone, and with all that a run does.

    With plain rates other speeds are chosen again and again; most of that is not the kernel's work.
    """
    few, many = example("ball-in-bowl-minimal"), example("ball-in-bowl")
    ours, same, twelve = (
        _step_cost(made, word, steps, turns)
        for made, word in ((few, "embedded"), (few, "corrected"), (many, "corrected"))
    )
    whole, other = (_step_cost(many, word, steps, turns, whole=True) for word in ("embedded", "corrected"))
    what, target = "ball in a bowl, speeds alpha', beta', omega_rho: a step embedded", FASTER_THAN_CORRECTED
    return [
        Row.at_least(target, what, ours=ours, theirs=same, unit="us", peer="corrected, the same model"),
        Row.at_least(target, what, ours=ours, theirs=twelve, unit="us", peer="corrected, twelve coordinates"),
        Row.at_least(
            None, "ball in a bowl, twelve coordinates: a step embedded, recorded", ours=whole, theirs=other, unit="us",
            peer="corrected, the same model",
        ),
    ]  # fmt: skip


def biped_rows(steps: int, turns: int) -> list[Row]:
    """Processor time for a simulated second."""
    biped = example("seven-link-biped")
    rows = []
    for word, factor in BIPED.items():
        cost = _step_cost(biped, word, steps, turns, whole=True) / STEP / 1e3
        rows.append(
            Row.within(
                1e3 / factor, f"biped of seven links, {word}: a second", ours=cost, unit="ms",
                note=f"{1e3 / cost:.0f} times real time",
            )
        )  # fmt: skip
    return rows


def printing_rows(names: tuple[str, ...], turns: int) -> list[Row]:
    """The model whose equations take longest to print."""
    seconds = {name: _least(lambda name=name: _printed(name), turns) for name in names}  # type: ignore[misc]
    slowest = max(seconds, key=seconds.__getitem__)
    what = f"equations as text, slowest of {len(names)} models of the gallery"
    return [Row.within(PRINTED_S, what, ours=seconds[slowest], unit="s", note=slowest)]


def _printed(name: str) -> float:
    system = example(name).system
    began = time.thread_time()
    system.equations().text()
    return time.thread_time() - began


def _step_cost(made: Example, formulation: str, steps: int, turns: int, whole: bool = False) -> float:
    """Microseconds of processor time for a step, by the kernel alone or as a ``whole`` run takes it."""
    arguments: dict[str, Any] = {"method": "rk4", "step": STEP, "embedding": "symbolic", "formulation": formulation}

    def turn() -> float:
        simulation = Simulation(made.system, **arguments)
        simulation.advance(steps * STEP)
        wait_for_compiler()
        solver, end = simulation._context.solver, 2 * steps * STEP
        began = time.thread_time()
        if whole:
            simulation.advance(end)
        elif solver.advance(end, lambda piece: None).failed or solver.time < 0.999 * end:
            raise ArithmeticError(f"the steps to be timed ended at {solver.time} s; find a start that lets them go on")
        return (time.thread_time() - began) / steps

    return 1e6 * _least(turn, turns)


def _least(measured: Callable[[], float], turns: int) -> float:
    return min(measured() for _ in range(turns))
