"""What keeps a stepper from its next step where events are looked for: the first words of whoever looks for them."""

from __future__ import annotations

from typing import Final

LOGGED: Final = 0
"""How many transitions are in the log; it is handed over where there are more than LOG_ROOM."""
LOG_ROOM: Final = 1
NOTED: Final = 2
"""How many notes have been written; they are handed over where there are more than NOTE_ROOM."""
NOTE_ROOM: Final = 3
PHASE: Final = 4
"""STEPPING, or what is to be done before the next step."""
WORDS: Final = 5

STEPPING: Final = 0
