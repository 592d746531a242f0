"""``detent equations``."""

from __future__ import annotations

from typing import Annotated

import typer

from detent.cli.given import given_values, prepared_example
from detent.cli.shared import Model, SetValues


def equations(
    model: Model,
    settings: SetValues = None,
    mode: Annotated[
        str | None,
        typer.Option(metavar="MODE", help="A mode, or active constraints as in 'a + b'; else the mode at the start."),
    ] = None,
    latex: Annotated[bool, typer.Option("--latex", help="Print LaTeX.")] = False,
) -> None:
    """Show Kane's equations of an example or a model file."""
    from detent.simulation.equations import equations as of_mode

    example, _ = prepared_example(model, given_values(settings))
    shown = of_mode(example, mode)
    print(shown.latex() if latex else shown.text())
