"""What a wheel holds beyond the sources, and that an installation uses it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from benchmarks.first_run import install_wheel
from detent.kernels import LIBRARIES

RUN = """
import runpy, sys
sys.argv[1:] = ["run", "disk-on-ramp", "--json"]
runpy.run_module("detent", run_name="__main__", alter_sys=True)
"""
WITHOUT_NUMBA = """
from detent.jit import kernel_crew
kernel_crew.START = kernel_crew.START.replace("; work()", "; sys.modules['numba'] = None; work()")
kernel_crew.translated_here = None
"""
"""Put before a run, it lets nothing be translated: neither in a process that compiles nor in this one."""

MOST_BYTES = 250_000
"""Of one translation. The largest has 136 kB; a walk of tapes that was copied to each of its callers made that 1.1 MB,
and a first run twice as long."""


def result(script: str, cache: Path, *path: str) -> dict[str, Any]:
    environment = os.environ | {"DETENT_CACHE_DIR": str(cache), "PYTHONPATH": os.pathsep.join([*path, *sys.path])}
    done = subprocess.run(
        [sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=False, timeout=600
    )
    assert done.returncode == 0, done.stderr
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


@pytest.mark.slow
def test_an_installed_wheel_needs_no_numba_and_gives_the_same_bits(tmp_path: Path) -> None:
    installed = install_wheel(tmp_path)
    carried = {file.name: file.stat().st_size for file in (installed / "detent" / "jit" / "translated").iterdir()}
    page = {file.name for file in (installed / "detent" / "view" / "page").iterdir()}
    assert page == {"player.html", "player.css", "player.js"}
    names = {library.job().translation: library.name for library in LIBRARIES}
    assert carried.keys() == names.keys()
    assert {names[key]: size for key, size in carried.items() if size > MOST_BYTES} == {}
    from_wheel = result(WITHOUT_NUMBA + RUN, tmp_path / "first cache", str(installed))
    from_sources = result(RUN, tmp_path / "second cache")
    for found in (from_wheel, from_sources):
        assert found["timing"]["compile_s"] > 0.0
        del found["timing"]
    assert from_wheel == from_sources
