"""``detent compare``."""

from __future__ import annotations

import contextlib
import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from detent.cli.given import given_values, prepared_example
from detent.cli.outputs import check_outputs
from detent.cli.shared import AsJson, Model, Settings


def compare(
    model: Model,
    formulations: Annotated[
        str | None, typer.Option(metavar="A,B,...", help="Which formulations; all of them if left out.")
    ] = None,
    settings: Settings = None,
    until: Annotated[str | None, typer.Option(metavar="T", help="How long to simulate, s.")] = None,
    method: Annotated[str | None, typer.Option(metavar="M", help="dop853, dopri5 or rk4.")] = None,
    rtol: Annotated[str | None, typer.Option(metavar="R", help="Relative tolerance of the adaptive methods.")] = None,
    step: Annotated[
        str | None, typer.Option(metavar="H", help="The step of rk4, the largest step of the others, s.")
    ] = None,
    as_json: AsJson = False,
    plot: Annotated[Path | None, typer.Option(metavar="FILE.png", help="Draw the errors (png, svg or pdf).")] = None,
) -> None:
    """Run a model in several formulations and compare each with a reference run."""
    from detent.comparison.compare import compare as compared_by
    from detent.expr.text import number_from_text

    check_outputs([plot])
    if plot is not None:
        from detent.view.files import check_ending

        check_ending(plot)
    chosen: dict[str, Any] = {"method": method}
    for name, text in (("until", until), ("rtol", rtol), ("step", step)):
        chosen[name] = None if text is None else number_from_text(text)
    named = None if formulations is None else [word.strip() for word in formulations.split(",") if word.strip()]
    with contextlib.redirect_stdout(sys.stderr) if as_json else contextlib.nullcontext():
        example, values = prepared_example(model, given_values(settings))
        changes = {name: value for name, value in chosen.items() if value is not None} | values
        result = compared_by(example, named, progress=False if as_json else None, **changes)
    if plot is not None:
        result.plot(plot)
    if as_json:
        print(json.dumps(result.as_json(), allow_nan=False))
        return
    print(result.table())
    if plot is not None:
        print(f"drawn in {plot}")
