"""A contact from what the user gives, looked at before anything is made of it."""

from __future__ import annotations

from typing import Any

from detent.errors import DetentError
from detent.model.contact import Contact
from detent.model.friction_laws import Coulomb
from detent.model.impact_laws import ImpactLaw, Poisson
from detent.model.shape import Shape


def made_contact(name: str, first: Any, second: Any, friction: Any, impact: Any, enabled: bool) -> Contact:
    """The contact of two shapes that can touch."""
    from detent.contact.pairs import places  # which reads shapes, and is itself no part of a model

    where = f"contact '{name}'"
    law = Poisson(0) if impact is None else impact
    for shape in (first, second):
        if not isinstance(shape, Shape):
            raise DetentError(f"{where}: found {shape!r} where a shape was expected; give one, such as body.circle(r)")
    if not isinstance(friction, Coulomb | None):
        raise DetentError(f"{where}: its friction is {friction!r}; give detent.Coulomb(mu), or None for no friction")
    if not isinstance(law, ImpactLaw):
        raise DetentError(f"{where}: its impact is {law!r}; give a law, such as detent.Poisson(e) or detent.Plastic()")
    found = places(where, first, second, name)
    followed = tuple(tuple(str(each.leaf) for each in place.followed) for place in found)
    return Contact(name, first, second, friction, law, tuple(place.feature for place in found), enabled, followed)
