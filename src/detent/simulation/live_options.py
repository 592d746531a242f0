"""How the steps of a live run are taken, unless it is said."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from detent.errors import DetentError, ValueProblem
from detent.hybrid.automaton import Automaton
from detent.model.system import System
from detent.simulation.options import Options


def live_options(model: System | Automaton, period: float, changes: Mapping[str, Any]) -> Options:
    """The options of a live run of a model with a period (s), where some are given."""
    system = model.system if isinstance(model, Automaton) else model
    if not isinstance(system, System):
        raise DetentError(f"found {model!r} where a detent.System or detent.Automaton was expected")
    ahead = isinstance(model, Automaton) and not system.contacts
    usual: dict[str, Any] = {"method": "rk4", "embedding": "numeric"}
    if ahead:
        usual["modes"] = "all"
    if changes.get("method", "rk4") == "rk4":
        usual["step"] = period
    chosen = Options.of(None, {**usual, **changes})
    if chosen.embedding == "live":
        raise ValueProblem(
            'a live run with embedding="live" takes up code when it happens to be ready, and could not be replayed to '
            'the same bits; use "numeric" (a new mode acts at once) or "symbolic" (its equations are derived first)'
        )
    return chosen
