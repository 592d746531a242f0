"""What the kernel finds that has contacts push once a step, without events."""

from __future__ import annotations

from enum import IntEnum
from typing import Final

import numpy as np

FORCES: Final = 0
IMPULSES: Final = 1


class PushedBy(IntEnum):
    """What contacts push by."""

    FORCES = FORCES
    """Forces of the cone problem at the start of a step, which act all along it; impulses only where that fails."""
    IMPULSES = IMPULSES
    """Impulses at the end of every step, and nothing in between."""


STEPPED: Final = np.dtype(
    [
        ("settled", np.int64),  # the record of all contacts
        ("correction", np.int64),  # the cell that brings a state onto what holds besides; 0: none
        ("by", np.int64),  # a value of By
        ("step", np.float64),  # the size of a step
        ("last", np.float64),  # when the last step ended
        ("restitution", np.float64),  # of collisions that are slower than a step of free flight makes them
        ("deepest", np.int64),  # how deep each place may be before it is behind its face
        ("forces", np.int64),  # of each row, during the step
        ("planned", np.int64),  # words: what each place does during the step
        ("directions", np.int64),  # in which it slips then, dimension - 1 numbers each
        ("pushed", np.int64),  # impulses of each row at the last instant
    ]
)
"""The context of the cells."""


def contact_step_arrays(count: int, dimension: int) -> dict[str, int]:
    """The room of each array, in numbers of eight bytes.

    >>> contact_step_arrays(2, 3)["directions"]
    4
    """
    rows = count * dimension
    return {
        "deepest": count,
        "forces": rows,
        "planned": count,
        "directions": count * (dimension - 1),
        "pushed": rows,
    }
