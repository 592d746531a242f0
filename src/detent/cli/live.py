"""``detent live``."""

from __future__ import annotations

import contextlib
import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from detent.cli.given import given_values, prepared_example
from detent.cli.serving import HOST_HELP, new_studio, serve, warn_of_others
from detent.cli.shared import RUN_FAILED, AsJson, Model, SetValues, fail
from detent.errors import ValueProblem


def live(
    model: Model,
    settings: SetValues = None,
    seconds: Annotated[
        str | None, typer.Option(metavar="T", help="Run so long without a page, and say how well it kept time.")
    ] = None,
    rate: Annotated[str, typer.Option(metavar="N", help="Steps in a second.")] = "1000",
    log: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Append lines about the time that it keeps to this file.")
    ] = None,
    as_json: AsJson = False,
    port: Annotated[int | None, typer.Option(metavar="P", min=0, max=65535, help="Where the page listens.")] = None,
    host: Annotated[str, typer.Option(metavar="ADDRESS", help=HOST_HELP)] = "127.0.0.1",
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open a browser.")] = True,
) -> None:
    """Run an example or a model file at the pace of the clock: on a page, to be taken hold of, or for some seconds."""
    from detent.expr.text import number_from_text

    steps = number_from_text(rate)
    if seconds is None and as_json:
        raise ValueProblem("--json prints how well a run kept time, which needs --seconds; add it, or leave --json out")
    if seconds is None:
        given = given_values(settings)
        studio = new_studio(host, port)
        warn_of_others(host, studio)
        serve(studio, lambda made: made.open_live(model, given, steps, log), browser)
        return
    _watched(model, given_values(settings), seconds, steps, log, as_json)


def _watched(
    model: str, given: dict[str, float], seconds: str, steps: float, log: Path | None, as_json: bool
) -> None:  # fmt: skip
    """Let it run beside an idle loop, and say how well it kept time."""
    from detent.expr.text import number_from_text
    from detent.simulation.live import Live
    from detent.simulation.watched_live import watched

    lasts = number_from_text(seconds)
    if not 0 < lasts < float("inf"):
        raise ValueProblem(f"--seconds is {seconds}; give a time greater than zero")
    with contextlib.redirect_stdout(sys.stderr) if as_json else contextlib.nullcontext():
        example, values = prepared_example(model, given)
        running = Live(example.automaton or example.system, rate=steps, log=log, **values)
        failure = watched(running, lasts)
    timing = running.timing
    if as_json:
        found: dict[str, Any] = {
            "example": example.name, "seconds": lasts, "final": {"t": running.time, "mode": running.mode},
        }  # fmt: skip
        print(json.dumps(found | timing.as_json(), allow_nan=False))
    else:
        print(f"{example.name}: t = {running.time:.9g} s in mode '{running.mode}'")
        print(timing.text())
    if failure is not None:
        fail(str(failure), RUN_FAILED)
