"""Choosing the dependent speeds again while a mode runs, without returning to Python.

As a mechanism moves, the speeds that were chosen as dependent may become hard to solve for. Nothing but the partition
of the speeds changes then; a table holds a context for each partition that was met, and room for new ones.
"""

from __future__ import annotations

from typing import Final

from detent.jit.abi import OK
from detent.jit.intrinsics import (
    ADDRESSES,
    as_doubles,
    as_words,
    call_cell,
    called,
    field_reader,
    field_writer,
    kernel,
    record_reader,
    row_reader,
)
from detent.solves import constraint_frame as at
from detent.solves.choice_frame import ALTERNATIVE, ALTERNATIVES, CHOICE, LOG_ROOM, LOST, ROOM
from detent.solves.constraint_solve_kernel import as_constrained, constrained
from detent.solves.partition_kernel import choose_from_rows, take_partition
from detent.solves.state_kernel import copy_state
from detent.stepping.step_kernel import as_asking, as_counters, as_current

_as_alternatives: Final = record_reader(ALTERNATIVES)
_ready = field_reader(ALTERNATIVES, "ready")
_read = field_reader(ALTERNATIVES, "read")
_tell_logged = field_writer(ALTERNATIVES, "logged")
_alternative = row_reader(ALTERNATIVE)
_rates_of = field_reader(ALTERNATIVE, "rates")
_log_row = row_reader(CHOICE)

_HARD: Final = 100.0
"""Factors as large leave dependent speeds, and reactions, four digits less than there are."""


@called
def _choose(head, time, state, values):
    """The choice at a state, into the two rows of CHOSEN: rows in order, and columns. -1, or why there is none."""
    status = call_cell(head.constraints, time, state, values, head.B)
    if status != OK:
        return status
    return -1 if choose_from_rows(head) == head.rows else at.SINGULAR_CONSTRAINT


@called
def _is_chosen(chosen, m, other):
    """Whether a context has the choice that was made."""
    order, dependent = as_words(other.order), as_words(other.dependent)
    same = True
    for k in range(m):
        same = same and chosen[k] == order[k] and chosen[m + k] == dependent[k]
    return same


@kernel(ADDRESSES)
def is_other_choice(context, time, state, values, out):
    """0 if the dependent speeds that ``context`` has are those that would be chosen at this state."""
    head = as_constrained(context)
    status = _choose(head, time, state, values)
    if status >= 0:
        return status
    return OK if _is_chosen(as_words(head.chosen), head.rows, head) else 1


@called
def _adopt(head, time, state, values):
    """Go on with the choice that is made at a state, in the same context. -1, or why there is none."""
    status = _choose(head, time, state, values)
    if status >= 0:
        return status
    flag, bound, chosen = as_words(head.flag), as_doubles(head.bound), as_words(head.chosen)
    flag[0] = 0
    if _is_chosen(chosen, head.rows, head):  # no other choice is better: look again when its factors grow
        bound[0] = 1.5 * max(bound[1], at.RESELECT_ABOVE)
    else:
        take_partition(chosen, head.rows, head)
        flag[1], bound[0], bound[1] = 0, at.RESELECT_ABOVE, 0.0
    return -1


@kernel(ADDRESSES)
def adopt_choice(context, time, state, values, out):
    """The dependent speeds of ``context`` become those that are chosen at this state; 0, or why there are none."""
    status = _adopt(as_constrained(context), time, state, values)
    return OK if status < 0 else status


@kernel(ADDRESSES)
def adopt_again(context, time, state, values, out):
    """The same of what runs now, by the words in ``out``, between two steps; 1 where the caller must choose.

    ``context`` holds the addresses of the kernels that work out rates where a mode solves for them, and that correct
    states. Rates that come from elsewhere, as those of contacts that share their forces, are the same whatever speeds
    the correction goes by: where it finds no others it goes on with those that it has.
    """
    current, known = as_current(out), as_words(context)
    correction = as_words(current.projection)
    if correction[0] != known[1]:
        return 1
    status = _adopt(as_constrained(correction[1]), time, state, values)
    return OK if status < 0 or as_words(current.rates)[0] != known[0] else 1


@kernel(ADDRESSES)
def chosen_reactions(context, time, state, values, out):
    """The reactions of the rows, with the dependent speeds that are chosen at each state."""
    head = as_constrained(context)
    _adopt(head, time, state, values)
    copy_state(head, state, head.state)
    return constrained(head, time, values, as_doubles(out))


@called
def _is_hard(head):
    """Whether the dependent speeds of a context are hard to solve for, where its rates were worked out last."""
    m, p, factors = head.rows, head.speeds - head.rows, as_doubles(head.D)
    hard = False
    for i in range(m):
        for j in range(p):
            hard = hard or not abs(factors[i * (p + 1) + j]) <= _HARD
    return hard


@kernel(ADDRESSES)
def told_reactions(context, time, state, values, out):
    """The reactions of the rows at a node, as they are told, by the dependent speeds that a mode runs with.

    ``context`` holds the addresses of two: where those speeds are hard to solve for, others are chosen in the second.
    A mode runs with speeds that are good between two steps. At a node at which it ends, or was entered with others,
    they may be as bad as can be: where a can comes to lie on its side, spin about its axis is none about the normal.
    """
    both = as_words(context)
    head = as_constrained(both[0])
    copy_state(head, state, head.state)
    status = constrained(head, time, values, as_doubles(out))
    if status != at.SINGULAR_CONSTRAINT and not _is_hard(head):
        return status
    other = as_constrained(both[1])
    if _adopt(other, time, state, values) >= 0:
        return status
    copy_state(other, state, other.state)
    return constrained(other, time, values, as_doubles(out))


@called
def _row_of(known, chosen, m):
    """The row of the table that has the choice that was made; a free one if none has; -1 if none is free."""
    for number in range(known.used):
        if _is_chosen(chosen, m, as_constrained(_alternative(known.table, number).context)):
            return number
    if known.used == _ready(known):
        return -1
    number = known.used
    take_partition(chosen, m, as_constrained(_alternative(known.table, number).context))
    known.used = number + 1
    return number


@called
def _hand_on(head, other):
    """What a context knows of its rows, whatever the choice; and what takes steps across change points from now on."""
    own, taken = as_doubles(head.scale), as_doubles(other.scale)
    for i in range(head.rows + head.speeds):
        taken[i] = max(taken[i], own[i])
    as_asking(other.asking).crossed_by = other.crossing


@kernel(ADDRESSES)
def choose_again(context, time, state, values, out):
    """Between two steps: go on with other independent speeds. 0, or a reason to ask the caller.

    ``out`` are the words that say what runs now. All speeds are known and nothing jumps: only the programs change.
    """
    known = _as_alternatives(context)
    before = known.present
    head = as_constrained(_alternative(known.table, before).context)
    status = _choose(head, time, state, values)
    full = known.logged - _read(known) >= LOG_ROOM
    number = -1 if status >= 0 or full else _row_of(known, as_words(head.chosen), head.rows)
    if number < 0:
        known.asks = LOST if status >= 0 else ROOM
        return 1
    as_words(head.flag)[0] = 0
    bound = as_doubles(head.bound)
    if number == before:  # no other choice is better: put up with these factors, look again when they grow
        bound[0] = 1.5 * max(bound[1], at.RESELECT_ABOVE)
        return OK
    bound[0] = at.RESELECT_ABOVE
    row = _alternative(known.table, number)
    _hand_on(head, as_constrained(row.context))
    current = as_current(out)
    current.rates, current.projection = _rates_of(row), row.correction
    known.present = number
    entry = _log_row(known.log, known.logged % LOG_ROOM)
    entry.steps, entry.number, entry.time = as_counters(known.counters).steps, number, time
    _tell_logged(known, known.logged + 1)
    return OK
