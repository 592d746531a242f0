"""A step of a reset: what every kind of it answers, and the tools by which it becomes something that runs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, TypeAlias, TypeVar

if TYPE_CHECKING:
    from detent.hybrid.friction_impact import FrictionImpact
    from detent.hybrid.impact import Impact
    from detent.hybrid.moment import Moment
    from detent.hybrid.settle import Settle
    from detent.model.constraint import Constraint

Made = TypeVar("Made", covariant=True)

Function: TypeAlias = "Callable[[Moment], Mapping[Any, Any] | None]"
Write: TypeAlias = Callable[[Any], str]
"""Writes an expression: with few digits for a label, with all of them for another program."""


class Tools(Protocol[Made]):
    """What a step can be made of, in the transition that it belongs to; whoever runs an automaton supplies it."""

    def assign(self, values: Mapping[Any, Any]) -> Made:
        """New values of quantities, all worked out from the state before."""

    def strike(self, impact: Impact) -> Made:
        """An impact against the constraints of the mode that is entered and against those it names."""

    def strike_with_friction(self, impact: FrictionImpact) -> Made:
        """The impact of one contact with friction, against two rows."""

    def settle(self, settling: Settle) -> Made:
        """Impacts of contacts, then what all of them do."""

    def call(self, function: Function) -> Made:
        """A function of the moment, that gives the values after by name; only for a step that ``calls_python``."""


class ResetStep(ABC):
    """One step of a reset. A kind of step is one class, which answers for itself whatever is asked of it.

    >>> import detent
    >>> step = detent.Impact("floor", restitution=0.5)
    >>> step.lines(str), step.is_impact, step.calls_python
    (['impact on floor with restitution 0.5'], True, False)
    """

    is_impact: ClassVar[bool]
    """Whether it strikes: then its transition is an impact unless told otherwise, with impulses and an energy."""
    calls_python: ClassVar[bool]
    """Whether only Python can work it out: then a run leaves its kernel for it."""

    @property
    @abstractmethod
    def constraints(self) -> tuple[Constraint | str, ...]:
        """The constraints it names, as they were given; those given by name must exist."""

    @abstractmethod
    def lines(self, write: Write) -> list[str]:
        """What it does, in words for a label: a line for each thing."""

    @abstractmethod
    def as_json(self, write: Write) -> dict[str, Any]:
        """What it does, for other programs."""

    @abstractmethod
    def made(self, tools: Tools[Made]) -> Made:
        """It as something that runs: what one of the tools gives."""
