"""Kane's equations of a system, to read.

F_r + F_r* = 0 for every speed u_r, or M u' = f, with F_r and F_r* the generalized active and inertia forces
(Kane and Levinson, Dynamics: Theory and Applications, 1985). M and f are sums of what the elements bring:
M = sum of M_k, f = sum of G_k (seed 004, equations (5) to (8)).
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import sympy

from detent.dynamics.kane import Kane
from detent.dynamics.tidy import tidied
from detent.errors import DetentError, UnknownNameError, ValueProblem
from detent.expr.graph import Node
from detent.expr.to_sympy import to_sympy, tree_size
from detent.model.quantity import Acceleration, Coordinate, Rate, Speed
from detent.model.system import System

COUNTED: Final = 10
"""An entry is counted up to this many times the limit, and not built any further."""

MOST_ROWS: Final = 8
FIRST_ROWS: Final = 4
"""With more speeds than MOST_ROWS, only this many are shown."""

MATRIX_UP_TO: Final = 60
"""Operations in a mass matrix that is set as a matrix; a larger one is listed entry by entry."""

ALL: Final = "full=True shows all"


@dataclass(frozen=True)
class _Cut:
    """Stands for an entry that is too long to show."""

    operations: int
    counted: bool
    """Whether that is their number, or only what it exceeds."""

    @property
    def size(self) -> str:
        return f"{self.operations} operations" if self.counted else f"more than {self.operations} operations"


@dataclass(frozen=True)
class _Shown:
    """What of the equations is on display, as (left side, expression or cut)."""

    kinematic: list[tuple[Any, Any]]
    active: list[tuple[Any, Any]]
    inertia: list[tuple[Any, Any]]
    mass: list[tuple[Any, Any, Any]]
    forcing: list[tuple[Any, Any]]
    notes: list[str]

    def whole_matrix(self, size: int) -> bool:
        """Whether M is small enough to be set as a matrix."""
        entries = [value for *_, value in self.mass]
        if len(entries) != size * (size + 1) // 2 or any(isinstance(value, _Cut) for value in entries):
            return False
        return bool(sum(sympy.count_ops(value) for value in entries) <= MATRIX_UP_TO)


@dataclass(frozen=True, eq=False)
class Equations:
    """Kane's equations of a system as SymPy expressions, each derived when it is first asked for.

    ``limit``: the number of operations above which an entry is cut short when it is shown; the expressions
    themselves are always whole.

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
      M[q_rate, q_rate] = l**2*m
      f[q_rate] = -g*l*m*sin(q)
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
        _ = self._kane  # derived from the system as it is now, whatever is added to it later

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

    def _entry(self, terms: Iterator[Node], full: bool) -> Any:
        """The expression, or what is said in its place."""
        kept, size, most = [], 0, COUNTED * self.limit
        for term in terms:
            kept.append(term)
            size += 1 + tree_size(term)
            if not full and size > most:
                return _Cut(most, counted=False)
        written = self._written(kept)
        operations = int(sympy.count_ops(written))
        return written if full or operations <= self.limit else _Cut(operations, counted=True)

    def _shown(self, full: bool) -> _Shown:
        rates, numbers = self._rates(), range(len(self.speeds))
        rows = list(numbers if full or len(numbers) <= MOST_ROWS else numbers[:FIRST_ROWS])
        first = len(rates) if full or len(rates) <= MOST_ROWS else FIRST_ROWS
        named = [(r, self.speeds[r]) for r in rows]
        shown = _Shown(
            kinematic=[(rate, self._entry(iter([node]), full)) for rate, node in rates[:first]],
            active=[(speed, self._entry(self._active(r), full)) for r, speed in named],
            inertia=[(speed, self._entry(self._inertia(r), full)) for r, speed in named],
            mass=[(a, b, self._entry(self._mass(r, s), full)) for r, a in named for s, b in named if s >= r],
            forcing=[(speed, self._entry(self._forcing(r), full)) for r, speed in named],
            notes=[],
        )
        if len(rows) < len(numbers):
            shown.notes.append(f"{len(rows)} of {len(numbers)} speeds are shown; {ALL}")
        elif first < len(rates):
            shown.notes.append(f"{first} of {len(rates)} rates of coordinates and signals are shown; {ALL}")
        everything = [*shown.kinematic, *shown.active, *shown.inertia, *shown.mass, *shown.forcing]
        cut = sum(isinstance(value, _Cut) for *_, value in everything)
        if cut:
            entries = "1 entry is" if cut == 1 else f"{cut} entries are"
            shown.notes.append(f"{entries} longer than {self.limit} operations; {ALL}")
        return shown

    def text(self, full: bool = False) -> str:
        """The equations as plain text; ``full``: with nothing cut short."""
        shown = self._shown(full)
        lines = [f"{self.system.name}: Kane's equations", ""]
        lines += [f"{rate} = {_plain(value)}" for rate, value in shown.kinematic]
        lines += ["", "generalized active forces F_r"]
        lines += [f"  F[{speed}] = {_plain(value)}" for speed, value in shown.active]
        lines += ["", "generalized inertia forces F_r*, with F_r + F_r* = 0"]
        lines += [f"  F*[{speed}] = {_plain(value)}" for speed, value in shown.inertia]
        lines += ["", "M u' = f" + (", M symmetric; zeros are left out" if len(shown.active) > 1 else "")]
        lines += [f"  M[{a}, {b}] = {_plain(value)}" for a, b, value in shown.mass if value != 0]
        lines += [f"  f[{speed}] = {_plain(value)}" for speed, value in shown.forcing]
        return "\n".join([*lines, *([""] if shown.notes else []), *shown.notes])

    def latex(self, full: bool = False) -> str:
        """The equations as LaTeX for mathematics mode; ``full``: with nothing cut short."""
        shown = self._shown(full)
        name = sympy.latex
        lines = [rf"{name(rate)} &= {_set(value)}" for rate, value in shown.kinematic]
        lines += [rf"F_{{{name(speed)}}} &= {_set(value)}" for speed, value in shown.active]
        lines += [rf"F^{{*}}_{{{name(speed)}}} &= {_set(value)}" for speed, value in shown.inertia]
        if shown.whole_matrix(len(self.speeds)):
            size, values = len(self.speeds), iter([value for *_, value in shown.mass])
            upper = {(r, s): next(values) for r in range(size) for s in range(r, size)}
            matrix = sympy.Matrix(size, size, lambda r, s: upper[min(r, s), max(r, s)])
            lines.append(rf"M &= {name(matrix)}")
        else:
            entries = [entry for entry in shown.mass if entry[2] != 0]
            lines += [rf"M_{{{name(a)},{name(b)}}} &= {_set(value)}" for a, b, value in entries]
        lines += [rf"f_{{{name(speed)}}} &= {_set(value)}" for speed, value in shown.forcing]
        lines += [rf"&\text{{{note}}}" for note in shown.notes]
        return "\\begin{aligned}\n" + " \\\\\n".join(lines) + "\n\\end{aligned}"

    def show(self, full: bool = False) -> None:
        """Show the equations: set as LaTeX in a notebook, as text anywhere else."""
        ipython = sys.modules.get("IPython")  # a notebook has imported it; nobody else needs it
        shell = None if ipython is None else ipython.get_ipython()
        if ipython is None or not hasattr(shell, "kernel"):
            print(self.text(full))
        else:
            ipython.display.display(ipython.display.Math(self.latex(full)))

    def _repr_latex_(self) -> str:
        return f"$\\displaystyle {self.latex()}$"

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        return f"<equations of '{self.system.name}': {len(self.speeds)} speeds>"


def _plain(value: Any) -> str:
    return f"... ({value.size})" if isinstance(value, _Cut) else str(value)


def _set(value: Any) -> str:
    return rf"\cdots\ \text{{({value.size})}}" if isinstance(value, _Cut) else str(sympy.latex(value))
