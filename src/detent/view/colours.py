"""The colours of moving pictures."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

BODIES: Final = ("#4c78a8", "#e08a3c", "#59a14f", "#b07aa1", "#d0605e", "#76b7b2", "#c9a227", "#9c755f")
CURVES: Final = (
    "#1f77b4",
    "#d9660a",
    "#2ca02c",
    "#c03030",
    "#8059b5",
    "#8c564b",
    "#c957a8",
    "#666666",
    "#a3a31f",
    "#17a2b8",
)
TRACES: Final = ("#d9660a", "#2ca02c", "#8059b5", "#17a2b8")
INK: Final = "#1b2631"
STILL: Final = "#888888"
FORCE: Final = "#c0392b"
AXES: Final = ("#c0392b", "#27ae60", "#2471a3")


def body_colours(names: Iterable[str]) -> dict[str, str]:
    """A colour for each body, in the order in which they are met; after eight they come again.

    >>> body_colours(["arm", "hand", "arm"])
    {'arm': '#4c78a8', 'hand': '#e08a3c'}
    """
    return {name: BODIES[number % len(BODIES)] for number, name in enumerate(dict.fromkeys(names))}


def as_numbers(colour: str) -> tuple[int, int, int]:
    """Its red, green and blue, 0 to 255 each.

    >>> as_numbers("#4c78a8")
    (76, 120, 168)
    """
    red, green, blue = (int(colour[k : k + 2], 16) for k in (1, 3, 5))
    return red, green, blue
