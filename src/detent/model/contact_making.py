"""A contact from what the user gives, looked at before anything is made of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from detent.errors import DetentError
from detent.model.contact import Contact
from detent.model.contact_measure import contact_measure
from detent.model.contact_states import contact_states
from detent.model.friction_laws import Coulomb
from detent.model.impact_laws import ImpactLaw, Poisson
from detent.model.owned import check_owner
from detent.model.quantity import Discrete, Signal, StatusState
from detent.model.shape import Shape

if TYPE_CHECKING:
    from detent.model.system import System


def made_contact(
    system: System, name: str, first: Any, second: Any, friction: Any, impact: Any, enabled: bool = True
) -> Contact:
    """The contact of two shapes of a system that can touch; it is no part of the system yet."""
    from detent.contact.pairs import places  # which reads shapes, and is itself no part of a model

    where = f"contact '{name}'"
    law = Poisson(0) if impact is None else impact
    for shape in (first, second):
        if not isinstance(shape, Shape):
            raise DetentError(f"{where}: found {shape!r} where a shape was expected; give one, such as body.circle(r)")
        check_owner(system, where, shape.seat.origin, shape.seat.frame)
    if not isinstance(friction, Coulomb | None):
        raise DetentError(f"{where}: its friction is {friction!r}; give detent.Coulomb(mu), or None for no friction")
    if not isinstance(law, ImpactLaw):
        raise DetentError(f"{where}: its impact is {law!r}; give a law, such as detent.Poisson(e) or detent.Plastic()")
    if not isinstance(enabled, bool):
        raise DetentError(f"{where}: enabled is {enabled!r}; give True, or False for a contact that does not count yet")
    found = places(where, first, second, name)
    followed = tuple(tuple(str(each.leaf) for each in place.followed) for place in found)
    made = Contact(name, first, second, friction, law, tuple(place.feature for place in found), enabled, followed)
    _check_places(system, made)
    return made


def _check_places(system: System, contact: Contact) -> None:
    """That no place of another contact has the whole name of one of these."""
    for other in system.contacts.values():
        shared = [place for place in contact.places if place in other.places]
        if shared and other.name != contact.name:
            raise DetentError(
                f"contact '{contact.name}': its place '{shared[0]}' has the name of a place of contact '{other.name}'; "
                "give one of them another name"
            )


def add_contact(system: System, contact: Contact) -> None:
    """Put a contact into a system, with its discrete states and the coordinates of points that are followed."""
    system.contacts[contact.name] = contact
    for name, is_status in contact_states(contact, len(system.contacts) == 1):
        system.discrete_states.append((StatusState if is_status else Discrete)(system, name))
        system.start(**{name: 0.0})
    for which, coordinates in enumerate(contact.followed):
        for number, coordinate in enumerate(coordinates):
            rate = contact_measure(system, contact, which, "follow", number)
            system.signal_rates[Signal(system, coordinate)] = rate
