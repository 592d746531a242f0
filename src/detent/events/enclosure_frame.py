"""How the enclosure kernel keeps bounds: a jet per slot, and flags."""

from __future__ import annotations

import math
from typing import Final

INFINITE: Final = math.inf
JET: Final = 6
"""Bounds of the value, of the first and of the second derivative."""
UNDEFINED: Final = 1
"""It may have no value somewhere in the piece."""
POLE: Final = 2
FLAWED: Final = 3
"""UNDEFINED or POLE."""
MOVING: Final = 4
"""It moves along the piece."""
