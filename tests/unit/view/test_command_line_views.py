"""The command line's pictures and tables: automaton, --strobe, --animate, --events."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from detent.cli import main

MODEL = """
import detent
system = detent.System("ball")
g = system.parameters(g=10)
height = system.coordinates(height=5)
system.particle("ball", system.origin.offset("ball", height*system.ground.y), mass=1)
system.gravity(-g*system.ground.y)
floor = system.constrain(detent.holonomic("floor", height), active=False)
automaton = detent.Automaton(system)
flight = automaton.mode("flight")
rest = automaton.mode("rest", constraints=[floor])
automaton.transition("lands", flight, rest, when=height <= 0, reset=detent.Impact())
until = 2
"""


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    """The command line in an empty folder but for a model file: exit code, output, errors."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ball.py").write_text(MODEL)

    def answer(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["detent", *arguments])
        code = 0
        try:
            main()
        except SystemExit as stop:
            code = stop.code if isinstance(stop.code, int) else int(stop.code is not None)
        return (code, *capsys.readouterr())

    return answer


def test_an_automaton_of_a_model_file_is_told_in_words(run: Any) -> None:
    code, out, error = run("automaton", "ball.py")
    assert (code, error) == (0, "")
    assert "ball: 2 modes, 1 transition; starts in 'flight'" in out
    assert "lands -> rest  [impact]" in out
    assert "height <= 0" in out


def test_a_run_shows_what_was_visited(run: Any) -> None:
    # It falls 5 m with 10 m/s^2: lands at 1 s.
    code, out, _ = run("automaton", "ball.py", "--run")
    assert code == 0
    assert "lands -> rest  [impact]  (once, t = 1 s)" in out
    assert "rest  (1 visit, 1 s)" in out
    assert "(never)" in run("automaton", "ball.py", "--run", "--until", "1/2")[1]
    assert "(once, t = 2 s)" in run("automaton", "ball.py", "--run", "--until", "3", "--set", "height=20")[1]


@pytest.mark.parametrize("ending", ["svg", "png", "json", "mmd"])
def test_an_automaton_is_written_as_its_ending_says(run: Any, tmp_path: Path, ending: str) -> None:
    code, out, _ = run("automaton", "ball.py", "--run", "--out", f"ball.{ending}")
    assert (code, out) == (0, f"drawn in ball.{ending}\n")
    written = (tmp_path / f"ball.{ending}").read_bytes()
    begins = {"svg": b"<?xml", "png": b"\x89PNG", "json": b"{", "mmd": b"stateDiagram-v2\n"}[ending]
    assert written.startswith(begins)
    if ending == "json":
        assert json.loads(written)["transitions"][0]["count"] == 1


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["automaton", "pendulum"], ["'pendulum' has no automaton", "leave behind 'automaton'"]),
        (["automaton", "ball.py", "--out", "ball.dot"], ["ends in '.dot'", ".json, .mmd"]),
        (["automaton", "ball.py", "--out", "nowhere/ball.svg"], ["there is no folder"]),
        (["automaton", "ball.py", "--until", "3"], ["--until says how long to simulate, which needs --run"]),
        (["automaton", "ball.py", "--set", "hight=3"], ["no quantity named 'hight'; did you mean 'height'?"]),
        (["run", "ball.py", "--events", "some"], ["--events is 'some'", "'all'"]),
        (["run", "ball.py", "--strobe", "ball.gif"], ["ends in '.gif'"]),
        (["run", "ball.py", "--animate", "ball.png"], ["ends in '.png'", ".gif, .mp4, .html"]),
        (["run", "ball.py", "--animate", "nowhere/ball.html"], ["there is no folder"]),
        (["run", "heavy-top", "--strobe", "top.png"], ["'heavy top' moves in space", "planar model"]),
    ],
    ids=lambda value: " ".join(value[:3]) if isinstance(value, list) else "",
)
def test_a_mistake_is_answered_in_words_before_the_work(
    run: Any, tmp_path: Path, arguments: list[str], words: list[str]
) -> None:
    code, out, error = run(*arguments)
    assert (code, out) == (2, "")
    assert all(word in error for word in words)
    assert [file.name for file in tmp_path.iterdir() if file.name != "__pycache__"] == ["ball.py"]


def test_a_run_lists_its_events(run: Any) -> None:
    _, out, _ = run("run", "ball.py")
    assert [line.split()[:5] for line in out.splitlines() if " lands " in line] == [
        ["1", "impact", "lands", "flight", "rest"]
    ]
    assert "lands" not in run("run", "ball.py", "--events", "0")[1]


def test_a_run_is_drawn_at_equally_spaced_times(run: Any, tmp_path: Path) -> None:
    code, out, _ = run("run", "ball.py", "--strobe", "ball.png")
    assert code == 0
    assert "stroboscopic picture in ball.png" in out
    assert (tmp_path / "ball.png").read_bytes().startswith(b"\x89PNG")


def test_a_run_is_written_as_a_moving_picture(run: Any, tmp_path: Path) -> None:
    code, out, _ = run("run", "ball.py", "--animate", "ball.html")
    assert code == 0
    assert "animation in ball.html" in out
    assert (tmp_path / "ball.html").read_text().startswith("<!DOCTYPE html>")


def test_an_automaton_without_an_end_is_refused(run: Any, tmp_path: Path) -> None:
    (tmp_path / "endless.py").write_text(MODEL.replace("until = 2", ""))
    code, _, error = run("automaton", "endless.py")
    assert code == 2
    assert "endless.py defines 'automaton' but no number 'until'" in error
