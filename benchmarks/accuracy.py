"""Whether the speed is bought with digits: period, energy and the order of every stepper."""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from numpy.typing import NDArray

from detent.formulation.compiled import compile_system
from detent.gallery.example import example
from detent.gallery.pendulum import period
from detent.model.system import System
from detent.simulation.simulate import simulate
from detent.stepping.solver import Solver
from detent.stepping.tableau import TABLEAUS

from .detent_chain import chain_system, parameter_values
from .runner import Row

TITLE = "errors against closed forms and conserved energy, with their limits"

PERIOD_ERROR: Final = 1e-12
PENDULUM_DRIFT: Final = 1e-10
CHAIN_DRIFT: Final = 1e-7
"""All relative; the drifts to the energy scale, over 100 s at a relative tolerance of 1e-11."""

ORDER_ERROR: Final = 0.3
"""How far a fitted order may be from the method's: the next term of the error bends the line by about this much."""

SWING: Final = 2.0
"""Seconds over which the order is measured: no multiple of the period, at which errors may cancel."""

STEPS: Final = {"rk4": (160, 226, 320, 453, 640), "dopri5": (80, 113, 160, 226, 320), "dop853": (28, 34, 40, 48, 56)}
"""How many steps that takes: small enough for the leading error to rule, large enough to stay above rounding."""


def run(quick: bool) -> list[Row]:
    """Rows with limits; ``quick`` simulates one second where 100 s are asked for.

    >>> all(row.met for row in run(quick=True))
    True
    """
    until = 1.0 if quick else 100.0
    pendulum, chain = example("pendulum").system, chain_system(7)
    return [
        Row.within(PERIOD_ERROR, "period of the pendulum, rtol 1e-13", ours=_period_error(), unit="1"),
        _drift("pendulum", pendulum, until, PENDULUM_DRIFT),
        # Released straight and level: it whips, so this is no gentle case.
        _drift("7 links", chain, until, CHAIN_DRIFT, q1=math.pi / 2),
        *(_order(method) for method in TABLEAUS),
    ]


def _period_error() -> float:
    """Relative error of the period, from one Newton step on the speed, which is zero after a whole period."""
    length, g, amplitude = 1.0, 9.81, math.pi / 2
    exact = period(length, g, amplitude)
    final = example("pendulum").simulate(until=exact, rtol=1e-13).final
    acceleration = -g / length * math.sin(final.angle)
    return float(abs(final.angle_rate / acceleration) / exact)


def _drift(name: str, system: System, until: float, limit: float, **start: float) -> Row:
    run = simulate(system, until, start=start, rtol=1e-11, progress=False)
    assert run.timing is not None
    note = f"{run.timing.steps} steps in {run.timing.wall_s:.2g} s"
    what = f"energy drift of {name}, {until:g} s, rtol 1e-11"
    return Row.within(limit, what, ours=run.audit.energy_balance, unit="1", note=note)


def _order(method: str) -> Row:
    """How far the slope of error over step is from the method's order."""
    expected = _swing("dop853", 4000)
    errors = [np.max(np.abs(_swing(method, steps) - expected)) for steps in STEPS[method]]
    slope = -float(np.polyfit(np.log(STEPS[method]), np.log(errors), 1)[0])
    nominal = TABLEAUS[method].order
    note = f"measured {slope:.3f}, errors {errors[0]:.1e} to {errors[-1]:.1e}"
    return Row.within(
        ORDER_ERROR, f"order of {method}, off {nominal} by", ours=abs(slope - nominal), unit="1", note=note
    )


def _swing(method: str, steps: int) -> NDArray[np.float64]:
    """Angle and speed of the pendulum after so many equal steps."""
    compiled = compile_system(example("pendulum").system)
    solver = Solver(
        compiled.cell, width=compiled.layout.width, values=parameter_values(compiled),
        method=method, step=SWING / steps, fixed=True,
    )  # fmt: skip
    solver.start(0.0, [-math.pi / 2, 0.0, 0.0])
    solver.advance(SWING, lambda piece: None)
    return solver.state[:2]
