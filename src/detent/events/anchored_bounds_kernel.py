"""A tape walked with intervals from where a piece begins: each value is what it was there, and what its rate adds.

Bounds of a sum whose terms cancel are as wide as the terms move over the piece, however little the sum does: those of
the slip of a ball that spins fast, and of all that divides by it. Where value and rate of each result are known at the
start of the piece, in a width w

    f = f(start) + [0, w] f',    f' = f'(start) + [0, w] f'',

so that such bounds narrow with w^2 and w^3, at every instruction and for all that is worked out from it. Both hold with
bounds in place of numbers, since a rate is unbounded where a value may jump, and a second rate where a rate may.
"""

from __future__ import annotations

from typing import Any

from detent.events.enclosure_frame import FLAWED, INFINITE, JET
from detent.events.enclosure_kernel import enclose_one
from detent.events.interval_kernel import above, below
from detent.events.watch_frame import ANCHOR
from detent.events.watch_kernel import as_watch
from detent.expr.instruction import SINCOS
from detent.jit.intrinsics import ADDRESSES, as_doubles, as_halfwords, as_words, called, kernel


@called
def _keep(jets: Any, flags: Any, slot: int, anchors: Any, at: int) -> None:
    """Value and rate at the start of a piece; what is flawed there has neither."""
    flawed = flags[slot] & FLAWED != 0
    for i in range(0, 4, 2):
        anchors[at + i] = -INFINITE if flawed else jets[JET * slot + i]
        anchors[at + i + 1] = INFINITE if flawed else jets[JET * slot + i + 1]


@called
def _narrow(jets: Any, flags: Any, slot: int, anchors: Any, at: int, before: float, after: float, order: int) -> None:
    """The rate by the second rate, then the value by the rate, from ``before`` the anchor to ``after`` it.

    What is flawed stays as it is.
    """
    if flags[slot] & FLAWED != 0:
        return
    for i in range(2 * (order - 1), -2, -2):
        t = JET * slot + i
        low, high = jets[t + 2], jets[t + 3]
        if not (low > -INFINITE and high < INFINITE):
            continue
        down = below(min(0.0, min(after * low, -before * high)))
        up = above(max(0.0, max(after * high, -before * low)))
        low, high = below(anchors[at + i] + down), above(anchors[at + i + 1] + up)
        if low > jets[t]:
            jets[t] = min(low, jets[t + 1])
        if high < jets[t + 1]:
            jets[t + 1] = max(high, jets[t])


@kernel(ADDRESSES)
def walk_anchored(address: int, width: float, order: int, values: int, out: int) -> int:
    """Walk the tape of a watch: with order 0 to the first order at a point, which is kept; else to an order from there.

    The width of the piece is in parts of the step, as rates are by the step; what the time is known to before it and
    beyond it, the same for all that moves, stands after the anchors.
    """
    watch = as_watch(address)
    code, jets, flags, anchors = (
        as_halfwords(watch.code), as_doubles(watch.jets), as_words(watch.flags), as_doubles(watch.anchors),
    )  # fmt: skip
    clock = anchors[ANCHOR * watch.length]
    for number in range(watch.length):
        enclose_one(max(1, order), code, number, jets, flags, as_words(watch.tables))
        at = ANCHOR * number
        for result in range(2 if code[5 * number] == SINCOS else 1):
            slot = code[5 * number + (3 if result == 1 else 1)]
            if order == 0:
                _keep(jets, flags, slot, anchors, at + 4 * result)
            else:
                _narrow(jets, flags, slot, anchors, at + 4 * result, clock, width + clock, order)
    return 0
