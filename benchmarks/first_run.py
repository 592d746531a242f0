"""The first run on a machine, where there are no compiled kernels yet: from a clone and from an installed wheel."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path
from typing import Final

from .runner import Row

MODELS: Final = {"pendulum": "a system", "disk-on-ramp": "an automaton"}
LIMITS: Final = {"clone": 30.0, "wheel": 5.0}
"""Seconds until the first automaton has run, on two processors that have nothing else to do."""

REPOSITORY: Final = Path(__file__).parents[1]


def first_runs(quick: bool) -> list[Row]:
    """Each model run once from sources, and once from a wheel where one can be built; quickly, one from sources.

    >>> LIMITS["wheel"] < LIMITS["clone"]
    True
    """
    names = list(MODELS)[:1] if quick else list(MODELS)
    rows = [_row(name, "clone", sys.path) for name in names]
    if not quick and (REPOSITORY / "pyproject.toml").exists():
        with tempfile.TemporaryDirectory(prefix="detent-bench-") as folder:
            installed = install_wheel(Path(folder))
            rows += [_row(name, "wheel", [str(installed), *sys.path]) for name in names]
    return rows


def install_wheel(folder: Path) -> Path:
    """Build a wheel of this repository and unpack it below a folder; the path to put before all others."""
    command = [
        sys.executable,
        "-m",
        "pip",
        "wheel",
        "--no-deps",
        "--quiet",
        "--wheel-dir",
        str(folder),
        str(REPOSITORY),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"no wheel could be built of {REPOSITORY}; pip said: {done.stderr.strip()[-500:]}")
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder / "installed")
    return folder / "installed"


def _row(name: str, kind: str, path: list[str]) -> Row:
    wall, processor = _cold_run(name, path)
    what = f"first run of {MODELS[name]} ({name}) from a {kind}"
    note = f"{processor:.1f} s of processor time"
    if name == "disk-on-ramp":
        return Row.within(LIMITS[kind], what, ours=wall, unit="s", note=note)
    return Row(what, "s", wall, note=note)


def _cold_run(name: str, path: list[str]) -> tuple[float, float]:
    """Seconds on the clock and of all processors together, in a process that finds no kernels."""
    with tempfile.TemporaryDirectory(prefix="detent-bench-") as empty:
        environment = os.environ | {"DETENT_CACHE_DIR": empty, "PYTHONPATH": os.pathsep.join(path)}
        before, start = _processor_seconds(), time.perf_counter()
        subprocess.run(
            [sys.executable, "-m", "detent", "run", name, "--json"], env=environment, capture_output=True, check=True
        )
        return time.perf_counter() - start, _processor_seconds() - before


def _processor_seconds() -> float:
    """What processes that this one has waited for have used, and those that they have waited for."""
    used = os.times()
    return used.children_user + used.children_system
