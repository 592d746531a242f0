"""Which curves of a run share a panel: those of one kind and one unit, and of about one size."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, final

import numpy as np

from detent.errors import DetentError
from detent.jit.arrays import FloatArray
from detent.model.quantity import Quantity
from detent.results.column import NodeQuantity
from detent.results.columns import COLUMNS
from detent.results.run import Run
from detent.simulation.named_values import Asked, asked_of

ROUNDING: Final = 1e-12
"""A curve that is smaller than another by this is zero but for rounding."""
SIZES: Final = 100.0
"""A curve that is smaller than another by more than this would be a straight line beside it."""

TOGETHER: Final = ("energy in J",)
"""Panels whose curves are there to be compared, whatever their sizes."""


@final
@dataclass(frozen=True, eq=False)
class Panels:
    """The names of curves under the headings of their panels, and what of them the run does not give by a name."""

    names: dict[str, list[str]]
    asked: list[Asked] = field(default_factory=list)

    def by_size(self, values: Mapping[str, FloatArray]) -> list[tuple[str, list[str]]]:
        """The panels, those apart whose curves differ much in size."""
        return [
            (heading, part)
            for heading, shown in _with_zeros(self.names, values).items()
            for part in ([shown] if heading in TOGETHER else _alike(shown, values))
        ]


def panels_of(run: Run, wanted: str | Sequence[Any] | Mapping[str, Any] | None) -> Panels:
    """The panels of what is wanted; of all that is usually shown, where nothing is.

    >>> from detent.results import sample_run
    >>> panels_of(sample_run(), ["v", "y", "m*g*y"]).names
    {'coordinates': ['y'], 'speeds': ['v'], 'm*g*y': ['m*g*y']}
    """
    known = _known(run, everything=wanted is not None)
    if wanted is None:
        return Panels({heading: shown for heading, shown in known.items() if shown})
    labelled = isinstance(wanted, Mapping)
    asked = asked_of(run, wanted)
    named = [] if labelled else [name for one in asked if (name := _name(run, one.expression)) is not None]
    others = [one for one in asked if labelled or _name(run, one.expression) is None]
    found = {heading: [name for name in shown if name in named] for heading, shown in known.items()}
    panels = {heading: shown for heading, shown in found.items() if shown}
    for one in others:
        panels.setdefault(_heading(one, others), []).append(one.label)
    if not panels:
        raise DetentError("there is nothing to draw; name at least one quantity")
    return Panels(panels, others)


def _name(run: Run, expression: Any) -> str | None:
    """The name by which a run gives something of itself; None for what has to be worked out."""
    name = expression.name if isinstance(expression, Quantity) else expression
    return name.strip() if isinstance(name, str) and name.strip() in run.names and name.strip() != "time" else None


def _heading(one: Asked, others: Sequence[Asked]) -> str:
    alike = [other for other in others if other.unit == one.unit]
    word = one.label if len(alike) == 1 else "values"
    return f"{word} in {one.unit}" if one.unit else word


def _known(run: Run, everything: bool) -> dict[str, list[str]]:
    """What a run gives by name, by the headings of panels."""
    layout, found = run.layout, dict[str, list[str]]()
    for kind in ("coordinates", "speeds", "signals"):
        for name in getattr(layout, kind):
            unit = run.units.get(name)
            found.setdefault(f"{kind} in {unit}" if unit else kind, []).append(name)
    for column in COLUMNS:
        if column.quantity is not None and (everything or _is_drawn(column.quantity)):
            found.setdefault(column.panel, []).extend(column.names(run))
    found["energy in J"].append("work")
    return found


def _is_drawn(quantity: NodeQuantity) -> bool:
    """Whether numbers are drawn that nobody named."""
    return quantity.drawn and not quantity.held


def _with_zeros(panels: Mapping[str, list[str]], values: Mapping[str, FloatArray]) -> dict[str, list[str]]:
    """Curves of a unit that are all zero but for rounding, beside the largest of their kind: zero is so in any unit."""
    sizes = {heading: max(_size(values[name]) for name in shown) for heading, shown in panels.items()}
    found = {heading: list(shown) for heading, shown in panels.items()}
    for kind in ("coordinates", "speeds", "signals"):
        alike = [heading for heading in panels if heading.split(" in ")[0] == kind]
        largest = max(alike, key=lambda heading: sizes[heading], default="")
        for heading in alike:
            if heading != largest and sizes[heading] <= ROUNDING * sizes[largest]:
                found[largest] += found.pop(heading)
    return found


def _alike(names: list[str], values: Mapping[str, FloatArray]) -> list[list[str]]:
    """Names of curves of about one size together, the largest first; what is zero but for rounding is of any size."""
    sizes = {name: _size(values[name]) for name in names}
    least = ROUNDING * max(sizes.values(), default=0.0)
    sizes = {name: size if size > least else 0.0 for name, size in sizes.items()}
    groups: list[list[str]] = []
    largest = 0.0
    for name in sorted(names, key=lambda name: -sizes[name]):
        if not groups or (0.0 < sizes[name] < largest / SIZES):
            groups.append([])
            largest = sizes[name]
        groups[-1 if sizes[name] else 0].append(name)
    return [sorted(group, key=names.index) for group in groups]


def _size(values: FloatArray) -> float:
    finite = values[np.isfinite(values)]
    return float(np.abs(finite).max(initial=0.0))
