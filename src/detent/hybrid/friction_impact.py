"""The impact of one contact with friction, as a step of a reset."""

from __future__ import annotations

from typing import Any, ClassVar, final

from detent.errors import DetentError
from detent.hybrid.reset_step import Made, ResetStep, Tools, Write
from detent.model.constraint import Constraint
from detent.model.friction_laws import Coulomb
from detent.model.impact_laws import ImpactLaw
from detent.model.quantity import Discrete


@final
class FrictionImpact(ResetStep):
    """The impact of a contact with friction that an automaton describes by two constraints, of one row each.

    ``normal`` is the constraint across: its value shrinks as the bodies approach. ``along`` is the one whose velocity
    is the slip. How they part is what ``law`` and ``friction`` say, as for :meth:`System.contact`; no other constraint
    may hold. ``direction`` names a discrete state that becomes the sign of the slip afterwards, 0 where it has stopped.

    >>> import detent
    >>> detent.FrictionImpact("belt", "carried", law=detent.Smith(0.9), friction=detent.Coulomb(0.4, static=0.5))
    FrictionImpact('belt', 'carried', law=Smith(0.9), friction=Coulomb(kinetic=0.4, static=0.5))
    """

    is_impact: ClassVar[bool] = True
    calls_python: ClassVar[bool] = False

    def __init__(
        self, normal: Constraint | str, along: Constraint | str, *, law: ImpactLaw, friction: Coulomb,
        direction: Discrete | None = None,
    ) -> None:  # fmt: skip
        if not isinstance(law, ImpactLaw):
            raise DetentError(f"an impact with friction has the law {law!r}; give one, such as detent.Poisson(0.5)")
        if not isinstance(friction, Coulomb):
            raise DetentError(f"an impact with friction has the friction {friction!r}; give detent.Coulomb(mu)")
        self.normal, self.along, self.law, self.friction = normal, along, law, friction
        self.direction = direction

    @property
    def constraints(self) -> tuple[Constraint | str, ...]:
        return (self.normal, self.along)

    @property
    def names(self) -> tuple[str, str]:
        """The names of the two constraints."""
        normal, along = (given if isinstance(given, str) else given.name for given in self.constraints)
        return normal, along

    def lines(self, write: Write) -> list[str]:
        told = (
            f"{self.law.word} impact on {self.names[0]}, friction {write(self.friction.kinetic)} along {self.names[1]}"
        )
        return [told] if self.direction is None else [told, f"{self.direction} := direction of slip"]

    def as_json(self, write: Write) -> dict[str, Any]:
        return {
            "impact": list(self.names), "law": self.law.word, "restitution": write(self.law.restitution),
            "friction": write(self.friction.kinetic), "static friction": write(self.friction.static),
            "direction": None if self.direction is None else str(self.direction),
        }  # fmt: skip

    def made(self, tools: Tools[Made]) -> Made:
        return tools.strike_with_friction(self)

    def __repr__(self) -> str:
        rest = f"law={self.law!r}, friction={self.friction!r}"
        return f"FrictionImpact({', '.join(map(repr, self.names))}, {rest})"
