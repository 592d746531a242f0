"""What a run consists of: made once, and given to whoever needs some of it."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, final

import numpy as np

from detent.dynamics.quantities import multiplier_name
from detent.errors import DetentError
from detent.formulation.compiled import CompiledSystem, compile_system
from detent.formulation.free import FreeRunning
from detent.formulation.means import Means
from detent.formulation.running import Formulation, Instant
from detent.formulation.workshop import Workshop
from detent.hybrid.automaton import Automaton
from detent.jit.kernel_library import make_ready
from detent.model.contact import TILTING
from detent.model.given import by_name
from detent.model.system import System
from detent.model.validation import checked_values
from detent.simulation.account import Account
from detent.simulation.beginning import check_named_reactions, declared_constraints
from detent.simulation.history import History
from detent.simulation.inputs import RunValues
from detent.simulation.needed_kernels import needed_kernels
from detent.simulation.record import Record
from detent.simulation.remarks import Remarks
from detent.simulation.run_clock import RunClock
from detent.solves.kernels import CONSTRAINT_SOLVE, IMPACT
from detent.stepping.solver import Solver

if TYPE_CHECKING:
    from detent.hybrid.status_automaton import StatusAutomaton
    from detent.model.constraint import Constraint
    from detent.simulation.contact_account import ContactAccount
    from detent.simulation.contact_plans import ContactPlans
    from detent.simulation.options import Options


@final
@dataclass(frozen=True, eq=False)
class Context:
    """The parts of one run, none of which is exchanged while it goes on."""

    system: System
    automaton: Automaton | None
    name: str
    options: Options
    parameters: dict[str, float]
    states: dict[str, float]
    """The start values of all states, by name."""
    given: set[str]
    """The states whose start values the user or the model has given."""
    compiled: CompiledSystem
    values: RunValues
    solver: Solver
    workshop: Workshop
    formulation: Formulation
    free: FreeRunning
    """The system without constraints."""
    history: History
    record: Record
    remarks: Remarks
    clock: RunClock
    contacts: ContactPlans | None
    """What settles contacts, where there are some."""
    began: float
    """When its first mode was needed, on the clock of time.perf_counter."""

    @property
    def time(self) -> float:
        """The time reached, s."""
        return self.solver.time

    @property
    def instant(self) -> Instant:
        """Now: the time, the state (a copy) and the values."""
        return Instant(self.solver.time, self.solver.state, self.values.vector)

    @property
    def owns_contacts(self) -> bool:
        """Whether there are contacts that the formulation handles by itself, in every step."""
        return self.contacts is not None and self.options.chosen_formulation.owns_contacts

    @property
    def is_live(self) -> bool:
        """Whether steps must come on time."""
        return self.options.is_live

    @property
    def options_from_here(self) -> Options:
        """Those of a run that goes on from here with other contacts: parameters have the values that were set."""
        return replace(self.options, mode=None, constraints=None, parameters=dict(self.parameters))

    def energy(self, instant: Instant) -> float:
        """T + V at an instant."""
        return float(self.compiled.observer(instant.time, instant.state, instant.values).sum())


def prepared(model: System | Automaton, options: Options) -> Context:
    """All parts of a run of a model."""
    clock = RunClock()
    statuses = _statuses(model)
    own = statuses is not None and options.chosen_formulation.owns_contacts
    automaton = None if own else statuses or (model if isinstance(model, Automaton) else None)
    _check_transitions(options, model)
    resisted = [] if statuses is None else [place for place, turn in statuses.turns if turn.word != TILTING]
    if own and resisted:
        raise DetentError(
            f"contact '{resisted[0].contact.name}' resists rolling or spinning, which the formulation "
            f"'{options.chosen_formulation.name}' does not know; use formulation='embedded', or leave it out"
        )
    if own and statuses is not None and statuses.pairs:
        raise DetentError(
            f"contact '{statuses.pairs[0].contact.name}' is of two boxes, whose features are chosen at events, and the "
            f"formulation '{options.chosen_formulation.name}' knows none; use formulation='embedded', or points at the "
            "corners of one box"
        )
    system = model.system if isinstance(model, Automaton) else model
    if not isinstance(system, System):
        raise DetentError(f"found {model!r} where a detent.System or detent.Automaton was expected")
    start, inputs = by_name(system, "start value", options.start), by_name(system, "input", options.inputs)
    parameters, states = checked_values(system, by_name(system, "parameter", options.parameters), start, inputs)
    embedding = options.embedding
    needed = needed_kernels(system, automaton, embedding, options.method)
    make_ready(needed)
    began = time.perf_counter()
    carried = _carried(options, system, automaton)
    shared = compile_system(system, "numeric" if embedding == "numeric" else "symbolic", carried)
    states |= {multiplier_name(row): 0.0 for row in carried}
    if CONSTRAINT_SOLVE in needed:  # what a first constraint needs besides
        _ = shared.unsolved
    if embedding == "live":  # a constraint may be imposed at any time
        IMPACT.address("strike")
    compiled = shared.for_one_run()
    values = RunValues(compiled, parameters, inputs, [states[symbol.name] for symbol in system.discrete_states])
    jumping = {name for name, _ in values.rules.values()}
    compiled.equations.check_jumping([s for s in system.input_rules if s.name in jumping])

    def declared() -> set[Constraint]:
        return declared_constraints(system, automaton)

    check_named_reactions(compiled.equations.spoken_reactions, declared())
    layout = compiled.layout
    solver = Solver(
        compiled.cell, compiled.projection_cell, width=layout.width, controlled=layout.width - 1,
        values=values.vector, owner=compiled, method=options.method, rtol=options.rtol,
        atol=options.absolute_tolerance, step=options.step, hands_over=embedding == "live" and automaton is None,
    )  # fmt: skip
    if statuses is not None and not own and statuses.rubs_in_space and solver.is_adaptive:
        solver.offer_implicit(len(layout.coordinates), len(layout.speeds))
    if compiled.following is not None:
        compiled.following.stop_by(solver.stopping)
        solver.after_step[:], solver.beginning[:] = compiled.following.keeping, compiled.following.slackening
        compiled.following.give_slack(solver.absolute)
        compiled.following.look_at(np.array([*(states[name] for name in layout.names[:-1]), 0.0]), values.vector)
    workshop = Workshop(compiled, solver.asking, shared.store_of(model), declared)
    history = History(len(values.vector))
    touching, contacts = None, None
    if statuses is not None:
        from detent.contact_solves.several_impacts_frame import ImpactOrder
        from detent.simulation.contact_account import ContactAccount
        from detent.simulation.contact_plans import ContactPlans

        contacts = ContactPlans(statuses, compiled, workshop, ImpactOrder[options.impacts.upper()])
        touching = ContactAccount(statuses, compiled, shared.store_of(model))
    touches = statuses is not None and not own
    means = Means(workshop, solver, embedding, automaton is None, touches, contacts if own else None)
    return Context(
        system=system, automaton=automaton, name=options.name or model.name, options=options, parameters=parameters,
        states=states, given=set(start) | set(system.start_values), compiled=compiled, values=values, solver=solver,
        workshop=workshop, formulation=options.chosen_formulation.of_run(means), free=FreeRunning(workshop),
        history=history, record=Record(layout, history, _account(compiled, values, touching), options),
        remarks=Remarks(), clock=clock, began=began, contacts=contacts,
    )  # fmt: skip


def _statuses(model: System | Automaton) -> StatusAutomaton | None:
    """The automaton of a model's contacts, if it has some; only then all that they need is loaded."""
    system = model.system if isinstance(model, Automaton) else model
    if not isinstance(system, System) or not system.contacts:
        return None
    from detent.hybrid.status_automaton import automaton_of_contacts

    return automaton_of_contacts(model)


def _check_transitions(options: Options, model: System | Automaton) -> None:
    """Refuse transitions where a formulation has contacts without events."""
    if isinstance(model, Automaton) and options.chosen_formulation.owns_contacts:
        raise DetentError(
            f"the formulation '{options.chosen_formulation.name}' knows no instants at which something changes, and "
            f"'{model.name}' has transitions; use formulation='embedded', 'corrected', 'projection' or 'multipliers'"
        )


def _carried(options: Options, system: System, automaton: Automaton | None) -> tuple[str, ...]:
    """The rows whose multipliers are a part of the state, in an order that does not depend on anything else."""
    if not options.chosen_formulation.carries:
        return ()
    if automaton is not None and automaton.grows:
        raise DetentError(
            f"the formulation '{options.chosen_formulation.name}' lets constraints err by its boundary, and contacts "
            "are settled by what they do within rounding; use formulation='embedded', 'corrected', 'projection' or "
            "'multipliers' for contacts"
        )
    return tuple(sorted({row.name for each in declared_constraints(system, automaton) for row in each.rows}))


def _account(compiled: CompiledSystem, values: RunValues, contacts: ContactAccount | None) -> Account:
    """What works out energies, reactions, residuals and what contacts do."""
    layout, system, first = compiled.layout, compiled.equations.system, values.first_discrete
    last = first + len(system.discrete_states)
    held = {
        "inputs": slice(first - len(values.names), first),
        "discrete": slice(first, last),
        "loads": slice(last, len(values.vector)),
    }
    quaternions = [[layout.column(part.name) for part in parts] for parts in system.quaternions]
    return Account(compiled.observer, held, quaternions, contacts)
