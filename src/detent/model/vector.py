"""Vectors: sums of components along the axes of frames."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

import sympy

from detent.errors import DetentError
from detent.expr.latex_name import upright
from detent.model.expression import read_expression

if TYPE_CHECKING:
    from detent.model.frame import Frame

Components: TypeAlias = tuple[Any, Any, Any]


class Vector:
    """A vector written in one frame or several, as it comes: ``q1*ramp.x + r*ground.y``.

    >>> import detent
    >>> system = detent.System("example")
    >>> 2*system.ground.x - system.ground.y
    2*ground.x - ground.y
    """

    __slots__ = ("terms",)

    def __init__(self, terms: Mapping[Frame, Components]) -> None:
        kept = {frame: c for frame, c in terms.items() if any(value != 0 for value in c)}
        if len({frame.system.number for frame in kept}) > 1:
            owners = ", ".join(f"'{frame.name}' of system '{frame.system.name}'" for frame in kept)
            raise DetentError(
                f"a vector mixes frames of different systems: {owners}; build each system from its own frames"
            )
        self.terms: dict[Frame, Components] = kept

    def __add__(self, other: object) -> Vector:
        if other == 0 and not isinstance(other, Vector):
            return self
        if not isinstance(other, Vector):
            raise DetentError(
                f"{other!r} is added to the vector {self!r}; write it along a frame's axes, such as 2*frame.x"
            )
        terms = dict(self.terms)
        for frame, components in other.terms.items():
            before = terms.get(frame, (0, 0, 0))
            terms[frame] = tuple(a + b for a, b in zip(before, components, strict=True))
        return Vector(terms)

    __radd__ = __add__

    def __neg__(self) -> Vector:
        return self * -1

    def __sub__(self, other: object) -> Vector:
        return self + (-other if isinstance(other, Vector) else other)

    def __mul__(self, factor: Any) -> Vector:
        if isinstance(factor, Vector):
            raise DetentError("two vectors are multiplied with *; use a.dot(b) or a.cross(b)")
        scale = read_expression("the factor of a vector", factor)
        return Vector({f: tuple(scale * value for value in c) for f, c in self.terms.items()})

    __rmul__ = __mul__

    def __truediv__(self, divisor: Any) -> Vector:
        scale: Any = 1 / read_expression("the divisor of a vector", divisor)
        return self.__mul__(scale)

    def express(self, frame: Frame) -> Components:
        """The three components along the axes of one frame."""
        total = sympy.zeros(3, 1)
        for own, components in self.terms.items():
            total += own.matrix_to(frame) * sympy.Matrix(components)
        return (total[0], total[1], total[2])

    def dot(self, other: Vector) -> Any:
        """The scalar product, a SymPy expression."""
        total: Any = sympy.Integer(0)
        for frame, components in other.terms.items():
            total += sum(a * b for a, b in zip(self.express(frame), components, strict=True))
        return total

    def cross(self, other: Vector) -> Vector:
        """The vector product."""
        result = Vector({})
        for frame, (bx, by, bz) in other.terms.items():
            ax, ay, az = self.express(frame)
            result = result + Vector({frame: (ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx)})
        return result

    def magnitude(self) -> Any:
        """The length of the vector, a SymPy expression."""
        return sympy.sqrt(self.dot(self))

    def __repr__(self) -> str:
        return self._text(str, "{}.{}".format, "*")

    def _repr_latex_(self) -> str:
        return f"$\\displaystyle {self.latex()}$"

    def latex(self) -> str:
        """The vector as LaTeX: components times unit vectors, each with the name of its frame."""
        return self._text(sympy.latex, lambda frame, letter: rf"\hat{{{letter}}}_{{{upright(frame)}}}", " ")

    def _text(self, show: Callable[[Any], str], axis: Callable[[str, str], str], times: str) -> str:
        """The sum of components times axes, the axes last whatever their names."""
        text = ""
        for frame, components in self.terms.items():
            for value, letter in zip(components, "xyz", strict=True):
                if value == 0:
                    continue
                negative = sympy.sympify(value).could_extract_minus_sign()
                size = -value if negative else value
                factor = f"({show(size)})" if getattr(size, "is_Add", False) else show(size)
                term = axis(frame.name, letter)
                text += (" - " if negative else " + ") + (term if size == 1 else f"{factor}{times}{term}")
        if not text:
            return "0"
        return ("-" if text.startswith(" -") else "") + text[3:]
