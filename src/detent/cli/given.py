"""What a command is given: a model, and values by name (``--set``)."""

from __future__ import annotations

import unicodedata
from pathlib import Path
from typing import TYPE_CHECKING, Any

from detent.errors import DetentError, UnknownNameError, ValueProblem

if TYPE_CHECKING:
    from detent.gallery.example import Example


def given_values(settings: list[str] | None) -> dict[str, float]:
    """The values of --set by name."""
    from detent.expr.text import number_from_text

    values: dict[str, float] = {}
    for name, text in map(split_setting, settings or []):
        if name in values:
            raise ValueProblem(f"--set gives '{name}' twice; give it once")
        values[name] = number_from_text(text)
    return values


def split_setting(setting: str) -> tuple[str, str]:
    name, equals, text = setting.partition("=")
    if not equals or not name.strip() or not text.strip():
        raise ValueProblem(f"--set {setting!r} is not of the form name=value; write for example --set tilt=pi/12")
    return unicodedata.normalize("NFKC", name.strip()), text.strip()  # names as Python reads them


def prepared_example(model: str, given: dict[str, float]) -> tuple[Example, dict[str, Any]]:
    """The example, and which of the given values are parameters, start values and inputs."""
    from detent.gallery.example import example, structure_of

    if model.endswith(".py"):
        from detent.gallery.model_file import example_from_file

        try:
            made, structure = example_from_file(Path(model)), {}
        except SystemExit as stop:  # a model is to be left behind; a file that ends the program leaves none
            raise DetentError(f"{model} ended the program (exit code {stop.code}); remove the call of exit") from None
    else:
        structure = structure_of(model)
        made = example(model, **{name: value for name, value in given.items() if name in structure})
    system = made.system
    kinds = {
        "parameters": [symbol.name for symbol in system.parameter_values],
        "start": [
            s.name
            for group in (system.coordinate_list, system.all_speeds(), system.signal_rates, system.discrete_states)
            for s in group
        ],
        "inputs": [symbol.name for symbol in system.input_rules],
    }
    for name in given:
        if name not in structure and not any(name in names for names in kinds.values()):
            raise UnknownNameError(name, [*structure, *(n for names in kinds.values() for n in names)])
    values = {kind: {n: given[n] for n in names if n in given} for kind, names in kinds.items()}
    return made, {kind: chosen for kind, chosen in values.items() if chosen}


def stepping(until: str | None, method: str | None, rtol: str | None, step: str | None) -> dict[str, Any]:
    """How long and how finely to simulate, as far as that was said."""
    from detent.expr.text import number_from_text

    chosen: dict[str, Any] = {} if method is None else {"method": method}
    said = {"until": until, "rtol": rtol, "step": step}
    return chosen | {name: number_from_text(text) for name, text in said.items() if text is not None}
