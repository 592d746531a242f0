"""Exclusion: where a guard changes its sign within a step, on the step's own interpolant, with nothing left out.

Every part of a step is shown, by bounds that hold for the whole part, to be free of zeros, or to hold at most one
change of sign, or to be as short as an instant. Bounds come from a walk of the guard's tape with intervals
(:mod:`detent.events.enclosure_kernel`) over the hull of the interpolant's coefficients. The rules are rules 3 to 6
of docs/event_semantics.md.
"""

from __future__ import annotations

from typing import Any, Final

from detent.events.bernstein_kernel import derive, halve_leaf, hull
from detent.events.enclosure_frame import FLAWED, INFINITE, JET, POLE
from detent.events.event_frame import RESTED
from detent.events.observation_kernel import crosses
from detent.events.piece_kernel import Bounds, is_simple, keeps_sign, may_be_zero, scaled_bounds, sure_sign, wider
from detent.events.rounding import CLOCK_ROUNDING, STATE_ROUNDING
from detent.events.watch_frame import (
    COEFFICIENTS,
    DEPARTS,
    FIRST,
    FLIP,
    LEAF,
    PLACE,
    SURE,
    TAIL,
)
from detent.events.watch_kernel import (
    as_certificate,
    as_watch,
    drop_anchors,
    load_values,
    walk,
    walk_from_anchors,
)
from detent.jit.abi import EPSILON
from detent.jit.intrinsics import as_doubles, as_words, call, called, inlined, read_word

CLEAR: Final = 0
"""No change of sign that is looked for."""
CROSSES: Final = 1
"""A change of sign; where only nearness was asked for: a place that may be zero."""
TIRED: Final = 2
"""Up to a place there is none; beyond it too many pieces would be needed."""
NO_NUMBER: Final = 3
"""A pole, or a stretch without a value."""

_MOST_PIECES: Final = 2000
_PLAIN_PIECES: Final = 8
"""Pieces after which bounds are looked for from where a piece begins: three walks instead of one."""
_NEAR_PIECES: Final = 64
"""Pieces after which what could not be shown to be away from zero counts as near it."""
_FLAT: Final = 1.0 / 32.0
"""A piece no longer than this, at the ends and in the middle of which value and rate are zero, is zero throughout. The
one rule without a proof: without it x - x0 - t would be halved to instants along the whole step."""
_SHORTEST: Final = 2.0**-50


@inlined
def _clock(time: float, step: float) -> float:
    """What the time is known to, in parts of the step."""
    return CLOCK_ROUNDING * (abs(time) + step) / step


# -- a watch, over a part of the step ---------------------------------------------------------------------


@inlined
def _load_clock(watch: Any, jets: Any, time: float, step: float, a: float, b: float) -> None:
    if watch.clock >= 0:
        slot, slack = JET * watch.clock, CLOCK_ROUNDING * (abs(time) + step)
        jets[slot], jets[slot + 1] = time + a * step - slack, time + b * step + slack
        jets[slot + 2] = jets[slot + 3] = step
        jets[slot + 4] = jets[slot + 5] = 0.0


@called
def screen(certificate: int, values: int, degree: int, time: float, step: float) -> None:
    """Bounds over the whole step of all that is not affine, with the state known to the integration's tolerance."""
    known = as_certificate(certificate)
    watch = as_watch(known.screen)
    load_values(watch, values)
    jets, leaves = as_doubles(watch.jets), as_words(watch.leaves)
    coefficients, radii = as_doubles(known.coefficients), as_doubles(known.tolerance)
    clock = _clock(time, step) * degree
    for k in range(watch.leaf_count):
        slot, leaf = JET * leaves[2 * k], leaves[2 * k + 1]
        low, high = hull(coefficients, COEFFICIENTS * leaf, degree + 1)
        radius = radii[leaf] + clock * (high - low)
        jets[slot], jets[slot + 1] = low - radius, high + radius
    _load_clock(watch, jets, time, step, 0.0, 1.0)
    walk(watch, 0)
    shares = _open_length(certificate) > watch.length
    as_words(known.shared)[0] = 1 if shares else 0
    if shares:
        for last in range(2):
            _meet_end(certificate, watch, degree, last, time, step)
        _follow(certificate, watch, degree, time, step)


@called
def _open_length(certificate: int) -> int:
    """How many instructions the tapes of those have that the screen, so far, leaves open."""
    known = as_certificate(certificate)
    watch, outputs, watches = as_watch(known.screen), as_words(known.screened), as_words(known.watches)
    slots, jets, flags, total = as_words(watch.outputs), as_doubles(watch.jets), as_words(watch.flags), 0
    for number in range(known.count):
        if outputs[number] >= 0 and as_words(known.twins)[number] == 0:
            slot = slots[outputs[number]]
            sure = sure_sign((jets[JET * slot], jets[JET * slot + 1])) != 0 and flags[slot] & FLAWED == 0
            total += 0 if sure else as_watch(watches[number]).length
    return total


@called
def is_screened_out(certificate: int, number: int, sign: int, offset: float) -> bool:
    """Whether the screen shows that a guard keeps its sign over the whole step.

    What a mode requires may be a guard, or the negative of one, that has been shown to keep its sign.
    """
    known = as_certificate(certificate)
    output, twin, kept = as_words(known.screened)[number], as_words(known.twins)[number], as_words(known.kept)
    if twin != 0 and kept[abs(twin) - 1] * twin > 0:
        return True
    if output < 0:
        return False
    watch = as_watch(known.screen)
    slot, jets = as_words(watch.outputs)[output], as_doubles(watch.jets)
    slack = as_doubles(known.slack)[number]
    low, high = jets[JET * slot] + offset - slack, jets[JET * slot + 1] + offset + slack
    whole = as_words(watch.flags)[slot] & FLAWED == 0
    keeps: bool = whole and ((sign == 1 and low > 0.0) or (sign == -1 and high < 0.0))
    if not keeps and as_words(known.shared)[0] != 0 and sign * sign == 1:
        keeps = _is_far(certificate, watch, number, output, sign, offset)
    if keeps and slack == 0.0:
        kept[number] = sign
    return keeps


@called
def keeps_side(
    certificate: int, number: int, values: int, degree: int, time: float, step: float, sign: int, offset: float,
    by_tolerance: bool, ends: bool,
) -> bool:  # fmt: skip
    """Whether an affine guard keeps its sign over the whole step: it is a polynomial by its own coefficients.

    By rounding: none of them lies surely on the other side; where the step ``ends`` at the guard's zero, the last one
    may. By tolerance: each lies on its side by more than the integration is exact to.
    """
    known = as_certificate(certificate)
    watch = as_watch(as_words(known.watches)[number])
    cell = as_words(watch.affine)
    if call(read_word(watch.affine), cell[1], time, watch.factors, values, watch.factors) != 0:
        return False
    factors, leaves, count = as_doubles(watch.factors), as_words(watch.leaves), watch.leaf_count
    coefficients = as_doubles(known.coefficients)
    radii = as_doubles(known.tolerance if by_tolerance else known.rounding)
    clock, rest = factors[count], factors[count + 1] + offset
    radius, largest, own = 0.0, 0.0, as_doubles(watch.pieces)
    for k in range(count):
        radius += abs(factors[k]) * radii[leaves[2 * k + 1]]
    for j in range(degree + 1):
        moment = clock * (time + step * j / degree)
        total, size = rest + moment, abs(rest) + abs(moment)
        for k in range(count):
            part = factors[k] * coefficients[COEFFICIENTS * leaves[2 * k + 1] + j]
            total, size = total + part, size + abs(part)
        own[j], largest = sign * total, max(largest, size)
    band, radius = as_doubles(known.slack)[number], radius + (count + 2) * EPSILON * largest
    keeps: bool = _all_on_side(own, degree, band, radius, _clock(time, step) * degree, by_tolerance, ends)
    if keeps and band == 0.0 and not ends:
        as_words(known.kept)[number] = sign
    return keeps


@called
def _all_on_side(
    own: Any, degree: int, band: float, radius: float, clock: float, by_tolerance: bool, ends: bool
) -> bool:  # fmt: skip
    """Whether the coefficients of a polynomial are not surely negative, or surely positive by the tolerance.

    The first ones may lie within a band, until one has left it. Where the step begins and ends is known to the clock.
    """
    for j in range(degree + 1):
        slack = band + radius
        if j == 0:
            slack += clock * abs(own[1] - own[0])
        if j == degree:
            slack += clock * abs(own[j] - own[j - 1])
        if own[j] > slack:
            band = 0.0
        if not own[j] > (slack if by_tolerance else -slack) and not (ends and j == degree):
            return False
    return True


# -- pieces -----------------------------------------------------------------------------------------------


@called
def _first_piece(certificate: int, watch: Any, degree: int) -> None:
    """The whole step, with the derivatives of all that the guard reads."""
    known = as_certificate(certificate)
    coefficients, pieces, leaves = as_doubles(known.coefficients), as_doubles(watch.pieces), as_words(watch.leaves)
    for k in range(watch.leaf_count):
        at, origin = LEAF * k, COEFFICIENTS * leaves[2 * k + 1]
        for j in range(degree + 1):
            pieces[at + j] = coefficients[origin + j]
        derive(degree, pieces, at)
    tail = LEAF * watch.leaf_count
    pieces[tail], pieces[tail + 1] = 0.0, 1.0


@called
def _load_piece(watch: Any, radii: Any, degree: int, order: int, base: int, time: float, step: float) -> bool:
    """The hulls of all leaves over a piece; whether any of them moves by more than it is known to."""
    pieces, jets, leaves = as_doubles(watch.pieces), as_doubles(watch.jets), as_words(watch.leaves)
    tail = base + LEAF * watch.leaf_count
    clock = _clock(time, step)
    moves = watch.clock >= 0 and pieces[tail + 1] - pieces[tail] > clock
    for k in range(watch.leaf_count):
        slot, at = JET * leaves[2 * k], base + LEAF * k
        low, high = hull(pieces, at + FIRST, degree)
        radius = radii[leaves[2 * k + 1]] + clock * max(abs(low), abs(high))
        for level in range(order + 1):
            low, high = hull(pieces, at + FIRST * level, degree + 1 - level)
            moves = moves or (level == 0 and high - low > radius)
            jets[slot + 2 * level], jets[slot + 2 * level + 1] = low - radius, high + radius
            radius = 2.0 * degree * radius + STATE_ROUNDING * max(abs(low), abs(high))
    _load_clock(watch, jets, time, step, pieces[tail], pieces[tail + 1])
    return moves


@called
def _load_point(
    watch: Any, radii: Any, degree: int, base: int, last: int, time: float, step: float, clock: float
) -> None:
    """All leaves and their rates at the first or last point of a piece, the time known to a part of the step."""
    pieces, jets, leaves = as_doubles(watch.pieces), as_doubles(watch.jets), as_words(watch.leaves)
    for k in range(watch.leaf_count):
        slot, at = JET * leaves[2 * k], base + LEAF * k
        value, rate = pieces[at + last * degree], pieces[at + FIRST + last * (degree - 1)]
        radius = radii[leaves[2 * k + 1]] + clock * abs(rate)
        jets[slot], jets[slot + 1] = value - radius, value + radius
        radius = 2.0 * degree * radius + STATE_ROUNDING * abs(rate)
        jets[slot + 2], jets[slot + 3] = rate - radius, rate + radius
    place = pieces[base + LEAF * watch.leaf_count + last]
    _load_clock(watch, jets, time, step, place, place)


@called
def _at_point(
    watch: Any, radii: Any, degree: int, base: int, last: int, time: float, step: float, offset: float
) -> tuple[Bounds, Bounds]:
    """Value and rate at the first or last point of a piece; what is flawed there has neither.

    What seems flawed may be so only because the time is not known: that is the same time for all that moves.
    """
    clock = _clock(time, step)
    _load_point(watch, radii, degree, base, last, time, step, clock)
    walk(watch, 1)
    slot, jets = as_words(watch.outputs)[0], as_doubles(watch.jets)
    if as_words(watch.flags)[slot] & FLAWED != 0:
        _load_point(watch, radii, degree, base, last, time, step, 0.0)
        drop_anchors(watch, clock)
        _load_point(watch, radii, degree, base, last, time, step, clock)
        walk_from_anchors(watch, 0.0, 1)
    if as_words(watch.flags)[slot] & FLAWED != 0:
        return (-INFINITE, INFINITE), (-INFINITE, INFINITE)
    out = JET * slot
    return (jets[out] + offset, jets[out + 1] + offset), (jets[out + 2], jets[out + 3])


@called
def _split(watch: Any, degree: int, base: int, to: int) -> float:
    """Halve a piece: the left half is put on top, the right half stays. The place where they meet."""
    pieces = as_doubles(watch.pieces)
    for k in range(watch.leaf_count):
        halve_leaf(degree, pieces, base + LEAF * k, to + LEAF * k)
    tail, left = base + LEAF * watch.leaf_count, to + LEAF * watch.leaf_count
    middle = 0.5 * (pieces[tail] + pieces[tail + 1])
    pieces[left], pieces[left + 1], pieces[tail] = pieces[tail], middle, middle
    return middle


# -- the whole step as one piece, with the state known to the integration's tolerance -----------------------------


@called
def _meet_end(certificate: int, watch: Any, degree: int, last: int, time: float, step: float) -> None:
    """Bounds of all values of a tape at the start or at the end of the step; what is flawed there has none."""
    radii, ends = as_doubles(as_certificate(certificate).tolerance), as_doubles(watch.ends)
    if last == 0:
        _first_piece(certificate, watch, degree)
    _load_point(watch, radii, degree, 0, last, time, step, _clock(time, step))
    walk(watch, 0)
    outputs, flags, jets = as_words(watch.outputs), as_words(watch.flags), as_doubles(watch.jets)
    for k in range(watch.output_count):
        whole, out, to = flags[outputs[k]] & FLAWED == 0, JET * outputs[k], 4 * k + 2 * last
        ends[to], ends[to + 1] = (jets[out], jets[out + 1]) if whole else (-INFINITE, INFINITE)


@inlined
def _follow(certificate: int, watch: Any, degree: int, time: float, step: float) -> None:
    """Bounds of the values, rates and second rates of a tape over the whole step."""
    _load_piece(watch, as_doubles(as_certificate(certificate).tolerance), degree, 2, 0, time, step)
    walk(watch, 2)


@inlined
def _end(watch: Any, output: int, last: int, by: float, band: float) -> Bounds:
    ends, at = as_doubles(watch.ends), 4 * output + 2 * last
    return ends[at] + by - band, ends[at + 1] + by + band


@called
def _is_far(certificate: int, watch: Any, number: int, output: int, sign: int, offset: float) -> bool:
    """Whether a guard that has been followed over the step keeps its sign by more than the integration is exact to.

    One that has only departed from zero counts as far from it where its bounds of order 0 say so.
    """
    known, slot, jets = as_certificate(certificate), as_words(watch.outputs)[output], as_doubles(watch.jets)
    band, at = as_doubles(known.slack)[number], JET * slot
    left, right = _end(watch, output, 0, offset, band), _end(watch, output, 1, offset, band)
    if sure_sign(left) != sign or sure_sign(right) != sign or as_words(watch.flags)[slot] & FLAWED != 0:
        return False
    if not keeps_sign(sign, left, right, (jets[at + 2], jets[at + 3]), (jets[at + 4], jets[at + 5])):
        return False
    as_words(known.far)[number] = 0 if as_words(known.near)[number] == DEPARTS else 1
    return True


@called
def _stays_far(
    certificate: int, number: int, values: int, degree: int, time: float, step: float, sign: int, offset: float
) -> bool:  # fmt: skip
    """Whether one guard keeps its sign over the whole step by more than the integration is exact to."""
    known = as_certificate(certificate)
    watch, band = as_watch(as_words(known.watches)[number]), as_doubles(known.slack)[number]
    load_values(watch, values)
    for last in range(2):
        _meet_end(certificate, watch, degree, last, time, step)
        if sure_sign(_end(watch, 0, last, offset, band)) != sign:
            return False
    _follow(certificate, watch, degree, time, step)
    far: bool = _is_far(certificate, watch, number, 0, sign, offset)
    return far


@called
def _tells(
    watch: Any, ends: tuple[Bounds, Bounds, Bounds, Bounds], width: float, band: float, offset: float, near: bool
) -> bool:  # fmt: skip
    """Whether the bounds of a piece that has been walked say all there is to know of it."""
    slot, jets = as_words(watch.outputs)[0], as_doubles(watch.jets)
    out, (left, left_rate, right, right_rate) = JET * slot, ends
    if as_words(watch.flags)[slot] & FLAWED != 0:
        return False
    whole = wider((jets[out] + offset, jets[out + 1] + offset), band)
    rate = scaled_bounds((jets[out + 2], jets[out + 3]), width)
    bend = scaled_bounds((jets[out + 4], jets[out + 5]), width * width)
    left_change, right_change = scaled_bounds(left_rate, width), scaled_bounds(right_rate, width)
    simple: bool = is_simple(left, left_change, right, right_change, whole, rate, bend, near)
    return simple


@called
def exclude(
    certificate: int, number: int, values: int, degree: int, time: float, step: float, sign: int, watched: int,
    offset: float, upto: float, near: bool,
) -> int:  # fmt: skip
    """The first change of sign that is looked for in (0, upto], of one guard over a step that is prepared.

    ``offset`` is added to its value. What is found stands in the certificate. With ``near``: whether it comes nearer to
    zero than the tolerance of the integration.
    """
    known = as_certificate(certificate)
    watch, found = as_watch(as_words(known.watches)[number]), as_doubles(known.found)
    # What rests at zero, held there by a constraint, say, has not left it while only the interpolation says so.
    rests = sign == 0 or sign == RESTED
    radii = as_doubles(known.interpolation if rests else known.tolerance if near else known.rounding)
    pieces, flags = as_doubles(watch.pieces), as_words(watch.flags)
    band = as_doubles(known.slack)[number]  # until it has left that: then it counts no more
    begins = sign if band == 0.0 else 0
    found[FLIP] = -1.0
    tries = sign * sign == 1 and not near and watch.affine == 0 and as_words(known.shared)[0] == 0
    if tries and _stays_far(certificate, number, values, degree, time, step, sign, offset):
        as_words(known.kept)[number], as_doubles(known.end_slack)[number] = begins, 0.0
        return CLEAR
    slot, size = as_words(watch.outputs)[0], LEAF * watch.leaf_count + TAIL
    tail, budget = size - TAIL, _NEAR_PIECES if near else _MOST_PIECES
    load_values(watch, values)
    _first_piece(certificate, watch, degree)
    left, left_rate = _at_point(watch, radii, degree, 0, 0, time, step, offset)
    right, right_rate = _at_point(watch, radii, degree, 0, 1, time, step, offset)
    pieces[tail + 2], pieces[tail + 3] = right
    pieces[tail + 4], pieces[tail + 5] = right_rate
    left, right = wider(left, band), wider(right, band)
    if near and (sure_sign(left) != sign or sure_sign(right) != sign):
        return CROSSES
    sure, level, used = 0.0, 0, 0
    shortest = max(_SHORTEST, 8.0 * EPSILON * (abs(time) + step) / step)
    while level >= 0:
        at = level * size + tail
        a, b = pieces[at], pieces[at + 1]
        if a >= upto:
            break
        right, right_rate = wider((pieces[at + 2], pieces[at + 3]), band), (pieces[at + 4], pieces[at + 5])
        width, used = b - a, used + 1
        moves = _load_piece(watch, radii, degree, 2, level * size, time, step)
        walk(watch, 2)
        ends = left, left_rate, right, right_rate
        simple = _tells(watch, ends, width, band, offset, near)
        if not simple and used > _PLAIN_PIECES:
            _load_point(watch, radii, degree, level * size, 0, time, step, 0.0)
            drop_anchors(watch, _clock(time, step))
            _load_piece(watch, radii, degree, 2, level * size, time, step)
            walk_from_anchors(watch, width, 2)
            simple = _tells(watch, ends, width, band, offset, near)
        flaw = flags[slot] & FLAWED
        if not simple and (width <= shortest or not moves):  # an instant
            if flaw & POLE != 0 and sure_sign(left) * sure_sign(right) <= 0:
                found[SURE], found[PLACE] = a, b
                return NO_NUMBER
            simple = True
        if not simple:
            if near and (sure_sign(right) != sign or used > budget):
                return CROSSES
            if used > budget and a > 0.0:
                found[SURE], found[PLACE] = a, b
                return TIRED
            top = (level + 1) * size
            _split(watch, degree, level * size, top)
            middle, middle_rate = _at_point(watch, radii, degree, top, 1, time, step, offset)
            if near and sure_sign(wider(middle, band)) != sign:
                return CROSSES
            pieces[top + tail + 2], pieces[top + tail + 3] = middle
            pieces[top + tail + 4], pieces[top + tail + 5] = middle_rate
            flat = width <= _FLAT and may_be_zero(left) and may_be_zero(wider(middle, band))
            flat = flat and may_be_zero(right) and flaw == 0
            if not (flat and may_be_zero(left_rate) and may_be_zero(middle_rate) and may_be_zero(right_rate)):
                level += 1
                continue
        after = sure_sign(right)
        if after != 0:
            if crosses(sign, after, watched):
                found[SURE], found[PLACE] = sure, b
                return CROSSES
            if sign != 0 and sign != RESTED and after != sign:
                found[FLIP] = b
            sign, sure, band = after, b, 0.0
        left, left_rate = wider((pieces[at + 2], pieces[at + 3]), band), right_rate
        level -= 1
    as_words(known.end_signs)[number], found[SURE] = sign, sure
    if not near:
        as_doubles(known.end_slack)[number] = band
        as_words(known.kept)[number] = begins if sign == begins and found[FLIP] < 0.0 else 0
    return CLEAR
