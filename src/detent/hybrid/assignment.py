"""New values of quantities, as a step of a reset; written as a mapping from quantities to expressions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, final

from detent.errors import DetentError
from detent.hybrid.reset_step import Made, ResetStep, Tools, Write
from detent.model.constraint import Constraint
from detent.model.expression import read_expression
from detent.model.quantity import Coordinate, Discrete, Quantity, Signal, Speed

if TYPE_CHECKING:
    from detent.model.system import System


@final
@dataclass(frozen=True)
class Assignment(ResetStep):
    """New values of quantities, all worked out from the state before."""

    is_impact: ClassVar[bool] = False
    calls_python: ClassVar[bool] = False

    values: Mapping[Quantity, Any]

    @property
    def constraints(self) -> tuple[Constraint | str, ...]:
        return ()

    def lines(self, write: Write) -> list[str]:
        return [f"{name} := {write(value)}" for name, value in self.values.items()]

    def as_json(self, write: Write) -> dict[str, Any]:
        return {"assign": {str(name): write(value) for name, value in self.values.items()}}

    def made(self, tools: Tools[Made]) -> Made:
        return tools.assign(self.values)

    def __str__(self) -> str:
        return ", ".join(self.lines(str))


def read_assignment(system: System, where: str, values: Mapping[Any, Any]) -> Assignment:
    """The new values by quantity. A coordinate's rate stands for its speed where that is the same.

    >>> import detent
    >>> system = detent.System("example")
    >>> x = system.coordinates("x")
    >>> print(read_assignment(system, "transition 'stop'", {x: x/2, x.rate: 0}))
    x := x/2, x_rate := 0
    """
    speeds = {definition: speed for speed, definition in system.all_speeds().items()}
    known = {s.name: s for s in [*system.quantities(), *system.all_speeds()]}
    made: dict[Quantity, Any] = {}
    for given, value in values.items():
        target = known.get(given, given) if isinstance(given, str) else speeds.get(given, given)
        if not isinstance(target, (Coordinate, Speed, Signal, Discrete)):
            raise DetentError(
                f"{where}: its reset sets {given}, which cannot be set; set coordinates, speeds, signals and discrete "
                "states"
            )
        if known.get(target.name) != target:
            raise DetentError(
                f"{where}: its reset sets {given}, which is not part of this system, '{system.name}'; set quantities "
                "of the same system"
            )
        if target in made:
            raise DetentError(f"{where}: its reset sets {target} twice; set it once")
        made[target] = read_expression(f"{where}: the new value of {target}", value)
    return Assignment(made)


def swapped(*pairs: tuple[Coordinate, Coordinate]) -> dict[Any, Any]:
    """A relabelling: two coordinates, and with them their rates, change places; for legs that take turns.

    >>> import detent
    >>> system = detent.System("example")
    >>> left, right = system.coordinates("left", "right")
    >>> detent.swapped((left, right))
    {left: right, right: left, left': right', right': left'}
    """
    made: dict[Any, Any] = {}
    for pair in pairs:
        if not (isinstance(pair, tuple) and len(pair) == 2 and all(isinstance(each, Coordinate) for each in pair)):
            raise DetentError(f"found {pair!r} where two coordinates that change places were expected; give (q1, q2)")
    for first, second in pairs:
        made |= {first: second, second: first}
    for first, second in pairs:
        made |= {first.rate: second.rate, second.rate: first.rate}
    return made
