"""An automaton as it is run: the kernel finds events and takes transitions; what it lacks it asks for, and goes on."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict
from typing import TYPE_CHECKING, Final, final

import numpy as np

from detent.errors import DetentError
from detent.events.event_frame import Phase, Readiness
from detent.events.event_memory import Log
from detent.formulation.running import Instant
from detent.hybrid.mode import Mode
from detent.hybrid.status_automaton import StatusAutomaton
from detent.model.constraint import Constraint
from detent.results.event import Event, EventLog
from detent.results.outcome import Outcome
from detent.simulation.automaton_explanations import AutomatonExplanations
from detent.simulation.automaton_log import AutomatonLog
from detent.simulation.automaton_service import AutomatonService
from detent.simulation.automaton_tables import AutomatonTables
from detent.simulation.automaton_words import AutomatonWords
from detent.simulation.contact_start import first_mode
from detent.simulation.contacts_ahead import prepare_statuses
from detent.simulation.context import Context
from detent.simulation.director import DirectorState
from detent.simulation.history import TransitionBatch
from detent.simulation.intake import Intake
from detent.simulation.junction import Junction, mode_after
from detent.simulation.mode_maker import ModeMaker
from detent.simulation.paradox import Paradox
from detent.simulation.prefetch import Prefetcher
from detent.simulation.running_mode import RunningMode
from detent.simulation.standing import Standing
from detent.simulation.switching import Switching
from detent.stepping.status import Status
from detent.stepping.trajectory_piece import TrajectoryPiece

if TYPE_CHECKING:
    from detent.simulation.checkpoint import Checkpoint

WORTH_COMPILING: Final = 20
"""A constrained mode is compiled after so many steps: fewer than elsewhere, for it is likely to be entered again."""


@final
class AutomatonDirector:
    """Follows an automaton: its tables, its service to the kernel, its log and its words are objects of their own."""

    worth_compiling: Final = WORTH_COMPILING

    def __init__(
        self, context: Context, standing: Standing, maker: ModeMaker, switching: Switching,
        found: Checkpoint | None = None, junction: Junction | None = None,
    ) -> None:  # fmt: skip
        self._context, self._standing, self._maker = context, standing, maker
        automaton, options = context.automaton, context.options
        assert automaton is not None
        if options.constraints is not None:
            raise DetentError("with an automaton the mode says what constraints are active; leave constraints out")
        automaton.follow(context.solver)
        self._tables = AutomatonTables(context, automaton)
        self._at_the_start: list[Event] = []
        """What contacts did to come to the first mode."""
        self.junction = junction
        """Where the run has come from one with other contacts, and the state after that."""
        if junction is not None:
            assert isinstance(automaton, StatusAutomaton)
            first, self.junction = mode_after(context, self._tables.plans, automaton, junction)
        else:
            saved = None if found is None else found.mode
            first, self._at_the_start = first_mode(context, self._tables.plans, saved)
        self._first = first
        automaton.check(first)
        self._tables.visited.add(first)
        self._tables.meet(first)
        vector, switched = context.values.vector, automaton.system.switched_loads
        vector[len(vector) - len(switched) :] = [float(load in first.loads) for load in switched]
        self._service = AutomatonService(context, self._tables, maker)
        self._log = AutomatonLog(self._tables)
        self._words = AutomatonWords(self._tables, first, context.values.first_discrete)
        self._explanations = AutomatonExplanations(context, self._tables)
        self._paradox = Paradox(context, self._tables)
        self._prefetcher = (
            None if options.when_modes_are_built == "lazy" else Prefetcher(context, standing, self._tables)
        )
        context.history.follow(self._words.worded)

    @property
    def current(self) -> Mode:
        """The mode of the automaton in which the run stands."""
        declared = self._standing.mode.declared
        return self._first if declared is None else declared

    @property
    def is_by_contacts_alone(self) -> bool:
        """Whether nobody has declared the automaton: constraints may come and go."""
        automaton = self._tables.automaton
        return isinstance(automaton, StatusAutomaton) and automaton.declared is None

    # -- the start ---------------------------------------------------------------------------------

    @property
    def first_constraints(self) -> tuple[Constraint, ...]:
        return tuple(self._first.constraints)

    def first_mode(self, instant: Instant, found: Checkpoint | None) -> RunningMode:
        choice = None if found is None else found.choices.get(self._first.name)
        kept = None if choice is None else asdict(choice)
        claimed = None if choice is None else self._service.claim_again(self._first, choice, instant)
        if claimed is not None:
            return claimed
        needed = self._context.began
        return self._maker.make(self._first.constraints, instant, needed, declared=self._first, kept=kept)

    def begin(self, mode: RunningMode, instant: Instant, found: Checkpoint | None) -> None:
        """The run starts here: what the mode requires must hold, and no guard fires."""
        tables = self._tables
        tables.install(self._first, mode)
        for name, choice in () if found is None else found.choices.items():
            tables.meet(known := tables.automaton.modes[name])
            if choice is not None and known not in tables.built:
                self._service.claim_again(known, choice)
        self.refresh()
        self._context.solver.mode = tables.modes.index(self._first)
        if self._prefetcher is not None and self._context.options.when_modes_are_built == "all":
            self._prefetcher.prepare_all(instant)
        tables.phase = Phase.BEGIN
        if found is not None:
            self._go_on(found)
        elif self.junction is not None:
            for transition, number in tables.plans.guards(self._first).place.items():
                tables.memory.signs[number] = self.junction.signs.get(tables.automaton.declared_name(transition), 0)
            tables.phase = Phase.RECHECK
        for event in self._at_the_start:
            self._context.history.add_event(event)

    def _go_on(self, found: Checkpoint) -> None:
        """Take up a run where a checkpoint left it."""
        tables = self._tables
        for transition, number in tables.plans.guards(self._first).place.items():
            tables.memory.signs[number] = found.signs.get(transition.name, 0)
        for number, transition in enumerate(tables.transitions):
            if transition.name in found.zeno:
                tables.memory.zeno[number] = tuple(found.zeno[transition.name])
        tables.visited |= {mode for mode in tables.modes if mode.name in found.choices}
        self._words.told |= tables.visited
        self._words.go_on_from(found)
        kept = {mode: found.choices.get(mode.name) for mode in tables.modes}
        self._service.kept = {
            mode: choice for mode, choice in kept.items() if choice is not None and mode not in tables.built
        }
        tables.phase = Phase.RECHECK if found.time > 0.0 else Phase.BEGIN

    # -- on the way --------------------------------------------------------------------------------

    @property
    def is_busy(self) -> bool:
        return self._tables.is_busy

    @property
    def is_settled(self) -> bool:
        return self._tables.phase not in (Phase.CHOOSE, Phase.ENTER)

    def refresh(self) -> None:
        self._tables.memory.forget()
        if self._tables.claiming is not None:
            self._service.adopt()
        if self._prefetcher is not None:
            self._prefetcher.hand_over()
        if self._tables.refresh():
            self.recheck()
            self.look_ahead()

    def serve(self, status: Status) -> str | None:
        return self._service.serve(status)

    def resolves(self, status: Status) -> bool:
        return self._paradox.resolves(self.current, status)

    def mode_name(self, number: int) -> str:
        self._service.adopt()
        return self._standing.mode.name if number < 0 else self._tables.modes[number].name

    def declared_mode(self, number: int) -> Mode | None:
        self._service.adopt()
        return self.current if number < 0 else self._tables.modes[number]

    def built(self) -> Sequence[RunningMode]:
        return list(self._tables.built.values())

    def catch_up(self) -> None:
        tables = self._tables
        self._log.forget()
        self._service.adopt()
        mode = tables.modes[self._context.solver.mode]
        built = tables.built[mode]
        if built is not self._standing.mode:
            tables.visited.add(mode)
            self._standing.enter(built)
            self.look_ahead()

    def look_ahead(self) -> None:
        """Have the modes prepared that may come next, in the background."""
        if self._prefetcher is not None:
            self._prefetcher.look_ahead()

    def prepare_for_servo(self) -> None:
        """Let the kernel know modes as they are by now, and build what contacts may come to."""
        tables = self._tables
        for mode, built in list(tables.built.items()):
            tables.install(mode, built, Readiness.READY if mode in tables.visited else Readiness.AHEAD)
        prefetcher = Prefetcher(self._context, self._standing, tables)
        prepare_statuses(tables, prefetcher, len(self._context.compiled.layout.speeds))
        for mode in [mode for mode in tables.modes if mode.shares and mode not in tables.built]:
            with suppress(DetentError):  # of rows that contradict one another here, as they need not where they close
                built = self._maker.make(mode.constraints, self._context.instant, self._context.began, declared=mode)
                tables.install(mode, built, Readiness.AHEAD)
        self._service.adopt()
        tables.hurry()

    def hurry(self) -> None:
        """Let the kernel go on by itself for as long as can be: a servo has nobody to ask."""
        self._tables.hurry()

    def signs(self) -> dict[str, int]:
        """Where the guards of the declared transitions out of the present mode stand, by their names."""
        tables = self._tables
        place = tables.plans.guards(self.current).place
        return {
            tables.automaton.declared_name(transition): int(tables.memory.signs[number])
            for transition, number in place.items()
        }

    def values_changed(self) -> None:
        if self.is_busy:
            return
        anew = self._tables.anew(self.current)
        if anew is None:
            self.recheck()
        else:
            self._tables.fire(self.current, anew)

    def recheck(self) -> None:
        """Something was changed from outside: guards may have jumped."""
        if not self._tables.is_busy:
            self._tables.phase = Phase.RECHECK

    def install(self) -> None:
        self._tables.install(self.current, self._standing.mode)

    def check_free(self) -> None:
        if self.is_by_contacts_alone:
            return
        raise DetentError(
            "this simulation follows an automaton, whose modes say what constraints are active: what a constraint from "
            "outside would mean for its guards, resets and conditions is not known; add a mode and a transition to "
            "simulation.automaton instead, whose guard is a parameter that you set"
        )

    def constrain(self, wanted: Constraint, needed: float) -> Status:
        self.check_free()
        return Status.DONE

    def release(self, name: str, needed: float) -> Status:
        self.check_free()
        return Status.DONE

    # -- what comes back ---------------------------------------------------------------------------

    def keep(self, piece: TrajectoryPiece, intake: Intake) -> None:
        if self._tables.claiming is not None:
            self._service.adopt()
        nodes = len(piece)
        log = self._log.take_log(nodes)
        self._log.take_notes()
        if len(log) == 0:
            intake.keep_steps(piece)
            if self._log.has_remarks:
                for event in self._log.remarks_before(float(piece.time[-1])):
                    self._context.history.add_event(event)
            self.look_ahead()
        elif intake.recorder.takes_jumps and not self._tables.watches:
            before, entered = intake.recorder.count, log.targets
            nodes_by_mode = self._log.nodes_by_mode(self._standing.mode, log, entered, nodes)
            intake.recorder.keep(piece, log)
            self._enter(log, entered, before)
            intake.note(piece, nodes_by_mode)
        else:
            self._keep_pieces(piece, log, intake)

    def _keep_pieces(self, piece: TrajectoryPiece, log: Log, intake: Intake) -> None:
        """Take a piece of trajectory with transitions in it one excursion after another."""
        first = 0
        for row in log.instants.tolist():
            if row > first:
                intake.keep_steps(piece.part(first, row))
            bounds = np.searchsorted(log.rows, [row, row + 1])
            part = log.part(int(bounds[0]), int(bounds[1]))
            self._enter(part, part.targets, intake.recorder.count - row)
            intake.recorder.mark()
            first = row
        intake.keep_steps(piece.part(first, len(piece)))

    def _enter(self, log: Log, entered: set[int], nodes: int) -> None:
        """Transitions were taken, to some modes: another runs from here on. So many nodes came before the log's."""
        tables, context, building = self._tables, self._context, self._service.building
        modes: dict[int, RunningMode] = {}
        for number in entered:
            mode = tables.modes[number]
            modes[number] = built = tables.built[mode]
            tables.visited.add(mode)
            if building is not mode:
                built.times.stood_ready(context.solver.elapsed)
        self._service.building = None
        remarks = self._log.remarks_until(log) if self._log.has_remarks else []
        context.history.add_later(TransitionBatch(log, context.values.vector.copy(), modes, nodes, remarks))
        self._standing.enter(modes[int(log.entries["target"][-1])])
        self.look_ahead()

    def compile_later(self) -> None:
        self._tables.plans.compile_later()

    def let_go(self) -> None:
        """What an automaton declares is kept."""

    # -- words -------------------------------------------------------------------------------------

    @property
    def loads(self) -> tuple[str, ...]:
        return tuple(self.current.loads)

    @property
    def near_misses(self) -> EventLog:
        return EventLog.of(self._log.near_misses.columns)

    def unfinished(self) -> list[Event]:
        self._service.adopt()
        return [event for entry in self._log.flush() for event in self._words.told_of(entry)]

    def explain(self, status: Status, reason: int) -> tuple[Outcome, str] | None:
        self._service.adopt()
        return self._explanations.explain(self.current, status, reason)

    def saved(self) -> DirectorState:
        """In modes not entered since a checkpoint, what that one says."""
        tables, choices = self._tables, {}
        for mode in sorted(tables.visited, key=lambda mode: mode.name):
            built, kept = tables.built.get(mode), self._service.kept.get(mode)
            choices[mode.name] = built.running.saved() if built is not None else None if kept is None else asdict(kept)
        place = tables.plans.guards(self.current).place
        self._context.history.put_into_words()
        bounces, repeats, said = self._words.saved()
        return DirectorState(
            mode=self.current.name,
            choices=choices,
            signs={transition.name: int(tables.memory.signs[number]) for transition, number in place.items()},
            zeno={each.name: list(tables.memory.zeno[n].tolist()) for n, each in enumerate(tables.transitions)},
            contacts={mode.name: (mode.family, mode.key) for mode in tables.visited if mode.family},
            bounces=bounces,
            repeats=repeats,
            said=said,
        )
