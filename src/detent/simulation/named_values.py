"""Some of what can be asked of a run, each with a label, its values and its unit: what files and plots show."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from detent.errors import ExpressionError, ValueProblem
from detent.hybrid.automaton import system_of
from detent.jit.arrays import FloatArray
from detent.model.contact_measure import ContactMeasure
from detent.model.measure import Measure
from detent.model.quantity import Acceleration, ContactForce, Quantity, Rate
from detent.model.vector import Vector
from detent.results.asked_times import asked_times
from detent.results.columns import at_nodes
from detent.results.csv_file import heading, write_csv
from detent.results.run import Run
from detent.simulation.asked_expression import WITHOUT_MODEL
from detent.simulation.values import Values

_UNITS: Final = {
    "position": "m", "velocity": "m/s", "motion": "m/s", "acceleration": "m/s^2", "spin": "rad/s",
    "spin rate": "rad/s^2",
    "gap": "m", "slip": "m/s", "point": "m", "angular_velocity": "rad/s", "angular_acceleration": "rad/s^2",
}  # fmt: skip
"""Of measures, by their levels, and of vectors in texts, by their words."""


class Asked(NamedTuple):
    """Something that is asked of a run: what it is called, what it is, and its unit, where that is known."""

    label: str
    expression: Any
    unit: str


def asked_of(run: Run, wanted: str | Sequence[Any] | Mapping[str, Any]) -> list[Asked]:
    """What is wanted, one by one; vectors by their components. A mapping gives labels.

    >>> from detent.results import sample_run
    >>> asked_of(sample_run(), ["v", "2*y", "energy"])
    [Asked(label='v', expression='v', unit=''), Asked(label='2*y', expression='2*y', unit=''), \
Asked(label='energy', expression='energy', unit='J')]
    """
    if isinstance(wanted, Mapping):
        pairs: Iterable[tuple[str, Any]] = wanted.items()
    else:
        each = [wanted] if isinstance(wanted, (str, Vector)) or not isinstance(wanted, Iterable) else list(wanted)
        pairs = [(_label(one), one) for one in each]
    found: list[Asked] = []
    for label, one in pairs:
        if isinstance(one, Vector):
            found += _components(run, label if isinstance(wanted, Mapping) else None, one)
        elif isinstance(one, tuple):
            parts = enumerate(one, 1)
            found += [Asked(f"{label}.{number}", part, unit_of(run, part)) for number, part in parts]
        else:
            found.append(Asked(label, one, unit_of(run, one)))
    labels = [one.label for one in found]
    twice = [label for label in dict.fromkeys(labels) if labels.count(label) > 1]
    if twice:
        raise ValueProblem(f"'{twice[0]}' is asked for twice; leave it out, or give labels: {{'label': expression}}")
    return found


def _label(one: Any) -> str:
    return one.strip() if isinstance(one, str) else repr(one)


def _components(run: Run, label: str | None, vector: Vector) -> list[Asked]:
    system = system_of(run.model)
    if system is None:
        raise ExpressionError(f"the vector {vector!r} needs the model: {WITHOUT_MODEL}")
    parts = zip("xyz", vector.express(system.ground), strict=True)
    return [Asked(_component_label(label, vector, axis, part), part, unit_of(run, part)) for axis, part in parts]


def _component_label(label: str | None, vector: Vector, axis: str, part: Any) -> str:
    """A component by its own name where it has one, such as that of a velocity."""
    if label is not None:
        return f"{label}.{axis}"
    return repr(part) if isinstance(part, Measure) else f"({vector!r}).{axis}"


def unit_of(run: Run, asked: Any) -> str:
    """The unit of a quantity or measure; nothing where it is not known, as of expressions in them.

    >>> from detent.results import sample_run
    >>> unit_of(sample_run(), "time"), unit_of(sample_run(), "work"), unit_of(sample_run(), "y")
    ('s', 'J', '')
    """
    if isinstance(asked, (Measure, ContactMeasure)):
        return _UNITS.get(asked.level, "")
    if isinstance(asked, ContactForce):
        return "N"
    if isinstance(asked, (Rate, Acceleration)):
        unit = run.units.get(asked.name.removesuffix("'"), "")
        return f"({unit})/s" if "/" in unit else f"{unit}/s" if unit else ""
    return _unit_of_name(run, asked.name if isinstance(asked, Quantity) else asked) if _has_name(asked) else ""


def _has_name(asked: Any) -> bool:
    return isinstance(asked, (str, Quantity))


def _unit_of_name(run: Run, text: str) -> str:
    name = text.strip()
    known = {"time": "s", "t": "s", "work": "J", **run.units}
    if name in known:
        return known[name]
    for column, _ in at_nodes():
        if column.numbers(run, name) is not None:
            return column.unit
    path = name.split(".")
    plain = len(path) > 1 and path[-1] in ("x", "y", "z") and all(part.isidentifier() for part in path)
    if not plain or run.model is None:
        return ""
    return _UNITS.get(path[-2], "m")


def write_values(
    run: Run, path: str | os.PathLike[str], wanted: Sequence[Any] | Mapping[str, Any] | None, times: Any
) -> None:
    """What :meth:`Run.to_csv` writes."""
    asked = asked_of(run, [name for name in run.names if name != "time"] if wanted is None else wanted)
    at = None if times is None else asked_times(times).ravel()
    found = values_of(run, asked, at)
    when = run.t if at is None else at
    headings = [heading(one.label, one.unit) for one in asked]
    write_csv(path, [heading("time", "s"), *headings], np.column_stack([when, found]))


def values_of(run: Run, asked: Sequence[Asked], times: FloatArray | None) -> FloatArray:
    """A column for each of what is asked."""
    return Values(run, run.model).over([one.expression for one in asked], times)
