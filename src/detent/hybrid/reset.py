"""Reset maps: what becomes of the state when a transition is taken, in one step or in several, one after another.

Expressions (a mapping from quantities to expressions in the state before), the impact map of constraints
(:class:`Impact`), a Python function of a :class:`Moment` for what no expression says, or any other :class:`ResetStep`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from detent.errors import DetentError
from detent.hybrid.assignment import read_assignment
from detent.hybrid.function_step import FunctionStep
from detent.hybrid.reset_step import ResetStep

if TYPE_CHECKING:
    from detent.model.system import System


def read_reset(system: System, where: str, given: Any) -> tuple[ResetStep, ...]:
    """The steps of a reset, one after another."""
    if given is None:
        return ()
    parts = given if isinstance(given, (list, tuple)) else [given]
    return tuple(_step(system, where, part) for part in parts)


def _step(system: System, where: str, part: Any) -> ResetStep:
    """A step as it is, or what a mapping or a function stands for."""
    if isinstance(part, ResetStep):
        return part
    if isinstance(part, Mapping):
        return read_assignment(system, where, part)
    if callable(part):
        return FunctionStep(part)
    raise DetentError(
        f"{where}: found the reset {part!r}; give a mapping from quantities to expressions, detent.Impact(...), a "
        "function, or a list of them"
    )
