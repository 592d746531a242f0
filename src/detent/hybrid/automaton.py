"""The automaton: the builder of modes and transitions on one system."""

from __future__ import annotations

import copy
import weakref
from collections.abc import Iterable
from typing import Any, ClassVar, Protocol

from detent.errors import DetentError, Fault, ModelError, UnknownNameError
from detent.hybrid.guard import read_conditions, read_guard
from detent.hybrid.mode import Mode
from detent.hybrid.reset import read_reset
from detent.hybrid.transition import Transition
from detent.model.constraint import Constraint
from detent.model.system import System

KINDS = ("impact", "transition")
"""What the event of a transition may be called."""


class Follower(Protocol):
    """What runs an automaton and can be asked to look up from it."""

    def stop(self) -> None:
        """Return from the kernel at the next step."""


class Automaton:
    """Modes of a system, each with its own constraints and loads, and the transitions between them.

    Modes and transitions may also be added while a simulation runs. A run starts in the mode declared first, unless
    :meth:`start` or the run says otherwise.

    >>> import detent
    >>> system = detent.System("ball")
    >>> height = system.coordinates(height=1)
    >>> ball = system.particle("ball", system.origin.offset("ball", height*system.ground.y), mass=1)
    >>> system.gravity(-9.81*system.ground.y)
    >>> floor = system.constrain(detent.holonomic("floor", height), active=False)
    >>> automaton = detent.Automaton(system)
    >>> flight = automaton.mode("flight", where=height >= 0)
    >>> rest = automaton.mode("rest", constraints=[floor])
    >>> bounce = automaton.transition("bounce", flight, flight, when=height <= 0,
    ...                               reset=detent.Impact(floor, restitution=0.5), accumulates=rest)
    >>> run = detent.simulate(automaton, until=2)
    >>> run.mode, run.events[0].kind, len(run.events.of_kind("zeno"))
    ('rest', 'impact', 1)
    """

    grows: ClassVar[bool] = False
    """Whether its modes are made as runs come to them."""

    def __init__(self, system: System, name: str | None = None) -> None:
        if not isinstance(system, System):
            raise DetentError(f"an automaton is built on a system, not on {system!r}; give a detent.System")
        self.system, self.name = system, name or system.name
        self.modes: dict[str, Mode] = {}
        self.transitions: list[Transition] = []
        self._start: Mode | None = None
        self.families: tuple[str, ...] = ()
        """Families of modes that differ by the statuses of contacts alone."""
        self.key: tuple[int, ...] = ()
        """Which of the discrete states are these statuses."""
        self.version = 0
        """How often something was added."""
        self.followers: weakref.WeakSet[Follower] = weakref.WeakSet()
        """What runs this automaton now."""

    # -- building ----------------------------------------------------------------------------

    def mode(
        self, name: str, constraints: Iterable[Constraint | str] = (), loads: Iterable[str] = (), where: Any = None,
        contacts: Iterable[str] | None = None,
    ) -> Mode:  # fmt: skip
        """Add a mode: the constraints and loads that it has besides those that always hold and act.

        What the system declares as active holds and acts in every mode; ``constraints`` and ``loads`` name what is
        declared with ``active=False``, or hold constraints first written down here. ``where`` are inequalities (or
        expressions that must not be negative) that hold whenever the mode is entered: a run that enters it elsewhere
        stops and says so. ``contacts`` names the contacts that count in the mode, where those are not the ones that the
        system enables.
        """
        if not isinstance(name, str) or not name.strip() or not name.isprintable():
            raise DetentError(f"a mode is named {name!r}; give it a text")
        if name in self.modes:
            raise DetentError(f"there is a mode '{name}' already; give this one another name")
        spot = f"mode '{name}'"
        given = [constraints] if isinstance(constraints, (str, Constraint)) else constraints
        named = [loads] if isinstance(loads, str) else list(loads)
        found = tuple(self.constraint(spot, constraint) for constraint in given)
        twice = [each.name for number, each in enumerate(found) if each.name in [c.name for c in found[:number]]]
        if twice:
            raise DetentError(f"{spot} has two constraints named '{twice[0]}'; name each once")
        for constraint in found:
            self._check_named(spot, constraint)
        for load in named:
            self._check_switched(spot, load)
        always = tuple(self.system.constraints[each] for each in self.system.active_at_start)
        touching = None if contacts is None else self._contacts(spot, contacts)
        made = Mode(name, (*always, *found), tuple(named), read_conditions(spot, where), contacts=touching)
        self.modes[name] = made
        self._changed()
        return made

    def transition(
        self,
        name: str,
        source: Mode | str,
        target: Mode | str,
        *,
        when: Any,
        direction: str | None = None,
        condition_before: Any = None,
        condition_after: Any = None,
        reset: Any = None,
        accumulates: Mode | str | None = None,
        kind: str | None = None,
    ) -> Transition:
        """Add a transition, taken when the guard ``when`` changes sign.

        ``when`` is an expression with a ``direction`` (``falling``, ``rising`` or ``either``), or an inequality that
        becomes true. ``condition_before`` must hold in the mode that is left, ``condition_after`` in the mode that is
        entered, after the reset, with the reactions there. Of several transitions that could be taken, the one declared
        first is. ``reset``: a mapping from quantities to expressions, :class:`Impact`, a function of a
        :class:`Moment`, or a list of these. ``accumulates`` is the mode to go on in when these transitions come
        faster and faster without end (Zeno). ``kind`` is what the event is called: ``impact`` or ``transition``.
        """
        if not isinstance(name, str) or not name.strip() or not name.isprintable():
            raise DetentError(f"a transition is named {name!r}; give it a text")
        if any(transition.name == name for transition in self.transitions):
            raise DetentError(f"there is a transition '{name}' already; give this one another name")
        spot = f"transition '{name}'"
        if kind not in (None, *KINDS):
            raise DetentError(f"{spot}: its kind is {kind!r}; use one of {', '.join(KINDS)}, or leave it out")
        steps = read_reset(self.system, spot, reset)
        for step in steps:
            for constraint in step.constraints:
                self.constraint(spot, constraint)
        impact = any(step.is_impact for step in steps)
        made = Transition(
            name=name,
            source=self._mode(spot, source),
            target=self._mode(spot, target),
            guard=read_guard(spot, when, direction),
            condition_before=read_conditions(spot, condition_before),
            condition_after=read_conditions(spot, condition_after),
            reset=steps,
            accumulates=None if accumulates is None else self._mode(spot, accumulates),
            kind=kind or ("impact" if impact else "transition"),
        )
        self.transitions.append(made)
        self._changed()
        return made

    def on(self, system: System) -> Automaton:
        """The same automaton, with the same modes and transitions, on the same system with other contacts."""
        made = copy.copy(self)
        made.__dict__ = {**self.__dict__, "system": system}
        made.__dict__.pop("_statuses", None)  # what is kept about the contacts there were
        return made

    def start(self, mode: Mode | str) -> None:
        """Say in which mode a run starts."""
        self._start = self._mode("the start", mode)

    def constraint(self, where: str, given: Constraint | str) -> Constraint:
        """A constraint by name or as it is."""
        if isinstance(given, Constraint):
            return given
        if not isinstance(given, str) or given not in self.system.constraints:
            raise UnknownNameError(str(given), self.system.constraints, what=f"constraint ({where})")
        return self.system.constraints[given]

    def _mode(self, where: str, given: Mode | str) -> Mode:
        if isinstance(given, Mode):
            if self.modes.get(given.name) is not given:
                raise DetentError(
                    f"{where}: the mode '{given.name}' belongs to another automaton; use a mode of this one, or make "
                    "it with automaton.mode(...)"
                )
            return given
        if given not in self.modes:
            raise UnknownNameError(str(given), self.modes, what=f"mode ({where})")
        return self.modes[given]

    def _contacts(self, where: str, given: Iterable[str]) -> tuple[str, ...]:
        """The names of contacts."""
        names = (given,) if isinstance(given, str) else tuple(given)
        for name in names:
            if name not in self.system.contacts:
                raise UnknownNameError(str(name), self.system.contacts, what=f"contact ({where})")
        return names

    def _check_named(self, where: str, constraint: Constraint) -> None:
        """That a constraint comes and goes with the modes that name it."""
        if constraint.name in self.system.active_at_start:
            raise DetentError(
                f"{where} names the constraint '{constraint.name}', which always holds; declare it with active=False, "
                "or leave it out"
            )

    def _check_switched(self, where: str, load: str) -> None:
        """That a load comes and goes with the modes that name it."""
        if load in self.system.switched_loads:
            return
        if load in self.system.loads:
            raise DetentError(
                f"{where} names the load '{load}', which always acts; declare it with active=False, or leave it out"
            )
        raise UnknownNameError(str(load), self.system.switched_loads, what="load declared with active=False")

    def member(self, family: str, key: tuple[float, ...]) -> Mode:
        """The mode of a family with some statuses of contacts."""
        raise DetentError(f"the automaton '{self.name}' has no family of modes '{family}' with the statuses {key}")

    # -- looking at it -----------------------------------------------------------------------

    def first(self, name: Mode | str | None = None) -> Mode:
        """The mode in which a run starts."""
        if name is not None:
            return self._mode("the start", name)
        if not self.modes:
            raise DetentError(f"the automaton '{self.name}' has no mode; add one with automaton.mode(...)")
        return self._start or next(iter(self.modes.values()))

    def event_name(self, transition: Transition, source: Mode, target: Mode, flat: bool = False) -> str:
        """What the event of a transition is called that led from one mode to another; ``flat``: an end struck flat."""
        return transition.name

    def declared_name(self, transition: Transition) -> str:
        """The name by which a transition was declared."""
        return transition.name

    def words_of(self, transition: Transition) -> str:
        """What a transition is called that was not taken."""
        return transition.name

    def after(self, transition: Transition) -> tuple[Constraint, ...]:
        """The constraints against which the impacts of a transition are."""
        return transition.target.constraints

    def follow(self, follower: Follower) -> None:
        """From now on this one runs the automaton."""
        self.followers.add(follower)

    def catch_up(self) -> None:
        """Take up what was added to what this automaton is made of; nothing, where it is declared itself."""

    def leaving(self, mode: Mode) -> list[Transition]:
        """The transitions out of a mode, in the order of their declaration."""
        return [transition for transition in self.transitions if transition.source is mode]

    def check(self, start: Mode) -> None:
        """That every mode has what always holds, and can be reached, from here or from where a run usually starts."""
        faults = [*self._late_faults(), *self._stray_faults(start)]
        if faults:
            raise ModelError(faults)

    def _late_faults(self) -> list[Fault]:
        """Constraints that were declared as active when there were modes already."""
        faults = []
        for name in self.system.active_at_start:
            without = [mode.name for mode in self.modes.values() if name not in [c.name for c in mode.constraints]]
            if without:
                found = f"it is declared as active, but after the mode '{without[0]}', which does not have it"
                remedy = (
                    "declare it before the first mode, or with active=False and name it in the modes where it holds"
                )
                faults.append(Fault(f"constraint '{name}'", found, remedy))
        return faults

    def _stray_faults(self, start: Mode) -> list[Fault]:
        """Modes to which nothing leads."""
        usual = self.first()
        reached, waiting = {start.name, usual.name}, [start, usual]
        while waiting:
            for transition in self.leaving(waiting.pop()):
                for mode in (transition.target, transition.accumulates):
                    if mode is not None and mode.name not in reached:
                        reached.add(mode.name)
                        waiting.append(mode)
        return [
            Fault(
                f"mode '{name}'",
                f"nothing leads to it from the start, '{usual.name}'",
                "add a transition to it, or remove it",
            )
            for name in list(self.modes)
            if name not in reached
        ]

    def _changed(self) -> None:
        """Whoever runs this automaton looks at it again at its next step."""
        self.version += 1
        for follower in list(self.followers):
            follower.stop()

    def _repr_html_(self) -> str | None:
        from detent.view.automaton_graph import draw_automaton

        return draw_automaton(self)._repr_html_()

    def __repr__(self) -> str:
        return f"<Automaton '{self.name}': {len(self.modes)} modes, {len(self.transitions)} transitions>"


def system_of(model: System | Automaton | None) -> System | None:
    """The system that a model is, or that its automaton is of.

    >>> import detent
    >>> latch = detent.example("latch")
    >>> system_of(latch.automaton) is system_of(latch.system) is latch.system
    True
    """
    return model.system if isinstance(model, Automaton) else model
