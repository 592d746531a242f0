"""The named scalar quantities of a system, as SymPy symbols.

Each symbol belongs to one system: ``q1`` of one system is not ``q1`` of another, so that a mixture is
found instead of silently meaning something else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import sympy

from detent.errors import ExpressionError
from detent.expr.latex_name import latex_name, upright

if TYPE_CHECKING:
    from detent.model.system import System


class Quantity(sympy.Symbol):
    """A real scalar of one system. The classes below say what it stands for."""

    __slots__ = ("owner",)

    owner: int
    role = "quantity"

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

    def _latex(self, printer: Any) -> str:
        return latex_name(self.name)

    def _hashable_content(self) -> tuple[Any, ...]:
        return (*super()._hashable_content(), str(self.owner))


class Parameter(Quantity):
    """A value fixed for a run and changed freely between runs: a mass, a length."""

    __slots__ = ()
    role = "parameter"


class Discrete(Quantity):
    """A value that changes only when a transition sets it: a counter, a side, the place where a foot stands."""

    __slots__ = ()
    role = "discrete state"


class StatusState(Discrete):
    """What a contact does at one of its places: a whole number, one of ``ContactStatus``."""

    __slots__ = ()
    role = "status of a contact"


class Time(Quantity):
    """The time, in seconds."""

    __slots__ = ()
    role = "time"


class Moving(Quantity):
    """A quantity that changes with time, so that SymPy does not take its derivative with respect to time for zero."""

    __slots__ = ()
    role = "moving quantity"
    instead = ""
    """What to do where its time derivative is wanted."""

    @property
    def free_symbols(self) -> set[Any]:
        """The quantity itself and the time: what is free of the time has the time derivative zero for SymPy."""
        return {self, Time(self.owner, "t")}

    def _eval_derivative(self, by: Any) -> Any:
        if by == Time(self.owner, "t"):
            return self._time_derivative()
        return super()._eval_derivative(by)

    def _eval_derivative_n_times(self, by: Any, count: Any) -> Any:
        if by == Time(self.owner, "t"):  # SymPy asks here first, and would answer zero by itself
            return self._time_derivative().diff((by, count - 1))
        return super()._eval_derivative_n_times(by, count)

    def _time_derivative(self) -> Any:
        raise ExpressionError(
            f"the time derivative of the {self.role} '{self}' cannot stand in an expression; {self.instead}"
        )


class Input(Moving):
    """A value given from outside during the run."""

    __slots__ = ()
    role = "input"
    instead = "write the course itself, an expression of the system's time, in place of the input"


class Speed(Moving):
    """A generalized speed u, as Kane defines it."""

    __slots__ = ()
    role = "speed"
    instead = "accelerations follow from the equations of motion; use positions and speeds"

    @property
    def rate(self) -> Acceleration:
        """The time derivative of this speed, for values along a run.

        >>> import detent
        >>> system = detent.System("example")
        >>> u = system.speeds(u=system.coordinates("q").rate)
        >>> u.rate
        u'
        """
        made: Acceleration = Acceleration(self.owner, f"{self.name}'")
        return made

    def _latex(self, printer: Any) -> str:
        return _dotted(self.name, 0)


class Acceleration(Quantity):
    """The rate u' of a generalized speed; appears only in equations that are shown, and in values along a run."""

    __slots__ = ()
    role = "acceleration"

    def _latex(self, printer: Any) -> str:
        return _dotted(self.name.removesuffix("'"))


class Signal(Moving):
    """A quantity known only through its rate (nonholonomic): part of a quaternion, a controller's integral."""

    __slots__ = ()
    role = "signal"
    instead = "use the expression that it was declared with as its rate"


class Reaction(Moving):
    """The reaction of a constraint's row; zero while the constraint is not active."""

    __slots__ = ()
    role = "reaction"
    instead = "use the reaction itself"

    def _latex(self, printer: Any) -> str:
        return rf"\lambda_{{{upright(self.name.removeprefix('reaction of '))}}}"


class ContactSpeed(Moving):
    """A speed at the place of a contact, in that contact's own laws: the speed of slip, the speed of approach."""

    __slots__ = ()
    role = "speed at a contact"
    instead = "use the speed itself"


class ContactForce(Moving):
    """A force at the place of a contact, for values along a run."""

    __slots__ = ()
    role = "force of a contact"
    instead = "use the force itself"


class Rate(Moving):
    """The time derivative q' of a coordinate."""

    __slots__ = ()
    role = "rate"
    instead = Speed.instead

    def _latex(self, printer: Any) -> str:
        return latex_name(self.name.removesuffix("'"), dots=1)


class Coordinate(Moving):
    """A generalized coordinate q. ``q.rate`` is its time derivative, which ``q.diff(system.time)`` gives too.

    >>> import detent
    >>> system = detent.System("example")
    >>> angle = system.coordinates("angle")
    >>> angle.rate
    angle'
    >>> (angle**2).diff(system.time)
    2*angle*angle'
    """

    __slots__ = ()
    role = "coordinate"

    @property
    def rate(self) -> Rate:
        """The time derivative of this coordinate."""
        made: Rate = Rate(self.owner, f"{self.name}'")
        return made

    def _time_derivative(self) -> Rate:
        return self.rate


def _dotted(speed: str, dots: int = 1) -> str:
    """A speed or its rate; one that is named after a coordinate's rate as that rate."""
    own = speed.removesuffix("_rate")
    return latex_name(own, dots if own == speed else dots + 1)
