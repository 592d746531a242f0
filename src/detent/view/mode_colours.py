"""One pale colour for each mode of a run: the same in its plot and in its automaton."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

PALE: Final = (
    "#dbe9f6", "#fde3c8", "#d9f0d6", "#f3dcec", "#fbf3c0", "#d5eeee", "#e6dff3", "#f8d7d5", "#e6ebc8", "#e3dbd1",
)  # fmt: skip


def mode_colours(modes: Iterable[str]) -> dict[str, str]:
    """A colour for each mode, in the order in which they are met; after ten they come again.

    >>> mode_colours(["flight", "rest"])
    {'flight': '#dbe9f6', 'rest': '#fde3c8'}
    """
    return {mode: PALE[number % len(PALE)] for number, mode in enumerate(dict.fromkeys(modes))}
