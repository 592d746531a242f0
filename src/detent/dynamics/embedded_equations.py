"""The equations of a mode, to read: which speeds are independent, D, and the reduced M and f.

    u_d = D u_i + E,        M~ u_i' = f~,        M~ = T'^T M T,        f~ = T'^T (f - M c),        T = [1; D]

(Gillespie et al. 2006, equations 12 to 16; T' is T unless a row slides or a load is written with its reaction, see
:mod:`detent.dynamics.minimal_form`). Dependent speeds stay in f~ by name: the first line says what they are.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import sympy

from detent.dynamics.equations import Equations
from detent.dynamics.equations_of_motion import EquationsOfMotion
from detent.dynamics.minimal_form import MinimalForm
from detent.dynamics.partition import Partition
from detent.dynamics.quantity_names import QuantityNames
from detent.dynamics.rows import RowNodes, read_constraint
from detent.dynamics.sheet import Block, Part, Sheet, SheetLine, Statements
from detent.dynamics.sheet_parts import mass_and_forcing, rates_of, speeds_of, told_row
from detent.dynamics.shown_equations import ShownEquations
from detent.dynamics.textbook import TextbookMotion
from detent.dynamics.tidy import tidied
from detent.expr.graph import Node
from detent.expr.to_sympy import to_sympy
from detent.model.constraint import Constraint
from detent.model.quantity import Reaction, Speed
from detent.model.system import System


@dataclass(frozen=True, eq=False)
class EmbeddedEquations(ShownEquations):
    """The minimal equations of one mode as SymPy expressions, for a given choice of dependent speeds.

    >>> import detent
    >>> system = detent.System("disk rolling down")
    >>> m, J, r, g, tilt = system.parameters(m=1, J=0.5, r=1, g=9.8, tilt=0.26)
    >>> q1, q2 = system.coordinates("q1", "q2")
    >>> u1, u2 = system.speeds(u1=q1.rate, u2=r*q2.rate)
    >>> ramp = system.ground.rotated("ramp", tilt)
    >>> hub = system.origin.offset("hub", q1*ramp.x + r*ramp.y)
    >>> disk = system.body("disk", center=hub, frame=ramp.rotated("disk", q2), mass=m, inertia=J)
    >>> system.gravity(-g*system.ground.y)
    >>> roll = system.constrain(detent.motion("roll", u1 + u2))
    >>> equations = detent.equations(system)
    >>> equations.D, equations.mass_matrix, equations.forcing
    (Matrix([[-1]]), Matrix([[J/r**2 + m]]), Matrix([[g*m*sin(tilt)]]))
    """

    system: System
    constraints: tuple[Constraint, ...]
    dependent: tuple[str, ...]
    """The names of the dependent speeds, one for each row that is kept."""
    rows: tuple[str, ...]
    """The names of those rows."""
    limit: int = 200
    acting: tuple[str, ...] = ()
    """Of the loads that come and go, those that act."""

    def __repr__(self) -> str:
        held, count = ", ".join(f"'{each.name}'" for each in self.constraints), len(self.independent)
        return f"<equations of '{self.system.name}' with {held or 'no constraint'}: {count} independent speeds>"

    @cached_property
    def _motion(self) -> EquationsOfMotion:
        return EquationsOfMotion(self.system)

    @cached_property
    def _free(self) -> Equations:
        return Equations(self.system, self.limit, self.acting)

    @cached_property
    def speeds(self) -> tuple[Speed, ...]:
        """All speeds."""
        return tuple(self._motion.quantities.speeds)

    @property
    def independent(self) -> tuple[str, ...]:
        """The names of the independent speeds."""
        return tuple(speed.name for speed in self.speeds if speed.name not in self.dependent)

    @cached_property
    def _rows(self) -> list[RowNodes]:
        every = [row for c in self.constraints for row in read_constraint(self._motion, c)]
        return [row for name in self.rows for row in every if row.name == name]

    def _written(self, nodes: list[Node]) -> list[Any]:
        quantities = self._motion.quantities
        named = [*self.system.quantities(), *quantities.speeds]
        symbols = {self.system.time.name: self.system.time, **{symbol.name: symbol for symbol in named}}
        graph = quantities.graph
        switched = {
            leaf: graph.one if name in self.acting else graph.zero for name, leaf in quantities.switches.items()
        }
        return [tidied(value, []) for value in to_sympy(nodes, symbols, {**quantities.bound, **switched})]

    def _columns(self, names: tuple[str, ...], pushed: bool = False) -> Any:
        """Columns of B, or of B' along which the reactions push."""
        zero = self._motion.graph.zero
        numbers = [number for name in names for number, speed in enumerate(self.speeds) if speed.name == name]
        rows = [row.reaction if pushed else row.B for row in self._rows]
        cells = self._written([row.get(r, zero) for row in rows for r in numbers])
        return sympy.Matrix(len(self._rows), len(numbers), cells)

    @cached_property
    def _push(self) -> Any:
        """T', transposed."""
        factors = self._solved[0]
        if any(row.slides for row in self._rows):
            right = -self._columns(self.independent, pushed=True)
            factors = self._columns(self.dependent, pushed=True).LUsolve(right).applyfunc(sympy.cancel)
        return sympy.Matrix.vstack(sympy.eye(len(self.independent)), factors).T

    @cached_property
    def _solved(self) -> tuple[Any, Any, Any]:
        rows = self._rows
        square = self._columns(self.dependent)
        right = sympy.Matrix.hstack(
            -self._columns(self.independent),
            -sympy.Matrix(self._written([row.C for row in rows])),
            sympy.Matrix(self._written([row.gamma for row in rows])),
        )
        solved = square.LUsolve(right).applyfunc(lambda value: tidied(sympy.cancel(value), []))
        count = len(self.independent)
        return solved[:, :count], solved[:, count], solved[:, count + 1]

    @property
    def D(self) -> Any:
        """The factors of the independent speeds in the dependent ones."""
        return self._solved[0].as_immutable()

    @property
    def E(self) -> Any:
        """What the dependent speeds are when the independent ones are zero."""
        return self._solved[1].as_immutable()

    def _ordered(self) -> tuple[Any, Any]:
        """M and f, independent speeds first."""
        order = [
            n for name in (*self.independent, *self.dependent) for n, s in enumerate(self.speeds) if s.name == name
        ]
        M, f = self._free.mass_matrix, self._free.forcing
        return M.extract(order, order), f.extract(order, [0])

    @cached_property
    def mass_matrix(self) -> Any:
        """T'^T M T, over the independent speeds."""
        M, _ = self._ordered()
        T = sympy.Matrix.vstack(sympy.eye(len(self.independent)), self._solved[0])
        return (self._push * M * T).applyfunc(lambda value: tidied(sympy.expand(value), [])).as_immutable()

    @cached_property
    def forcing(self) -> Any:
        """T'^T (f - M c), over the independent speeds."""
        M, f = self._ordered()
        f = f.subs(dict.fromkeys(f.atoms(Reaction), 0))  # they have moved into T'
        c = sympy.Matrix.vstack(sympy.zeros(len(self.independent), 1), self._solved[2])
        return (self._push * (f - M * c)).applyfunc(lambda value: tidied(sympy.expand(value), [])).as_immutable()

    # -- on display --------------------------------------------------------------------------

    @cached_property
    def _sheet(self) -> Sheet:
        """What is shown: rows, dependent speeds and rates, and M and f, all in the independent speeds alone."""
        textbook = TextbookMotion(EquationsOfMotion(self.system), self.acting)
        motion = textbook.motion
        every = [row for c in self.constraints for row in read_constraint(motion, c)]
        form = MinimalForm(textbook, tuple(every), self._partition(every))
        names = QuantityNames(self.system, motion.quantities)
        numbers = {name: number for number, name in enumerate(self.independent, 1)}
        parts: list[Part] = [
            Statements("rows", tuple(told_row(row, row.name in self.rows) for c in self.constraints for row in c.rows)),
            self._dependents(form, names),
            rates_of(motion.quantities, names),
            speeds_of(numbers, names, r"u_{\mathrm{i}}"),
            mass_and_forcing(form.mass_matrix, form.forcing, numbers, names, reduced=True, symmetric=form.is_symmetric),
        ]
        title = f"{self.system.name}: equations of the mode '{self._mode_name}'"
        return Sheet(title, parts, names, {**form.bound, **textbook.switches}, self.limit)

    def _partition(self, every: list[RowNodes]) -> Partition:
        speeds, rows = [speed.name for speed in self.speeds], [row.name for row in every]
        dependent = tuple(speeds.index(name) for name in self.dependent)
        kept = tuple(rows.index(name) for name in self.rows)
        independent = tuple(r for r in range(len(speeds)) if r not in dependent)
        return Partition(kept, dependent, independent, tuple(r for r in range(len(rows)) if r not in kept), ())

    def _dependents(self, form: MinimalForm, names: QuantityNames) -> Block:
        leaves = form.equations.quantities.u
        lines = [SheetLine(names.text(name), names.latex(name), form.bound[leaves[r]])
                 for name, r in zip(self.dependent, form.dependent, strict=True)]  # fmt: skip
        through = ", ".join(self.rows)
        return Block(f"dependent speeds, through {through}", tuple(lines))

    @property
    def _mode_name(self) -> str:
        return " + ".join(sorted(constraint.name for constraint in self.constraints))
