"""How much of its past a run keeps."""

from __future__ import annotations

import math
from typing import Any, Final, Literal, TypeAlias

from detent.errors import ValueProblem

Keep: TypeAlias = Literal["everything", "events"] | float
"""``"everything"``, ``"events"`` with the states at them, or a number: the last so many seconds."""

MOST_BYTES: Final = 2**30
"""What a run keeps, at most, unless it is told otherwise."""


def checked_keep(keep: Any, times: Any) -> Keep:
    """What was asked for, or a ValueProblem that says what could be.

    >>> checked_keep(10, None)
    10.0
    """
    if times is not None and not (isinstance(keep, str) and keep == "everything"):
        raise ValueProblem(f"both times= and keep={keep!r} say what the run keeps; give one of them")
    if isinstance(keep, str) and keep in ("everything", "events"):
        return "events" if keep == "events" else "everything"
    try:
        seconds = float(keep) if isinstance(keep, (int, float)) and not isinstance(keep, bool) else math.nan
    except OverflowError:
        seconds = math.inf
    if not 0.0 < seconds < math.inf:
        raise ValueProblem(
            f"keep is {keep!r}; give 'everything', 'events' (with the states before and after each), or a number of "
            "seconds greater than 0 to keep the last so many"
        )
    return seconds


def checked_bytes(most_bytes: Any) -> int:
    """How many bytes a run may keep.

    >>> checked_bytes(None) == 2**30
    True
    """
    if most_bytes is None:
        return MOST_BYTES
    if isinstance(most_bytes, bool) or not isinstance(most_bytes, (int, float)) or not most_bytes >= 1:
        raise ValueProblem(f"most_bytes is {most_bytes!r}; give a number of bytes greater than 0, such as 4e9")
    return int(min(most_bytes, 2**62))


def in_words(size: float) -> str:
    """A size as one says it.

    >>> in_words(2**30), in_words(300)
    ('1.07 GB', '300 bytes')
    """
    for unit, name in ((1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if size >= unit:
            return f"{size / unit:.3g} {name}"
    return f"{size:.0f} bytes"
