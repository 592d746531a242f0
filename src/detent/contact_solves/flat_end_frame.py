"""What the kernel knows of an end that may lie flat."""

from __future__ import annotations

from typing import Final

import numpy as np

FLAT_END: Final = np.dtype([(name, np.int64) for name in ("rim", "face", "turn", "tip")])
"""The numbers of the places that are its rim and its face; which turning is the tilting of its face; which discrete
state is the first of the two that tell in which direction the rim tips."""

RIM_POINTS: Final = 8
"""So many points of the rim of a face strike together: all round, from the one that falls fastest."""
