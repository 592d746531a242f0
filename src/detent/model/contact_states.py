"""The discrete states that contacts need: what they do, in which direction they slip, which conditions hold."""

from __future__ import annotations

from collections.abc import Iterator

from detent.model.contact import (
    SHARING,
    Contact,
    feature_names,
    slip_names,
    status_name,
    tip_names,
    touching_name,
    turn_names,
)
from detent.model.contact_zones import zones_of


def contact_states(contact: Contact, first: bool) -> Iterator[tuple[str, bool]]:
    """The names of a contact's discrete states, each with whether it is a status; the ``first`` has one for all.

    >>> import detent
    >>> system = detent.System("example")
    >>> y = system.coordinates("y")
    >>> ball = system.particle("ball", system.origin.offset("center", y*system.ground.y), mass=1)
    >>> list(contact_states(system.contact("ball|floor", ball.point(), system.ground.line()), first=False))
    [('status of ball|floor', True), ('slip of ball|floor', False)]
    """
    if first:
        yield SHARING, False
    for number, place in enumerate(contact.places):
        yield status_name(place), True
        for slip in slip_names(place, contact.planar):
            yield slip, False
        for word in contact.resistances_at(number):
            for turn in turn_names(place, word, contact.planar):
                yield turn, False
    for zone in zones_of(contact):
        yield zone.name, False
    for rim, _ in contact.flat_ends:
        for tip in tip_names(contact.places[rim]):
            yield tip, False
    if contact.chooses_features:
        yield touching_name(contact.name), False
        for name in (contact.name, *contact.places):
            for feature in feature_names(name):
                yield feature, False
