"""Numbers compared bit by bit."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def bits(values: NDArray[np.float64]) -> NDArray[np.uint64]:
    """The bits of some numbers, all NaNs made one: IEEE 754 leaves their sign and payload open."""
    kept = np.array(values, dtype=np.float64)
    kept[np.isnan(kept)] = np.nan
    return kept.view(np.uint64)
