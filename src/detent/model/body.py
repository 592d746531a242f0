"""Bodies and particles: what has mass."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import sympy

from detent.errors import DetentError
from detent.model.carrier import Carrier
from detent.model.expression import read_expression
from detent.model.frame import Frame
from detent.model.point import Point


@dataclass(frozen=True)
class Inertia:
    """Central moments of inertia along a body frame's axes, kg m^2.

    ``planar`` marks a body of which only the moment about z was given; it may turn about z alone.
    """

    xx: Any
    yy: Any
    zz: Any
    xy: Any = 0
    yz: Any = 0
    zx: Any = 0
    planar: bool = False

    @property
    def is_round(self) -> bool:
        """Whether it is the same about every axis, however the body is turned."""
        return bool(self.xx == self.yy == self.zz) and all(value == 0 for value in (self.xy, self.yz, self.zx))


@dataclass(frozen=True, eq=False)
class Body(Carrier):
    """A rigid body: a mass at its centre, central moments of inertia along its frame's axes. It carries shapes.

    >>> import detent
    >>> system = detent.System("example")
    >>> q = system.coordinates("q")
    >>> arm = system.ground.rotated("arm", q)
    >>> body = system.body("bar", center=system.origin.offset("c", arm.x/2), frame=arm, mass=1, inertia=1/12)
    >>> body.inertia.planar
    True
    """

    name: str
    center: Point
    frame: Frame
    mass: Any
    inertia: Inertia

    @property
    def called(self) -> str:
        return f"body '{self.name}'"

    def shape_seat(self) -> tuple[Point, Frame]:
        return self.center, self.frame


_ROUNDED: Final = 1e-12
"""Products of inertia that differ by this part of the largest entry are equal: a matrix was turned by numbers."""


def _differ(one: Any, other: Any, rows: list[list[Any]]) -> bool:
    """Whether two products of inertia are not equal."""
    difference = sympy.simplify(one - other)
    if difference.is_number and all(entry.is_number for row in rows for entry in row):
        return abs(float(difference)) > _ROUNDED * max(abs(float(entry)) for row in rows for entry in row)
    return bool(difference != 0)


def read_inertia(body: str, given: Any) -> Inertia:
    """One moment (about z, for planar motion), three principal ones, six, or a symmetric 3 by 3 matrix."""
    where = f"body '{body}'"
    if hasattr(given, "tolist"):  # a matrix of SymPy, or an array
        given = given.tolist()
    if isinstance(given, str) or not isinstance(given, Sequence):
        return Inertia(sympy.Integer(0), sympy.Integer(0), read_expression(where, given), planar=True)
    if len(given) == 3 and all(isinstance(row, Sequence) and len(row) == 3 for row in given):
        rows = [[read_expression(where, value) for value in row] for row in given]
        if any(_differ(rows[i][j], rows[j][i], rows) for i in range(3) for j in range(i)):
            raise DetentError(f"{where}: its inertia matrix is not symmetric; mend the products of inertia")
        return Inertia(rows[0][0], rows[1][1], rows[2][2], rows[0][1], rows[1][2], rows[2][0])
    if len(given) in (3, 6):
        return Inertia(*(read_expression(where, value) for value in given))
    raise DetentError(
        f"{where}: {len(given)} inertia values; give one (about z, planar motion), three (xx, yy, zz), "
        "six (xx, yy, zz, xy, yz, zx) or a 3 by 3 matrix"
    )
