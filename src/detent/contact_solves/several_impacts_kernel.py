"""Impacts of several contacts at one instant: all at once, in waves, or one after the other.

At once they are two cone problems (Poisson's hypothesis, Glocker 1995; P impulses, u velocities):

    compression    0 <= P_n    complementary to u_n >= 0
    restitution    e P_n of compression <= P_n    complementary to u_n >= 0

with Coulomb friction in each. Energy does not grow where all e are equal; where they differ it may, and then all of
them are multiplied by the largest factor for which it does not. Other laws have the same phases, and say of a contact
how restitution ends:

    Newton     0 <= P_n    complementary to u_n >= e times the speed of approach
    Stronge    as Poisson's, with another factor than e: that by which the normal work is e^2 times that of compression
    plastic    no restitution

Impulses grow in proportion during a phase, so that the normal work of a contact is P_n times the mean of u_n before and
after. By Newton's law energy may grow; then it is not followed. Smith's is about one contact alone: at once with others
it strikes by Poisson's.

Contacts that slide and do not approach may seize all the same, where friction drives them in (Painleve's paradox). That
nothing happens would be an answer then, but one that nothing follows: what they do is found as if they approached a
little, and worked out for how they move.

Waves are needed for what runs through a row: those that approach strike, then those that approach after that. One that
no other feels follows its own law (:mod:`detent.contact_solves.impact_kernel`). Without restitution waves would never
end, and all strike at once.
"""

from __future__ import annotations

import math
from typing import Final

from numba import types

from detent.contact_solves.cone_frame import SOLVED, UNKNOWN
from detent.contact_solves.cone_kernel import solve_cone
from detent.contact_solves.impact_kernel import as_single_impact, single_impact
from detent.contact_solves.natural_map_kernel import as_cone
from detent.contact_solves.several_impacts_frame import (
    CAPPED,
    ENDED,
    FAILED,
    GAINS,
    MOST_IMPACTS,
    SEVERAL_IMPACTS,
    SIMULTANEOUS,
    SLOW,
    STRUCK,
    WAVES,
)
from detent.contact_solves.single_impact_frame import ImpactEnd, Law
from detent.jit.abi import EPSILON
from detent.jit.intrinsics import as_doubles, as_words, called, kernel, record_reader

as_several_impacts: Final = record_reader(SEVERAL_IMPACTS)

_BISECTIONS: Final = 50
_MOST_ROUNDS: Final = 60
_SUM_ROUNDING: Final = 8.0 * EPSILON
"""What a velocity is known to, as a part of the terms it is the sum of."""
_FELT: Final = 1e-10
"""An impulse is felt at another contact where it answers by this part of what both answer at their own: less is what
rounding leaves where bodies that do not touch have coordinates in common."""
_SAME_WORK: Final = 1e-12
"""Factors of Stronge's law are found when the work is wrong by less than this part."""
_FLATTEST: Final = 0.3
_STEEPEST: Final = 20.0
_FARTHEST: Final = 1.5
"""How work may grow with the logarithm of such a factor, and how far that goes at a time."""
_NO_GAIN: Final = 1e-12
"""Energy grows by rounding alone where it grows by less, over the energy that the impulses move."""


@called
def _answer(head, one, other):
    """G between two rows."""
    rows, n, total = as_doubles(head.rows), head.speeds, 0.0
    for j in range(n):
        total += rows[one * n + j] * rows[other * n + j]
    return total


@called
def _pose(head, count, from_compression, factor):
    """The cone problem of a phase; restitution goes on from the impulses of compression."""
    cone, d, n, chosen = as_cone(head.cone), head.dimension, head.speeds, as_words(head.chosen)
    rows, bias, friction = as_doubles(cone.rows), as_doubles(cone.bias), as_doubles(cone.friction)
    after, compression = as_doubles(head.after), as_doubles(head.compression)
    cone.contacts, cone.dimension, cone.speeds, cone.count, cone.rounding = count, d, n, 0, head.rounding
    cone.parted = 0
    for place in range(count):
        contact = chosen[place]
        friction[place] = as_doubles(head.friction)[contact]
        as_words(cone.given)[place], as_words(cone.statuses)[place] = 0, UNKNOWN
        as_doubles(cone.lower)[place] = 0.0
        by_speed = as_words(head.laws)[contact] == Law.NEWTON
        if from_compression and not by_speed:
            as_doubles(cone.lower)[place] = as_doubles(head.bounce)[place] * compression[place * d]
        for i in range(d):
            row, own = place * d + i, contact * d + i
            as_doubles(cone.forces)[row] = 0.0
            bias[row] = after[own]
            for j in range(n):
                rows[row * n + j] = as_doubles(head.rows)[own * n + j]
            if from_compression:
                for other in range(count * d):
                    if compression[other] != 0.0:
                        bias[row] += _answer(head, own, chosen[other // d] * d + other % d) * compression[other]
        if from_compression and by_speed:
            wanted = factor * as_doubles(head.restitution)[contact]
            bias[place * d] += wanted * min(0.0, after[contact * d])


@called
def _choose_bounces(head, count, factor):
    """The impulse of restitution by that of compression, by Poisson's law; of Stronge's it is where to begin.

    Whether there are contacts of that.
    """
    bounce, by_work = as_doubles(head.bounce), False
    for place in range(count):
        contact = as_words(head.chosen)[place]
        bounce[place] = factor * as_doubles(head.restitution)[contact]
        by_work = by_work or (as_words(head.laws)[contact] == Law.STRONGE and bounce[place] > 0.0)
    return by_work


@called
def _better_bounce(head, place, missing, tried):
    """Another factor for a contact of Stronge's law; ``missing``: the logarithm of the work wanted over that given.

    By secants: work grows about as the square of the factor, where others do not take part in it.
    """
    bounce, count = as_doubles(head.bounce), head.contacts
    now, power = math.log(bounce[place]), 2.0
    if tried and now != bounce[count + place]:
        power = (bounce[2 * count + place] - missing) / (now - bounce[count + place])
        power = min(_STEEPEST, power) if power > _FLATTEST else 2.0
    bounce[count + place], bounce[2 * count + place] = now, missing
    bounce[place] = math.exp(now + min(_FARTHEST, max(-_FARTHEST, missing / power)))


@called
def _match_work(head, count, factor, tried):
    """Better factors for contacts of Stronge's law, after a restitution; by what part they are wrong, at most.

    One that is pressed by others beyond what it asks for does not part, and has no work to give.
    """
    cone, d, largest = as_cone(head.cone), head.dimension, 0.0
    forces, motions, bias = as_doubles(cone.forces), as_doubles(cone.motions), as_doubles(cone.bias)
    for place in range(count):
        contact, row = as_words(head.chosen)[place], place * d
        stored = -as_doubles(head.compression)[row] * (as_doubles(head.after)[contact * d] + bias[row])
        given, wanted = forces[row] * (bias[row] + motions[row]), factor * as_doubles(head.restitution)[contact]
        by_work = as_words(head.laws)[contact] == Law.STRONGE and wanted > 0.0
        if by_work and stored > 0.0 and given > 0.0 and motions[row] > 0.0:
            missing = math.log(wanted * wanted * stored / given)
            largest = max(largest, abs(missing))
            _better_bounce(head, place, missing, tried)
    return largest


@called
def _restore_once(head, count, factor):
    """Restitution by the factors there are; both phases into ``whole``. Whether it was solved."""
    cone, compression, whole = as_cone(head.cone), as_doubles(head.compression), as_doubles(head.whole)
    _pose(head, count, True, factor)
    solved = solve_cone(cone) == SOLVED
    for i in range(count * head.dimension):
        whole[i] = compression[i] + as_doubles(cone.forces)[i]
    return solved


@called
def _restore(head, count, factor):
    """The same by all laws, with every restitution multiplied by a factor."""
    by_work = _choose_bounces(head, count, factor)
    solved = _restore_once(head, count, factor)
    if not by_work or not solved:
        return solved
    for number in range(_MOST_ROUNDS):
        if _match_work(head, count, factor, number > 0) <= _SAME_WORK:
            return True
        if not _restore_once(head, count, factor):
            break
    head.by_poisson = 1
    _choose_bounces(head, count, factor)
    return _restore_once(head, count, factor)


@called
def _gain(head, count):
    """The energy that the impulses in ``whole`` bring, and how much of it rounding may be."""
    d, chosen, whole = head.dimension, as_words(head.chosen), as_doubles(head.whole)
    total, size = 0.0, 0.0
    for one in range(count * d):
        row = chosen[one // d] * d + one % d
        change = 0.0
        for other in range(count * d):
            change += _answer(head, row, chosen[other // d] * d + other % d) * whole[other]
        before = as_doubles(head.after)[row]
        total += whole[one] * (before + 0.5 * change)
        size += abs(whole[one]) * (abs(before) + abs(change))
    return total, _NO_GAIN * size


@called
def _take(head, count):
    """The impulses in ``whole`` happen."""
    d, m, chosen = head.dimension, head.contacts * head.dimension, as_words(head.chosen)
    whole, impulses, after = as_doubles(head.whole), as_doubles(head.impulses), as_doubles(head.after)
    for one in range(count * d):
        if whole[one] != 0.0:
            row = chosen[one // d] * d + one % d
            impulses[row] += whole[one]
            for other in range(m):
                after[other] += _answer(head, other, row) * whole[one]


@called
def _blame(head, place):
    """The contact of a cone problem without a solution."""
    head.culprit = as_words(head.chosen)[max(0, place)]
    return FAILED


@called
def _has_other_law(head, contact):
    """Whether the law of a contact is one that is not known for several at once."""
    return as_doubles(head.restitution)[contact] > 0.0 and as_words(head.laws)[contact] == Law.SMITH


@called
def _one_by_speed(head, count):
    """A contact by Newton's law among those that strike, or -1."""
    for place in range(count):
        contact = as_words(head.chosen)[place]
        if as_words(head.laws)[contact] == Law.NEWTON and as_doubles(head.restitution)[contact] > 0.0:
            return contact
    return -1


@called
def _drive(head, cone, count, speed):
    """As if the contacts approached so much faster."""
    for place in range(count):
        as_doubles(cone.bias)[place * head.dimension] -= speed


@called
def _compress(head, cone, count):
    """The cone problem of compression, and its solution; what the cone solver says."""
    _pose(head, count, False, 0.0)
    if head.driven > 0.0:
        _drive(head, cone, count, head.driven)
        outcome = solve_cone(cone)
        if outcome != SOLVED:
            return outcome
        _drive(head, cone, count, -head.driven)
    return solve_cone(cone)


@called
def _strike_together(head, count, plastic):
    """The contacts in ``chosen`` at once."""
    cone, compression, whole = as_cone(head.cone), as_doubles(head.compression), as_doubles(head.whole)
    if _compress(head, cone, count) != SOLVED:
        return _blame(head, cone.culprit)
    bounces = False
    for i in range(count * head.dimension):
        compression[i] = whole[i] = as_doubles(cone.forces)[i]
        bounces = bounces or as_doubles(head.restitution)[as_words(head.chosen)[i // head.dimension]] > 0.0
    outcome = STRUCK
    if bounces and not plastic:
        for place in range(count):
            if _has_other_law(head, as_words(head.chosen)[place]):
                head.by_poisson = 1
        if not _restore(head, count, 1.0):
            return _blame(head, cone.culprit)
        gain, rounding = _gain(head, count)
        if gain > rounding and _one_by_speed(head, count) >= 0:
            head.culprit = _one_by_speed(head, count)
            return GAINS
        if gain > rounding:
            outcome = _cap(head, count)
    _take(head, count)
    return outcome


@called
def _cap(head, count):
    """The largest factor, by halving, for which energy does not grow; without restitution it never does."""
    low, high = 0.0, 1.0
    for _ in range(_BISECTIONS):
        middle = 0.5 * (low + high)
        solved = _restore(head, count, middle)
        gain, _ = _gain(head, count)
        if solved and gain <= 0.0:
            low = middle
        else:
            high = middle
    if not _restore(head, count, low):
        return _blame(head, as_cone(head.cone).culprit)
    head.factor = min(head.factor, low)
    return CAPPED


@called
def _strike_alone(head, contact):
    """One contact, by its own law."""
    d, row, impact = head.dimension, contact * head.dimension, as_single_impact(head.single)
    speed, whole = as_doubles(head.after), as_doubles(head.whole)
    impact.law = as_words(head.laws)[contact]
    impact.friction = impact.static_friction = as_doubles(head.friction)[contact]
    impact.restitution = as_doubles(head.restitution)[contact]
    impact.W_nn, impact.W_n1, impact.W_11 = (
        _answer(head, row, row), _answer(head, row, row + 1), _answer(head, row + 1, row + 1),
    )  # fmt: skip
    impact.before_n, impact.before_1 = speed[row], speed[row + 1]
    impact.W_n2 = impact.W_12 = impact.W_22 = impact.before_2 = 0.0
    if d == 3:
        impact.W_n2, impact.W_12 = _answer(head, row, row + 2), _answer(head, row + 1, row + 2)
        impact.W_22, impact.before_2 = _answer(head, row + 2, row + 2), speed[row + 2]
    outcome = single_impact(head.single)
    head.culprit = contact
    if outcome == ImpactEnd.GAIN:
        return GAINS
    if outcome > ImpactEnd.LOCKED:
        return FAILED
    if outcome == ImpactEnd.LOCKED:
        head.locked = 1
    head.culprit = -1
    whole[0], whole[1] = impact.P_n, impact.P_1
    if d == 3:
        whole[2] = impact.P_2
    as_words(head.chosen)[0] = contact
    _take(head, 1)
    return STRUCK


@called
def _is_apart(head, count, place):
    """Whether none of the others that strike feels the impulse of one."""
    d, chosen = head.dimension, as_words(head.chosen)
    for other in range(count):
        for i in range(d if other != place else 0):
            for j in range(d):
                one, another = chosen[place] * d + i, chosen[other] * d + j
                own = math.sqrt(_answer(head, one, one) * _answer(head, another, another))
                if abs(_answer(head, one, another)) > _FELT * own:
                    return False
    return True


@called
def _strike_wave(head, count):
    """Those in ``chosen``: one that is apart from all others by its own law, the rest together."""
    chosen, listed = as_words(head.chosen), as_doubles(head.bounce)
    together, outcome = 0, STRUCK
    for place in range(count):
        listed[head.contacts + place] = 1.0 if _is_apart(head, count, place) else 0.0
        listed[2 * head.contacts + place] = float(chosen[place])
    for place in range(count):
        contact = int(listed[2 * head.contacts + place])
        if listed[head.contacts + place] == 0.0:
            listed[together] = float(contact)
            together += 1
        elif outcome <= ENDED and as_doubles(head.after)[contact * head.dimension] < 0.0:
            outcome = max(outcome, _strike_alone(head, contact))
    for place in range(together):
        chosen[place] = int(listed[place])
    if together == 0 or outcome > ENDED:
        return outcome
    return max(outcome, _strike_together(head, together, False))


@called
def _choose_approaching(head, slow):
    """The contacts that approach, into ``chosen``; how many. One after the other: the fastest alone."""
    d, after, chosen, count = head.dimension, as_doubles(head.after), as_words(head.chosen), 0
    for contact in range(head.contacts):
        if after[contact * d] >= -slow:
            continue
        if head.order == WAVES or count == 0:
            chosen[count] = contact
            count += 1
        elif after[contact * d] < after[chosen[0] * d]:
            chosen[0] = contact
    return count


@called
def _choose_all(head):
    for contact in range(head.contacts):
        as_words(head.chosen)[contact] = contact
    return head.contacts


@called
def _begin(head):
    """Nothing has struck yet; the fastest velocity."""
    before, after, impulses = as_doubles(head.before), as_doubles(head.after), as_doubles(head.impulses)
    head.energy, head.factor, head.impacts, head.culprit, fastest = 0.0, 1.0, 0, -1, 0.0
    head.by_poisson = head.locked = 0
    for i in range(head.contacts * head.dimension):
        after[i], impulses[i] = before[i], 0.0
        fastest = max(fastest, abs(before[i]))
    return fastest


@called
def _is_plastic(head):
    largest = 0.0
    for contact in range(head.contacts):
        largest = max(largest, as_doubles(head.restitution)[contact])
    return largest == 0.0


@called
def _rounding_of_impulses(head):
    """What the impulses so far leave in the velocities by rounding alone: where bodies jam they may be large."""
    m, impulses, largest = head.contacts * head.dimension, as_doubles(head.impulses), 0.0
    for one in range(m):
        size = 0.0
        for other in range(m):
            size += abs(_answer(head, one, other) * impulses[other])
        largest = max(largest, size)
    return _SUM_ROUNDING * largest


@called
def _strike_all(head, slow):
    """Impact after impact, until nothing approaches."""
    if _is_plastic(head):
        head.impacts = 1
        return _strike_wave(head, _choose_all(head))
    if head.order == SIMULTANEOUS:
        head.impacts = 1
        return _strike_together(head, _choose_all(head), False)
    outcome = STRUCK
    while head.impacts < MOST_IMPACTS:
        count = _choose_approaching(head, max(slow, _rounding_of_impulses(head)))
        if count == 0:
            break
        head.impacts += 1
        one = _strike_wave(head, count)
        if one > ENDED:
            return one
        outcome = max(outcome, one)
    if head.impacts == MOST_IMPACTS:
        outcome = ENDED
    if _choose_approaching(head, 0.01 * slow) == 0:
        return outcome
    return max(outcome, _end(head, slow))


@called
def _end(head, given):
    """Impacts that pile up have become as slow as rounding, or were many: a plastic one of all contacts ends them.

    What is as slow as rounding may contradict itself where rows follow from others; then it is left.
    """
    slow = max(given, _rounding_of_impulses(head))
    head.rounding = max(0.1 * slow, head.known)
    outcome = _strike_together(head, _choose_all(head), True)
    if outcome == FAILED and _choose_approaching(head, slow) == 0:
        head.culprit = -1
        return STRUCK
    return outcome


@called
def strike_several(context):
    """The impacts that the record at an address describes, worked out there; their outcome. Kernels call this."""
    head = as_several_impacts(context)
    slow = max(SLOW * _begin(head), head.known)
    head.rounding = max(0.01 * slow, head.known)
    outcome = _strike_all(head, slow)
    before, after, impulses = as_doubles(head.before), as_doubles(head.after), as_doubles(head.impulses)
    for i in range(head.contacts * head.dimension):
        head.energy += 0.5 * impulses[i] * (before[i] + after[i])
    return outcome


@kernel(types.int64(types.int64))
def strike_at_once(context):
    """The same, for Python."""
    return strike_several(context)
