"""Where the event kernel finds everything: tables of modes and transitions, observations, the log."""

from __future__ import annotations

from typing import Final, NamedTuple

from detent.stepping import interruption
from detent.stepping.interruption import LOGGED, NOTED, PHASE, STEPPING

__all__ = ["LOGGED", "NOTED", "PHASE", "STEPPING"]

# -- one row of the table of modes ----------------------------------------------------------------
MODE_RATES: Final = 0
MODE_PROJECTION: Final = 1
MODE_REACTIONS: Final = 2
"""The address of the cell that gives the reactions; 0 where no guard speaks of them."""
MODE_REACTION_COUNT: Final = 3
MODE_OBSERVER: Final = 4
"""The address of the cell that observes all guards, then all that must hold at the entry."""
MODE_GUARDS: Final = 5
MODE_INVARIANTS: Final = 6
MODE_WATCHED: Final = 7
"""The address of one word per guard: FALLING, RISING, REACTIVE."""
MODE_IDENTITIES: Final = 8
"""The address of one word per guard: equal for equal guards of different modes."""
MODE_OWN: Final = 9
"""The address of the numbers of the transitions that leave it."""
MODE_TRANSITIONS: Final = 10
MODE_READY: Final = 11
MODE_SWITCHES: Final = 12
"""The address of one number per load that comes and goes: whether it acts here."""
MODE_CHOICE: Final = 13
"""The address of the cell that tells whether a mode that was built ahead fits the state in which it is entered."""
MODE_CERTIFICATE: Final = 14
"""The address of what is known of its guards between the ends of a step (:mod:`detent.events.watch_frame`)."""
MODE_ENTRY: Final = 15
"""The address of the cell that brings a state onto the constraints where the mode is entered."""
MODE_WORDS: Final = 16

READY: Final = 1
FRESH: Final = 2
"""Built for the very state in which it is entered: then there is no better choice."""
AHEAD: Final = 3
"""Built ahead, before it was needed."""

FALLING: Final = 1
RISING: Final = 2
REACTIVE: Final = 4
"""The guard speaks of reactions, which do not exist before the mode is entered."""

RESTED: Final = 2
"""The sign of a guard that has been zero for a while, or through a jump: it fires when it leaves zero."""

# -- one row of the table of transitions ----------------------------------------------------------
GUARD: Final = 0
DIRECTION: Final = 1
BEFORE: Final = 2
"""The address of the cell of the condition in the mode that is left, or 0; then how many values it has."""
BEFORE_COUNT: Final = 3
AFTER: Final = 4
AFTER_COUNT: Final = 5
FIRST_STEP: Final = 6
STEP_COUNT: Final = 7
"""The steps of the reset; -1 where the caller works it out."""
TARGET: Final = 8
ZENO_TARGET: Final = 9
ZENO_FIRST_STEP: Final = 10
ZENO_STEP_COUNT: Final = 11
TRANSITION_WORDS: Final = 12

# -- one row of the table of reset steps ----------------------------------------------------------
STEP_KIND: Final = 0
STEP_CELL: Final = 1
STEP_WORDS: Final = 2
ASSIGN: Final = 0
"""The program gives the whole state, then the discrete states."""
STRIKE: Final = 1
"""The program gives the whole state, and leaves its impulses in the frame's place for them."""

# -- what is known of a guard at an instant ---------------------------------------------------------
VALUE: Final = 0
FIRST: Final = 1
SECOND: Final = 2
"""Value, first and second derivative along the motion, then the size of the terms that each is the sum of."""
VALUE_SCALE: Final = 3
FIRST_SCALE: Final = 4
SECOND_SCALE: Final = 5
OBSERVED: Final = 6
UNKNOWN: Final = 1e300
"""The size of the terms of a second derivative that is known in part only: so large that it decides no sign."""

# -- words that change, after those that the stepper reads ------------------------------------------
CHAIN: Final = interruption.WORDS
"""Transitions taken at this instant."""
TAKING: Final = CHAIN + 1
"""The transition that is being taken."""
ENTERING: Final = CHAIN + 2
"""The mode that is being entered."""
ACCUMULATED: Final = CHAIN + 3
"""1 while a Zeno completion is being entered."""
CONCERNED: Final = CHAIN + 4
"""Which guard, condition or requirement is not a number, or not met."""
OUTSIDE: Final = CHAIN + 5
"""1 while an excursion goes on that something from outside began, not a guard that passed zero."""
WORDS: Final = CHAIN + 6

RECHECK: Final = 1
"""Something was changed from outside: guards may have jumped."""
CHOOSE: Final = 2
ENTER: Final = 3
BEGIN: Final = 4
"""The run begins: as RECHECK, and what the mode requires must hold."""

# -- the log ----------------------------------------------------------------------------------------
LOG_TRANSITION: Final = 0
LOG_SOURCE: Final = 1
LOG_TARGET: Final = 2
LOG_ZENO: Final = 3
LOG_ROW: Final = 4
"""The row of the record at which the state after the excursion stands."""
LOG_WORDS: Final = 5
LOG_TIME: Final = 0
LOG_ENERGY: Final = 1
LOG_ACCUMULATION: Final = 2
"""Where transitions accumulate, if this one completes that."""
LOG_VALUES: Final = 3
"""Discrete states and switches after it, then impulses."""

# -- notes: what is worth knowing though nothing happened ----------------------------------------------
NOTE_KIND: Final = 0
NOTE_TRANSITION: Final = 1
NOTE_WORDS: Final = 2
ALREADY_PAST: Final = 0
"""A mode was entered where a guard of it was past zero in its direction: it fires only when it has come back."""
NEAR_MISS: Final = 1
"""A guard came nearer to zero than the integration is exact, and did not pass it."""

# -- what Zeno's detection remembers of a transition ------------------------------------------------
LAST_TIME: Final = 0
LAST_INTERVAL: Final = 1
COUNT: Final = 2
ACCUMULATION: Final = 3
"""When the transitions accumulate, as estimated last."""
FIRST_INTERVAL: Final = 4
"""The interval with which they began to become shorter."""
ZENO_NUMBERS: Final = 5


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
    identities: int
    """How many guards the automaton has."""
    after: int
    """The state after the reset."""
    spare: int
    after_rate: int
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
    log_words: int
    log_numbers: int
    log_width: int
    log_capacity: int
    doubted: int
    """Guards as observed where everything differs by a few units of rounding."""
    doubted_rate: int
    told: int
    """One word per transition: 1 if it was noted that a mode was entered beyond its guard."""
    notes: int
    note_times: int
    note_capacity: int
    words: int
    limit: int
    """How many transitions may follow one another at one instant."""
