"""The equations of a mode with its reactions, to read: for constraints that no speeds can be eliminated by.

    M u' = f + B^T lambda,        B u' = gamma

A row g(q, u, t) = 0 that is not linear in the speeds has B = dg/du, along which its reaction pushes (Chetaev), and
gamma is what is left of g' = 0 without u'.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from detent.dynamics.equations_of_motion import EquationsOfMotion
from detent.dynamics.quantity_names import QuantityNames
from detent.dynamics.rows import RowNodes, read_constraint
from detent.dynamics.sheet import Block, Part, Sheet, SheetLine, Statement, Statements
from detent.dynamics.sheet_parts import mass_and_forcing, rates_of, speeds_of, told_row
from detent.dynamics.shown_equations import ShownEquations
from detent.dynamics.textbook import TextbookMotion
from detent.model.constraint import Constraint
from detent.model.system import System


@dataclass(frozen=True, eq=False)
class MultiplierEquations(ShownEquations):
    """The equations of one mode with a multiplier for each row.

    >>> import detent
    >>> for line in detent.equations(detent.example("speed-held-particle")).text().splitlines()[-4:]:
    ...     print(line)
    B u' = gamma
      B[speed, x'] = x'/sqrt(x'**2 + y'**2)
      B[speed, y'] = y'/sqrt(x'**2 + y'**2)
      gamma[speed] = 0
    """

    system: System
    constraints: tuple[Constraint, ...]
    limit: int = 200
    acting: tuple[str, ...] = ()
    """Of the loads that come and go, those that act."""

    @cached_property
    def _sheet(self) -> Sheet:
        textbook = TextbookMotion(EquationsOfMotion(self.system), self.acting)
        motion = textbook.motion
        rows = [row for constraint in self.constraints for row in read_constraint(motion, constraint)]
        names = QuantityNames(self.system, motion.quantities)
        numbers = {speed.name: number for number, speed in enumerate(motion.quantities.speeds, 1)}
        parts: list[Part] = [
            Statements("rows", tuple(told_row(row) for each in self.constraints for row in each.rows)),
            rates_of(motion.quantities, names),
            speeds_of(numbers, names, "u"),
            Statements("", (Statement("", r"M \dot{u} &= f + B^{\mathrm{T}} \lambda,\quad B \dot{u} = \gamma"),)),
            mass_and_forcing(textbook.mass_matrix, textbook.forcing, numbers, names, pushed=True),
            _bound(rows, numbers, names),
        ]
        title = f"{self.system.name}: equations of the mode '{self._mode_name}', with multipliers"
        return Sheet(title, parts, names, {**motion.quantities.bound, **textbook.switches}, self.limit)

    @property
    def _mode_name(self) -> str:
        return " + ".join(sorted(constraint.name for constraint in self.constraints))


def _bound(rows: list[RowNodes], numbers: dict[str, int], names: QuantityNames) -> Block:
    """B u' = gamma, row by row."""
    lines = []
    for number, row in enumerate(rows, 1):
        lines += [
            SheetLine(f"B[{row.name}, {names.text(name)}]", f"B_{{{number},{at}}}", row.B[at - 1])
            for name, at in numbers.items()
            if at - 1 in row.B
        ]
        lines.append(SheetLine(f"gamma[{row.name}]", rf"\gamma_{{{number}}}", row.gamma))
    return Block("B u' = gamma", tuple(lines))
