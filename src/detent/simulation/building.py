"""When the modes of an automaton are built."""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

from detent.errors import ValueProblem

Modes: TypeAlias = Literal["lazy", "ahead", "all"]


def checked_modes(modes: Modes | None, embedding: str) -> Modes:
    """When modes are to be built: when they are first entered, ahead of that in the background, or all at the start.

    >>> checked_modes(None, "live"), checked_modes(None, "symbolic")
    ('ahead', 'lazy')
    """
    if modes is None:
        return "ahead" if embedding == "live" else "lazy"
    if not isinstance(modes, str) or modes not in get_args(Modes):
        raise ValueProblem(f"modes is {modes!r}; use one of {', '.join(get_args(Modes))}")
    return modes
