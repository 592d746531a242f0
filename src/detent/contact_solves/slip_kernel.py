"""Slip under a normal impulse p: dv/dp = W (1, -mu s), s being the direction of slip (Keller 1986).

In polar form, with f = b - mu C s, the slip r changes by g = s.f and its direction turns by h/r, h being the part of f
across s. So slip keeps its direction where h = 0: always in the plane, always for a sphere, and in space on some lines
through 0, to which it is drawn as it stops or grows.
"""

from __future__ import annotations

from typing import Final

from detent.contact_solves.rest_kernel import plane_length
from detent.jit.abi import EPSILON
from detent.jit.intrinsics import called, inlined

_BELOW_ROUNDING: Final = 1e-17
_ROUNDING: Final = 4.0 * EPSILON
"""What rounding makes of a sum that should be 0, relative to its terms."""


@inlined
def _known(rate, terms):
    """A rate, 0 where it is no more than rounding of its terms: otherwise slip that nothing stops would stop late."""
    return rate if abs(rate) > _ROUNDING * terms else 0.0


@inlined
def approach_rate(head):
    """dv_n/dp of a contact that slips."""
    fall = head.friction * (head.W_n1 * head.s_1 + head.W_n2 * head.s_2)
    return _known(head.W_nn - fall, head.W_nn + head.friction * plane_length(head.W_n1, head.W_n2))


@inlined
def drive(head):
    """f = dv_t/dp of a contact that slips."""
    mu, s_1, s_2 = head.friction, head.s_1, head.s_2
    f_1 = head.W_n1 - mu * (head.W_11 * s_1 + head.W_12 * s_2)
    f_2 = head.W_n2 - mu * (head.W_12 * s_1 + head.W_22 * s_2)
    return f_1, f_2


@inlined
def strength(head):
    """A bound of |f|, whatever the direction."""
    return plane_length(head.W_n1, head.W_n2) + head.friction * (head.W_11 + head.W_22)


@inlined
def slip_rate(head):
    """g = dr/dp."""
    f_1, f_2 = drive(head)
    return _known(head.s_1 * f_1 + head.s_2 * f_2, strength(head))


@called
def follows_a_line(head):
    """Whether slip keeps its direction from here on, as far as rounding can tell.

    Two motions under friction never part, so if the line is within |h| r/|h'| of the slip, it remains so: h' = dh/ds is
    -g - mu t.C t, with t across s. What a direction wrong by h/h' does on the way to the stop, over r/|g|, counts too;
    where slip grows, the line's own direction must be taken.
    """
    if head.keeps_direction != 0:
        return True
    s_1, s_2 = head.s_1, head.s_2
    f_1, f_2 = drive(head)
    g, h, most = s_1 * f_1 + s_2 * f_2, s_1 * f_2 - s_2 * f_1, strength(head)
    across = s_2 * s_2 * head.W_11 - 2.0 * s_1 * s_2 * head.W_12 + s_1 * s_1 * head.W_22
    steep = abs(g + head.friction * across)
    small = _BELOW_ROUNDING * head.size
    return (
        abs(h) <= _ROUNDING * most
        or abs(h) * head.slip * most <= small * abs(g) * steep
        or (g < 0.0 and head.slip <= _ROUNDING * head.size)
    )
