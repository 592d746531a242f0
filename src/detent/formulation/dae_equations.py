"""Constraints as differential-algebraic equations 0 = F(t, y, y'), on three levels of index.

y is the state (q, u, s and the work) followed by multipliers; W says how q and s change per unit of each speed.

    index 1    q' = W u + X                  M u' = f + B'^T lambda    0 = B u' - gamma
    index 2    q' = W u + X + W B^T mu       M u' = f + B'^T lambda    0 = B u + C,  0 = Phi
    index 3    q' = W u + X                  M u' = f + B'^T lambda    0 = Phi

The second is the stabilised form of Gear, Gupta and Leimkuhler (1985): mu, zero but for errors, lets positions satisfy
Phi = 0 beside the speeds; for speeds u = q' it is theirs. Rows that bind the motion alone stand with B u + C = 0 in the
third. A quaternion of length one is one more such row, with the multiplier nu that stretches it, except in the first.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, TypeAlias, final

from detent.dynamics.rows import RowNodes
from detent.expr.graph import Node
from detent.expr.tape import STATE, build_tape
from detent.formulation.workshop import Workshop
from detent.jit.program import Program

Index: TypeAlias = Literal[1, 2, 3]


@final
@dataclass(frozen=True)
class Unknowns:
    """How many numbers y consists of."""

    state: int
    reactions: int
    """Multipliers lambda: they follow the state."""
    stabilisers: int
    """Multipliers mu and nu, which come last."""

    @property
    def count(self) -> int:
        return self.state + self.reactions + self.stabilisers


@final
class DaeEquations:
    """The equations of some rows, on the graph."""

    def __init__(self, workshop: Workshop, rows: tuple[RowNodes, ...], index: Index) -> None:
        self._compiled, self._rows, self._index = workshop.compiled, rows, index
        self._equations = workshop.compiled.equations
        self._quantities, self._graph = self._equations.quantities, self._equations.graph

    @cached_property
    def _state(self) -> list[Node]:
        """The coordinates, speeds and signals."""
        return [*self._quantities.q, *self._quantities.u, *self._quantities.s]

    @cached_property
    def _rates(self) -> list[Node]:
        """The derivatives of the state and of the work, which the solver finds."""
        return [self._graph.leaf(f"derivative {number}") for number in range(len(self._state) + 1)]

    @cached_property
    def _reactions(self) -> list[Node]:
        return [self._graph.leaf(f"lambda {number}") for number in range(len(self._rows))]

    @cached_property
    def _placed(self) -> list[RowNodes]:
        """The rows whose positions have a multiplier of their own."""
        return [row for row in self._rows if row.phi is not None] if self._index == 2 else []

    @cached_property
    def _quaternions(self) -> list[list[Node]]:
        quaternions = self._equations.system.quaternions if self._index > 1 else ()
        return [[self._quantities.convert(part) for part in parts] for parts in quaternions]

    @cached_property
    def _stabilisers(self) -> list[Node]:
        """mu of each row with a position, then nu of each quaternion."""
        return [self._graph.leaf(f"mu {number}") for number in range(len(self._placed) + len(self._quaternions))]

    @cached_property
    def unknowns(self) -> Unknowns:
        return Unknowns(len(self._state) + 1, len(self._rows), len(self._stabilisers))

    def program(self) -> Program:
        """F, of the time and of y followed by y'."""
        count = self.unknowns.count
        places = {leaf.name: number for number, leaf in enumerate(self._state)}
        first = self.unknowns.state
        places |= {leaf.name: first + number for number, leaf in enumerate([*self._reactions, *self._stabilisers])}
        places |= {leaf.name: count + number for number, leaf in enumerate(self._rates)}
        inputs = {**self._compiled.inputs, **{name: (STATE, place) for name, place in places.items()}}
        outputs = [*self._kinematics(), *self._work(), *self._constraints()]
        return Program(build_tape(outputs, inputs, self._quantities.bound))

    # -- the equations -----------------------------------------------------------------------------

    def _kinematics(self) -> Iterator[Node]:
        """The equations of q, of u and of s, in this order."""
        q, u = len(self._quantities.q), len(self._quantities.u)
        for number, rate in enumerate(self._quantities.q_rates):
            yield self._rates[number] - rate - self._stretch(number, self._state[number])
        yield from self._dynamics()
        for number, rate in enumerate(self._quantities.s_rates):
            yield self._rates[q + u + number] - rate - self._stretch(q + number, self._state[q + u + number])

    @cached_property
    def _accelerations(self) -> list[Node]:
        first = len(self._quantities.q)
        return self._rates[first : first + len(self._quantities.u)]

    @cached_property
    def _push(self) -> list[Node]:
        """B^T mu, an entry for each speed."""
        terms = [(row.B, mu) for row, mu in zip(self._placed, self._stabilisers, strict=False)]
        return [self._graph.sum([B[r] * mu for B, mu in terms if r in B]) for r in range(len(self._quantities.u))]

    def _stretch(self, number: int, leaf: Node) -> Node:
        """What the multipliers mu and nu add to the rate of a coordinate or signal."""
        speeds, first = len(self._quantities.u), len(self._placed)
        turn = self._quantities.turn[number * speeds : (number + 1) * speeds]
        added = self._graph.dot(turn, self._push) if self._placed else self._graph.zero
        for quaternion, nu in zip(self._quaternions, self._stabilisers[first:], strict=True):
            if leaf in quaternion:
                added = added + leaf * nu
        return added

    def _dynamics(self) -> Iterator[Node]:
        M, f, graph = self._equations.mass_matrix, self._equations.forcing, self._graph
        pushes = list(zip((row.reaction for row in self._rows), self._reactions, strict=True))
        for r, line in enumerate(M):
            pushed = graph.sum([along[r] * reaction for along, reaction in pushes if r in along])
            yield graph.dot(line, self._accelerations) - f[r] - pushed

    def _work(self) -> Iterator[Node]:
        """The power of what is not conservative, that of reactions too: what errors let them do must not be lost."""
        constant, factors = self._equations.power_parts
        power = constant + self._graph.dot(factors, self._accelerations)
        for row, reaction in zip(self._rows, self._reactions, strict=True):
            power = power + reaction * self._along(row.reaction, self._quantities.u)
        yield self._rates[-1] - power

    def _constraints(self) -> Iterator[Node]:
        for row in self._rows:
            if self._index == 1:
                yield self._along(row.B, self._accelerations) - row.gamma
            elif self._index == 3 and row.phi is not None:
                yield row.phi
            else:
                yield self._along(row.B, self._quantities.u) + row.C
        yield from (row.phi for row in self._placed if row.phi is not None)
        for quaternion in self._quaternions:
            yield self._graph.dot(quaternion, quaternion) - self._graph.one

    def _along(self, row: dict[int, Node], numbers: list[Node]) -> Node:
        return self._graph.dot(list(row.values()), [numbers[r] for r in row])
