"""What keeps a stepper from its next step where events are looked for: the first words of whoever looks for them."""

from __future__ import annotations

from typing import Final

import numpy as np

INTERRUPTION: Final = [
    (name, np.int64)
    for name in (
        "logged", "log_room",  # transitions in the log; it is handed over where there are more than there is room for
        "noted", "note_room",  # the same of notes
        "phase",  # STEPPING, or what is to be done before the next step
    )
]  # fmt: skip
"""The fields of a record; whoever looks for events adds its own."""

STEPPING: Final = 0
