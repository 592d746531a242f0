"""Measures of contacts, as SymPy symbols: the gap at a place, how fast it slips, where it is and how it is turned."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final
from weakref import ReferenceType, ref

from detent.expr.latex_name import upright
from detent.model.quantity import Moving

if TYPE_CHECKING:
    from detent.model.contact import Contact
    from detent.model.system import System


AXES: Final = ("x", "y", "z")
"""Of the ground, along which places and directions are given."""


class ContactMeasure(Moving):
    """A scalar of the geometry of a contact, at one of the places where its shapes may touch."""

    __slots__ = ("contact_name", "level", "number", "place", "referred")

    role = "measure of a contact"
    instead = "use the speed of slip, or coordinates, whose rates are known"
    contact_name: str
    referred: ReferenceType[Contact]
    """The contact. SymPy keeps symbols that it has met: a system that nobody uses any more must not stay with them."""
    place: int
    """Which of the contact's places."""
    level: str
    """``"gap"``, ``"approach"``, ``"slip"``, ``"spin"``, ``"roll"``, ``"domain"``, ``"reach"``, ``"round"``,
    ``"swept"``, ``"point"``, ``"normal"``, ``"tangent"``, ``"thin"``, ``"lean"``, ``"tilt"``, ``"apart"``,
    ``"clearance"`` and ``"size"`` (of two boxes), ``"standing"`` (place, axes and sizes of both shapes, one number
    after the other), or ``"follow"``: how fast a coordinate of the nearest point changes."""
    number: int
    """Which direction of slip or axis of rolling, which coordinate, or which axis of the ground; of tangents, the axes
    of one after those of the other."""

    def contact_among(self, contacts: Mapping[str, Contact]) -> Contact:
        """The contact; where that is gone the one of its name: a symbol may have been made for one with other laws."""
        return self.referred() or contacts[self.contact_name]

    def _latex(self, printer: Any) -> str:
        word, place = self.name.split(" of ", 1)
        return rf"{upright(word)}_{{{upright(place)}}}"


def contact_measure(system: System, contact: Contact, place: int, level: str, number: int = 0) -> ContactMeasure:
    """The symbol of a measure; the same name is the same symbol."""
    made: Any = ContactMeasure(system, f"{_word(level, number)} of {contact.places[place]}")
    made.referred, made.contact_name = ref(contact), contact.name
    made.place, made.level, made.number = place, level, number
    measure: ContactMeasure = made
    return measure


def _word(level: str, number: int) -> str:
    if level in ("slip", "roll", "tilt", "follow", "standing"):
        return f"{level} {number + 1}"
    if level in ("point", "normal"):
        return f"{level} {AXES[number]}"
    return f"tangent {number // 3 + 1} {AXES[number % 3]}" if level == "tangent" else level
