"""By how much nearest points that a run follows may be off within a step, as far as that does no harm.

A point of a curve that is parallel to a face is corrected where a step ends. Within the step its height h above the
face is off by h'' ds^2/2, for it is stationary there: so ds may be the larger the flatter the curve is. Where that is
all but flat the point goes so fast that no step would be short enough to tell it as exactly as a motion.
"""

from __future__ import annotations

import math
from typing import Final

from detent.jit.abi import OK
from detent.jit.intrinsics import ADDRESSES, as_doubles, call_cell, called, kernel, record_reader, row_reader
from detent.solves import following_frame as at

_as_following: Final = record_reader(at.FOLLOWING)
_place: Final = row_reader(at.FOLLOWED)

_FLATTEST: Final = 1e-8
"""Where a curve bends by less than this part of what it does on average, as much slack is given as there."""


@called
def give_slack(head, place, time, state, values):
    """Set the absolute tolerance of the coordinate of a place for the step that begins at a state."""
    if place.slack > 0.0 and head.absolute != 0:
        if place.seen_time != time and call_cell(place.program, time, state, values, head.given) == OK:
            place.seen_nearest = as_doubles(head.given)[at.NEAREST]
        slack = place.slack / math.sqrt(max(place.seen_nearest, _FLATTEST))
        as_doubles(head.absolute)[place.first] = max(slack, place.least_slack)


@kernel(ADDRESSES)
def slacken(context, time, state, values, out):
    """The same for all places, where steps begin anew (``out`` is not used)."""
    head = _as_following(context)
    for number in range(head.count):
        place = _place(head.places, number)
        if place.slack > 0.0:
            place.seen_time = math.nan
        give_slack(head, place, time, state, values)
    return OK
