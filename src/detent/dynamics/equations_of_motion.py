"""The equations of motion of a system on the graph, ready to become a tape.

M u' = f, q' = W u + X, s' = S, and beside them the energies and the power of what is not conserved.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from detent.dynamics.composite import Composite
from detent.dynamics.contact_geometry import ContactReader, Followed
from detent.dynamics.inertia import Element, Row, active_components, element, pick
from detent.dynamics.kinematics import REMAINDER, Kinematics
from detent.dynamics.loads import LoadParts, LoadReader, steady_fields
from detent.dynamics.measures import MeasureReader
from detent.dynamics.quantities import Quantities
from detent.dynamics.recursion import Branch, recursive_accelerations, speed_tree
from detent.dynamics.reference import choose_reference, choose_resolution
from detent.errors import ExpressionError, Fault, ModelError
from detent.expr import vector3
from detent.expr.graph import Node
from detent.expr.linear import solve_symmetric
from detent.expr.vector3 import Vector3
from detent.model.contact_measure import ContactMeasure
from detent.model.frame import Frame
from detent.model.measure import Measure
from detent.model.quantity import Acceleration, ContactForce, Input, Reaction
from detent.model.system import System
from detent.model.vector import Vector

FACTORISE_UP_TO = 10
"""Up to this many speeds factorising M is faster, beyond it the recursion (benchmarks/solve.py measures both)."""


@dataclass(frozen=True)
class _Parts:
    kinematics: Kinematics
    active: tuple[int, ...]
    elements: list[Element]
    fields: list[Vector]
    """Steady fields of gravity: the bodies bring them, as their weight."""
    loads: dict[str, LoadParts]
    wrenches: list[Row]
    """On each body: loads and gravity, less the inertia without u'."""
    generalized: list[Node]


class EquationsOfMotion:
    """Derived once from a system; every part is worked out when it is first asked for."""

    def __init__(self, system: System, resolution: Frame | None = None, carried: Sequence[str] = ()) -> None:
        self.system = system
        self.quantities = Quantities(system, carried)
        self.graph = self.quantities.graph
        self._resolution = resolution
        self.followed: list[Followed] = []
        """Places of contacts whose nearest points are followed; known as soon as anything has been derived."""
        self.lock = threading.RLock()
        """Held by whoever reads something new into the quantities: several simulations may share them."""

    @cached_property
    def _parts(self) -> _Parts:
        system, quantities, graph = self.system, self.quantities, self.graph
        if not system.bodies:
            raise ModelError(
                [Fault(f"system '{system.name}'", "it has no body", "add one with system.body or particle")]
            )
        resolution = self._resolution or choose_resolution(system)
        kinematics = Kinematics(quantities, resolution, choose_reference(system))
        measured, touching = MeasureReader(kinematics), ContactReader(quantities)
        quantities.convert.resolve = lambda symbol: self._resolved(symbol, measured, touching)
        self.followed = touching.follow()
        bodies = list(system.bodies.values())
        active = active_components([kinematics.twist(body.center, body.frame) for body in bodies])
        gravity: Vector3 = kinematics.nothing
        fields = steady_fields(quantities)
        for field in fields:
            gravity = vector3.add(gravity, kinematics.vector(field))
        elements = [element(kinematics, body, gravity, active) for body in bodies]
        self._check_placed(kinematics, elements, quantities.jumping_inputs)
        reader = LoadReader(kinematics, elements, active, fields)
        loads = {name: reader.read(load) for name, load in system.loads.items()}
        wrenches = [tuple(w - b for w, b in zip(e.weight, e.bias, strict=True)) for e in elements]
        generalized = [graph.zero] * len(quantities.speeds)
        number = {id(e): n for n, e in enumerate(elements)}
        for parts in loads.values():
            for r, value in parts.generalized.items():
                if r != REMAINDER:
                    generalized[r] = generalized[r] + value
            for carrier, push in parts.wrenches:
                at = number[id(carrier)]
                wrenches[at] = tuple(a + b for a, b in zip(wrenches[at], push, strict=True))
        return _Parts(kinematics, active, elements, fields, loads, wrenches, generalized)

    def _resolved(self, symbol: Any, measured: MeasureReader, touching: ContactReader) -> Node | None:
        """The node of a symbol that is no quantity of the state: a measure, of a contact too, or a reaction."""
        if getattr(symbol, "owner", self.system.number) != self.system.number:
            raise ExpressionError(
                f"'{symbol}' is not part of this system, '{self.system.name}', but of another; use quantities of "
                "the same system"
            )
        if isinstance(symbol, Measure):
            return measured(symbol)
        if isinstance(symbol, ContactMeasure):
            return touching(symbol)
        if isinstance(symbol, (Acceleration, ContactForce)):
            raise ExpressionError(
                f"the {symbol.role} '{symbol}' is known along a run only; use it in run.value, run.to_csv and plots"
            )
        return self.quantities.reaction(symbol) if isinstance(symbol, Reaction) else None

    @cached_property
    def spoken_reactions(self) -> dict[str, str]:
        """The rows whose reactions loads speak of, each with the name of the first load that does."""
        found: dict[str, str] = {}
        for name, load in self._parts.loads.items():
            nodes = [*load.generalized.values(), *(value for _, row in load.wrenches for value in row)]
            for row, leaf in list(self.quantities.reactions.items()):
                if any(node.leaves & leaf.leaves for node in nodes):
                    found.setdefault(row, name)
        return found

    def check_jumping(self, symbols: list[Input]) -> None:
        """That inputs which a run makes jump, though the model does not, place nothing."""
        self._check_placed(self._parts.kinematics, self._parts.elements, symbols)

    def _check_placed(self, kinematics: Kinematics, elements: list[Element], symbols: list[Input]) -> None:
        """Nothing may be placed by an input that jumps: it would have to move infinitely fast."""
        faults = []
        for symbol in symbols:
            leaf = self.quantities.convert(symbol)
            for e in elements:
                turned = [node for row in kinematics.matrix(e.body.frame) for node in row]
                if any(node.leaves & leaf.leaves for node in (*e.center, *turned)):
                    found = f"it is placed by the input '{symbol}', which is sampled and held, so it would jump"
                    faults.append(Fault(f"body '{e.body.name}'", found, "use an input that is an expression of time"))
        if faults:
            raise ModelError(faults)

    @property
    def kinematics(self) -> Kinematics:
        return self._parts.kinematics

    @cached_property
    def _composite(self) -> Composite:
        parts = self._parts
        return Composite(self.graph, parts.elements, parts.wrenches, parts.active)

    @cached_property
    def mass_matrix(self) -> list[list[Node]]:
        """M of M u' = f."""
        size = len(self.quantities.speeds)
        matrix = [[self.graph.zero] * size for _ in range(size)]
        for r in range(size):
            for s in range(r, size):
                matrix[r][s] = matrix[s][r] = self._composite.mass(r, s)
        return matrix

    @cached_property
    def forcing(self) -> list[Node]:
        """f of M u' = f."""
        generalized = self._parts.generalized
        return [value + self._composite.force(r) for r, value in enumerate(generalized)]

    @cached_property
    def tree(self) -> Branch | None:
        """The tree of speeds that the recursion runs over, or None where there is none."""
        parts = self._parts
        return speed_tree(parts.elements, parts.active, len(self.quantities.speeds))

    @cached_property
    def accelerations(self) -> list[Node]:
        """u', by whichever way takes fewer operations."""
        if self.tree is None or len(self.quantities.speeds) <= FACTORISE_UP_TO:
            return self.factorised_accelerations()
        return self.recursive_accelerations()

    def factorised_accelerations(self) -> list[Node]:
        """u' by factorising M."""
        return solve_symmetric(self.graph, self.mass_matrix, self.forcing)

    def recursive_accelerations(self) -> list[Node]:
        """u' by the articulated-body recursion."""
        parts = self._parts
        assert self.tree is not None
        inertias = [e.inertia for e in parts.elements]
        return recursive_accelerations(self.graph, self.tree, inertias, parts.wrenches, parts.generalized)

    @cached_property
    def rates(self) -> list[Node]:
        """The rates of the whole state: coordinates, speeds, signals, work."""
        quantities = self.quantities
        return [*quantities.q_rates, *self.accelerations, *quantities.s_rates, self.power]

    # -- energy ------------------------------------------------------------------------------

    @cached_property
    def kinetic_energy(self) -> Node:
        """T, the sum of m v^2 / 2 and of half the central moment times the angular velocity."""
        total = self.graph.zero
        for e in self._parts.elements:
            total = total + e.mass * vector3.dot(e.velocity, e.velocity) + vector3.dot(e.spin, e.moment)
        return total * 0.5

    @cached_property
    def potential_energy(self) -> Node:
        """V of gravity, measured from the origin, and of every potential and spring."""
        total = self.graph.zero
        local = Kinematics(self.quantities, self.kinematics.resolution, self.system.origin)
        for field in self._parts.fields:
            direction = local.vector(field)
            for body in self.system.bodies.values():
                height = vector3.dot(direction, local.position(body.center))
                total = total - self.quantities.convert(body.mass) * height
        return total + self.graph.sum(parts.energy for parts in self._parts.loads.values() if parts.energy is not None)

    @cached_property
    def power_parts(self) -> tuple[Node, list[Node]]:
        """The power that does not depend on u', and its factor of each u' (prescribed motion moves inertia)."""
        parts, graph = self._parts, self.graph
        loads = parts.loads.values()
        power = [load.power for load in loads if load.power is not None]
        constant = graph.sum([*power, *(load.drive for load in loads if load.drive is not None)])
        factors = [graph.zero] * len(self.quantities.speeds)
        for e in parts.elements:
            if REMAINDER in e.twist:
                along = pick(e.twist[REMAINDER], parts.active)
                constant = constant + graph.dot(along, [b - w for b, w in zip(e.bias, e.weight, strict=True)])
                momentum = [graph.dot(row, along) for row in e.inertia]
                for r, partial in e.twist.items():
                    if r != REMAINDER:
                        factors[r] = factors[r] + graph.dot(pick(partial, parts.active), momentum)
        return constant, factors

    @cached_property
    def power(self) -> Node:
        """How fast the work grows that non-conservative loads and prescribed motion do."""
        constant, factors = self.power_parts
        return constant + self.graph.dot(factors, self.accelerations)

    def unsolved_rates(self) -> list[Node]:
        """What :class:`detent.solves.mass_solve.MassSolve` needs: q', f, s', power, its factors of u', M."""
        constant, factors = self.power_parts
        lower = [self.mass_matrix[i][j] for i in range(len(factors)) for j in range(i + 1)]
        return [*self.quantities.q_rates, *self.forcing, *self.quantities.s_rates, constant, *factors, *lower]
