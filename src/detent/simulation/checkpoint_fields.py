"""What each field of a checkpoint may hold.

What stands in it goes into the memory of compiled code, which does not look at it again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from detent.events.event_frame import RESTED, ZENO
from detent.formulation.compiled import EMBEDDINGS
from detent.formulation.registry import FORMULATIONS, settings_of
from detent.results.field_kinds import (
    MOST_NUMBER,
    Kind,
    Misfit,
    distinct,
    list_of,
    number,
    one_of,
    optional,
    record,
    table_of,
    text,
    whole,
)
from detent.simulation.bounces import KEPT
from detent.simulation.options import IMPACTS
from detent.solves.constraint_frame import RESELECT_ABOVE
from detent.stepping.solver import PACE
from detent.stepping.tableau import TABLEAUS

_PLACE: Final = whole(0, MOST_NUMBER)
_SIZE: Final = number(least=0.0, finite=False)

CHOICE: Final[dict[str, Kind]] = {
    "rows": distinct(_PLACE),
    "dependent": distinct(_PLACE),
    "independent": distinct(_PLACE),
    "redundant": distinct(_PLACE),
    "bound": list_of(_SIZE, 2),
    "numbers": list_of(number()),
}
STATUSES: Final[dict[str, Kind]] = {"family": text, "key": list_of(number(least=-1.0, most=3.0))}
BOUNCES: Final[dict[str, Kind]] = {"count": whole(1, MOST_NUMBER), "times": list_of(number(least=0.0))}
_BEFORE: Final = {name: kind for name, kind in CHOICE.items() if name != "numbers"}
"""The same before formulations had numbers of their own to keep."""


def _setting(where: str, found: Any) -> float | str:
    """A setting of a formulation: a number that is not negative, yes or no, or a word."""
    if isinstance(found, (bool, str)):
        return text(where, found) if isinstance(found, str) else found
    value: float = number(least=0.0)(where, found)
    return value


FIELDS: Final[dict[str, Kind]] = {
    "format": whole(0, MOST_NUMBER),
    "name": text,
    "layout": distinct(text),
    "values_layout": distinct(text),
    "time": number(least=0.0),
    "state": list_of(number()),
    "values": list_of(number()),
    "parameters": table_of(number()),
    "inputs": table_of(optional(number())),
    "next_change": optional(number(least=0.0)),
    "mode": optional(text),
    "constraints": distinct(text),
    "choices": table_of(optional(record(_BEFORE, {"numbers": CHOICE["numbers"]}))),
    "method": one_of(TABLEAUS),
    "rtol": number(least=0.0),
    "atol": number(least=0.0),
    "step": optional(number(least=0.0)),
    "embedding": one_of(EMBEDDINGS),
    "formulation": record({"name": one_of(FORMULATIONS), "settings": table_of(_setting)}),
    "clock": list_of(_SIZE, len(PACE)),
    "number": whole(0, MOST_NUMBER),
    "signs": table_of(whole(-1, RESTED)),
    "zeno": table_of(list_of(_SIZE, len(ZENO.names or ()))),
    "contacts": table_of(record(STATUSES)),
    "impacts": one_of(IMPACTS),
    "bounces": table_of(record(BOUNCES)),
    "repeats": table_of(whole(0, MOST_NUMBER)),
    "said": distinct(text),
}
"""In the order in which they are written."""


def checked(found: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a checkpoint, each of its kind and all in agreement; :class:`Misfit` where one is not."""
    made = {name: kind(name, found[name]) for name, kind in FIELDS.items()}
    _check_formulation(made["formulation"])
    _check_lengths(made)
    _check_times(made)
    for name, choice in made["choices"].items():
        if choice is not None:
            _check_choice(f"choices[{name!a}]", choice)
    return made


def _check_formulation(found: Mapping[str, Any]) -> None:
    expected = settings_of(FORMULATIONS[found["name"]])
    if set(found["settings"]) != set(expected):
        named = ", ".join(expected) or "none"
        raise Misfit("formulation.settings", found["settings"], f"the settings of '{found['name']}' ({named})")


def _check_lengths(made: Mapping[str, Any]) -> None:
    for numbers, names in (("state", "layout"), ("values", "values_layout")):
        if len(made[numbers]) != len(made[names]):
            raise Misfit(numbers, made[numbers], f"a list of {len(made[names])}, as long as its {names},")
    values = dict(zip(made["values_layout"], made["values"], strict=True))
    for group in ("parameters", "inputs"):
        for name, value in made[group].items():
            if name not in values:
                raise Misfit(f"name in {group}", name, "one of its values_layout")
            if value is not None and values[name] != value:
                raise Misfit(f"{group}[{name!a}]", value, f"{values[name]!r}, as in its values,")


def _check_times(made: Mapping[str, Any]) -> None:
    time, (_, _, origin, _), count = made["time"], made["clock"], made["number"]
    if made["next_change"] is not None and made["next_change"] < time:
        raise Misfit("next_change", made["next_change"], f"a time not before its time, {time!r},")
    if not TABLEAUS[made["method"]].is_adaptive and made["step"] is not None:
        reached = origin + count * made["step"]
        if not abs(reached - time) <= 1e-9 * made["step"] + 1e-12 * time:
            raise Misfit("clock", made["clock"], f"one that has reached its time, {time!r}, and not {reached!r},")
    elif not origin <= time:
        raise Misfit("clock[2]", origin, f"a time not after its time, {time!r},")
    for name, kept in made["bounces"].items():
        _check_bounces(f"bounces[{name!a}]", kept["count"], kept["times"], time)
    for name, numbers in made["zeno"].items():
        last = (ZENO.names or ()).index("last_time")
        if not numbers[last] <= time:
            raise Misfit(f"zeno[{name!a}][{last}]", numbers[last], f"a time not after its time, {time!r},")


def _check_bounces(where: str, count: int, times: Sequence[float], now: float) -> None:
    """As many of the last times are kept as there are, and none lies after the run's time."""
    if len(times) != min(count, KEPT):
        raise Misfit(f"{where}.times", times, f"a list of {min(count, KEPT)}")
    if sorted(times) != list(times) or not times[-1] <= now:
        raise Misfit(f"{where}.times", times, f"times one after the other, none after its time, {now!r},")


def _check_choice(where: str, choice: Mapping[str, Any]) -> None:
    """Rows and speeds are each counted once, and every row that is kept has its dependent speed."""
    for first, second in (("rows", "redundant"), ("dependent", "independent")):
        both = [*choice[first], *choice[second]]
        if sorted(both) != list(range(len(both))):
            raise Misfit(
                f"{where}.{first}", choice[first], f"one that with {second} is a permutation of 0 to {len(both) - 1}"
            )
    if len(choice["rows"]) != len(choice["dependent"]):
        raise Misfit(f"{where}.dependent", choice["dependent"], f"a list of {len(choice['rows'])}, one for each row,")
    if not choice["bound"][0] >= RESELECT_ABOVE:
        raise Misfit(f"{where}.bound[0]", choice["bound"][0], f"a number not below {RESELECT_ABOVE:g}")
