"""The numbers of a tape that are not operations of the graph; the interpreter and the disk cache read them too."""

from __future__ import annotations

from typing import Final

TIME: Final = 0
STATE: Final = 1
VALUES: Final = 2
"""The banks of inputs: the time, the state vector, the run-time values (parameters, inputs, discrete states)."""

SINCOS: Final = 33
"""Sine and cosine of one argument at once: destination, argument, second destination."""
