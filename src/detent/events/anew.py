"""When a guard whose transition was taken may fire again without having visibly come back."""

from __future__ import annotations

from enum import IntEnum
from typing import final


@final
class Anew(IntEnum):
    """Where the guard of a transition that was taken is above zero again, and does not stand where it came to.

    >>> Anew(0).name
    'NEVER'
    """

    NEVER = 0
    WHERE_STRUCK = 1
    """Where there was an impact, or bounces have accumulated: what was struck, or rests, does not fall."""
    ALWAYS = 2
