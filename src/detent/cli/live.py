"""``detent live``."""

from __future__ import annotations

import contextlib
import json
import sys
from typing import Annotated

import typer

from detent.cli.given import given_values, prepared
from detent.cli.shared import RUN_FAILED, AsJson, Model, Settings, fail
from detent.errors import ValueProblem


def live(
    model: Model,
    settings: Settings = None,
    seconds: Annotated[str, typer.Option(metavar="T", help="How long to run, s.")] = "10",
    rate: Annotated[str, typer.Option(metavar="N", help="Steps in a second.")] = "1000",
    as_json: AsJson = False,
) -> None:
    """Run an example or a model file at the pace of the clock, beside an idle loop, and say how well it kept time."""
    from detent.expr.text import number
    from detent.simulation.live import Live, watched

    lasts, steps = number(seconds), number(rate)
    if not 0 < lasts < float("inf"):
        raise ValueProblem(f"--seconds is {seconds}; give a time greater than zero")
    with contextlib.redirect_stdout(sys.stderr) if as_json else contextlib.nullcontext():
        example, values = prepared(model, given_values(settings))
        running = Live(example.automaton or example.system, rate=steps, **values)
        failure = watched(running, lasts)
    timing = running.timing
    if as_json:
        found = {"example": example.name, "seconds": lasts, "final": {"t": running.time, "mode": running.mode}}
        print(json.dumps(found | timing.as_json(), allow_nan=False))
    else:
        print(f"{example.name}: t = {running.time:.9g} s in mode '{running.mode}'")
        print(timing.text())
    if failure is not None:
        fail(str(failure), RUN_FAILED)
