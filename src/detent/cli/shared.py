"""What commands share: how they end, and the arguments that several of them take."""

from __future__ import annotations

import sys
from typing import Annotated, NoReturn

import typer

BAD_INPUT = 2
RUN_FAILED = 1

Model = Annotated[str, typer.Argument(metavar="NAME|FILE.py", help="An example's name, or a Python file with a model.")]
SetValues = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="NAME=VALUE", help="A parameter, start value, input or structural argument."),
]
Until = Annotated[str | None, typer.Option(metavar="T", help="How long to simulate, s.")]
Method = Annotated[str | None, typer.Option(metavar="M", help="dop853, dopri5 or rk4.")]
Tolerance = Annotated[str | None, typer.Option(metavar="R", help="Relative tolerance of the adaptive methods.")]
StepSize = Annotated[str | None, typer.Option(metavar="H", help="The step of rk4, the largest step of the others, s.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]


def fail(message: str, code: int) -> NoReturn:
    """End with a message on standard error and an exit code."""
    print(f"detent: {message}", file=sys.stderr)
    raise SystemExit(code)
