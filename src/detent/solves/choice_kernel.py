"""Choosing the dependent speeds again while a mode runs, without returning to Python.

As a mechanism moves, the speeds that were chosen as dependent may become hard to solve for. Nothing but the split of
the speeds changes then; a table holds a context for each split that was met, and room for new ones.
"""

from __future__ import annotations

from detent.jit.abi import OK
from detent.jit.intrinsics import ADDRESSES, as_doubles, as_words, call, called, kernel, read_word, write_word
from detent.solves import constraint_frame as at
from detent.solves.choice_frame import (
    ASKS,
    COUNTERS,
    LOG,
    LOG_ROOM,
    LOG_TIMES,
    LOGGED,
    LOST,
    PRESENT,
    READ,
    READY,
    ROOM,
    ROW_CONTEXT,
    ROW_CORRECTION,
    ROW_RATES,
    ROW_WORDS,
    TABLE,
    USED,
)
from detent.solves.partition_kernel import choose
from detent.stepping.crossing_frame import CROSSED_BY
from detent.stepping.frame import PROJECTION as STEPPER_PROJECTION
from detent.stepping.frame import RATES as STEPPER_RATES
from detent.stepping.frame import STEPS as STEPPER_STEPS

SINGULAR_CONSTRAINT, RESELECT_ABOVE = at.SINGULAR_CONSTRAINT, at.RESELECT_ABOVE
CONSTRAINTS, SPEEDS, ROWS, B, C, CHOICE, CHOSEN = at.CONSTRAINTS, at.SPEEDS, at.ROWS, at.B, at.C, at.CHOICE, at.CHOSEN
DEPENDENT, INDEPENDENT, ORDER = at.DEPENDENT, at.INDEPENDENT, at.ORDER
FLAG, BOUND, SCALE = at.FLAG, at.BOUND, at.SCALE


@called
def _choose(head, time, state, values):
    """The choice at a state, into the two rows of CHOSEN: rows in order, and columns. -1, or why there is none."""
    n, m = head[SPEEDS], head[ROWS]
    status = call(read_word(head[CONSTRAINTS]), as_words(head[CONSTRAINTS])[1], time, state, values, head[B])
    if status != OK:
        return status
    rows, constant, work = as_doubles(head[B]), as_doubles(head[C]), as_doubles(head[CHOICE])
    for i in range(m):
        for j in range(n):
            work[i * (n + 1) + j] = rows[i * n + j]
        work[i * (n + 1) + n] = constant[i]
    rank = choose(work, m, n, as_words(head[CHOSEN]), as_words(head[CHOSEN] + 8 * m))
    return -1 if rank == m else SINGULAR_CONSTRAINT


@called
def _is_chosen(chosen, m, other):
    """Whether a context has the choice that was made."""
    order, dependent = as_words(other[ORDER]), as_words(other[DEPENDENT])
    same = True
    for k in range(m):
        same = same and chosen[k] == order[k] and chosen[m + k] == dependent[k]
    return same


@called
def _take_over(chosen, m, other):
    """Write the choice that was made into a context."""
    order, dependent, independent = as_words(other[ORDER]), as_words(other[DEPENDENT]), as_words(other[INDEPENDENT])
    for k in range(m):
        order[k], dependent[k] = chosen[k], chosen[m + k]
    place = 0
    for column in range(other[SPEEDS]):
        depends = False
        for k in range(m):
            depends = depends or dependent[k] == column
        if not depends:
            independent[place] = column
            place += 1


@kernel(ADDRESSES)
def is_other_choice(context, time, state, values, out):
    """0 if the dependent speeds that ``context`` has are those that would be chosen at this state."""
    head = as_words(context)
    status = _choose(head, time, state, values)
    if status >= 0:
        return status
    return OK if _is_chosen(as_words(head[CHOSEN]), head[ROWS], head) else 1


@called
def _row_of(context, chosen, m):
    """The row of the table that has the choice that was made; a free one if none has; -1 if none is free."""
    words = as_words(context)
    table = as_words(words[TABLE])
    for number in range(words[USED]):
        if _is_chosen(chosen, m, as_words(table[number * ROW_WORDS + ROW_CONTEXT])):
            return number
    if words[USED] == read_word(context + 8 * READY):
        return -1
    number = words[USED]
    _take_over(chosen, m, as_words(table[number * ROW_WORDS + ROW_CONTEXT]))
    words[USED] = number + 1
    return number


@called
def _hand_on(head, other):
    """What a context knows of its rows, whatever the choice; and what takes steps across change points from now on."""
    own, taken = as_doubles(head[SCALE]), as_doubles(other[SCALE])
    for i in range(head[ROWS]):
        taken[i] = max(taken[i], own[i])
    as_words(other[at.ASKING])[CROSSED_BY] = other[at.CROSSING]


@kernel(ADDRESSES)
def choose_again(context, time, state, values, out):
    """Between two steps: go on with other independent speeds. 0, or a reason to ask the caller.

    ``out`` are the words that say what runs now. All speeds are known and nothing jumps: only the programs change.
    """
    words = as_words(context)
    table, before = as_words(words[TABLE]), words[PRESENT]
    head = as_words(table[before * ROW_WORDS + ROW_CONTEXT])
    status = _choose(head, time, state, values)
    full = words[LOGGED] - read_word(context + 8 * READ) >= LOG_ROOM
    number = -1 if status >= 0 or full else _row_of(context, as_words(head[CHOSEN]), head[ROWS])
    if number < 0:
        words[ASKS] = LOST if status >= 0 else ROOM
        return 1
    as_words(head[FLAG])[0] = 0
    bound = as_doubles(head[BOUND])
    if number == before:  # no other choice is better: put up with these factors, look again when they grow
        bound[0] = 1.5 * max(bound[1], RESELECT_ABOVE)
        return OK
    bound[0] = RESELECT_ABOVE
    _hand_on(head, as_words(table[number * ROW_WORDS + ROW_CONTEXT]))
    current, row = as_words(out), number * ROW_WORDS
    current[STEPPER_RATES] = read_word(words[TABLE] + 8 * (row + ROW_RATES))
    current[STEPPER_PROJECTION] = table[row + ROW_CORRECTION]
    words[PRESENT] = number
    place = words[LOGGED] % LOG_ROOM
    as_words(words[LOG])[2 * place] = as_words(words[COUNTERS])[STEPPER_STEPS]
    as_words(words[LOG])[2 * place + 1] = number
    as_doubles(words[LOG_TIMES])[place] = time
    write_word(context + 8 * LOGGED, words[LOGGED] + 1)
    return OK
