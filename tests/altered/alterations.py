"""Ways to alter a file: its bytes, or the values in it. Everything comes from the numbers of one generator."""

from __future__ import annotations

import copy
import random
from collections.abc import Callable, Iterator
from typing import Any

JUNK: tuple[Any, ...] = (
    None, True, False, 0, 1, 2, -1, 3, 7, 63, 64, 255, 2**31, -(2**31), 2**53, 2**63, -(2**63), 2**64, 10**30, 10**400,
    0.0, -0.0, 0.5, -1.5, 1e-300, 5e-324, 1e300, -1e300, 1.7e308, float("inf"), float("-inf"), float("nan"),
    "", "x", "work", "free", "rest", "flight", "\ud800", "\x00", "a" * 1000, "\u2028", [], {}, [0], [[0]], [None],
    [1, 0], {"a": 1}, {"": None},
)  # fmt: skip


def altered_bytes(content: bytes, numbers: random.Random) -> bytes:
    """A file that a disk, a copy or an editor has damaged."""
    made = bytearray(content)
    for _ in range(numbers.choice((1, 1, 1, 2, 4))):
        if not made:
            break
        place, length = numbers.randrange(len(made)), numbers.choice((1, 2, 8, 100))
        match numbers.choice(("bit", "byte", "cut", "insert", "delete", "repeat", "zero", "swap")):
            case "bit":
                made[place] ^= 1 << numbers.randrange(8)
            case "byte":
                made[place] = numbers.randrange(256)
            case "cut":
                del made[place:]
            case "insert":
                made[place:place] = numbers.randbytes(length)
            case "delete":
                del made[place : place + length]
            case "repeat":
                made[place:place] = made[place : place + length]
            case "zero":
                made[place : place + length] = bytes(len(made[place : place + length]))
            case "swap":
                other = numbers.randrange(len(made))
                made[place], made[other] = made[other], made[place]
    return bytes(made)


def altered_tree(tree: Any, others: list[Any], numbers: random.Random) -> Any:
    """Values as somebody could have changed them who knows the form of the file."""
    made = copy.deepcopy(tree)
    for _ in range(numbers.choice((1, 1, 1, 2, 3))):
        container, key = _somewhere(made, numbers)
        if container is None:
            break
        numbers.choice(_WAYS)(container, key, others, numbers)
    return made


def _somewhere(tree: Any, numbers: random.Random) -> tuple[Any, Any]:
    """A container in the tree, and a key or index in it: by chance on the way down, or any of the innermost values."""
    if numbers.random() < 0.5:
        leaves = list(_leaves(tree))
        return numbers.choice(leaves) if leaves else (None, None)
    container, key = None, None
    while isinstance(tree, (dict, list)) and len(tree):
        container = tree
        key = numbers.choice(list(tree)) if isinstance(tree, dict) else numbers.randrange(len(tree))
        tree = tree[key]
        if numbers.random() < 0.35:
            break
    return container, key


def _leaves(tree: Any) -> Iterator[tuple[Any, Any]]:
    for key, value in tree.items() if isinstance(tree, dict) else enumerate(tree):
        if isinstance(value, (dict, list)) and value and not _is_long(value):
            yield from _leaves(value)
        else:
            yield tree, key


def _is_long(value: Any) -> bool:
    return len(value) > 50 or (isinstance(value, list) and isinstance(value[0], list))


def _junk(container: Any, key: Any, others: list[Any], numbers: random.Random) -> None:
    container[key] = copy.deepcopy(numbers.choice(JUNK))


def _nudge(container: Any, key: Any, others: list[Any], numbers: random.Random) -> None:
    value = container[key]
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        _junk(container, key, others, numbers)
    elif isinstance(value, int):
        container[key] = value + numbers.choice((-1, 1, 1, 2, -2, 10, 1000, 100_000, -(2**40), 2**40))
    else:
        container[key] = value * numbers.choice((-1.0, 1.001, 1e3, 1e-3, 1e30)) + numbers.choice((0.0, 1e-9, 1.0))


def _delete(container: Any, key: Any, others: list[Any], numbers: random.Random) -> None:
    del container[key]


def _add(container: Any, key: Any, others: list[Any], numbers: random.Random) -> None:
    if isinstance(container, dict):
        container[numbers.choice(("x", "", "more", f"{key} ", "\ud800"))] = copy.deepcopy(container[key])
    else:
        container.insert(key, copy.deepcopy(numbers.choice((container[key], *JUNK[:12]))))


def _shuffle(container: Any, key: Any, others: list[Any], numbers: random.Random) -> None:
    if isinstance(container, list):
        numbers.shuffle(container)
    else:
        other = numbers.choice(list(container))
        container[key], container[other] = container[other], container[key]


def _borrow(container: Any, key: Any, others: list[Any], numbers: random.Random) -> None:
    """What stands somewhere else, or in another file."""
    donor, place = _somewhere(numbers.choice(others), numbers)
    if donor is not None:
        container[key] = copy.deepcopy(donor[place])


def _same_field(container: Any, key: Any, others: list[Any], numbers: random.Random) -> None:
    """What stands in the same field of another file."""
    donor = numbers.choice(others)
    if isinstance(donor, dict) and key in donor:
        container[key] = copy.deepcopy(donor[key])
    else:
        _borrow(container, key, others, numbers)


def _deep(container: Any, key: Any, others: list[Any], numbers: random.Random) -> None:
    made: Any = container[key]
    for _ in range(numbers.choice((1, 2, 50, 600))):
        made = [made]
    container[key] = made


def _long(container: Any, key: Any, others: list[Any], numbers: random.Random) -> None:
    container[key] = [numbers.choice((0, 0.0, 1, "x"))] * numbers.choice((100, 10_000))


_WAYS: tuple[Callable[[Any, Any, list[Any], random.Random], None], ...] = (
    _junk, _junk, _junk, _nudge, _nudge, _nudge, _delete, _add, _shuffle, _borrow, _same_field, _deep, _long,
)  # fmt: skip
