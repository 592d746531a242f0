"""A system's programs: derived once, ready at once, native soon."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, TypeAlias
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from detent.dynamics.equations_of_motion import EquationsOfMotion
from detent.errors import ExpressionError, ValueProblem
from detent.expr import operation as op
from detent.expr.graph import Node
from detent.expr.tape import STATE, TIME, VALUES, build_tape
from detent.formulation.store import Store
from detent.jit.program import Program
from detent.model.system import System
from detent.results.layout import StateLayout, refuse_unfit
from detent.solves.mass_solve import MassSolve

if TYPE_CHECKING:
    from detent.contact.geometry import Course, Spread
    from detent.dynamics.contact_geometry import Followed
    from detent.solves.following import FollowedPlace, Following
    from detent.solves.portions import CoursePrograms
    from detent.solves.surface_portions import SurfacePrograms

Embedding: TypeAlias = Literal["symbolic", "numeric", "live"]
EMBEDDINGS: tuple[Embedding, ...] = ("symbolic", "numeric", "live")

UNIT_WITHIN = 1e-9
"""A quaternion is of length one within this: more than a few steps' rounding, less than what a user sets wrongly."""

UNROLL_UP_TO = 24
"""More speeds than this that form no tree are solved for in the kernel: unrolled, LLVM would take seconds."""


@dataclass(eq=False)
class CompiledSystem:
    """The programs of one system, all with the same state and values."""

    equations: EquationsOfMotion
    layout: StateLayout
    inputs: dict[str, tuple[int, int]]
    """Where each quantity is found at run time, as (bank, index)."""
    rates: Program
    """The program behind ``cell``; the one worth compiling."""
    cell: NDArray[np.int64]
    """What a stepper calls for the rates of the state."""
    projection: Program | None
    observer: Program
    """T and V."""
    derive_seconds: float
    places: tuple[FollowedPlace, ...] = ()
    """Where a nearest point is followed."""
    following: Following | None = None
    """What keeps nearest points where they belong, in one run."""
    stores: WeakKeyDictionary[object, Store] = field(default_factory=WeakKeyDictionary)
    """What the runs of each model on this system share."""
    _alive: MassSolve | None = None
    _mass: Program | None = None
    _unsolved: Program | None = None

    @cached_property
    def value_names(self) -> list[str]:
        """The names of the run-time values, in their order."""
        return [name for name, (bank, _) in self.inputs.items() if bank == VALUES]

    def store_of(self, model: object) -> Store:
        """What the runs of a model share."""
        with self.equations.lock:
            return self.stores.setdefault(model, Store())

    def program(self, outputs: list[Node], bound: dict[Node, Node] | None = None) -> Program:
        """Another program on the same state and values; ``bound`` says what leaves stand for besides measures."""
        return Program(build_tape(outputs, self.inputs, self.equations.quantities.bound if bound is None else bound))

    @property
    def projection_cell(self) -> NDArray[np.int64] | None:
        """What corrects a state that no constraint binds."""
        if self.following is not None:
            return self.following.cell
        return None if self.projection is None else self.projection.cell

    @property
    def unsolved(self) -> Program:
        """M and f and all else that is needed to solve for u' in the kernel."""
        with self.equations.lock:
            if self._unsolved is None:
                solved = self._alive is None
                self._unsolved = self.program(self.equations.unsolved_rates()) if solved else self.rates
                self._unsolved.compile_later()
            return self._unsolved

    def for_one_run(self) -> CompiledSystem:
        """The same programs with working memory of their own, so that runs in several threads do not meet."""
        rates = self.rates.clone()
        alive = None if self._alive is None else _mass_solve(self.equations, rates)
        projection = None if self.projection is None else self.projection.clone()
        places = tuple(place.clone() for place in self.places)
        for place in places:
            place.program.compile_later()
            place.apart.compile_later()
        return replace(
            self,
            rates=rates,
            cell=rates.cell if alive is None else alive.cell,
            projection=projection,
            places=places,
            following=_following(places, self.layout.width, projection) if places else None,
            observer=self.observer.clone(),
            _alive=alive,
            _mass=None if self._mass is None else self._mass.clone(),
            _unsolved=rates if alive is not None else None if self._unsolved is None else self._unsolved.clone(),
        )

    @property
    def mass(self) -> Program:
        """The mass matrix, row by row: for finding out what is wrong."""
        with self.equations.lock:
            if self._mass is None:
                self._mass = self.program([value for row in self.equations.mass_matrix for value in row])
            return self._mass


def compile_system(system: System, embedding: Embedding = "symbolic", carried: tuple[str, ...] = ()) -> CompiledSystem:
    """Derive a system's equations and make its programs; remembered as long as the system does not change.

    ``carried`` are rows of constraints whose multipliers are a part of the state.
    """
    if embedding not in EMBEDDINGS:
        raise ValueProblem(f"embedding is {embedding!r}; use one of {', '.join(EMBEDDINGS)}")
    # On the system itself: in a table beside it the programs, which know the system, would keep it alive for ever.
    made: dict[Any, CompiledSystem] = system.__dict__.setdefault("_compiled", {})
    key = (embedding == "numeric", carried, _fingerprint(system))
    with _deriving:
        if key not in made:
            made[key] = _derive(system, embedding, carried)
        return made[key]


_deriving = threading.Lock()


def _fingerprint(system: System) -> tuple[int, ...]:
    """Changes whenever something is added to the system; nothing is ever taken away or altered."""
    parts = (system.quantities(), system.frames, system.points, system.bodies, system.loads, system.quaternions)
    return tuple(map(len, parts))


def _derive(system: System, embedding: Embedding, carried: tuple[str, ...]) -> CompiledSystem:
    start = time.perf_counter()
    equations = EquationsOfMotion(system, carried=carried)
    quantities = equations.quantities
    states = [*quantities.coordinates, *quantities.speeds, *quantities.signals]
    refuse_unfit(symbol.name for symbol in quantities.discrete)  # the layout refuses those of states
    values = [s.name for s in (*quantities.parameters, *quantities.run_inputs, *quantities.discrete)]
    values += [f"{name} acts" for name in quantities.switches]
    inputs = {
        "t": (TIME, 0),
        **{symbol.name: (STATE, number) for number, symbol in enumerate(states)},
        **{name: (VALUES, number) for number, name in enumerate(values)},
    }
    alive, solved = None, None
    if embedding == "symbolic" and (equations.tree is not None or len(quantities.speeds) <= UNROLL_UP_TO):
        solved = _solved_rates(equations)
    outputs = equations.unsolved_rates() if solved is None else solved
    rates = Program(build_tape(outputs, inputs, quantities.bound))
    if solved is None:
        alive = _mass_solve(equations, rates)
    observer = Program(build_tape([equations.kinetic_energy, equations.potential_energy], inputs, quantities.bound))
    projection = _projection(equations, inputs)
    equations.graph.keep()
    return CompiledSystem(
        equations=equations,
        layout=StateLayout(
            *(tuple(s.name for s in group) for group in (quantities.coordinates, quantities.speeds, quantities.signals))
        ),
        inputs=inputs,
        rates=rates,
        cell=rates.cell if alive is None else alive.cell,
        projection=projection,
        places=tuple(_followed_place(followed, inputs) for followed in equations.followed),
        observer=observer,
        derive_seconds=time.perf_counter() - start,
        _alive=alive,
    )


def _solved_rates(equations: EquationsOfMotion) -> list[Node] | None:
    """The rates with u' solved for; None if M is singular whatever the state.

    Such a system still gets its programs, so that the check of its start can tell from numbers which speeds and bodies
    are to blame. What makes the equations themselves fail shows up again when M and f are asked for.
    """
    try:
        return equations.rates
    except ExpressionError:
        return None


def _mass_solve(equations: EquationsOfMotion, rates: Program) -> MassSolve:
    quantities = equations.quantities
    return MassSolve(rates.cell, len(quantities.q), len(quantities.u), len(quantities.s))


def _projection(equations: EquationsOfMotion, inputs: dict[str, tuple[int, int]]) -> Program | None:
    """Writes the state back with every quaternion at length one; None where there is no quaternion."""
    quantities, graph = equations.quantities, equations.graph
    if not equations.system.quaternions:
        return None
    corrected = {}
    for parts in equations.system.quaternions:
        leaves = [quantities.convert(part) for part in parts]
        length = graph.function(op.SQRT, graph.dot(leaves, leaves))
        corrected.update({leaf: leaf / length for leaf in leaves})
    work = graph.leaf("work")
    states = [*quantities.q, *quantities.u, *quantities.s, work]
    return Program(
        build_tape([corrected.get(leaf, leaf) for leaf in states], {**inputs, "work": (STATE, len(states) - 1)})
    )


def _followed_place(followed: Followed, inputs: dict[str, tuple[int, int]]) -> FollowedPlace:
    """The programs of a place whose nearest point is followed (:mod:`detent.solves.following_frame`)."""
    from detent.solves.following import FollowedPlace  # only contacts follow points

    graph, nearness = followed.gap.graph, followed.nearness
    least = nearness.nearest[0]
    for node in nearness.nearest[1:]:
        least = graph.function2(op.MINIMUM, least, node)
    outputs = [nearness.apart, followed.gap, followed.domain, least]
    outputs += [node for each in followed.coordinates for node in (each.lowest, each.highest)]
    outputs += [each.equation for each in followed.coordinates]
    outputs += [slope for line in followed.slopes for slope in line]
    columns = tuple(inputs[str(each.leaf)][1] for each in followed.coordinates)
    normals = [node for each in followed.coordinates for node in each.normal]
    whole, apart, turned = (Program(build_tape(nodes, inputs)) for nodes in (outputs, [nearness.apart], normals))
    slack = max(each.slack for each in followed.coordinates)
    place = FollowedPlace(followed.name, whole, apart, turned, columns, followed.closed, nearness.lasting, slack=slack)
    if nearness.facing is None:
        return place
    courses = tuple(_course_programs(course, inputs) for course in nearness.facing.courses)
    surface = None if nearness.facing.spread is None else _surface_programs(followed, nearness.facing.spread, inputs)
    stance, level = Program(build_tape(list(followed.stance), inputs)), nearness.facing.level
    return replace(place, stance=stance, courses=courses, surface=surface, level=level)


def _course_programs(course: Course, inputs: dict[str, tuple[int, int]]) -> CoursePrograms:
    """The programs of a curve that is looked at portion by portion."""
    from detent.solves.portions import CoursePrograms  # likewise

    offset = course.leaf.graph.zero if course.offset is None else course.offset
    place = [part + offset * normal for part, normal in zip(course.point, course.normal, strict=True)]
    spot, between = [*place, *course.normal], [course.lowest, course.highest, offset]
    return CoursePrograms(
        Program(build_tape(spot, inputs)), build_tape(list(course.point), inputs),
        Program(build_tape(between, inputs)), inputs[str(course.leaf)][1], course.closed, course.straight,
    )  # fmt: skip


def _surface_programs(followed: Followed, spread: Spread, inputs: dict[str, tuple[int, int]]) -> SurfacePrograms:
    """The programs of a surface that is looked at portion by portion."""
    from detent.solves.surface_portions import SurfacePrograms  # likewise

    first, second = (inputs[str(leaf)][1] for leaf in spread.leaves)
    offset = spread.leaves[0].graph.zero if spread.offset is None else spread.offset
    place = [part + offset * normal for part, normal in zip(spread.point, spread.normal, strict=True)]
    between = [node for each in followed.coordinates for node in (each.lowest, each.highest)]
    points = [*spread.point, *spread.slopes[0], *spread.slopes[1]]
    return SurfacePrograms(
        Program(build_tape([*place, *spread.normal], inputs)), build_tape(points, inputs),
        Program(build_tape([*between, offset], inputs)), (first, second), (followed.closed[0], followed.closed[1]),
    )  # fmt: skip


def _following(places: tuple[FollowedPlace, ...], width: int, projection: Program | None) -> Following:
    """What keeps the nearest points of these places where they belong."""
    from detent.solves.following import Following  # likewise

    return Following(places, width, projection)


def unfit_quaternion(compiled: CompiledSystem, state: np.ndarray) -> str | None:
    """What is wrong with the quaternions of a state, in words; None where all have the length one."""
    for parts in compiled.equations.system.quaternions:
        length = float(np.linalg.norm([state[compiled.layout.column(part.name)] for part in parts]))
        if not abs(length - 1.0) <= UNIT_WITHIN:
            names = ", ".join(part.name for part in parts)
            return f"gives the quaternion ({names}) the length {length:.6g}; set all four, to the length 1"
    return None
