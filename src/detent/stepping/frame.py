"""Where the stepper kernels find everything they read and write: sizes, addresses, and the places in small arrays."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

LANES: Final = 4
"""Rows are padded to a multiple of this many numbers."""

LOOKS_FIRST: Final = -1.0
"""Before the next step it is to be found out whether that should be implicit."""

CLOCK: Final = np.dtype(
    [
        (name, np.float64)
        for name in (
            "time",
            "next_step",  # the size proposed for the next step; 0 asks for a first guess
            "last_error",
            "origin",  # steps of fixed size end at origin + number * size, so that no rounding accumulates
            "rounding",  # what the projection moves whatever the size of the step, in the units of the error; of steps
            # of fixed size, how long the next may be where guards made the last one short, else 0
            "usual",  # about the size of the steps of late, without those that had to be short near a change point
            "implicit",  # how many steps in a row were implicit, and one more where the next is to be; 0: it is not, or
            # LOOKS_FIRST
            "limited",  # how many explicit steps in a row were as long as stability allows
            "wait",  # how many that must be before implicit steps are tried (again)
            "looked",  # the time at which it was last looked whether time passes
        )
    ]
)
"""Numbers that change from step to step."""

COUNTERS: Final = np.dtype(
    [
        (name, np.int64)
        for name in (
            "steps", "rejected", "evaluations",
            "number",  # how many steps of fixed size lie between origin and now
            "rows",  # how many rows of the record are in use
            "reason",  # the status that a program returned, when it was not 0
            "looked",  # how many steps there were when it was last looked whether time passes
        )
    ]
)  # fmt: skip
"""Words that change from step to step."""

CURRENT: Final = np.dtype(
    [
        (name, np.int64)
        for name in (
            "rates",  # the address of the cell of x' = f(t, x, values)
            "projection",  # that of the cell that corrects an accepted state; the address in it is 0 if there is none
            "mode",  # the number of the mode, where an automaton is followed
            "replaced",  # a cell of rates that another one replaces at the next step, by address; 0 if none does
            "replacement",  # that other one
            "crosses",  # whether steps are taken across a change point (detent.stepping.crossing_frame)
            "stood",  # the place at which the last step ended: IS_FAR, IS_NEAR or IS_AT
        )
    ]
)
"""What runs now: words that change with the mode."""


class StepFrame(NamedTuple):
    """Where a kernel finds things: addresses, and the sizes of what is there."""

    current: int
    """The words that say what runs now."""
    events: int
    """The event frame, by address; 0 where no events are looked for. Then the kernels that look for them."""
    interruption: int
    """Where they say what keeps the next step from being taken (:mod:`detent.stepping.interruption`)."""
    meet: int
    settle: int
    excursion: int
    sizes: int
    """Two numbers that pass between the kernels."""
    values: int
    stop: int
    """A word that another thread sets to stop the run at the next step, then what programs ask for (ASKING)."""
    again: int
    """The address of the cell that is called when a program has set that word: 0 if the run can go on."""
    weights: int
    offsets: int
    starts: int
    """Row r of the method is the sum over p in [starts[r], starts[r+1]) of weights[p] * rates[offsets[p] + i]."""
    nodes: int
    """c of each stage."""
    stages: int
    extra_stages: int
    error_rows: int
    error_reads_end: int
    """Whether the error estimate needs the rate at the end of the step."""
    dense_rows: int
    width: int
    """The padded width of the state."""
    controlled: int
    """How many entries the error norm averages over."""
    absolute: int
    """The absolute tolerance of each entry; infinite where the error does not count."""
    clock: int
    counters: int
    state: int
    rates: int
    trial: int
    argument: int
    errors: int
    zeros: int
    crossing: int
    """What a step across a change point reads and writes (:mod:`detent.stepping.crossing_frame`)."""
    implicit: int
    """What an implicit step reads and writes (:mod:`detent.stepping.implicit_frame`)."""
    after_step: int
    """The address of the cell that is called after every accepted step; the address in that cell is 0 if none is."""
    capacity: int
    """Steps the record has room for; then its arrays."""
    record_time: int
    record_state: int
    record_rate: int
    record_dense: int


class Control(NamedTuple):
    """How large the steps are."""

    step: float
    """The size of fixed steps, or the largest size of controlled ones."""
    relative: float
    """The relative tolerance."""
    error_order: float
    memory: float
    smallest_factor: float
    largest_factor: float
