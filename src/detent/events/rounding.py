"""What states and the time are known to, in parts of them: the numbers of rules 3 and 4 of docs/event_semantics.md."""

from __future__ import annotations

from typing import Final

from detent.jit.abi import EPSILON

STATE_ROUNDING: Final = 8.0 * EPSILON
"""What a state is known to, relative to its largest coefficient in the step."""
CLOCK_ROUNDING: Final = 32.0 * EPSILON
"""What the time is known to: a step of a method of order 8 rounds so much."""
CLOCK_RESOLUTION: Final = 2.0 * CLOCK_ROUNDING
"""Instants nearer to one another than this part of the time are not told apart: each is known to half of it."""
TERMS_ROUNDING: Final = 16.0 * EPSILON
"""A sum within this part of the size of its terms is zero."""
VIOLATION: Final = 1e-7
"""A reset may miss the constraints of the mode it leads to by this much, and what a mode requires may be missed by it,
relative to the state (rules 9 and 10)."""
