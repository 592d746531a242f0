"""``detent studio``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from detent.cli.serving import new_studio, serve


def studio(
    model: Annotated[
        str | None,
        typer.Argument(metavar="[NAME|FILE]", help="An example, a Python file with a model, or a saved run."),
    ] = None,
    port: Annotated[int | None, typer.Option(metavar="P", min=0, max=65535, help="Where to listen.")] = None,
    host: Annotated[
        str,
        typer.Option(
            metavar="ADDRESS",
            help="Let others in by this address of this machine. Whoever reaches it can run the models and the Python "
            "files of the folder, and read its saved runs: there is no password.",
        ),
    ] = "127.0.0.1",
    folder: Annotated[
        Path, typer.Option(metavar="FOLDER", help="Whose model files and saved runs can be opened.")
    ] = Path("."),
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open a browser.")] = True,
) -> None:
    """Open the studio in the browser: look at models, change them and run them again."""
    from detent.studio.gate import is_own

    made = new_studio(host, port, folder)
    if not is_own(host):
        print(
            f"detent: whoever reaches {host} can now run models and Python files of {folder.resolve()} here; "
            "there is no password",
            file=sys.stderr,
        )
    serve(made, lambda studio: None if model is None else studio.open(model), browser)
