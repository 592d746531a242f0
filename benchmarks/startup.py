"""How soon detent answers, each time in a fresh interpreter and beside ``import sympy``."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Final, TypeVar

import sympy

from .first_run import first_runs
from .runner import LIMIT, Row

TITLE = "time until it answers, in a fresh interpreter and beside import sympy; the best of several, taking turns"

Case = TypeVar("Case")

TIMED: Final = "import time; start = time.perf_counter(); {}; print(time.perf_counter() - start)"
"""Times the import alone: the interpreter's own start, counted on both sides, would hide a difference."""

IMPORTS: Final = {
    "import sympy": "import sympy",
    "import detent": "import detent",
    "detent.System": "import detent; detent.System",
    "detent.simulate": "import detent; detent.System; detent.simulate",
}

COMMANDS: Final = {
    "import sympy": (sys.executable, "-c", "import sympy"),
    "detent --help": (sys.executable, "-m", "detent", "--help"),
    "detent run": (sys.executable, "-m", "detent", "run", "pendulum", "--json"),
}

LOADED: Final = """
import atexit, runpy, sys
atexit.register(lambda: print(sum(name.split(".")[0] == "sympy" for name in sys.modules), file=sys.stderr))
sys.argv[1:] = ["--help"]
runpy.run_module("detent", run_name="__main__", alter_sys=True)
"""
"""Asks for help and then says how many modules of SymPy are in memory."""


def run(quick: bool) -> list[Row]:
    """Imports and commands, the best of several, taking turns; and once each the first run on a machine.

    >>> run(quick=True)[0].peer
    'SymPy'
    """
    imports = _best(IMPORTS, _import_seconds, turns=1 if quick else 8)
    commands = _best(COMMANDS, _seconds, turns=1 if quick else 8)
    alone, process = imports["import sympy"], commands["import sympy"]
    return [
        _row("import detent", 1.5, imports["import detent"], alone, "import alone"),
        _row("import detent; detent.System", 1.5, imports["detent.System"], alone, "import alone"),
        _row("the same and detent.simulate", None, imports["detent.simulate"], alone, "import alone"),
        _row("detent --help", None, commands["detent --help"], process, "whole process"),
        _help_without_sympy(),
        _row("detent run pendulum --json", 4.0, commands["detent run"], process, "whole process"),
        *first_runs(quick),
    ]


def _help_without_sympy() -> Row:
    """A ratio to zero modules says nothing, so this row has none."""
    found = int(_run([sys.executable, "-c", LOADED]).stderr.splitlines()[-1])
    return Row("modules of SymPy that detent --help loads", "1", float(found), 0.0, LIMIT, met=found == 0)


def _row(what: str, target: float | None, ours: float, theirs: float, note: str) -> Row:
    return Row.at_most(
        target, what, ours=1e3 * ours, theirs=1e3 * theirs, unit="ms",
        peer="SymPy", peer_version=sympy.__version__, note=note,
    )  # fmt: skip


def _best(cases: Mapping[str, Case], seconds: Callable[[Case], float], turns: int) -> dict[str, float]:
    """The least seconds of each case, the cases taking turns; the first turn fills the caches of the file system."""
    found: dict[str, list[float]] = {name: [] for name in cases}
    for _ in range(turns):
        for name, case in cases.items():
            found[name].append(seconds(case))
    return {name: min(times) for name, times in found.items()}


def _import_seconds(statement: str) -> float:
    return float(_run([sys.executable, "-c", TIMED.format(statement)]).stdout)


def _seconds(command: Sequence[str]) -> float:
    start = time.perf_counter()
    _run(command)
    return time.perf_counter() - start


def _run(command: Sequence[str]) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(
            f"{' '.join(command[1:])!r} ended with exit code {done.returncode}, 0 was expected; run it by hand. "
            f"It said: {done.stderr.strip()[-500:]}"
        )
    return done
