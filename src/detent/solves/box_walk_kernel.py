"""The kernel of :class:`detent.solves.box_walk.BoxWalk`: a tape walked with intervals over many boxes."""

from __future__ import annotations

import math
from typing import Final

from detent.events.enclosure_frame import FLAWED, JET
from detent.jit.intrinsics import ADDRESSES, as_doubles, as_words, call_cell, called, kernel, record_reader
from detent.solves.box_walk_frame import BOX, WALKS

_as_walks: Final = record_reader(WALKS)


@kernel(ADDRESSES)
def walk_boxes(context, time, state, values, out):
    """out = the jets of all outputs over all boxes; those of a box are not numbers where any may have no value."""
    walk_all(context, out)
    return 0


@called
def walk_all(context, out):
    """The same, for other kernels."""
    head, found = _as_walks(context), as_doubles(out)
    jets, flags, boxes = as_doubles(head.jets), as_words(head.flags), as_doubles(head.boxes)
    slots, outputs, many = as_words(head.slots), as_words(head.outputs), JET * head.output_count
    for box in range(head.box_count):
        for k in range(head.slot_count):
            slot, given = JET * slots[2 * k], BOX * (box * head.coordinates + slots[2 * k + 1])
            jets[slot], jets[slot + 1] = boxes[given], boxes[given + 1]
            jets[slot + 2], jets[slot + 3] = boxes[given + 2], boxes[given + 2]
            jets[slot + 4], jets[slot + 5] = 0.0, 0.0
        call_cell(head.walk, 0.0, head.order, 0, 0)
        is_flawed = False
        for k in range(head.output_count):
            is_flawed = is_flawed or flags[outputs[k]] & FLAWED != 0
            for n in range(JET):
                found[box * many + JET * k + n] = jets[JET * outputs[k] + n]
        if is_flawed:
            for n in range(many):
                found[box * many + n] = math.nan
