"""Equations that can be printed: how long they take to be written, LaTeX included, by the processor's time."""

from __future__ import annotations

import time
from typing import Any, Final

import detent
from detent.errors import DetentError
from detent.gallery.example import NAMES

from .printed_models import bicycle, rattleback
from .runner import Row

TITLE = "equations of a mode, derived and written as LaTeX"

LIMIT: Final = 2.0
"""Seconds."""
NAMES_IF_QUICK: Final = ("pendulum", "kneed-walker")


def run(quick: bool) -> list[Row]:
    """The slowest of the gallery, a bicycle and a rattleback.

    >>> {row.unit for row in run(quick=True)}
    {'s'}
    """
    detent.equations(detent.example("pendulum")).latex()  # what is imported and compiled once
    names = NAMES_IF_QUICK if quick else NAMES
    taken, refused = dict[str, float](), []
    for name in names:
        try:
            taken[name] = _seconds(detent.example(name))
        except DetentError:  # a row that is not linear in the speeds has no such equations, and is told so
            refused.append(name)
    slowest = max(taken, key=lambda name: taken[name])
    others = ", ".join(f"{name} {seconds:.2g}" for name, seconds in sorted(taken.items(), key=lambda x: -x[1])[1:4])
    return [
        Row.within(
            LIMIT, f"the slowest of {len(taken)} models of the gallery, {slowest}", ours=taken[slowest], unit="s",
            note=f"next: {others}" + (f"; refused: {', '.join(refused)}" if refused else ""),
        ),
        Row.within(LIMIT, "a bicycle that rolls (Meijaard and others 2007)", ours=_seconds(bicycle()), unit="s"),
        Row.within(LIMIT, "a rattleback that rolls (Kane and Levinson 1982)", ours=_seconds(rattleback()), unit="s"),
    ]  # fmt: skip


def _seconds(model: Any) -> float:
    """Processor time from a model to the LaTeX of its equations in the mode in which it starts."""
    began = time.process_time()
    detent.equations(model).latex()
    return time.process_time() - began
