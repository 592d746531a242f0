"""The log of a live run: lines that are whole, whatever happens to who writes them."""

from __future__ import annotations

import json
import time
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import detent
from detent.errors import DetentError, ValueProblem
from detent.results.timing import ModeTiming
from detent.simulation.live_log import LiveLog
from detent.simulation.live_timing import LiveTiming
from detent.stepping.servo import ServoCounts

COUNTS = ServoCounts(steps=1000, missed=3, worst_own=2.5e-4, worst_step=17, mean_own=8e-6, over=0)


def lines_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def bead() -> Any:
    system = detent.System("bead")
    x = system.coordinates("x")
    system.particle("bead", system.origin.offset("bead", x * system.ground.x), mass=1)
    return system


def test_a_run_tells_when_it_starts_how_it_is_and_when_it_ends(tmp_path: Path) -> None:
    path = tmp_path / "bead.jsonl"
    live = detent.Live(bead(), log=path)
    live.start(beside_idle=True)
    while not any(line["kind"] == "timing" for line in lines_of(path)):
        time.sleep(0.05)
    live.stop()
    lines = lines_of(path)
    assert list(dict.fromkeys(line["kind"] for line in lines)) == ["start", "mode", "timing", "end"]
    assert lines[0]["model"] == "bead"
    assert lines[0]["period_ms"] == 1.0
    mode = lines[1]
    assert mode["mode"] == "free"
    assert {"derive_ms", "ready_ms", "native_ms", "prefetched"} <= set(mode)
    told, counts = live.timing.as_json(), lines[-1]
    assert counts["failure"] is None
    assert {name: counts[name] for name in told if name != "modes"} == {n: v for n, v in told.items() if n != "modes"}
    assert counts["idle_missed"] is not None
    assert counts["t"] == live.time
    assert all(earlier["at"] <= later["at"] for earlier, later in pairwise(lines))


def test_a_second_run_is_told_below_the_first(tmp_path: Path) -> None:
    path = tmp_path / "bead.jsonl"
    for _ in range(2):
        live = detent.Live(bead(), log=path)
        live.start()
        live.stop()
    assert [line["kind"] for line in lines_of(path)] == ["start", "mode", "end"] * 2


def test_a_mode_is_told_once_and_once_more_with_its_native_code(tmp_path: Path) -> None:
    log = LiveLog(tmp_path / "modes.jsonl")
    for native in (None, None, 3.5, 3.5):
        timing = LiveTiming(
            1e-3, COUNTS, 2, (ModeTiming("free", 1.5, 2.0, native), ModeTiming("ahead", 1.0, 1.0, 2.0, True))
        )
        log.look("timing", timing, 1.0, "free")
    modes = [(line["mode"], line["native_ms"]) for line in lines_of(log.path) if line["kind"] == "mode"]
    assert modes == [("free", None), ("ahead", 2.0), ("free", 3.5)]
    assert sum(line["kind"] == "timing" for line in lines_of(log.path)) == 4


def test_why_a_run_ended_by_itself_is_told(tmp_path: Path) -> None:
    system = detent.System("runaway")
    x = system.coordinates(x=1)
    bead = system.particle("bead", system.origin.offset("bead", x * system.ground.x), mass=1)
    system.force("push", bead.center, 1e9 * x**9 * system.ground.x)
    live = detent.Live(system, log=tmp_path / "runaway.jsonl")
    live.start()
    while live.is_running:
        time.sleep(0.01)
    with pytest.raises(DetentError) as told:
        live.stop()
    assert lines_of(tmp_path / "runaway.jsonl")[-1]["failure"] == str(told.value)


def test_a_log_that_cannot_be_written_is_named_before_the_run(tmp_path: Path) -> None:
    with pytest.raises(
        ValueProblem, match=r"the log .*nowhere.* cannot be written: No such file or directory; name ano"
    ):
        detent.Live(bead(), log=tmp_path / "nowhere" / "bead.jsonl")


def test_a_log_that_can_be_written_no_longer_ends_and_is_told(tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()
    live = detent.Live(bead(), log=tmp_path / "logs" / "bead.jsonl")
    (tmp_path / "logs" / "bead.jsonl").unlink()
    (tmp_path / "logs").rmdir()
    live.start()
    with pytest.raises(
        DetentError, match=r"ends before the run does: No such file or directory; give it room, or name"
    ):
        live.stop()
    live.start()
    assert live.is_running
    with pytest.raises(DetentError, match="ends before the run does"):
        live.stop()
