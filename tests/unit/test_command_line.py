"""The command line: its contract in JSON, its exit codes, and plain words instead of tracebacks."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import detent
from detent.cli import main

COMMAND = "import sys; sys.argv[0] = 'detent'; from detent.cli import main; main()"


@dataclass(frozen=True)
class Answer:
    code: int
    out: str
    error: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    """The command line in this process, in an empty folder: what it prints and its exit code."""
    monkeypatch.chdir(tmp_path)

    def answer(*arguments: str) -> Answer:
        monkeypatch.setattr(sys, "argv", ["detent", *arguments])
        code = 0
        try:
            main()
        except SystemExit as stop:
            code = stop.code if isinstance(stop.code, int) else int(stop.code is not None)
        out, error = capsys.readouterr()
        assert "Traceback" not in out + error
        return Answer(code, out, error)

    return answer


def process(*arguments: str, cwd: Path, code: str = COMMAND) -> Answer:
    """The command line in a process of its own."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, cwd=cwd, env=environment, timeout=120
    )
    assert "Traceback" not in done.stdout + done.stderr
    return Answer(done.returncode, done.stdout, done.stderr)


# -- what it prints ----------------------------------------------------------------------------


def test_examples_are_listed_by_name_with_a_title(run: Any) -> None:
    listed = run("examples", "--json")
    assert listed.code == 0
    names = [entry["name"] for entry in listed.json]
    assert set(listed.json[0]) == {"name", "title"}
    assert names == list(detent.examples())
    assert "pendulum" in names
    text = run("examples").out
    assert all(name in text for name in names)
    assert "detent run NAME" in text


def test_json_has_the_keys_of_the_contract(run: Any) -> None:
    answer = run("run", "pendulum", "--until", "1", "--json")
    assert (answer.code, answer.error) == (0, "")
    assert answer.out.count("\n") == 1
    result = answer.json
    assert set(result) == {"example", "parameters", "until", "outcome", "events", "final", "audit", "timing"}
    assert result["example"] == "pendulum"
    assert result["parameters"] == {"m": 1.0, "length": 1.0, "g": 9.81}
    assert (result["until"], result["outcome"], result["events"]) == (1.0, "completed", [])
    assert set(result["final"]) == {"t", "mode", "coordinates", "speeds", "signals"}
    assert result["final"]["t"] == 1.0
    assert set(result["final"]["coordinates"]) == {"angle"}
    assert set(result["final"]["speeds"]) == {"angle_rate"}
    audit = {"energy_balance", "position_residual", "velocity_residual", "smallest_gap"}
    assert audit <= set(result["audit"])
    assert {"wall_s", "steps", "rhs_evaluations", "modes"} <= set(result["timing"])
    assert {"mode", "derive_ms", "ready_ms", "native_ms"} <= set(result["timing"]["modes"][0])


def test_the_numbers_are_those_of_the_library(run: Any) -> None:
    found = run("run", "pendulum", "--until", "3/2", "--rtol", "1e-8", "--method", "dopri5", "--step", "0.1", "--json")
    expected = detent.example("pendulum").simulate(until=1.5, rtol=1e-8, method="dopri5", step=0.1)
    assert found.json["final"]["coordinates"] == {"angle": expected.final.angle}
    assert found.json["timing"]["steps"] == expected.timing.steps


def test_without_json_there_is_a_summary(run: Any) -> None:
    answer = run("run", "pendulum", "--until", "1")
    assert answer.code == 0
    assert "pendulum: completed at t = 1" in answer.out
    assert answer.error == ""


def test_equations_are_shown_as_text_and_as_latex(run: Any) -> None:
    text, latex = run("equations", "pendulum"), run("equations", "pendulum", "--latex")
    assert text.code == latex.code == 0
    assert "angle" in text.out
    assert "\\" in latex.out


# -- what can be set ---------------------------------------------------------------------------


def test_parameters_start_values_and_expressions_are_set_by_name(run: Any) -> None:
    answer = run("run", "pendulum", "--set", "length=2*sqrt(4)", "--set", "angle = pi/12", "--set", "angle_rate=-.5",
                 "--until", "0", "--json")  # fmt: skip
    assert answer.json["parameters"]["length"] == 4.0
    assert answer.json["final"]["coordinates"]["angle"] == math.pi / 12
    assert answer.json["final"]["speeds"]["angle_rate"] == -0.5


def test_structure_is_set_by_name(run: Any) -> None:
    answer = run("run", "chain", "--set", "links=3", "--set", "q3=0.1", "--until", "0.1", "--json")
    assert len(answer.json["final"]["coordinates"]) == 3
    for bad in ("2.5", "0", "-1", "1001", "1e300"):
        refused = run("run", "chain", "--set", f"links={bad}")
        assert refused.code == 2
        assert "'links' of 'chain'" in refused.error
        assert "whole number from 1 to 1000" in refused.error


def test_the_embedding_is_chosen_by_word(run: Any) -> None:
    answers = [
        run("run", "pendulum", "--until", "1", "--embedding", word, "--json") for word in ("symbolic", "numeric")
    ]
    first, second = (answer.json["final"]["coordinates"]["angle"] for answer in answers)
    assert first == pytest.approx(second, abs=1e-9)


# -- files -------------------------------------------------------------------------------------


def test_a_run_is_saved_and_drawn(run: Any, tmp_path: Path) -> None:
    answer = run("run", "pendulum", "--until", "1", "--out", "run.nc", "--plot", "run.png")
    assert answer.code == 0
    assert "saved to run.nc" in answer.out
    assert "drawn in run.png" in answer.out
    assert detent.load(tmp_path / "run.nc").final.time == 1.0
    assert (tmp_path / "run.png").read_bytes().startswith(b"\x89PNG")
    assert sorted(file.name for file in tmp_path.iterdir()) == ["run.nc", "run.png"]


@pytest.mark.parametrize("ending", ["svg", "pdf"])
def test_the_same_run_draws_the_same_bytes(run: Any, tmp_path: Path, ending: str) -> None:
    for name in ("first", "second"):
        assert run("run", "pendulum", "--until", "1", "--plot", f"{name}.{ending}", "--json").code == 0
    assert (tmp_path / f"first.{ending}").read_bytes() == (tmp_path / f"second.{ending}").read_bytes()


@pytest.mark.parametrize(
    ("option", "words"),
    [
        (["--out", "nowhere/run.nc"], ["nowhere/run.nc cannot be written", "there is no folder", "create it first"]),
        (["--plot", "nowhere/run.png"], ["there is no folder", "create it first"]),
        (["--plot", "run.gif"], ["'run.gif' ends in '.gif'", ".png, .svg, .pdf"]),
        (["--out", "folder"], ["folder cannot be written: it is a folder", "name of a file"]),
        (["--plot", "folder.png"], ["folder.png cannot be written: it is a folder"]),
    ],
)
def test_a_place_that_cannot_be_written_is_found_out_before_the_work(
    run: Any, tmp_path: Path, option: list[str], words: list[str]
) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder.png").mkdir()
    answer = run("run", "pendulum", "--json", *option)
    assert (answer.code, answer.out) == (2, "")
    assert all(word in answer.error for word in words)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["folder", "folder.png"]


@pytest.mark.parametrize("damage", ["cut", "foreign", "empty", "missing"])
def test_a_damaged_result_file_is_refused_in_words(run: Any, tmp_path: Path, damage: str) -> None:
    path = tmp_path / "run.nc"
    if damage != "missing":
        run("run", "pendulum", "--until", "1", "--out", "run.nc")
        whole = path.read_bytes()
        path.write_bytes({"cut": whole[: len(whole) // 2], "foreign": b"hello", "empty": b""}[damage])
    with pytest.raises(detent.ResultFileError, match=r"run\.nc"):
        detent.load(path)


# -- mistakes ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["run", "pendulun"], ["no example named 'pendulun'", "did you mean 'pendulum'?", "Names that exist"]),
        (["equations", "nothing"], ["no example named 'nothing'"]),
        (["equations", "pendulum", "--mode", "roll"], ["no mode named 'roll'", "free"]),
        (["run", "pendulum", "--set", "legnth=2"], ["no quantity named 'legnth'", "did you mean 'length'?", "angle"]),
        (["run", "pendulum", "--set", "length"], ["--set 'length' is not of the form name=value", "tilt=pi/12"]),
        (["run", "pendulum", "--set", "=2"], ["not of the form name=value"]),
        (["run", "pendulum", "--set", "length="], ["not of the form name=value"]),
        (["run", "pendulum", "--set", "length=1", "--set", "length=2"], ["--set gives 'length' twice"]),
        (["run", "pendulum", "--set", "length=two"], ["'two' has no value here"]),
        (["run", "pendulum", "--set", "length=__import__('os')"], ["'__import__' is not offered"]),
        (["run", "pendulum", "--set", "length=1/0"], ["has no value", "check its numbers"]),
        (["run", "pendulum", "--set", "m=0"], ["1 mistake in the model", "body 'bob': its mass is 0"]),
        (["run", "pendulum", "--set", "m=-1"], ["its mass is -1", "greater than zero"]),
        (["run", "pendulum", "--until", "-1"], ["end at t = -1", "zero or later"]),
        (["run", "pendulum", "--until", "soon"], ["'soon' has no value here"]),
        (["run", "pendulum", "--rtol", "0"], ["rtol is 0"]),
        (["run", "pendulum", "--method", "euler"], ["no method named 'euler'", "dop853"]),
        (["run", "pendulum", "--method", "rk4"], ["no step was given", "give step="]),
        (["run", "pendulum", "--embedding", "magic"], ["embedding is 'magic'"]),
        (["run", "missing.py"], ["there is no file missing.py", "existing Python file"]),
    ],
    ids=lambda value: " ".join(value[1:]) if isinstance(value, list) else "",
)
def test_a_mistake_is_answered_in_words_with_exit_code_two(run: Any, arguments: list[str], words: list[str]) -> None:
    answer = run(*arguments)
    assert (answer.code, answer.out) == (2, "")
    assert answer.error.startswith("detent: ")
    for word in words:
        assert word in answer.error


@pytest.mark.parametrize("arguments", [["fly"], ["run"], ["run", "pendulum", "--fast"], ["run", "pendulum", "--set"]])
def test_a_wrong_call_is_answered_in_words_with_exit_code_two(run: Any, arguments: list[str]) -> None:
    answer = run(*arguments)
    assert (answer.code, answer.out) == (2, "")
    assert "Usage" in answer.error or "requires an argument" in answer.error


# -- model files -------------------------------------------------------------------------------

SLIDER = """
import detent
system = detent.System("slider")
m = system.parameters(m=2)
x = system.coordinates("x")
push = system.input("push", 1.0)
block = system.particle("block", system.origin.offset("block", x*system.ground.x), mass=m)
system.force("push", block, push*system.ground.x)
"""

BLOW_UP = """
import detent
system = detent.System("blow-up")
x = system.coordinates(x=1)
system.start(x_rate=2)
bob = system.particle("bob", system.origin.offset("bob", x*system.ground.x), mass=1)
system.force("pull", bob, 6*x**2*system.ground.x)
until = 2
"""


@pytest.mark.parametrize(
    "ending",
    [
        "until = 2",
        "example = detent.Example('slider', system, until=2.0)",
        "def build():\n    return detent.Example('slider', system, until=2.0)",
    ],
    ids=["system", "example", "build"],
)
def test_a_model_file_is_run(run: Any, tmp_path: Path, ending: str) -> None:
    (tmp_path / "slider.py").write_text(SLIDER + ending)
    answer = run("run", "slider.py", "--set", "push=3", "--set", "m=3", "--set", "x=1", "--json")
    assert answer.code == 0
    assert answer.json["example"] == "slider"
    # x = 1 + t^2/2 with a force of 3 N on 3 kg.
    assert answer.json["final"]["coordinates"]["x"] == pytest.approx(3.0, abs=1e-12)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (SLIDER, ["defines 'system' but no number 'until'", "until = 10"]),
        (SLIDER + "until = 'late'", ["no number 'until'"]),
        ("x = 1", ["defines no model", "leave behind 'system'"]),
        ("", ["defines no model"]),
        ("def broken(:", ["model.py failed", "SyntaxError"]),
        ("import detent\n1/0", ["model.py failed at line 2", "ZeroDivisionError"]),
        ("import nothing_of_that_name", ["ModuleNotFoundError", "nothing_of_that_name"]),
        ("def build():\n    return None", ["defines no model"]),
        ("raise SystemExit(0)", ["model.py ended the program", "remove the call"]),
        (SLIDER.replace("m=2", "m=-2") + "until = 1", ["body 'block': its mass is -2"]),
        (SLIDER.replace("m=2", "m=None") + "until = 1", ["parameter 'm': it has no value"]),
        (SLIDER.replace("x*system.ground.x", "x") + "until = 1", ["point 'block': its offset is x, not a vector"]),
        (SLIDER.replace("1.0", "detent.Sampled(0.1, lambda t, s: s['y'])") + "until = 1",
         ["the function of input 'push' failed at t = 0: KeyError: 'y'"]),
    ],
    ids=range(13),
)  # fmt: skip
def test_a_broken_model_file_is_answered_in_words(run: Any, tmp_path: Path, text: str, words: list[str]) -> None:
    (tmp_path / "model.py").write_text(text)
    answer = run("run", "model.py", "--json", "--out", "run.nc")
    assert (answer.code, answer.out) == (2, "")
    assert all(word in answer.error for word in words)
    assert not (tmp_path / "run.nc").exists()


def test_what_a_model_file_prints_does_not_get_into_the_json(run: Any, tmp_path: Path) -> None:
    (tmp_path / "loud.py").write_text("print('hello')\n" + SLIDER + "until = 1")
    answer = run("run", "loud.py", "--json")
    assert answer.json["outcome"] == "completed"
    assert answer.error == "hello\n"
    assert run("run", "loud.py").out.startswith("hello\n")


def test_a_run_that_could_not_go_on_is_written_and_answered_with_exit_code_one(run: Any, tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text(BLOW_UP)
    answer = run("run", "model.py", "--json", "--out", "run.nc", "--plot", "run.svg")
    assert answer.code == 1
    assert answer.json["outcome"] == "step-too-small"
    assert "could not go on: at t = 1" in answer.error
    assert detent.load(tmp_path / "run.nc").outcome.word == "step-too-small"
    assert (tmp_path / "run.svg").exists()
    assert run("run", "model.py").code == 1


# -- processes of its own ----------------------------------------------------------------------


def test_help_answers_without_sympy(tmp_path: Path) -> None:
    check = COMMAND.replace("main()", "") + (
        "\ntry:\n    main()\nexcept SystemExit as stop:\n    assert not stop.code\n"
        "heavy = {'sympy', 'numpy', 'numba', 'scipy', 'matplotlib', 'xarray'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
    )
    answer = process("--help", cwd=tmp_path, code=check)
    assert answer.code == 0, answer.error
    for command in ("examples", "run", "equations", "bench"):
        assert command in answer.out


def test_a_process_of_its_own_prints_one_object_and_nothing_else(tmp_path: Path) -> None:
    answer = process("run", "pendulum", "--until", "1", "--json", cwd=tmp_path)
    assert (answer.code, answer.error) == (0, "")
    assert answer.json["outcome"] == "completed"
    assert list(tmp_path.iterdir()) == []


def test_a_process_of_its_own_fails_in_words(tmp_path: Path) -> None:
    answer = process(
        "run",
        "pendulum",
        "--set",
        "m=-1",
        cwd=tmp_path,
        code="import runpy; runpy.run_module('detent', run_name='__main__')",
    )
    assert (answer.code, answer.out) == (2, "")
    assert "its mass is -1" in answer.error


def test_a_reader_that_goes_away_is_not_shouted_at(tmp_path: Path) -> None:
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    started = subprocess.Popen(
        [sys.executable, "-c", COMMAND, "examples"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment
    )
    assert started.stdout is not None
    assert started.stderr is not None
    with started.stderr:
        started.stdout.close()
        assert started.stderr.read() == b""
    assert started.wait(timeout=60) in (0, 1)


def test_a_greek_parameter_is_set_by_its_letter_or_by_the_sign_on_the_keyboard(run: Any, tmp_path: Path) -> None:
    (tmp_path / "drag.py").write_text(
        "import detent\n"
        "system = detent.System('drag')\n"
        "μ, e = system.parameters(μ=0.5, e=1)\n"
        "x = system.coordinates(x=1)\n"
        "system.particle('mass', system.origin.offset('mass', x*system.ground.x), mass=e)\n"
        "system.damper('drag', x.rate, μ)\n"
        "until = 1\n",
        encoding="utf-8",
    )
    for letter in ("\u03bc", "\u00b5"):
        answer = run("run", "drag.py", "--set", f"{letter}=2", "--set", "e=3", "--json")
        assert answer.json["parameters"] == {"\u03bc": 2.0, "e": 3.0}
    refused = run("run", "drag.py", "--set", "x=2*e")
    assert refused.code == 2
    assert "'e' has no value here" in refused.error


def test_a_run_of_a_file_has_the_name_that_the_model_gives_itself(run: Any, tmp_path: Path) -> None:
    model = (
        "import detent\n"
        "system = detent.System('sled')\n"
        "x = system.coordinates(x=1)\n"
        "system.particle('mass', system.origin.offset('mass', x*system.ground.x), mass=1)\n"
        "until = 1\n"
    )
    (tmp_path / "model.py").write_text(model)
    assert run("run", "model.py", "--json").json["example"] == "sled"
    (tmp_path / "model.py").write_text(model + "automaton = detent.Automaton(system, 'race')\nautomaton.mode('free')\n")
    assert run("run", "model.py", "--json").json["example"] == "race"


def test_the_version_is_told(run: Any) -> None:
    answer = run("--version")
    assert (answer.code, answer.out) == (0, f"detent {detent.__version__}\n")


def test_compare_prints_a_table_and_draws(run: Any) -> None:
    answer = run("compare", "slider-crank", "--formulations", "embedded,corrected", "--until", "1", "--plot", "c.png")
    assert answer.code == 0
    assert answer.out.splitlines()[0] == "slider-crank to t = 1 against embedded with dop853 at rtol 1e-12"
    assert [line.split()[0] for line in answer.out.splitlines()[2:4]] == ["embedded", "corrected"]
    assert answer.out.endswith("drawn in c.png\n")
    assert Path("c.png").stat().st_size > 1000


def test_compare_prints_json_alone(run: Any) -> None:
    answer = run("compare", "slider-crank", "--formulations", "projection", "--until", "1", "--set", "rod=4", "--json")
    (row,) = answer.json["formulations"]
    assert (row["formulation"], row["outcome"]) == ("projection", "completed")


def test_compare_names_the_formulations_it_knows(run: Any) -> None:
    answer = run("compare", "slider-crank", "--formulations", "embeded")
    assert answer.code == 2
    assert "use one of embedded, multipliers" in answer.error


# -- live runs ---------------------------------------------------------------------------------


def test_a_live_run_tells_its_time_in_json_and_in_words(run: Any) -> None:
    answer = run("live", "pendulum", "--seconds", "0.05", "--set", "angle=pi/3", "--json")
    assert answer.code == 0
    assert answer.json["example"] == "pendulum"
    assert answer.json["period_ms"] == 1.0
    assert {"steps", "missed", "idle_missed", "worst_own_ms", "mean_own_ms", "steps_over_period"} <= set(answer.json)
    assert [mode["mode"] for mode in answer.json["modes"]] == ["free"]
    assert "deadlines missed" in run("live", "pendulum", "--seconds", "0.01", "--rate", "500").out


def test_a_live_run_on_a_page_prints_no_json(run: Any) -> None:
    answer = run("live", "pendulum", "--json")
    assert answer.code == 2
    assert "--json prints how well a run kept time, which needs --seconds" in answer.error


def test_a_live_run_of_no_time_is_refused(run: Any) -> None:
    answer = run("live", "pendulum", "--seconds", "0")
    assert answer.code == 2
    assert "give a time greater than zero" in answer.error
