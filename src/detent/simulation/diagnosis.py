"""Why a run cannot go on, in the model's own names."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from detent.algebra.decomposition_frame import RANK_TOLERANCE
from detent.errors import Fault, ModelError
from detent.jit.calling import call_once
from detent.results.outcome import Outcome
from detent.solves.constraint_solve import PARADOX, SINGULAR_CONSTRAINT
from detent.solves.full_frame import LEFT_MANIFOLD
from detent.stepping.crossing_frame import CHANGE_POINT, NO_CROSSING
from detent.stepping.nearest_reasons import ELSEWHERE, LOST, TOO_FAR
from detent.stepping.status import Status

if TYPE_CHECKING:
    from detent.formulation.compiled import CompiledSystem
    from detent.formulation.running import Instant
    from detent.simulation.context import Context
    from detent.simulation.director import Director
    from detent.simulation.running_mode import RunningMode
    from detent.simulation.standing import Standing

_OUTCOMES = {
    Status.DONE: Outcome.COMPLETED,
    Status.NOT_A_NUMBER: Outcome.NOT_A_NUMBER,
    Status.STEP_TOO_SMALL: Outcome.STEP_TOO_SMALL,
    Status.PROGRAM_STATUS: Outcome.SINGULAR_MASS,
    Status.STOPPED: Outcome.INTERRUPTED,
    Status.TOO_MANY_CALLS: Outcome.TOO_MANY_CALLS,
    Status.NO_PROGRESS: Outcome.NO_PROGRESS,
}


SINGULAR_BELOW = 1e-13
"""A smallest eigenvalue below this part of the largest one counts as zero: some ten times the rounding of M."""


CHECK_UP_TO = 20
"""Up to this many speeds the eigenvalues of M are looked at before every run."""


def singular_speeds(compiled: CompiledSystem, time: float, state: np.ndarray, values: np.ndarray) -> list[str]:
    """The speeds that move no inertia at a state; empty if M is positive definite there.

    M is scaled to a unit diagonal first, so that gram and tonne may stand side by side.
    """
    speeds = compiled.layout.speeds
    matrix = compiled.mass(time, state, values).reshape(len(speeds), len(speeds))
    if not np.isfinite(matrix).all():
        return []
    diagonal = np.diag(matrix)
    idle = [name for name, value in zip(speeds, diagonal, strict=True) if not value > 0.0]
    if idle or not speeds:
        return idle
    scale = 1.0 / np.sqrt(diagonal)
    values_, vectors = np.linalg.eigh(matrix * np.outer(scale, scale))
    if values_[0] > SINGULAR_BELOW * values_[-1]:
        return []
    weight = np.abs(vectors[:, 0])
    return [name for name, part in zip(speeds, weight, strict=True) if part > 0.3 * weight.max()]


def bodies_moved_by(compiled: CompiledSystem, speeds: list[str]) -> list[str]:
    """The bodies that some speeds carry."""
    numbers = {compiled.layout.speeds.index(name) for name in speeds}
    kinematics = compiled.equations.kinematics
    bodies = compiled.equations.system.bodies.values()
    return [body.name for body in bodies if numbers & set(kinematics.twist(body.center, body.frame))]


def singular_message(compiled: CompiledSystem, speeds: list[str]) -> str:
    """What to say about speeds that move no inertia."""
    names, moved = ", ".join(f"'{name}'" for name in speeds), bodies_moved_by(compiled, speeds)
    carried = f"they move {', '.join(repr(name) for name in moved)}" if moved else "they move no body"
    return f"the mass matrix is singular: no inertia resists a motion of the speeds {names} ({carried})"


def check_mass(compiled: CompiledSystem, mode: RunningMode, instant: Instant) -> None:
    """Refuse to start where some motion that the mode allows meets no inertia.

    For many speeds M is worked out only if the rates are not finite: it takes longer than all else that a run needs.
    """
    if mode.running.active.rows:
        return
    time, state, values = instant.time, instant.state, instant.values
    rates = np.empty(compiled.layout.width)
    status = call_once(mode.running.rates, time, np.ascontiguousarray(state), values, rates)
    if len(compiled.layout.speeds) > CHECK_UP_TO and status == 0 and np.isfinite(rates).all():
        return
    idle = singular_speeds(compiled, time, state, values)
    if idle:
        raise ModelError(
            [
                Fault(
                    f"system '{compiled.equations.system.name}'",
                    singular_message(compiled, idle),
                    "give those bodies mass or inertia in that direction, or remove the speed",
                )
            ]
        )


LOST_BELOW = 1e-3
"""Rows whose smallest singular value is below this part of the largest are said to lose their rank."""


def rows_losing_rank(mode: RunningMode, time: float, state: np.ndarray, values: np.ndarray) -> list[str]:
    """The rows of a mode that hardly differ in what they say at a state; empty where all do."""
    active = mode.running.active
    if not active.rows:
        return []
    return [active.rows[number].name for number in dependent_rows(active.at(time, state, values).B)]


def dependent_rows(B: np.ndarray) -> list[int]:
    """The rows of a matrix that hardly differ, whatever the units of its columns; none where all do.

    >>> dependent_rows(np.array([[0.0, 1.0, 7000.0], [1.0, 0.0, 30000.0]]))
    []
    >>> dependent_rows(np.array([[1.0, 0.0, 7000.0], [1.0, 0.0, 7001.0], [0.0, 1.0, 0.0]]))
    [0, 1]
    """
    columns = np.abs(B).max(axis=0)
    rows, sizes, _ = np.linalg.svd(B / np.maximum(columns, max(RANK_TOLERANCE * columns.max(), np.finfo(float).tiny)))
    if not np.isfinite(sizes).all() or sizes[-1] > LOST_BELOW * sizes[0]:
        return []
    weight = np.abs(rows[:, len(sizes) - 1])
    return np.flatnonzero(weight > 0.3 * weight.max()).tolist()


def explain(
    compiled: CompiledSystem,
    mode: RunningMode,
    outcome: Outcome,
    instant: Instant,
    concerned: int | None,
    reason: int,
) -> tuple[Outcome, str]:
    """The outcome, made more precise, and the message of a run that cannot go on."""
    time, state, values = instant.time, instant.state, instant.values
    where = f"at t = {time:.9g}"
    rows = ", ".join(f"'{name}'" for name in mode.running.active.names)
    if reason == SINGULAR_CONSTRAINT:
        return Outcome.SINGULAR_CONSTRAINT, f"{where}, among {rows}: {Outcome.SINGULAR_CONSTRAINT.advice}"
    unfollowed = _why_not_followed(compiled, outcome, instant, concerned, reason)
    if unfollowed is not None:
        return Outcome.NEAREST_POINT, f"{where}, {unfollowed}: {Outcome.NEAREST_POINT.advice}"
    lost = rows_losing_rank(mode, time, state, values)
    if reason in (CHANGE_POINT, NO_CROSSING) or (lost and outcome is Outcome.STEP_TOO_SMALL):
        rows = ", ".join(f"'{name}'" for name in lost) or rows
        return Outcome.SINGULAR_CONSTRAINT, (
            f"{where} the rank of {rows} is lost, so that several motions may follow, or none, and which one does "
            f"could not be told: {Outcome.SINGULAR_CONSTRAINT.advice}"
        )
    if reason == LEFT_MANIFOLD:
        return Outcome.LEFT_MANIFOLD, f"{where}, among {rows}: {Outcome.LEFT_MANIFOLD.advice}"
    if reason == PARADOX:
        return Outcome.PARADOX, f"{where}, among {rows}: {Outcome.PARADOX.advice}"
    idle = [] if mode.running.active.rows else singular_speeds(compiled, time, state, values)
    if idle:
        return Outcome.SINGULAR_MASS, f"{where}, {singular_message(compiled, idle)}; {Outcome.SINGULAR_MASS.advice}"
    names = compiled.layout.names
    what = f" (first seen in '{names[concerned]}')" if concerned is not None and concerned < len(names) else ""
    shown = ", ".join(f"{name} = {value:.6g}" for name, value in list(zip(names, state, strict=True))[:12])
    return outcome, f"{where}{what}: {outcome.advice}. Last state: {shown}"


def _why_not_followed(
    compiled: CompiledSystem, outcome: Outcome, instant: Instant, concerned: int | None, reason: int
) -> str | None:
    """At which contact a nearest point cannot be followed, and where that is; None where all can."""
    following = compiled.following
    if following is None:
        return None
    places = [place for place in following.places if outcome is Outcome.STEP_TOO_SMALL and concerned in place.columns]
    place = following.culprit if reason in (LOST, ELSEWHERE, TOO_FAR) else places[0] if places else None
    if place is None:
        return None
    names = compiled.layout.names
    told = ", ".join(f"{names[column]} = {instant.state[column]:.6g}" for column in place.columns)
    if reason in (ELSEWHERE, TOO_FAR):
        return f"contact '{place.name}' is followed at {told}, and its shapes are to touch at another place too"
    return f"contact '{place.name}': its point at {told} is no longer nearer than those around it"


def diagnose(context: Context, standing: Standing, director: Director, status: Status) -> tuple[Outcome, str]:
    """Why a run cannot go on."""
    solver = context.solver
    return director.explain(status, solver.reason) or explain(
        context.compiled, standing.mode, _OUTCOMES[status], context.instant, solver.concerned, solver.reason
    )
