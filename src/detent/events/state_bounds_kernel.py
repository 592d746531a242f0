"""Bounds of a guard at a state, as far as rounding lets it be known, by a walk of its tape with intervals."""

from __future__ import annotations

from detent.events.enclosure_frame import FLAWED, INFINITE, JET
from detent.events.piece_kernel import Bounds, sure_sign
from detent.events.rounding import CLOCK_ROUNDING, STATE_ROUNDING
from detent.events.watch_kernel import as_certificate, as_watch, load_values, walk
from detent.jit.intrinsics import as_doubles, as_words, called


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
        radius = STATE_ROUNDING * abs(value) + CLOCK_ROUNDING * abs(move * time)
        jets[slot], jets[slot + 1] = value - radius, value + radius
        jets[slot + 2], jets[slot + 3] = move - STATE_ROUNDING * abs(move), move + STATE_ROUNDING * abs(move)
    if watch.clock >= 0:
        slot, slack = JET * watch.clock, CLOCK_ROUNDING * abs(time)
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
