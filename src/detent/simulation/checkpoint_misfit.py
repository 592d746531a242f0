"""What is said of a checkpoint that is not of this model."""

from __future__ import annotations

from typing import Any, Final

from detent.errors import DetentError
from detent.results.field_kinds import shown

GIVE: Final = "give the model that the checkpoint was made with"


def refused(where: str, value: Any, expected: str) -> DetentError:
    """What was found in a field, and what this model would have had there.

    >>> print(refused("mode", "gone", "roll"))
    the checkpoint's mode is 'gone', and roll was expected of this model; give the model that the checkpoint was made \
with, or write the checkpoint again
    """
    return DetentError(
        f"the checkpoint's {where} is {shown(value)}, and {expected} was expected of this model; {GIVE}, or write the "
        "checkpoint again"
    )
