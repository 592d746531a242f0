"""``detent bench``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from detent.cli.shared import AsJson


def bench(
    as_json: AsJson = False,
    only: Annotated[
        str | None, typer.Option(metavar="WORD", help="Only benchmarks whose name holds this word.")
    ] = None,
) -> None:
    """Measure detent against its peers, as ratios in one run."""
    runner = _benchmarks()
    rows = runner.run(only)
    print(runner.as_json(rows) if as_json else runner.table(rows))


def _benchmarks() -> Any:
    """The benchmark runner: beside the package in a wheel, at the top of the repository otherwise."""
    import importlib

    top = Path(__file__).resolve().parents[3]
    if (top / "benchmarks" / "runner.py").is_file():
        sys.path.insert(0, str(top))
        return importlib.import_module("benchmarks.runner")
    return importlib.import_module("detent.benchmarks.runner")
