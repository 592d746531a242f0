"""What the event kernel puts new modes together from by itself: blank modes, and what they may watch."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate
from typing import Final, final

import numpy as np
from numpy.typing import NDArray

from detent.events import event_frame as at
from detent.events.watch import Certificate, Leaves, Watch
from detent.jit.address import address_or_zero, check_places, check_room, raw_address
from detent.jit.arrays import Records, Words

NEVER: Final = 2**62
"""More steps than any run takes."""


@final
@dataclass(frozen=True)
class OfferRow:
    """A transition that a claimed mode of a family takes up where its key has some values."""

    family: int
    transition: int
    """Or REQUIRED, after those of its family: its guard is what such modes require."""
    slot: int
    """The place of its guard among all that claimed modes may watch."""
    watched: int = 0
    identity: int = 0
    where: Sequence[tuple[int, float]] = ()
    once: bool = False
    before: Words | None = None
    """The cell of its condition, which reads reactions as claimed modes have them."""
    negative: int = -1
    """Of what is required: the slot of its negative, if that is watched too."""


@final
@dataclass(frozen=True, eq=False)
class Blank:
    """A mode that the kernel may claim, or has claimed: what runs in it, and room for what it is to watch."""

    rates: Words
    projection: Words
    reactions: Words
    choice: Words
    certificate: Certificate
    slots: Words
    watched: Words
    identities: Words
    own: Records
    switches: NDArray[np.float64]
    key: NDArray[np.float64]
    claim: Records
    owner: object

    @classmethod
    def made(
        cls, claims: Claims, family: int, cells: tuple[Words, Words, Words, Words], owner: object, leaves: Leaves,
        switches: Sequence[float], key: int, most_steps: int,
    ) -> Blank:  # fmt: skip
        """One for a family; ``cells`` give rates, correction, reactions, choice."""
        claim = np.zeros(1, dtype=at.CLAIM)
        claim["family"], claim["most"] = family, most_steps
        most, transitions = claims.most_watched, len(claims.offers)
        slots, watched, identities = (np.zeros(most + 1, dtype=np.int64) for _ in range(3))
        return cls(
            *cells, Certificate.blank(most, leaves), slots, watched, identities,
            np.zeros(transitions + 1, dtype=at.OWN), np.array([*switches, 0.0]), np.zeros(key + 1), claim, owner,
        )  # fmt: skip

    @property
    def family(self) -> int:
        """The number of the family that it was made for."""
        return int(self.claim["family"][0])

    @property
    def invariants(self) -> int:
        """How much it requires, once it is claimed."""
        return int(self.claim["invariants"][0])

    @property
    def steps(self) -> int:
        """How many were taken in it."""
        return int(self.claim["steps"][0])

    @property
    def transitions(self) -> int:
        """How many transitions leave it, once it is claimed."""
        return int(self.claim["transitions"][0])

    @property
    def is_for_good(self) -> bool:
        """Whether it stays as it was claimed however long it lasts, as in the runs of a servo."""
        return int(self.claim["most"][0]) == NEVER

    @property
    def has_lasted(self) -> bool:
        """Whether so many were that it is worth programs of its own."""
        return bool(self.claim["steps"][0] >= self.claim["most"][0])


@final
@dataclass(eq=False)
class Claims:
    """All that the kernel needs to claim modes."""

    observer: Words
    """Observes all that such modes may watch."""
    watches: Sequence[Watch]
    offers: Sequence[OfferRow]
    reactions: int
    """How many reactions such modes have, in one order for all of them."""
    blanks: list[Blank] = field(default_factory=list)
    """Those that have not been claimed."""

    @property
    def observed(self) -> int:
        """How much is observed of a claimed mode, whatever it watches of that."""
        return len(self.watches)

    @cached_property
    def most_watched(self) -> int:
        """How many guards a claimed mode may have, with what it requires."""
        required = Counter(offer.family for offer in self.offers if offer.transition == at.REQUIRED)
        return len(self.watches) + max(required.values(), default=0)

    def check(self, blank: Blank, key: int, switches: int) -> None:
        """That a blank mode has room for all that the kernel may take up, for keys and for loads of such sizes."""
        most, arrays = self.most_watched, {"slots": blank.slots, "watched": blank.watched}
        for name, array in (arrays | {"identities": blank.identities}).items():
            check_room(f"the {name} of a blank mode", most, len(array))
        check_room("the watches of a blank mode", most, blank.certificate.room)
        check_room("the transitions of a blank mode", len(self.offers), len(blank.own))
        check_room("the key of a blank mode", key, len(blank.key))
        check_room("the switches of a blank mode", switches, len(blank.switches))

    def offer_table(self) -> Records:
        """The offers as the kernel reads them; one at least."""
        slots = np.array([offer.slot for offer in self.offers], dtype=np.int64)
        check_places("the guards of what is offered", slots, len(self.offers), self.observed)
        firsts = accumulate([0, *(len(offer.where) for offer in self.offers)])
        made = [
            (
                offer.family, offer.transition, offer.slot, raw_address(self.watches[offer.slot].record),
                offer.watched, offer.identity, int(offer.once), first, len(offer.where),
                address_or_zero(offer.before), offer.negative,
            )
            for offer, first in zip(self.offers, firsts, strict=False)
        ]  # fmt: skip
        return np.array([*made, (0,) * len(at.OFFER.names or ())], dtype=at.OFFER)

    def key_values(self) -> Records:
        """What the offers ask of a key, one after the other."""
        asked = [pair for offer in self.offers for pair in offer.where]
        return np.array([*asked, (0, 0.0)], dtype=at.KEY_VALUE)
