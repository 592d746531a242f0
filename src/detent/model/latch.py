"""Latches: constraints that hold an expression at whatever value it has when they are imposed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, final

from detent.model.constraint import Constraint, holonomic

if TYPE_CHECKING:
    from detent.model.system import System


@final
@dataclass(frozen=True, eq=False)
class Latch:
    """A constraint ``expression - held``, and the input ``held``, which says at what value."""

    constraint: Constraint
    held: str


def declared_latch(system: System, name: str, expression: Any) -> Latch:
    """A latch of a system, which does not hold yet; its equations are there when it is to."""
    held = f"{name}_held".replace(" ", "_")
    made = holonomic(name, expression - system.input(held))
    system.constrain(made, active=False)
    return Latch(made, held)
