"""The tables of an automaton for the kernel: its modes and transitions, as far as they are known and ready."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, final

import numpy as np
from numpy.typing import NDArray

from detent.dynamics.quantities import multiplier_name
from detent.events import event_frame as at
from detent.events.claims import Blank
from detent.events.event_frame import Phase, Readiness
from detent.events.event_memory import EventMemory, ModeRow, TransitionRow
from detent.events.rounding import VIOLATION
from detent.formulation.running import Running
from detent.hybrid.automaton import Automaton
from detent.hybrid.guard import DIRECTIONS
from detent.hybrid.impact import Impact
from detent.hybrid.mode import Mode
from detent.hybrid.status_transitions import SLACK, settles_anew
from detent.hybrid.transition import Transition
from detent.jit.arrays import Words
from detent.model.constraint import Constraint
from detent.simulation.claimed_running import ClaimedRunning
from detent.simulation.claiming import claiming_of
from detent.simulation.context import Context
from detent.simulation.mode_plan import Plans
from detent.simulation.running_mode import RunningMode
from detent.stepping.held_interrupts import interruptible

MOST_JUMPS: Final = 100
"""Transitions at one instant, at most."""
_PLASTIC: Final = Impact()
_STEPPING: Final = int(Phase.STEPPING)
"""A number: NumPy takes ten microseconds to compare one of its own with a member of an enumeration."""


@final
class AutomatonTables:
    """Modes and transitions by number, the modes that have been built, and the kernel's memory of all that."""

    def __init__(self, context: Context, automaton: Automaton) -> None:
        self.automaton, self._context, self._compiled = automaton, context, context.compiled
        self.plans = Plans(automaton, context.compiled, context.workshop, context.solver.relative, context.contacts)
        self.modes: list[Mode] = []
        self._met: list[Mode] = []
        """Where modes are made as a run comes to them: those that this run knows."""
        self.transitions: list[Transition] = []
        self.built: dict[Mode, RunningMode] = {}
        """Modes that are ready, as they run now."""
        self._outdated: set[Mode] = set()
        """Of these, such as must be made again where they are entered next."""
        self.visited: set[Mode] = set()
        self.claiming = claiming_of(context, self.plans, automaton)
        """What the kernel claims modes from by itself; None where it cannot."""
        self.watches = False
        """Whether a mode has rows that were dropped, which must be looked at as the run goes on."""
        self._version = -1
        self._numbers: dict[Transition, int] = {}
        """The numbers of transitions."""
        self._lasting: dict[Transition, TransitionRow] = {}
        """The rows of those that lead to families of modes."""
        values = context.values
        self.memory = EventMemory(
            self._compiled.layout.width, context.solver.padded, values.vector[values.first_discrete :],
            len(automaton.system.discrete_states), self._compiled.observer.cell, self.plans.impulses, MOST_JUMPS,
            automaton.key, self._missed(),
        )  # fmt: skip

    def meet(self, mode: Mode) -> None:
        """The run comes to a mode: from the next :meth:`refresh` on the kernel knows it."""
        if self.automaton.grows and mode not in self._met:
            self._met.append(mode)

    def leaving(self, mode: Mode) -> list[Transition]:
        """The transitions that leave a mode, in the order in which the kernel has them."""
        return [each for each in self.automaton.leaving(mode) if each in self._numbers]

    def adopt(self) -> list[tuple[Mode, Blank]]:
        """Know the modes that the kernel has claimed since the last time; those that run as it claimed them are given,
        the others are to be made."""
        found = []
        for blank, runs in self.memory.take_claimed():
            family = self.automaton.families[blank.family]
            mode = self.automaton.member(family, tuple(blank.key[: len(self.automaton.key)].tolist()))
            self._met.append(mode)
            self.modes.append(mode)
            if runs:
                found.append((mode, blank))
        return found

    def replenish(self) -> bool:
        """Give the kernel more modes to claim, if it has come back because there were none left of a family."""
        if self.claiming is None or int(self.memory.excursion["entering"][0]) != at.UNKNOWN_MODE:
            return False
        if not self.claiming.lacks(self._family(self.taking.family)):
            return False
        self._write()
        return True

    def hurry(self) -> None:
        """Let the kernel go on with what it claims for as long as can be, from here on."""
        if self.claiming is not None and not self.claiming.stays:
            self.claiming.stay()
            self._write()

    def _number_transitions(self) -> None:
        new = [transition for transition in list(self.automaton.transitions) if transition not in self._numbers]
        self.transitions += new
        self._numbers = {transition: number for number, transition in enumerate(self.transitions)}

    def filled(self, mode: Mode, steps: int) -> Blank | None:
        """A mode as the kernel would have claimed it, after so many steps; None where it could not."""
        if self.claiming is None:
            return None
        self.claiming.prepare()
        self._number_transitions()
        self.claiming.claims(self._numbers)
        return self.claiming.fill(mode, steps)

    def _missed(self) -> NDArray[np.float64]:
        """The part of each entry of the state by which constraints may move it where a mode is entered.

        Multipliers that are states begin anew there.
        """
        layout, (position, velocity) = self._compiled.layout, self._context.options.chosen_formulation.misses
        missed = np.full(layout.width, max(VIOLATION, position))
        missed[[layout.column(name) for name in layout.speeds]] = max(VIOLATION, velocity)
        missed[[place for place, name in enumerate(layout.names) if name.startswith(multiplier_name(""))]] = np.inf
        return missed

    def refresh(self) -> bool:
        """Take up modes and transitions that were added; whether there were any, except at the first time."""
        self.automaton.catch_up()
        if self.claiming is not None:
            self.claiming.prepare()
        if self._version == self.automaton.version and len(self._met) in (0, len(self.modes)):
            return False
        present = self._set_aside()
        first, version = self._version < 0, self.automaton.version
        # Transitions before modes: another thread may be adding, and a transition's modes are there before it is.
        self._number_transitions()
        modes = list(self._met) if self.automaton.grows else list(self.automaton.modes.values())
        with interruptible():
            for mode in modes:  # what depends on no state is derived when a mode is declared, the rest at its entry
                if mode.constraints:
                    self._context.workshop.prepare(list(mode.constraints))
        self._version = version
        self.modes += [mode for mode in modes if mode not in self.modes]
        self._write()
        if present is not None:
            self.install(present, self.built[present])
        if first:
            self._context.solver.follow(self.memory)
        return not first

    def _set_aside(self) -> Mode | None:
        """Where there are other transitions than claimed modes were put together from, have programs of its own made
        for the present one, which is given; the others are made when they are entered again."""
        if self.claiming is None or not self.claiming.is_outdated:
            return None
        solver, found = self._context.solver, None
        for mode, built in list(self.built.items()):  # another thread may be making some
            if not isinstance(built.running, ClaimedRunning) or built.running.own is not None:
                continue
            if mode is self.modes[solver.mode]:
                built.running.leave_claimed()
                solver.exchange(built.running.rates, built, built.running.correction)
                found = mode
            else:
                self._outdated.add(mode)
        return found

    def _write(self) -> None:
        """Write the tables of all that is known."""
        first = not any(self.memory.frame)
        with self._compiled.equations.lock:
            self._make_room()
            watched = 0 if first else self.memory.guard_count(self._context.solver.mode)
            rows = [
                self._row(mode, Readiness.READY if mode in self.visited else Readiness.AHEAD) for mode in self.modes
            ]
            claims = None if self.claiming is None else self.claiming.claims(self._numbers)
            self.memory.build(rows, [self._transition_row(transition) for transition in self.transitions], claims)
            self.memory.signs[watched:] = 0  # a guard that is new here has no sign yet; a mode left may have had one

    def _make_room(self) -> None:
        """Memory for as many impulses as the modes that are known by now can have."""
        self.memory.impulse_rows = self.plans.make_room()
        if self.memory.impulses is not self.plans.impulses:
            self.memory.leave_impulses_in(self.plans.impulses)

    def _row(self, mode: Mode, ready: int = Readiness.READY) -> ModeRow:
        """A mode as the kernel is to know it now."""
        guards, built = self.plans.guards(mode), None if mode in self._outdated else self.built.get(mode)
        count = len(guards.nodes)
        row = ModeRow(
            guards=guards.numbers[:count],
            watched=guards.watched[:count],
            invariants=len(mode.where),
            reaction_count=sum(len(constraint.rows) for constraint in mode.constraints),
            switches=[float(name in mode.loads) for name in self.automaton.system.switched_loads],
            ready=ready,
            family=self._family(mode.family),
            key=mode.key,
        )
        if built is not None and isinstance(built.running, ClaimedRunning) and built.running.own is None:
            blank = built.running.blank
            row.claimed, row.rates, row.certificate = blank, blank.rates, blank.certificate
            return row
        names = self._reactive_rows(mode, None if built is None else built.running)
        row.own = [
            (self._numbers[each], guards.place[each], self._condition(each, True, mode, names))
            for each in self.leaving(mode)
            if each in guards.place
        ]
        row.observer = self.plans.observer(mode, names, count).cell
        row.certificate = self.plans.certificate(mode, names, count)
        if built is not None:
            running = built.running
            row.rates, row.projection, row.entry = running.rates, running.correction, running.entry
            row.reactions, row.reaction_count = running.reactions if names else None, len(names)
            row.choice, row.owner = running.fit, built
        return row

    def prepare(self, mode: Mode, running: Running) -> None:
        """Make ahead, in another thread, what :meth:`install` will need."""
        with self._compiled.equations.lock:
            names, count = self._reactive_rows(mode, running), len(self.plans.guards(mode).nodes)
            observer = self.plans.observer(mode, names, count)
            self.plans.certificate(mode, names, count)
        observer.compile()

    def _reactive_rows(self, mode: Mode, running: Running | None) -> tuple[str, ...]:
        """The rows whose reactions are observed in a mode: none where nothing speaks of them."""
        if not mode.constraints or not self.plans.speaks_of_reactions(mode):
            return ()
        if mode.shares:
            return (SLACK,)
        if running is None:
            return tuple(row.name for constraint in mode.constraints for row in constraint.rows)
        return running.active.names

    def _transition_row(self, transition: Transition) -> TransitionRow:
        """A transition as the kernel is to know it now; of one that leads to a family of modes nothing changes."""
        if not transition.family:
            return self._new_transition_row(transition)
        if transition not in self._lasting:
            self._lasting[transition] = self._new_transition_row(transition)
        return self._lasting[transition]

    def _new_transition_row(self, transition: Transition) -> TransitionRow:
        row = TransitionRow(
            target=-1 if transition.family else self.modes.index(transition.target),
            direction=DIRECTIONS[transition.guard.direction],
            steps=self.plans.reset_steps(transition),
            family=self._family(transition.family),
            paces=int(not transition.kind),
        )
        if transition.held is not None:
            row.held, row.held_from = transition.held
        row.anew = transition.anew
        row.before_count, row.after_count = len(transition.condition_before), len(transition.condition_after)
        row.after = self._condition_after(transition)
        if transition.accumulates is not None:
            mode = transition.accumulates
            row.zeno_target = self.modes.index(mode)
            if mode.constraints:
                strike = self.plans.impacts.map_of(
                    transition.name, mode.name, _PLASTIC, mode.constraints, (), self.plans.free_impulses
                )
                row.zeno_steps = [(at.STRIKE, strike.map.cell)]
        return row

    def _family(self, name: str) -> int:
        """The number of a family of modes; -1 for none."""
        return list(self.automaton.families).index(name) if name else -1

    def _condition(self, transition: Transition, before: bool, mode: Mode, rows: tuple[str, ...]) -> Words | None:
        """Where the values of a transition's condition in a mode come from."""
        program = self.plans.condition(transition, before, mode, rows)
        return None if program is None else program.cell

    def _condition_after(self, transition: Transition) -> Words | None:
        """The same of the one in the mode that is entered; where contacts say which that is, there is none."""
        if not transition.condition_after:
            return None
        mode, built = transition.target, self.built.get(transition.target)
        rows = self._reactive_rows(mode, None if built is None else built.running)
        return self._condition(transition, False, mode, rows)

    def install(self, mode: Mode, built: RunningMode, ready: int = Readiness.READY) -> None:
        """Let the kernel know a mode's programs."""
        with self._compiled.equations.lock:
            self.built[mode] = built
            self._outdated.discard(mode)
            self.watches = any(each.running.is_watched for each in self.built.values())
            if self._version != self.automaton.version:
                return
            number, row = self.modes.index(mode), self._row(mode, ready)
            if isinstance(built.running, ClaimedRunning) and row.certificate is not None:
                row.certificate.take_over(built.running.blank.certificate)
            self.memory.set_mode(number, row)
            if built.running.is_watched:  # other rows than expected have reactions
                for place, transition in enumerate(self.transitions):
                    if mode is transition.target:
                        self.memory.set_condition(place, self._condition_after(transition))

    # -- what the kernel says ------------------------------------------------------------------------

    @property
    def phase(self) -> int:
        """In which part of an excursion the kernel is."""
        return int(self.memory.phase[0])

    @phase.setter
    def phase(self, phase: int) -> None:
        self.memory.phase[0] = phase

    @property
    def is_busy(self) -> bool:
        """Whether an excursion is not finished."""
        return int(self.memory.phase[0]) != _STEPPING

    def anew(self, mode: Mode) -> Transition | None:
        """What settles contacts anew in a mode where values were changed from outside; None where there are none."""
        return next((each for each in self.leaving(mode) if settles_anew(each)), None)

    def fire(self, mode: Mode, transition: Transition) -> None:
        """Let the kernel take a transition now, whatever its guard says."""
        memory = self.memory
        memory.consumed[:] = memory.standing[:] = memory.fired[:] = 0
        memory.fired[self.leaving(mode).index(transition)] = 1
        memory.excursion["chain"] = memory.excursion["outside"] = 0
        self.phase = Phase.CHOOSE

    @property
    def taking(self) -> Transition:
        """The transition that is being taken."""
        return self.transitions[int(self.memory.excursion["taking"][0])]

    @property
    def entering(self) -> Mode:
        """The mode that is being entered; that which is left, while it does not show yet."""
        number = int(self.memory.excursion["entering"][0])
        return self.modes[self._context.solver.mode if number == at.UNKNOWN_MODE else number]

    def event_name(self, transition: Transition, source: int, target: int, bounced: Sequence[int] = ()) -> str:
        """What the event of a transition between two modes is called, at which some places bounced."""
        return self.automaton.event_name(transition, self.modes[source], self.modes[target], bounced)

    def constraints(self) -> list[Constraint]:
        """Every constraint that the system or a mode knows."""
        own = [constraint for mode in self.modes for constraint in mode.constraints]
        return list(dict.fromkeys([*self.automaton.system.constraints.values(), *own]))
