"""Contacts that resist turning: a moment of at most (resistance * normal force) against it.

What does not turn is held, as by a constraint, so that its row is taken out of those of all contacts before these are
solved for; then its moment follows, and where that is too large it turns after all, against the moment. The moments of
those that turn are proportional to normal forces, which are solved for with the moments as they were, until both agree.
"""

from __future__ import annotations

import math
from typing import Final

from detent.contact_solves.cone_frame import OPEN
from detent.contact_solves.contact_rows_kernel import (
    DEPENDENT,
    ROUNDING,
    dot,
    length,
    resistance,
    status_place,
)
from detent.contact_solves.settle_frame import Reason
from detent.jit.abi import WORD
from detent.jit.intrinsics import as_doubles, as_words, called, inlined

_STOPS: Final = 1e-10
"""Where something stops, what is no faster than what it gains in this part of the time stops with it."""
_AGREES: Final = 1e-13
"""Moments that change by no more than this part agree with the normal forces."""
_TOO_LARGE: Final = 1.0 + 1e-12
_BACKWARDS: Final = 1e-9
"""What would turn back by more than this part of the terms of its acceleration does not turn."""
TURNING: Final = 0
DIRECTION: Final = 1
_MOVES: Final = 0
_RESTS: Final = 1
_GIVES_WAY: Final = 2
"""How it came about which way a place turns: it moves; its speed is zero; what held it has just given way."""


@inlined
def turn_place(head, turn, number):
    """Which discrete state tells whether a place turns, or which way."""
    return as_words(head.turn_places)[2 * turn + number]


# -- which turn ---------------------------------------------------------------------------------------------


@called
def _pace(head, turn):
    """The largest acceleration of a row of contacts as one of turning."""
    n, row = head.speeds, as_words(head.turn_contacts)[turn] * head.dimension
    across = length(as_doubles(head.rows + WORD * row * n), n)
    around = length(as_doubles(head.turn_rows + WORD * turn * n), n)
    return head.acceleration * around / across if across > 0.0 else 0.0


@called
def _rests(head, turn, trigger, time, discrete, struck):
    """Whether the speed of turning is zero: because it was, because it has just ended, or by its size."""
    contact = as_words(head.turn_contacts)[turn]
    turned = discrete[turn_place(head, turn, TURNING)] != 0.0
    held = discrete[status_place(head, contact)] > 0.0 and not turned
    anew = struck or trigger.reason == Reason.BEGINS or trigger.reason == Reason.CHANGES
    stops = trigger.reason == Reason.HALTS or trigger.reason == Reason.ENDS
    if not anew and (held or (trigger.reason == Reason.HALTS and contact == trigger.contact)):
        return True
    if not anew and turned and not stops:
        return False
    slowly, size = ROUNDING, abs(time)
    if stops or (held and not struck):
        slowly, size = _STOPS, max(1.0, size)
    return abs(as_doubles(head.turn_speed)[turn]) <= slowly * (
        as_doubles(head.turn_terms)[turn] + size * _pace(head, turn)
    )


@called
def judge_turns(head, trigger, time, values, struck):
    """For each place that resists turning which way it turns, as far as its speed tells."""
    discrete, speed = as_doubles(values + WORD * head.first_discrete), as_doubles(head.turn_speed)
    turned, began = as_doubles(head.turned), as_words(head.began)
    for i in range(head.turns):
        rests = _rests(head, i, trigger, time, discrete, struck) and resistance(head, i) > 0.0
        known = discrete[turn_place(head, i, DIRECTION)] if discrete[turn_place(head, i, TURNING)] != 0.0 else 0.0
        goes_on = known != 0.0 and not struck and trigger.reason != Reason.HALTS
        if rests:
            turned[i] = 0.0
        elif (goes_on or speed[i] == 0.0) and known != 0.0:
            turned[i] = known
        else:
            turned[i] = 1.0 if speed[i] >= 0.0 else -1.0
        began[i] = _RESTS if rests else _MOVES


# -- moments in the cone problem ----------------------------------------------------------------------------


@called
def _find_members(head, count):
    """Which turns belong to members; nothing acts on the others."""
    members, moments = as_words(head.turn_members), as_doubles(head.moments)
    for i in range(head.turns):
        members[i] = -1
        for place in range(count):
            if as_words(head.members)[place] == as_words(head.turn_contacts)[i]:
                members[i] = place
        if members[i] < 0 or as_doubles(head.turned)[i] == 0.0:
            moments[i] = 0.0


@called
def _push(head, out):
    """Add the moments that are known to an acceleration."""
    n, moments = head.speeds, as_doubles(head.moments)
    for i in range(head.turns):
        row = as_doubles(head.turn_rows + WORD * i * n)
        for j in range(n):
            out[j] += moments[i] * row[j]


@called
def _make_basis(head):
    """The rows of turning that is held made orthonormal: row i = sum of factors (i, k) times direction k."""
    n, m, kept = head.speeds, head.turns, 0
    factors, owners = as_doubles(head.turn_factors), as_words(head.turn_owners)
    for i in range(m):
        if as_words(head.turn_members)[i] < 0 or as_doubles(head.turned)[i] != 0.0:
            continue
        row, given = as_doubles(head.turn_basis + WORD * kept * n), as_doubles(head.turn_rows + WORD * i * n)
        for j in range(n):
            row[j] = given[j]
        for k in range(kept):
            factors[kept * m + k] = 0.0
        for _ in range(2):
            for k in range(kept):
                other = as_doubles(head.turn_basis + WORD * k * n)
                along = dot(row, other, n)
                factors[kept * m + k] += along
                for j in range(n):
                    row[j] -= along * other[j]
        left = length(row, n)
        if not left > DEPENDENT * length(given, n):  # it follows from others: forces are shared, which is found later
            continue
        for j in range(n):
            row[j] /= left
        factors[kept * m + kept], owners[kept] = left, i
        kept += 1
    as_words(head.turn_count)[0] = kept


@called
def _pull(head, push):
    """How much acceleration along each direction of the basis holds what does not turn, with others that push."""
    n, m = head.speeds, head.turns
    factors, owners, pull = as_doubles(head.turn_factors), as_words(head.turn_owners), as_doubles(head.turn_pull)
    for k in range(as_words(head.turn_count)[0]):
        i = owners[k]
        total = -as_doubles(head.turn_bias)[i] - dot(as_doubles(head.turn_rows + WORD * i * n), push, n)
        for other in range(k):
            total -= factors[k * m + other] * pull[other]
        pull[k] = total / factors[k * m + k]


@called
def hold_turns(head, cone, count):
    """Moments in the cone problem of the members: its rows less what is held, its bias with all moments."""
    if head.turns == 0:
        return
    n, load, right = head.speeds, as_doubles(head.turn_load), as_doubles(cone.bias)
    _find_members(head, count)
    for j in range(n):
        load[j] = 0.0
    _push(head, load)
    _make_basis(head)
    _pull(head, load)
    for i in range(count * head.dimension):
        row = as_doubles(cone.rows + WORD * i * n)
        right[i] += dot(row, load, n)
        for k in range(as_words(head.turn_count)[0]):
            direction = as_doubles(head.turn_basis + WORD * k * n)
            along = dot(row, direction, n)
            right[i] += along * as_doubles(head.turn_pull)[k]
            for j in range(n):
                row[j] -= along * direction[j]


# -- what comes of it ---------------------------------------------------------------------------------------


@called
def _follow_forces(head, cone):
    """The moments of those that turn, by the normal forces; whether they were these already."""
    moments, turned, agree = as_doubles(head.moments), as_doubles(head.turned), True
    for i in range(head.turns):
        place = as_words(head.turn_members)[i]
        if place < 0 or turned[i] == 0.0:
            continue
        moment = -turned[i] * resistance(head, i) * as_doubles(cone.forces)[place * head.dimension]
        agree = agree and abs(moment - moments[i]) <= _AGREES * max(abs(moment), abs(moments[i]))
        moments[i] = moment
    return agree


@called
def _find_held_moments(head, cone, count):
    """The moments that hold what does not turn; all that pushes is left in ``turn_push``."""
    n, m, d = head.speeds, head.turns, head.dimension
    push, moments, forces = as_doubles(head.turn_push), as_doubles(head.moments), as_doubles(cone.forces)
    for j in range(n):
        push[j] = as_doubles(head.turn_load)[j]
    for place in range(count):
        for i in range(d):
            row = as_doubles(head.rows + WORD * (as_words(head.members)[place] * d + i) * n)
            for j in range(n):
                push[j] += forces[place * d + i] * row[j]
    _pull(head, push)
    kept, factors, owners = as_words(head.turn_count)[0], as_doubles(head.turn_factors), as_words(head.turn_owners)
    for k in range(kept - 1, -1, -1):
        total = as_doubles(head.turn_pull)[k]
        for other in range(k + 1, kept):
            total -= moments[owners[other]] * factors[other * m + k]
        moments[owners[k]] = total / factors[k * m + k]
        row = as_doubles(head.turn_rows + WORD * owners[k] * n)
        for j in range(n):
            push[j] += moments[owners[k]] * row[j]


@called
def _let_turn(head, turn, how):
    """From now on a place turns, against the moment that does not hold it."""
    as_doubles(head.turned)[turn] = -1.0 if as_doubles(head.moments)[turn] > 0.0 else 1.0
    as_words(head.began)[turn] = how


@called
def _give_way(head, trigger):
    """Let what has just asked for too large a moment turn; whether there is such."""
    for i in range(head.turns):
        own = as_words(head.turn_contacts)[i] == trigger.contact and as_words(head.turn_members)[i] >= 0
        held = as_doubles(head.turned)[i] == 0.0 and as_words(head.began)[i] == _RESTS
        if trigger.reason == Reason.GIVES and own and held and as_doubles(head.moments)[i] != 0.0:
            _let_turn(head, i, _GIVES_WAY)
            return True
    return False


@called
def _free_the_worst(head, cone):
    """Let that turn whose moment is largest against what its resistance allows; whether one is too large."""
    worst, which = _TOO_LARGE, -1
    for i in range(head.turns):
        place = as_words(head.turn_members)[i]
        if place < 0 or as_doubles(head.turned)[i] != 0.0:
            continue
        bound = resistance(head, i) * as_doubles(cone.forces)[place * head.dimension]
        moment = as_doubles(head.moments)[i]
        part = abs(moment) / bound if bound > 0.0 else math.inf if moment != 0.0 else 0.0
        if part > worst:
            worst, which = part, i
    if which >= 0:
        _let_turn(head, which, _RESTS)
    return which >= 0


@called
def _hold_what_turns_back(head, cone):
    """Hold what began to turn from rest and would turn back; whether there is such."""
    n, push = head.speeds, as_doubles(head.turn_push)
    for i in range(head.turns):
        place, turned = as_words(head.turn_members)[i], as_doubles(head.turned)
        if place < 0 or turned[i] == 0.0 or as_words(head.began)[i] != _RESTS:
            continue
        row, bias = as_doubles(head.turn_rows + WORD * i * n), as_doubles(head.turn_bias)[i]
        total, size = bias, abs(bias)
        for j in range(n):
            total += row[j] * push[j]
            size += abs(row[j] * push[j])
        if as_words(cone.statuses)[place] != OPEN and total * turned[i] < -_BACKWARDS * size:
            turned[i] = 0.0
            return True
    return False


@called
def turns_agree(head, cone, count, trigger):
    """Whether moments agree with the forces that were found with them; else they are others now."""
    if head.turns == 0:
        return True
    if not _follow_forces(head, cone):
        return False
    _find_held_moments(head, cone, count)
    return not (_give_way(head, trigger) or _free_the_worst(head, cone) or _hold_what_turns_back(head, cone))


@called
def moments_on(head, row):
    """What all moments do to the acceleration of a row of contacts, and the size of the terms of that."""
    n, total, size = head.speeds, 0.0, 0.0
    for i in range(head.turns):
        answer = dot(as_doubles(head.rows + WORD * row * n), as_doubles(head.turn_rows + WORD * i * n), n)
        total += answer * as_doubles(head.moments)[i]
        size += abs(answer * as_doubles(head.moments)[i])
    return total, size


@called
def resisting_member(head, cone):
    """A contact that is closed and resists turning; -1 where there is none."""
    found = -1
    for i in range(head.turns):
        place = as_words(head.turn_members)[i]
        if place >= 0 and as_words(cone.statuses)[place] != OPEN:
            found = as_words(head.turn_contacts)[i]
    return found


@called
def write_turns(head, cone, discrete):
    """Whether each place turns, and which way, among the discrete states."""
    for i in range(head.turns):
        place, turned = as_words(head.turn_members)[i], as_doubles(head.turned)[i]
        turns = place >= 0 and as_words(cone.statuses)[place] != OPEN and turned != 0.0
        discrete[turn_place(head, i, TURNING)] = 1.0 if turns else 0.0
        discrete[turn_place(head, i, DIRECTION)] = turned if turns else 0.0
