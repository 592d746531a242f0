"""Faces that do not stay flat: the end tips over a point of its rim, which is in the direction of the moment.

A face holds as long as its moment is at most R N. Where that does not do, the rim touches instead, in the direction e
in which the end then begins to lean: with the force there, the acceleration of tilting is about n x e. Where the moment
has just reached R N its own direction is e; where more is asked at once, e is looked for.
"""

from __future__ import annotations

import math
from typing import Final

from detent.contact_solves.cone_frame import OPEN
from detent.contact_solves.contact_rows_kernel import end_at, read_programs, status_place
from detent.contact_solves.flat_end_kernel import is_level, size_of_two, way_down, write_tip
from detent.contact_solves.judging_kernel import NONE_STOPPED, judge
from detent.contact_solves.members_kernel import place_of_member
from detent.contact_solves.settle_frame import Unsettled
from detent.contact_solves.status_choice_kernel import solve_members
from detent.contact_solves.turn_kernel import does_turn, pace_of
from detent.jit.abi import OK, WORD
from detent.jit.intrinsics import as_doubles, as_words, called

_LITTLE: Final = 1e-7
"""A tilting that is accelerated by less than this part of the largest acceleration has no direction of its own."""
_ALONG: Final = 1e-10
"""A rim tips in the direction in which it begins to lean, but for so many rad."""
_ASIDE: Final = 1e-3
"""One that leans aside by more (rad) does not tip in that direction."""
_MOST: Final = 60
"""How often that direction is bettered."""


@called
def _way_over(head, cone, turn):
    """The direction of the point over which a face tips that does not hold."""
    at, d = as_words(head.turn_at)[turn], head.dimension
    ways = as_doubles(cone.directions if as_words(cone.given)[at] == 1 else cone.slip)
    one, other = ways[at * (d - 1)], ways[at * (d - 1) + 1]
    size = size_of_two(one, other)
    return (other / size, -one / size) if size > 0.0 else (1.0, 0.0)


@called
def _give_to_rim(head, e, count):
    """The rim of an end is a member in place of its face."""
    members, end = as_words(head.members), end_at(head.ends, e)
    members[place_of_member(head, count, end.face)] = end.rim


@called
def _turns_off(head, cone, e, angle):
    """By what angle the end begins to lean beside the direction of its tip, from what the cone problem has found.

    And whether that can be told: it leans with an acceleration, and its rim carries it.
    """
    n, d, wide, end = head.speeds, head.dimension, cone.speeds, end_at(head.ends, e)
    first, rows, forces = as_words(head.turn_first)[end.turn], as_doubles(cone.rows), as_doubles(cone.forces)
    tilts = as_doubles(head.turn_rows + WORD * first * n)
    one, other = as_doubles(head.turn_bias)[first], as_doubles(head.turn_bias)[first + 1]
    for i in range(cone.contacts * d):
        for j in range(n):
            one += tilts[j] * rows[i * wide + j] * forces[i]
            other += tilts[n + j] * rows[i * wide + j] * forces[i]
    along = -math.sin(angle) * one + math.cos(angle) * other  # about n x e
    across = -math.cos(angle) * one - math.sin(angle) * other
    told = size_of_two(one, other) > _LITTLE * pace_of(head, end.turn)
    return math.atan2(across, along), told


@called
def _tip_at(head, cone, count, trigger, time, values, out, discrete, e, angle):
    """Solve for what all do where a rim tips in a direction; what the cone solver says."""
    write_tip(head, e, math.cos(angle), math.sin(angle), values, discrete)
    status = read_programs(head, time, out, values)
    if status != OK:
        return status
    judge(head, count, trigger, time, values, False, NONE_STOPPED)
    return solve_members(head, cone, count, trigger, values)


@called
def _better(head, cone, count, trigger, time, values, out, discrete, e, angle):
    """Turn the tip of a rim into the direction in which it begins to lean; what the cone solver says.

    The force at the rim turns what leans aside back, so that the angle by which it does falls faster than the direction
    turns: the direction that is looked for is between any two of which it lies to both sides. There is none where the
    end spins faster than it slides: friction at its middle tips it, but that at each point of its rim tips it aside.
    """
    outcome = _tip_at(head, cone, count, trigger, time, values, out, discrete, e, angle)
    off, told = _turns_off(head, cone, e, angle)
    if outcome != OK or not told or abs(off) <= _ALONG:
        return outcome
    place, low, high, below, above = place_of_member(head, count, end_at(head.ends, e).rim), angle, angle, off, off
    for number in range(_MOST):
        if as_words(cone.statuses)[place] == OPEN:
            break
        new = angle + off
        if below * above < 0.0:
            new = 0.5 * (low + high) if number % 3 == 2 else low + (high - low) * below / (below - above)
        outcome = _tip_at(head, cone, count, trigger, time, values, out, discrete, e, new)
        off, told = _turns_off(head, cone, e, new)
        if outcome != OK or not told or abs(off) <= _ALONG:
            break
        angle = new
        if off > 0.0:
            low, below = new, off
        else:
            high, above = new, off
    stays = outcome == OK and told and as_words(cone.statuses)[place] != OPEN
    return Unsettled.NO_TIP if stays and abs(off) > _ASIDE else outcome


@called
def tip_over(head, cone, count, outcome, trigger, time, values, out, discrete):
    """Faces that do not hold tip over their rims; what the cone solver says, or that one cannot tip either."""
    for e in range(head.end_count):
        end = end_at(head.ends, e)
        place = place_of_member(head, count, end.face)
        if outcome != OK or place < 0 or not does_turn(head, cone, end.turn):
            continue
        first, second = _way_over(head, cone, end.turn)
        _give_to_rim(head, e, count)
        outcome = _better(head, cone, count, trigger, time, values, out, discrete, e, math.atan2(second, first))
        if outcome == Unsettled.NO_TIP:
            head.culprit = end.face
    return outcome


@called
def lean_on_rims(head, count, collides, time, values, discrete):
    """Faces that touch and turn, because of an impact or when they come to touch, are on their rims.

    Whether there are any: then their rows are others than those that were struck, if only a little.
    """
    statuses, changed = as_doubles(values + WORD * head.first_discrete), False
    for e in range(head.end_count):
        end = end_at(head.ends, e)
        held = statuses[status_place(head, end.face)] > 0.0 and not collides
        if held or place_of_member(head, count, end.face) < 0 or is_level(head, e, time):
            continue
        first, second = way_down(head, e)
        _give_to_rim(head, e, count)
        write_tip(head, e, first, second, values, discrete)
        changed = True
    return changed
