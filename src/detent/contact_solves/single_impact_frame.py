"""The impact of one contact with friction, as a record: what its kernel is given, and what it leaves.

Components are (n, 1, 2): along the normal, and along two tangential axes. In the plane whatever has a 2 is 0.
"""

from __future__ import annotations

from enum import IntEnum, IntFlag
from typing import Final, final

import numpy as np


@final
class Law(IntEnum):
    """How much of the compression an impact gives back, ``e`` being its restitution.

    >>> Law.POISSON.name
    'POISSON'
    """

    POISSON = 0
    """The normal impulse of restitution is e times that of compression."""
    STRONGE = 1
    """The normal work of restitution is e^2 times that of compression."""
    NEWTON = 2
    """The normal velocity turns round, e times as large; with friction this may gain energy."""
    SMITH = 3
    """Newton's restitution; friction by the mean of slip before and after (Smith 1991), without looking between."""
    PLASTIC = 4
    """Nothing: the impact ends where compression does."""


@final
class ImpactEnd(IntEnum):
    """What became of an impact.

    >>> ImpactEnd.OK.has_result, ImpactEnd.ENDLESS.has_result
    (True, False)
    """

    UNDER_WAY = -1
    """Not yet decided; no kernel returns it."""
    OK = 0
    """The law is satisfied."""
    GAIN = 1
    """The law is satisfied, and the energy has grown."""
    LOCKED = 2
    """The contact sticks, and no normal impulse moves it: what the law would give back cannot be given."""
    ENDLESS = 3
    """However large the normal impulse, the approach does not end: W yields to no impulse inside the cone."""
    NOT_CONVERGED = 4
    """The slip was not followed to the end of the impact, or Smith's equations have no solution that was found."""
    BAD_INPUT = 5
    """A number is not finite, W is not positive, the bodies part already, or a coefficient is out of its range."""

    @property
    def has_result(self) -> bool:
        """Whether there are an impulse and a velocity after it."""
        return self <= ImpactEnd.LOCKED

    @property
    def advice(self) -> str:
        """What to do about it.

        >>> ImpactEnd.GAIN.advice
        'Poisson, Stronge and plastic impacts do not gain energy.'
        """
        return _ADVICE.get(self, "")


_ADVICE: Final = {
    ImpactEnd.GAIN: "Poisson, Stronge and plastic impacts do not gain energy.",
    ImpactEnd.LOCKED: "The bodies stay where they are; a smaller friction would let them go.",
    ImpactEnd.ENDLESS: "Nothing can yield; release a constraint that blocks the contact, or take a smaller friction.",
    ImpactEnd.NOT_CONVERGED: "Take Poisson's or Stronge's law; if it was one of those, please report the numbers.",
    ImpactEnd.BAD_INPUT: (
        "Finite numbers, a symmetric W that is not negative, a normal velocity not above 0, a restitution from 0 to 1 "
        "and a friction from 0 up to the static one were expected."
    ),
}


SLIP: Final = 1
STICK: Final = 2
REVERSED: Final = 4
RECOMPRESSED: Final = 8
"""What :class:`Phases` says, for kernels, to which flags are plain words."""


@final
class Phases(IntFlag):
    """What the contact did during an impact.

    >>> Phases.SLIP | Phases.STICK
    <Phases.SLIP|STICK: 3>
    """

    SLIP = SLIP
    """It slipped."""
    STICK = STICK
    """It stuck."""
    REVERSED = REVERSED
    """Slip stopped and went on in another direction."""
    RECOMPRESSED = RECOMPRESSED
    """In restitution the bodies approached again."""


COMPRESSION: Final = 0
RESTITUTION: Final = 1
"""The two stages of an impact; where bodies approach again in restitution, compression follows once more."""

ORDER: Final = 24
"""The degree of the Taylor series of slip."""
SERIES: Final = 13
"""How many series there are."""

SINGLE_IMPACT: Final = np.dtype(
    [
        # given
        ("law", np.int64),
        *((name, np.float64) for name in ("W_nn", "W_n1", "W_n2", "W_11", "W_12", "W_22")),  # J M^-1 J^T, 1/kg
        *((name, np.float64) for name in ("before_n", "before_1", "before_2")),  # velocity before, m/s; before_n <= 0
        ("friction", np.float64),  # of a contact that slips
        ("static_friction", np.float64),  # of a contact that sticks; not below the other
        ("restitution", np.float64),  # from 0 to 1
        # left
        *((name, np.float64) for name in ("P_n", "P_1", "P_2")),  # impulse, N s
        *((name, np.float64) for name in ("v_n", "v_1", "v_2")),  # velocity after, m/s
        ("energy", np.float64),  # its change, J
        ("stopped_at", np.float64),  # the normal impulse at which slip stopped; infinite where it did not
        ("phases", np.int64),
        ("outcome", np.int64),
        # in between
        ("stage", np.int64),  # compression or restitution
        ("compression_impulse", np.float64),
        ("restitution_impulse", np.float64),
        ("compression_work", np.float64),  # done by the bodies on the contact, not below 0
        ("restitution_work", np.float64),  # done by the contact on the bodies
        ("slip", np.float64),  # its size
        ("s_1", np.float64), ("s_2", np.float64),  # its direction
        ("keeps_direction", np.int64),  # whether slip is known to follow a straight line
        ("size", np.float64),  # of velocities, to compare with
        ("room", np.float64, (SERIES * (ORDER + 1),)),  # for the series of slip
    ]
)  # fmt: skip
"""What the kernel finds at the address it is given."""
ROOM_AT: Final = SINGLE_IMPACT.itemsize - np.dtype(np.float64).itemsize * SERIES * (ORDER + 1)
"""Where in it the room for the series begins."""
