"""What a field of a file may hold.

A checksum tells a file that was damaged; it does not tell a file that somebody wrote or changed on purpose. So every
field is looked at by type and range before it is used.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Final, TypeAlias

Kind: TypeAlias = Callable[[str, Any], Any]
"""Takes where a value stands and what was found there; gives the value, or raises :class:`Misfit`."""

MOST_NUMBER: Final = 2**53
"""Whole numbers up to this one are exact as floating-point numbers too."""


class Misfit(Exception):
    """A value that cannot stand where it was found.

    >>> print(Misfit("rtol", "x", "a number"))
    its rtol is 'x', and a number was expected
    """

    def __init__(self, where: str, found: Any, expected: str) -> None:
        super().__init__(f"its {where} is {shown(found)}, and {expected} was expected")


def shown(found: Any) -> str:
    """A value for a message: short, printable, and never so deep that it cannot be shown.

    >>> shown([1, 2, 3]), shown(0.5)
    ('a list of 3', '0.5')
    """
    if isinstance(found, list):
        return f"a list of {len(found)}"
    if isinstance(found, dict):
        return f"a table of {len(found)}"
    text = "null" if found is None else ascii(found)
    return text if len(text) <= 60 else f"{text[:60]}..."


def _can_be_written(found: str) -> bool:
    try:
        found.encode()
    except UnicodeEncodeError:  # half of a pair of surrogates
        return False
    return True


def text(where: str, found: Any) -> str:
    """Words that can be printed."""
    if not isinstance(found, str) or not (found.isascii() or _can_be_written(found)):
        raise Misfit(where, found, "a text")
    return found


def number(least: float = -math.inf, most: float = math.inf, finite: bool = True) -> Kind:
    """A number in a range; with ``finite=False`` it may be infinite.

    >>> number(least=0)("time", 2)
    2.0
    """
    bounds = "" if least == -math.inf else f" not below {least:g}"
    expected = f"a {'finite ' if finite else ''}number{bounds}"

    def kind(where: str, found: Any) -> float:
        if isinstance(found, bool) or not isinstance(found, (int, float)):
            raise Misfit(where, found, expected)
        try:
            value = float(found)
        except OverflowError:
            raise Misfit(where, "a whole number beyond all floating-point numbers", expected) from None
        if not least <= value <= most or (finite and not math.isfinite(value)):
            raise Misfit(where, found, expected)
        return value

    return kind


def real(where: str, found: Any) -> float:
    """Any floating-point number, also none of them."""
    return found if type(found) is float else float(_ANY_NUMBER(where, found))


_ANY_NUMBER: Final = number(finite=False)


def whole(least: int, most: int) -> Kind:
    """A whole number in a range."""

    def kind(where: str, found: Any) -> int:
        if isinstance(found, bool) or not isinstance(found, int) or not least <= found <= most:
            raise Misfit(where, found, f"a whole number from {least} to {most}")
        return found

    return kind


def one_of(names: Collection[str]) -> Kind:
    """One of some words."""

    def kind(where: str, found: Any) -> str:
        if not isinstance(found, str) or found not in names:
            raise Misfit(where, found, f"one of {', '.join(names)}")
        return found

    return kind


def optional(kind: Kind) -> Kind:
    """That, or nothing."""
    return lambda where, found: None if found is None else kind(where, found)


def list_of(kind: Kind, count: int | None = None) -> Kind:
    """A list, of a certain length if one is given."""

    def each(where: str, found: Any) -> list[Any]:
        if not isinstance(found, list) or (count is not None and len(found) != count):
            raise Misfit(where, found, "a list" if count is None else f"a list of {count}")
        return [kind(f"{where}[{place}]", value) for place, value in enumerate(found)]

    return each


def distinct(kind: Kind) -> Kind:
    """A list in which nothing stands twice."""

    def each(where: str, found: Any) -> list[Any]:
        made: list[Any] = list_of(kind)(where, found)
        if len(set(made)) != len(made):
            raise Misfit(where, found, "a list in which nothing stands twice")
        return made

    return each


def table_of(kind: Kind) -> Kind:
    """Values by name."""

    def each(where: str, found: Any) -> dict[str, Any]:
        if not isinstance(found, dict):
            raise Misfit(where, found, "a table")
        return {text(f"name in {where}", name): kind(f"{where}[{name!a}]", value) for name, value in found.items()}

    return each


def record(fields: Mapping[str, Kind], later: Mapping[str, Kind] | None = None) -> Kind:
    """A table with these fields and no others; those that came ``later`` may all be missing, as in an older file."""
    every = {**fields, **(later or {})}

    def each(where: str, found: Any) -> dict[str, Any]:
        if not isinstance(found, dict) or set(found) not in (set(fields), set(every)):
            raise Misfit(where, found, f"a table of {', '.join(every)}")
        return {name: kind(f"{where}.{name}", found[name]) for name, kind in every.items() if name in found}

    return each


def parsed(content: str) -> Any:
    """JSON in which no name stands twice; ValueError or RecursionError where it is none."""

    def once(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
        made = dict(pairs)
        if len(made) != len(pairs):
            names = [name for name, _ in pairs]
            twice = next(name for name in names if names.count(name) > 1)
            raise ValueError(f"{twice!a} stands twice in it")
        return made

    return json.loads(content, object_pairs_hook=once)
