"""A transition of an automaton: from a mode to a mode, when a guard changes sign."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

from detent.events.anew import Anew
from detent.hybrid.guard import Guard
from detent.hybrid.mode import Mode
from detent.hybrid.reset_step import ResetStep


@final
@dataclass(frozen=True, eq=False)
class Transition:
    """What is taken from ``source`` to ``target`` when ``guard`` changes sign; made by :meth:`Automaton.transition`.

    >>> import detent
    >>> detent.example("bouncing-ball").automaton.transitions[0]
    <transition 'bounce': flight -> flight when y <= 0>
    """

    name: str
    source: Mode
    target: Mode
    guard: Guard
    condition_before: tuple[Any, ...]
    condition_after: tuple[Any, ...]
    reset: tuple[ResetStep, ...]
    accumulates: Mode | None
    kind: str
    """What its event is called; empty for one that is not worth telling."""
    family: str = ""
    """The family of modes that it leads to: to the one whose key the reset leaves; then ``target`` says nothing."""
    at_once: bool = False
    """Whether it is taken where a mode is entered beyond its guard: nothing may lie beyond a gap."""
    held: tuple[int, int] | None = None
    """The number of the family's key, by its place, that tells whether a constraint holds its guard at zero, and from
    which value on it does; None where nothing ever holds it."""

    anew: Anew = Anew.NEVER
    """Where its guard is above zero again when it was taken: that of a gap which was struck, for it may close again
    before it has visibly risen; and the least of several gaps, all of which have been settled, for another one may."""

    @property
    def has_impact(self) -> bool:
        return any(step.is_impact for step in self.reset)

    @property
    def calls_python(self) -> bool:
        """Whether a part of the reset is a function that only Python can call."""
        return any(step.calls_python for step in self.reset)

    def __repr__(self) -> str:
        return f"<transition '{self.name}': {self.source.name} -> {self.target.name} when {self.guard}>"
