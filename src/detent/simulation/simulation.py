"""A simulation in progress: constraints may come and go while it runs.

The loop of Gillespie et al. (2006), Figure 4: integrate; at an event stop, map the state, embed the constraints
that are active now, go on. Another thread may ask for a change at any time: what can be derived without the
state is derived in that thread, in parallel with the integration, and swapped in between two steps.
"""

from __future__ import annotations

import math
import os
import sys
import time
import weakref
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from functools import partial
from typing import Any

import numpy as np

from detent.errors import DetentError, SimulationError, UnknownNameError, ValueProblem
from detent.formulation.active_rows import Geometry
from detent.formulation.compiled import EMBEDDINGS, Embedding, compile_system
from detent.formulation.free import FreeRunning
from detent.formulation.means import Means
from detent.formulation.registry import Choice as FormulationChoice
from detent.formulation.registry import chosen as chosen_formulation
from detent.formulation.running import Instant, Running
from detent.formulation.workshop import Workshop
from detent.hybrid.automaton import Automaton
from detent.hybrid.mode import HybridMode
from detent.jit.kernel_library import make_ready
from detent.model.constraint import Constraint
from detent.model.expression import expression as read_expression
from detent.model.given import by_name
from detent.model.system import System
from detent.model.validation import checked_values
from detent.results.event import Event, EventLog
from detent.results.outcome import Outcome
from detent.results.run import Run
from detent.results.state import State
from detent.simulation.account import Account
from detent.simulation.assembly import assembled
from detent.simulation.beginning import (
    check_spoken,
    consistent_start,
    declared_constraints,
    first_constraints,
    first_state,
    follow,
    named_constraint,
)
from detent.simulation.building import Modes, checked_modes
from detent.simulation.checkpoint import Checkpoint, Choice, write_checkpoint
from detent.simulation.checkpoint_fit import check_fits
from detent.simulation.diagnosis import check_mass, diagnose
from detent.simulation.history import History, Segment
from detent.simulation.impact import Impact, imposed
from detent.simulation.improver import Improver
from detent.simulation.inputs import RunValues
from detent.simulation.keeper import Keeper
from detent.simulation.keeping import Keep, checked_bytes, checked_keep
from detent.simulation.mode import FREE, Mode, ModeTimes, mode_name
from detent.simulation.needed_kernels import needed_kernels
from detent.simulation.progress import Progress
from detent.simulation.record import Record
from detent.simulation.remarks import Remarks
from detent.simulation.requests import Requests
from detent.simulation.run_clock import RunClock
from detent.simulation.undisturbed import settle, undisturbed
from detent.solves.kernels import CONSTRAINT_SOLVE, IMPACT
from detent.stepping.solver import DONE, Solver
from detent.stepping.solver import MOST_STEPS as MOST_PER_CHUNK
from detent.stepping.status import Status
from detent.stepping.uninterrupted import interruptible, uninterrupted

MOST_STEPS = 2_000_000
"""A run of more steps that are all kept is more likely stuck than long, and would fill the memory."""

COMPLETED = Outcome.COMPLETED
STOPPED_FROM_OUTSIDE = (Outcome.INTERRUPTED, Outcome.TOO_MANY_STEPS, Outcome.RECORD_FULL)
"""How a run ends that could go on from where it stands."""


class Simulation:
    """A run that can be steered: advance it, look at it, constrain and release it.

    ``constraints`` names the constraints that are active at the start: all that the system declares as active, if not
    given. Other arguments are those of :func:`detent.simulate`. ``embedding="live"`` starts a new mode in the kernel at
    once and swaps in its compiled equations when they are ready; so that steps come on time it also sets aside what
    exists from garbage collection, and lets threads wait for Python a tenth of a millisecond at most, from then on.

    >>> import detent
    >>> system = detent.System("bead")
    >>> x, y = system.coordinates("x", "y")
    >>> bead = system.particle("bead", system.origin.offset("bead", x*system.ground.x + y*system.ground.y), mass=1)
    >>> system.gravity(-9.81*system.ground.y)
    >>> simulation = detent.Simulation(system, start={"x_rate": 1})
    >>> simulation.advance(1)
    >>> simulation.constrain("floor", y - simulation.value(y))
    >>> simulation.advance(2)
    >>> simulation.mode, round(simulation.state.y, 6), round(simulation.state.x, 6)
    ('floor', -4.905, 2.0)
    """

    def __init__(
        self,
        model: System | Automaton,
        *,
        start: Mapping[Any, Any] | None = None,
        parameters: Mapping[Any, Any] | None = None,
        inputs: Mapping[Any, Any] | None = None,
        constraints: Sequence[str] | None = None,
        mode: str | HybridMode | None = None,
        method: str = "dop853",
        rtol: float = 1e-9,
        atol: float | None = None,
        step: float | None = None,
        times: np.ndarray | None = None,
        keep: Keep = "everything",
        most_bytes: float | None = None,
        embedding: Embedding = "live",
        formulation: str | FormulationChoice = "embedded",
        modes: Modes | None = None,
        most_steps: int | None = None,
        name: str | None = None,
        checkpoint: Checkpoint | None = None,
    ) -> None:
        self.clock = RunClock()
        if embedding not in EMBEDDINGS:
            raise ValueProblem(f"embedding is {embedding!r}; use one of {', '.join(EMBEDDINGS)}")
        self.automaton = model if isinstance(model, Automaton) else None
        system = model.system if isinstance(model, Automaton) else model
        if not isinstance(system, System):
            raise DetentError(f"found {model!r} where a detent.System or detent.Automaton was expected")
        self.system, self.name = system, name or model.name
        self.method, self.rtol, self.step = method, rtol, step
        self.atol = rtol / 100 if atol is None else atol
        self.embedding, self.modes = embedding, checked_modes(modes, embedding)
        self.chosen_formulation = chosen_formulation(formulation)
        kept = checked_keep(keep, times)
        grows = times is None and kept == "everything"
        self.most_steps = most_steps if most_steps is not None else MOST_STEPS if grows else sys.maxsize
        self.most_bytes = checked_bytes(most_bytes)
        """What it may keep, at most; may be raised when a run has stopped for that, before it is advanced again."""
        start, inputs = by_name(system, "start value", start), by_name(system, "input", inputs)
        self.parameters, states = checked_values(system, by_name(system, "parameter", parameters), start, inputs)
        self._given = set(start) | set(system.start_values)
        needed = needed_kernels(system, self.automaton, embedding)
        make_ready(needed)
        self._began = time.perf_counter()
        shared = compile_system(system, "numeric" if embedding == "numeric" else "symbolic")
        if CONSTRAINT_SOLVE in needed:  # what a first constraint needs besides
            _ = shared.unsolved
        if embedding == "live":  # a constraint may be imposed at any time
            IMPACT.address("strike")
        self.compiled = shared.for_one_run()
        discrete = [states[symbol.name] for symbol in system.discrete_states]
        self.values = RunValues(self.compiled, self.parameters, inputs, discrete)
        jumping = {name for name, _ in self.values.rules.values()}
        self.compiled.equations.check_jumping([s for s in system.input_rules if s.name in jumping])
        check_spoken(self.compiled.equations.spoken_reactions, self._declared())
        layout = self.compiled.layout
        self.solver = Solver(
            self.compiled.cell, self.compiled.projection_cell, width=layout.width, controlled=layout.width - 1,
            values=self.values.vector, owner=self.compiled, method=method, rtol=rtol, atol=self.atol, step=step,
            relay=embedding == "live" and self.automaton is None,
        )  # fmt: skip
        self.workshop = Workshop(self.compiled, self.solver.asking, shared.store_of(model), self._declared)
        self._constraints: dict[str, Constraint] = {}
        means = Means(self.workshop, self.solver, embedding, self.automaton is None)
        self.formulation = self.chosen_formulation.of_run(means)
        derived = self.compiled.derive_seconds
        self.free = Mode(FREE, FreeRunning(self.workshop), derived, ModeTimes(self._began))
        """The mode in which nothing is constrained."""
        self._mode = self.free
        self._turned: dict[Running, Mode] = {}
        """The modes that the kernel has turned to by itself since the constraints changed."""
        self.history = History(len(self.values.vector))
        self.record = Record(layout, self.history, self._account(), times, kept)
        """What it keeps."""
        self._requests = Requests(self.solver.stop, self._refused)
        self._improver = Improver(self)
        self._keeper = Keeper(self, self.record, self._improver)
        self.progress: Progress | None = None
        self.remarks = Remarks()
        self.outcome, self.message = Outcome.COMPLETED, ""
        self._told: weakref.ref[SimulationError] | None = None
        self.following = follow(self, self.automaton, mode)
        if self.following is not None:
            self.history.follow(self.following.worded)
        """What follows the automaton, where there is one."""
        first = None if self.following is None else self.following.current
        chosen = first_constraints(system, first, constraints, mode)
        if checkpoint is None:
            self._begin(states, chosen)
        else:
            self._go_on(checkpoint, chosen)
        if embedding == "live":
            settle()

    # -- looking at it -----------------------------------------------------------------------

    @property
    def time(self) -> float:
        """The time reached, s."""
        return self.solver.time

    @property
    def state(self) -> State:
        """The state at that time, by name."""
        return State(self.compiled.layout, self.solver.time, self.solver.state)

    @property
    def mode(self) -> str:
        """The name of the mode: its active constraints."""
        return self._mode.name

    @property
    def events(self) -> EventLog:
        """What has happened so far."""
        return self.history.events

    def stand_in(self, mode: Mode, constraints: Sequence[Constraint]) -> None:
        """Another mode runs from here on; its programs do so already."""
        self._mode = mode
        self._constraints = {constraint.name: constraint for constraint in constraints}

    def stand_in_other(self, running: Running, node: int) -> None:
        """The same constraints run in another way from a node on; the kernel has turned to it already."""
        self._mode = self._turned.setdefault(running, replace(self._mode, running=running, times=ModeTimes(0.0, 0.0)))
        self.history.add_segment(Segment(self._mode, self.values.vector), node)

    def tell(self, before: Mode, after: Running, now: float) -> None:
        """Put down that the same constraints run in another way, if there is something to say about it."""
        text = self.formulation.tells(before.running, after)
        if text is not None:
            self.history.add_event(Event(now, "reselection", text, before.name, before.name, {}))

    def remark(self, now: float) -> None:
        """Put down what is worth knowing about the mode that was entered."""
        for event in self._mode.remarks(now):
            self.history.add_event(event)

    @property
    def current(self) -> Mode:
        """The mode itself, with its programs."""
        return self._mode

    @property
    def active(self) -> tuple[str, ...]:
        """The names of the active constraints."""
        return tuple(self._constraints)

    def value(self, expression: Any) -> float:
        """An expression in the system's quantities and measures, such as ``tip.along(ground.x)``, at this instant."""
        quantities = self.compiled.equations.quantities
        wanted = read_expression("the value that is asked for", expression)
        with self.compiled.equations.lock:
            node = quantities.convert(wanted)
        if any(node.leaves & leaf.leaves for leaf in quantities.reactions.values()):
            raise DetentError(f"'{wanted}' holds a reaction; ask for those with simulation.reactions()")
        return float(self.compiled.program([node])(self.time, self.solver.state, self.values.vector)[0])

    def reactions(self) -> dict[str, float]:
        """The reaction of every active constraint's row now, by name; in N or N m for rows in m or rad."""
        return self._mode.reactions(self.time, self.solver.state, self.values.vector)

    # -- steering it -------------------------------------------------------------------------

    def constrain(self, constraint: Constraint | str, expression: Any = None) -> None:
        """Impose a constraint from now on: one the system declares (by name), or one first written down now.

        The configuration must satisfy it; speeds against it are stopped by a plastic impact, as :class:`detent.Impact`
        does it. From another thread than the one that advances, the request is derived at once and takes effect at the
        next step it can.
        """
        began = time.perf_counter()
        self._check_free()
        wanted = named_constraint(self.system, constraint, expression)
        expected = [*self._constraints.values(), wanted]
        self._requests.make(lambda: self._impose(wanted, began), lambda: self.workshop.prepare(expected))

    def release(self, constraint: Constraint | str) -> None:
        """Let an active constraint go, by name or as it is. The state does not change; the acceleration does."""
        began = time.perf_counter()
        self._check_free()
        name = constraint.name if isinstance(constraint, Constraint) else str(constraint)
        expected = [c for c in self._constraints.values() if c.name != name]
        self._requests.make(lambda: self._let_go(name, began), lambda: self.workshop.prepare(expected))

    def _check_free(self) -> None:
        if self.automaton is not None:
            raise DetentError(
                "this simulation follows an automaton, whose modes say what constraints are active; add a mode and a "
                "transition to simulation.automaton instead"
            )

    def _impose(self, wanted: Constraint, began: float) -> None:
        if wanted.name in self._constraints:
            raise DetentError(
                f"the constraint '{wanted.name}' is active already; release it first, or use another name"
            )
        self._enter([*self._constraints.values(), wanted], f"constrain {wanted.name}", began)

    def _let_go(self, name: str, began: float) -> None:
        if name not in self._constraints:
            raise UnknownNameError(name, self._constraints, what="active constraint")
        self._enter([c for c in self._constraints.values() if c.name != name], f"release {name}", began)

    # -- modes -------------------------------------------------------------------------------

    def _begin(self, states: dict[str, float], chosen: list[Constraint]) -> None:
        state, following = first_state(self, states), self.following
        self.values.update(0.0, state)
        self._next_change = self.values.next_change(0.0, math.inf)
        self._constraints = {constraint.name: constraint for constraint in chosen}
        if chosen:
            state, moved = consistent_start(self, chosen, state, self._given)
            if moved:
                text = f"start values that were given had to change: {', '.join(moved)}"
                self.history.add_event(Event(0.0, "start", text, "", "", {}))
        name = None if following is None else following.current.name
        self._mode = self.build(chosen, state, 0.0, self._began, name=name)
        check_mass(self.compiled, self._mode, 0.0, state, self.values.vector)
        if following is not None:
            following.begin(self._mode, 0.0, state)
        self._start_mode(0.0, self._mode.corrected(0.0, state, self.values.vector))
        self._record_start()
        if following is not None:
            following.look_ahead()
        self.remark(0.0)

    def _go_on(self, found: Checkpoint, chosen: list[Constraint]) -> None:
        """Stand where a checkpoint was written."""
        check_fits(found, self)
        state, following = np.array(found.state), self.following
        self.values.vector[:] = found.values
        self._next_change = math.inf if found.next_change is None else found.next_change
        self._constraints = {constraint.name: constraint for constraint in chosen}
        name = None if following is None else following.current.name
        kept = found.choices.get(found.mode or "")
        self._mode = self.build(chosen, state, found.time, self._began, name=name, kept=kept)
        if following is not None:
            following.begin(self._mode, found.time, state)
            following.go_on(found)
        self._start_mode(found.time, state)
        self.solver.keep_pace(found.clock, found.number)
        self._record_start()

    def _record_start(self) -> None:
        self.started = self.solver.state
        """The state the run started from, brought onto the constraints."""
        self.record.recorder.begin(self.time, self.solver.state, self.solver.rate)
        self.history.add_segment(Segment(self._mode, self.values.vector), 0)

    def checkpoint(self, path: str | os.PathLike[str]) -> None:
        """Write where the simulation stands to a file, for :func:`detent.resume`; not the trajectory so far."""
        if self.outcome in STOPPED_FROM_OUTSIDE and self._unfinished:
            self._finish_instant()
        write_checkpoint(self, path)

    def _finish_instant(self) -> None:
        """Take the transitions that are still to be taken where the simulation was stopped: no time passes."""
        self._leave()
        stopped = self.outcome, self.message
        self.outcome = Outcome.COMPLETED
        with uninterrupted(self.solver.stop), self._requests:
            while self._unfinished and self.outcome is Outcome.COMPLETED:
                self._go(self.time)
        if self.outcome is Outcome.COMPLETED:
            self.outcome, self.message = stopped

    @property
    def can_go_on(self) -> bool:
        """Whether the simulation stands where another could go on: not in the middle of what it could not do."""
        if self.outcome in STOPPED_FROM_OUTSIDE:
            return True
        return self.outcome is Outcome.COMPLETED and (self.following is None or self.following.is_settled)

    @property
    def next_change(self) -> float:
        """When an input takes its next value, s."""
        return self._next_change

    def _account(self) -> Account:
        """What works out energies, reactions and residuals."""
        layout, first = self.compiled.layout, self.values.first_discrete
        quaternions = [[layout.column(part.name) for part in parts] for parts in self.system.quaternions]
        return Account(self.compiled.observer, slice(first, first + len(self.system.discrete_states)), quaternions)

    def _declared(self) -> set[Constraint]:
        """The constraints that the model knows, as other runs of it do."""
        return declared_constraints(self.system, self.automaton)

    def build(
        self, constraints: Sequence[Constraint], state: np.ndarray, now: float, began: float,
        numbers: Geometry | None = None, name: str | None = None, kept: Choice | None = None,
    ) -> Mode:  # fmt: skip
        """The mode of some constraints at a state; ``began`` is when the need for it arose, ``kept`` an old choice."""
        if not constraints:
            return replace(self.free, name=name or FREE, times=ModeTimes(began))
        started, instant = time.perf_counter(), Instant(now, state, self.values.vector)
        active = self.workshop.prepare(list(constraints))
        saved = None if kept is None else asdict(kept)
        running = self.formulation.enter(active, instant, numbers or self.workshop.at(active, instant), saved)
        return Mode(name or mode_name(constraints), running, time.perf_counter() - started, ModeTimes(began))

    def _start_mode(self, now: float, state: np.ndarray) -> None:
        mode = self._mode
        running = mode.running
        self.solver.switch(running.rates, running.correction, owner=mode)
        self.solver.most_per_chunk = 1 if running.is_watched else MOST_PER_CHUNK
        self.formulation.begin(running)
        self._turned = {running: mode}
        status = self.solver.start(now, state)
        if status.failed:
            self._fail(status)

    def _installed(self) -> None:
        """The mode has other programs now; an automaton's tables must say so."""
        if self.following is not None:
            self.following.install(self.following.current, self._mode)

    def _enter(self, constraints: list[Constraint], cause: str, began: float) -> None:
        """Stop in one mode and start in another; ``began`` is when the need for it arose."""
        self._leave()
        with uninterrupted(), undisturbed(set_aside=self.embedding == "live"):
            self._change_mode(constraints, cause, began)

    def _change_mode(self, constraints: list[Constraint], cause: str, began: float) -> None:
        self._inputs_due()
        now, before = self.time, self._mode
        state = self.solver.state
        old = self._constraints
        details: dict[str, float | str] = {}
        try:
            self._constraints = {constraint.name: constraint for constraint in constraints}
            numbers = None
            if len(constraints) > len(old):
                impact = self._imposed(constraints, state)
                state, numbers, details = impact.state, impact.geometry, impact.details
            with interruptible():
                mode = self.build(constraints, state, now, began, numbers)
        except BaseException:
            self._constraints = old
            raise
        self._mode = mode
        self._start_mode(now, mode.corrected(now, state, self.values.vector))
        self._turn()
        self.history.add_event(Event(now, "transition", cause, before.name, mode.name, details))
        self.remark(now)

    def _imposed(self, constraints: list[Constraint], state: np.ndarray) -> Impact:
        active = self.workshop.prepare(constraints)
        return imposed(self.workshop, active, self.time, state, self.values.vector)

    def _energy(self, state: np.ndarray) -> float:
        return float(self.compiled.observer(self.time, state, self.values.vector).sum())

    def _go_on_otherwise(self) -> None:
        """What runs asks its formulation what to go on with, until it is content."""
        while self._mode.running.asks:
            began, state, before = time.perf_counter(), self.solver.state, self._mode
            other = self.formulation.answer(before.running, Instant(self.time, state, self.values.vector))
            if other is None:
                return
            mode = Mode(before.name, other, time.perf_counter() - began, ModeTimes(began))
            self._mode = mode
            self._installed()
            self._start_mode(self.time, mode.corrected(self.time, state, self.values.vector))
            self._turn()
            self.tell(before, other, self.time)

    def _turn(self) -> None:
        node = self.record.recorder.turn(self.solver.state, self.solver.rate)
        self.history.add_segment(Segment(self._mode, self.values.vector), node)

    # -- running -----------------------------------------------------------------------------

    def advance(self, until: float) -> None:
        """Integrate to a time, through whatever changes are asked for on the way.

        A simulation that was stopped, by the keyboard or because it kept too much, goes on with the next call.
        """
        if isinstance(until, str) or not self.solver.time <= until < math.inf:
            raise ValueProblem(
                f"the simulation stands at t = {self.time!r}; advance it to a later finite time, not {until!r}"
            )
        self._leave()
        if self.outcome in STOPPED_FROM_OUTSIDE:
            self.outcome, self.message = Outcome.COMPLETED, ""
        with uninterrupted(self.solver.stop) as keyboard, self._requests:
            try:
                while (self.solver.time < until or self._unfinished) and self.outcome is COMPLETED:
                    self._go(until)
                    keyboard.answer()
            except KeyboardInterrupt:
                keyboard.forget()
                self.outcome, self.message = Outcome.INTERRUPTED, f"stopped at t = {self.time:.9g} of {until:.9g}"
        if self.outcome is not COMPLETED:
            raise self._stopped(until)

    def _stopped(self, until: float) -> SimulationError:
        """The error of a run that stands where it does not go on by itself.

        Its run is put together when someone asks, or before the simulation goes on: whoever pressed Ctrl-C need not
        wait for a gigabyte to be gone through.
        """
        run = partial(assembled, self, until, self.record, self.solver, self.clock.wall_seconds)
        error = SimulationError(f"'{self.name}' could not go on: {self.message}", run)
        self._told = weakref.ref(error)
        return error

    def _leave(self) -> None:
        """The simulation is about to go on: an error that told where it stood gets its run now, if anyone has it."""
        error, self._told = None if self._told is None else self._told(), None
        if error is not None:
            _ = error.run

    @property
    def _unfinished(self) -> bool:
        """Whether transitions of this instant are still to be taken."""
        return self.following is not None and self.following.busy

    def _go(self, until: float) -> None:
        self._requests.answer()
        if not self._unfinished:
            if self._improver.swap(self._mode):
                self._installed()
            if self.solver.time >= self._next_change:
                self._inputs_due()
        if self.following is not None:
            self.following.refresh()
        if self._mode.running.asks and not self._unfinished:
            self._go_on_otherwise()
        if self.outcome is COMPLETED:
            status = self.solver.advance(max(self.solver.time, min(self._next_change, until)), self._keeper.keep)
            self._keeper.catch_up()
            if status is not DONE:
                self._answer(status)
        if self.record.has_many_modes:
            self.record.tidy()
        if self.workshop.knows_much and self.following is None:
            self.workshop.forget(self.history.segments.constraints() | set(self._constraints.values()))

    def _answer(self, status: Status) -> None:
        """The kernel came back before its end: because it could not go on, or for something that it needs."""
        if status.failed:
            self._fail(status)
        elif self.following is not None and status in (Status.RESET_NEEDED, Status.MODE_NEEDED):
            with undisturbed(set_aside=self.embedding == "live"):
                self.following.serve(status)

    def _refused(self, error: DetentError) -> None:
        self.history.add_event(Event(self.time, "refused", str(error), self.mode, self.mode, {}))

    def _inputs_due(self) -> None:
        """Sampled and held inputs take their next values, once their time has come.

        A jump of the potential energy counts as work; where the motion is bound to an input, an impact follows it.
        """
        if self.time < self._next_change:
            return
        state = self.solver.state
        before = self._energy(state)
        self.values.update(self.time, state)
        self._next_change = self.values.next_change(self.time, math.inf)
        state[-1] += self._energy(state) - before
        if self._constraints:
            impact = self._imposed(list(self._constraints.values()), state)
            state = impact.state
            if impact.details:
                self.history.add_event(
                    Event(self.time, "impact", "an input changed", self.mode, self.mode, impact.details)
                )
        status = self.solver.start(self.time, state, keep_step=True)
        if self.following is not None:
            self.following.recheck()
        self._turn()
        if status.failed:
            self._fail(status)

    def _fail(self, status: Status) -> None:
        if self.following is not None:
            for entry in self.following.flush():
                self.history.add_event(self.following.event(entry))
        self.outcome, self.message = diagnose(self, status)

    def result(self, until: float | None = None) -> Run:
        """What there is so far, as a run."""
        return assembled(self, self.time if until is None else until, self.record, self.solver)
