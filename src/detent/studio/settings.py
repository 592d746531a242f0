"""What can be set before a run: parameters, start values and how long it is, as texts in a page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, final

from detent.errors import DetentError, UnknownNameError, ValueProblem
from detent.expr.text import number_from_text
from detent.gallery.example import Example
from detent.model.units import known_units
from detent.results.run import Run

UNTIL: Final = "until"


@final
@dataclass(frozen=True)
class Setting:
    """A value by its name, as the model has it.

    ``kind`` is ``parameters`` or ``start``, as the options of a run are called. ``text`` is the value as it is shown;
    empty where the model gives none.
    """

    name: str
    kind: str
    text: str
    unit: str | None = None


@final
class ExampleSettings:
    """All that can be set of an example.

    >>> import detent
    >>> settings = ExampleSettings(detent.example("pendulum"))
    >>> [(setting.name, setting.kind) for setting in settings][:2]
    [('m', 'parameters'), ('length', 'parameters')]
    >>> settings.changes({"length": "2*sqrt(2)", "m": "1"})
    {'parameters': {'length': 2.8284271247461903}}
    """

    def __init__(self, example: Example) -> None:
        system, given = example.system, example.settings
        parameters = {symbol.name: value for symbol, value in system.parameter_values.items()}
        parameters |= _by_name(given.get("parameters"))
        starting = [*system.coordinate_list, *system.all_speeds(), *system.signal_rates, *system.discrete_states]
        start = dict.fromkeys((symbol.name for symbol in starting), 0) | _known(
            system.start_values, {symbol.name for symbol in starting}
        )
        start |= _by_name(given.get("start"))
        units = known_units(system)
        self.until = _shown(example.until)
        self._settings = [
            Setting(name, kind, _shown(value), units.get(name))
            for kind, values in (("parameters", parameters), ("start", start))
            for name, value in values.items()
        ]

    def __iter__(self) -> Iterator[Setting]:
        return iter(self._settings)

    def texts(self, run: Run | None = None) -> dict[str, str]:
        """A text for each name: what the model has or, where it differs, what a run had."""
        had = {} if run is None else {**run.parameters, **run.start}
        found = {UNTIL: self.until if run is None else _shown(run.until)}
        for setting in self._settings:
            value = had.get(setting.name)
            same = value is None or setting.text == "" or _reads(setting.text, value)
            found[setting.name] = setting.text if same else _shown(value)
        return found

    def changes(self, texts: Mapping[str, str]) -> dict[str, Any]:
        """The options of a run for texts by name: those that say something else than the model.

        Every fault is told at once. Texts are read by an allow-list, and never run.
        """
        known = {setting.name: setting for setting in self._settings}
        found: dict[str, Any] = {}
        faults = []
        for name, text in texts.items():
            if name != UNTIL and name not in known:
                raise UnknownNameError(name, [UNTIL, *known])
            try:
                if name == UNTIL and text.strip() != self.until:
                    found[UNTIL] = _length(text)
                elif name != UNTIL and text.strip() != known[name].text:
                    found.setdefault(known[name].kind, {})[name] = number_from_text(text)
            except DetentError as error:
                faults.append(f"{name}: {error}")
        if faults:
            raise ValueProblem("\n".join(faults))
        return found


def _reads(text: str, value: float) -> bool:
    """Whether a text is read as a value."""
    try:
        return number_from_text(text) == value
    except DetentError:
        return False


def _length(text: str) -> float:
    value = number_from_text(text)
    if value < 0:
        raise ValueProblem(f"a run ends at t = {value:g}; give zero or more")
    return value


def _by_name(values: Mapping[Any, Any] | None) -> dict[str, Any]:
    return {getattr(key, "name", key): value for key, value in (values or {}).items()}


def _known(values: Mapping[Any, Any], names: set[str]) -> dict[str, Any]:
    return {name: value for name, value in _by_name(values).items() if name in names}


def _shown(value: Any) -> str:
    """A value as text that is read back as the same number, where it is one."""
    if value is None:
        return ""
    try:
        plain = float(value)
    except (TypeError, ValueError):
        return str(value)
    return str(int(plain)) if plain.is_integer() and abs(plain) < 1e15 else repr(plain)
