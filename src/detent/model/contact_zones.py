"""Zones of a contact's laws: where a coefficient jumps, because it is written with conditions.

A condition on what moves becomes a discrete state that is set where the condition changes. So no coefficient jumps
between two events, and none depends on which side of its jump rounding has put a state.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, final

import sympy
from sympy.core.relational import GreaterThan, Relational, StrictGreaterThan

from detent.model.quantity import Moving, Time

if TYPE_CHECKING:
    from detent.model.contact import Contact


@final
@dataclass(frozen=True)
class Zone:
    """A condition of a contact's laws."""

    name: str
    """Of the discrete state that tells whether it holds."""
    condition: Any
    difference: Any
    """What passes zero where the condition changes; it holds where this is positive."""


def zones_of(contact: Contact) -> tuple[Zone, ...]:
    """The conditions on moving quantities and on the time in the laws of a contact, in their order.

    >>> import detent, sympy
    >>> system = detent.System("example")
    >>> x, y = system.coordinates("x", "y")
    >>> place = system.origin.offset("place", x*system.ground.x + y*system.ground.y)
    >>> ball = system.particle("ball", place, mass=1)
    >>> ice = sympy.Piecewise((0.01, x > 2), (0.5, True))
    >>> contact = system.contact("ball|floor", ball.point(), system.ground.line(), friction=detent.Coulomb(ice))
    >>> [(zone.name, zone.difference) for zone in zones_of(contact)]
    [('zone 1 of ball|floor', x - 2)]
    """
    laws = [contact.impact.restitution]
    if contact.friction is not None:
        laws += contact.friction.coefficients.values()
    found: dict[Any, None] = {}
    for law in laws:
        for condition in sorted(sympy.sympify(law).atoms(Relational), key=str):
            if any(isinstance(symbol, Moving | Time) for symbol in condition.free_symbols):
                found.setdefault(condition)
    return tuple(
        Zone(f"zone {number} of {contact.name}", condition, _difference(condition))
        for number, condition in enumerate(found, 1)
    )


def _difference(condition: Any) -> Any:
    rises = isinstance(condition, (GreaterThan, StrictGreaterThan))
    return condition.lhs - condition.rhs if rises else condition.rhs - condition.lhs
