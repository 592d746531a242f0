"""Constraints of which others hold at other times, gathered from one program of all their rows.

Which hold is told by run-time values; it is read, and dependent speeds are chosen, where a mode is entered. From then
on the kernels of :mod:`detent.solves.constraint_solve_kernel` run. Where rows may follow from one another, some are
dropped, and the rates are those of who knows how forces are shared.
"""

from __future__ import annotations

from typing import Final

from detent.jit.abi import OK, WORD
from detent.jit.intrinsics import ADDRESSES, as_doubles, as_words, call_cell, called, kernel, record_reader, row_reader
from detent.solves import constraint_frame as at
from detent.solves.constraint_solve_kernel import as_constrained, constrained
from detent.solves.gathered_frame import GATHERED, PART, VALUE
from detent.solves.partition_kernel import choose_from_rows, take_partition
from detent.solves.state_kernel import copy_state

_CONSISTENT: Final = 1e-7
"""A row that is dropped may be violated by this much, relative to the speeds; else the caller says what is wrong."""
_OTHERWISE: Final = 1
"""Reason: these rows cannot be run so; the caller looks at them."""

_as_gathered: Final = record_reader(GATHERED)
_part: Final = row_reader(PART)
_value: Final = row_reader(VALUE)


@called
def _holds(own, part, values):
    """Whether the values are such that a row holds."""
    given, holds = as_doubles(values), True
    for number in range(part.first_value, part.first_value + part.value_count):
        asked = _value(own.values, number)
        holds = holds and given[asked.place] == asked.value
    return holds


@called
def _collect(own, values):
    """The parts that hold by the values; how many, or -1 where there are more than there is room for."""
    held, count = as_words(own.held), 0
    for number in range(own.part_count):
        if _holds(own, _part(own.parts, number), values):
            if count == own.most:
                return -1
            held[count] = number
            count += 1
    return count


@called
def _lay_out(own, head, count):
    """So many rows are solved for: where their numbers stand."""
    n, slides = head.speeds, 0
    for i in range(count):
        slides |= _part(own.parts, as_words(own.held)[as_words(own.kept)[i]]).slides
    head.rows, head.slides = count, slides
    head.C = head.B + WORD * count * n
    head.phi = head.C + WORD * count
    head.turn = head.phi + WORD * count
    head.gamma = head.turn + WORD * (head.coordinates + head.signals) * n
    head.reaction = head.gamma + WORD * count


@kernel(ADDRESSES)
def gather_rows(context, time, state, values, out):
    """out = B, C, Phi, the turns of q and s, gamma, and B' where rows slide, of the rows that are solved for."""
    own = _as_gathered(context)
    head = as_constrained(own.head)
    status = call_cell(own.program, time, state, values, own.joined)
    if status != OK:
        return status
    n, m, whole = head.speeds, head.rows, own.all_rows
    given, target = as_doubles(own.joined), as_doubles(out)
    held, kept, turns = as_words(own.held), as_words(own.kept), (head.coordinates + head.signals) * n
    for i in range(m):
        row = _part(own.parts, held[kept[i]]).row
        for j in range(n):
            target[i * n + j] = given[row * n + j]
        target[m * n + i] = given[whole * n + row]
        target[m * n + m + i] = given[whole * n + whole + row]
        target[m * n + 2 * m + turns + i] = given[whole * n + 2 * whole + turns + row]
        if head.slides != 0:
            for j in range(n):
                target[m * n + 3 * m + turns + i * n + j] = given[whole * n + 3 * whole + turns + row * n + j]
    for i in range(turns):
        target[m * n + 2 * m + i] = given[whole * n + 2 * whole + i]
    return OK


@called
def _choose(own, head, time, state, values):
    """Which speeds depend, of the rows that are laid out: the rank, and the choice in CHOSEN; -1 where that fails."""
    if call_cell(head.constraints, time, state, values, head.B) != OK:
        return -1
    return choose_from_rows(head)


@called
def _drop(own, head, rank, state):
    """Keep the rows with a pivot, in their order; whether the others hold by themselves."""
    n, m = head.speeds, head.rows
    kept, chosen, work, x = as_words(own.kept), as_words(head.chosen), as_doubles(head.choice), as_doubles(state)
    fastest, count = 1.0, 0
    for j in range(n):
        fastest = max(fastest, abs(x[head.coordinates + j]))
    for i in range(m):
        is_kept = False
        for k in range(rank):
            is_kept = is_kept or chosen[k] == i
        if is_kept:
            kept[count] = i
            count += 1
        elif abs(work[i * (n + 1) + n]) > _CONSISTENT * fastest:
            return False
    for k in range(rank):
        for i in range(rank):
            if kept[i] == chosen[k]:
                chosen[k] = i
                break
    for k in range(rank):  # the columns follow the rows that there are now
        chosen[rank + k] = chosen[m + k]
    return True


@called
def _take_over(head):
    """The choice that was made becomes that of the constraints."""
    take_partition(as_words(head.chosen), head.rows, head)
    bound, flag, scale = as_doubles(head.bound), as_words(head.flag), as_doubles(head.scale)
    bound[0], bound[1], flag[0], flag[1] = at.RESELECT_ABOVE, 0.0, 0, 0
    for i in range(at.SIZES * (head.rows + head.speeds)):
        scale[i] = 0.0


@called
def _keep(own, head, time, state, values):
    """Choose which of the rows that hold are kept, and the speeds that depend by them; 0, or that it cannot be."""
    count = own.held_count
    for i in range(count):
        as_words(own.kept)[i] = i
    _lay_out(own, head, count)
    rank = _choose(own, head, time, state, values)
    if rank < 0:
        return _OTHERWISE
    if rank < count:
        if own.shares == 0 or not _drop(own, head, rank, state):
            return _OTHERWISE
        _lay_out(own, head, rank)
    _take_over(head)
    return OK


@kernel(ADDRESSES)
def choose_gathered(context, time, state, values, out):
    """Make ready for the rows that hold by the values, at a state; 0, or a reason why the caller must."""
    own = _as_gathered(context)
    head = as_constrained(own.head)
    count = _collect(own, values)
    if count < 0:
        return _OTHERWISE
    own.held_count, own.shares = count, 1 if as_doubles(values)[own.sharing] != 0.0 else 0
    if own.shares != 0 and own.shared_rates == 0:
        return _OTHERWISE
    return _keep(own, head, time, state, values)


@kernel(ADDRESSES)
def keep_others(context, time, state, values, out):
    """Keep other rows of those that hold, at a state where the ones that are kept come to follow from one another.

    Two points in which boxes touch become one where the crossing of two edges arrives at a corner, and a third, which
    was dropped, tells what the two told until then. Rates do not depend on it, for they are those of shared forces. 0
    where it has been done; else all is as it was.
    """
    own = _as_gathered(context)
    head = as_constrained(own.head)
    if own.shares == 0 or head.rows == own.held_count or head.rows >= head.speeds:
        return _OTHERWISE
    count, before, kept = head.rows, as_words(own.before), as_words(own.kept)
    for i in range(count):
        before[i] = kept[i]
    if _keep(own, head, time, state, values) == OK:
        return OK
    for i in range(count):
        kept[i] = before[i]
    _lay_out(own, head, count)
    return _OTHERWISE


@kernel(ADDRESSES)
def gathered_rates(context, time, state, values, out):
    """out = (q', u', s', power). What cannot move follows its rows alone, whoever shares forces."""
    own = _as_gathered(context)
    head = as_constrained(own.head)
    if own.shares != 0 and head.rows < head.speeds:
        return call_cell(own.shared_rates, time, state, values, out)
    if head.rows == 0:
        return call_cell(own.free_rates, time, state, values, out)
    copy_state(head, state, head.state)
    return constrained(head, time, values, as_doubles(out))


@kernel(ADDRESSES)
def gathered_reactions(context, time, state, values, out):
    """out = the reactions of all rows, those that do not hold included; or, where forces are shared, their slack."""
    own = _as_gathered(context)
    head, result = as_constrained(own.head), as_doubles(out)
    for i in range(own.reaction_count):
        result[i] = 0.0
    if head.rows == 0:
        return OK
    if own.shares != 0:
        return call_cell(own.shared_slack, time, state, values, out + WORD * own.slack)
    copy_state(head, state, head.state)
    found = as_doubles(head.unused)
    head.wanted = at.REACTIONS
    status = constrained(head, time, values, found)
    head.wanted = at.RATES
    for i in range(head.rows if status == OK else 0):
        result[_part(own.parts, as_words(own.held)[as_words(own.kept)[i]]).reaction] = found[i]
    return status
