"""Bringing a state onto its constraints: at the start of a run, and when constraints are imposed in motion."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from detent.errors import DetentError
from detent.formulation.active_rows import RowValues

MOST_TRIALS = 60
GUESSES = 8
SLIGHTLY = 0.1
"""How far a given start value may be moved, relative to 1 + its size, where the constraints cannot be met with it."""

START_TOLERANCE = 1e-12
"""How well the constraints must hold at the start, relative to the largest coordinate; the stepper then corrects to
rounding."""


class StartSearch:
    """Looks for the nearest state that satisfies the constraints; entries that were given are kept if possible.

    With them held, several guesses of the others are tried before any of them is let go.
    """

    def __init__(
        self, geometry: Callable[[np.ndarray], RowValues], sizes: tuple[int, int, int], given: Sequence[int],
        names: Sequence[str],
    ) -> None:  # fmt: skip
        self.geometry, self.names, self.given = geometry, names, set(given)
        self.n_q, self.n, n_s = sizes
        self.places = [*range(self.n_q), *range(self.n_q + self.n, self.n_q + self.n + n_s)]

    def find(self, state: np.ndarray) -> np.ndarray:
        """The state, or an error that names the constraint that is violated most, and by how much."""
        placed, now = self._placed(state)
        speeds = slice(self.n_q, self.n_q + self.n)
        held = [np.eye(self.n)[place - self.n_q] for place in sorted(self.given) if self.n_q <= place < speeds.stop]
        for _ in range(MOST_TRIALS):  # once, unless rows are not linear in the speeds
            residual = now.B @ placed[speeds] + now.C
            placed[speeds] += smallest_change(now.B, -residual, np.array(held).reshape(-1, self.n))
            rows, now = now.B, self.geometry(placed)
            if (rows == now.B).all() or not (np.abs(now.B @ placed[speeds] + now.C) < np.abs(residual).max()).all():
                break
        left = np.abs(now.B @ placed[speeds] + now.C)
        if left.max(initial=0.0) > 1e-9 * (1.0 + np.abs(placed[speeds]).max()):
            raise DetentError(
                f"no speeds satisfy the constraint '{self.names[int(left.argmax())]}' together with the others at the "
                f"start (it is violated by {left.max():.6g}); release one of them, or mend its expression"
            )
        return placed

    def _placed(self, state: np.ndarray) -> tuple[np.ndarray, RowValues]:
        guessed = [place for place in range(self.n_q) if place not in self.given]
        held = [row for row, place in enumerate(self.places) if place in self.given]
        tried = []
        for trial in range(GUESSES if guessed else 1):
            guess = state.copy()
            guess[guessed] += [0.7 * trial * math.sin(1.0 + 2.3 * i + trial) for i in range(len(guessed))]
            found, now = self._newton(guess, held)
            if self._holds(found, now):
                return found, now
            tried.append(now)
        found, now = self._newton(state, [])
        fixed = [self.places[row] for row in held]
        moved = np.abs(found[fixed] - state[fixed]) / (1.0 + np.abs(state[fixed]))
        if self._holds(found, now) and moved.max(initial=0.0) <= SLIGHTLY:
            return found, now
        nearest = min(tried, key=lambda geometry: float(np.linalg.norm(geometry.phi)))
        worst = int(np.abs(nearest.phi).argmax())
        raise DetentError(
            f"the constraint '{self.names[worst]}' cannot be met from this start: the nearest configuration found "
            f"still violates it by {abs(nearest.phi[worst]):.6g}; give start values closer to one that satisfies it, "
            "or fewer of them"
        )

    def _holds(self, state: np.ndarray, now: RowValues) -> bool:
        return bool(
            np.abs(now.phi).max(initial=0.0) <= START_TOLERANCE * (1.0 + np.abs(state[self.places]).max(initial=0.0))
        )

    def _newton(self, state: np.ndarray, held: list[int]) -> tuple[np.ndarray, RowValues]:
        """Newton's method with the smallest change at each step, shortened until it helps."""
        now = self.geometry(state)
        for _ in range(MOST_TRIALS):
            if self._holds(state, now):
                break
            violated = np.abs(now.phi) > 0.0
            both = np.vstack([now.B[violated], now.turn[held]])
            wanted = np.concatenate([-now.phi[violated], np.zeros(len(held))])
            change = now.turn @ np.linalg.lstsq(both, wanted, rcond=1e-11)[0]
            change[held] = 0.0
            better = self._shortened(state, now, change)
            if better is None:
                break
            state, now = better
        return state, now

    def _shortened(self, state: np.ndarray, now: RowValues, change: np.ndarray) -> tuple[np.ndarray, RowValues] | None:
        before = np.linalg.norm(now.phi)
        for _ in range(12):
            trial = state.copy()
            trial[self.places] += change
            there = self.geometry(trial)
            if np.isfinite(there.phi).all() and np.linalg.norm(there.phi) < before:
                return trial, there
            change = change / 2
        return None


def smallest_change(rows: np.ndarray, wanted: np.ndarray, held: np.ndarray) -> np.ndarray:
    """The smallest d with rows d = wanted and held d = 0; if there is none, the smallest with rows d = wanted."""
    both = np.vstack([rows, held])
    change: np.ndarray = np.linalg.lstsq(both, np.concatenate([wanted, np.zeros(len(held))]), rcond=1e-11)[0]
    if np.abs(rows @ change - wanted).max(initial=0.0) > 1e-9 * (1.0 + np.abs(wanted).max(initial=0.0)):
        change = np.linalg.lstsq(rows, wanted, rcond=1e-11)[0]
    return change
