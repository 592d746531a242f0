"""Whether a run meets what is thrown, when an independent search of the flight says that it does."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

import detent


class Thrown(Protocol):
    """Something that flies towards something else until a time."""

    @property
    def until(self) -> float: ...

    def system(self) -> detent.System: ...


def judged(
    throw: Thrown, answer: tuple[str, float], settings: Mapping[str, Any], is_right: Callable[[float], bool]
) -> str:
    """right, skipped, refused: why, or wrong: how.

    ``answer``: ``touch`` and when, ``none`` and how far apart, or another word where nobody can say. ``is_right`` is
    asked about the time at which the run met something. Steps of fixed size are three for the whole flight.
    """
    what, when = answer
    if what not in ("touch", "none"):
        return "skipped"
    step = {"step": throw.until / 3} if settings.get("method") == "rk4" else {}
    found: list[float] = []
    try:
        simulation = detent.Simulation(throw.system(), **settings, **step)
        try:
            simulation.advance(throw.until if what == "none" else when + 0.01 * throw.until)
        finally:
            found = [event.time for event in simulation.events if event.kind in ("impact", "transition")]
    except detent.DetentError as error:
        if not found:
            return f"refused: {str(error)[:300]}"
    if what == "none":
        return f"wrong: met at {found[0]}, nothing expected, {when} apart" if found else "right"
    if not found:
        return f"wrong: passed through at {when}"
    return "right" if is_right(found[0]) else f"wrong: at {found[0]}, expected {when}"
