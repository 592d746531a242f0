"""Notices where all steps are spent on a motion that hardly moves anything: a stiff model.

Steps follow the fastest motion of the equations, at the rate |lambda| of their linearisation: where it vibrates,
because its error counts like any other; where it has died away, because an explicit method stays bounded only while
step times |lambda| is below a few units (Hairer and Wanner, Solving Ordinary Differential Equations II, IV.2). If that
motion has a thousandth of the speeds or less, the model is stiff: a constraint in its place would let the steps grow.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, final

import numpy as np

from detent.jit.calling import call_once
from detent.stepping.tableau import TABLEAUS

if TYPE_CHECKING:
    from detent.simulation.context import Context
    from detent.simulation.standing import Standing
    from detent.stepping.trajectory_piece import TrajectoryPiece

LOOK_EVERY: Final = 100_000
"""Steps between two looks: less than a second of work, before which nobody waits."""
FOLLOWED_FROM: Final = 0.1
"""Step times rate, from which on steps follow a motion: ten and more for each radian are taken for something else."""
MINOR: Final = 1e-3
"""A motion with at most this part of the speeds is no more than a plot's line is wide."""
ENOUGH_STEPS: Final = 16
"""Steps in a piece of trajectory whose mean tells how long steps are here."""


@final
@dataclass(frozen=True)
class FastestMotion:
    """The fastest motion of the equations at a state: its rate (1/s), its part of the speeds, what moves most in it."""

    rate: float
    part: float
    name: str


@final
class StiffnessWatch:
    """Looks at a run now and then, until it has found what to say."""

    def __init__(self, context: Context, standing: Standing) -> None:
        self._context, self._standing = context, standing
        # A live run has its steps from the clock, and its programs run while Python looks on.
        watches = TABLEAUS[context.options.method].is_adaptive and not context.is_live
        self.next_look = LOOK_EVERY if watches else sys.maxsize
        """The number of steps from which on there is something to look at."""

    def look(self, piece: TrajectoryPiece) -> None:
        """A piece of trajectory has come."""
        steps = self._context.solver.steps
        if steps < self.next_look or len(piece) < ENOUGH_STEPS:
            return
        self.next_look = steps + LOOK_EVERY
        step = float(piece.time[-1] - piece.time[0]) / (len(piece) - 1)
        found = self._fastest(float(piece.time[-1]), np.array(piece.state[-1]))
        if found is not None and found.part <= MINOR and found.rate * step >= FOLLOWED_FROM:
            self.next_look = sys.maxsize
            self._context.remarks.add(
                f"the equations are stiff: {steps} steps to t = {piece.time[-1]:.6g}, each about {step:.2g} s, follow "
                f"a motion of '{found.name}' that changes within {1 / found.rate:.2g} s and has at most {MINOR:g} of "
                "the speeds; put a constraint in place of the stiff spring or damper behind it, or make that softer"
            )

    def _fastest(self, time: float, state: np.ndarray) -> FastestMotion | None:
        """The fastest motion at a state; None where the equations have no finite derivatives there."""
        layout, width = self._context.compiled.layout, len(state) - 1  # the work follows the motion and drives nothing
        coordinates = len(layout.coordinates)
        slopes, rates = np.empty((width, width)), self._rates(time, state)
        for column in range(width):
            moved = state.copy()
            moved[column] += 1.5e-8 * max(1.0, abs(state[column]))  # the root of the rounding: half the digits each
            change = self._rates(time, moved) - rates
            slopes[:, column] = change[:width] / (moved[column] - state[column])
        if not np.isfinite(slopes).all() or coordinates == 0:
            return None
        found, shapes = np.linalg.eig(slopes)
        sizes = np.abs(found)
        try:
            moving = np.abs(shapes * np.linalg.solve(shapes, rates[:width]))
        except np.linalg.LinAlgError:
            return None
        fast, still = sizes > 0.5 * sizes.max(), float(np.max(self._context.options.absolute_tolerance))
        part = moving[:coordinates, fast].sum(axis=1).max() / (np.abs(rates[:coordinates]).max() + still)
        largest = int(np.abs(shapes[:, int(sizes.argmax())]).argmax())
        return FastestMotion(float(sizes.max()), float(part), layout.names[largest])

    def _rates(self, time: float, state: np.ndarray) -> np.ndarray:
        out = np.full(len(state), np.nan)
        call_once(self._standing.mode.running.rates, time, state, self._context.values.vector, out)
        return out
