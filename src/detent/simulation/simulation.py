"""A simulation in progress: constraints may come and go while it runs."""

from __future__ import annotations

import os
import time
import weakref
from collections.abc import Sequence
from contextlib import suppress
from functools import cached_property, partial
from itertools import chain
from typing import TYPE_CHECKING, Any, final

import numpy as np

from detent.errors import DetentError, SimulationError, UnknownNameError, ValueProblem
from detent.hybrid.declared import as_declared, as_statuses
from detent.model.constraint import Constraint
from detent.model.contact import Contact
from detent.model.expression import read_expression
from detent.model.given import by_name
from detent.model.validation import check_changed
from detent.results.event import EventLog
from detent.results.joined_runs import joined_runs
from detent.results.state import State
from detent.simulation.beginning import named_constraint
from detent.simulation.options import Options, as_number
from detent.simulation.stretch import Stretch
from detent.simulation.undisturbed import prepare_process, uncollected

if TYPE_CHECKING:
    from detent.hybrid.automaton import Automaton
    from detent.model.drawing import Drawing
    from detent.model.friction_laws import Coulomb
    from detent.model.impact_laws import ImpactLaw
    from detent.model.shape import Shape
    from detent.model.system import System
    from detent.results.outcome import Outcome
    from detent.results.run import Run
    from detent.simulation.checkpoint import Checkpoint
    from detent.simulation.contact_steering import ContactChange, ContactSteering
    from detent.simulation.context import Context
    from detent.simulation.director import Director
    from detent.simulation.drawn import DrawnNumbers
    from detent.simulation.loop import Loop
    from detent.simulation.standing import Standing
    from detent.stepping.servo import Servo


@final
class Simulation:
    """A run that can be steered: advance it, look at it, constrain and release it.

    Its options are those of :class:`detent.Options`, as ``options`` or by name; ``embedding`` is ``"live"`` unless it
    is given: a new mode starts in the kernel at once, and its compiled equations are swapped in when they are ready; so
    that steps come on time a live run also sets aside what exists from garbage collection, and lets threads wait for
    Python a tenth of a millisecond at most, from then on.

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

    @uncollected()
    def __init__(
        self, model: System | Automaton, *, options: Options | None = None, checkpoint: Checkpoint | None = None,
        **changes: Any,
    ) -> None:  # fmt: skip
        if options is None:
            changes = {"embedding": "live", **changes}
        self._stretch = Stretch(model, Options.of(options, changes), checkpoint)
        self._past: list[Run] = []
        """Stretches with other contacts that have ended."""
        self._declared = model
        self._told: weakref.ref[SimulationError] | None = None
        self._lets_go = False
        """Whether steps are let go, so that there is no past to tell of."""
        if self._context.is_live:
            prepare_process()

    @property
    def _context(self) -> Context:
        return self._stretch.context

    @property
    def _standing(self) -> Standing:
        return self._stretch.standing

    @property
    def _director(self) -> Director:
        return self._stretch.director

    @property
    def _loop(self) -> Loop:
        return self._stretch.loop

    # -- looking at it -----------------------------------------------------------------------

    @property
    def name(self) -> str:
        """The name of the run."""
        return self._context.name

    @property
    def system(self) -> System:
        """The system that runs; where contacts were added or released meanwhile, the one with these."""
        return self._context.system

    @property
    def automaton(self) -> Automaton | None:
        """The automaton that it follows, if there is one; modes and transitions may be added to it."""
        return as_declared(self._context.automaton)

    @property
    def parameters(self) -> dict[str, float]:
        """The values of all parameters, by name."""
        return dict(self._context.parameters)

    @property
    def time(self) -> float:
        """The time reached, s."""
        return self._context.time

    @property
    def state(self) -> State:
        """The state at that time, by name."""
        return State(self._context.compiled.layout, self._context.time, self._context.solver.state)

    @property
    def mode(self) -> str:
        """The name of the mode: its active constraints."""
        return self._standing.mode.name

    @property
    def active(self) -> tuple[str, ...]:
        """The names of the active constraints."""
        return tuple(constraint.name for constraint in self._standing.constraints)

    @property
    def events(self) -> EventLog:
        """What has happened so far."""
        events = self._context.history.events
        return EventLog(chain(*(run.events for run in self._past), events)) if self._past else events

    @property
    def outcome(self) -> Outcome:
        """Whether it can go on, or why it cannot."""
        return self._standing.outcome

    @property
    def message(self) -> str:
        """Why it cannot go on, in words."""
        return self._standing.message

    @property
    def most_bytes(self) -> int:
        """What it may keep, at most; may be raised when a run has stopped for that, before it is advanced again."""
        return self._context.record.most_bytes

    @most_bytes.setter
    def most_bytes(self, most: int) -> None:
        self._context.record.most_bytes = most

    def value(self, expression: Any) -> float:
        """An expression in the system's quantities and measures, such as ``tip.along(ground.x)``, at this instant."""
        context = self._context
        quantities = context.compiled.equations.quantities
        wanted = read_expression("the value that is asked for", expression)
        with context.compiled.equations.lock:
            node = quantities.convert(wanted)
        if any(node.leaves & leaf.leaves for leaf in quantities.reactions.values()):
            raise DetentError(f"'{wanted}' holds a reaction; ask for those with simulation.reactions()")
        instant = context.instant
        return float(context.compiled.program([node])(instant.time, instant.state, instant.values)[0])

    def reactions(self) -> dict[str, float]:
        """The reaction of every active constraint's row now, by name; in N or N m for rows in m or rad."""
        return self._standing.mode.reactions(self._context.instant)

    # -- steering it -------------------------------------------------------------------------

    def constrain(self, constraint: Constraint | str, expression: Any = None) -> None:
        """Impose a constraint from now on: one the system declares (by name), or one first written down now.

        The configuration must satisfy it; speeds against it are stopped by a plastic impact, as :class:`detent.Impact`
        does it. From another thread than the one that advances, the request is derived at once and takes effect at the
        next step it can; in a system with contacts, between two calls of :meth:`advance`.
        """
        needed = time.perf_counter()
        self._director.check_free()
        self._leave()
        wanted = named_constraint(self.system, constraint, expression)
        if self._context.contacts is None:
            self._loop.constrain(wanted, needed)
        else:
            self._change(self._steering.constrain(self.system, self._held, wanted))

    def contact(
        self, name: str, first: Shape | None = None, second: Shape | None = None, **laws: Coulomb | ImpactLaw | None
    ) -> None:
        """Let two shapes touch from now on, or give a contact that counts already other laws.

        A contact is new, as :meth:`System.contact` declares it, or by its name one that the system declares with
        ``enabled=False``. ``friction`` and ``impact`` are its laws. Shapes that touch now strike, or hold, at once;
        shapes that overlap are refused, with their depth. To be called between two calls of :meth:`advance`.

        >>> import detent
        >>> system = detent.System("ball")
        >>> y = system.coordinates(y=1)
        >>> ball = system.particle("ball", system.origin.offset("center", y*system.ground.y), mass=1)
        >>> system.gravity(-9.81*system.ground.y)
        >>> simulation = detent.Simulation(system)
        >>> simulation.advance(0.2)
        >>> simulation.contact("ball|floor", ball.point(), system.ground.line(), impact=detent.Poisson(0.5))
        >>> simulation.advance(0.6)
        >>> [event.name for event in simulation.events]
        ['contact ball|floor', 'ball|floor: bounce']
        """
        for law in laws:
            if law not in ("friction", "impact"):
                raise UnknownNameError(law, ("friction", "impact"), what="law of a contact")
        self._leave()
        family = self._family
        self._change(self._steering.contact(self.system, self._held, family, name, (first, second), dict(laws)))

    def _ready_contact(
        self, name: str, first: Shape | None = None, second: Shape | None = None, **laws: Coulomb | ImpactLaw | None
    ) -> ContactChange:
        """What a contact changes, with all derived and compiled that needs no state: another thread may advance."""
        from detent.simulation.junction import junction_of

        change = self._steering.contact(self.system, self._held, self._family, name, (first, second), dict(laws))
        context = self._context
        probe = junction_of(context, self._standing, {}, change.cause, change.reason, change.strikes)
        options = context.options_from_here
        with suppress(DetentError):  # of a state that is gone when it counts
            Stretch(change.model, options, junction=probe)
        return change

    def release(self, constraint: Constraint | Contact | str) -> None:
        """Let an active constraint or a contact go, by name or as it is. The state does not change; the acceleration
        does."""
        needed = time.perf_counter()
        name = constraint.name if isinstance(constraint, (Constraint, Contact)) else str(constraint)
        if name in self.system.contacts:
            self._leave()
            self._change(self._steering.release(self.system, self._held, name))
            return
        self._director.check_free()
        self._leave()
        if self._context.contacts is None:
            self._loop.release(name, needed)
            return
        self._change(self._steering.let_go(self.system, self._held, name))

    @cached_property
    def _steering(self) -> ContactSteering:
        from detent.simulation.contact_steering import ContactSteering  # brings all that contacts need

        return ContactSteering(self._declared)

    @property
    def _family(self) -> str:
        declared = self._standing.mode.declared
        return self.mode if declared is None else declared.family or declared.name

    @property
    def _held(self) -> tuple[Constraint, ...]:
        """The active constraints that are no contacts."""
        statuses = as_statuses(self._context.automaton)
        return self._standing.constraints if statuses is None else statuses.held(self._family)

    def _change(self, change: ContactChange) -> None:
        """Go on with other contacts; where that cannot be, with those there are."""
        from detent.simulation.junction import junction_of  # brings all that contacts need

        context, loop = self._context, self._loop
        if loop.is_advancing:
            raise DetentError(
                f"{change.cause}: contacts are changed between two calls of advance, and a thread advances this "
                "simulation now; advance it in pieces"
            )
        if context.options.times is not None:
            raise DetentError(
                f"{change.cause}: a run with times= cannot change its contacts; leave times out, and ask run.at(times)"
            )
        if self._director.is_busy:
            loop.finish_instant()
        if not self.can_go_on:
            raise DetentError(f"{change.cause}: the simulation cannot go on from t = {self.time:.9g}: {self.message}")
        junction = junction_of(
            context, self._standing, self._director.signs(), change.cause, change.reason, change.strikes
        )
        after = Stretch(change.model, context.options_from_here, junction=junction)
        after.loop.intake.progress = loop.intake.progress
        if not self._lets_go:
            self._past = [run for run in (*self._past, self._stretch.run(self.time)) if self._keeps(run)]
        after.context.record.most_bytes = context.record.most_bytes
        self._stretch = after

    def _keeps(self, run: Run) -> bool:
        """Whether a stretch that has ended is not so old that it is to be let go."""
        kept = self._context.options.kept
        return isinstance(kept, str) or float(run.trajectory.time[-1]) >= self.time - kept

    def advance(self, until: float) -> None:
        """Integrate to a time, through whatever changes are asked for on the way.

        A simulation that was stopped, by the keyboard or because it kept too much, goes on with the next call.
        """
        stretch = self._stretch
        if not stretch.context.time <= as_number(until) < np.inf:
            raise ValueProblem(
                f"the simulation stands at t = {self.time!r}; advance it to a later finite time, not {until!r}"
            )
        self._leave()
        stretch.loop.advance(float(until))
        if not stretch.standing.can_step:
            raise self._stopped(float(until))

    def stop(self) -> None:
        """Have :meth:`advance`, in whichever thread it is, come back at its next step, as the keyboard does it.

        It raises :class:`SimulationError`, with the outcome ``interrupted``; the next call of :meth:`advance` goes on.
        Where nobody advances the simulation, nothing happens.

        >>> import detent
        >>> simulation = detent.Simulation(detent.example("pendulum").system)
        >>> simulation.stop()
        >>> simulation.advance(1)
        >>> simulation.outcome.word
        'completed'
        """
        self._loop.stop()

    def _pace(self, servo: Servo, last: int, keeps: bool) -> None:
        """Have a servo take steps, as :class:`detent.Live` does, until it has taken ``last`` or is asked to return.

        Where nothing is kept there is no run to be asked for.
        """
        self._lets_go = not keeps
        self._leave()
        self._loop.pace(servo, last, keeps)
        if not self._standing.can_step:
            raise self._stopped(self.time)

    def set(self, **parameters: float) -> None:
        """Give parameters other values from now on, between two calls of :meth:`advance`.

        A jump of the potential energy counts as work. What is constrained must still hold with the new values, or
        follow by an impact.

        >>> import detent
        >>> system = detent.System("block")
        >>> x, k = system.coordinates(x=1), system.parameters(k=4)
        >>> block = system.particle("block", system.origin.offset("block", x*system.ground.x), mass=1)
        >>> system.spring("spring", x, stiffness=k)
        >>> simulation = detent.Simulation(system)
        >>> simulation.set(k=0)
        >>> simulation.advance(3)
        >>> simulation.state.x, simulation.parameters
        (1.0, {'k': 0.0})
        """
        self._leave()
        changes = {}
        for name, value in by_name(self.system, "parameter", parameters).items():
            if name not in self._context.parameters:
                raise UnknownNameError(name, self._context.parameters, what="parameter")
            changes[name] = as_number(value)
            if not np.isfinite(changes[name]):
                raise ValueProblem(f"parameter '{name}' is set to {value!r}; give a finite number")
        check_changed(self.system, {**self._context.parameters, **changes}, changes)
        if self._director.is_busy:
            self._loop.finish_instant()
        told = ", ".join(f"{name} = {value:.9g}" for name, value in changes.items())
        self._loop.set_values(changes, told)

    def draw(self, name: str, points: Sequence[Any]) -> None:
        """Draw a curve (``ground.drawing``) or a function (``system.drawn``) through points (x, y), or draw it anew.

        Nothing is derived or compiled: its numbers take other values, between two calls of :meth:`advance`. Shapes that
        overlap a curve where it is drawn are refused, with their depth.

        >>> import detent
        >>> system = detent.System("ball")
        >>> y = system.coordinates(y=1)
        >>> ball = system.particle("ball", system.origin.offset("center", y*system.ground.y), mass=1)
        >>> system.gravity(-9.81*system.ground.y)
        >>> fence = system.contact("ball|fence", ball.circle(0.1), system.ground.drawing("fence", points=4))
        >>> simulation = detent.Simulation(system)
        >>> simulation.advance(0.1)
        >>> simulation.draw("fence", [(-1, 0), (1, 0)])
        >>> simulation.advance(0.5)
        >>> simulation.mode, round(simulation.state.y, 12)
        ('ball|fence side: slip', 0.1)
        """
        drawing = self._drawing(name)
        self._put_drawing(drawing, self._loop.drawn(drawing).numbers(points))

    def latch(self, name: str) -> None:
        """Have a latch that the system declares (``system.latch``) hold its expression at the value that it has now.

        >>> import detent
        >>> system = detent.System("bead")
        >>> x = system.coordinates("x")
        >>> bead = system.particle("bead", system.origin.offset("bead", x*system.ground.x), mass=1)
        >>> catch = system.latch("catch", x)
        >>> simulation = detent.Simulation(system, start={"x_rate": 1})
        >>> simulation.advance(0.5)
        >>> simulation.latch("catch")
        >>> simulation.advance(1)
        >>> simulation.mode, round(simulation.state.x, 9)
        ('catch', 0.5)
        """
        if name not in self.system.latches:
            raise UnknownNameError(name, self.system.latches, what="latch")
        self._director.check_free()
        self._leave()
        latch = self.system.latches[name]
        if name in self.active:
            raise DetentError(f"the latch '{name}' holds already; release it first")
        self._loop.set_held(latch)
        self.constrain(latch.constraint)

    def erase(self, name: str) -> None:
        """Take away a curve that was drawn: it touches nothing from now on."""
        drawing = self._drawing(name)
        if drawing.is_drawn is None:
            raise DetentError(f"'{name}' is a function, which cannot be erased; release what it holds instead")
        self._put_drawing(drawing, self._loop.drawn(drawing).numbers(None))

    def _drawing(self, name: str) -> Drawing:
        drawings = self.system.drawings
        if name not in drawings:
            raise UnknownNameError(name, drawings, what="curve or function to be drawn")
        return drawings[name]

    def _put_drawing(self, drawing: Drawing, numbers: DrawnNumbers) -> None:
        self._leave()
        if self._director.is_busy:
            self._loop.finish_instant()
        self._loop.draw(drawing, numbers)

    def _stopped(self, until: float) -> SimulationError:
        """The error of a run that stands where it does not go on by itself.

        Its run is put together when someone asks, or before the simulation goes on: whoever pressed Ctrl-C need not
        wait for a gigabyte to be gone through.
        """
        run = partial(self._assembled, until, self._context.clock.wall_seconds)
        error = SimulationError(f"'{self.name}' could not go on: {self.message}", run)
        self._told = weakref.ref(error)
        return error

    def _leave(self) -> None:
        """The simulation is about to go on: an error that told where it stood gets its run now, if anyone has it."""
        error, self._told = None if self._told is None else self._told(), None
        if error is not None:
            _ = error.run

    # -- what there is -----------------------------------------------------------------------

    def result(self, until: float | None = None) -> Run:
        """What there is so far, as a run."""
        return self._assembled(self.time if until is None else until)

    def _assembled(self, until: float, wall_seconds: float | None = None) -> Run:
        return joined_runs([*self._past, self._stretch.run(until, wall_seconds)])

    @property
    def can_go_on(self) -> bool:
        """Whether the simulation stands where another could go on: not in the middle of what it could not do."""
        return self._standing.was_stopped or (self._standing.can_step and self._director.is_settled)

    def checkpoint(self, path: str | os.PathLike[str]) -> None:
        """Write where the simulation stands to a file, for :func:`detent.resume`; not the trajectory so far."""
        from detent.simulation.checkpoint import write_checkpoint  # most runs do without

        if self._standing.was_stopped and self._director.is_busy:
            self._leave()
            self._loop.finish_instant()
        if not self.can_go_on:
            raise DetentError(
                f"the simulation cannot go on from t = {self.time:.9g} ({self.message or 'it is not finished'}); write "
                "a checkpoint before that"
            )
        write_checkpoint(self._context, self._standing, self._director.saved(), path)
