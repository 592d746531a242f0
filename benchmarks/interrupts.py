"""How soon Ctrl-C is answered: work in another process is interrupted at random moments."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Final

from . import interrupted
from .runner import Row

TITLE = "from Ctrl-C, at random moments, until KeyboardInterrupt or SimulationError is there; the longest of many"

LIMIT: Final = 1.0
"""Seconds in which an interrupt is to be answered."""
TIMES: Final = 100
LONGEST_WAIT: Final = 1.0
"""Each comes at a moment between now and then, s."""


def run(quick: bool) -> list[Row]:
    """A row for each kind of work; quickly, for one that is begun at once.

    >>> [row.unit for row in run(quick=True)]
    ['s']
    """
    names = list(interrupted.WORK)
    return [_row(name, 2 if quick else TIMES) for name in (names[-1:] if quick else names)]


def _row(name: str, times: int) -> Row:
    seconds = sorted(answers(name, times))
    usual = seconds[len(seconds) // 2]
    note = f"{times} times, half of them in {1e3 * usual:.1f} ms"
    return Row.within(LIMIT, name, ours=seconds[-1], unit="s", note=note)


def answers(name: str, times: int) -> Iterator[float]:
    """How long each answer took, s."""
    chance = random.Random(name)
    with _process(name, times) as (process, said):
        for _ in range(times):
            _wait_for(said, interrupted.BEGINS)
            time.sleep(chance.uniform(0.0, LONGEST_WAIT))
            sent = time.perf_counter()
            process.send_signal(signal.SIGINT)
            _wait_for(said, interrupted.ENDED)
            yield time.perf_counter() - sent


@contextmanager
def _process(name: str, times: int) -> Iterator[tuple[subprocess.Popen[str], IO[str]]]:
    with tempfile.TemporaryDirectory(prefix="detent-bench-") as empty:
        cold = {"DETENT_CACHE_DIR": empty} if interrupted.WORK[name] is interrupted.of_kernels else {}
        environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)} | cold
        command = [sys.executable, "-m", interrupted.__name__, name, str(times)]
        with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            try:
                yield process, process.stdout
            finally:
                process.kill()


def _wait_for(said: IO[str], word: str) -> None:
    found = said.readline().strip()
    if found != word:
        raise RuntimeError(f"the process that is interrupted said {found!r}, {word!r} was expected; run it by hand")
