"""Imposing constraints on a system in motion."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from detent.errors import DetentError
from detent.formulation.active_rows import ActiveRows, RowValues
from detent.formulation.workshop import Workshop
from detent.jit.calling import call_once

IMPOSE_TOLERANCE = 1e-7
"""A constraint may be imposed on a running system when it holds this well, relative to the largest coordinate."""


@dataclass(frozen=True, eq=False)
class Imposed:
    """The state after constraints were imposed, the constraints there, and what the impact did (nothing, if none)."""

    state: np.ndarray
    geometry: RowValues
    details: dict[str, float | str] = field(default_factory=dict)


def imposed(workshop: Workshop, active: ActiveRows, time: float, state: np.ndarray, values: np.ndarray) -> Imposed:
    """A plastic impact against the constraints, by the law of every impact; the energy it takes counts as work."""
    now = active.at(time, state, values)
    first, last = active.coordinates, active.coordinates + active.speeds
    # Lists, for a few numbers: what follows is a part of every time from an event to the next step.
    numbers, phi = state.tolist(), now.phi.tolist()
    worst = max(range(len(phi)), key=lambda row: abs(phi[row]))
    scale = 1.0 + max(map(abs, numbers[:first]), default=0.0)
    if not abs(phi[worst]) <= IMPOSE_TOLERANCE * scale:
        raise DetentError(
            f"the constraint '{active.rows[worst].name}' cannot be imposed at t = {time:.9g}: the position violates "
            f"it by {phi[worst]:.6g}; impose it when it holds, or write it so that it holds now"
        )
    against = max(map(abs, (now.B @ state[first:last] + now.C).tolist()))
    if against <= 1e-13 * (1.0 + max(map(abs, numbers[first:last]))):
        return Imposed(state, now)
    if active.bent:
        raise DetentError(
            f"the constraint '{active.bent[0]}' cannot be imposed at t = {time:.9g}: the motion violates it, and what "
            "an impact against a row that is not linear in the speeds does is not known; impose it when it holds"
        )
    after = np.empty(len(state))
    strike, impulses = workshop.plastic_impact(active)
    status = call_once(strike.cell, time, state, values, after)
    if status != 0:
        workshop.reduce(active, now, state)  # names the rows that contradict others
        raise DetentError(
            f"the impact against {', '.join(row.name for row in active.rows)} cannot be worked out at t = {time:.9g} "
            f"(status {status}); release a constraint, or mend its expression"
        )
    observer = workshop.compiled.observer
    gain = float(observer(time, after, values).sum() - observer(time, state, values).sum())
    after[-1] += gain
    named = {f"impulse of {row.name}": value for row, value in zip(active.rows, impulses.tolist(), strict=True)}
    return Imposed(after, now, {"energy": gain, **named})
