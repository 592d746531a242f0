"""Kane's equations of a system, to read.

F_r + F_r* = 0 for every speed u_r, or M u' = f, with F_r and F_r* the generalized active and inertia forces
(Kane and Levinson, Dynamics: Theory and Applications, 1985). M and f are sums of what the elements bring:
M = sum of M_k, f = sum of G_k (seed 004, equations (5) to (8)).
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import sympy

from detent.dynamics.equations_of_motion import EquationsOfMotion
from detent.dynamics.kane import Kane
from detent.dynamics.quantity_names import QuantityNames
from detent.dynamics.sheet import Block, Part, Sheet, SheetLine
from detent.dynamics.sheet_parts import mass_and_forcing, rates_of, speeds_of
from detent.dynamics.shown_equations import ShownEquations
from detent.dynamics.textbook import TextbookMotion
from detent.dynamics.tidy import tidied
from detent.errors import DetentError, UnknownNameError, ValueProblem
from detent.expr.graph import Node
from detent.expr.to_sympy import to_sympy
from detent.model.quantity import Acceleration, Coordinate, Rate, Speed
from detent.model.system import System

FORCES_UP_TO: Final = 250
"""Operations in M and f up to which F_r and F_r*, which say the same once more, are shown too."""


@dataclass(frozen=True, eq=False)
class Equations(ShownEquations):
    """Kane's equations of a system as SymPy expressions, each derived when it is first asked for.

    Shown as text, LaTeX or in a notebook they are written from the graph, which takes no algebra: what several entries
    share is named once, ``z1 = ...``, and nothing is left out. ``limit``: the number of operations on a line, above
    which sums in it are named.

    >>> import detent
    >>> system = detent.System("pendulum")
    >>> m, l, g = system.parameters(m=1, l=1, g=9.81)
    >>> q = system.coordinates("q")
    >>> rod = system.ground.rotated("rod", q)
    >>> bob = system.particle("bob", system.origin.offset("tip", -l*rod.y), mass=m)
    >>> system.gravity(-g*system.ground.y)
    >>> equations = detent.Equations(system)
    >>> equations.mass_matrix, equations.forcing
    (Matrix([[l**2*m]]), Matrix([[-g*l*m*sin(q)]]))
    >>> equations.show()
    pendulum: Kane's equations
    ...
    M u' = f
      M[q', q'] = l**2*m
      f[q'] = -g*l*m*sin(q)
    """

    system: System
    limit: int = 200
    acting: tuple[str, ...] = ()
    """Of the loads that come and go, those that act."""

    def __post_init__(self) -> None:
        if not (isinstance(self.limit, int) and self.limit > 0):
            raise ValueProblem(
                f"the limit of the equations is {self.limit!r}; give a whole number of operations above 0"
            )
        _ = self._kane, self._textbook  # derived from the system as it is now, whatever is added to it later

    @cached_property
    def _kane(self) -> Kane:
        return Kane(self.system, self.acting)

    # -- names -------------------------------------------------------------------------------

    @property
    def speeds(self) -> tuple[Speed, ...]:
        """The generalized speeds u, in the order of the rows of M and f."""
        return tuple(self._kane.quantities.speeds)

    @property
    def coordinates(self) -> tuple[Coordinate, ...]:
        """The generalized coordinates q."""
        return tuple(self._kane.quantities.coordinates)

    @cached_property
    def accelerations(self) -> tuple[Acceleration, ...]:
        """The symbols u' that appear in the inertia forces, in the order of the speeds."""
        return tuple(Acceleration(speed.owner, f"{speed.name}'") for speed in self.speeds)

    @property
    def _symbols(self) -> dict[str, Any]:
        system, quantities = self.system, self._kane.quantities
        named = [*system.quantities(), *quantities.speeds, *self.accelerations]
        reactions = {leaf.name: system.reaction(name) for name, leaf in quantities.reactions.items()}
        return {system.time.name: system.time, **{symbol.name: symbol for symbol in named}, **reactions}

    # -- streams of terms --------------------------------------------------------------------

    def _mass(self, r: int, s: int) -> Iterator[Node]:
        return itertools.chain.from_iterable(self._kane.mass_terms(body, r, s) for body in self._kane.bodies.values())

    def _active(self, r: int) -> Iterator[Node]:
        return itertools.chain.from_iterable(self._kane.force_terms(load, r) for load in self._kane.loads.values())

    def _bias(self, r: int) -> Iterator[Node]:
        return itertools.chain.from_iterable(self._kane.bias_terms(body, r) for body in self._kane.bodies.values())

    def _forcing(self, r: int) -> Iterator[Node]:
        return itertools.chain(self._bias(r), self._active(r))

    def _inertia(self, r: int) -> Iterator[Node]:
        leaves = [self._kane.graph.leaf(symbol.name) for symbol in self.accelerations]
        for body in self._kane.bodies.values():
            for s, leaf in enumerate(leaves):
                yield from (-(term * leaf) for term in self._kane.mass_terms(body, r, s))
            yield from self._kane.bias_terms(body, r)

    def _written(self, terms: Iterable[Node]) -> Any:
        return tidied(sympy.Add(*to_sympy(list(terms), self._symbols)), self._masses)

    @cached_property
    def _masses(self) -> list[Any]:
        return sorted({symbol for body in self._kane.bodies.values() for symbol in body.mass.free_symbols}, key=str)

    # -- the equations -----------------------------------------------------------------------

    @cached_property
    def kinematic(self) -> dict[str, Any]:
        """The rates q' = W u + X of the coordinates and s' of the signals, by the name of what changes."""
        return {rate.name.removesuffix("'"): self._written([node]) for rate, node in self._rates()}

    def _rates(self) -> list[tuple[Rate, Node]]:
        quantities = self._kane.quantities
        symbols = [*quantities.coordinates, *quantities.signals]
        nodes = [*quantities.q_rates, *quantities.s_rates]
        followed = [leaf.name for leaf in quantities.followed]  # they follow the motion, which is not affected by them
        rates = [(symbol, node) for symbol, node in zip(symbols, nodes, strict=True) if symbol.name not in followed]
        return [(Rate(symbol.owner, f"{symbol.name}'"), node) for symbol, node in rates]

    @cached_property
    def mass_matrix(self) -> Any:
        """M of M u' = f, a SymPy matrix."""
        return self._matrix(self._mass)

    @cached_property
    def forcing(self) -> Any:
        """f of M u' = f, a SymPy column."""
        return self._column(self._forcing)

    @cached_property
    def active_forces(self) -> dict[str, Any]:
        """The generalized active forces F_r, by the name of the speed."""
        return {speed.name: self._written(self._active(r)) for r, speed in enumerate(self.speeds)}

    @cached_property
    def inertia_forces(self) -> dict[str, Any]:
        """The generalized inertia forces F_r*, by the name of the speed; they hold the symbols u'."""
        return {speed.name: self._written(self._inertia(r)) for r, speed in enumerate(self.speeds)}

    @cached_property
    def kinetic_energy(self) -> Any:
        """T, the sum of m v.v/2 + w.I.w/2 over the bodies, in joules."""
        bodies = self._kane.bodies.values()
        return self._written(itertools.chain.from_iterable(self._kane.kinetic_terms(body) for body in bodies))

    @cached_property
    def potential_energy(self) -> Any:
        """V of gravity (zero at the origin), of springs and of potentials, in joules."""
        return self._written(self._kane.potential_terms())

    def element(self, name: str) -> Any:
        """What one element brings: (M_k, G_k) of a body, the generalized force G_k of a load.

        M is the sum of all M_k, f the sum of all G_k; the G_k of a body is its inertia force without u'.

        >>> import detent
        >>> system = detent.System("falling block")
        >>> m, g = system.parameters(m=1, g=9.81)
        >>> y = system.coordinates("y")
        >>> block = system.particle("block", system.origin.offset("p", y*system.ground.y), mass=m)
        >>> system.gravity(-g*system.ground.y)
        >>> system.equations().element("block")
        (Matrix([[m]]), Matrix([[0]]))
        >>> system.equations().element("gravity")
        Matrix([[-g*m]])
        """
        kane = self._kane
        if name in kane.bodies and name in kane.loads:
            raise DetentError(f"'{name}' is both a body and a load; give one of them another name to read its part")
        if name in kane.bodies:
            body = kane.bodies[name]
            matrix = self._matrix(lambda r, s: kane.mass_terms(body, r, s))
            return matrix, self._column(lambda r: kane.bias_terms(body, r))
        if name in kane.loads:
            load = kane.loads[name]
            return self._column(lambda r: kane.force_terms(load, r))
        raise UnknownNameError(name, [*kane.bodies, *kane.loads], what="body or load")

    def _matrix(self, terms: Callable[[int, int], Iterator[Node]]) -> Any:
        size = len(self.speeds)
        matrix = sympy.zeros(size, size)
        for r in range(size):
            for s in range(r, size):
                matrix[r, s] = matrix[s, r] = self._written(terms(r, s))
        return matrix.as_immutable()

    def _column(self, terms: Callable[[int], Iterator[Node]]) -> Any:
        size = len(self.speeds)
        return sympy.ImmutableMatrix(size, 1, [self._written(terms(r)) for r in range(size)])

    # -- on display --------------------------------------------------------------------------

    @cached_property
    def _textbook(self) -> TextbookMotion:
        return TextbookMotion(EquationsOfMotion(self.system), self.acting)

    @cached_property
    def _sheet(self) -> Sheet:
        """What is shown: rates, M and f, and the forces F_r and F_r* before them where they are short."""
        motion = self._textbook
        names = QuantityNames(self.system, motion.quantities)
        numbers = {speed.name: number for number, speed in enumerate(motion.quantities.speeds, 1)}
        reactions = set(motion.quantities.reactions.values())
        bound = {**motion.quantities.bound, **motion.switches}
        bound = {leaf: node for leaf, node in bound.items() if leaf not in reactions}  # they are shown by name
        title = f"{self.system.name}: Kane's equations"
        first: list[Part] = [rates_of(motion.quantities, names), speeds_of(numbers, names, "u")]
        last = mass_and_forcing(motion.mass_matrix, motion.forcing, numbers, names)
        sheet = Sheet(title, [*first, last], names, bound, self.limit)
        if not motion.is_textbook or sheet.listing.operations > FORCES_UP_TO:
            return sheet
        return Sheet(title, [*first, *_forces(motion, numbers, names), last], names, bound, self.limit)

    def __repr__(self) -> str:
        return f"<equations of '{self.system.name}': {len(self.speeds)} speeds>"


def _forces(motion: TextbookMotion, numbers: dict[str, int], names: QuantityNames) -> list[Part]:
    active, inertia = motion.forces()
    pairs = [("F", "F", active), ("F*", "F^{*}", inertia)]
    made = [
        tuple(
            SheetLine(f"{text}[{names.text(name)}]", f"{latex}_{{{number}}}", node)
            for (name, number), node in zip(numbers.items(), nodes, strict=True)
        )
        for text, latex, nodes in pairs
    ]
    return [
        Block("generalized active forces F_r", made[0]),
        Block("generalized inertia forces F_r*, with F_r + F_r* = 0", made[1]),
    ]
