"""A bar on long runs in a terminal, nothing anywhere else."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import time

import pytest

from detent.simulation import progress
from detent.simulation.progress import Progress

SLOW_RUN = """
import time
import detent
from detent.simulation import progress
from tests.unit.simulation.systems import block
progress.PATIENCE = 0.2
def sleepy(t, state):
    time.sleep(0.05)
    return 1.0
detent.simulate(block(detent.Sampled(0.1, sleepy)), 2.0)
print("done")
"""


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def shown(stream: io.StringIO, wanted: bool | None, monkeypatch: pytest.MonkeyPatch, patience: float = 0.0) -> str:
    monkeypatch.setattr(progress, "PATIENCE", patience)
    monkeypatch.setattr(sys, "stderr", stream)
    with Progress(10.0, wanted) as bar:
        time.sleep(0.001)
        bar.show(2.5)
        bar.show(10.0)
    return stream.getvalue()


def test_a_pipe_sees_nothing_unless_it_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    assert shown(io.StringIO(), None, monkeypatch) == ""
    assert shown(io.StringIO(), False, monkeypatch) == ""


def test_a_terminal_sees_nothing_when_told_not_to_or_soon_over(monkeypatch: pytest.MonkeyPatch) -> None:
    assert shown(Terminal(), False, monkeypatch) == ""
    assert shown(Terminal(), None, monkeypatch, patience=60.0) == ""


def test_a_terminal_sees_the_time_reached(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    assert "of 10 s" in shown(Terminal(), None, monkeypatch)


@pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals are a thing of Unix")
def test_a_long_run_in_a_pseudo_terminal_shows_a_bar_and_takes_it_away() -> None:
    import pty

    master, slave = pty.openpty()
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "TERM": "xterm"}
    started = subprocess.Popen(
        [sys.executable, "-c", SLOW_RUN], stdout=subprocess.PIPE, stderr=slave, env=environment, text=True
    )
    os.close(slave)
    seen = b""
    while True:
        try:
            part = os.read(master, 4096)
        except OSError:  # how Linux says that the other end is closed
            break
        if not part:
            break
        seen += part
    out, _ = started.communicate(timeout=60)
    os.close(master)
    assert out == "done\n"
    assert b"of 2 s" in seen
    assert started.returncode == 0
