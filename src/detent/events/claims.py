"""What the event kernel puts new modes together from by itself: blank modes, and what they may watch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import final

import numpy as np
from numpy.typing import NDArray

from detent.events import event_frame as at
from detent.events.watch import Certificate, Leaves, Watch
from detent.jit.address import check_places, check_room, raw_address
from detent.jit.arrays import Records, Words


@final
@dataclass(frozen=True)
class OfferRow:
    """A transition that a claimed mode takes up where its key has some values."""

    transition: int
    slot: int
    """The place of its guard among all guards that claimed modes may have."""
    watched: int
    identity: int
    where: Sequence[tuple[int, float]] = ()
    once: bool = False


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
        cls, cells: tuple[Words, Words, Words, Words], owner: object, guards: int, transitions: int, leaves: Leaves,
        switches: Sequence[float], key: int, most_steps: int,
    ) -> Blank:  # fmt: skip
        """One with room for so many guards and transitions; ``cells`` give rates, correction, reactions, choice."""
        claim = np.zeros(1, dtype=at.CLAIM)
        claim["most"] = most_steps
        slots, watched, identities = (np.zeros(guards + 1, dtype=np.int64) for _ in range(3))
        return cls(
            *cells, Certificate.blank(guards, leaves), slots, watched, identities,
            np.zeros(transitions + 1, dtype=at.OWN), np.array([*switches, 0.0]), np.zeros(key + 1), claim, owner,
        )  # fmt: skip

    @property
    def steps(self) -> int:
        """How many were taken in it."""
        return int(self.claim["steps"][0])

    @property
    def transitions(self) -> int:
        """How many transitions leave it, once it is claimed."""
        return int(self.claim["transitions"][0])

    @property
    def has_lasted(self) -> bool:
        """Whether so many were that it is worth programs of its own."""
        return bool(self.claim["steps"][0] >= self.claim["most"][0])


@final
@dataclass(eq=False)
class Claims:
    """All that the kernel needs to claim modes of one family."""

    family: int
    observer: Words
    """Observes all guards that such modes may have."""
    watches: Sequence[Watch]
    offers: Sequence[OfferRow]
    reactions: int
    """How many reactions such modes have, in one order for all of them."""
    blanks: list[Blank] = field(default_factory=list)
    """Those that have not been claimed."""

    @property
    def guards(self) -> int:
        """How many guards a claimed mode may have."""
        return len(self.watches)

    def check(self, blank: Blank, key: int, switches: int) -> None:
        """That a blank mode has room for all that the kernel may take up, for keys and for loads of such sizes."""
        arrays = {"slots": blank.slots, "watched": blank.watched, "identities": blank.identities}
        for name, array in arrays.items():
            check_room(f"the {name} of a blank mode", self.guards, len(array))
        check_room("the watches of a blank mode", self.guards, blank.certificate.room)
        check_room("the transitions of a blank mode", len(self.offers), len(blank.own))
        check_room("the key of a blank mode", key, len(blank.key))
        check_room("the switches of a blank mode", switches, len(blank.switches))

    def offer_table(self) -> Records:
        """The offers as the kernel reads them; one at least."""
        slots = np.array([offer.slot for offer in self.offers], dtype=np.int64)
        check_places("the guards of what is offered", slots, len(self.offers), self.guards)
        firsts = accumulate([0, *(len(offer.where) for offer in self.offers)])
        made = [
            (
                offer.transition, offer.slot, raw_address(self.watches[offer.slot].record), offer.watched,
                offer.identity, int(offer.once), first, len(offer.where),
            )
            for offer, first in zip(self.offers, firsts, strict=False)
        ]  # fmt: skip
        return np.array([*made, (0,) * len(at.OFFER.names or ())], dtype=at.OFFER)

    def key_values(self) -> Records:
        """What the offers ask of a key, one after the other."""
        asked = [pair for offer in self.offers for pair in offer.where]
        return np.array([*asked, (0, 0.0)], dtype=at.KEY_VALUE)
