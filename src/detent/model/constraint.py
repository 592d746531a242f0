"""Constraints: what a system must not do, by name.

A constraint is one scalar row or several. A row is an expression that must stay zero: at position level
(holonomic, in coordinates, signals, measures and time) or at velocity level (of the speeds;
linear in them for most formulations).
Position, velocity and acceleration levels are derived from it exactly.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from detent.errors import DetentError
from detent.model.body import Body
from detent.model.expression import read_expression
from detent.model.frame import Frame
from detent.model.measure import position_measure, spin_measure, velocity_measure
from detent.model.point import Point
from detent.model.row import ConfigurationRow, MotionRow, Row, Sliding
from detent.model.vector import Vector

FREE: Final = "free"
"""The name of the mode in which no constraint is active."""


@dataclass(frozen=True, eq=False)
class Constraint:
    """Rows that come and go together.

    >>> import detent
    >>> system = detent.System("example")
    >>> x, y = system.coordinates("x", "y")
    >>> circle = detent.holonomic("circle", x**2 + y**2 - 1)
    >>> [row.name for row in circle.rows]
    ['circle']
    """

    name: str
    rows: tuple[Row, ...]


def holonomic(name: str, expression: Any = None, *, sliding: Sequence[Sliding] = (), **rows: Any) -> Constraint:
    """A constraint on the configuration: expressions in coordinates, signals, measures and time that stay zero.

    One expression, or several by name: ``holonomic("pin", x=..., y=...)`` has the rows ``pin.x`` and ``pin.y``.

    >>> import detent
    >>> x = detent.System("example").coordinates("x")
    >>> detent.holonomic("stop", x - 2).rows[0].holonomic
    True
    """
    return Constraint(name, _rows(ConfigurationRow, name, expression, rows, tuple(sliding)))


def motion(name: str, expression: Any = None, **rows: Any) -> Constraint:
    """A constraint on the motion: expressions of the speeds that stay zero, such as ``u1 + r*u2``.

    One that is not linear in the speeds needs a formulation that takes it, such as ``corrected``.

    >>> import detent
    >>> x = detent.System("example").coordinates("x")
    >>> detent.motion("brake", x.rate).rows[0].holonomic
    False
    """
    return Constraint(name, _rows(MotionRow, name, expression, rows))


def prescribed(name: str, quantity: Any, course: Any) -> Constraint:
    """A coordinate or measure that follows a given course in time.

    >>> import detent
    >>> system = detent.System("example")
    >>> x = system.coordinates("x")
    >>> detent.prescribed("drive", x, 3*system.time).rows[0].expression
    -3*t + x
    """
    where = f"constraint '{name}'"
    return holonomic(name, read_expression(where, quantity) - read_expression(where, course))


def joined(name: str, first: Point, second: Point, along: str = "xyz", frame: Frame | None = None) -> Constraint:
    """Two points at one place: a closed loop.

    ``along`` names the axes that count, of the ground or of ``frame``: ``"xy"`` in a plane.

    >>> import detent
    >>> system = detent.System("example")
    >>> x = system.coordinates("x")
    >>> tip = system.origin.offset("tip", x*system.ground.x)
    >>> [row.name for row in detent.joined("closed", tip, system.origin, along="xy").rows]
    ['closed.x', 'closed.y']
    """
    if first.system is not second.system:
        raise DetentError(
            f"constraint '{name}' joins point '{first.name}' of system '{first.system.name}' with "
            f"point '{second.name}' of system '{second.system.name}'; points of two systems cannot be mixed"
        )
    axes = _axes(name, along, frame or first.system.ground)
    return holonomic(name, **{letter: position_measure(first, second, axis) for letter, axis in axes.items()})


def aligned(name: str, first: Frame, second: Frame, keep: str | None = None) -> Constraint:
    """Two frames parallel; ``keep`` names an axis about which the first may still turn.

    >>> import detent
    >>> system = detent.System("example")
    >>> q = system.coordinates("q")
    >>> len(detent.aligned("weld", system.ground.rotated("a", q), system.ground, keep="x").rows)
    2
    """
    if keep is not None and keep not in "xyz":
        raise DetentError(f"constraint '{name}': keep is {keep!r}; use 'x', 'y' or 'z', or leave it out")
    if keep is not None:
        own = _axes(name, keep, first)[keep]
        others = _axes(name, "xyz".replace(keep, ""), second)
        return holonomic(name, **{letter: own.dot(axis) for letter, axis in others.items()})
    return holonomic(name, x=first.y.dot(second.z), y=first.z.dot(second.x), z=first.x.dot(second.y))


def rolling(
    name: str, at: Point, body: Body, on: Body | None = None, along: str = "xyz", frame: Frame | None = None
) -> Constraint:
    """No slip at a point: what is there of a body moves as what is there of another (the ground if not given).

    ``at`` is the place of contact; ``along`` the axes (of the ground, or of ``frame``) in which they must not slip.

    >>> import detent
    >>> system = detent.System("example")
    >>> x, q = system.coordinates("x", "q")
    >>> hub = system.origin.offset("hub", x*system.ground.x)
    >>> wheel = system.body("wheel", center=hub, frame=system.ground.rotated("wheel", q), mass=1, inertia=1)
    >>> foot = hub.offset("foot", -2*system.ground.y)
    >>> [row.name for row in detent.rolling("roll", foot, wheel, along="x").rows]
    ['roll.x']
    """
    rows = {}
    for letter, axis in _axes(name, along, frame or at.system.ground).items():
        rows[letter] = velocity_measure(at, body.center, body.frame, axis)
        if on is not None:
            rows[letter] = rows[letter] - velocity_measure(at, on.center, on.frame, axis)
    return motion(name, **rows)


def turning_together(name: str, first: Frame, second: Frame, along: str, frame: Frame | None = None) -> Constraint:
    """Two frames turn at the same rate about some axes (of the ground, or of ``frame``): a brake, a coupling.

    >>> import detent
    >>> system = detent.System("example")
    >>> q = system.coordinates("q")
    >>> arm = system.ground.rotated("arm", q)
    >>> [row.name for row in detent.turning_together("brake", arm, system.ground, "z").rows]
    ['brake.z']
    """
    axes = _axes(name, along, frame or first.system.ground)
    return motion(name, **{letter: spin_measure(first, a) - spin_measure(second, a) for letter, a in axes.items()})


def _axes(name: str, letters: str, frame: Frame) -> dict[str, Vector]:
    known = {"x": frame.x, "y": frame.y, "z": frame.z}
    if not letters or set(letters) - set(known):
        raise DetentError(f"constraint '{name}': the axes are {letters!r}; give some of x, y and z, such as 'xy'")
    return {letter: known[letter] for letter in letters}


def _rows(
    kind: type[Row], name: str, expression: Any, rows: dict[str, Any], sliding: tuple[Sliding, ...] = ()
) -> tuple[Row, ...]:
    if not isinstance(name, str) or not name.strip() or set(name) & set("/+") or name == FREE:
        raise DetentError(f"a constraint is named {name!r}; give it a text without / and +, other than 'free'")
    named = {name: expression} if expression is not None else {}
    named |= {f"{name}.{suffix}": row for suffix, row in rows.items()}
    if not named:
        raise DetentError(f"constraint '{name}' has no expression; give at least one that must stay zero")
    for slide in sliding:
        if not isinstance(slide, Sliding):
            raise DetentError(
                f"constraint '{name}': found {slide!r} in sliding; give detent.Sliding(slip, coefficient)"
            )
        read_expression(f"constraint '{name}', its slip", slide.slip)
        read_expression(f"constraint '{name}', its friction", slide.coefficient)
    return tuple(kind(row, read_expression(f"constraint '{row}'", value), sliding) for row, value in named.items())


def mode_name(constraints: Sequence[Constraint]) -> str:
    """The name of the mode in which some constraints hold: theirs.

    >>> mode_name([])
    'free'
    """
    return " + ".join(sorted(constraint.name for constraint in constraints)) or FREE
