"""What a mode of an automaton needs besides its equations: observers of its guards, resets, conditions.

All of it is derived when the mode is first needed, or before that in the background, and does not depend on the state.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from detent.contact.crossing import may_overlap_unseen
from detent.contact_solves.settle_frame import Reason
from detent.dynamics.observation import Inputs, Observation
from detent.dynamics.rows import RowNodes
from detent.errors import DetentError, ExpressionError, UnknownNameError
from detent.events import event_frame as at
from detent.events.watch import Certificate, state_places
from detent.events.watch_frame import CUBIC, STRAIGHT
from detent.expr.graph import Node
from detent.expr.tape import STATE, Tape, build_tape
from detent.formulation.compiled import CompiledSystem
from detent.formulation.workshop import Workshop
from detent.hybrid.assignment import read_assignment
from detent.hybrid.automaton import Automaton
from detent.hybrid.declared import as_statuses
from detent.hybrid.friction_impact import FrictionImpact
from detent.hybrid.guard import DIRECTIONS
from detent.hybrid.mode import Mode
from detent.hybrid.settle import Settle
from detent.hybrid.status_automaton import StatusAutomaton
from detent.hybrid.status_transitions import SLACK
from detent.hybrid.transition import Transition
from detent.jit.program import Program
from detent.model.constraint import Constraint
from detent.simulation.contact_plans import ContactPlans
from detent.simulation.friction_impacts import FrictionImpacts
from detent.simulation.impacts import Impacts
from detent.simulation.step_tools import ResetPart, StepTools

SPARE_ROWS = 64
"""Rows that may be added to a run before its impulses need other memory."""
_Tape = tuple[Tape | None, Program | None]
_WATCHED = {-1: at.FALLING, 1: at.RISING, 0: at.FALLING | at.RISING}


@dataclass
class GuardList:
    """The guards of one mode: each expression once, whatever transitions share it."""

    nodes: list[Node] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    """The transition that each was first written for."""
    watched: list[int] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)
    """The number of each among all guards of the automaton."""
    place: dict[Transition, int] = field(default_factory=dict)


class Plans:
    """Guards, observers, conditions and resets of an automaton, made when they are first asked for."""

    def __init__(
        self, automaton: Automaton, compiled: CompiledSystem, workshop: Workshop, relative: float,
        contacts: ContactPlans | None = None,
    ) -> None:  # fmt: skip
        self.automaton, self.compiled, self.workshop = automaton, compiled, workshop
        self.store = workshop.store
        self.observation = self.store.other("observation", lambda: Observation(compiled.equations))
        self.width = compiled.layout.width
        self._guards: dict[Mode, GuardList] = {}
        self._waits_for: dict[Transition, Node] = {}
        """The guards of transitions that were read."""
        self._numbers: dict[Node, int] = {}
        self._programs: dict[Any, Program] = {}
        self._interpreted: list[Program] = []
        """Programs of which machine code is still to be made, once it is known that the run stays."""
        self._reactive: dict[tuple[Mode, int], bool] = {}
        self.contacts = contacts
        """How contacts are settled, where there are some."""
        self.impulses = np.zeros(self._most_rows() + SPARE_ROWS)
        self.impacts = Impacts(automaton, compiled, workshop, self._known_before, self._stored)
        self.friction_impacts = FrictionImpacts(automaton, compiled, workshop, self._known_before)
        self._certificates: dict[Any, Certificate] = {}
        self.relative = relative

    def _most_rows(self) -> int:
        """How many numbers a reset may leave: those of contacts that are settled, then the impulses of an impact, of
        all constraints and contacts at most."""
        contacts = 0 if self.contacts is None else self.contacts.row_count + self.contacts.told_from
        return contacts + sum(len(constraint.rows) for constraint in self._constraints())

    @property
    def _settled_rows(self) -> int:
        """How many of these settling contacts leaves."""
        return 0 if self.contacts is None else self.contacts.row_count

    @property
    def free_impulses(self) -> NDArray[np.float64]:
        """Where impacts leave their impulses that contacts are settled after."""
        return self.impulses[self._settled_rows :]

    def make_room(self) -> int:
        """Room for the impulses of all rows, those declared since included; only where the kernel does not run.

        Gives the number of these rows.
        """
        most = self._most_rows()
        if most > len(self.impulses):
            before, self.impulses = self.impulses, np.zeros(most + SPARE_ROWS)
            self.impulses[: len(before)] = before
            self.impacts.leave_impulses_in(self.free_impulses)
            self.friction_impacts.leave_impulses_in(self.free_impulses)
            if self.contacts is not None:
                self.contacts.leave_impulses_in(self.impulses)
        return most

    def _constraints(self) -> set[Constraint]:
        """Every constraint that the system or a mode knows."""
        modes = [constraint for mode in list(self.automaton.modes.values()) for constraint in mode.constraints]
        return {*self.automaton.system.constraints.values(), *modes}

    # -- guards ------------------------------------------------------------------------------------

    def guards(self, mode: Mode) -> GuardList:
        """The guards of a mode, in the order of its transitions; grows when transitions are added."""
        found = self._guards.setdefault(mode, GuardList())
        for transition in self.automaton.leaving(mode):
            if transition in found.place:
                continue
            node = self.guard(transition)
            if node not in found.nodes:
                found.nodes.append(node)
                found.names.append(transition.name)
                found.watched.append(0)
                found.numbers.append(self.identity(node))
            place = found.nodes.index(node)
            found.watched[place] |= self.flags(transition)
            found.place[transition] = place
        return found

    def guard(self, transition: Transition) -> Node:
        """What a transition waits for, on the graph."""
        if transition not in self._waits_for:
            self._waits_for[transition] = self._read_guard(transition)
        return self._waits_for[transition]

    def _read_guard(self, transition: Transition) -> Node:
        step = transition.reset[-1] if transition.reset else None
        own = (SLACK,) if isinstance(step, Settle) and step.reason is Reason.YIELDS else ()
        return self._node(f"the guard of transition '{transition.name}'", transition.guard.expression, own)

    def identity(self, guard: Node) -> int:
        """The number of a guard among all those of the automaton."""
        return self._numbers.setdefault(guard, len(self._numbers))

    def flags(self, transition: Transition) -> int:
        """How the guard of a transition is watched."""
        reactive = at.REACTIVE if self.observation.reactions(self.guard(transition)) else 0
        at_once, held = at.AT_ONCE if transition.at_once else 0, 0 if transition.held is None else at.HELD
        return _WATCHED[DIRECTIONS[transition.guard.direction]] | reactive | at_once | held

    def place(self, mode: Mode, transition: Transition) -> int | None:
        """The place of a transition's guard among those of a mode; None while it is not known."""
        found = self._guards.get(mode)
        return None if found is None else found.place.get(transition)

    def _node(self, where: str, expression: Any, own: tuple[str, ...] = ()) -> Node:
        """An expression on the graph; ``own`` are reactions besides those of rows that it may speak of."""
        try:
            node = self.observation.node(expression)
        except ExpressionError as error:
            raise DetentError(f"{where} cannot be read: {error}") from error
        self._check_reactions(where, node, own)
        return node

    def _check_reactions(self, where: str, node: Node, own: tuple[str, ...]) -> None:
        """That reactions are spoken of by the names of rows that exist: any other would be zero for ever."""
        spoken = self.observation.reactions(node)
        if not spoken:
            return
        known = [row.name for constraint in self._constraints() for row in constraint.rows]
        known += [] if self.contacts is None else self.contacts.force_names
        for name in spoken:
            if name not in known and name not in own:
                raise UnknownNameError(name, known, what=f"row of a constraint with a reaction ({where})")

    def _known_before(self, where: str, expression: Any) -> Node:
        """An expression that is worked out when the reactions of the next mode do not exist yet."""
        node = self._node(where, expression)
        spoken = self.observation.reactions(node)
        if spoken:
            raise DetentError(
                f"{where} speaks of the reaction of '{spoken[0]}', which it cannot know; use coordinates, speeds, "
                "signals, parameters, inputs and discrete states there, and reactions in guards and conditions"
            )
        return node

    def conditions_before(self, transition: Transition) -> list[Node]:
        """What must not be negative in the mode that a transition leaves."""
        return self._conditions(transition, transition.condition_before)

    def _conditions(self, transition: Transition, parts: Sequence[Any]) -> list[Node]:
        return [self._node(f"the condition of transition '{transition.name}'", part) for part in parts]

    def invariants(self, mode: Mode) -> list[Node]:
        """What must hold when a mode is entered, each as a value that must not be negative."""
        return [self._node(f"what mode '{mode.name}' requires", part) for part in mode.where]

    def asks_for_reactions(self, automaton: StatusAutomaton, family: str) -> bool:
        """Whether something declared speaks of reactions in a family of modes: where contacts share their forces these
        are not unique, and a mode is made by who can say so."""
        out, nodes = automaton.declared_out_of(family), self.invariants(automaton.any_mode(family))
        nodes += [node for each in out for node in (self.guard(each), *self.conditions_before(each))]
        return any(self.observation.reactions(node) for node in nodes)

    def speaks_of_reactions(self, mode: Mode) -> bool:
        """Whether anything observed in a mode needs its reactions."""
        key = (mode, self.automaton.version)
        if key not in self._reactive:
            self._reactive[key] = self._speaks(mode)
        return self._reactive[key]

    def _speaks(self, mode: Mode) -> bool:
        parts = [*self.guards(mode).nodes, *self.invariants(mode)]
        said = [(each, each.condition_before) for each in self.automaton.leaving(mode)]
        said += [(each, each.condition_after) for each in self.automaton.transitions if each.target is mode]
        for transition, conditions in said:
            parts += self._conditions(transition, conditions)
        return any(self.observation.reactions(node) for node in parts)

    # -- programs ----------------------------------------------------------------------------------

    def watched(self, mode: Mode, count: int) -> list[Node]:
        """So many guards of a mode, for another thread may be adding some; then what it requires."""
        return [*self.guards(mode).nodes[:count], *self.invariants(mode)]

    def observer(self, mode: Mode, rows: tuple[str, ...], count: int) -> Program:
        """Observes so many guards of a mode, then what it requires; ``rows`` are those with a reaction."""
        key = ("observer", mode, rows, count)
        if key not in self._programs:
            self._programs[key] = self._stored(key, lambda: self._observer(mode, rows, count))
        return self._programs[key]

    def _observer(self, mode: Mode, rows: tuple[str, ...], count: int) -> Program:
        nodes = [node for each in self.watched(mode, count) for node in self.observation.along_motion(each)]
        return self._program(nodes or [self.observation.graph.zero], mode, rows)

    @property
    def slack_watch(self) -> int:
        """How the slack of shared forces is followed between the ends of steps.

        Where something else slips to its end it may fall and rise again within a step. Of boxes that slide on one
        another it changes while they move uniformly, and steps may be long then.
        """
        return STRAIGHT if isinstance(self.automaton, StatusAutomaton) and self.automaton.pairs else CUBIC

    @cached_property
    def _looked_at_where_steps_end(self) -> set[Node]:
        """That boxes are not in one another: guards and what is held see to it, and are followed within steps."""
        pairs = self.automaton.pairs if isinstance(self.automaton, StatusAutomaton) else ()
        return {self.observation.node(pair.outside) for pair in pairs}

    def certificate(self, mode: Mode, rows: tuple[str, ...], count: int) -> Certificate:
        """What is known of so many guards of a mode, and of what it requires, between the ends of a step."""
        nodes = self.watched(mode, count)
        key = ("certificate", mode, rows, count)
        if key not in self._certificates:
            tapes, straight, together = self.store.other(key, lambda: self._tapes(nodes, mode, rows))
            affine = [None if program is None else program.clone() for program in straight]
            cubic = [self.slack_watch if SLACK in self.observation.reactions(node) else 0 for node in nodes]
            twins = _twins(nodes, count)
            self._certificates[key] = Certificate(tapes, affine, together, self.relative, twins, cubic)
        return self._certificates[key]

    def _tapes(
        self, nodes: list[Node], mode: Mode, rows: tuple[str, ...]
    ) -> tuple[list[Tape | None], list[Program | None], Tape | None]:
        """A tape for each of some expressions, the factors of those that are affine, and one tape of all others."""
        observation, inputs = self.observation, self.observation.inputs(list(rows), self.width, self.compiled.inputs)
        reactions = self._reactions_by_motion(mode, rows)
        bound = {**observation.quantities.bound, **(reactions or {})}
        known = [reactions is not None or not observation.reactions(node) for node in nodes]
        made = [
            self._tape(node, inputs, bound) if is_known else (None, None)
            for node, is_known in zip(nodes, known, strict=True)
        ]
        tapes, straight = [tape for tape, _ in made], [program for _, program in made]
        each = zip(nodes, tapes, straight, strict=True)
        bent = [node for node, tape, program in each if tape is not None and program is None]
        return tapes, straight, build_tape(bent, inputs, bound) if bent else None

    def _reactions_by_motion(self, mode: Mode, rows: tuple[str, ...]) -> dict[Node, Node] | None:
        """The reactions of some rows by the motion; None where these follow from one another whatever the state, as in
        modes that are made ahead and never entered."""
        try:
            return self.observation.reactions_by_motion(self._rows_by_motion(mode, rows), tuple(mode.loads))
        except ExpressionError:
            return None

    def _tape(self, node: Node, inputs: Inputs, bound: dict[Node, Node]) -> _Tape:
        """The tape of one expression, and the program of its factors where it is affine."""
        spoken = self.observation.reactions(node)
        if SLACK in spoken or node in self._looked_at_where_steps_end:
            return None, None

        def made() -> _Tape:
            tape = build_tape([node], inputs, bound)
            names = {place: name for name, (bank, place) in inputs.items() if bank == STATE}
            factors = self.observation.affine(node, [names[place] for place in state_places(tape)])
            return tape, None if factors is None else Program(build_tape(factors, inputs, bound))

        return made() if spoken else self.store.other(("tape", node), made)

    def tape(self, node: Node) -> _Tape:
        """The same of an expression that speaks of no reaction, in any mode."""
        inputs = self.observation.inputs([], self.width, self.compiled.inputs)
        return self._tape(node, inputs, self.observation.quantities.bound)

    def _rows_by_motion(self, mode: Mode, rows: tuple[str, ...]) -> list[RowNodes]:
        """The rows that are solved for, with bounds, where some of their reactions are watched.

        Of one contact that slips in space also those of its friction: the motion tells it, whatever the law. Bounds of
        its direction would be those of any direction where the slip ends. In the plane that is a sign, and the law
        does: a place may have one way to move there, as the tip of an arm that is straight, and its rows are parallel.
        """
        if not rows:
            return []
        active = self.workshop.prepare(list(mode.constraints)).rows
        instead = None if self.contacts is None else self.contacts.as_if_stuck(mode)
        stuck = () if instead is None else self.workshop.prepare(list(instead)).rows
        moved = {r for row in stuck for r in row.B}
        if len(moved) < len(stuck) or not all(row.B for row in stuck):  # what moves across only cannot slip
            stuck = ()
        return list(stuck) or [row for row in active if row.name in rows]

    def condition(self, transition: Transition, before: bool, mode: Mode, rows: tuple[str, ...]) -> Program | None:
        """The values of a transition's condition in a mode with the reactions of some rows, none of which may be
        negative; None where it has none."""
        parts = transition.condition_before if before else transition.condition_after
        if not parts:
            return None
        nodes = self._conditions(transition, parts)
        spoken = any(self.observation.reactions(node) for node in nodes)
        key = ("condition", transition, before, rows) if spoken else ("condition", transition, before)
        if key not in self._programs:
            self._programs[key] = self._stored(key, lambda: self._program(nodes, mode, rows if spoken else ()))
        return self._programs[key]

    def _program(self, nodes: list[Node], mode: Mode, rows: tuple[str, ...]) -> Program:
        spoken = {name for node in nodes for name in self.observation.reactions(node)}
        own = {row.name for constraint in mode.constraints for row in constraint.rows}
        dropped = sorted((spoken & own) - set(rows))
        if dropped:
            raise DetentError(
                f"in mode '{mode.name}' a guard or condition speaks of the reaction of '{dropped[0]}', which follows "
                "from the other constraints there, so that its reaction is not unique; use another"
            )
        inputs = self.observation.inputs(list(rows), self.width, self.compiled.inputs)
        return Program(build_tape(nodes, inputs, self.observation.bound(list(rows))))

    # -- resets ------------------------------------------------------------------------------------

    def compile_later(self) -> None:
        """Have machine code made, in the background, of the programs that were made since the last time."""
        while self._interpreted:
            self._interpreted.pop(0).compile_later()

    def _stored(self, key: Hashable, make: Callable[[], Program]) -> Program:
        """A program for this run; to be compiled, unless it is machine code already."""
        program = self.store.program(key, make)
        if not program.is_native:
            self._interpreted.append(program)
        return program

    def reset_steps(self, transition: Transition) -> list[tuple[int, NDArray[np.int64]]] | None:
        """The steps of a reset as cells; None where Python has to work it out: a function, what may only strike where
        no contact is closed, contacts that begin to count and whose shapes may lie across one another."""
        statuses = as_statuses(self.automaton)
        alone = statuses is not None and any(isinstance(step, FrictionImpact) for step in transition.reset)
        new = () if statuses is None else statuses.beginning(transition)
        unseen = any(may_overlap_unseen(contact.first.kind, contact.second.kind) for contact in new)
        if transition.calls_python or alone or unseen:
            return None
        parts = [self.step(transition, number) for number in range(len(transition.reset))]
        cells = [(part.kind, part.cell) for part in parts if part.cell is not None]
        return cells if len(cells) == len(parts) else None

    def step(self, transition: Transition, number: int) -> ResetPart:
        """One step of a reset as something that runs."""
        return transition.reset[number].made(StepTools(self, transition, number))

    def assignment(self, transition: Transition, number: int, given: Mapping[Any, Any]) -> Program:
        """The whole state after a step of a reset that sets some quantities."""
        key = ("assignment", transition, number)
        if key not in self._programs:
            quantities, where = self.compiled.equations.quantities, f"the reset of transition '{transition.name}'"
            read = read_assignment(self.automaton.system, f"transition '{transition.name}'", given).values
            values = {symbol.name: self._known_before(where, value) for symbol, value in read.items()}
            work = quantities.graph.leaf("work")
            names = [*self.compiled.layout.names, *(symbol.name for symbol in quantities.discrete)]
            nodes = [values.get(name, work if name == "work" else quantities.graph.leaf(name)) for name in names]
            inputs = {**self.compiled.inputs, "work": (STATE, self.width - 1)}
            self._programs[key] = self._stored(key, lambda: Program(build_tape(nodes, inputs, quantities.bound)))
        return self._programs[key]

    def settle(self, family: str, step: Settle) -> tuple[NDArray[np.int64], tuple[str, ...]]:
        """The cell that settles contacts where a family of modes is entered, and the rows it gives impulses to."""
        assert self.contacts is not None
        settling = self.contacts.settling(family, self.impulses)
        return settling.cell(step.reason, step.number, step.turn, step.pair), self.contacts.row_names

    def impulse_rows(self, transition: Transition) -> tuple[int, tuple[str, ...]]:
        """The rows whose impulses a transition leaves behind, those of its last impact; and where the first stands."""
        last = max((number for number, step in enumerate(transition.reset) if step.is_impact), default=None)
        if last is None:
            return 0, ()
        first = 0 if isinstance(transition.reset[last], Settle) else self._settled_rows
        return first, self.step(transition, last).rows


def _twins(nodes: list[Node], guards: int) -> list[int]:
    """For each guard 0, then for what a mode requires: n + 1 if it is guard n once more, -(n + 1) if its negative."""
    found = [0] * guards
    for node in nodes[guards:]:
        same = [n + 1 for n, guard in enumerate(nodes[:guards]) if guard is node]
        other = [-n - 1 for n, guard in enumerate(nodes[:guards]) if guard is -node or -guard is node]
        found.append([*same, *other, 0][0])
    return found
