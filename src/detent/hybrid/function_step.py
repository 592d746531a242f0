"""A Python function of the moment, as a step of a reset: for what no expression says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, final

from detent.hybrid.reset_step import Function, Made, ResetStep, Tools, Write
from detent.model.constraint import Constraint


@final
@dataclass(frozen=True, eq=False)
class FunctionStep(ResetStep):
    """What a function of a :class:`Moment` gives: the values after, by name."""

    is_impact: ClassVar[bool] = False
    calls_python: ClassVar[bool] = True

    function: Function

    @property
    def constraints(self) -> tuple[Constraint | str, ...]:
        return ()

    def lines(self, write: Write) -> list[str]:
        return [f"{function_name(self.function).lstrip('_')}()"]

    def as_json(self, write: Write) -> dict[str, Any]:
        return {"function": function_name(self.function)}

    def made(self, tools: Tools[Made]) -> Made:
        return tools.call(self.function)


def function_name(function: Any) -> str:
    """What a function is called, also behind functools.partial.

    >>> from functools import partial
    >>> function_name(partial(function_name))
    'function_name'
    """
    while hasattr(function, "func"):
        function = function.func
    return str(getattr(function, "__name__", type(function).__name__))
