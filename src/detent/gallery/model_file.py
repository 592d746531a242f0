"""Models in a user's own Python file."""

from __future__ import annotations

import runpy
import traceback
from pathlib import Path
from typing import Any

from detent.errors import DetentError
from detent.gallery.example import Example
from detent.hybrid.automaton import Automaton
from detent.model.system import System


def example_from_file(path: Path) -> Example:
    """The model that a Python file defines.

    The file, which is run as the Python program it is, must leave behind ``example`` (a :class:`detent.Example`), a
    function ``build()`` that returns one, or ``automaton`` (a :class:`detent.Automaton`) or ``system`` (a
    :class:`detent.System`) with ``until`` (s). Where there is an automaton, it is what runs. Its runs are called by the
    model's own name.
    """
    if not path.is_file():
        raise DetentError(f"there is no file {path}; give an existing Python file, or an example's name without .py")
    try:
        names = runpy.run_path(str(path), run_name="detent_model")
        made = names.get("example")
        if not isinstance(made, Example) and callable(names.get("build")):
            made = names["build"]()
    except DetentError:
        raise
    except Exception as error:
        raise DetentError(f"{path} failed{_line_of(error, path)}: {type(error).__name__}: {error}") from error
    if isinstance(made, Example):
        return made
    automaton, system = names.get("automaton"), names.get("system")
    if isinstance(automaton, Automaton):
        return Example(automaton.name, automaton.system, until=_until(path, "automaton", names), automaton=automaton)
    if isinstance(system, System):
        return Example(system.name, system, until=_until(path, "system", names))
    raise DetentError(
        f"{path} defines no model; leave behind 'system' (a detent.System) or 'automaton' (a detent.Automaton) and "
        "'until', or 'example' (a detent.Example), or a function build() that returns one"
    )


def _until(path: Path, model: str, names: dict[str, Any]) -> float:
    until = names.get("until")
    if not isinstance(until, (int, float)):
        raise DetentError(f"{path} defines '{model}' but no number 'until'; add for example: until = 10")
    return float(until)


def _line_of(error: Exception, path: Path) -> str:
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if Path(frame.filename) == path]
    return f" at line {lines[-1]}" if lines else ""
