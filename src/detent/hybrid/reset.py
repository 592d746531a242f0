"""Reset maps: what becomes of the state when a transition is taken.

Expressions (a mapping from quantities to expressions in the state before), the impact map of constraints
(:class:`Impact`), a Python function of a :class:`Moment` for what no expression says, or several one after another.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from detent.errors import DetentError
from detent.model.constraint import Constraint
from detent.model.expression import expression as read_expression
from detent.model.quantity import Coordinate, Discrete, Quantity, Signal, Speed

if TYPE_CHECKING:
    from detent.hybrid.moment import Moment
    from detent.model.system import System


class Impact:
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

    def __init__(self, *constraints: Constraint | str, restitution: Any = 0) -> None:
        self.constraints = constraints
        self.restitution = read_expression("the restitution of an impact", restitution)

    def __repr__(self) -> str:
        names = [repr(c if isinstance(c, str) else c.name) for c in self.constraints]
        rest = [f"restitution={self.restitution}"] if self.restitution != 0 else []
        return f"Impact({', '.join([*names, *rest])})"


@dataclass(frozen=True)
class Assignment:
    """New values of quantities, all worked out from the state before."""

    values: Mapping[Quantity, Any]

    def __str__(self) -> str:
        return ", ".join(f"{name} := {value}" for name, value in self.values.items())


Function: TypeAlias = "Callable[[Moment], Mapping[Any, Any] | None]"
Step: TypeAlias = "Assignment | Impact | Function"


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


def read_reset(system: System, where: str, given: Any) -> tuple[Step, ...]:
    """The steps of a reset, one after another."""
    if given is None:
        return ()
    parts = given if isinstance(given, (list, tuple)) else [given]
    return tuple(_step(system, where, part) for part in parts)


def _step(system: System, where: str, part: Any) -> Step:
    if isinstance(part, Mapping):
        return Assignment(_assigned(system, where, part))
    if isinstance(part, Impact):
        return part
    if callable(part):
        function: Function = part
        return function
    raise DetentError(
        f"{where}: found the reset {part!r}; give a mapping from quantities to expressions, detent.Impact(...), a "
        "function, or a list of them"
    )


def _assigned(system: System, where: str, values: Mapping[Any, Any]) -> dict[Quantity, Any]:
    """The new values by quantity. A coordinate's rate stands for its speed where that is the same."""
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
    return made
