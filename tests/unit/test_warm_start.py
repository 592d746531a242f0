"""A start that finds everything in the cache is quick because of what it leaves out."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

RUN = """
import atexit, runpy, sys
heavy = ("numba", "scipy", "xarray", "pandas", "matplotlib", "numpy.ma")
atexit.register(lambda: print(*(name for name in heavy if name in sys.modules), file=sys.stderr))
sys.argv[1:] = ["run", "{}", "--json"]
runpy.run_module("detent", run_name="__main__", alter_sys=True)
"""
MODEL = "import sys; import detent; detent.System; print('numpy' in sys.modules)"


def run(script: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    return subprocess.run(
        [sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True, timeout=300
    )


@pytest.mark.parametrize("name", ["pendulum", "disk-on-ramp"])
def test_a_warm_run_needs_neither_numba_nor_scipy(name: str) -> None:
    run(RUN.format(name))  # fills the cache if it is empty
    again = run(RUN.format(name))
    assert '"outcome": "completed"' in again.stdout
    assert again.stderr == "\n"


def test_a_model_is_written_without_numpy() -> None:
    assert run(MODEL).stdout == "False\n"
