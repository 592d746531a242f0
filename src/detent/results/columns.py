"""The columns of a run, in one list: :class:`Run`, files, Datasets, plots and ``--json`` all go by it.

The order is that of the description in a result file.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, Final

from detent.results.audit import Audit
from detent.results.column import Column, NodeQuantity, Printed, SavedField
from detent.results.event import Event, EventLog
from detent.results.field_kinds import Kind, Misfit, distinct, list_of, one_of, optional, real, record, table_of, text
from detent.results.outcome import Outcome

_EVENT: Final[dict[str, Kind]] = {
    "time": real,
    "kind": text,
    "name": text,
    "source": text,
    "target": text,
    "details": table_of(lambda where, found: text(where, found) if isinstance(found, str) else real(where, found)),
}
_AUDIT: Final[dict[str, Kind]] = {
    "energy_balance": real,
    "position_residual": real,
    "velocity_residual": real,
    "smallest_gap": optional(real),
    "energy_scale": real,
}
_AUDIT_OF_CONTACTS: Final[dict[str, Kind]] = {
    "largest_cone_excess": optional(real),
    "complementarity": optional(real),
}


def _number(key: str) -> SavedField:
    return SavedField(key, real, float)


def _number_if_any(key: str) -> SavedField:
    return SavedField(key, optional(real), lambda value: None if value is None else float(value))


def _events(key: str) -> SavedField:
    return SavedField(
        key,
        list_of(record(_EVENT)),
        lambda log: [asdict(event) for event in log],
        lambda found: EventLog(Event(**event) for event in found),
    )


def _names(key: str) -> SavedField:
    return SavedField(key, distinct(text), list)


def _features(where: str, found: Any) -> Any:
    made = distinct(text)(where, found)
    if not made:
        raise Misfit(where, found, "a list that is not empty")
    return made


def _of_places(name: str, kind: str, meaning: str, unit: str) -> Column:
    """Numbers of contacts, by the names of the places where these may touch."""
    quantity = NodeQuantity(f"{kind} of ", kind, several=True, drawn=False)
    return Column(name=name, meaning=meaning, per="node", unit=unit, quantity=quantity, saved=_names(name), since=3)


def _printed_events(log: EventLog) -> list[dict[str, Any]]:
    return [event.as_json() for event in log]


COLUMNS: Final[tuple[Column, ...]] = (
    Column(name="name", meaning="what ran", saved=SavedField("title", text), printed=Printed("example")),
    Column(
        name="outcome",
        meaning="how it ended",
        saved=SavedField(
            "outcome",
            one_of([outcome.word for outcome in Outcome]),
            lambda outcome: outcome.word,
            Outcome.from_word,
        ),
        printed=Printed("outcome", lambda outcome: outcome.word),
    ),
    Column(name="message", meaning="more about the end", saved=SavedField("message", text), printed=Printed("message")),
    Column(name="method", meaning="the stepper", saved=SavedField("method", text)),
    Column(name="mode", meaning="the mode at the end", saved=SavedField("mode", text)),
    Column(name="until", meaning="when it was to end", unit="s", saved=_number("until"), printed=Printed("until")),
    Column(name="rtol", meaning="the relative tolerance of an adaptive stepper", saved=_number_if_any("rtol")),
    Column(name="atol", meaning="its absolute tolerance", saved=_number_if_any("atol")),
    Column(name="step", meaning="the step of a fixed stepper", unit="s", saved=_number_if_any("step")),
    Column(
        name="parameters",
        meaning="the parameters, by name",
        saved=SavedField("parameters", table_of(real)),
        printed=Printed("parameters"),
    ),
    Column(name="start", meaning="the state at the start, by name", saved=SavedField("start", table_of(real))),
    Column(
        name="events",
        meaning="what happened, and when",
        per="event",
        saved=_events("events"),
        printed=Printed("events", _printed_events),
    ),
    Column(
        name="audit",
        meaning="how far the run can be trusted",
        saved=SavedField("audit", record(_AUDIT, _AUDIT_OF_CONTACTS), asdict, lambda found: Audit(**found)),
        printed=Printed("audit", lambda audit: audit.as_json()),
    ),
    Column(
        name="kinetic",
        meaning="kinetic energy",
        per="node",
        unit="J",
        quantity=NodeQuantity("kinetic_energy", "energy"),
    ),
    Column(
        name="potential",
        meaning="potential energy",
        per="node",
        unit="J",
        quantity=NodeQuantity("potential_energy", "energy"),
    ),
    Column(
        name="energy",
        meaning="kinetic and potential energy together",
        per="node",
        unit="J",
        quantity=NodeQuantity("energy", "energy", follows=lambda run: run.kinetic + run.potential),
    ),
    Column(
        name="reactions",
        meaning="reactions of constraints' rows, by name: N or N m for rows in m or rad; NaN where not active",
        per="node",
        quantity=NodeQuantity("reaction of ", "reaction", several=True),
        saved=_names("reactions"),
    ),
    Column(
        name="discrete",
        meaning="discrete states, by name",
        per="node",
        quantity=NodeQuantity("", "discrete state", several=True, held=True),
        saved=_names("discrete"),
    ),
    Column(
        name="inputs",
        meaning="inputs that are numbers, held or sampled, by name",
        per="node",
        quantity=NodeQuantity("", "input", several=True, held=True),
        saved=_names("inputs"),
        since=4,
    ),
    Column(
        name="loads",
        meaning="whether loads that come and go act, 1 or 0, by name",
        per="node",
        quantity=NodeQuantity("acting ", "load", several=True, held=True),
        saved=_names("loads"),
        since=4,
    ),
    Column(
        name="contact_features",
        meaning="the places where each contact may touch, by the contact's name",
        saved=SavedField(
            "contacts",
            table_of(_features),
            lambda found: {name: list(features) for name, features in found.items()},
            lambda found: {name: tuple(features) for name, features in found.items()},
        ),
        since=3,
    ),
    _of_places("gaps", "gap", "gaps, by place", "m"),
    _of_places("slips", "slip velocity", "velocities of slip along the tangent or the two of them, by place", "m/s"),
    _of_places("frictions", "friction", "friction along the same tangents, by place; 0 where open", "N"),
    _of_places("points", "point", "where shapes touch or are nearest, along the ground's axes, by place", "m"),
    _of_places("forces", "contact force", "forces on the first shape, along the ground's axes, by place", "N"),
    Column(
        name="moments",
        meaning="moments against rolling in the plane, spinning in space, rolling there about each tangent, by place",
        per="node",
        unit="N m",
        quantity=NodeQuantity("moment of ", "moment", several=True, drawn=False),
        saved=_names("moments"),
        since=5,
    ),
    Column(
        name="units",
        meaning="the units of quantities, by name, where the model gives them",
        saved=SavedField("units", table_of(text)),
        since=4,
    ),
    Column(
        name="near_misses",
        meaning="when a guard came nearer to zero than the integration is exact, and did not pass it",
        per="event",
        saved=_events("near_misses"),
    ),
    Column(
        name="remarks",
        meaning="what makes the run doubtful or slow, each with its remedy",
        saved=SavedField("remarks", list_of(text), list, tuple),
        printed=Printed("remarks", list),
    ),
    Column(
        name="timing",
        meaning="where the time went; not in files, so that the same run gives the same bytes",
        printed=Printed("timing", lambda timing: None if timing is None else timing.as_json()),
    ),
    Column(name="model", meaning="the system or automaton that ran; not in files"),
)


def at_nodes(columns: Sequence[Column] = COLUMNS) -> list[tuple[Column, NodeQuantity]]:
    """The columns with numbers at the nodes in the order in which a run names them: what is held follows the state.

    >>> [column.name for column, _ in at_nodes()][:3]
    ['discrete', 'inputs', 'loads']
    """
    found = [(column, column.quantity) for column in columns if column.quantity is not None]
    return sorted(found, key=lambda pair: not pair[1].held)


FORMAT: Final = max(column.since for column in COLUMNS)
"""The format of result files: counts up with a column that an older detent cannot read."""

RESERVED: Final = ("time", "t", "work", *(quantity.name for _, quantity in at_nodes() if not quantity.several))
"""Names with a meaning of their own in every run."""
