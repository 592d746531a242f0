"""Where the command line is entered: its commands, in the order in which it lists them."""

from __future__ import annotations

from typing import Annotated

import typer

from detent.cli.automaton import automaton
from detent.cli.bench import bench
from detent.cli.compare import compare
from detent.cli.equations import equations
from detent.cli.examples import examples
from detent.cli.live import live
from detent.cli.run import run
from detent.cli.shared import BAD_INPUT, fail
from detent.cli.studio import studio
from detent.errors import DetentError

app = typer.Typer(
    name="detent",
    help="Mechanical systems whose constraints change while they move.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


def _version(wanted: bool) -> None:
    if wanted:
        from detent import __version__

        print(f"detent {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and leave.")
    ] = False,
) -> None:
    """Mechanical systems whose constraints change while they move."""


for command in (examples, run, studio, live, equations, automaton, compare, bench):
    app.command()(command)


def main() -> None:
    """Run the command line; every error of ours becomes one message and an exit code."""
    try:
        app()
    except DetentError as error:
        fail(str(error), BAD_INPUT)
