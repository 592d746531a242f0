"""Why nearest points cannot be followed over a step. A shorter one may do."""

from __future__ import annotations

from typing import Final

LOST: Final = 51
"""Reason: the point that was the nearest is no longer nearer than those around it."""
ELSEWHERE: Final = 52
"""Reason: the shapes overlap at another place than the nearest point that is followed."""
TOO_FAR: Final = 53
"""Reason: in one step the shapes move so far that they might touch at another place meanwhile."""
