"""A system as it is run: its constraints come and go as they are told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Final, final

from detent.errors import DetentError, UnknownNameError
from detent.jit.background import in_background
from detent.results.event import Event, EventLog
from detent.simulation.director import DirectorState

if TYPE_CHECKING:
    from detent.formulation.running import Instant
    from detent.hybrid.mode import Mode
    from detent.model.constraint import Constraint
    from detent.results.outcome import Outcome
    from detent.simulation.checkpoint import Checkpoint
    from detent.simulation.context import Context
    from detent.simulation.intake import Intake
    from detent.simulation.junction import Junction
    from detent.simulation.mode_maker import ModeMaker
    from detent.simulation.running_mode import RunningMode
    from detent.simulation.standing import Standing
    from detent.simulation.switching import Switching
    from detent.stepping.status import Status
    from detent.stepping.trajectory_piece import TrajectoryPiece

WORTH_COMPILING: Final = 200
"""A constrained mode is compiled after so many steps: one that is left sooner would only keep a processor busy."""


@final
class SystemDirector:
    """Changes constraints when it is asked to; nothing happens by itself."""

    is_busy: Final = False
    is_settled: Final = True
    worth_compiling: Final = WORTH_COMPILING
    loads: Final[tuple[str, ...]] = ()

    def __init__(
        self, context: Context, standing: Standing, maker: ModeMaker, switching: Switching,
        found: Checkpoint | None = None, junction: Junction | None = None,
    ) -> None:  # fmt: skip
        self._context, self._standing, self._maker, self._switching = context, standing, maker, switching
        self.first_constraints = tuple(_first(context))

    def first_mode(self, instant: Instant, found: Checkpoint | None) -> RunningMode:
        choice = None if found is None else found.choices[""]
        kept = None if choice is None else asdict(choice)
        return self._maker.make(self.first_constraints, instant, self._context.began, kept=kept)

    def begin(self, mode: RunningMode, instant: Instant, found: Checkpoint | None) -> None:
        """There is nothing else to begin."""

    def refresh(self) -> None:
        """Nothing is added to a system that runs."""

    def serve(self, status: Status) -> str | None:
        """The kernel comes back for nothing."""

    def resolves(self, status: Status) -> bool:
        """Nothing slides here that could seize."""
        return False

    def keep(self, piece: TrajectoryPiece, intake: Intake) -> None:
        intake.keep_steps(piece)

    def mode_name(self, number: int) -> str:
        return self._standing.mode.name

    def declared_mode(self, number: int) -> Mode | None:
        return None

    def built(self) -> Sequence[RunningMode]:
        return [self._standing.mode]

    def catch_up(self) -> None:
        """It stands there."""

    def prepare_for_servo(self) -> None:
        """It does."""

    def hurry(self) -> None:
        """It does."""

    def look_ahead(self) -> None:
        """Nothing can be told of what comes next."""

    def signs(self) -> dict[str, int]:
        """There are none."""
        return {}

    def values_changed(self) -> None:
        """There are no contacts, nor guards."""

    def recheck(self) -> None:
        """There are no guards."""

    def install(self) -> None:
        """Nobody but the stepper runs its programs."""

    def check_free(self) -> None:
        """They may."""

    def constrain(self, wanted: Constraint, needed: float) -> Status:
        active = self._standing.constraints
        if any(constraint.name == wanted.name for constraint in active):
            raise DetentError(
                f"the constraint '{wanted.name}' is active already; release it first, or use another name"
            )
        return self._switching.change([*active, wanted], f"constrain {wanted.name}", needed)

    def release(self, name: str, needed: float) -> Status:
        active = self._standing.constraints
        if all(constraint.name != name for constraint in active):
            raise UnknownNameError(name, [constraint.name for constraint in active], what="active constraint")
        rest = [constraint for constraint in active if constraint.name != name]
        return self._switching.change(rest, f"release {name}", needed)

    def compile_later(self) -> None:
        """Everything belongs to a mode."""

    def let_go(self) -> None:
        """Constraints that are written down on the way may be new each time."""
        workshop = self._context.workshop
        if workshop.knows_much:
            workshop.forget(self._context.history.segments.constraints() | set(self._standing.constraints))
            if self._context.is_live:
                in_background(workshop.sweep)
            else:
                workshop.sweep()

    @property
    def near_misses(self) -> EventLog:
        return EventLog()

    def unfinished(self) -> list[Event]:
        return []

    def explain(self, status: Status, reason: int) -> tuple[Outcome, str] | None:
        return None

    def saved(self) -> DirectorState:
        return DirectorState(None, {"": self._standing.mode.running.saved()})


def _first(context: Context) -> list[Constraint]:
    """The constraints that are active at the start."""
    if context.options.mode is not None:
        raise DetentError("a system has no modes to start in; give an automaton, or constraints=[...]")
    declared, names = context.system.constraints, context.options.constraints
    chosen = context.system.active_at_start if names is None else [names] if isinstance(names, str) else names
    for name in chosen:
        if name not in declared:
            raise UnknownNameError(name, declared, what="constraint")
    return [declared[name] for name in chosen]
