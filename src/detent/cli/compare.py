"""``detent compare``."""

from __future__ import annotations

import contextlib
import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from detent.cli.given import given_values, prepared_example, stepping
from detent.cli.outputs import check_outputs
from detent.cli.shared import AsJson, Method, Model, SetValues, StepSize, Tolerance, Until


def compare(
    model: Model,
    formulations: Annotated[
        str | None, typer.Option(metavar="A,B,...", help="Which formulations; all of them if left out.")
    ] = None,
    settings: SetValues = None,
    until: Until = None,
    method: Method = None,
    rtol: Tolerance = None,
    step: StepSize = None,
    as_json: AsJson = False,
    plot: Annotated[Path | None, typer.Option(metavar="FILE.png", help="Draw the errors (png, svg or pdf).")] = None,
) -> None:
    """Run a model in several formulations and compare each with a reference run."""
    from detent.comparison.compare import compare as compared_by

    check_outputs([plot])
    if plot is not None:
        from detent.view.files import check_ending

        check_ending(plot)
    chosen = stepping(until, method, rtol, step)
    named = None if formulations is None else [word.strip() for word in formulations.split(",") if word.strip()]
    with contextlib.redirect_stdout(sys.stderr) if as_json else contextlib.nullcontext():
        example, values = prepared_example(model, given_values(settings))
        result = compared_by(example, named, progress=False if as_json else None, **chosen, **values)
    if plot is not None:
        result.plot(plot)
    if as_json:
        print(json.dumps(result.as_json(), allow_nan=False))
        return
    print(result.table())
    if plot is not None:
        print(f"drawn in {plot}")
