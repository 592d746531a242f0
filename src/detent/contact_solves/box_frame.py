"""What the kernel knows of two boxes that may touch, and of the features in which they do."""

from __future__ import annotations

from enum import IntEnum
from typing import Final

import numpy as np


class Touching(IntEnum):
    """In what two boxes touch."""

    OFF = -1
    """Their contact does not count."""
    APART = 0
    POINT = 1
    LINE = 2
    FACE = 3


POINTS: Final = 8
"""The most places in which two boxes touch."""
CODE: Final = 8
"""Numbers that tell two features: three for each box, then which of them has the face, and how edges cross."""
FACE: Final = 6
SIDE: Final = 7
FOUND: Final = CODE + 3
"""Numbers of a point that was found: its features, and where it is."""
POSE: Final = 15
"""Numbers of a box: its place, its axes, its edges."""

PAIR: Final = np.dtype([(name, np.int64) for name in ("first", "touching", "features")])
"""The number of the first of its places; which discrete states tell whether it touches, and first of its features."""
