"""Switches what runs: the stepper, the record, and where the run stands, always together."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, final

import numpy as np

from detent.errors import DetentError
from detent.jit.calling import call_once
from detent.results.event import Event
from detent.simulation.beginning import first_state
from detent.simulation.history import RunSegment
from detent.simulation.imposing import imposed
from detent.simulation.undisturbed import undisturbed
from detent.stepping.held_interrupts import holding_interrupts, interruptible
from detent.stepping.solver import MOST_STEPS_PER_PIECE
from detent.stepping.status import Status

if TYPE_CHECKING:
    from detent.formulation.running import Instant, Running
    from detent.model.constraint import Constraint
    from detent.simulation.context import Context
    from detent.simulation.drawn import Approached, Drawn, DrawnNumbers
    from detent.simulation.mode_maker import ModeMaker
    from detent.simulation.running_mode import RunningMode
    from detent.simulation.standing import Standing


@final
class Switching:
    """Starts modes, has inputs take their values, and puts down from which node on that holds."""

    def __init__(self, context: Context, standing: Standing, maker: ModeMaker) -> None:
        self._context, self._standing, self._maker = context, standing, maker

    def start(self, mode: RunningMode, time: float, state: np.ndarray) -> Status:
        """Run a mode from a time and state on."""
        solver, running = self._context.solver, mode.running
        self._standing.enter(mode)
        solver.switch(running.rates, running.correction, owner=mode)
        solver.most_per_piece = 1 if running.is_watched else MOST_STEPS_PER_PIECE
        self._context.formulation.begin(running)
        return solver.start(time, state)

    def mark(self) -> None:
        """A segment begins at the present node, which may be a new one: the state may have jumped."""
        context = self._context
        if context.history.lets_go:
            return
        node = context.record.recorder.turn(context.solver.state, context.solver.rate)
        context.history.add_segment(RunSegment(self._standing.mode, context.values.vector), node)

    def remark(self) -> None:
        """Put down what is worth knowing about the mode that was entered."""
        for event in self._standing.mode.remarks(self._context.time):
            self._context.history.add_event(event)

    # -- constraints come and go -------------------------------------------------------------------

    def change(self, constraints: Sequence[Constraint], cause: str, needed: float) -> Status:
        """Stop with some constraints and go on with others; ``needed`` is when the need for it arose."""
        with holding_interrupts(), undisturbed(set_aside=self._context.is_live):
            status = self.inputs_due()
            return status if status.failed else self._change(constraints, cause, needed)

    def _change(self, constraints: Sequence[Constraint], cause: str, needed: float) -> Status:
        context, before = self._context, self._standing.mode
        instant, geometry, details = context.instant, None, {}
        if len(constraints) > len(self._standing.constraints):
            active = context.workshop.prepare(list(constraints))
            impact = imposed(context.workshop, active, instant.time, instant.state, instant.values)
            instant, geometry, details = replace(instant, state=impact.state), impact.geometry, impact.details
        with interruptible():
            mode = self._maker.make(constraints, instant, needed, geometry=geometry)
        status = self.start(mode, instant.time, mode.corrected(instant))
        self.mark()
        context.history.add_event(Event(instant.time, "transition", cause, before.name, mode.name, details))
        self.remark()
        return status

    # -- the same constraints in another way -------------------------------------------------------

    def ask(self, running: Running) -> Running | None:
        """What to go on with, where what runs asks; None: as it is."""
        if self._context.automaton is not None:
            from detent.simulation.claimed_running import what_runs  # a system alone does without

            running = what_runs(running)
        return self._context.formulation.answer(running, self._context.instant)

    def go_on_with(self, running: Running, needed: float) -> Status:
        """The same constraints, run in another way from here on."""
        before, instant = self._standing.mode, self._context.instant
        mode = self._maker.again(before, running, needed)
        status = self.start(mode, instant.time, mode.corrected(instant))
        self.mark()
        self.tell(before, running, instant.time)
        return status

    def turn_to(self, running: Running, now: float, node: int) -> None:
        """The kernel has turned to something equal by itself; the nodes from one on belong to that."""
        self.tell(self._standing.mode, running, now)
        mode = self._standing.turn_to(running)
        self._context.history.add_segment(RunSegment(mode, self._context.values.vector), node)

    def tell(self, before: RunningMode, after: Running, now: float) -> None:
        """Put down that the same constraints run in another way, if there is something to say about it."""
        text = self._context.formulation.tells(before.running, after)
        if text is not None:
            self._context.history.add_event(Event(now, "reselection", text, before.name, before.name, {}))

    # -- nearest points ----------------------------------------------------------------------------

    def nearer_points(self) -> Status | None:
        """Go on with points of curves and surfaces that have become nearer than those that were followed; None where
        there are none."""
        context, status = self._context, None
        following = context.compiled.following
        for _ in () if following is None else following.places:
            assert following is not None
            instant = context.instant
            looked = call_once(following.looking, instant.time, instant.state, instant.values, instant.state)
            following.keep()
            if looked != 0 or following.jump is None:
                break
            place, coordinates = following.jump
            instant = context.instant
            instant.state[list(place.columns)] = coordinates
            call_once(following.looking, instant.time, instant.state, instant.values, instant.state)
            following.keep()  # the way to where else they may touch is from another point now
            status = context.solver.start(instant.time, instant.state, keep_step=True)
            self.mark()
            name = self._standing.mode.name
            told = f"{place.name}: nearest to another point"
            context.history.add_event(Event(instant.time, "nearest", told, name, name, {}))
        return status

    # -- inputs ------------------------------------------------------------------------------------

    def first_inputs(self) -> None:
        """Inputs take their values at the start, before anything is asked of them."""
        values = self._context.values
        if values.rules:
            values.update(0.0, first_state(self._context))
        self._standing.next_change = values.next_change(0.0, math.inf)

    def inputs_due(self) -> Status:
        """Sampled and held inputs take their next values, once their time has come.

        A jump of the potential energy counts as work; where the motion is bound to an input, an impact follows it.
        """
        context, standing = self._context, self._standing
        if context.time < standing.next_change:
            return Status.DONE
        instant = context.instant
        before = context.energy(instant)
        context.values.update(instant.time, instant.state)
        standing.next_change = context.values.next_change(instant.time, math.inf)
        instant.state[-1] += context.energy(instant) - before
        state = self._bound_to_inputs(instant)
        status = context.solver.start(instant.time, state, keep_step=True)
        self._mark_values()
        return status

    def set_values(self, changes: Mapping[str, float], told: str) -> Status:
        """Parameters take other values; as for inputs, a jump of the potential energy counts as work."""
        context, name = self._context, self._standing.mode.name
        instant, places = context.instant, context.compiled.value_names
        before, kept = context.energy(instant), context.values.vector.copy()
        for parameter, value in changes.items():
            context.values.vector[places.index(parameter)] = value
        try:
            instant.state[-1] += context.energy(instant) - before
            state = self._bound_to_inputs(instant)
        except DetentError:
            context.values.vector[:] = kept
            raise
        context.parameters.update(changes)
        if context.compiled.following is not None:
            context.compiled.following.work_out(state, context.values.vector)
        status = context.solver.start(instant.time, state, keep_step=True)
        self._mark_values()
        context.history.add_event(Event(instant.time, "input", told, name, name, {}))
        return status

    def draw(self, drawn: Drawn, numbers: DrawnNumbers, approached: Approached | None) -> Status:
        """Something is drawn, and the nearest points on it may be known; as for parameters, a jump of the potential
        energy counts as work."""
        context, name = self._context, self._standing.mode.name
        instant = context.instant
        energy = context.energy(instant) if drawn.stores_energy else 0.0
        before = drawn.put(numbers.values, approached)
        try:
            if approached is None:
                drawn.approach(numbers, instant)
            else:
                instant.state[drawn.nearest] = approached.coordinates
            if drawn.stores_energy:
                instant.state[-1] += context.energy(instant) - energy
            state = self._bound_to_inputs(instant)
        except DetentError:
            drawn.take_back(before)
            raise
        status = context.solver.start(instant.time, state, keep_step=True)
        self.mark()
        context.history.add_event(Event(instant.time, "input", numbers.told, name, name, {}))
        return status

    def let_go_of(self, drawn: Drawn) -> Status:
        """A curve touches nothing from here on, and stays where it is."""
        drawn.let_go()
        status = self._context.solver.restart()
        self.mark()
        return status

    def _mark_values(self) -> None:
        """A segment with other values begins: here, or with the node after which contacts were settled anew."""
        if not self._family:
            self.mark()

    @property
    def _family(self) -> str:
        """Of the modes that contacts have; empty where there are none."""
        declared = self._standing.mode.declared
        return "" if declared is None else declared.family

    @property
    def _bound(self) -> Sequence[Constraint]:
        """The constraints that hold whatever inputs do; contacts are settled anew."""
        if not self._family:
            return self._standing.constraints
        from detent.hybrid.status_automaton import StatusAutomaton  # only models with contacts have one

        automaton = self._context.automaton
        assert isinstance(automaton, StatusAutomaton)
        return automaton.held(self._family)

    def _bound_to_inputs(self, instant: Instant) -> np.ndarray:
        """The state after what inputs have done to the constraints that hold them."""
        context, constraints, name = self._context, self._bound, self._standing.mode.name
        if not constraints:
            return instant.state
        active = context.workshop.prepare(constraints)
        impact = imposed(context.workshop, active, instant.time, instant.state, instant.values)
        if impact.details:
            context.history.add_event(Event(instant.time, "impact", "an input changed", name, name, impact.details))
        return impact.state
