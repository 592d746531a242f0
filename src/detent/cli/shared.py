"""What commands share: how they end, and the arguments that several of them take."""

from __future__ import annotations

import sys
from typing import Annotated, NoReturn

import typer

BAD_INPUT = 2
RUN_FAILED = 1

Model = Annotated[str, typer.Argument(metavar="NAME|FILE.py", help="An example's name, or a Python file with a model.")]
Settings = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="NAME=VALUE", help="A parameter, start value, input or structural argument."),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]


def fail(message: str, code: int) -> NoReturn:
    """End with a message on standard error and an exit code."""
    print(f"detent: {message}", file=sys.stderr)
    raise SystemExit(code)
