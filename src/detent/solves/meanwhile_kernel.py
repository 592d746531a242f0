"""Whether shapes may have touched within a step elsewhere than where that is followed (docs/event_semantics.md)."""

from __future__ import annotations

import math
from typing import Final

from detent.jit.intrinsics import called

_COVERED: Final = 0.4
"""A step may take this part of the times in which shapes touch nowhere else, from its start on and up to its end:
within it nothing is faster than 1 / 0.4 times what it is at the faster of both."""
_NO_WAY: Final = 1e-9
"""A way below this part of the size of a curve or surface is none, and so is an angle below it, rad."""


@called
def may_have_touched(place, time):
    """Whether shapes may have touched elsewhere since the last step."""
    faster = max(_ratio(place.seen_moving, place.kept_moving), _ratio(place.seen_turning, place.kept_turning))
    lasted = abs(time - place.kept_time)
    if lasted > _COVERED * (place.kept_free / max(faster, 1.0) + place.seen_free):
        return True
    return (place.seen_free < math.inf or place.kept_free < math.inf) and _was_faster(place, lasted)


@called
def keep_seen(place, time):
    """A step was accepted: the next one begins where it was last looked at."""
    place.kept_time = place.seen_time if place.seen_time == time else math.nan
    place.kept_free, place.kept_moving, place.kept_turning = place.seen_free, place.seen_moving, place.seen_turning
    place.kept_x, place.kept_y, place.kept_z = place.seen_x, place.seen_y, place.seen_z
    place.kept_angle = place.seen_angle


@called
def _was_faster(place, lasted):
    """Whether the way since the last step, or the turn, is longer than it may be by the speeds at both ends.

    Where a step is too long for what happens in it the projection may have led it anywhere, over a needle, say.
    """
    x, y, z = place.seen_x - place.kept_x, place.seen_y - place.kept_y, place.seen_z - place.kept_z
    way, turn = math.sqrt(x * x + y * y + z * z), abs(place.seen_angle - place.kept_angle)
    turn = min(turn, 2.0 * math.pi - turn)
    moved = lasted * max(place.seen_moving, place.kept_moving) / _COVERED
    turned = lasted * max(place.seen_turning, place.kept_turning) / _COVERED
    return way > moved + _NO_WAY * place.size or turn > turned + _NO_WAY


@called
def _ratio(speed, before):
    """How many times as fast; what has stood still says nothing of what may be met."""
    if speed <= before:
        return 1.0
    return speed / before if before > 0.0 else math.inf
