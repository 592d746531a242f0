"""M and f on the graph, to be read: as Kane's method writes them, or as the engine has them where that is long.

Kane's method keeps vectors in the frames they were written in, so a mechanism of a few bodies reads as in a textbook;
its entries grow with the square of the number of bodies, and those of the engine do not.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import Any, Final

from detent.dynamics.equations_of_motion import EquationsOfMotion
from detent.dynamics.kane import Kane
from detent.expr.graph import Node
from detent.model.measure import Measure

MOST_NODES: Final = 4000
"""Of the graph; where Kane's method would make more, the engine's form is taken."""


class TextbookMotion:
    """The equations of a system, with the loads that act, in the form that is easier to read."""

    def __init__(self, motion: EquationsOfMotion, acting: tuple[str, ...]) -> None:
        _ = motion.kinematics  # from here on measures and reactions can be read
        self.motion, self.quantities, self.graph = motion, motion.quantities, motion.graph
        self.acting = acting
        self.kane = Kane(motion.system, acting, motion.quantities)
        self._as_engine = self.quantities.convert.resolve
        self.quantities.convert.resolve = self._resolved

    def _resolved(self, symbol: Any) -> Node | None:
        """A measure written out in the frames that it is about; the engine's node of any other symbol."""
        if not isinstance(symbol, Measure):
            return None if self._as_engine is None else self._as_engine(symbol)
        return self.kane.measure(symbol)

    @property
    def switches(self) -> dict[Node, Node]:
        """What the leaves of loads that come and go stand for."""
        graph, switches = self.graph, self.quantities.switches
        return {leaf: graph.one if name in self.acting else graph.zero for name, leaf in switches.items()}

    @cached_property
    def _written(self) -> tuple[list[list[Node]], list[Node], list[Node]] | None:
        """M, f and the active forces as Kane's method writes them; None if they are long."""
        kane, numbers = self.kane, range(len(self.quantities.speeds))
        bodies, loads = kane.bodies.values(), kane.loads.values()
        mass = [[self.graph.zero] * len(numbers) for _ in numbers]
        active, forcing = [], []
        try:
            for r in numbers:
                for s in numbers[r:]:
                    mass[r][s] = mass[s][r] = self._sum(t for body in bodies for t in kane.mass_terms(body, r, s))
                active.append(self._sum(t for load in loads for t in kane.force_terms(load, r)))
                bias = self._sum(t for body in bodies for t in kane.bias_terms(body, r))
                forcing.append(bias + active[-1])
        except _TooLong:
            return None
        return mass, forcing, active

    def _sum(self, terms: Iterable[Node]) -> Node:
        most = self._most
        total = self.graph.zero
        for term in terms:
            total = total + term
            if len(self.graph) > most:
                raise _TooLong
        return total

    @cached_property
    def _most(self) -> int:
        return len(self.graph) + MOST_NODES

    @property
    def is_textbook(self) -> bool:
        """Whether this is the form of Kane's method."""
        return self._written is not None

    @property
    def mass_matrix(self) -> list[list[Node]]:
        """M of M u' = f."""
        return self.motion.mass_matrix if self._written is None else self._written[0]

    @property
    def forcing(self) -> list[Node]:
        """f of M u' = f."""
        return self.motion.forcing if self._written is None else self._written[1]

    @property
    def power_parts(self) -> tuple[Node, list[Node]]:
        return self.motion.power_parts

    def forces(self) -> tuple[list[Node], list[Node]]:
        """The generalized active forces F_r and inertia forces F_r*, which hold leaves for u'."""
        assert self._written is not None
        mass, forcing, active = self._written
        leaves = [self.graph.leaf(f"{speed.name}'") for speed in self.quantities.speeds]
        inertia = [f - a - self.graph.dot(row, leaves) for row, f, a in zip(mass, forcing, active, strict=True)]
        return active, inertia


class _TooLong(Exception):
    """An entry is not worth being written."""
