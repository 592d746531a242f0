"""The parts of modes and transitions in words, short enough for a label."""

from __future__ import annotations

from typing import Any

import sympy

from detent.hybrid.guard import Guard
from detent.hybrid.mode import Mode
from detent.hybrid.reset_step import ResetStep
from detent.model.wording import all_digits
from detent.results.visits import Stay

DIGITS = 6
"""Of numbers in labels; files for other programs carry all of them."""


def words(expression: Any) -> str:
    """An expression with its numbers at a readable length.

    >>> words(sympy.Float("0.1234567891") * sympy.Symbol("x"))
    '0.123457*x'
    """
    numbers = expression.atoms(sympy.Float)
    return all_digits(expression.xreplace({number: sympy.Float(f"{float(number):.{DIGITS}g}") for number in numbers}))


def guard_words(guard: Guard) -> str:
    """When a guard fires.

    >>> guard_words(Guard(sympy.Symbol("gap"), "falling"))
    'gap < 0'
    >>> guard_words(Guard(sympy.Symbol("x") - 2, "falling", sympy.Symbol("x") <= 2))
    'x <= 2'
    """
    if guard.written is not None:
        return relation_words(guard.written)
    sign = {"falling": "<", "rising": ">", "either": "="}[guard.direction]
    return f"{words(guard.expression)} {sign} 0"


def relation_words(relation: Any) -> str:
    """An inequality as it was written.

    >>> relation_words(sympy.Symbol("u") >= sympy.Float("0.1234567891"))
    'u >= 0.123457'
    """
    return f"{words(relation.lhs)} {relation.rel_op} {words(relation.rhs)}"


def each_condition(conditions: tuple[Any, ...]) -> list[str]:
    """What must hold, one by one: as it was written, where that is known."""
    written = getattr(conditions, "written", None)
    if written is not None:
        return [relation_words(relation) for relation in written]
    return [f"{words(condition)} >= 0" for condition in conditions]


def condition_words(conditions: tuple[Any, ...]) -> str:
    """What must hold.

    >>> condition_words((sympy.Symbol("gap"), 2 - sympy.Symbol("x")))
    'gap >= 0 and 2 - x >= 0'
    """
    return " and ".join(each_condition(conditions))


def reset_words(step: ResetStep) -> str:
    """What a step of a reset does.

    >>> from detent import Impact
    >>> reset_words(Impact("floor", restitution=0.5))
    'impact on floor with restitution 0.5'
    """
    return ", ".join(step.lines(words))


def mode_words(mode: Mode) -> list[str]:
    """What holds and acts in a mode, a line for each kind of thing."""
    lines = []
    if mode.constraints:
        lines.append("constraints: " + ", ".join(constraint.name for constraint in mode.constraints))
    if mode.loads:
        lines.append("loads: " + ", ".join(mode.loads))
    if mode.where:
        lines.append("where " + condition_words(mode.where))
    return lines


def stay_words(stay: Stay | None) -> str:
    """How long a run stayed in a mode.

    >>> stay_words(Stay(2, 1.5)), stay_words(None)
    ('2 visits, 1.5 s', 'never visited')
    """
    if stay is None:
        return "never visited"
    return f"{stay.visits} visit{'s' if stay.visits != 1 else ''}, {stay.time:.{DIGITS}g} s"


def count_words(count: int) -> str:
    """How often something happened.

    >>> count_words(0), count_words(1), count_words(2)
    ('never', 'once', '2 times')
    """
    return {0: "never", 1: "once"}.get(count, f"{count} times")
