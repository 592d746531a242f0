"""Impact laws: how two shapes part after they have struck."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, final

from detent.model.expression import read_expression
from detent.model.shape import Complaint


class ImpactLaw(ABC):
    """How two shapes part after they have struck. A law is one class, its restitution a number or an read_expression.

    >>> import detent
    >>> isinstance(detent.Poisson(0.5), ImpactLaw)
    True
    """

    word: ClassVar[str]
    """How messages call it."""

    @property
    @abstractmethod
    def restitution(self) -> Any:
        """From 0 (they stay together) to 1 (nothing is lost)."""

    def complaints(self, values: Mapping[str, float]) -> Iterator[Complaint]:
        """What is wrong with its restitution, where that is known."""
        value = values.get("restitution", 0.0)
        if not 0 <= value <= 1:
            yield f"its restitution is {value:.6g}", "give one from 0 to 1"

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.restitution})"


@dataclass(frozen=True, eq=False, repr=False)
class _WithRestitution(ImpactLaw, ABC):
    _restitution: Any

    def __post_init__(self) -> None:
        where = f"{self.word} impact, its restitution"
        object.__setattr__(self, "_restitution", read_expression(where, self._restitution))

    @property
    def restitution(self) -> Any:
        """From 0 to 1: a number, or an expression of parameters, coordinates, time and ``system.approach_speed``."""
        return self._restitution


@final
class Poisson(_WithRestitution):
    """Poisson's law, the default: the impulse of restitution is e times that of compression.

    Energy never grows where one contact strikes.

    >>> import detent
    >>> detent.Poisson(0.5)
    Poisson(0.5)
    """

    word: ClassVar[str] = "Poisson"


@final
class Stronge(_WithRestitution):
    """Stronge's law: the work of restitution is -e^2 times that of compression. Energy never grows.

    >>> import detent
    >>> detent.Stronge(0.5)
    Stronge(0.5)
    """

    word: ClassVar[str] = "Stronge"


@final
class Newton(_WithRestitution):
    """Newton's law: the points part with e times the speed at which they met. With friction, energy may grow.

    >>> import detent
    >>> detent.Newton(0.5)
    Newton(0.5)
    """

    word: ClassVar[str] = "Newton"


@final
class Smith(_WithRestitution):
    """Smith's law (1991): Newton's for the normal, the impulse of friction along an average of the slip.

    >>> import detent
    >>> detent.Smith(0.5)
    Smith(0.5)
    """

    word: ClassVar[str] = "Smith"


@final
@dataclass(frozen=True, eq=False, repr=False)
class Plastic(ImpactLaw):
    """No restitution: the points do not part.

    >>> import detent
    >>> detent.Plastic().restitution
    0
    """

    word: ClassVar[str] = "plastic"

    @property
    def restitution(self) -> Any:
        """None is left: 0."""
        return read_expression("plastic impact", 0)

    def __repr__(self) -> str:
        return "Plastic()"
