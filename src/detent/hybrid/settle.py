"""Settling contacts, as a step of a reset: impacts, then what all contacts do, together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, final

from detent.contact_solves.settle_frame import Reason
from detent.hybrid.reset_step import Made, ResetStep, Tools, Write
from detent.model.constraint import Constraint

_WORDS = {
    Reason.STARTS: "settle contacts",
    Reason.JUMPS: "settle contacts",
    Reason.CHANGES: "settle contacts",
    Reason.CLOSES: "{} closes",
    Reason.LIFTS: "{} opens",
    Reason.ENDS: "{} stops slipping",
    Reason.BREAKS: "{} begins to slip",
    Reason.LEAVES: "{} leaves its edge",
    Reason.YIELDS: "contacts give way",
    Reason.TURNS: "{} slips in another direction",
    Reason.GIVES: "{} begins to turn",
    Reason.LIES: "{} comes to lie flat",
    Reason.TIPS: "{} has tipped",
    Reason.HALTS: "{} stops turning",
}


@dataclass(frozen=True)
class Settle(ResetStep):
    """What contacts do where something has happened to one of them, or to none (``number`` -1)."""

    is_impact: ClassVar[bool] = False
    calls_python: ClassVar[bool] = False

    reason: Reason
    place: str = ""
    number: int = -1
    turn: int = -1
    """Which of all turning that is resisted it is about, if any."""
    pair: int = -1
    """Which of all pairs of boxes meets in other features than before, if one does."""

    @property
    def constraints(self) -> tuple[Constraint | str, ...]:
        return ()

    def lines(self, write: Write) -> list[str]:
        return [_WORDS[self.reason].format(self.place)]

    def as_json(self, write: Write) -> dict[str, Any]:
        return {"settle": self.place, "reason": self.reason.name.lower()}

    def made(self, tools: Tools[Made]) -> Made:
        return tools.settle(self)


@final
@dataclass(frozen=True)
class SettleAnew(Settle):
    """The same where values were changed from outside."""


@final
@dataclass(frozen=True)
class Collide(Settle):
    """The same where a contact closes: it strikes, unless it only touches."""

    is_impact: ClassVar[bool] = True
