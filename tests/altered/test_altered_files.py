"""No file, however it was altered, ends the process or shows a traceback: it is refused in words, or it goes on.

``-m slow`` tries 20,000 files, and prints how they ended.
"""

from __future__ import annotations

import os
import queue
import subprocess
import sys
import threading
from collections import Counter
from pathlib import Path
from typing import IO

import pytest

PATIENCE = 600
"""A file for which nothing is heard for so long, s, makes the process hang."""
TOP = Path(__file__).parents[2]


def outcomes(kind: str, first: int, last: int) -> dict[int, str]:
    """What became of the altered file of each seed; a process that dies is started again after the one it died of."""
    found: dict[int, str] = {}
    while first < last:
        said, ended = _told(kind, first, last)
        found |= said
        first += len(said)
        if first < last:
            found[first] = f"WRONG: the process {ended}"
            first += 1
    return found


def _told(kind: str, first: int, last: int) -> tuple[dict[int, str], str]:
    """What one process says, and how it ended."""
    command = [sys.executable, "-X", "faulthandler", "-m", "tests.altered.worker", kind, str(first), str(last)]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(TOP), *sys.path])}
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment, cwd=TOP
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        lines: queue.Queue[str | None] = queue.Queue()
        errors: list[str] = []
        readers = [
            threading.Thread(target=_hand_over, args=(process.stdout, lines)),
            threading.Thread(target=lambda stream: errors.append(stream.read()), args=(process.stderr,)),
        ]
        for reader in readers:
            reader.start()
        said, ended = _listen(lines)
        if ended == "hangs":
            process.kill()
        code = process.wait()
        for reader in readers:
            reader.join()
    if said is None:
        raise AssertionError(f"the files that are to be altered could not be made: {errors}")
    return said, ended if ended == "hangs" else f"ended with {code}: {errors[0][-1000:]}"


def _hand_over(stream: IO[str], lines: queue.Queue[str | None]) -> None:
    for line in stream:
        lines.put(line)
    lines.put(None)


def _listen(lines: queue.Queue[str | None]) -> tuple[dict[int, str] | None, str]:
    said: dict[int, str] | None = None
    while True:
        try:
            line = lines.get(timeout=PATIENCE)
        except queue.Empty:
            return said, "hangs"
        if line is None:
            return said, "ends"
        if said is None:
            assert line == "ready\n"
            said = {}
        else:
            seed, ended = line.rstrip("\n").split(" ", 1)
            said[int(seed)] = ended


def check(kind: str, count: int) -> Counter[str]:
    found = outcomes(kind, 0, count)
    assert list(found) == list(range(count))
    assert {seed: ended for seed, ended in found.items() if ended.startswith("WRONG")} == {}
    return Counter(found.values())


@pytest.mark.parametrize("kind", ["checkpoint", "result", "object"])
def test_a_sample_of_altered_files_is_refused_or_goes_on(kind: str) -> None:
    ended = check(kind, 60)
    refused = ended["compiled again"] if kind == "object" else ended["refused"]
    assert refused > 30
    assert ended["went on"] > 0


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "count"), [("checkpoint", 10_000), ("result", 6_000), ("object", 4_000)])
def test_twenty_thousand_altered_files_are_refused_or_go_on(kind: str, count: int) -> None:
    print(kind, dict(check(kind, count)))


@pytest.mark.parametrize("harm", ["ends", "hangs"])
def test_a_process_that_ends_or_hangs_is_noticed(harm: str, monkeypatch: pytest.MonkeyPatch) -> None:
    lines: queue.Queue[str | None] = queue.Queue()
    for line in ("ready\n", "0 went on\n", "1 refused\n", *([None] if harm == "ends" else [])):
        lines.put(line)
    monkeypatch.setattr(sys.modules[__name__], "PATIENCE", 0)
    assert _listen(lines) == ({0: "went on", 1: "refused"}, harm)
