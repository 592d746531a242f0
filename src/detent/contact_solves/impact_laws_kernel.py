"""What differs between laws of restitution: by what they measure it, and how much of it is left to be given back.

Impulse (Poisson), work (Stronge) or speed (Newton). Another law of this kind is two lines here, and its name in
:class:`detent.contact_solves.single_impact_frame.Law`.
"""

from __future__ import annotations

from typing import Final

from detent.contact_solves.single_impact_frame import Law
from detent.jit.intrinsics import inlined

IMPULSE: Final = 0
WORK: Final = 1
SPEED: Final = 2


@inlined
def restitution_measure(head):
    """What restitution is measured by."""
    if head.law == Law.STRONGE:
        return WORK
    return SPEED if head.law == Law.NEWTON else IMPULSE


@inlined
def left_to_restore(head):
    """How much of it is to be given back before the impact is over."""
    e = head.restitution
    if head.law == Law.POISSON:
        return e * head.compression_impulse - head.restitution_impulse
    if head.law == Law.STRONGE:
        return e * e * head.compression_work - head.restitution_work
    if head.law == Law.NEWTON:
        return -e * head.before_n - head.v_n
    return 0.0
