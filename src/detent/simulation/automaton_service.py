"""What the kernel asks for while it follows an automaton: modes that are not ready, resets that only Python can do."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING, Any, final

import numpy as np

from detent.errors import DetentError, UnknownNameError
from detent.events import event_frame as at
from detent.events.claims import Blank
from detent.events.event_frame import Phase, Readiness
from detent.formulation.running import Instant, Remark, Running
from detent.hybrid.friction_impact import FrictionImpact
from detent.hybrid.mode import Mode
from detent.hybrid.moment import Moment
from detent.hybrid.settle import Settle
from detent.hybrid.status_automaton import StatusAutomaton
from detent.hybrid.transition import Transition
from detent.jit.calling import call_once
from detent.model.given import by_name
from detent.simulation.automaton_explanations import why_reset_failed
from detent.simulation.automaton_tables import AutomatonTables
from detent.simulation.claimed_running import ClaimedRunning
from detent.simulation.contact_overlaps import overlap_words
from detent.simulation.contact_words import why_not_settled
from detent.simulation.context import Context
from detent.simulation.mechanics import RunMechanics
from detent.simulation.mode_maker import ModeMaker
from detent.simulation.running_mode import ModeTimes, RunningMode
from detent.simulation.shared_running import SHARED
from detent.stepping.held_interrupts import interruptible
from detent.stepping.status import Status

if TYPE_CHECKING:
    from detent.simulation.checkpoint import SavedPartition


@final
class AutomatonService:
    """Gives the kernel what it comes back for."""

    def __init__(self, context: Context, tables: AutomatonTables, maker: ModeMaker) -> None:
        self._context, self._tables, self._maker = context, tables, maker
        self._memory, self._values = tables.memory, context.values
        self.building: Mode | None = None
        """The mode that was built for the excursion that is going on."""
        self.kept: dict[Mode, SavedPartition] = {}
        """What a run that is resumed chose in modes that it has not entered again."""

    def serve(self, status: Status) -> str | None:
        """Give the kernel what it asked for; or say why contacts cannot be settled."""
        self.adopt()
        if status is Status.RESET_NEEDED:
            try:
                return self._reset_in_python(self._tables.taking)
            except BaseException:
                self._take_back()
                raise
        if not self._tables.replenish():
            self._build_mode(self._entering())
        return None

    def adopt(self) -> None:
        """Know the modes that the kernel has claimed by itself."""
        for mode, blank in self._tables.adopt():
            self._tables.built[mode] = self._claimed(mode, blank)

    def claim_again(self, mode: Mode, kept: SavedPartition, instant: Instant | None = None) -> RunningMode | None:
        """A mode as it was saved while it ran as the kernel had claimed it; at an instant, where the run stands in it.

        None where it did not run so, or cannot here.
        """
        blank = self._tables.filled(mode, int(kept.numbers[0])) if kept.numbers else None
        if blank is None:
            return None
        saved, claiming = asdict(kept), self._tables.claiming
        assert claiming is not None
        if instant is not None and not claiming.gathered[blank].restore(
            saved, instant.time, instant.state, instant.values
        ):
            return None
        self._tables.built[mode] = made = self._claimed(mode, blank, saved)
        return made

    def _claimed(self, mode: Mode, blank: Blank, kept: dict[str, Any] | None = None) -> RunningMode:
        context, maker, claiming, contacts = self._context, self._maker, self._tables.claiming, self._context.contacts
        assert claiming is not None
        assert contacts is not None

        def own(choice: Mapping[str, Any] | None) -> Running:
            made = maker.make(mode.constraints, context.instant, time.perf_counter(), declared=mode, kept=choice)
            return made.running

        def improve(made: Running) -> None:
            if context.formulation.runs_long(made):
                context.formulation.improve(made)
            self._tables.prepare(mode, made)

        remarks = (Remark(SHARED, contacts.shared_words(mode)),) if mode.shares else ()
        running = ClaimedRunning(
            blank, claiming.gathered[blank], own, partial(maker.watching, mode), remarks, claiming.compile_later,
            improve if context.is_live else None, kept,
        )  # fmt: skip
        return RunningMode(mode.name, running, 0.0, ModeTimes(time.perf_counter()), mode)

    def _entering(self) -> Mode:
        """The mode that is being entered; one that no excursion has led to before is made now."""
        tables = self._tables
        if int(self._memory.excursion["entering"][0]) == at.UNKNOWN_MODE:
            discrete = self._values.vector[self._values.first_discrete :]
            statuses = tuple(float(discrete[place]) for place in tables.automaton.key)
            mode = tables.automaton.member(tables.taking.family, statuses)
            tables.meet(mode)
            tables.refresh()
            self._memory.excursion["entering"] = tables.modes.index(mode)
        return tables.entering

    def _take_back(self) -> None:
        """A reset failed: its transition is still to be taken, with the discrete states as they were."""
        tables, standing = self._tables, self._tables.modes[self._context.solver.mode]
        self._memory.take_back()
        self._memory.fired[tables.leaving(standing).index(tables.taking)] = 1
        tables.phase = Phase.CHOOSE

    def _build_mode(self, mode: Mode) -> None:
        """Build the mode that is entered, for the state in which it is entered."""
        began, context, tables = time.perf_counter(), self._context, self._tables
        state = self._memory.after[: context.compiled.layout.width].copy()
        instant, known = Instant(context.time, state, self._values.vector), tables.built.get(mode)
        kept = self.kept.get(mode) if known is None else None
        try:
            with interruptible():
                saved = None if kept is None else asdict(kept)
                built = self._maker.make(mode.constraints, instant, began, declared=mode, kept=saved)
        except DetentError as error:
            where = f"at t = {instant.time:.9g}, transition '{tables.taking.name}' to mode '{mode.name}'"
            raise DetentError(f"{where}: {error}") from error
        self.kept.pop(mode, None)
        if known is not None and known.times.ready_seconds is not None:
            built.times.stood_ready(known.times.ready_seconds)
        self.building = mode
        tables.install(mode, built, Readiness.FRESH if kept is None else Readiness.READY)
        context.solver.look_closely()

    def _reset_in_python(self, transition: Transition) -> str | None:
        """Work out a reset of which a part is a function, or needs to be looked at; or why contacts are not settled."""
        state, plans = self._context.solver.state, self._tables.plans
        plans.impulses[:] = 0.0
        for number, step in enumerate(transition.reset):
            if isinstance(step, FrictionImpact):
                plans.friction_impacts.check_alone(transition, self._closed())
            part = plans.step(transition, number)
            if part.cell is not None:
                out = np.zeros(len(state) + len(self._tables.automaton.system.discrete_states) + 1)
                status = call_once(part.cell, self._context.time, state, self._values.vector, out)
                told = self._why_unsettled(transition, state, status) if isinstance(step, Settle) else None
                if told is not None:
                    self._take_back()
                    return told
                if status != 0:
                    why = why_reset_failed(transition, self._context.time, status)
                    raise DetentError(why or f"the reset of '{transition.name}' failed")
                if part.kind != at.STRIKE:
                    first = self._values.first_discrete
                    self._values.vector[first : first + len(out) - len(state) - 1] = out[len(state) : -1]
                state = out[: len(state)].copy()
            else:
                state = self._called(transition, part.function, state)
        self._memory.after[: len(state)] = state
        if transition.family:
            self._memory.excursion["entering"] = at.UNKNOWN_MODE  # it shows now, by the discrete states
        return None

    def _why_unsettled(self, transition: Transition, state: np.ndarray, status: int) -> str | None:
        """Why contacts could not be settled at a state, or should not: shapes of new ones lie across one another."""
        context, automaton, contacts = self._context, self._tables.automaton, self._context.contacts
        assert contacts is not None
        assert isinstance(automaton, StatusAutomaton)
        instant = Instant(context.time, state, self._values.vector)
        told = overlap_words(context.compiled, automaton.beginning(transition), instant)
        if told is None:
            settling = contacts.settling(transition.family, self._tables.plans.impulses)
            told = why_not_settled(automaton, transition.family, settling, status)
        name = automaton.declared_name(transition)
        return None if told is None else f"at t = {context.time:.9g}, transition '{name}': {told}"

    def _closed(self) -> list[str]:
        """The places of contact that are closed now."""
        automaton, discrete = self._tables.automaton, self._values.vector[self._values.first_discrete :]
        if not isinstance(automaton, StatusAutomaton):
            return []
        return [place.name for place in automaton.closed_places([discrete[number] for number in automaton.key])]

    def _called(self, transition: Transition, function: Any, state: np.ndarray) -> np.ndarray:
        where = f"the reset of transition '{transition.name}' at t = {self._context.time:.9g}"
        moment = self._moment(state)
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
        after, layout, first = state.copy(), self._context.compiled.layout, self._values.first_discrete
        discrete = [symbol.name for symbol in self._tables.automaton.system.discrete_states]
        known = [*layout.names[:-1], *discrete]
        for name, value in by_name(self._tables.automaton.system, "quantity to be set", given).items():
            if name not in known:
                raise UnknownNameError(name, known, what=f"quantity to be set ({where})")
            if isinstance(value, (str, complex)) or not np.isreal(value) or not np.isfinite(float(value)):
                raise DetentError(f"{where} gave {name} = {value!r}; let it give finite numbers")
            if name in discrete:
                self._values.vector[first + discrete.index(name)] = float(value)
            else:
                after[layout.column(name)] = float(value)
        return after

    def _moment(self, state: np.ndarray) -> Moment:
        """The state by name, as a reset function sees it."""
        layout, quantities = self._context.compiled.layout, self._context.compiled.equations.quantities
        symbols = (*quantities.parameters, *quantities.run_inputs, *quantities.discrete)
        values = dict(zip(layout.names, state.tolist(), strict=True))
        values |= dict(zip((s.name for s in symbols), self._values.vector.tolist(), strict=False))
        return Moment(
            self._context.time, values, layout.speeds, RunMechanics(self._context, self._tables.constraints(), state)
        )
