"""What contacts do after an instant, among the discrete states."""

from __future__ import annotations

import math
from typing import Final

from detent.contact_solves.cone_frame import SLIP, STICK
from detent.contact_solves.contact_rows_kernel import NEAR, ROUNDING, STRAIGHT, slip_of, slip_place, status_place
from detent.contact_solves.turn_kernel import is_held, write_turns
from detent.jit.abi import WORD
from detent.jit.intrinsics import as_doubles, as_words, called

_LAST: Final = 1e-10
"""Slower than what it gains in so many seconds, a slip in space is straight: its direction could turn at any rate, and
does not."""
_BRIEF: Final = 1e-8
"""Nor is that more than this part of the terms that it is the sum of, or than it gains by what does not turn, where in
that time its rows turn by as much: on the rim of a can that is all but flat they turn altogether in a billionth of a
second, and a slip with them."""
_CLEAR: Final = 100.0
"""Nor is it slower than so many times its rounding before it is straight: where the end of fast or long motions comes,
less could be passed without being seen."""
_FEWER: Final = 0.1
"""Before that, steps end where it has become slower by this factor: its direction turns as fast as it becomes slow, and
the integration, which knows the size of the speeds alone, would not see that. Not even where it is braked along itself
when it begins: what steps err by across it is what is left in the end, and a spinning ball stopped 1e-6 late."""
_MEASURED: Final = 2e-9
"""Slip that begins is straight until it is this part of the terms that it is the sum of: before, its direction is known
to fewer than seven digits. What friction does amiss meanwhile it makes up for: it turns slip into its direction, and
changes nothing else."""
_FOLLOWS: Final = 1e-8
"""A row of which the others leave less than this part follows from them."""


@called
def _turning(head, contact):
    """How a contact is accelerated because its rows turn, or what carries it; and how by all else."""
    d, carried, bias = head.dimension, as_doubles(head.carried), as_doubles(head.bias)
    largest, pull = 0.0, 0.0
    for i in range(contact * d, (contact + 1) * d):
        largest, pull = max(largest, abs(carried[i])), max(pull, abs(bias[i] - carried[i]))
    return largest, pull


@called
def _write_nearness(head, contact, begins, discrete):
    """How near the end of a slip in space is, or how near its beginning."""
    (size, terms), (turning, pull) = slip_of(head, contact), _turning(head, contact)
    gained = _LAST * head.acceleration
    if _LAST * turning > _BRIEF * terms:
        gained = min(gained, max(_BRIEF * terms, _LAST * pull))
    last = max(gained, _CLEAR * (ROUNDING * terms + head.slow))
    straight = size <= 1.5 * last
    discrete[slip_place(head, contact, STRAIGHT)] = 1.0 if straight else 0.0
    if straight and begins:
        last = max(last, _MEASURED * terms)
    discrete[slip_place(head, contact, NEAR)] = last if straight else max(last, _FEWER * size)


@called
def _is_new(head, given, kept):
    """Whether a row does not follow from those that were kept, by Gram and Schmidt; then it is kept too."""
    n, row = head.speeds, as_doubles(head.independent + WORD * kept * head.speeds)
    whole = 0.0
    for j in range(n):
        row[j] = given[j]
        whole += row[j] * row[j]
    for _ in range(2):
        for k in range(kept):
            other, along = as_doubles(head.independent + WORD * k * n), 0.0
            for j in range(n):
                along += row[j] * other[j]
            for j in range(n):
                row[j] -= along * other[j]
    left = 0.0
    for j in range(n):
        left += row[j] * row[j]
    for j in range(n):
        row[j] /= math.sqrt(left)
    return left > _FOLLOWS * _FOLLOWS * whole


@called
def _rows_depend(head, cone, count):
    """Whether rows that hold follow from others: then minimal equations would drop them."""
    n, d, members = head.speeds, head.dimension, as_words(head.members)
    statuses, kept = as_words(cone.statuses), 0
    for place in range(count):
        for i in range(d if statuses[place] == STICK else 1 if statuses[place] == SLIP else 0):
            if not _is_new(head, as_doubles(head.rows + WORD * (members[place] * d + i) * n), kept):
                return True
            kept += 1
    for turn in range(head.turns):
        for row in range(as_words(head.turn_first)[turn], as_words(head.turn_first)[turn + 1]):
            if is_held(head, cone, turn):
                if not _is_new(head, as_doubles(head.turn_rows + WORD * row * n), kept):
                    return True
                kept += 1
    return False


@called
def _write_beginning(head, cone, place, discrete):
    """The direction of a slip that nothing rubs and that has only begun: where it will go."""
    d, k = head.dimension, as_words(head.members)[place]
    motions, square = as_doubles(cone.motions), 0.0
    for i in range(1, d):
        square += motions[place * d + i] * motions[place * d + i]
    size, _ = slip_of(head, k)
    if as_doubles(cone.friction)[place] == 0.0 and size <= head.slow and square > 0.0:
        for i in range(d - 1):
            discrete[slip_place(head, k, i)] = motions[place * d + 1 + i] / math.sqrt(square)


@called
def write_statuses(head, cone, count, values, out):
    """Statuses and directions of slip and of turning among the discrete states."""
    d, members = head.dimension, as_words(head.members)
    discrete, before = as_doubles(out), as_doubles(values + WORD * head.first_discrete)
    statuses, slips = as_words(cone.statuses), as_doubles(cone.slip)
    given, directions = as_words(cone.given), as_doubles(cone.directions)
    for k in range(head.count):
        discrete[status_place(head, k)] = min(0.0, before[status_place(head, k)])
    shares = count > 0 and (cone.not_unique > 0 or _rows_depend(head, cone, count))
    discrete[head.sharing_place] = 1.0 if shares else 0.0
    for place in range(count):
        k = members[place]
        discrete[status_place(head, k)] = float(statuses[place])
        if statuses[place] == SLIP:
            for i in range(d - 1):
                at = place * (d - 1) + i
                discrete[slip_place(head, k, i)] = directions[at] if given[place] == 1 else slips[at]
            _write_beginning(head, cone, place, discrete)
            if d == 3:
                _write_nearness(head, k, before[status_place(head, k)] != SLIP, discrete)
    write_turns(head, cone, _LAST, _CLEAR, _FEWER, discrete)
