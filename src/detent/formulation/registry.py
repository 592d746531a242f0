"""The formulations, by name; adding one is a file of its own and a line here."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any, ClassVar, Final, Protocol, cast, final

from detent.errors import ValueProblem

if TYPE_CHECKING:
    from detent.formulation.means import Means
    from detent.formulation.running import Formulation


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


_HOMES: Final = {
    "embedded": "embedded.Embedded",
    "multipliers": "multipliers.Multipliers",
    "projection": "projection.Projection",
    "corrected": "corrected.Corrected",
    "sliding_manifold": "sliding_manifold.SlidingManifold",
    "penalty": "penalty.Penalty",
    "complementarity": "complementarity.Complementarity",
    "impulse": "impulse.Impulse",
    "dae": "dae.Dae",
}
"""Where each is found, in this package."""


@final
class _Formulations(Mapping[str, FormulationOption]):
    """Each with its usual settings, loaded when it is first asked for: a run needs one of them."""

    def __getitem__(self, name: str) -> FormulationOption:
        module, kind = _HOMES[name].split(".")
        return cast(FormulationOption, getattr(importlib.import_module(f"detent.formulation.{module}"), kind)())

    def __iter__(self) -> Iterator[str]:
        return iter(_HOMES)

    def __len__(self) -> int:
        return len(_HOMES)

    def __contains__(self, name: object) -> bool:
        return name in _HOMES


FORMULATIONS: Final = _Formulations()


def chosen(formulation: str | FormulationOption) -> FormulationOption:
    """A formulation by its name, or as it is given with its settings.

    >>> chosen("multipliers")
    Multipliers(damping=10.0, stiffness=25.0, soft=False)
    """
    if not isinstance(formulation, str):
        kind = type(formulation)
        if any(f"{kind.__module__}.{kind.__qualname__}" == f"detent.formulation.{home}" for home in _HOMES.values()):
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
