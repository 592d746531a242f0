"""Impacts of several contacts at one instant, as a record: what their kernel is given, and what it leaves.

Rows J are scaled by the mass as in :mod:`detent.contact_solves.cone_frame`: impulses P change the velocities of the
contacts by J J^T P.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Final, final

import numpy as np

SIMULTANEOUS: Final = 0
WAVES: Final = 1
SEQUENTIAL: Final = 2


@final
class ImpactOrder(IntEnum):
    """In which order contacts strike.

    >>> ImpactOrder.WAVES.name
    'WAVES'
    """

    SIMULTANEOUS = SIMULTANEOUS
    """All at once, in Poisson's two phases."""
    WAVES = WAVES
    """Those that approach, then those that approach after that: an impact that runs through a row of balls."""
    SEQUENTIAL = SEQUENTIAL
    """One after the other, the fastest approach first."""


STRUCK: Final = 0
CAPPED: Final = 1
ENDED: Final = 2
GAINS: Final = 3
FAILED: Final = 4


@final
class SeveralOutcome(IntEnum):
    """What became of the impacts of an instant.

    >>> SeveralOutcome.CAPPED.has_result, SeveralOutcome.FAILED.has_result
    (True, False)
    """

    STRUCK = STRUCK
    """Every law is satisfied, and nothing approaches any more."""
    CAPPED = CAPPED
    """Energy would have grown: every restitution of an impact was multiplied by the same factor, so that it did not."""
    ENDED = ENDED
    """Impacts that would have gone on for long were ended by a plastic one of all contacts."""
    GAINS = GAINS
    """The law of one contact would gain energy, and was not followed."""
    FAILED = FAILED
    """No impulse was found for a contact."""

    @property
    def has_result(self) -> bool:
        """Whether there are impulses and velocities after them."""
        return self <= ENDED


MOST_IMPACTS: Final = 1000
"""Waves, or single impacts, of one instant."""
SLOW: Final = 1e-13
"""An approach this slow, over the fastest velocity before, is none."""

SEVERAL_IMPACTS: Final = np.dtype(
    [
        *((name, np.int64) for name in ("contacts", "dimension", "speeds", "order")),
        # addresses of what is given
        ("rows", np.int64),  # J row by row
        ("before", np.int64),  # velocities, dimension numbers for each contact, normal first
        ("friction", np.int64), ("restitution", np.int64),  # a number for each contact
        ("laws", np.int64),  # words, of single_impact_frame.Law
        # addresses of what is left
        ("impulses", np.int64), ("after", np.int64),  # dimension numbers for each contact
        # addresses to work at
        ("cone", np.int64),  # a record of cone_frame.CONE, all of whose arrays have room for all contacts
        ("single", np.int64),  # a record of single_impact_frame.SINGLE_IMPACT
        ("chosen", np.int64),  # words: the contacts that strike together
        ("compression", np.int64), ("whole", np.int64),  # their impulses, of one phase and of both
        ("bounce", np.int64),  # of each the impulse of restitution by that of compression, and room for twice as many
        ("driven", np.float64),  # given: how fast friction drives in what does not approach; zero for a collision
        ("known", np.float64),  # given: how much of the velocities before may be rounding
        ("rounding", np.float64),  # how much of velocities may be rounding
        # numbers that are left
        ("energy", np.float64),  # its change, J
        ("factor", np.float64),  # the smallest by which restitutions were multiplied
        ("impacts", np.int64),  # how many there were, one after the other
        ("culprit", np.int64),  # the contact whose law gains, or which has no impulse
        ("by_poisson", np.int64),  # 1 where a law is about one contact alone, or could not be followed: Poisson's was
        ("locked", np.int64),  # 1 where a contact alone could not give back what its law asks for
    ]
)  # fmt: skip
"""What the kernel finds at the address it is given."""
