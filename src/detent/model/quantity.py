"""The named scalar quantities of a system, as SymPy symbols.

Each symbol belongs to one system: ``q1`` of one system is not ``q1`` of another, so that a mixture is
found instead of silently meaning something else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import sympy

if TYPE_CHECKING:
    from detent.model.system import System


class Quantity(sympy.Symbol):
    """A real scalar of one system. The classes below say what it stands for."""

    __slots__ = ("owner",)

    owner: int
    kind = "quantity"

    def __new__(cls, system: System | int, name: str) -> Any:
        made = sympy.Symbol.__xnew__(cls, name, real=True)
        made.owner = system if isinstance(system, int) else system.number
        return made

    def __getnewargs_ex__(self) -> tuple[tuple[int, str], dict[str, Any]]:
        return (self.owner, self.name), {}

    @classmethod
    def class_key(cls) -> Any:
        """Sorts like any symbol, so that products print with their factors in order of name."""
        return sympy.Symbol.class_key()

    def _hashable_content(self) -> tuple[Any, ...]:
        return (*super()._hashable_content(), str(self.owner))


class Parameter(Quantity):
    """A value fixed for a run and changed freely between runs: a mass, a length."""

    __slots__ = ()
    kind = "parameter"


class Input(Quantity):
    """A value given from outside during the run."""

    __slots__ = ()
    kind = "input"


class Discrete(Quantity):
    """A value that changes only when a transition sets it: a counter, a side, the place where a foot stands."""

    __slots__ = ()
    kind = "discrete state"


class Time(Quantity):
    """The time, in seconds."""

    __slots__ = ()
    kind = "time"


class Speed(Quantity):
    """A generalized speed u, as Kane defines it."""

    __slots__ = ()
    kind = "speed"


class Acceleration(Quantity):
    """The rate u' of a generalized speed; appears only in equations that are shown."""

    __slots__ = ()
    kind = "acceleration"

    def _latex(self, printer: Any) -> str:
        return rf"\dot{{{printer._print(sympy.Symbol(self.name.removesuffix(chr(39))))}}}"


class Signal(Quantity):
    """A quantity known only through its rate (nonholonomic): part of a quaternion, a controller's integral."""

    __slots__ = ()
    kind = "signal"


class Reaction(Quantity):
    """The reaction of a constraint's row; zero while the constraint is not active."""

    __slots__ = ()
    kind = "reaction"


class Rate(Quantity):
    """The time derivative q' of a coordinate."""

    __slots__ = ()
    kind = "rate"

    def _latex(self, printer: Any) -> str:
        return rf"\dot{{{printer._print(sympy.Symbol(self.name.removesuffix(chr(39))))}}}"


class Coordinate(Quantity):
    """A generalized coordinate q. ``q.rate`` is its time derivative.

    >>> import detent
    >>> system = detent.System("example")
    >>> angle = system.coordinates("angle")
    >>> angle.rate
    angle'
    """

    __slots__ = ()
    kind = "coordinate"

    @property
    def rate(self) -> Rate:
        """The time derivative of this coordinate."""
        made: Rate = Rate(self.owner, f"{self.name}'")
        return made
