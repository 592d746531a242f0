"""What the cone solver reads and writes, the words of its answers, and how much room it needs.

A *cone problem*: contacts with normal and tangential rows J, scaled by the mass so that G = J J^T; forces lambda and
motions u = J J^T lambda + b, with

    lambda_n >= lower,  u_n >= 0,  one of them with equality            (lower is normally 0)
    |lambda_t| <= mu lambda_n,  and lambda_t = -mu lambda_n u_t/|u_t| where u_t is not zero

Motions are accelerations where statuses are asked for, speeds in impacts. Accelerations of rows are told in two parts,
b = J a + c with a those of the speeds: :mod:`detent.contact_solves.refinement_kernel` says what for.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Final

import numpy as np

OPEN: Final = 0
SLIP: Final = 1
STICK: Final = 2
UNKNOWN: Final = -1
"""A status that nothing says beforehand."""


class ConeStatus(IntEnum):
    """What a contact does."""

    UNKNOWN = UNKNOWN
    OPEN = OPEN
    SLIP = SLIP
    STICK = STICK


SOLVED: Final = 0
NONE: Final = 1
NOT_CONVERGED: Final = 2


class ConeOutcome(IntEnum):
    """What became of a cone problem."""

    SOLVED = SOLVED
    NONE = NONE
    """No forces satisfy all conditions, or none were found though a contact slides: Painleve's paradox."""
    NOT_CONVERGED = NOT_CONVERGED
    """Nothing was found though nothing slides, or a number is not finite (then the residual is infinite)."""


FACES: Final = 8
"""Of the pyramids that take the place of cones in space, for a start."""
MOST_COMBINATIONS: Final = 4096
"""Statuses of all contacts together up to which all are tried before nothing is found: six contacts in the plane, four
in space. It takes some milliseconds."""
MOST_COUNTED: Final = 256
"""Up to which all are tried where it is asked whether there are several solutions: four contacts in the plane, three in
space (where that no other is found proves nothing)."""

QUICKLY_COUNTED: Final = (256, 36)
"""The same where that must not take long, in the plane and in space: four contacts, and two. It takes a quarter of a
millisecond; a third in space would take two."""

GIVEN: Final = (
    "rows", "bias", "friction",  # J row by row, b = J a + c; mu of each contact
    "free", "carried",  # where b is told in two parts: a, a number for each speed; c
    "given", "directions",  # words: 1 where the contact slides already; its directions, dimension - 1 numbers each
    "lower",  # the least normal force of each contact
)  # fmt: skip
ANSWERED: Final = (
    "forces",  # lambda; before the solve what it was, or zeros
    "statuses",  # words; before the solve what held, or UNKNOWN
    "slip",  # directions of slip, dimension - 1 numbers each; before the solve what they were
    "motions",  # u
)
WORKING: Final = (
    "pressed", "modes", "fixed", "sizes", "square_rows", "square_free", "speed",
    "owner", "columns", "equations", "extra", "pushed", "read", "matrix", "right", "order", "unknowns",
    "tableau", "basis", "cover", "proximal", "trial", "block", "slope", "step",
    "exchanges", "centred", "gradient",
    "first_forces", "first_slip", "last_forces", "other_motions",
    "begins", "began", "loads", "way",
)  # fmt: skip
"""The arrays that the kernel works in."""

CONE: Final = np.dtype(
    [
        *((name, np.int64) for name in ("contacts", "dimension", "speeds")),
        *((name, np.int64) for name in (*GIVEN, *ANSWERED)),
        ("rounding", np.float64),  # how much of the bias may be rounding
        ("count", np.int64),  # 1 where it is asked whether there are several solutions (up to MOST_COUNTED statuses)
        ("residual", np.float64),  # how far the natural map moves a force, over the largest force
        ("culprit", np.int64),  # the contact to which there is no force
        ("not_unique", np.int64),  # in how many ways forces may change and move nothing
        ("several", np.int64),  # 1 where another solution with other motions exists
        ("steady", np.int64),  # given: 1 where of several solutions one is asked for that can be followed
        ("steadily", np.int64),  # 1 while only such solutions count
        ("unsteady", np.int64),  # 1 where others were found
        ("factors", np.int64), ("width", np.int64),  # J, or as good, in use: its address and the length of its rows
        ("freely", np.int64),  # a, in the same coordinates
        ("parted", np.int64),  # 1 where b is told in two parts
        ("by_speed", np.int64),  # 1 while motions are summed up speed by speed
        *((name, np.int64) for name in WORKING),
    ]
)  # fmt: skip
"""The record that the kernel finds at its context: sizes, numbers, and addresses."""


def cone_arrays(contacts: int, dimension: int, speeds: int) -> dict[str, int]:
    """The room of each working array, in numbers of eight bytes.

    >>> sum(cone_arrays(1, 3, 6).values())
    455
    """
    m, wide = contacts * dimension, max(speeds, contacts * dimension)
    pivots = contacts * (3 if dimension == 2 else FACES + 2)  # unknowns of the problem of complementarity
    return {
        "pressed": contacts,
        "modes": contacts,
        "fixed": contacts,
        "sizes": contacts,
        "square_rows": m * speeds,
        "square_free": speeds,
        "speed": speeds,
        "owner": m,
        "columns": m * dimension,
        "equations": m * dimension,
        "extra": m,
        "pushed": m * speeds,
        "read": m * speeds,
        "matrix": wide * wide,
        "right": wide,
        "order": wide,
        "unknowns": m,
        "tableau": pivots * (2 * pivots + 2),
        "basis": pivots,
        "cover": pivots,
        "proximal": m,
        "trial": m,
        "block": dimension * dimension,
        "slope": wide,
        "step": wide,
        "exchanges": m * m,
        "centred": m,
        "gradient": m,
        "first_forces": m,
        "first_slip": m,
        "last_forces": m,
        "other_motions": m,
        "begins": contacts,
        "began": m,
        "loads": speeds,
        "way": speeds,
    }
