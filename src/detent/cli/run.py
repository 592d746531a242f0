"""``detent run``."""

from __future__ import annotations

import contextlib
import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from detent.cli.given import given_values, prepared_example, stepping
from detent.cli.outputs import check_asked, check_outputs, checked_pictures
from detent.cli.serving import check_viser, new_studio, serve
from detent.cli.shared import RUN_FAILED, AsJson, Method, Model, SetValues, StepSize, Tolerance, Until, fail
from detent.cli.simulated import simulated


def run(
    model: Model,
    settings: SetValues = None,
    until: Until = None,
    method: Method = None,
    rtol: Tolerance = None,
    step: StepSize = None,
    formulation: Annotated[
        str | None,
        typer.Option(metavar="F", help="How constraints are handled: embedded, corrected, ... (docs/formulations.md)."),
    ] = None,
    modes: Annotated[str | None, typer.Option(metavar="M", help="When modes are built: lazy, ahead or all.")] = None,
    embedding: Annotated[str | None, typer.Option(metavar="E", help="symbolic, numeric or live.")] = None,
    as_json: AsJson = False,
    out: Annotated[Path | None, typer.Option(metavar="FILE.nc", help="Save the run.")] = None,
    plot: Annotated[Path | None, typer.Option(metavar="FILE.png", help="Draw the run (png, svg or pdf).")] = None,
    strobe: Annotated[
        Path | None, typer.Option(metavar="FILE.png", help="Draw a planar model at equally spaced times.")
    ] = None,
    animate: Annotated[
        Path | None, typer.Option(metavar="FILE.html", help="Write it as a moving picture (html, gif or mp4).")
    ] = None,
    of: Annotated[
        list[str] | None,
        typer.Option("--of", metavar="EXPR", help="What --plot and --csv show: a name or an expression, each."),
    ] = None,
    against: Annotated[
        str | None, typer.Option(metavar="EXPR", help="Have --plot draw against this, not the time.")
    ] = None,
    table: Annotated[
        Path | None, typer.Option("--csv", metavar="FILE.csv", help="Write names or expressions at the steps.")
    ] = None,
    events: Annotated[str, typer.Option(metavar="N|all", help="How many events to list.")] = "20",
    checkpoint: Annotated[
        Path | None, typer.Option(metavar="FILE.json", help="Write where the run stands at its end.")
    ] = None,
    resume: Annotated[Path | None, typer.Option(metavar="FILE.json", help="Go on from a checkpoint.")] = None,
    view: Annotated[bool, typer.Option("--view", help="Open the run in the studio, in the browser.")] = False,
) -> None:
    """Simulate an example or a model file and say how it went."""
    from detent.view.event_table import print_events, read_most

    said = {
        "embedding": embedding, "formulation": formulation, "modes": modes, "checkpoint": checkpoint, "resume": resume,
    }  # fmt: skip
    chosen = stepping(until, method, rtol, step) | {name: value for name, value in said.items() if value is not None}
    given = given_values(settings)
    named = (("plot", plot), ("strobe", strobe), ("animate", animate))
    wanted = {option: path for option, path in named if path is not None}
    check_outputs([out, checkpoint, table], wanted)
    check_asked(of, against, plot, table)
    most = read_most(events)
    if view:
        check_viser()
    # What a user's own file prints must not get between the lines of the JSON object.
    with contextlib.redirect_stdout(sys.stderr) if as_json else contextlib.nullcontext():
        example, values = prepared_example(model, given)
        pictures = checked_pictures(example, wanted)
        result, failure = simulated(example, chosen | values, as_json)
    if out is not None:
        result.save(out)
    for picture, path in pictures:
        picture.draw(example.system, result, path, of, against)
    if table is not None:
        result.to_csv(table, of)
    if as_json:
        print(json.dumps(result.as_json(), allow_nan=False))
    else:
        print(result.summary())
        print_events(result.events, most)
        drawn = ((p.told, path) for p, path in pictures)
        for verb, file in (("saved to", out), ("table in", table), *drawn, ("checkpoint in", checkpoint)):
            if file is not None:
                print(f"  {verb} {file}")
    if view:
        serve(new_studio(), lambda studio: studio.show(example, result), browser=True)
    if failure is not None:
        fail(str(failure), RUN_FAILED)
