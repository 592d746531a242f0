"""The impact map of constraints, as a step of a reset."""

from __future__ import annotations

from typing import Any, ClassVar, final

from detent.hybrid.reset_step import Made, ResetStep, Tools, Write
from detent.model.constraint import Constraint
from detent.model.expression import read_expression


@final
class Impact(ResetStep):
    """The impact against the constraints of the mode that is entered, and against those named here.

    With B u + C = 0 the rows of all these constraints, u- and u+ the speeds before and after, and P the impulses,

        M (u+ - u-) = B^T P,        B u+ + C = -e (B u- + C),

    with the restitution e of each row (Newton's): ``restitution`` for the rows of the constraints named here, zero for
    all others. The configuration stays. Where rows follow from others, of all P that do the same the one with the
    smallest sum of squares is told: equal rows share equally. Constraints are given by name or as they are.

    >>> import detent
    >>> detent.Impact("floor", restitution=0.5)
    Impact('floor', restitution=0.5)
    """

    is_impact: ClassVar[bool] = True
    calls_python: ClassVar[bool] = False

    def __init__(self, *constraints: Constraint | str, restitution: Any = 0) -> None:
        self._constraints = constraints
        self.restitution = read_expression("the restitution of an impact", restitution)

    @property
    def constraints(self) -> tuple[Constraint | str, ...]:
        return self._constraints

    @property
    def names(self) -> list[str]:
        """The names of the constraints it names."""
        return [given if isinstance(given, str) else given.name for given in self._constraints]

    def lines(self, write: Write) -> list[str]:
        on = f" on {', '.join(self.names)}" if self._constraints else ""
        return [f"impact{on}" + (f" with restitution {write(self.restitution)}" if self.restitution != 0 else "")]

    def as_json(self, write: Write) -> dict[str, Any]:
        return {"impact": self.names, "restitution": write(self.restitution)}

    def made(self, tools: Tools[Made]) -> Made:
        return tools.strike(self)

    def __repr__(self) -> str:
        rest = [f"restitution={self.restitution}"] if self.restitution != 0 else []
        return f"Impact({', '.join([*map(repr, self.names), *rest])})"
