"""Compression and restitution: when one ends, and what has been done so far."""

from __future__ import annotations

import math
from typing import Final

from detent.contact_solves.impact_laws_kernel import IMPULSE, SPEED, left_to_restore, restitution_measure
from detent.contact_solves.single_impact_frame import COMPRESSION, RECOMPRESSED, RESTITUTION, ImpactEnd
from detent.jit.intrinsics import called, inlined

NOTHING: Final = 1e-13
"""A rate of v_n this small, relative to W_nn, is rounding; and so is a velocity, relative to those before."""


@called
def restored_after(head, rate):
    """The normal impulse after which all is given back, where v_n grows at a constant rate."""
    left, v_n, kind = left_to_restore(head), head.v_n, restitution_measure(head)
    if left <= 0.0:
        return 0.0
    if kind == IMPULSE:
        return left
    if rate <= NOTHING * head.W_nn and v_n <= NOTHING * head.size:
        return math.inf
    if kind == SPEED:
        return left / rate if rate > 0.0 else math.inf
    square = v_n * v_n + 2.0 * rate * left
    return 2.0 * left / (v_n + math.sqrt(square)) if square >= 0.0 else math.inf


@called
def stage_ends_after(head, rate):
    """The normal impulse after which the stage ends, where v_n grows at a constant rate; infinite where it does not.

    And whether it ends because the bodies approach again.
    """
    if head.stage == COMPRESSION:
        if 0.0 <= rate <= NOTHING * head.W_nn and head.v_n >= -NOTHING * head.size:
            return 0.0, False
        return -head.v_n / rate if rate > 0.0 else math.inf, False
    restored = restored_after(head, rate)
    falls = head.v_n / -rate if rate < 0.0 else math.inf
    return min(falls, restored), falls < restored


@inlined
def account(head, impulse, work):
    """Add a normal impulse, and the work that the contact did with it."""
    head.P_n += impulse
    if head.stage == COMPRESSION:
        head.compression_impulse += impulse
        head.compression_work -= work
    else:
        head.restitution_impulse += impulse
        head.restitution_work += work


@called
def end_stage(head, falls):
    """Compression ends, restitution ends, or the bodies approach again (``falls``)."""
    if head.stage == COMPRESSION:
        head.v_n = 0.0
        head.stage = RESTITUTION
        if left_to_restore(head) <= 0.0:
            head.outcome = ImpactEnd.OK
    elif falls:
        head.v_n = 0.0
        head.stage = COMPRESSION
        head.phases |= RECOMPRESSED
    else:
        head.outcome = ImpactEnd.OK
