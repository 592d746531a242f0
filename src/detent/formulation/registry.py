"""The formulations, by name; adding one is a file of its own and a line here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any, ClassVar, Final, Protocol

from detent.errors import ValueProblem
from detent.formulation.complementarity import Complementarity
from detent.formulation.corrected import Corrected
from detent.formulation.dae import Dae
from detent.formulation.embedded import Embedded
from detent.formulation.impulse import Impulse
from detent.formulation.means import Means
from detent.formulation.multipliers import Multipliers
from detent.formulation.penalty import Penalty
from detent.formulation.projection import Projection
from detent.formulation.running import Formulation
from detent.formulation.sliding_manifold import SlidingManifold


class FormulationOption(Protocol):
    """A formulation as a user chooses it: a frozen dataclass of its settings: numbers and words."""

    __dataclass_fields__: ClassVar[dict[str, Any]]

    @property
    def name(self) -> str: ...

    @property
    def carries(self) -> bool:
        """Whether the multipliers of all declared constraints are a part of its state."""

    @property
    def misses(self) -> tuple[float, float]:
        """By how much positions and speeds may be off constraints that hold, beyond the errors of steps."""

    @property
    def owns_contacts(self) -> bool:
        """Whether contacts are its own affair, by forces or impulses in every step, and no events."""

    def of_run(self, means: Means) -> Formulation:
        """What handles the constraints of one run."""


_ALL: Final[tuple[FormulationOption, ...]] = (
    Embedded(), Multipliers(), Projection(), Corrected(), SlidingManifold(), Penalty(), Complementarity(), Impulse(),
    Dae(),
)  # fmt: skip
FORMULATIONS: Final[dict[str, FormulationOption]] = {each.name: each for each in _ALL}


def chosen(formulation: str | FormulationOption) -> FormulationOption:
    """A formulation by its name, or as it is given with its settings.

    >>> chosen("multipliers")
    Multipliers(damping=10.0, stiffness=25.0, soft=False)
    """
    if not isinstance(formulation, str) and type(formulation) in map(type, FORMULATIONS.values()):
        return formulation
    if not isinstance(formulation, str) or formulation not in FORMULATIONS:
        raise ValueProblem(f"formulation is {formulation!r}; use one of {', '.join(FORMULATIONS)}")
    return FORMULATIONS[formulation]


def settings_of(choice: FormulationOption) -> dict[str, float | str]:
    """The settings of a formulation, by name."""
    return asdict(choice)


def with_settings(name: str, settings: Mapping[str, Any]) -> FormulationOption:
    """A formulation by its name and settings, as a file has them."""
    known = settings_of(FORMULATIONS[name])
    if set(settings) != set(known):
        raise ValueProblem(f"the formulation '{name}' has the settings {sorted(known)}, not {sorted(settings)}")
    counted = {each for each, value in known.items() if isinstance(value, int) and not isinstance(value, bool)}
    whole = {each: int(settings[each]) for each in counted if settings[each] == int(settings[each])}  # JSON has no ints
    return replace(FORMULATIONS[name], **(dict(settings) | whole))
