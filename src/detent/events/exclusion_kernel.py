"""Exclusion: where a guard changes its sign within a step, on the step's own interpolant, with nothing left out.

Every part of a step is shown, by bounds that hold for the whole part, to be free of zeros, or to hold at most one
change of sign, or to be as short as an instant. Bounds come from a walk of the guard's tape with intervals
(:mod:`detent.events.enclosure_kernel`) over the hull of the interpolant's coefficients. The rules are rules 3 to 6
of docs/event_semantics.md.
"""

from __future__ import annotations

from typing import Any, Final

from detent.events.bernstein_kernel import derive, elevate, halve_leaf, hull, to_rate
from detent.events.enclosure_frame import FLAWED, INFINITE, JET, POLE
from detent.events.event_frame import RESTED
from detent.events.observation_kernel import crosses
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
from detent.events.watch_kernel import as_certificate, as_watch, walk
from detent.jit.abi import EPSILON, WORD
from detent.jit.intrinsics import as_doubles, as_words, call, called, inlined, read_word
from detent.stepping.frame import Frame
from detent.stepping.step_kernel import as_counters, combine, dense_stages, rate_row

CLEAR: Final = 0
"""No change of sign that is looked for."""
CROSSES: Final = 1
"""A change of sign; where only nearness was asked for: a place that may be zero."""
TIRED: Final = 2
"""Up to a place there is none; beyond it too many pieces would be needed."""
NO_NUMBER: Final = 3
"""A pole, or a stretch without a value."""

_STATE: Final = 8.0 * EPSILON
"""What a state is known to, relative to its largest coefficient in the step."""
CLOCK: Final = 32.0 * EPSILON
"""What the time is known to: a step of a method of order 8 rounds so much."""
_MOST_PIECES: Final = 2000
_NEAR_PIECES: Final = 64
"""Pieces after which what could not be shown to be away from zero counts as near it."""
_BAND: Final = 16.0
"""A guard that stays within so many times what its ends are known to is zero."""
_FLAT: Final = 1.0 / 32.0
"""A piece no longer than this, at the ends and in the middle of which value and rate are zero, is zero throughout. The
one rule without a proof: without it x - x0 - t would be halved to instants along the whole step."""
_SHORTEST: Final = 2.0**-50
_ROUNDED: Final = 8.0 * EPSILON
"""A difference of bounds that is no larger than this part of them may be rounding alone."""

Bounds = tuple[float, float]

# -- the step, for all guards of a mode -------------------------------------------------------------------


@called
def interpolate(frame: Frame, time: float, step: float) -> int:
    """The rows of dense output of the trial, where the record will have them; 0, or a program's status."""
    status = dense_stages(frame, time, step)
    out = frame.record_dense + as_counters(frame.counters).rows * frame.dense_rows * frame.width * WORD
    first = frame.stages + 1 + frame.extra_stages + frame.error_rows
    for number in range(frame.dense_rows):
        combine(frame, first + number, frame.zeros, step, out + number * frame.width * WORD)
    return status


@called
def _coefficients(frame: Frame, i: int, step: float, out: Any, at: int) -> None:
    """Bernstein's coefficients of one entry of the state over the trial step."""
    x, end = as_doubles(frame.state)[i], as_doubles(frame.trial)[i]
    rate, last = as_doubles(frame.rates)[i], as_doubles(rate_row(frame, frame.stages))[i]
    first = frame.record_dense + as_counters(frame.counters).rows * frame.dense_rows * frame.width * WORD
    dense, row, degree = as_doubles(first), frame.width, 3 + frame.dense_rows
    change = end - x
    r3 = step * rate - change
    r4 = change - step * last - r3
    r5, r6, r7, r8 = 0.0, 0.0, 0.0, 0.0
    if degree > 3:
        r5 = dense[i]
    if degree > 4:
        r6, r7, r8 = dense[row + i], dense[2 * row + i], dense[3 * row + i]
    elevate(degree, x, change, (r3, r4, r5, r6, r7, r8), out, at)


@called
def prepare(frame: Frame, certificate: int, width: int, time: float, step: float) -> None:
    """The coefficients of all that the guards of a mode read, over the trial step, and what they are known to."""
    known, degree = as_certificate(certificate), 3 + frame.dense_rows
    places, out = as_words(known.leaves), as_doubles(known.coefficients)
    rounding, tolerance = as_doubles(known.rounding), as_doubles(known.tolerance)
    absolute = as_doubles(frame.absolute)
    relative, kept = as_doubles(known.relative)[0], as_words(known.kept)
    for number in range(known.count):
        kept[number] = 0
    for k in range(known.leaf_count):
        place, at = places[k], COEFFICIENTS * k
        i = place - width if place >= width else place
        _coefficients(frame, i, step, out, at)
        low, high = hull(out, at, degree + 1)
        size = max(abs(low), abs(high))
        rounding[k] = _STATE * size
        tolerance[k] = rounding[k] + (absolute[i] + relative * size if absolute[i] < INFINITE else 0.0)
        if place >= width:
            to_rate(degree, step, out, at)
            low, high = hull(out, at, degree + 1)
            rounding[k] = _STATE * max(abs(low), abs(high)) + 2.0 * degree * rounding[k] / step
            tolerance[k] *= 2.0 * degree / step


@inlined
def _clock(time: float, step: float) -> float:
    """What the time is known to, in parts of the step."""
    return CLOCK * (abs(time) + step) / step


# -- a watch, over a part of the step ---------------------------------------------------------------------


@called
def load_values(watch: Any, values: int) -> None:
    """Run-time values into their slots."""
    jets, places, numbers = as_doubles(watch.jets), as_words(watch.values), as_doubles(values)
    for k in range(watch.value_count):
        slot = JET * places[2 * k]
        jets[slot] = jets[slot + 1] = numbers[places[2 * k + 1]]


@inlined
def _load_clock(watch: Any, jets: Any, time: float, step: float, a: float, b: float) -> None:
    if watch.clock >= 0:
        slot, slack = JET * watch.clock, CLOCK * (abs(time) + step)
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
            radius = 2.0 * degree * radius + _STATE * max(abs(low), abs(high))
    _load_clock(watch, jets, time, step, pieces[tail], pieces[tail + 1])
    return moves


@called
def _load_point(watch: Any, radii: Any, degree: int, base: int, last: int, time: float, step: float) -> None:
    """All leaves and their rates at the first or last point of a piece."""
    pieces, jets, leaves = as_doubles(watch.pieces), as_doubles(watch.jets), as_words(watch.leaves)
    for k in range(watch.leaf_count):
        slot, at = JET * leaves[2 * k], base + LEAF * k
        value, rate = pieces[at + last * degree], pieces[at + FIRST + last * (degree - 1)]
        radius = radii[leaves[2 * k + 1]] + _clock(time, step) * abs(rate)
        jets[slot], jets[slot + 1] = value - radius, value + radius
        radius = 2.0 * degree * radius + _STATE * abs(rate)
        jets[slot + 2], jets[slot + 3] = rate - radius, rate + radius
    place = pieces[base + LEAF * watch.leaf_count + last]
    _load_clock(watch, jets, time, step, place, place)


@called
def _at_point(
    watch: Any, radii: Any, degree: int, base: int, last: int, time: float, step: float, offset: float
) -> tuple[Bounds, Bounds]:
    """Value and rate at the first or last point of a piece; what is flawed there has neither."""
    _load_point(watch, radii, degree, base, last, time, step)
    walk(watch, 1)
    slot, jets = as_words(watch.outputs)[0], as_doubles(watch.jets)
    if as_words(watch.flags)[slot] & FLAWED != 0:
        return (-INFINITE, INFINITE), (-INFINITE, INFINITE)
    out = JET * slot
    return (jets[out] + offset, jets[out + 1] + offset), (jets[out + 2], jets[out + 3])


@inlined
def sure_sign(value: Bounds) -> int:
    """The sign that bounds leave no doubt of; 0 if they do."""
    if value[0] > 0.0:
        return 1
    return -1 if value[1] < 0.0 else 0


@called
def _load_state(certificate: int, number: int, values: int, width: int, time: float, state: int, rate: int) -> bool:
    """What a guard reads at a state, and how it moves there per unit of time; whether that is known of all of it."""
    known = as_certificate(certificate)
    watch = as_watch(as_words(known.watches)[number])
    jets, leaves, places = as_doubles(watch.jets), as_words(watch.leaves), as_words(known.leaves)
    x, slope, complete = as_doubles(state), as_doubles(rate), True
    load_values(watch, values)
    for k in range(watch.leaf_count):
        slot, place = JET * leaves[2 * k], places[leaves[2 * k + 1]]
        value, move = (x[place], slope[place]) if place < width else (slope[place - width], 0.0)
        complete = complete and place < width
        radius = _STATE * abs(value) + CLOCK * abs(move * time)
        jets[slot], jets[slot + 1] = value - radius, value + radius
        jets[slot + 2], jets[slot + 3] = move - _STATE * abs(move), move + _STATE * abs(move)
    if watch.clock >= 0:
        slot, slack = JET * watch.clock, CLOCK * abs(time)
        jets[slot], jets[slot + 1], jets[slot + 2], jets[slot + 3] = time - slack, time + slack, 1.0, 1.0
    return complete


@called
def bounds_at(certificate: int, number: int, values: int, width: int, time: float, state: int, rate: int) -> Bounds:
    """Bounds of a guard's value at a state; what is flawed there has none."""
    known = as_certificate(certificate)
    watch = as_watch(as_words(known.watches)[number])
    _load_state(certificate, number, values, width, time, state, rate)
    walk(watch, 0)
    slot, jets = as_words(watch.outputs)[0], as_doubles(watch.jets)
    if as_words(watch.flags)[slot] & FLAWED != 0:
        return -INFINITE, INFINITE
    slack = as_doubles(known.slack)[number]
    return jets[JET * slot] - slack, jets[JET * slot + 1] + slack


@called
def value_and_rate_at(
    certificate: int, number: int, values: int, width: int, time: float, state: int, rate: int
) -> tuple[Bounds, Bounds]:  # fmt: skip
    """Bounds of a guard's value and of its rate at a state, as far as rounding lets them be known.

    Where bounds tell nothing, the value may be anything, and the rate is no wider than zero.
    """
    watch = as_watch(as_words(as_certificate(certificate).watches)[number])
    if watch.certified == 0:
        return (-INFINITE, INFINITE), (0.0, 0.0)
    complete = _load_state(certificate, number, values, width, time, state, rate)
    walk(watch, 1)
    slot, jets = as_words(watch.outputs)[0], as_doubles(watch.jets)
    out, flawed = JET * slot, as_words(watch.flags)[slot] & FLAWED != 0
    value = (-INFINITE, INFINITE) if flawed else (jets[out], jets[out + 1])
    return value, ((jets[out + 2], jets[out + 3]) if complete else (0.0, 0.0))


@called
def may_stand(certificate: int, number: int, values: int, width: int, time: float, state: int, rate: int) -> bool:
    """Whether the rate of a guard at a state may be zero, or have either sign, as far as rounding lets it be known."""
    _, (low, high) = value_and_rate_at(certificate, number, values, width, time, state, rate)
    return low < high and low <= 0.0 <= high


@called
def confirmed(
    certificate: int, number: int, values: int, width: int, time: float, state: int, rate: int, sign: int, band: float
) -> tuple[int, float]:  # fmt: skip
    """The sign that a guard is seen to have at a state, 0 unless its bounds leave no doubt; then within which band."""
    if as_watch(as_words(as_certificate(certificate).watches)[number]).certified == 0:
        return sign, band
    low, high = bounds_at(certificate, number, values, width, time, state, rate)
    return (sign if sure_sign((low, high)) == sign else 0), max(band, max(abs(low), abs(high)))


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
    _load_point(watch, radii, degree, 0, last, time, step)
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
    if not _stays(sign, left, right, (jets[at + 2], jets[at + 3]), (jets[at + 4], jets[at + 5])):
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


# -- what bounds tell about a piece; rates are per unit of the piece ----------------------------------------------


@inlined
def _turned(sign: int, bounds: Bounds) -> Bounds:
    return bounds if sign > 0 else (-bounds[1], -bounds[0])


@called
def _stays(sign: int, left: Bounds, right: Bounds, rate: Bounds, bend: Bounds) -> bool:
    """Whether a guard that has a sign at both ends has it between them: by its rate, then by its second rate."""
    a, b = _turned(sign, left)[0], _turned(sign, right)[0]
    low, high = _turned(sign, rate)
    if low >= 0.0 or high <= 0.0:
        return True
    if low > -INFINITE and high < INFINITE:
        r = min(1.0, max(0.0, (a - b + high) / (high - low)))  # up to r by the rate from the left, then from the right
        if a + low * r > _ROUNDED * a and b - high * (1.0 - r) > _ROUNDED * (b + high):
            return True
    most = max(0.0, _turned(sign, bend)[1])
    if not most < INFINITE:
        return False
    r = 0.5 - (b - a) / most if most > 0.0 else -1.0
    if r <= 0.0 or r >= 1.0:
        return True
    return a + (b - a) * r - 0.5 * most * r * (1.0 - r) > _ROUNDED * (a + b + most)


@called
def _departs(sign: int, value: Bounds, rate: Bounds, bend: Bounds) -> bool:
    """Whether a guard that is zero within rounding at an end keeps to the side ``sign`` away from it, or passes to the
    other one by no more than that rounding."""
    least, bent = _turned(sign, rate)[0], _turned(sign, bend)[0]
    if not bent > -INFINITE:
        return False
    if bent <= 0.0:
        return least > 0.0 and least + 0.5 * bent >= 0.0
    if least >= 0.0:
        return True
    lowest = least + 0.5 * bent if -least > bent else -0.5 * least * least / bent
    return lowest + _turned(sign, value)[1] > 0.0


@called
def _is_band(left: Bounds, right: Bounds, whole: Bounds, rate: Bounds, bend: Bounds) -> bool:
    """Whether a guard that is zero within rounding at both ends is so between them."""
    ends = max(max(abs(left[0]), abs(left[1])), max(abs(right[0]), abs(right[1])))
    bow = min(0.5 * max(abs(rate[0]), abs(rate[1])), 0.125 * max(abs(bend[0]), abs(bend[1])))
    most = min(max(abs(whole[0]), abs(whole[1])), ends + bow)
    return bow < INFINITE and most <= _BAND * max(left[1] - left[0], right[1] - right[0])  # a jump is no band


@inlined
def _wider(bounds: Bounds, band: float) -> Bounds:
    return bounds[0] - band, bounds[1] + band


@inlined
def _scaled(bounds: Bounds, by: float) -> Bounds:
    low, high = bounds[0] * by, bounds[1] * by
    if not low <= high:
        return -INFINITE, INFINITE
    return low, high


@called
def _is_simple(
    left: Bounds, left_rate: Bounds, right: Bounds, right_rate: Bounds, whole: Bounds, rate: Bounds,
    bend: Bounds, near: bool,
) -> bool:  # fmt: skip
    """Whether a piece holds no zero, or at most one change of sign, or only zeros; rates are per unit of the piece."""
    before, after = sure_sign(left), sure_sign(right)
    if whole[0] > 0.0 or whole[1] < 0.0:
        return True
    low, high = rate
    if bend[0] > -INFINITE:
        low = max(low, max(left_rate[0] + min(bend[0], 0.0), right_rate[0] - max(bend[1], 0.0)))
    if bend[1] < INFINITE:
        high = min(high, min(left_rate[1] + max(bend[1], 0.0), right_rate[1] - min(bend[0], 0.0)))
    if before == after and before != 0:
        return _stays(before, left, right, (low, high), bend)
    if near:
        return False
    if low >= 0.0 or high <= 0.0:
        return True
    if before * after < 0:
        return bend[0] >= 0.0 or bend[1] <= 0.0
    if before == 0 and after == 0:
        return _is_band(left, right, whole, (low, high), bend)
    if before == 0:
        return _departs(after, left, left_rate, bend)
    return _departs(before, right, (-right_rate[1], -right_rate[0]), bend)


@inlined
def _is_zero(value: Bounds) -> bool:
    """Whether it may be zero; one that may be anything is not."""
    return -INFINITE < value[0] <= 0.0 <= value[1] < INFINITE


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
    radii = as_doubles(known.tolerance if near or rests else known.rounding)
    pieces, flags, jets = as_doubles(watch.pieces), as_words(watch.flags), as_doubles(watch.jets)
    band = as_doubles(known.slack)[number]  # until it has left that: then it counts no more
    begins = sign if band == 0.0 else 0
    found[FLIP] = -1.0
    tries = sign * sign == 1 and not near and watch.affine == 0 and as_words(known.shared)[0] == 0
    if tries and _stays_far(certificate, number, values, degree, time, step, sign, offset):
        as_words(known.kept)[number], as_doubles(known.end_slack)[number] = begins, 0.0
        return CLEAR
    slot, size = as_words(watch.outputs)[0], LEAF * watch.leaf_count + TAIL
    out, tail, budget = JET * slot, size - TAIL, _NEAR_PIECES if near else _MOST_PIECES
    load_values(watch, values)
    _first_piece(certificate, watch, degree)
    left, left_rate = _at_point(watch, radii, degree, 0, 0, time, step, offset)
    right, right_rate = _at_point(watch, radii, degree, 0, 1, time, step, offset)
    pieces[tail + 2], pieces[tail + 3] = right
    pieces[tail + 4], pieces[tail + 5] = right_rate
    left, right = _wider(left, band), _wider(right, band)
    if near and (sure_sign(left) != sign or sure_sign(right) != sign):
        return CROSSES
    sure, level, used = 0.0, 0, 0
    shortest = max(_SHORTEST, 8.0 * EPSILON * (abs(time) + step) / step)
    while level >= 0:
        at = level * size + tail
        a, b = pieces[at], pieces[at + 1]
        if a >= upto:
            break
        right, right_rate = _wider((pieces[at + 2], pieces[at + 3]), band), (pieces[at + 4], pieces[at + 5])
        width, used = b - a, used + 1
        moves = _load_piece(watch, radii, degree, 2, level * size, time, step)
        walk(watch, 2)
        flaw = flags[slot] & FLAWED
        simple = False
        if flaw == 0:
            whole = _wider((jets[out] + offset, jets[out + 1] + offset), band)
            rate = _scaled((jets[out + 2], jets[out + 3]), width)
            bend = _scaled((jets[out + 4], jets[out + 5]), width * width)
            simple = _is_simple(
                left, _scaled(left_rate, width), right, _scaled(right_rate, width), whole, rate, bend, near
            )
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
            if near and sure_sign(_wider(middle, band)) != sign:
                return CROSSES
            pieces[top + tail + 2], pieces[top + tail + 3] = middle
            pieces[top + tail + 4], pieces[top + tail + 5] = middle_rate
            flat = (
                width <= _FLAT and _is_zero(left) and _is_zero(_wider(middle, band)) and _is_zero(right) and flaw == 0
            )
            if not (flat and _is_zero(left_rate) and _is_zero(middle_rate) and _is_zero(right_rate)):
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
        left, left_rate = _wider((pieces[at + 2], pieces[at + 3]), band), right_rate
        level -= 1
    as_words(known.end_signs)[number], found[SURE] = sign, sure
    if not near:
        as_doubles(known.end_slack)[number] = band
        as_words(known.kept)[number] = begins if sign == begins and found[FLIP] < 0.0 else 0
    return CLEAR
