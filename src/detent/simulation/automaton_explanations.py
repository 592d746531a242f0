"""Why a run of an automaton cannot go on, by name."""

from __future__ import annotations

from typing import Final, final

import numpy as np

from detent.contact_solves.friction_impact_frame import NO_FRICTION_IMPACT, WITHOUT_INERTIA
from detent.contact_solves.settle_frame import Reason
from detent.events.event_frame import Phase
from detent.formulation.compiled import unfit_quaternion
from detent.hybrid.mode import Mode
from detent.hybrid.settle import Settle
from detent.hybrid.status_automaton import StatusAutomaton
from detent.hybrid.transition import Transition
from detent.results.outcome import Outcome
from detent.simulation.automaton_tables import MOST_JUMPS, AutomatonTables
from detent.simulation.contact_words import OUT_OF_RANGE, why_not_settled
from detent.simulation.context import Context
from detent.solves.impact_frame import CONTRADICTION, GAIN, NO_RESTITUTION
from detent.stepping.status import Status

_OUTCOMES: Final = {
    Status.GUARD_NOT_A_NUMBER: Outcome.GUARD_NOT_A_NUMBER,
    Status.GUARD_UNRESOLVED: Outcome.GUARD_UNRESOLVED,
    Status.RESET_VIOLATES: Outcome.RESET_VIOLATES,
    Status.FORBIDDEN: Outcome.FORBIDDEN,
    Status.TOO_MANY_JUMPS: Outcome.TOO_MANY_JUMPS,
    Status.ACCUMULATES: Outcome.ZENO,
    Status.NO_PROGRESS: Outcome.NO_PROGRESS,
}
_HELD: Final = (
    "nothing ends these impacts; let a transition lead to a mode that holds the body there, or give the body a contact "
    "instead, which comes to rest by itself"
)
_BY_FORCES: Final = (Reason.LIFTS, Reason.BREAKS, Reason.GIVES, Reason.YIELDS)
"""What is settled where a force says so."""
_OTHERWISE: Final = "give a little restitution, another rtol, or start values that are not quite the same"
_RESETS: Final = {
    CONTRADICTION: "the constraints of its impact contradict one another",
    NO_RESTITUTION: "its restitution is not between 0 and 1",
    GAIN: "its impact would gain energy: the restitutions of several rows do not go together",
    WITHOUT_INERTIA: "its impact with friction meets speeds that move no mass",
    NO_FRICTION_IMPACT: "its impact with friction cannot be worked out: give a restitution from 0 to 1, and a friction "
    "not above the static one",
}


def why_reset_failed(transition: Transition, time: float, reason: int) -> str | None:
    """Why a reset cannot be worked out, where that is the reason for stopping."""
    return f"at t = {time:.9g}, transition '{transition.name}': {_RESETS[reason]}" if reason in _RESETS else None


@final
class AutomatonExplanations:
    """Reads from the kernel's memory where an excursion failed."""

    def __init__(self, context: Context, tables: AutomatonTables) -> None:
        self._context, self._tables, self._memory = context, tables, tables.memory

    def explain(self, current: Mode, status: Status, reason: int) -> tuple[Outcome, str] | None:
        """Why the kernel cannot go on, where that is the automaton's affair."""
        if status in _OUTCOMES:
            forbidden = self._forbidden(current) if status is Status.FORBIDDEN else None
            jammed = self._jammed(current) if status is Status.GUARD_NOT_A_NUMBER else None
            if forbidden is not None or jammed is not None:
                return forbidden or jammed
            outcome = _OUTCOMES[status]
            return outcome, f"{self._why(current, status)}: {self._advice(outcome)}"
        found = self._state_after_reset() if status is Status.NOT_A_NUMBER else None
        if found is not None:
            return Outcome.NOT_A_NUMBER, f"at t = {self._context.time:.9g}, {found}: {Outcome.NOT_A_NUMBER.advice}"
        unsettled = self._why_unsettled(reason) if status is Status.PROGRAM_STATUS else None
        if unsettled is not None:
            return Outcome.IMPACT, f"at t = {self._context.time:.9g}, {unsettled}"
        told = why_reset_failed(self._tables.taking, self._context.time, reason)
        if status is Status.PROGRAM_STATUS and told is not None:
            return Outcome.IMPACT, f"{told}: {Outcome.IMPACT.advice}"
        return None

    def _advice(self, outcome: Outcome) -> str:
        """What to do next: with contacts nothing may be said of what follows impacts that accumulate."""
        return (
            _HELD if outcome is Outcome.ZENO and isinstance(self._tables.automaton, StatusAutomaton) else outcome.advice
        )

    def _taken_name(self) -> str:
        """The transition that is being taken, as it was declared."""
        automaton, taken = self._tables.automaton, self._tables.taking
        return (automaton.declared_name(taken) if isinstance(automaton, StatusAutomaton) else "") or taken.name

    def _entered(self, current: Mode) -> Mode:
        """The mode that is being entered, or the present one."""
        return self._tables.entering if self._tables.phase == Phase.ENTER else current

    def _forbidden(self, current: Mode) -> tuple[Outcome, str] | None:
        """What contacts do not allow by themselves, where it is that which a mode does not allow."""
        automaton, concerned = self._tables.automaton, int(self._memory.excursion[0]["concerned"])
        if not isinstance(automaton, StatusAutomaton):
            return None
        mode, where = self._entered(current), f"at t = {self._context.time:.9g}, contact"
        if (flat := automaton.lies_flat(mode, concerned)) is not None:
            return Outcome.FLAT_EDGE, f"{where} '{flat.name}' comes to lie flat: {Outcome.FLAT_EDGE.advice}"
        if (boxes := automaton.overlaps(mode, concerned)) is not None:
            why = "its boxes would pass into one another, since what meets there cannot be told by rounding"
            return Outcome.FORBIDDEN, f"{where} '{boxes.contact.name}': {why}; {_OTHERWISE}"
        if (ruled := automaton.breaks_law(mode, concerned)) is not None:
            return Outcome.FORBIDDEN, f"{where} '{ruled.name}': {OUT_OF_RANGE}"
        return None

    def _jammed(self, current: Mode) -> tuple[Outcome, str] | None:
        """Which contact has no force any more, where it is a guard of contacts that is not a number."""
        mode, concerned = self._entered(current), int(self._memory.excursion[0]["concerned"])
        leaving = [each for each in self._tables.leaving(mode) if each.reset and isinstance(each.reset[-1], Settle)]
        names = self._tables.plans.guards(mode).names
        name = names[concerned] if 0 <= concerned < len(names) else ""
        step = next((each.reset[-1] for each in leaving if each.name == name), None)
        if not isinstance(step, Settle) or not step.place or step.reason not in _BY_FORCES:
            return None
        why = "its force grows beyond all numbers, as where friction jams what a prescribed motion drives"
        where = f"at t = {self._context.time:.9g}, contact '{step.place}'"
        return Outcome.PARADOX, f"{where}: {why}: {Outcome.PARADOX.advice}"

    def _why_unsettled(self, reason: int) -> str | None:
        """Why contacts could not be settled, where that is the reason."""
        automaton, contacts = self._tables.automaton, self._tables.plans.contacts
        if contacts is None or not isinstance(automaton, StatusAutomaton) or not self._tables.is_busy:
            return None
        transition = self._tables.taking
        settling = contacts.settling(transition.family, self._tables.plans.impulses)
        told = why_not_settled(automaton, transition.family, settling, reason)
        declared = automaton.declared_name(transition)
        return f"transition '{declared}': {told}" if told and declared else told

    def _why(self, current: Mode, status: Status) -> str:
        """Why the kernel cannot go on, by name."""
        excursion, where = self._memory.excursion[0], f"at t = {self._context.time:.9g}"
        mode = self._entered(current)
        concerned = int(excursion["concerned"])
        match status:
            case Status.GUARD_NOT_A_NUMBER | Status.GUARD_UNRESOLVED:
                guards = self._tables.plans.guards(mode)
                found = "is not a number" if status is Status.GUARD_NOT_A_NUMBER else "cannot be followed"
                if concerned < 0:
                    return f"{where} the condition of transition '{self._tables.taking.name}' {found}"
                if concerned < len(guards.names):
                    name = guards.names[concerned]
                    shown = next(t.guard.expression for t in self._tables.transitions if t.name == name)
                    return f"{where}, in mode '{mode.name}', the guard of transition '{name}' ({shown}) {found}"
                return f"{where} what mode '{mode.name}' requires {found}"
            case Status.RESET_VIOLATES:
                return f"{where}, transition '{self._tables.taking.name}' to mode '{mode.name}' {self._violation(mode)}"
            case Status.FORBIDDEN:
                required = mode.where[concerned]
                value = float(self._memory.end["value"][len(self._tables.plans.guards(mode).nodes) + concerned])
                return (
                    f"{where}, mode '{mode.name}' requires {required} >= 0 (where=); it is {value:.6g}, or about to "
                    "fall below"
                )
            case Status.TOO_MANY_JUMPS:
                chain = [e for e in self._context.history.events[-6:] if e.time == self._context.time]
                told = ", ".join(f"'{event.name}' ({event.source} -> {event.target})" for event in chain)
                return f"{where} more than {MOST_JUMPS} transitions followed one another: ... {told}"
            case Status.NO_PROGRESS:
                mode_name = f"{where}, in mode '{mode.name}'"
                if not self._context.history.events and not excursion["chain"]:
                    return mode_name
                return f"{mode_name}, where transition '{self._taken_name()}' was the last to be taken"
            case _:
                accumulation = self._memory.zeno["accumulation"][excursion["taking"]]
                name = self._taken_name()
                count = len(self._context.history.events.named(name))
                after = f"after {count} of them" if count else "at the first of them"
                return f"{where} the transitions '{name}' accumulate ({after}, at t = {accumulation:.12g})"

    def _state_after_reset(self) -> str | None:
        """What is not a number after the reset of a transition that is being taken; None where all is."""
        if self._tables.phase != Phase.ENTER:
            return None
        discrete = [symbol.name for symbol in self._tables.automaton.system.discrete_states]
        names = [*self._context.compiled.layout.names, *discrete]
        block = self._context.values.vector[self._context.values.first_discrete :][: len(discrete)]
        values = [*self._memory.after[: len(names) - len(discrete)], *block]
        found = next((f"{name} = {value}" for name, value in zip(names, values, strict=True)
                      if not np.isfinite(value)), None)  # fmt: skip
        target = self._tables.entering.name
        if found is None:
            return (
                f"transition '{self._tables.taking.name}' leads to a state in which mode '{target}' has no finite rates"
            )
        return f"the reset of transition '{self._tables.taking.name}' gives {found}"

    def _violation(self, mode: Mode) -> str:
        state = self._memory.after[: self._context.compiled.layout.width]
        unfit = unfit_quaternion(self._context.compiled, state)
        if unfit is not None or not mode.constraints:
            return unfit or "gives a state that cannot be"
        active = self._context.workshop.prepare(list(mode.constraints))
        now = active.at(self._context.time, state, self._context.values.vector)
        speeds = state[active.coordinates : active.coordinates + active.speeds]
        velocity = now.B @ speeds + now.C
        place, speed = int(np.abs(now.phi).argmax()), int(np.abs(velocity).argmax())
        if abs(now.phi[place]) > abs(velocity[speed]):
            return f"violates the constraint '{active.rows[place].name}' by {now.phi[place]:.6g}"
        return f"violates the constraint '{active.rows[speed].name}' by {velocity[speed]:.6g} in speed"
