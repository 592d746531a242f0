"""What the kernel finds that walks a tape with intervals over many boxes of its coordinates."""

from __future__ import annotations

from typing import Final

import numpy as np

BOX: Final = 3
"""Of each coordinate of a box: its least and its largest value, and by how much it changes along the direction of which
slopes are worked out."""

WALKS: Final = np.dtype(
    [
        (name, np.int64)
        for name in (
            "walk",  # the cell that walks the tape
            "jets", "flags",  # of all its slots
            "slots", "slot_count",  # where its coordinates stand: pairs of a slot and the number of a coordinate
            "outputs", "output_count",  # the slots that count
            "coordinates",  # how many there are
            "boxes", "box_count",
            "order",  # to which slopes are worked out
        )
    ]
)  # fmt: skip
