"""``detent studio``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from detent.cli.serving import HOST_HELP, new_studio, serve, warn_of_others


def studio(
    model: Annotated[
        str | None,
        typer.Argument(metavar="[NAME|FILE]", help="An example, a Python file with a model, or a saved run."),
    ] = None,
    port: Annotated[int | None, typer.Option(metavar="P", min=0, max=65535, help="Where to listen.")] = None,
    host: Annotated[str, typer.Option(metavar="ADDRESS", help=HOST_HELP)] = "127.0.0.1",
    folder: Annotated[
        Path, typer.Option(metavar="FOLDER", help="Whose model files and saved runs can be opened.")
    ] = Path("."),
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open a browser.")] = True,
) -> None:
    """Open the studio in the browser: look at models, change them and run them again."""
    made = new_studio(host, port, folder)
    warn_of_others(host, made)
    serve(made, lambda studio: None if model is None else studio.open(model), browser)
