"""Two boxes that may touch, as a whole: what is watched while they are apart, and while they touch."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final, final

from detent.contact_solves.box_frame import Touching
from detent.hybrid.contact_place import Place
from detent.model.contact import Contact, feature_names, touching_name
from detent.model.contact_measure import contact_measure

_DEEP: Final = 1e-7
"""By this part of their sizes boxes may be in one another: more than integration and rounding leave, and then the run
stops."""


@final
@dataclass(frozen=True, eq=False)
class BoxPair:
    """A contact whose places have features that are chosen where they meet."""

    places: tuple[Place, ...]
    number: int
    """Which of all such pairs."""

    @property
    def contact(self) -> Contact:
        return self.places[0].contact

    @property
    def touching(self) -> str:
        """The discrete state that tells whether they touch: a value of :class:`Touching`."""
        return touching_name(self.contact.name)

    @property
    def features(self) -> tuple[str, ...]:
        """The discrete states that tell in which features they do as a whole, then at each place."""
        names = (self.contact.name, *(place.name for place in self.places))
        return tuple(feature for name in names for feature in feature_names(name))

    def watched(self, how: Touching) -> Any:
        """What falls below zero where more of them meets than does already."""
        level = "apart" if how is Touching.APART else "clearance"
        return contact_measure(self.places[0].system, self.contact, 0, level)

    @property
    def outside(self) -> Any:
        """What is not negative unless the boxes have come into one another, by more than a part of their sizes."""
        sizes = [*self.contact.first.sizes.values(), *self.contact.second.sizes.values()]
        return self.watched(Touching.APART) + _DEEP * sum(sizes)

    @property
    def standing(self) -> Iterator[Any]:
        """Of both boxes the place, the axes and the sizes, one number after the other."""
        for number in range(30):
            yield contact_measure(self.places[0].system, self.contact, 0, "standing", number)


def pairs_of(places: tuple[Place, ...]) -> tuple[BoxPair, ...]:
    """All pairs of boxes among the contacts of some places."""
    own: dict[Contact, list[Place]] = {}
    for place in places:
        if place.contact.chooses_features:
            own.setdefault(place.contact, []).append(place)
    return tuple(BoxPair(tuple(found), number) for number, found in enumerate(own.values()))
