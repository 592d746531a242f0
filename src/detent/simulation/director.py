"""What directs a run: a system, whose constraints come and go as they are told, or an automaton, which tells itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from detent.formulation.running import Instant
    from detent.hybrid.mode import Mode
    from detent.model.constraint import Constraint
    from detent.results.event import Event, EventLog
    from detent.results.outcome import Outcome
    from detent.simulation.checkpoint import Checkpoint
    from detent.simulation.intake import Intake
    from detent.simulation.running_mode import RunningMode
    from detent.stepping.status import Status
    from detent.stepping.trajectory_piece import TrajectoryPiece


@dataclass(frozen=True)
class DirectorState:
    """What a checkpoint must keep of what directs a run."""

    mode: str | None
    choices: dict[str, dict[str, Any] | None]
    """What was chosen in each mode that was entered; None for modes without constraints."""
    signs: dict[str, int] = field(default_factory=dict)
    zeno: dict[str, list[float]] = field(default_factory=dict)
    contacts: dict[str, tuple[str, tuple[float, ...]]] = field(default_factory=dict)
    """Of each mode that was entered and differs from others by the statuses of contacts: its family, and these."""
    bounces: dict[str, tuple[int, list[float]]] = field(default_factory=dict)
    """Of each place of contact that has bounced since it last rested: how often, and when, the last times."""
    repeats: dict[str, int] = field(default_factory=dict)
    """How often each transition was taken since it last accumulated."""
    said: list[str] = field(default_factory=list)
    """What is said once, and has been."""


class Director(Protocol):
    """Says what runs next. A system and an automaton answer the same questions."""

    # -- the start

    def first_mode(self, instant: Instant, found: Checkpoint | None) -> RunningMode:
        """The mode in which the run starts at an instant, or goes on from a checkpoint."""

    @property
    def first_constraints(self) -> tuple[Constraint, ...]:
        """The constraints that are active at the start."""

    def begin(self, mode: RunningMode, instant: Instant, found: Checkpoint | None) -> None:
        """The run starts in a mode, or goes on in it."""

    # -- on the way

    @property
    def is_busy(self) -> bool:
        """Whether something is still to be done at this instant."""

    @property
    def is_settled(self) -> bool:
        """Whether nothing is half done."""

    def refresh(self) -> None:
        """The kernel is about to be called: take up what has been added meanwhile."""

    def serve(self, status: Status) -> str | None:
        """Give the kernel what it came back for; or why the run ends here."""

    def resolves(self, status: Status) -> bool:
        """Whether something happens where the integration cannot go on, so that it can afterwards."""

    def keep(self, piece: TrajectoryPiece, intake: Intake) -> None:
        """Take a piece of trajectory, with what happened in it."""

    def prepare_for_servo(self) -> None:
        """Have all that is known stand ready for a kernel that must not wait, and build what may come."""

    def hurry(self) -> None:
        """Let the kernel go on by itself for as long as can be: a servo has nobody to ask."""

    def catch_up(self) -> None:
        """The kernel has gone on by itself, and nothing of it was kept: stand where it does."""

    def mode_name(self, number: int) -> str:
        """The name of the mode to which the kernel has given a number; less than 0: of that in which the run stands."""

    def declared_mode(self, number: int) -> Mode | None:
        """The same as an automaton declares it; None where nobody has."""

    def built(self) -> Sequence[RunningMode]:
        """The modes that the kernel can run by now."""

    def look_ahead(self) -> None:
        """Have prepared what may come next."""

    def signs(self) -> dict[str, int]:
        """Where the guards of declared transitions stand, by their names."""

    def values_changed(self) -> None:
        """Inputs or parameters have other values: contacts are settled anew, and guards may have jumped."""

    def recheck(self) -> None:
        """Something was changed from outside."""

    def install(self) -> None:
        """The present mode has other programs now."""

    def check_free(self) -> None:
        """That constraints may be changed from outside."""

    def constrain(self, wanted: Constraint, needed: float) -> Status:
        """Impose a constraint."""

    def release(self, name: str, needed: float) -> Status:
        """Let a constraint go."""

    # -- code

    @property
    def worth_compiling(self) -> int:
        """After how many steps a constrained mode is worth machine code."""

    def compile_later(self) -> None:
        """Have machine code made of what belongs to no mode."""

    def let_go(self) -> None:
        """Let go of what is not used any more, now and then."""

    # -- words

    @property
    def loads(self) -> tuple[str, ...]:
        """The loads that come and go and act now."""

    @property
    def near_misses(self) -> EventLog:
        """Where a guard came near zero, and did not pass it."""

    def unfinished(self) -> list[Event]:
        """What happened at an instant that could not be finished."""

    def explain(self, status: Status, reason: int) -> tuple[Outcome, str] | None:
        """Why the run cannot go on, where that is the director's affair."""

    def saved(self) -> DirectorState:
        """What a checkpoint must keep."""
