"""Constraints embedded: the minimal equations of one mode, on the graph.

With the speeds split into independent u_i and dependent u_d (:mod:`detent.dynamics.partition`),

    u_d = D u_i + E,        u_d' = D u_i' + e,        T = [1; D],
    T'^T M T u_i' = T'^T (f - M c),                   c = [0; e]

Without sliding friction T' = T: Kane's recombination F~_r = F_r + sum D_sr F_s (Kane and Levinson 1985;
Gillespie et al. 2006, equations 13 and 14). With it, T' is built from the rows B' along which the reactions
push, so that T'^T B'^T = 0 and the equations stay minimal. The reactions follow from the dependent rows,

    B'_d^T lambda = (M u' - f)_d,

positive where they push towards larger Phi (or along the motion row).
"""

from __future__ import annotations

from functools import cached_property
from typing import Protocol

from detent.dynamics.partition import Partition
from detent.dynamics.quantities import Quantities
from detent.dynamics.rows import RowNodes
from detent.expr.graph import Graph, Node
from detent.expr.linear import MOST_UNKNOWNS, solve_general, solve_symmetric

Nodes = list[Node]


class UnsolvedMotion(Protocol):
    """M u' = f on a graph, in whatever form."""

    @property
    def graph(self) -> Graph: ...

    @property
    def quantities(self) -> Quantities: ...

    @property
    def mass_matrix(self) -> list[Nodes]: ...

    @property
    def forcing(self) -> Nodes: ...

    @property
    def power_parts(self) -> tuple[Node, Nodes]:
        """The power that does not depend on u', and its factor of each u'."""


class MinimalForm:
    """The equations of one mode: which rows are active and which speeds depend on the others."""

    def __init__(self, equations: UnsolvedMotion, rows: tuple[RowNodes, ...], partition: Partition) -> None:
        self.equations = equations
        self.graph: Graph = equations.graph
        self.rows = tuple(rows[number] for number in partition.rows)
        self.independent, self.dependent = partition.independent, partition.dependent

    def _columns(self, row: dict[int, Node], speeds: tuple[int, ...]) -> Nodes:
        return [row.get(r, self.graph.zero) for r in speeds]

    @cached_property
    def _solved(self) -> tuple[list[Nodes], Nodes, Nodes]:
        """D, the dependent speeds u_d, and e: all from one elimination of the dependent columns."""
        graph, u = self.graph, self.equations.quantities.u
        count, free = len(self.independent), [u[i] for i in self.independent]
        square = [self._columns(row.B, self.dependent) for row in self.rows]
        right = []
        for row in self.rows:
            own = self._columns(row.B, self.independent)
            # u_d has a column of its own: by D u_i it would wait for D, and everything that moves waits for u_d.
            right.append([*(-value for value in own), -(graph.dot(own, free) + row.C), row.gamma])
        solved = solve_general(graph, square, right, MOST_UNKNOWNS)
        return [line[:count] for line in solved], [line[count] for line in solved], [line[-1] for line in solved]

    @property
    def D(self) -> list[Nodes]:
        return self._solved[0]

    @cached_property
    def bound(self) -> dict[Node, Node]:
        """What leaves stand for in this mode: dependent speeds for their value, measures for theirs."""
        u = self.equations.quantities.u
        values = {u[r]: value for r, value in zip(self.dependent, self._solved[1], strict=True)}
        return {**self.equations.quantities.bound, **values}

    @property
    def is_symmetric(self) -> bool:
        """Whether the reduced mass matrix is: reactions push along the rows themselves."""
        return self._push is self.D

    @cached_property
    def _push(self) -> list[Nodes]:
        """D' of T' = [1; D']: D itself without sliding friction."""
        if not any(row.slides for row in self.rows):
            return self.D
        square = [self._columns(row.reaction, self.dependent) for row in self.rows]
        right = [[-v for v in self._columns(row.reaction, self.independent)] for row in self.rows]
        return solve_general(self.graph, square, right, MOST_UNKNOWNS)

    @cached_property
    def mass_matrix(self) -> list[Nodes]:
        """T'^T M T, over the independent speeds."""
        M, graph = self.equations.mass_matrix, self.graph
        free, bound, D, push = self.independent, self.dependent, self.D, self._push
        # M T, one column per independent speed
        moved = [[M[r][j] + graph.dot([M[r][d] for d in bound], [line[k] for line in D]) for k, j in enumerate(free)]
                 for r in range(len(M))]  # fmt: skip
        same = push is D
        size = len(free)
        reduced = [[graph.zero] * size for _ in range(size)]
        for a, i in enumerate(free):
            for b in range(a if same else 0, size):
                below = graph.dot([line[a] for line in push], [moved[d][b] for d in bound])
                reduced[a][b] = moved[i][b] + below
                if same:
                    reduced[b][a] = reduced[a][b]
        return reduced

    @cached_property
    def forcing(self) -> Nodes:
        """T'^T (f - M c)."""
        M, f, graph, e = self.equations.mass_matrix, self.equations.forcing, self.graph, self._solved[2]
        rest = [f[r] - graph.dot([M[r][d] for d in self.dependent], e) for r in range(len(f))]
        return [
            rest[i] + graph.dot([line[a] for line in self._push], [rest[d] for d in self.dependent])
            for a, i in enumerate(self.independent)
        ]

    @cached_property
    def accelerations(self) -> Nodes:
        """u' of all speeds."""
        graph = self.graph
        free: Nodes = []
        if self.independent:
            if self.is_symmetric:
                free = solve_symmetric(graph, self.mass_matrix, self.forcing)
            else:
                right = [[value] for value in self.forcing]
                free = [line[0] for line in solve_general(graph, self.mass_matrix, right)]
        result = [graph.zero] * len(self.equations.quantities.u)
        for r, value in zip(self.independent, free, strict=True):
            result[r] = value
        for r, line, rest in zip(self.dependent, self.D, self._solved[2], strict=True):
            result[r] = graph.dot(line, free) + rest
        return result

    @cached_property
    def reactions(self) -> dict[str, Node]:
        """The reaction of each row that is kept, by its name; those of redundant rows are not unique and left out."""
        M, f, graph, rates = self.equations.mass_matrix, self.equations.forcing, self.graph, self.accelerations
        excess = [[graph.dot(M[d], rates) - f[d]] for d in self.dependent]
        transposed = [[row.reaction.get(d, graph.zero) for row in self.rows] for d in self.dependent]
        solved = solve_general(graph, transposed, excess, MOST_UNKNOWNS)
        return {row.name: line[0] for row, line in zip(self.rows, solved, strict=True)}

    @cached_property
    def power(self) -> Node:
        """The power of non-conservative loads, prescribed motion and reactions (friction, driven constraints)."""
        graph, u = self.graph, self.equations.quantities.u
        constant, factors = self.equations.power_parts
        total = constant + graph.dot(factors, self.accelerations)
        for row in self.rows:
            if row.slides or not row.C.is_zero:
                along = graph.dot(list(row.reaction.values()), [u[r] for r in row.reaction])
                total = total + self.reactions[row.name] * along
        return total

    @cached_property
    def rates(self) -> Nodes:
        """The rates of the whole state; dependent speeds in them are those of :attr:`bound`."""
        quantities = self.equations.quantities
        return [*quantities.q_rates, *self.accelerations, *quantities.s_rates, self.power]
