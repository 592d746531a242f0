"""Measures of contacts, as SymPy symbols: the gap at a place, how fast it slips, whether the place is still there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from detent.model.quantity import Moving

if TYPE_CHECKING:
    from detent.model.contact import Contact
    from detent.model.system import System


class ContactMeasure(Moving):
    """A scalar of the geometry of a contact, at one of the places where its shapes may touch."""

    __slots__ = ("contact", "level", "number", "place")

    role = "measure of a contact"
    instead = "use the speed of slip, or coordinates, whose rates are known"
    contact: Contact
    place: int
    """Which of the contact's places."""
    level: str
    """``"gap"``, ``"approach"``, ``"slip"`` or ``"domain"``."""
    number: int
    """Which direction of slip, or which edge of the domain."""


def contact_measure(system: System, contact: Contact, place: int, level: str, number: int = 0) -> ContactMeasure:
    """The symbol of a measure; the same name is the same symbol."""
    words = {"gap": "gap", "approach": "approach", "slip": f"slip {number + 1}", "domain": "domain"}
    made: Any = ContactMeasure(system, f"{words[level]} of {contact.places[place]}")
    made.contact, made.place, made.level, made.number = contact, place, level, number
    measure: ContactMeasure = made
    return measure
