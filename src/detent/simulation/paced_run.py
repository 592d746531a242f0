"""A simulation whose steps come when a clock says so, with hands that take hold of it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, Final, final

import numpy as np

from detent.errors import DetentError, ValueProblem
from detent.events.event_frame import Phase
from detent.formulation.embedded import EmbeddedFormulation
from detent.formulation.running import Formulation, Instant
from detent.hybrid.automaton import Automaton
from detent.jit.arrays import FloatArray
from detent.jit.kernel_library import make_ready
from detent.jit.program import Program
from detent.model.constraint import Constraint, holonomic
from detent.model.coupler import Coupler
from detent.model.expression import read_expression
from detent.model.system import System
from detent.results.timing import ModeTiming
from detent.simulation.beginning import named_constraint
from detent.simulation.contact_steering import ContactChange
from detent.simulation.context import Context
from detent.simulation.drawn import DrawnNumbers
from detent.simulation.options import Options
from detent.simulation.recording import RecordedChange
from detent.simulation.running_mode import RunningMode
from detent.simulation.simulation import Simulation
from detent.simulation.undisturbed import prepare_process
from detent.solves.kernels import IMPACT
from detent.stepping.servo import HandPlaces, Servo
from detent.stepping.servo_clock import Clock
from detent.stepping.servo_frame import COURSE

MOST_MODES: Final = 256
"""Modes whose times are told: the last ones."""
RESOLVED: Final = 1e-4
"""A flight between two impacts that lasts no longer than this part of a period is none: at 1 kHz, under gravity, what
rises by 1e-14 m. Bounces pile up in one period, and each takes its time."""


@final
class PacedRun:
    """A simulation and the servo that takes its steps; one thread at a time.

    ``lags`` says for each coupler how slowly the hand follows what is said of it: the time constant of a first-order
    filter, s; 0 follows at once. With ``keeps`` there is a run to be asked for, otherwise steps are let go.
    """

    def __init__(
        self, model: System | Automaton, period: float, couplers: Sequence[Coupler], lags: Sequence[float],
        clock: Clock, options: Options, keeps: bool,
    ) -> None:  # fmt: skip
        self._period, self._couplers, self._clock, self._keeps = period, tuple(couplers), clock, keeps
        self._gains = [1.0 if lag == 0.0 else -math.expm1(-period / lag) for lag in lags]
        self._check_couplers(model.system if isinstance(model, Automaton) else model)
        self.simulation = Simulation(model, options=options)
        self._forces: Program | None = None
        self._ready: tuple[RecordedChange, ContactChange | DrawnNumbers] | None = None
        """A change of contacts, or something drawn, and what was made ready for it."""
        self._seen: dict[RunningMode, None] = {}
        self._noted: Sequence[RunningMode] = ()
        """The modes that were built when it was last looked at."""
        self._adopted: Formulation | None = None
        self._adopt()
        if self.context.automaton is not None:
            self.simulation._director.prepare_for_servo()
        self.servo = self._bound()
        if not keeps:
            prepare_process()

    def _check_couplers(self, system: System) -> None:
        for coupler in self._couplers:
            if coupler.point.system is not system:
                raise ValueProblem(
                    f"coupler '{coupler.name}' is not one of the system '{system.name}'; declare it there with "
                    f"detent.couple({coupler.name!r}, point)"
                )

    @property
    def context(self) -> Context:
        """The parts of the run as it is now."""
        return self.simulation._context

    def _bound(self) -> Servo:
        """A servo for the system as it is now; what can be drawn or constrained by its name is prepared."""
        context = self.context
        make_ready([IMPACT])  # what a constraint that comes under way needs
        if context.contacts is not None:
            context.contacts.resolve(RESOLVED * self._period)
        for drawing in context.system.drawings.values():
            self.simulation._loop.drawn(drawing)
        if context.automaton is None:
            for constraint in context.system.constraints.values():
                context.workshop.prepare([constraint]).program.compile()
            for latch in context.system.latches.values():
                self._make_ahead(latch.constraint, context.instant)
        names = context.compiled.value_names
        hands = [
            HandPlaces(names.index(each.grip), _places(names, each.position), _places(names, each.velocity), gain)
            for each, gain in zip(self._couplers, self._gains, strict=True)
        ]
        felt = [-force for coupler in self._couplers for force in coupler.force]
        equations = context.compiled.equations
        with equations.lock:
            nodes = [equations.quantities.convert(read_expression("what a hand feels", each)) for each in felt]
        self._forces = context.compiled.program(nodes) if nodes else None
        if self._forces is not None:
            self._forces.compile()
        cell = None if self._forces is None else self._forces.cell
        return context.solver.servo(
            self._period, self._clock, hands=hands, forces=cell, recheck=int(Phase.RECHECK), keeps=self._keeps
        )

    def _adopt(self) -> None:
        """Have the kernel choose dependent speeds by itself where an automaton is followed."""
        context, formulation = self.context, self.context.formulation
        numeric = context.options.embedding == "numeric" and context.automaton is not None
        if numeric and isinstance(formulation, EmbeddedFormulation):
            known = [] if formulation is self._adopted else self.simulation._director.built()
            formulation.adopt_choices(mode.running for mode in known)
            self._adopted = formulation

    def take_steps(self, last: int) -> None:
        """Take steps until there are ``last``, or the servo is asked to return."""
        self._adopt()
        self.simulation._pace(self.servo, last, self._keeps)

    # -- changes -----------------------------------------------------------------------------------

    def prepare(self, change: RecordedChange) -> None:
        """What can be derived for a change while steps go on, in the thread that asks for it."""
        if change.kind == "contact":
            self._ready = change, self.simulation._ready_contact(*change.arguments, **change.keywords)
        elif change.kind == "draw":
            name, points = change.arguments
            drawing = self.simulation._drawing(name)
            self._ready = change, self.simulation._loop.drawn(drawing).numbers(points)
        elif change.kind == "latch" and len(change.arguments) == 1:
            pass  # it was declared, and is prepared
        elif change.kind in ("constrain", "latch") and self.context.automaton is None:
            wanted, *held = change.arguments
            if held:  # the same but for a number that is known when it is imposed: most of the graph is there then
                wanted = holonomic(wanted, held[0] - self.simulation.value(held[0]))
            self.context.workshop.prepare([*self.simulation._standing.constraints, wanted])

    def make(self, change: RecordedChange) -> None:
        """Make a change, between two steps."""
        simulation, context = self.simulation, self.context
        self._note_modes()
        if change.kind == "latch" and len(change.arguments) == 2:
            name, held = change.arguments
            simulation.constrain(name, held - simulation.value(held))
        elif self._ready is not None and self._ready[0] is change:
            ready, self._ready = self._ready[1], None
            if isinstance(ready, ContactChange):
                simulation._change(ready)
            else:
                simulation._put_drawing(simulation._drawing(change.arguments[0]), ready)
        else:
            getattr(simulation, change.kind)(*change.arguments, **change.keywords)
        self._note_modes()
        if self.context is not context:
            self._adopt()
            self.simulation._director.hurry()  # nothing is built ahead while the servo waits: the kernel claims it
            before = self.servo
            self.servo = self._bound()
            self.servo.take_over(before, self.context.solver.state)

    def after_release(self, name: str, state: FloatArray) -> None:
        """Make ready that a latch holds again; in the thread that asked for it to be released."""
        latch = self.context.system.latches.get(name)
        if latch is not None and self.context.automaton is None and not self._holds(latch.constraint):
            self._make_ahead(latch.constraint, replace(self.context.instant, state=state))

    def _holds(self, constraint: Constraint) -> bool:
        return constraint in self.simulation._standing.constraints

    def _make_ahead(self, constraint: Constraint, instant: Instant) -> None:
        """Have a latch hold soon after it is asked to, if nothing else holds then."""
        with suppress(DetentError):  # said where it is asked to hold
            self.context.workshop.make_ahead(self.context.workshop.prepare([constraint]), instant)

    def constraint(self, wanted: Constraint | str, expression: Any) -> Constraint:
        """A constraint as it is, by its name, or first written down now."""
        return named_constraint(self.simulation.system, wanted, expression)

    # -- what there is -----------------------------------------------------------------------------

    @property
    def failure(self) -> str | None:
        """Why it cannot go on, if it cannot."""
        return None if self.simulation._standing.can_step else self.simulation.message

    def position_of(self, coupler: Coupler, state: FloatArray) -> FloatArray:
        """Where the point of a coupler is, in a state of the course."""
        context, place = self.context, coupler.point.position()
        equations, ground = context.compiled.equations, context.system.ground
        with equations.lock:
            parts = [place.dot(axis) for axis in (ground.x, ground.y, ground.z)]
            nodes = [equations.quantities.convert(read_expression("a position", part)) for part in parts]
        found = context.compiled.program(nodes)(context.time, state, context.values.vector)
        return np.asarray(found)

    def mode(self) -> str:
        """The name of the mode after the last step."""
        rows = self.servo.course()
        number = int(rows[-1, COURSE.index("mode")]) if len(rows) else -1
        return self.simulation._director.mode_name(number)

    def modes(self) -> tuple[ModeTiming, ...]:
        """How long the modes that were built took."""
        self._note_modes()
        return tuple(
            ModeTiming(
                mode.name, 1e3 * mode.derive_seconds, 1e3 * (mode.times.ready_seconds or mode.derive_seconds),
                None if mode.running.native_seconds is None else 1e3 * mode.running.native_seconds, mode.prefetched,
            )
            for mode in tuple(self._seen)[-MOST_MODES:]
        )  # fmt: skip

    def _note_modes(self) -> None:
        built = self.simulation._director.built()
        if built == self._noted:
            return
        self._noted = built
        self._seen.update(dict.fromkeys(built))
        while len(self._seen) > MOST_MODES:
            del self._seen[next(iter(self._seen))]


def _places(names: Sequence[str], wanted: tuple[str, str, str]) -> tuple[int, int, int]:
    first, second, third = (names.index(name) for name in wanted)
    return first, second, third
