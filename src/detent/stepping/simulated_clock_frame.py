"""What a clock that goes by what it is told remembers."""

from __future__ import annotations

from typing import Final

import numpy as np

SIMULATED_CLOCK: Final = np.dtype(
    [
        (name, np.int64)
        for name in (
            "now", "own",  # the time and the processor time of the thread, ns
            "costs", "count",  # the address of what steps take in turn, ns, and how many of these there are
            "readings",  # how many steps were finished
        )
    ]
)  # fmt: skip
