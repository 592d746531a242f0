"""What the velocities at an instant say of the contacts that touch: which of them slip, and which turn."""

from __future__ import annotations

from typing import Final

from detent.contact_solves.cone_frame import SLIP, STICK
from detent.contact_solves.contact_rows_kernel import (
    CORRECTED,
    NEAR,
    ROUNDING,
    STATIC,
    coefficient,
    slip_of,
    slip_place,
    status_place,
)
from detent.contact_solves.settle_frame import Reason, Seizing
from detent.contact_solves.settle_impact_kernel import slip_stopped
from detent.contact_solves.turn_kernel import judge_turns
from detent.jit.abi import WORD
from detent.jit.intrinsics import as_doubles, as_words, called

_STOPS: Final = 1e-10
"""Where one slip ends, or impacts have accumulated, others end too that are no faster than what they gain in this part
of the time."""
NONE_STOPPED: Final = -1.0
"""No contacts have accumulated together."""
_ASIDE: Final = 2.5
"""A slip in space has ended where what is left of it lies aside of its last, straight way: it is no faster then than
twice what was near its end, for there it would not be straight any more."""


@called
def judge(head, count, trigger, time, values, struck, stopped):
    """What the velocities say: which members do not slip, and which of them turn.

    ``stopped`` is how fast members were that have accumulated together; negative where none have.
    """
    _judge_slip(head, count, trigger, time, values, struck, stopped)
    judge_turns(head, trigger, time, values, struck)


@called
def _judge_slip(head, count, trigger, time, values, struck, stopped):
    """For each member whether its slip is zero: because it was, because it has just ended, or by its size."""
    statuses = as_doubles(values + WORD * head.first_discrete)
    members, still = as_words(head.members), as_words(head.still)
    ends = trigger.reason == Reason.ENDS and head.seizing == Seizing.NOTHING  # what is to seize slides, however slowly
    anew = struck or trigger.reason <= Reason.JUMPS
    for place in range(count):
        k = members[place]
        slip, terms = slip_of(head, k)
        before = statuses[status_place(head, k)]
        slowly = _STOPS if ends or stopped >= 0.0 or (anew and not struck) else ROUNDING
        least = slip_stopped(head, k, stopped) if stopped > 0.0 else 0.0
        known = min(slowly * (terms + abs(time) * head.acceleration), CORRECTED * max(1.0, terms))
        still[k] = 1 if slip <= max(least, known) else 0
        if before == STICK and (not anew or stopped >= 0.0):
            still[k] = 1
        elif not anew and before == SLIP and ends and k == trigger.contact:
            still[k] = 1 if head.dimension == 2 or slip <= _ASIDE * statuses[slip_place(head, k, NEAR)] else still[k]
        elif not anew and before == SLIP and not ends:
            still[k] = 0
        if coefficient(head, STATIC, k) == 0.0:
            still[k] = 0


@called
def count_still(head, count):
    members, still, total = as_words(head.members), as_words(head.still), 0
    for place in range(count):
        total += still[members[place]]
    return total
