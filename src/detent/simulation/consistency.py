"""Bringing a state onto its constraints: at the start of a run, and when constraints are imposed in motion."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from detent.errors import DetentError

MOST_TRIALS = 60
START_TOLERANCE = 1e-12
"""How well the constraints must hold at the start, relative to the largest coordinate; the stepper then corrects to
rounding."""


@dataclass(frozen=True)
class Geometry:
    """The constraints at one state, in numbers."""

    phi: np.ndarray
    B: np.ndarray
    C: np.ndarray
    turn: np.ndarray
    """How coordinates and signals change per unit of each speed."""


def smallest_change(rows: np.ndarray, wanted: np.ndarray, held: np.ndarray) -> np.ndarray:
    """The smallest d with rows d = wanted and held d = 0; if there is none, the smallest with rows d = wanted."""
    both = np.vstack([rows, held])
    change: np.ndarray = np.linalg.lstsq(both, np.concatenate([wanted, np.zeros(len(held))]), rcond=1e-11)[0]
    if np.abs(rows @ change - wanted).max(initial=0.0) > 1e-9 * (1.0 + np.abs(wanted).max(initial=0.0)):
        change = np.linalg.lstsq(rows, wanted, rcond=1e-11)[0]
    return change


def consistent_start(
    geometry: Callable[[np.ndarray], Geometry], state: np.ndarray, sizes: tuple[int, int, int],
    given: Sequence[int], names: Sequence[str],
) -> np.ndarray:  # fmt: skip
    """The nearest state that satisfies the constraints; entries in ``given`` are kept if that is possible.

    Raises with the constraint that is violated most, and by how much, where there is no such state nearby.
    """
    n_q, n, n_s = sizes
    state = state.copy()
    places = [*range(n_q), *range(n_q + n, n_q + n + n_s)]
    kept = [row for row, place in enumerate(places) if place in given]
    scale = 1.0 + np.abs(state[places]).max(initial=0.0)
    now = geometry(state)
    for _ in range(MOST_TRIALS):
        worst = np.abs(now.phi).max(initial=0.0)
        if worst <= START_TOLERANCE * scale:
            break
        holonomic = np.flatnonzero(np.abs(now.phi) > 0.0) if worst else np.arange(0)
        change = now.turn @ smallest_change(now.B[holonomic], -now.phi[holonomic], now.turn[kept])
        state, now = _damped(geometry, state, now, places, change)
    worst_row = int(np.abs(now.phi).argmax()) if len(now.phi) else 0
    if len(now.phi) and abs(now.phi[worst_row]) > 1e-9 * scale:
        raise DetentError(
            f"the constraint '{names[worst_row]}' cannot be met from this start: the nearest configuration found still "
            f"violates it by {abs(now.phi[worst_row]):.6g}; give start values closer to one that satisfies it"
        )
    residual = now.B @ state[n_q : n_q + n] + now.C
    held = np.array([np.eye(n)[place - n_q] for place in given if n_q <= place < n_q + n]).reshape(-1, n)
    state[n_q : n_q + n] += smallest_change(now.B, -residual, held)
    left = np.abs(now.B @ state[n_q : n_q + n] + now.C)
    if len(left) and left.max() > 1e-9 * (1.0 + np.abs(state[n_q : n_q + n]).max()):
        raise DetentError(
            f"no speeds satisfy the constraint '{names[int(left.argmax())]}' together with the others at the start (it "
            f"is violated by {left.max():.6g}); release one of them, or mend its expression"
        )
    return state


def _damped(
    geometry: Callable[[np.ndarray], Geometry], state: np.ndarray, now: Geometry, places: list[int], change: np.ndarray
) -> tuple[np.ndarray, Geometry]:
    """A Newton step, shortened until it helps."""
    before = np.linalg.norm(now.phi)
    for _ in range(12):
        trial = state.copy()
        trial[places] += change
        there = geometry(trial)
        if np.isfinite(there.phi).all() and np.linalg.norm(there.phi) < before:
            return trial, there
        change = change / 2
    return trial, there


def plastic_impact(M: np.ndarray, now: Geometry, speeds: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The speeds after an impact that leaves no velocity against the constraints, and the impulse of each row.

    u+ = u + M^-1 B^T P with (B M^-1 B^T) P = -(B u + C); redundant rows share the impulse with least norm.
    """
    moved = np.linalg.solve(M, now.B.T)
    impulse = np.linalg.lstsq(now.B @ moved, -(now.B @ speeds + now.C), rcond=1e-11)[0]
    return speeds + moved @ impulse, impulse
