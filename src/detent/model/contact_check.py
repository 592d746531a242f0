"""What is wrong with a contact: its shapes and its laws, for given values of the parameters."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import sympy

from detent.errors import ExpressionError, Fault
from detent.expr.evaluate import evaluate_nodes
from detent.expr.from_sympy import FromSympy
from detent.expr.graph import Graph
from detent.model.contact import Contact
from detent.model.friction_laws import Coulomb
from detent.model.parametric_shapes import Curve, Surface, course_complaints
from detent.model.quantity import Quantity
from detent.model.shape import Shape

if TYPE_CHECKING:
    from detent.model.system import System


def contact_faults(system: System, contact: Contact, values: Mapping[str, float]) -> list[Fault]:
    """Everything that is wrong with a contact and can be known without a run.

    >>> import detent
    >>> system = detent.System("example")
    >>> y = system.coordinates("y")
    >>> ball = system.particle("ball", system.origin.offset("center", y*system.ground.y), mass=1)
    >>> contact = system.contact("c", ball.circle(-1), system.ground.line(), detent.Coulomb(-0.1), detent.Poisson(2))
    >>> for fault in contact_faults(system, contact, {}):
    ...     print(fault)
    contact 'c', circle of the body 'ball': its radius is -1; give it one that is finite and greater than zero.
    contact 'c': its kinetic friction is -0.1; give a coefficient that is finite and not negative.
    contact 'c': its restitution is 2; give one from 0 to 1.
    """
    known = _Known(system, values)
    where = f"contact '{contact.name}'"
    faults = [fault for shape in (contact.first, contact.second) for fault in _shape_faults(where, shape, known)]
    laws: list[tuple[Any, dict[str, Any]]] = [(contact.impact, {"restitution": contact.impact.restitution})]
    if contact.friction is not None:
        given = dict(contact.friction.coefficients)
        if given["static"] == given["kinetic"]:  # one of them was given: one mistake
            del given["static"]
        laws.insert(0, (contact.friction, given))
    for law, expressions in laws:
        faults += known.foreign(where, expressions.values())
        unreal = {name: each for name, each in expressions.items() if known.unreal(each)}
        faults += [
            Fault(where, f"its {_called(name)} is {each}", "give a coefficient that is a finite real number")
            for name, each in unreal.items()
        ]
        found = {name: known.number(each) for name, each in expressions.items() if name not in unreal}
        sure = {name: value for name, value in found.items() if value is not None}
        faults += [Fault(where, *complaint) for complaint in law.complaints(sure)]
        if isinstance(law, Coulomb) and "kinetic" not in sure | unreal:
            at_rest = known.number(law.kinetic.xreplace({system.slip_speed: sympy.Integer(0)}))
            if at_rest is not None and math.isfinite(at_rest):
                static = sure.get("static", math.inf)
                faults += [Fault(where, *complaint) for complaint in law.complaints_at_rest(static, at_rest)]
    return faults


def _called(coefficient: str) -> str:
    return coefficient if coefficient == "restitution" else f"{coefficient} friction"


def _shape_faults(contact: str, shape: Shape, known: _Known) -> Iterator[Fault]:
    where = f"{contact}, {shape.where}"
    sizes: dict[str, float] = {}
    fixed = {**shape.sizes, **{f"offset {letter}": v for letter, v in zip("xyz", shape.seat.offset, strict=True)}}
    for name, expression in fixed.items():
        value = known.number(expression)
        if value is None:
            found = f"its {name} is {expression}, not made of numbers and parameters"
            yield Fault(where, found, "give it numbers and parameters; let points and frames do the moving")
            return
        if known.unreal(expression):
            yield Fault(where, f"its {name} is {expression}", "give it a value that is a finite real number")
            return
        sizes[name] = value
    for function in shape.functions:
        strange = function.free_symbols - set(shape.parameters) - set(known.system.parameter_values)
        if strange:
            found = f"it holds {', '.join(sorted(map(str, strange)))}, which is no parameter of the system"
            yield Fault(where, found, "use its own symbol and parameters; let points and frames do the moving")
            return
    if any(math.isnan(value) and known.unset(fixed[name]) for name, value in sizes.items()):
        return  # a parameter it is made from has no value, which has been said already
    complaints = list(shape.complaints(sizes))
    drawn_later = isinstance(shape, Curve) and shape.is_drawn is not None
    if not complaints and not drawn_later and isinstance(shape, Curve | Surface):
        complaints = list(course_complaints(shape, sizes, known.values))
    yield from (Fault(where, *complaint) for complaint in complaints)


class _Known:
    """Values of expressions, as far as parameters tell them."""

    def __init__(self, system: System, values: Mapping[str, float]) -> None:
        self.system, self.values = system, values
        self.graph = Graph()
        self.convert = FromSympy(
            self.graph, {symbol: self.graph.leaf(symbol.name) for symbol in system.parameter_values}
        )

    def number(self, expression: Any) -> float | None:
        """Its value; None where it depends on more than parameters, NaN where it has no finite value."""
        symbols: set[Any] = getattr(expression, "free_symbols", set())
        if not symbols <= set(self.system.parameter_values):
            return None
        try:
            value = evaluate_nodes([self.convert(expression)], self.values)[0]
        except ExpressionError:
            return math.nan
        return value

    def unreal(self, expression: Any) -> bool:
        """Whether it has no finite real value, though all that it is made of has; what is told of it is itself."""
        number = self.number(expression)
        told = number is None or not math.isnan(number) or self.unset(expression)
        return not told and expression is not sympy.nan

    def unset(self, expression: Any) -> bool:
        """Whether it is made of a parameter that has no value."""
        symbols: set[Any] = getattr(expression, "free_symbols", set())
        return any(math.isnan(self.values.get(symbol.name, math.nan)) for symbol in symbols)

    def foreign(self, where: str, expressions: Any) -> list[Fault]:
        """Faults about symbols of other systems, or of none."""
        faults = []
        for symbol in {symbol for expression in expressions for symbol in expression.free_symbols}:
            if not isinstance(symbol, Quantity) or symbol.owner != self.system.number:
                found = f"its laws hold '{symbol}', which is not part of the system '{self.system.name}'"
                faults.append(Fault(where, found, "use quantities of this system"))
        return sorted(faults, key=str)
