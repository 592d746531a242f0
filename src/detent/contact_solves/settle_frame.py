"""What the kernel finds that settles contacts at an instant, and what it tells."""

from __future__ import annotations

from enum import IntEnum, IntFlag
from typing import Final, NamedTuple

import numpy as np

from detent.contact_solves.box_frame import CODE, FOUND, POINTS, POSE


class Reason(IntEnum):
    """Why contacts are settled; all but the first three are about one contact."""

    STARTS = 0
    """Contacts begin to count: nothing is known but the state, and that no shapes lie across one another."""
    JUMPS = 1
    """Values have jumped, or speeds: what held may slip, strike or part, as if it had only come to touch."""
    CHANGES = 2
    """A coefficient jumps."""
    CLOSES = 3
    """The gap has become zero."""
    LIFTS = 4
    """The normal force has become zero."""
    ENDS = 5
    """The slip has ended, or has turned round."""
    BREAKS = 6
    """Sticking asks for more friction than there is."""
    LEAVES = 7
    """The place of contact has left its edge or face."""
    TURNS = 9
    """The slip in space has turned, or is near its end."""
    GIVES = 10
    """What does not turn asks for a larger moment than its resistance."""
    HALTS = 11
    """What turned against a resistance has stopped, or turns the other way."""
    LIES = 12
    """The face of an end comes to lie flat; its rim touches no more."""
    TIPS = 13
    """A rim has tipped so far, or so far aside, that the direction in which it began to is forgotten."""
    YIELDS = 8
    """Contacts that share their forces no longer find forces that hold them."""


class Seizing(IntEnum):
    """What is to seize though friction still leaves it a motion: an impact without collision, where steps cannot go on.

    >>> Seizing.TOGETHER.name
    'TOGETHER'
    """

    NOTHING = 0
    FOUND = 1
    """The contact that contacts are settled for: it alone is known to be where friction leaves no acceleration."""
    NEAR = 2
    """The same if it is as near to that as steps can come."""
    TOGETHER = 3
    """All that touch, if they are as near to that."""


SEIZED: Final = 1
CAPPED: Final = 2
ENDED: Final = 4
SEVERAL: Final = 8
BY_POISSON: Final = 16
LOCKED: Final = 32
UNSTEADY: Final = 64
STRUCK: Final = 128


class SettlingNote(IntFlag):
    """What is worth telling of contacts that were settled."""

    SEIZED = SEIZED
    """Friction left no acceleration to a contact that slid: it was stopped by an impact without collision."""
    CAPPED = CAPPED
    """The restitutions of several contacts would have gained energy, and were made smaller."""
    ENDED = ENDED
    """Impacts that ran to and fro between contacts for long were ended by a plastic one."""
    SEVERAL = SEVERAL
    """Other motions were possible."""
    BY_POISSON = BY_POISSON
    """Contacts of another law struck at once with others, which is done by Poisson's."""
    LOCKED = LOCKED
    """What the law of a contact would give back was not given: friction holds it, and no impulse moves it."""
    UNSTEADY = UNSTEADY
    """Another motion was possible, by a force that draws in what it should push apart."""
    STRUCK = STRUCK
    """Contacts struck at the instant at which something else happened to one."""


class Unsettled(IntEnum):
    """Why contacts could not be settled; returned as the status of the program."""

    NO_MASS = 41
    """Some speed moves no mass, so that no contact can be solved for."""
    NO_STATUS = 42
    """No statuses satisfy all contacts, and no impact leads to any."""
    NOT_CONVERGED = 43
    """The solver of the cone problem did not converge."""
    IMPACT_GAINS = 44
    """An impact would gain energy."""
    BAD_LAW = 45
    """A coefficient is not a number, negative, or a restitution outside [0, 1]."""
    IMPACT_FAILED = 46
    """An impact could not be followed to its end."""
    OVERLAPS = 47
    """A contact begins with its shapes inside one another."""
    BLOCKED = 48
    """Shapes approach, and no impulse ends that: what holds besides lets nothing give way."""
    NO_TIP = 49
    """An end cannot lie flat, and there is no point of its rim over which it would tip."""


WORKING: Final = (
    "given", "geometry", "holds",  # what the programs write: M and f, the contacts, the constraints that hold
    "triangle",  # M, factorised
    "wanted", "kept_rows",  # how much acceleration along each row of the basis; how many of these there are
    "basis",  # the rows of the constraints that hold, scaled by the mass and made orthonormal
    "rows",  # the rows of the contacts, scaled by the mass, less what the constraints prevent
    "free",  # u' without contacts, scaled by the mass
    "speed", "terms",  # the relative velocity of each row, and the size of the terms it is the sum of
    "change",  # of the speeds, scaled by the mass
    "bias",  # the relative acceleration of each row without contacts
    "carried",  # what of that is not by the acceleration of speeds that are free
    "members", "still",  # the contacts that touch; for each of all whether its slip is zero
    "independent",  # rows that hold, made orthonormal
    "turn_rows", "turn_bias", "turn_carried",  # the same of the turning that is resisted, row by row
    "turn_speed", "turn_terms",
    "turned", "turn_ways",  # of each whether it turns; and row by row which way
    "turn_members", "turn_at",  # which of the members it belongs to, and which contact of the cone problem it is, or -1
    "turn_scales",  # the moment by the force that stands for it there
    "edges", "edge_ways",  # of forces that contacts share: which are at the edge of their cones, and their opposites
    "later",  # a state a little later
    "impulse",  # of each row
    "poses", "box_room", "box_found",  # where boxes stand; room to work in; the points in which two of them touch
)  # fmt: skip
"""The arrays that the kernel works in."""

SETTLED: Final = np.dtype(
    [
        *(
            (name, np.int64)
            for name in (
                "unsolved", "contacts", "constraints",  # cells; constraints: 0 where none holds
                "coordinates", "speeds", "signals", "held_rows",  # how many there are
                "count", "dimension",  # contacts, and rows of each
                "first_discrete", "discrete_count",  # where discrete states are among the values
                "switches", "switch_count",  # whether loads that come and go act after the instant; how many these are
                "sharing_place",  # which discrete state tells that the forces of contacts are not unique
                "status_places", "slip_places",  # which discrete states are the statuses, and the directions of slip
                "turns", "turn_contacts",  # how much turning is resisted, and at which contacts
                "turn_first",  # the first row of each, and after the last how many there are
                "turn_places",  # the discrete states of each: whether it turns, then as those of a slip in space
                "cone", "strike", "several_impacts",  # the records of the cone problem and of impacts
                "impact_order",  # in which order contacts strike that are not plastic
                "impulses",  # where impulses are left, a row each, then those of TELLING
                "culprit",  # the contact to which something cannot be done
                "edge_count",  # how many contacts of the cone problem ``edges`` tells of; 0 where it tells nothing
                "seizing",  # of Seizing
                "goes_on",  # whether a contact that leaves its features has got others in their place
                "ends", "end_count",  # ends that may lie flat, how many
                "pairs", "pair_count", "standing",  # pairs of boxes, how many; the cell of where they stand
            )
        ),
        ("resolution", np.float64),  # a flight that lasts no longer than this, s, is none; 0: as long as rounding
        ("acceleration", np.float64),  # the largest of a row
        ("slow", np.float64),  # a velocity that it gains in the rounding of the time
        ("residual", np.float64),
        ("depth", np.float64),
        *((name, np.int64) for name in WORKING),
    ]
)  # fmt: skip
"""What is known of all contacts of a mode."""

TRIGGER: Final = np.dtype(
    [(name, np.int64) for name in ("settled", "contact", "turn", "reason", "pair", "own", "asked")]
)
"""The context of one cell: which contact is settled for what reason, and what turning or boxes that is about.

``own`` and ``asked`` are the contact and the reason as they were told: where a face takes the place of its rim, or a
rim comes down aside, others are worked with."""

TURN_STATES: Final = 5
"""Room for the discrete states of turning that is resisted."""

AT_START: Final = 1e-9
"""What is nearer than this, relative to the state, touches at the start of a run: start values are typed in."""

TELLING: Final = ("told", "place", "coefficient", "angle", "factor", "remaining")
"""Numbers after the impulses, of the instant that was settled last; zero where there is nothing to tell: flags of
:class:`SettlingNote`; of an impact without collision the contact, the coefficient of friction, and the angle (rad)
between the normal and the way in which the contact yields to a push along it; the factor by which restitutions were
made smaller; where impacts have accumulated the time (s) that the others would have taken, as if the contact were
alone, and negative where it is not."""
TOLD, PLACE, COEFFICIENT, ANGLE, FACTOR, REMAINING = range(len(TELLING))

COEFFICIENTS: Final = (
    "gap", "kinetic", "static", "restitution", "domain", "law", "size", "thin", "inwards", "round", "swept",
)  # fmt: skip
"""What the program of the contacts gives of each besides its rows, one after the other of them all; ``size`` is that of
the terms that its gap is the sum of, ``thin`` is 1 where a gap may be negative though nothing overlaps: on the far side
of a face without a body; ``inwards`` is the rate of the domain, zero where features are chosen anew at each instant.
``round`` is how fast the place goes onto its feature from a corner at which it is, zero where it is at none; ``swept``
how fast turning could move what is there, whatever it turns about."""


class Turns(NamedTuple):
    """How much turning is resisted, and how many rows it has: two each where it is rolling in space."""

    number: int
    rows: int


NO_TURNS: Final = Turns(0, 0)


def geometry_size(count: int, dimension: int, speeds: int, turns: Turns = NO_TURNS) -> int:
    """How many numbers the program of the contacts gives: B row by row, C, gamma, then the coefficients.

    After them B, C, gamma and the angles of the turning that is resisted, and the resistance of each. An angle is how
    far an end leans that may lie flat, about each tangent, and 0 of any other turning.

    >>> geometry_size(2, 2, 3), geometry_size(2, 2, 3, Turns(1, 1))
    (42, 49)
    """
    rows = count * dimension
    return rows * speeds + 2 * rows + len(COEFFICIENTS) * count + turns.rows * (speeds + 3) + turns.number


def settling_arrays(
    sizes: tuple[int, int, int], held_rows: int, count: int, dimension: int, turns: Turns, pairs: int = 0
) -> dict[str, int]:  # fmt: skip
    """The room of each working array, in numbers of eight bytes."""
    n_q, n, n_s = sizes
    rows = count * dimension
    rates = (n_q + n_s) * n
    return {
        "given": n_q + 2 * n + n_s + 1 + n * (n + 1) // 2,
        "geometry": geometry_size(count, dimension, n, turns),
        "holds": 2 * held_rows * n + 3 * held_rows + rates,
        "triangle": n * (n + 1) // 2,
        "wanted": held_rows,
        "kept_rows": 1,
        "basis": held_rows * n,
        "rows": rows * n,
        "free": n,
        "speed": rows,
        "terms": rows,
        "change": n,
        "bias": rows,
        "carried": rows,
        "members": count,
        "still": count,
        "independent": (rows + turns.rows) * n,
        "turn_rows": turns.rows * n,
        **dict.fromkeys(("turn_bias", "turn_carried", "turn_speed", "turn_terms", "turn_ways"), turns.rows),
        **dict.fromkeys(("turned", "turn_members", "turn_at", "turn_scales"), turns.number),
        "edges": count + turns.number,
        "edge_ways": (count + turns.number) * (dimension - 1),
        "later": n_q + n + n_s + 1,
        "impulse": rows,
        "poses": 2 * POSE * pairs,
        "box_room": 3 * CODE,
        "box_found": (POINTS + 1) * FOUND,
    }
