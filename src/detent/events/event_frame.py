"""Where the event kernel finds everything: tables of modes and transitions, observations, the log."""

from __future__ import annotations

from enum import IntEnum
from typing import Final, NamedTuple, final

import numpy as np

from detent.stepping.interruption import INTERRUPTION, STEPPING

# -- modes ------------------------------------------------------------------------------------------
MODE: Final = np.dtype(
    [
        (name, np.int64)
        for name in (
            "rates", "projection",  # addresses of cells
            "reactions", "reaction_count",  # the cell that gives the reactions; 0 where no guard speaks of them
            "observer",  # the cell that observes all guards, then all that must hold at the entry
            "slots",  # of a claimed mode: which of all that its observer gives its guards are; 0 where these are all
            "guards", "invariants",  # how many there are
            "watched",  # one word per guard: FALLING, RISING, REACTIVE
            "identities",  # one word per guard: equal for equal guards of different modes
            "own", "transitions",  # the transitions that leave it, an OWN each, and how many they are
            "ready",  # a Readiness
            "switches",  # one number per load that comes and goes: whether it acts here
            "choice",  # the cell that tells whether a mode that was built ahead fits where it is entered; 0 if it does
            "certificate",  # what is known of its guards between the ends of a step (detent.events.watch_frame)
            "entry",  # the cell that brings a state onto the constraints where the mode is entered
            "family", "key",  # modes of one family differ by a key: one number each for some discrete states
            "claim",  # the address of a CLAIM; 0 where the caller has made the mode
        )
    ]
)  # fmt: skip
"""A row of the table of modes."""
MODE_SIZE: Final = MODE.itemsize

OWN: Final = np.dtype([("transition", np.int64), ("guard", np.int64), ("before", np.int64)])
"""A transition that leaves a mode: its number, the place of its guard among those of the mode, and the cell of its
condition there, or 0."""

CLAIM: Final = np.dtype([(name, np.int64) for name in ("family", "steps", "most", "transitions", "invariants")])
"""Of a mode that the kernel has put together by itself, or may: for which family it was made, how many steps were taken
in it, and after how many it asks its caller for programs of its own; how many transitions and requirements it has taken
up. Its cell of the choice chooses, wherever it is entered, what the others are to do."""


@final
class Readiness(IntEnum):
    """Whether a mode can be entered.

    >>> Readiness(0).name
    'MISSING'
    """

    MISSING = 0
    """It must be built first, or built again."""
    READY = 1
    FRESH = 2
    """Built for the very state in which it is entered: then there is no better choice."""
    AHEAD = 3
    """Built ahead, before it was needed."""


FALLING: Final = 1
RISING: Final = 2
REACTIVE: Final = 4
"""The guard speaks of reactions, which do not exist before the mode is entered."""
AT_ONCE: Final = 8
"""The guard fires where a mode is entered beyond it: nothing may lie beyond a gap."""
HELD: Final = 16
"""Some modes hold the guard at zero; it may have just been released."""

RESTED: Final = 2
"""The sign of a guard that has been zero for a while, or through a jump: it fires when it leaves zero."""

# -- transitions ------------------------------------------------------------------------------------
TRANSITION: Final = np.dtype(
    [
        (name, np.int64)
        for name in (
            "direction",
            "before_count",  # how many values the condition in the mode that is left has; who leaves knows its cell
            "after", "after_count",  # the cell of the condition in the mode that is entered, or 0; how many values
            "first_step", "step_count",  # the steps of the reset; -1 where the caller works it out
            "target",
            "family",  # the family of modes it leads to, or -1: to the one whose key the reset leaves
            "zeno_target", "zeno_first_step", "zeno_step_count",  # what follows where it accumulates; -1 if nothing
            "paces",  # 1 where it only ends a step, and the next one comes ten times as soon
            "anew",  # whether its guard is above zero again where it is taken: a value of Anew
            "held", "held_from",  # the number of a key that from a value on says that its guard is held at zero, or -1
        )
    ]
)  # fmt: skip
"""A row of the table of transitions."""

RESET_STEP: Final = np.dtype([("kind", np.int64), ("cell", np.int64)])
ASSIGN: Final = 0
"""The program gives the whole state, then the discrete states."""
STRIKE: Final = 1
"""The program gives the whole state, and leaves its impulses in the frame's place for them."""
SETTLE: Final = 2
"""The program gives the whole state and the discrete states, then whether impacts have accumulated; and leaves its
impulses."""

KEY_VALUE: Final = np.dtype([("place", np.int64), ("value", np.float64)])
"""A number of a key by its place, and a value."""
OFFER: Final = np.dtype(
    [
        (name, np.int64)
        for name in (
            "family",  # in modes of which family
            "transition",  # or REQUIRED
            "slot", "watch",  # its guard: its place in what is observed of claimed modes, and its watch by address
            "watched", "identity",  # as those of a mode's guards
            "once",  # 1: not where another with the same guard is taken up
            "first_value", "value_count",  # the rows of KEY_VALUE that must be so
            "before",  # the cell of its condition, or 0
            "negative",  # of what is required: the slot of its negative, or -1
        )
    ]
)  # fmt: skip
"""A transition that a mode takes up which the kernel puts together, where its key has some values; or, after those of
its family, what all modes of the family require."""
REQUIRED: Final = -1
"""In place of a transition: this is what a mode requires."""

UNKNOWN_MODE: Final = -1
"""The mode that is being entered, where the tables have none with its key."""

# -- guards at an instant ---------------------------------------------------------------------------
OBSERVATION: Final = np.dtype(
    [
        (name, np.float64)
        for name in (
            "value", "first", "second",  # value, first and second derivative along the motion
            "value_scale", "first_scale", "second_scale",  # the size of the terms that each is the sum of
        )
    ]
)  # fmt: skip
"""What an observer writes of a guard, or of what a mode requires."""
OBSERVED: Final = 6
"""How many numbers that are."""
UNKNOWN: Final = 1e300
"""The size of the terms of a second derivative that is known in part only: so large that it decides no sign."""

# -- what goes on at an instant -----------------------------------------------------------------------
EXCURSION: Final = np.dtype(
    [
        *INTERRUPTION,
        *(
            (name, np.int64)
            for name in (
                "chain",  # transitions taken at this instant
                "taking",  # the transition that is being taken
                "entering",  # the mode that is being entered
                "accumulated",  # 1 while a Zeno completion is being entered
                "concerned",  # which guard, condition or requirement is not a number, or not met
                "outside",  # 1 while one goes on that something from outside began, not a guard that passed zero
                "paces",  # 1 where a transition was taken that paces the steps
                "paced",  # 1 from such a one until the next of another kind
                "claimed",  # how many of the blank modes have been claimed
            )
        ),
    ]
)
"""What changes in an excursion, after what the stepper reads of it."""


@final
class Phase(IntEnum):
    """What is to be done before the next step.

    >>> Phase(0).name
    'STEPPING'
    """

    STEPPING = STEPPING
    """Nothing."""
    RECHECK = 1
    """Something was changed from outside: guards may have jumped."""
    CHOOSE = 2
    """Transitions have fired: the next one is to be taken up."""
    ENTER = 3
    """One is being taken: the mode that it leads to is to be entered."""
    BEGIN = 4
    """The run begins: as RECHECK, and what the mode requires must hold."""


# -- the log ----------------------------------------------------------------------------------------
LOG_ENTRY: Final = np.dtype(
    [
        (name, np.int64)
        for name in (
            "transition", "source", "target", "zeno",
            "row",  # the row of the record at which the state after the excursion stands
        )
    ]
)  # fmt: skip
LOG_NUMBERS: Final = np.dtype([("time", np.float64), ("energy", np.float64), ("accumulation", np.float64)])
"""The first columns of the numbers in the log; the last of them is where transitions accumulate, if this one completes
that. Then come discrete states and switches after it, then impulses."""
LOG_TIME: Final = 0
LOG_ENERGY: Final = 1
LOG_ACCUMULATION: Final = 2
LOG_VALUES: Final = 3
"""The same columns by number, and the first after them."""

# -- notes: what is worth knowing though nothing happened ----------------------------------------------
NOTE: Final = np.dtype([("time", np.float64), ("kind", np.int64), ("transition", np.int64), ("mode", np.int64)])
ALREADY_PAST: Final = 0
"""A mode was entered where a guard of it was past zero in its direction: it fires only when it has come back."""
NEAR_MISS: Final = 1
"""A guard came nearer to zero than the integration is exact, and did not pass it."""

# -- what Zeno's detection remembers of a transition ------------------------------------------------
ZENO: Final = np.dtype(
    [
        (name, np.float64)
        for name in (
            "last_time", "last_interval", "count",
            "accumulation",  # when the transitions accumulate, as estimated last
            "first_interval",  # the interval with which they began to become shorter
        )
    ]
)  # fmt: skip


class EventFrame(NamedTuple):
    """Addresses, and the sizes of what is there."""

    modes: int
    transitions: int
    steps: int
    width: int
    """The width of the state, without padding."""
    extended: int
    """State, rate, reactions and their rates in one row: what observers read."""
    start: int
    """Guards as observed at the start of the step."""
    end: int
    """Guards as observed at its end, or at the entry of a mode; then what must hold there."""
    other: int
    """Guards of the mode that is entered, observed before."""
    signs: int
    """The sign of each guard at the start of the step."""
    before: int
    fired: int
    """One word per transition of the mode: 1 if it is to be taken."""
    consumed: int
    """One word per guard of the automaton: the side on which it was taken at this instant, or 0."""
    standing: int
    """One word per guard of the automaton: where it stands in the mode that is left (a marked one: stood)."""
    slacks: int
    """One number per guard of the automaton: by how much it was off zero at the last jump, in the mode that is left."""
    identities: int
    """How many guards the automaton has."""
    after: int
    """The state after the reset."""
    spare: int
    after_rate: int
    missed: int
    """One number per entry of the state: the part of it by which the constraints of a mode that is entered may move it
    (rule 9)."""
    answers: int
    """The values of conditions."""
    impulses: int
    impulse_count: int
    block: int
    """The address of the discrete states and switches among the run's values."""
    block_count: int
    discrete_count: int
    kept: int
    """The block as it was before the transition."""
    energy: int
    """The cell that gives T and V."""
    energies: int
    zeno: int
    log_entries: int
    log_numbers: int
    log_width: int
    log_capacity: int
    doubted: int
    """Guards as observed where everything differs by a few units of rounding."""
    doubted_rate: int
    told: int
    """One word per transition: 1 if it was noted that a mode was entered beyond its guard."""
    notes: int
    note_capacity: int
    excursion: int
    mode_count: int
    """How many modes the caller knows; blank ones follow."""
    blank_count: int
    offers: int
    """Transitions that a blank mode may take up, in their order."""
    offer_count: int
    key_values: int
    """What offers ask of a key."""
    gathered: int
    """What the observer of a claimed mode observes."""
    key_places: int
    """One word for each number of a key: which of the discrete states it is."""
    key_count: int
    """How many numbers a key has."""
    limit: int
    """How many transitions may follow one another at one instant."""
