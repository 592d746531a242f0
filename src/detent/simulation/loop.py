"""The loop of a run: integrate; at an event stop, map the state, go on with what is active now.

Gillespie et al. (2006), Figure 4. Another thread may ask for a change at any time: what can be derived without the
state is derived in that thread, in parallel with the integration, and swapped in between two steps.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, final

import numpy as np

from detent.formulation.running import Instant
from detent.results.event import Event
from detent.results.outcome import Outcome
from detent.simulation.beginning import consistent_start, first_state
from detent.simulation.diagnosis import check_mass, diagnose
from detent.simulation.faster_code import FasterCode
from detent.simulation.history import RunSegment
from detent.simulation.intake import Intake
from detent.simulation.requests import Requests
from detent.simulation.undisturbed import undisturbed
from detent.stepping.held_interrupts import holding_interrupts
from detent.stepping.status import Status

if TYPE_CHECKING:
    from detent.errors import DetentError
    from detent.model.constraint import Constraint
    from detent.model.drawing import Drawing
    from detent.model.latch import Latch
    from detent.simulation.checkpoint import Checkpoint
    from detent.simulation.context import Context
    from detent.simulation.director import Director
    from detent.simulation.drawn import Drawn, DrawnNumbers
    from detent.simulation.junction import Junction
    from detent.simulation.running_mode import RunningMode
    from detent.simulation.standing import Standing
    from detent.simulation.switching import Switching
    from detent.stepping.servo import Servo

DONE = Status.DONE


@final
class Loop:
    """Advances a run."""

    def __init__(self, context: Context, standing: Standing, switching: Switching, director: Director) -> None:
        self._context, self._standing, self._switching, self._director = context, standing, switching, director
        self._solver, self._record = context.solver, context.record
        self._follows = context.compiled.following is not None
        """Whether there are nearest points to follow."""
        self._code = FasterCode(context, standing, director)
        self.intake = Intake(context, standing, switching, self._code)
        self._keep = partial(director.keep, intake=self.intake)
        self._requests = Requests(context.solver.stop, self._refused)
        self._drawn: dict[Drawing, Drawn] = {}
        self._keeps = True
        """Whether what happens is put down; a servo may do without."""
        self.started = np.empty(0)
        """The state the run started from, brought onto the constraints."""

    # -- the start ---------------------------------------------------------------------------------

    def begin(self) -> None:
        """Stand at the start."""
        context, constraints = self._context, self._director.first_constraints
        state = first_state(context)
        if constraints:
            state, moved = consistent_start(context, constraints, state)
            if moved:
                text = f"start values that were given had to change: {', '.join(moved)}"
                context.history.add_event(Event(0.0, "start", text, "", "", {}))
        instant = Instant(0.0, state, context.values.vector)
        mode = self._director.first_mode(instant, None)
        check_mass(context.compiled, mode, instant)
        self._director.begin(mode, instant, None)
        self._start(mode, replace(instant, state=mode.corrected(instant)))
        self._director.look_ahead()
        self._switching.remark()

    def go_on(self, found: Checkpoint) -> None:
        """Stand where a checkpoint was written."""
        from detent.simulation.checkpoint_fit import check_fits  # most runs do without

        context = self._context
        check_fits(found, context)
        context.values.vector[:] = found.values
        if found.next_change is not None:
            self._standing.next_change = found.next_change
        instant = Instant(found.time, np.array(found.state), context.values.vector)
        mode = self._director.first_mode(instant, found)
        self._director.begin(mode, instant, found)
        self._start(mode, instant)
        context.solver.keep_pace(found.clock, found.number)

    def join(self, junction: Junction) -> None:
        """Stand where a run with other contacts came to."""
        context = self._context
        self._standing.next_change = junction.next_change
        instant = Instant(junction.time, junction.state, context.values.vector)
        mode = self._director.first_mode(instant, None)
        self._director.begin(mode, instant, None)
        self._start(mode, replace(instant, state=mode.corrected(instant)))
        context.solver.keep_pace(junction.clock, 0)
        self._director.look_ahead()
        self._switching.remark()

    def _start(self, mode: RunningMode, instant: Instant) -> None:
        context = self._context
        self._check(self._switching.start(mode, instant.time, instant.state))
        self.started = context.solver.state
        context.record.recorder.begin(context.time, context.solver.state, context.solver.rate)
        context.history.add_segment(RunSegment(mode, context.values.vector), 0)

    # -- running -----------------------------------------------------------------------------------

    def advance(self, until: float) -> None:
        """Integrate to a time, through whatever changes are asked for on the way."""
        standing, solver, director = self._standing, self._solver, self._director
        standing.resume()
        with holding_interrupts(solver.stop) as keyboard, self._requests:
            try:
                while (solver.time < until or director.is_busy) and standing.can_step:
                    self._go(until)
                    keyboard.answer()
            except KeyboardInterrupt:
                keyboard.forget()
                standing.stop(Outcome.INTERRUPTED, f"stopped at t = {solver.time:.9g} of {until:.9g}")

    def finish_instant(self) -> None:
        """Take the transitions that are still to be taken where the run was stopped: no time passes."""
        standing = self._standing
        outcome, message = standing.outcome, standing.message
        standing.resume()
        with holding_interrupts(self._solver.stop), self._requests:
            while self._director.is_busy and standing.can_step:
                self._go(self._solver.time)
        if standing.can_step:
            standing.stop(outcome, message)

    def pace(self, servo: Servo, last: int, keeps: bool) -> None:
        """Have a servo take steps until it has taken ``last``, or is asked to return between two.

        Where nothing is kept, the run stands where the kernel does, and has no history.
        """
        standing, solver = self._standing, self._solver
        self._keeps, self._context.history.lets_go = keeps, not keeps
        on_piece = self._keep if keeps else None
        standing.resume()

        def paced(end: float) -> Status:
            self._code.make_now(self._director.built())
            status = solver.advance_paced(servo, last, end, on_piece)
            if not keeps:
                self._let_go()
            elif servo.has_moved_hands:
                self._switching.mark()
            return status

        with self._requests:
            while standing.can_step:
                self._go(math.inf, paced)
                if servo.is_between:
                    return

    def set_values(self, changes: Mapping[str, float], told: str) -> None:
        """Go on with other values of parameters."""
        self._check(self._switching.set_values(changes, told))
        self._director.values_changed()

    def set_held(self, latch: Latch) -> None:
        """Let a latch that does not hold yet know the value at which it is to."""
        context = self._context
        held, instant = context.compiled.value_names.index(latch.held), context.instant
        off = context.workshop.at(context.workshop.prepare([latch.constraint]), instant).phi[0]
        context.values.vector[held] += float(off)

    def draw(self, drawing: Drawing, numbers: DrawnNumbers) -> None:
        """Go on with something drawn that was not there before, or was drawn otherwise.

        What touches it is let go first, where it is: no time passes.
        """
        drawn, approached = self.drawn(drawing), None
        if drawn.is_touched:
            approached = drawn.approached(numbers, self._context.instant)  # what is refused leaves no trace
            self._check(self._switching.let_go_of(drawn))
            self._director.recheck()
            self.finish_instant()
        self._check(self._switching.draw(drawn, numbers, approached))
        self._director.recheck()

    def drawn(self, drawing: Drawing) -> Drawn:
        """A drawing as this run has it, made when it is first asked for."""
        if drawing not in self._drawn:
            from detent.simulation.drawn import Drawn  # likewise

            self._drawn[drawing] = Drawn(self._context, drawing)
        return self._drawn[drawing]

    def _steps(self, end: float) -> Status:
        if self._keeps:
            return self._solver.advance(end, self._keep)
        status = self._solver.advance(end, lambda piece: None)
        self._let_go()
        return status

    def _let_go(self) -> None:
        """Nothing is kept of what the kernel has done: stand where it does."""
        self.intake.let_go()
        self._director.catch_up()

    def _go(self, until: float, advance: Callable[[float], Status] | None = None) -> None:
        """From here to the next time at which Python is needed."""
        standing, director, solver = self._standing, self._director, self._solver
        self._requests.answer()
        if self._follows and director.is_settled:  # also where guards are looked at again, as after a move of a hand
            nearer = self._switching.nearer_points()
            if nearer is not None:
                self._check(nearer)
                director.recheck()
        if not director.is_busy:
            self._code.take_up()
            if solver.time >= standing.next_change:
                self._check(self._switching.inputs_due())
                director.values_changed()
        director.refresh()
        if standing.mode.running.asks and not director.is_busy:
            self._ask()
        if standing.can_step:
            status = (advance or self._steps)(max(solver.time, min(standing.next_change, until)))
            self.intake.catch_up()
            if status is not DONE:
                self._answer(status)
        if self._record.has_many_modes:
            self._record.tidy()
        director.let_go()

    def _ask(self) -> None:
        """What runs asks its formulation what to go on with, until it is content."""
        while self._standing.mode.running.asks:
            needed = time.perf_counter()
            other = self._switching.ask(self._standing.mode.running)
            if other is None:
                return
            self._check(self._switching.go_on_with(other, needed))
            self._director.install()

    def _answer(self, status: Status) -> None:
        """The kernel came back before its end: because it could not go on, or for something that it needs."""
        if status.failed and self._director.resolves(status):
            return
        self._check(status)
        if status in (Status.RESET_NEEDED, Status.MODE_NEEDED):
            with undisturbed(set_aside=self._context.is_live):
                refused = self._director.serve(status)
            if refused is not None:
                self._tell_unfinished()
                self._standing.stop(Outcome.IMPACT, refused)

    def _check(self, status: Status) -> None:
        """The run ends where the stepper cannot go on."""
        if status.failed:
            self._tell_unfinished()
            self._standing.stop(*diagnose(self._context, self._standing, self._director, status))

    def _tell_unfinished(self) -> None:
        """Tell what has happened at the instant at which the run ends."""
        for event in self._director.unfinished():
            self._context.history.add_event(event)

    @property
    def is_advancing(self) -> bool:
        """Whether a thread advances the run now."""
        return self._requests.is_running

    def stop(self) -> None:
        """Have the thread that advances the run come back from where it is; where none does, nothing happens."""
        self._requests.make(self._interrupt, lambda: None)

    def _interrupt(self) -> None:
        if self.is_advancing and self._standing.can_step:
            self._standing.stop(Outcome.INTERRUPTED, f"stopped at t = {self._solver.time:.9g}")

    # -- changes from outside ----------------------------------------------------------------------

    def constrain(self, wanted: Constraint, needed: float) -> None:
        """Impose a constraint: at once, or when the thread that advances the run comes to it."""
        expected = [*self._standing.constraints, wanted]
        self._requests.make(
            lambda: self._check(self._director.constrain(wanted, needed)),
            lambda: self._context.workshop.prepare(expected),
        )

    def release(self, name: str, needed: float) -> None:
        """Let a constraint go: at once, or when the thread that advances the run comes to it."""
        expected = [constraint for constraint in self._standing.constraints if constraint.name != name]
        self._requests.make(
            lambda: self._check(self._director.release(name, needed)),
            lambda: self._context.workshop.prepare(expected),
        )

    def _refused(self, error: DetentError) -> None:
        name = self._standing.mode.name
        self._context.history.add_event(Event(self._solver.time, "refused", str(error), name, name, {}))
