"""An automaton as a run follows it: tables for the kernel, modes built when they are first entered, the event log.

The kernel finds events and takes transitions; what it lacks (a mode that is not ready, a reset that only Python can
work out) it asks for, and goes on.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from detent.errors import DetentError, UnknownNameError
from detent.events import event_frame as at
from detent.events.event_memory import EventMemory, Log, LogEntry, ModeRow, TransitionRow, Words
from detent.formulation.compiled import unfit_quaternion
from detent.hybrid.guard import DIRECTIONS
from detent.hybrid.mode import HybridMode
from detent.hybrid.moment import Moment
from detent.hybrid.reset import Assignment, Impact
from detent.hybrid.transition import Transition
from detent.jit.calling import call_once
from detent.model.constraint import Constraint
from detent.model.given import by_name
from detent.results.event import Event, put_down
from detent.results.event_columns import GrowingEvents, Sort
from detent.simulation.history import Batch, Segments
from detent.simulation.mechanics import RunMechanics
from detent.simulation.mode import Mode
from detent.simulation.mode_plan import Plans
from detent.simulation.prefetch import Prefetcher
from detent.solves.impact_frame import CONTRADICTION, GAIN, NO_RESTITUTION
from detent.stepping.status import Status
from detent.stepping.uninterrupted import interruptible

if TYPE_CHECKING:
    from detent.hybrid.automaton import Automaton
    from detent.simulation.checkpoint import Checkpoint, Choice
    from detent.simulation.simulation import Simulation

ALREADY_PAST = "already past, fires when it has come back"
"""What is remarked on when a mode is entered beyond the guard of one of its transitions."""
MOST_JUMPS = 100
"""Transitions at one instant, at most."""


class AutomatonRun:
    """One run of an automaton."""

    def __init__(self, simulation: Simulation, automaton: Automaton, start: HybridMode) -> None:
        self.simulation, self.automaton = simulation, automaton
        self.compiled, self.values = simulation.compiled, simulation.values
        self.plans = Plans(automaton, simulation.compiled, simulation.workshop, simulation.solver.relative)
        self.modes: list[HybridMode] = []
        self.transitions: list[Transition] = []
        self.built: dict[HybridMode, Mode] = {}
        """Modes that have been entered, as they run now."""
        self.watches = False
        """Whether a mode has rows that were dropped, which must be looked at as the run goes on."""
        self.current = start
        self.prefetcher = None if simulation.modes == "lazy" else Prefetcher(self)
        self._version = -1
        self._pending: Log | None = None
        self.visited: set[HybridMode] = {start}
        self._told: set[HybridMode] = {start}
        """Modes about which is said what is worth knowing."""
        self._remarks: list[Event] = []
        self.near_misses = GrowingEvents()
        """When a guard came nearer to zero than the integration is exact, and did not pass it."""
        self._repeated: dict[Transition, int] = {}
        """How often each transition was taken since it last accumulated, as far as it has been told."""
        self.building: HybridMode | None = None
        """The mode that was built for the excursion that is going on."""
        self.kept: dict[HybridMode, Choice] = {}
        """What a run that is resumed chose in modes that it has not entered again."""
        block = self.values.vector[self.values.first_discrete :]
        self.memory = EventMemory(
            self.compiled.layout.width, simulation.solver.padded, block, len(automaton.system.discrete_states),
            self.compiled.observer.cell, self.plans.impulses, MOST_JUMPS,
        )  # fmt: skip

    # -- tables ------------------------------------------------------------------------------------

    def refresh(self) -> None:
        """Take up modes and transitions that were added, and modes that were built again."""
        self.memory.forget()
        if self.prefetcher is not None:
            self.prefetcher.hand_over()
        if self._version == self.automaton.version:
            return
        first, version = self._version < 0, self.automaton.version
        # Transitions before modes: another thread may be adding, and a transition's modes are there before it is.
        transitions, modes = list(self.automaton.transitions), list(self.automaton.modes.values())
        with interruptible():
            for mode in modes:  # what depends on no state is derived when a mode is declared, the rest at its entry
                if mode.constraints:
                    self.simulation.workshop.prepare(list(mode.constraints))
        self._version = version
        self.transitions += [transition for transition in transitions if transition not in self.transitions]
        self.modes += [mode for mode in modes if mode not in self.modes]
        with self.compiled.equations.lock:
            self._make_room()
            watched = 0 if first else self.memory.guard_count(self._standing)
            rows = [self._row(mode, at.READY if mode in self.visited else at.AHEAD) for mode in self.modes]
            self.memory.build(rows, [self._transition_row(transition) for transition in self.transitions])
            self.memory.signs[watched:] = 0  # a guard that is new here has no sign yet; a mode left may have had one
        if first:
            self.simulation.solver.follow(self.memory)
        else:
            self.recheck()
            self.look_ahead()

    def _make_room(self) -> None:
        """Memory for as many impulses as the modes that are known by now can have."""
        self.memory.impulse_rows = self.plans.make_room()
        if self.memory.impulses is not self.plans.impulses:
            self.memory.leave_impulses_in(self.plans.impulses)

    def look_ahead(self) -> None:
        """Have the modes prepared that may come next, in the background."""
        if self.prefetcher is not None:
            self.prefetcher.look_ahead()

    def _row(self, mode: HybridMode, ready: int = at.READY) -> ModeRow:
        """A mode as the kernel is to know it now."""
        guards, built = self.plans.guards(mode), self.built.get(mode)
        count = len(guards.nodes)
        row = ModeRow(
            guards=guards.numbers[:count],
            watched=guards.watched[:count],
            invariants=len(mode.where),
            reaction_count=sum(len(constraint.rows) for constraint in mode.constraints),
            switches=[float(name in mode.loads) for name in self.automaton.system.switched_loads],
            ready=ready,
        )
        names = self._reactive_rows(mode, built)
        row.observer = self.plans.observer(mode, names, count).cell
        row.certificate = self.plans.certificate(mode, names, count)
        if built is not None:
            running = built.running
            row.rates, row.projection, row.entry = running.rates, running.correction, running.entry
            row.reactions, row.reaction_count = running.reactions if names else None, len(names)
            row.choice, row.owner = running.fit, built
        return row

    def _reactive_rows(self, mode: HybridMode, built: Mode | None) -> tuple[str, ...]:
        """The rows whose reactions are observed in a mode: none where nothing speaks of them."""
        if not mode.constraints or not self.plans.speaks_of_reactions(mode):
            return ()
        if built is None:
            return tuple(row.name for constraint in mode.constraints for row in constraint.rows)
        return built.running.active.names

    def _transition_row(self, transition: Transition) -> TransitionRow:
        source, target = transition.source, transition.target
        row = TransitionRow(
            source=self.modes.index(source),
            target=self.modes.index(target),
            guard=self.plans.guards(source).place[transition],
            direction=DIRECTIONS[transition.guard.direction],
            steps=self.plans.reset_steps(transition),
        )
        row.before_count, row.after_count = len(transition.condition_before), len(transition.condition_after)
        row.before, row.after = self._conditions(transition)
        if transition.accumulates is not None:
            mode = transition.accumulates
            row.zeno_target = self.modes.index(mode)
            if mode.constraints:
                row.zeno_steps = [(at.STRIKE, self.plans.impact(transition.name, mode, _PLASTIC).map.cell)]
        return row

    def _conditions(self, transition: Transition) -> tuple[Words | None, Words | None]:
        """Where the values of a transition's two conditions come from."""
        found: list[Words | None] = []
        for mode, before, parts in (
            (transition.source, True, transition.condition_before),
            (transition.target, False, transition.condition_after),
        ):
            rows = self._reactive_rows(mode, self.built.get(mode))
            found.append(self.plans.condition(transition, before, rows).cell if parts else None)
        return found[0], found[1]

    def install(self, mode: HybridMode, built: Mode, ready: int = at.READY) -> None:
        """Let the kernel know a mode's programs."""
        with self.compiled.equations.lock:
            self.built[mode] = built
            self.watches = any(each.running.is_watched for each in self.built.values())
            if self._version != self.automaton.version:
                return
            number = self.modes.index(mode)
            self.memory.set_mode(number, self._row(mode, ready))
            if built.running.is_watched:  # other rows than expected have reactions
                for place, transition in enumerate(self.transitions):
                    if mode in (transition.source, transition.target):
                        self.memory.set_conditions(place, *self._conditions(transition))

    # -- phases ------------------------------------------------------------------------------------

    @property
    def busy(self) -> bool:
        """Whether an excursion is not finished."""
        return bool(self.memory.excursion["phase"][0] != at.STEPPING)

    @property
    def is_settled(self) -> bool:
        """Whether no transition is half taken."""
        return int(self.memory.excursion["phase"][0]) not in (at.CHOOSE, at.ENTER)

    def begin(self, built: Mode, now: float, state: np.ndarray) -> None:
        """The run starts here: what the mode requires must hold, and no guard fires."""
        self.install(self.current, built)
        self.refresh()
        self.simulation.solver.mode = self.modes.index(self.current)
        if self.prefetcher is not None and self.simulation.modes == "all":
            self.prefetcher.prepare_all(now, state)
        self.memory.excursion["phase"] = at.BEGIN

    def recheck(self) -> None:
        """Something was changed from outside: guards may have jumped."""
        if not self.busy:
            self.memory.excursion["phase"] = at.RECHECK

    @property
    def taking(self) -> Transition:
        """The transition that is being taken."""
        return self.transitions[int(self.memory.excursion["taking"][0])]

    def signs(self) -> dict[str, int]:
        """The sign of the guard of each transition out of the present mode."""
        place = self.plans.guards(self.current).place
        return {transition.name: int(self.memory.signs[number]) for transition, number in place.items()}

    def zeno(self) -> dict[str, list[float]]:
        """What is known of how fast each transition repeats."""
        return {t.name: list(self.memory.zeno[number].tolist()) for number, t in enumerate(self.transitions)}

    def go_on(self, found: Checkpoint) -> None:
        """Take up a run where a checkpoint left it."""
        for transition, number in self.plans.guards(self.current).place.items():
            self.memory.signs[number] = found.signs.get(transition.name, 0)
        for number, transition in enumerate(self.transitions):
            if transition.name in found.zeno:
                self.memory.zeno[number] = tuple(found.zeno[transition.name])
        self.visited |= {mode for mode in self.modes if mode.name in found.choices}
        self._told |= self.visited
        self.kept = {mode: choice for mode in self.modes if (choice := found.choices.get(mode.name)) is not None}
        self.memory.excursion["phase"] = at.RECHECK if found.time > 0.0 else at.BEGIN

    # -- what the kernel asks for --------------------------------------------------------------------

    def serve(self, status: Status) -> None:
        """Give the kernel what it asked for."""
        if status is Status.RESET_NEEDED:
            try:
                self._reset_in_python(self.taking)
            except BaseException:
                self._take_back()
                raise
        else:
            self._build_mode(self.modes[int(self.memory.excursion["entering"][0])])

    def _take_back(self) -> None:
        """A reset failed: its transition is still to be taken, with the discrete states as they were."""
        self.memory.take_back()
        leaving = [transition for transition in self.transitions if transition.source is self.modes[self._standing]]
        self.memory.fired[leaving.index(self.taking)] = 1
        self.memory.excursion["phase"] = at.CHOOSE

    @property
    def _standing(self) -> int:
        """The number of the mode in which the kernel stands, in the middle of an excursion too."""
        return self.simulation.solver.mode

    def _build_mode(self, mode: HybridMode) -> None:
        """Build the mode that is entered, for the state in which it is entered."""
        began, simulation = time.perf_counter(), self.simulation
        state = self.memory.after[: self.compiled.layout.width].copy()
        known = self.built.get(mode)
        now, numbers = simulation.time, None
        if mode.constraints:
            active = simulation.workshop.prepare(list(mode.constraints))
            numbers = active.at(now, state, self.values.vector)
        try:
            kept = self.kept.get(mode) if known is None else None
            with interruptible():
                built = simulation.build(mode.constraints, state, now, began, numbers, mode.name, kept)
        except DetentError as error:
            where = f"at t = {now:.9g}, transition '{self.taking.name}' to mode '{mode.name}'"
            raise DetentError(f"{where}: {error}") from error
        self.kept.pop(mode, None)
        if known is not None and known.times.ready_seconds is not None:
            built.times.stood_ready(known.times.ready_seconds)
        self.building = mode
        self.install(mode, built, at.FRESH if kept is None else at.READY)
        simulation.solver.look_closely()

    def _reset_in_python(self, transition: Transition) -> None:
        """Work out a reset of which a part is a function."""
        state = self.simulation.solver.state
        for number, step in enumerate(transition.reset):
            if isinstance(step, (Assignment, Impact)):
                kind, cell = self.plans.step(transition, number)
                out = np.zeros(len(state) + len(self.automaton.system.discrete_states))
                status = call_once(cell, self.simulation.time, state, self.values.vector, out)
                if status != 0:
                    raise DetentError(self.explain_reset(status) or f"the reset of '{transition.name}' failed")
                if kind == at.ASSIGN:
                    first = self.values.first_discrete
                    self.values.vector[first : first + len(out) - len(state)] = out[len(state) :]
                state = out[: len(state)].copy()
            else:
                state = self._called(transition, step, state)
        self.memory.after[: len(state)] = state

    def _called(self, transition: Transition, function: Any, state: np.ndarray) -> np.ndarray:
        where = f"the reset of transition '{transition.name}' at t = {self.simulation.time:.9g}"
        moment = self.moment(state)
        try:
            with interruptible():
                given = function(moment)
        except DetentError:
            raise
        except Exception as error:
            raise DetentError(f"{where} failed: {type(error).__name__}: {error}; mend its function") from error
        if given is None:
            return state
        if not isinstance(given, Mapping):
            raise DetentError(f"{where} gave {given!r}; let it return a mapping from names to values")
        after, layout, first = state.copy(), self.compiled.layout, self.values.first_discrete
        discrete = [symbol.name for symbol in self.automaton.system.discrete_states]
        known = [*layout.names[:-1], *discrete]
        for name, value in by_name(self.automaton.system, "quantity to be set", given).items():
            if name not in known:
                raise UnknownNameError(name, known, what=f"quantity to be set ({where})")
            if isinstance(value, (str, complex)) or not np.isreal(value) or not np.isfinite(float(value)):
                raise DetentError(f"{where} gave {name} = {value!r}; let it give finite numbers")
            if name in discrete:
                self.values.vector[first + discrete.index(name)] = float(value)
            else:
                after[layout.column(name)] = float(value)
        return after

    def moment(self, state: np.ndarray) -> Moment:
        """The state by name, as a reset function sees it."""
        layout, quantities = self.compiled.layout, self.compiled.equations.quantities
        symbols = (*quantities.parameters, *quantities.run_inputs, *quantities.discrete)
        values = dict(zip(layout.names, state.tolist(), strict=True))
        values |= dict(zip((s.name for s in symbols), self.values.vector.tolist(), strict=False))
        return Moment(self.simulation.time, values, layout.speeds, RunMechanics(self, state))

    def constraints(self) -> list[Constraint]:
        """Every constraint that the system or a mode knows."""
        own = [constraint for mode in self.modes for constraint in mode.constraints]
        return list(dict.fromkeys([*self.automaton.system.constraints.values(), *own]))

    # -- what happened -------------------------------------------------------------------------------

    def take_log(self, nodes: int) -> Log:
        """The transitions whose state afterwards is among the next nodes; others wait for theirs."""
        log = self.memory.take_log()
        if self._pending is not None:
            log, self._pending = self._pending.joined(log), None
        if len(log) == 0 or log.rows[-1] < nodes:
            return log
        known = int(np.searchsorted(log.rows, nodes))
        self._pending = log.part(known, len(log)).moved(nodes)
        return log.part(0, known)

    def take_notes(self) -> None:
        """Put what the kernel has noted into words: remarks wait for their place among the events."""
        for when, kind, number in self.memory.take_notes():
            transition = self.transitions[number]
            mode = transition.source.name
            if kind == at.NEAR_MISS:
                self.near_misses.add(when, Sort("near miss", transition.name, mode, mode))
            else:
                self._remarks.append(Event(when, "remark", f"{transition.name}: {ALREADY_PAST}", mode, mode))

    @property
    def has_remarks(self) -> bool:
        """Whether something was remarked on and not told yet: hardly ever."""
        return bool(self._remarks)

    def remarks_until(self, log: Log) -> list[Event]:
        """What was remarked on before the last of some transitions, or at it; each once."""
        return self.remarks_before(math.nextafter(float(log.numbers[-1, at.LOG_TIME]), math.inf))

    def remarks_before(self, now: float) -> list[Event]:
        """What was remarked on before a time; each once."""
        due = [event for event in self._remarks if event.time < now]
        self._remarks = [event for event in self._remarks if event.time >= now]
        return due

    def worded(self, batch: Batch, events: GrowingEvents, segments: Segments) -> None:
        """Put the transitions of a log down as events, and the segments that begin after them."""
        log, rows = batch.log, batch.log.rows
        last = np.flatnonzero(np.append(rows[1:] != rows[:-1], True))  # of each instant
        targets = log.entries["target"][last]
        values = np.repeat(batch.values[None, :], len(last), axis=0)
        values[:, self.values.first_discrete :] = log.numbers[last, at.LOG_VALUES : at.LOG_VALUES + log.block]
        entered = np.unique(targets).tolist()
        numbers = np.zeros(len(self.modes), dtype=np.int64)
        numbers[entered] = [segments.number_of(batch.modes[target]) for target in entered]
        segments.extend(batch.nodes + rows[last], numbers[targets], values)
        told = [(int(np.searchsorted(log.numbers[:, at.LOG_TIME], e.time, side="right")) - 1, e) for e in batch.remarks]
        for target in entered:
            mode, place = self.modes[target], int(last[np.argmax(targets == target)])
            if mode not in self._told:
                self._told.add(mode)
                told += [
                    (place, event) for event in batch.modes[target].remarks(float(log.numbers[place, at.LOG_TIME]))
                ]
        first = 0
        for place, event in sorted(told, key=lambda each: each[0]):
            self._put_down(log.part(first, max(first, place + 1)), events)
            put_down(events, event)
            first = max(first, place + 1)
        self._put_down(log.part(first, len(log)), events)

    def _put_down(self, log: Log, events: GrowingEvents) -> None:
        """Put transitions down as events, those between two Zeno completions all at once."""
        first = 0
        for place in np.flatnonzero(log.entries["zeno"]).tolist():
            self._put_down_many(log.part(first, place), events)
            put_down(events, self.event(log.entry(place)))
            first = place + 1
        self._put_down_many(log.part(first, len(log)), events)

    def _put_down_many(self, log: Log, events: GrowingEvents) -> None:
        if len(log) == 0:
            return
        sorts, details = np.empty(len(log), dtype=np.int64), {}
        ways = log.ways(len(self.modes))
        for way in np.unique(ways).tolist():
            its = ways == way
            taken, source, target, *_ = log.entries[its.argmax()].tolist()
            transition = self.transitions[taken]
            names, columns = self._details(transition, log.block, log.numbers.shape[1])
            modes = self.modes[source].name, self.modes[target].name
            number = events.number_of(Sort(transition.kind, transition.name, *modes, names))
            sorts[its] = number
            details[number] = log.numbers[its][:, columns]
            self._repeated[transition] = self._repeated.get(transition, 0) + int(its.sum())
        events.extend(log.numbers[:, at.LOG_TIME], sorts, details)

    def _details(self, transition: Transition, block: int, width: int) -> tuple[tuple[str, ...], list[int]]:
        """The names of what is told of a transition besides its modes, and where a log of this width has it."""
        columns = list(range(at.LOG_VALUES + block, width))
        names = [f"impulse of {name}" for name in self.plans.impulse_rows(transition)][: len(columns)]
        columns = columns[: len(names)]
        if transition.kind == "impact" or transition.has_impact:
            names, columns = ["energy", *names], [at.LOG_ENERGY, *columns]
        return tuple(names), columns

    def nodes_by_mode(self, log: Log, entered: set[int], nodes: int) -> dict[Mode, int]:
        """How many of the next nodes belong to each mode; ``entered`` are those that the log leads to."""
        first = self.modes.index(self.current)
        if entered == {first}:  # as in a run of bounces, which is to be quick
            return {self.built[self.current]: nodes}
        targets = np.concatenate([[first], log.entries["target"]])
        counts = np.diff(np.concatenate([[0], log.rows, [nodes]]))
        found: dict[Mode, int] = {}
        for number in np.unique(targets).tolist():
            count = int(counts[targets == number].sum())
            if count:
                built = self.built[self.modes[number]]
                found[built] = found.get(built, 0) + count
        return found

    def enter(self, entered: set[int], last: int) -> dict[int, Mode]:
        """Transitions led to some modes, and the last to one of them; gives these modes by number."""
        found: dict[int, Mode] = {}
        for number in entered:
            mode = self.modes[number]
            found[number] = built = self.built[mode]
            self.visited.add(mode)
            if self.building is not mode:
                built.times.stood_ready(self.simulation.solver.elapsed)
        self.current = self.modes[last]
        self.building = None
        return found

    def flush(self) -> list[LogEntry]:
        """The transitions of an excursion that could not be finished."""
        log = self.memory.take_log()
        if self._pending is not None:
            log, self._pending = self._pending.joined(log), None
        return [log.entry(number) for number in range(len(log))]

    def event(self, entry: LogEntry) -> Event:
        """A transition that was taken, as it is told to the user."""
        transition = self.transitions[entry.transition]
        source, target = self.modes[entry.source].name, self.modes[entry.target].name
        if entry.zeno:
            made: dict[str, float | str] = {"count": float(self._repeated.pop(transition, 0))}
            made |= {"accumulates at": entry.accumulation, "lost time": entry.accumulation - entry.time}
            return Event(entry.time, "zeno", transition.name, source, target, made)
        self._repeated[transition] = self._repeated.get(transition, 0) + 1
        block = len(entry.values)
        names, columns = self._details(transition, block, at.LOG_VALUES + block + len(entry.impulses))
        numbers = [entry.energy] * (at.LOG_ENERGY in columns) + entry.impulses.tolist()
        details: dict[str, float | str] = dict(zip(names, numbers, strict=False))
        return Event(entry.time, transition.kind, transition.name, source, target, details)

    # -- what went wrong -----------------------------------------------------------------------------

    def explain(self, status: Status) -> str:
        """Why the kernel cannot go on, by name."""
        excursion, where = self.memory.excursion[0], f"at t = {self.simulation.time:.9g}"
        mode = self.modes[int(excursion["entering"])] if self.busy and excursion["phase"] == at.ENTER else self.current
        concerned = int(excursion["concerned"])
        match status:
            case Status.GUARD_NOT_A_NUMBER | Status.GUARD_UNRESOLVED:
                guards = self.plans.guards(mode)
                found = "is not a number" if status is Status.GUARD_NOT_A_NUMBER else "cannot be followed"
                if concerned < 0:
                    return f"{where} the condition of transition '{self.taking.name}' {found}"
                if concerned < len(guards.names):
                    name = guards.names[concerned]
                    shown = next(t.guard.expression for t in self.transitions if t.name == name)
                    return f"{where}, in mode '{mode.name}', the guard of transition '{name}' ({shown}) {found}"
                return f"{where} what mode '{mode.name}' requires {found}"
            case Status.RESET_VIOLATES:
                return f"{where}, transition '{self.taking.name}' to mode '{mode.name}' {self._violation(mode)}"
            case Status.FORBIDDEN:
                required = mode.where[concerned]
                value = float(self.memory.end["value"][len(self.plans.guards(mode).nodes) + concerned])
                return (
                    f"{where}, mode '{mode.name}' requires {required} >= 0 (where=); it is {value:.6g}, or about to "
                    "fall below"
                )
            case Status.TOO_MANY_JUMPS:
                chain = [e for e in self.simulation.history.events[-6:] if e.time == self.simulation.time]
                told = ", ".join(f"'{event.name}' ({event.source} -> {event.target})" for event in chain)
                return f"{where} more than {MOST_JUMPS} transitions followed one another: ... {told}"
            case _:
                accumulation = self.memory.zeno["accumulation"][excursion["taking"]]
                count = len(self.simulation.history.events.named(self.taking.name))
                after = f"after {count} of them" if count else "at the first of them"
                return f"{where} the transitions '{self.taking.name}' accumulate ({after}, at t = {accumulation:.12g})"

    def explain_state(self) -> str | None:
        """What is not a number after the reset of a transition that is being taken; None where all is."""
        if not self.busy or self.memory.excursion["phase"][0] != at.ENTER:
            return None
        discrete = [symbol.name for symbol in self.automaton.system.discrete_states]
        names = [*self.compiled.layout.names, *discrete]
        block = self.values.vector[self.values.first_discrete :][: len(discrete)]
        values = [*self.memory.after[: len(names) - len(discrete)], *block]
        found = next((f"{name} = {value}" for name, value in zip(names, values, strict=True)
                      if not np.isfinite(value)), None)  # fmt: skip
        target = self.modes[int(self.memory.excursion["entering"][0])].name
        if found is None:
            return f"transition '{self.taking.name}' leads to a state in which mode '{target}' has no finite rates"
        return f"the reset of transition '{self.taking.name}' gives {found}"

    def explain_reset(self, reason: int) -> str | None:
        """Why a reset cannot be worked out, where that is the reason for stopping."""
        known = {
            CONTRADICTION: "the constraints of its impact contradict one another",
            NO_RESTITUTION: "its restitution is not between 0 and 1",
            GAIN: "its impact would gain energy: the restitutions of several rows do not go together",
        }
        if reason not in known:
            return None
        return f"at t = {self.simulation.time:.9g}, transition '{self.taking.name}': {known[reason]}"

    def _violation(self, mode: HybridMode) -> str:
        state = self.memory.after[: self.compiled.layout.width]
        unfit = unfit_quaternion(self.compiled, state)
        if unfit is not None or not mode.constraints:
            return unfit or "gives a state that cannot be"
        active = self.simulation.workshop.prepare(list(mode.constraints))
        now = active.at(self.simulation.time, state, self.values.vector)
        speeds = state[active.coordinates : active.coordinates + active.speeds]
        velocity = now.B @ speeds + now.C
        place, speed = int(np.abs(now.phi).argmax()), int(np.abs(velocity).argmax())
        if abs(now.phi[place]) > abs(velocity[speed]):
            return f"violates the constraint '{active.rows[place].name}' by {now.phi[place]:.6g}"
        return f"violates the constraint '{active.rows[speed].name}' by {velocity[speed]:.6g} in speed"


_PLASTIC = Impact()
