"""A run that is stopped, put into a file and taken up in another process goes on as if nothing had happened."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import detent
from detent.simulation import checkpoint as files
from detent.simulation.checkpoint_fields import CHOICE, FIELDS
from tests.altered.subjects import rail
from tests.unit.hybrid.models import ball, moving
from tests.unit.simulation.systems import double_pendulum

UNTIL = 3.0
PULL = ([0.0, 1.0, 1.2, 2.0], [0.0, 0.03, 0.0, 0.01])
RUNS: dict[str, tuple[float, ...]] = {
    "disk-on-ramp": (0.1, 1.0, 2.05),
    "kneed-walker": (0.2, 0.77, 1.5, 2.2),
    "conveyor-pendulum": (0.3, 0.9, 1.3, 2.0),
    "latch": (0.2, 0.5, 1.0, 1.1, 1.2, 2.5),  # two of them exactly where its input switches
    "bouncing-ball": (1.3, 2.03, 2.5),
}
ELSEWHERE = """
import json, sys
from pathlib import Path
from tests.unit.simulation.test_checkpoint import gone_on
print(json.dumps(gone_on(Path(sys.argv[1]))))
"""


def settings(name: str) -> dict[str, Any]:
    return {"inputs": {"pull": detent.Held(*PULL)}} if name == "latch" else {}


def begun(name: str, embedding: Any = "symbolic") -> detent.Simulation:
    automaton = detent.example(name).automaton
    assert automaton is not None
    return detent.Simulation(automaton, method="rk4", step=2e-3, embedding=embedding, **settings(name))


def bits(simulation: detent.Simulation) -> list[str]:
    """Where a simulation stands, to the last bit."""
    return [simulation.mode, *(float(value).hex() for value in simulation.state.values)]


def gone_on(folder: Path) -> dict[str, list[str]]:
    """Go on from every checkpoint of a folder to the end, and tell where that is.

    A step is cut short where a run stops, so that it stands there exactly: all stop at the same instants.
    """
    found = {}
    for path in sorted(folder.glob("*.json")):
        name = path.stem.rsplit(" ", 1)[0]
        automaton = detent.example(name).automaton
        assert automaton is not None
        simulation = detent.resume(automaton, path, **settings(name))
        for stop in (*RUNS[name], UNTIL):
            simulation.advance(max(stop, simulation.time))
        found[path.stem] = bits(simulation)
    return found


def test_the_same_bits_in_another_process(tmp_path: Path) -> None:
    ends = {}
    for name, stops in RUNS.items():
        simulation = begun(name)
        for stop in stops:
            simulation.advance(stop)
            simulation.checkpoint(tmp_path / f"{name} {stop}.json")
        simulation.advance(UNTIL)
        ends |= {f"{name} {stop}": bits(simulation) for stop in stops}
    environment = os.environ | {"PYTHONHASHSEED": "7", "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    done = subprocess.run(
        [sys.executable, "-c", ELSEWHERE, str(tmp_path)], capture_output=True, text=True, env=environment, timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == ends


@pytest.mark.parametrize("name", ["conveyor-pendulum", "latch"])
@pytest.mark.parametrize("embedding", ["symbolic", "numeric"])
def test_the_same_bits_and_events_after_being_stopped_again_and_again(
    tmp_path: Path, name: str, embedding: str
) -> None:
    whole, part = begun(name, embedding), begun(name, embedding)
    events = []
    for number, stop in enumerate((*RUNS[name], UNTIL)):
        whole.advance(stop)
        part.advance(stop)
        assert bits(part) == bits(whole)
        events += [event for event in part.events if event.kind in ("impact", "transition", "zeno")]
        path = tmp_path / f"{number}.json"
        part.checkpoint(path)
        automaton = detent.example(name).automaton
        assert automaton is not None
        part = detent.resume(automaton, path, **settings(name))
    assert events == [event for event in whole.events if event.kind in ("impact", "transition", "zeno")]
    assert len(events) > 2


def test_an_accumulation_that_is_under_way_is_taken_up_where_it_was(tmp_path: Path) -> None:
    whole = detent.Simulation(ball(0.5, accumulates=True), embedding="symbolic")
    whole.advance(1.3)  # of 1.3416...: some bounces are left
    whole.checkpoint(tmp_path / "at.json")
    rest = detent.resume(ball(0.5, accumulates=True), tmp_path / "at.json")
    for simulation in (whole, rest):
        simulation.advance(2)
        assert simulation.mode == "rest"
    assert rest.events[-1].time == pytest.approx(whole.events[-1].time, abs=1e-13)


@pytest.mark.parametrize("method", ["dop853", "dopri5"])
def test_an_adaptive_run_goes_on_to_its_tolerance(tmp_path: Path, method: str) -> None:
    whole = detent.Simulation(double_pendulum(), method=method, rtol=1e-11, embedding="symbolic")
    whole.advance(1.2345)
    whole.checkpoint(tmp_path / "at.json")
    rest = detent.resume(double_pendulum(), tmp_path / "at.json")
    for simulation in (whole, rest):
        simulation.advance(2)
    # The next step is kept too, so the steps are the same: only what a step knows of the one before it is lost.
    assert rest.state.values.tolist() == pytest.approx(whole.state.values.tolist(), abs=1e-9)


def test_a_plain_system_keeps_its_constraints_and_its_choice_of_speeds(tmp_path: Path) -> None:
    example = detent.example("four-bar-chain")
    whole = detent.Simulation(example.system, method="rk4", step=1e-3, embedding="numeric")
    whole.advance(0.3)
    whole.checkpoint(tmp_path / "at.json")
    rest = detent.resume(detent.example("four-bar-chain").system, tmp_path / "at.json")
    for simulation in (whole, rest):
        simulation.advance(0.6)
    assert bits(rest) == bits(whole)


def test_rows_that_were_dropped_are_dropped_again(tmp_path: Path) -> None:
    def model() -> detent.Automaton:
        system = detent.System("bead")
        x, y = system.coordinates(x=0.0, y=0.0)
        system.particle("bead", system.origin.offset("bead", x * system.ground.x + y * system.ground.y), mass=1)
        system.start(x_rate=1.0, y_rate=0.5)
        rows = [detent.holonomic(name, factor * (y - 0.5 * x)) for name, factor in (("a", 1), ("b", 3))]
        automaton = detent.Automaton(system)
        free, rail = automaton.mode("free"), automaton.mode("rail", rows)
        automaton.transition("on", free, rail, when=x >= 0.1, reset=detent.Impact())
        automaton.transition("off", rail, free, when=x >= 0.5)
        automaton.transition("back", free, rail, when=x >= 0.7, condition_before=x >= 0.6)
        return automaton

    whole = detent.Simulation(model(), method="rk4", step=1e-2, embedding="symbolic")
    for number, stop in enumerate((0.05, 0.3, 0.6, 0.65)):
        whole.advance(stop)
        whole.checkpoint(tmp_path / f"{number}.json")
    whole.advance(1)
    for number in range(4):
        rest = detent.resume(model(), tmp_path / f"{number}.json")
        rest.advance(1)
        assert bits(rest) == bits(whole)


# -- files that are none --------------------------------------------------------------------------------


@pytest.fixture
def written(tmp_path: Path) -> Path:
    simulation = begun("latch")
    simulation.advance(0.5)
    simulation.checkpoint(tmp_path / "latch.json")
    return tmp_path / "latch.json"


def latch() -> detent.Automaton:
    automaton = detent.example("latch").automaton
    assert automaton is not None
    return automaton


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (lambda text: text[: len(text) // 2], "is not a checkpoint"),
        (lambda text: "", "is not a checkpoint"),
        (lambda text: "[" * 100_000, "is not a checkpoint"),
        (lambda text: "{}", "not a checkpoint of this version"),
        (lambda text: json.dumps({**json.loads(text), "format": 99}), "not a checkpoint of this version"),
        (lambda text: json.dumps({**json.loads(text), "more": 1}), "not a checkpoint of this version"),
        (lambda text: text.replace("0.06", "0.07", 1), "is damaged, or was changed by hand"),
        (lambda text: json.dumps({**json.loads(text), "digest": None}), "is damaged"),
    ],
    ids=["cut", "empty", "nested", "nothing", "format", "more", "a digit", "digest"],
)
def test_a_damaged_file_is_refused(written: Path, damage: Any, words: str) -> None:
    written.write_text(damage(written.read_text()))
    with pytest.raises(detent.ResultFileError, match=r"latch\.json") as caught:
        detent.resume(latch(), written)
    assert words in str(caught.value)
    assert "simulation.checkpoint" in str(caught.value) or "write the checkpoint again" in str(caught.value)


@pytest.mark.parametrize("junk", [None, "x", -1, 1.5, [], [[99]], {}, {"a": "b"}, True], ids=str)
def test_whatever_is_in_a_field_it_is_refused_in_words(written: Path, junk: Any) -> None:
    content = json.loads(written.read_text())
    for field in content:
        if content[field] == junk:
            continue
        written.write_text(json.dumps({**content, field: junk}))
        with pytest.raises(detent.ResultFileError):
            detent.resume(latch(), written)


def put(content: dict[str, Any], path: str, value: Any) -> dict[str, Any]:
    """A checkpoint with another value where a path such as ``choices/held/rows`` leads, sealed again."""
    made = json.loads(json.dumps({name: each for name, each in content.items() if name != "digest"}))
    *outer, last = path.split("/")
    place: Any = made
    for name in outer:
        place = place[int(name) if isinstance(place, list) else name]
    place[int(last) if isinstance(place, list) else last] = value
    return {**made, "digest": files._digest(made)}


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        ("format", 4.0, "its format is 4.0, and a whole number"),
        ("name", 3, "its name is 3, and a text was expected"),
        ("name", "\ud800", "its name is '\\ud800', and a text"),
        ("layout/0", None, "its layout[0] is null, and a text"),
        ("time", -1.0, "its time is -1.0, and a finite number not below 0"),
        ("time", float("nan"), "its time is nan, and a finite number"),
        ("time", 10**400, "its time is 'a whole number beyond all floating-point numbers'"),
        ("state/0", float("inf"), "its state[0] is inf, and a finite number"),
        ("state", [0.0] * 7, "its state is a list of 7, and a list of 3, as long as its layout,"),
        ("values", [], "its values is a list of 0, and a list of 7"),
        ("parameters/k", 5.0, "its parameters['k'] is 5.0, and 0.06, as in its values,"),
        ("parameters/more", 5.0, "its name in parameters is 'more', and one of its values_layout"),
        ("inputs/pull", "x", "its inputs['pull'] is 'x', and a finite number"),
        ("next_change", 0.1, "its next_change is 0.1, and a time not before its time, 0.5,"),
        ("method", "euler", "its method is 'euler', and one of rk4, dopri5, dop853"),
        ("embedding", ["live"], "its embedding is a list of 1, and one of symbolic, numeric, live"),
        ("clock", [0.0], "its clock is a list of 1, and a list of 4"),
        ("clock/1", -1.0, "its clock[1] is -1.0, and a number not below 0"),
        ("clock/2", 0.25, "and one that has reached its time, 0.5, and not 0.25, was expected"),
        ("number", 3, "and one that has reached its time, 0.5, and not 0.506, was expected"),
        ("number", 1.0, "its number is 1.0, and a whole number from 0 to"),
        ("number", 2**70, "its number is 1180591620717411303424, and a whole number"),
        ("choices", [], "its choices is a list of 0, and a table"),
        ("choices/held", {}, "its choices['held'] is a table of 0, and a table of rows, dependent, independent"),
        ("choices/held/rows", [0, 0], "choices['held'].rows is a list of 2, and a list in which nothing stands"),
        ("choices/held/dependent", [1], "choices['held'].dependent is a list of 1, and one that with independent"),
        ("choices/held/dependent/0", 10**9, "one that with independent is a permutation of 0 to 0 was expected"),
        ("choices/held/dependent/0", -1, "choices['held'].dependent[0] is -1, and a whole number from 0"),
        ("choices/held/bound", [2.0], "choices['held'].bound is a list of 1, and a list of 2"),
        ("choices/held/bound/0", 0.5, "choices['held'].bound[0] is 0.5, and a number not below 2"),
        ("signs/released", 3, "its signs['released'] is 3, and a whole number from -1 to 2"),
        ("zeno/caught", [0.0] * 4, "its zeno['caught'] is a list of 4, and a list of 5"),
        ("zeno/caught/0", 0.75, "its zeno['caught'][0] is 0.75, and a time not after its time, 0.5,"),
    ],
)  # fmt: skip
def test_a_field_that_was_changed_is_refused_by_name_though_the_checksum_fits(
    written: Path, path: str, value: Any, words: str
) -> None:
    written.write_text(json.dumps(put(json.loads(written.read_text()), path, value)))
    with pytest.raises(detent.ResultFileError) as caught:
        detent.resume(latch(), written, **settings("latch"))
    assert words in str(caught.value)
    assert "latch.json' was changed: its " in str(caught.value)
    assert "write the checkpoint again" in str(caught.value)


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        ("mode", "gone", "a run with the mode 'gone', which the automaton"),
        ("mode", None, "of a system and the model is an automaton"),
        ("mode", "swing", "the checkpoint's constraints is 'catch', and (none) was expected of this model"),
        ("constraints", [], "the checkpoint's constraints is '(none)', and catch was expected of this model"),
        ("choices/more", None, "a run with the mode 'more', which the automaton"),
        ("choices", {}, "the checkpoint's choices is a table of 0, and one for its mode 'held' was expected"),
        ("choices/held", None, "the checkpoint's choices['held'] is null, and a choice was expected"),
        ("choices/held/redundant", [1], "choices['held'] is 'of 2 rows and 1 speeds', and one of 1 rows and 1 speeds"),
        ("choices/held/independent", [1], "is 'of 1 rows and 2 speeds', and one of 1 rows and 1 speeds"),
        ("signs", {"caught": 1}, "checkpoint's signs is 'caught', and a transition out of mode 'held' was expected"),
        ("signs", {"gone": 1}, "a run with the transition 'gone', which the automaton"),
        ("zeno/gone", [0.0] * 5, "a run with the transition 'gone', which the automaton"),
        ("layout/0", "height", "with the states height, rate, and the model has angle, rate"),
        ("layout/2", "effort", "with the states angle, rate, effort, and the model has"),
        ("inputs", {}, "the checkpoint's inputs is '(none)', and pull was expected"),
    ],
)  # fmt: skip
def test_what_does_not_fit_the_model_is_refused_by_name(written: Path, path: str, value: Any, words: str) -> None:
    written.write_text(json.dumps(put(json.loads(written.read_text()), path, value)))
    with pytest.raises(detent.DetentError) as caught:
        detent.resume(latch(), written, **settings("latch"))
    assert words in str(caught.value)
    assert "give the model that the checkpoint was made with" in str(caught.value)


def test_a_load_that_does_not_act_in_the_mode_is_refused(tmp_path: Path) -> None:
    simulation = detent.Simulation(rail())
    simulation.advance(0.3)
    simulation.checkpoint(tmp_path / "at.json")
    content = json.loads((tmp_path / "at.json").read_text())
    assert content["values_layout"][-1] == "wind acts"
    (tmp_path / "at.json").write_text(json.dumps(put(content, f"values/{len(content['values']) - 1}", 0.0)))
    with pytest.raises(
        detent.DetentError, match=r"value 'wind acts' is 0\.0, and 1\.0, as in mode 'rail', was expected"
    ):
        detent.resume(rail(), tmp_path / "at.json")


def test_a_model_with_another_load_is_refused(tmp_path: Path) -> None:
    detent.Simulation(rail()).checkpoint(tmp_path / "at.json")
    other = rail()
    other.system.force("gust", other.system.bodies["bead"], other.system.ground.y, active=False)
    with pytest.raises(
        detent.DetentError, match=r"value 'gust acts' is null, and 0\.0, as in mode 'free', was expected"
    ):
        detent.resume(other, tmp_path / "at.json")


def test_every_field_has_a_kind() -> None:
    assert list(FIELDS) == list(files.Checkpoint.__dataclass_fields__)
    assert list(CHOICE) == list(files.SavedPartition.__dataclass_fields__)


def test_inputs_that_stay_as_they_are_do_not_change(tmp_path: Path) -> None:
    simulation = detent.Simulation(rail())
    simulation.checkpoint(tmp_path / "at.json")
    (tmp_path / "at.json").write_text(json.dumps(put(json.loads((tmp_path / "at.json").read_text()), "next_change", 3)))
    with pytest.raises(detent.DetentError, match=r"next_change is 3\.0, and null, as all its inputs stay as they are,"):
        detent.resume(rail(), tmp_path / "at.json")


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (lambda text: text.replace('"format": 4,', '"format": 4, "format": 4,'), "'format' stands twice in it"),
        (lambda text: text.replace('"time": 0.5', f'"time": {"9" * 5000}'), "is not a checkpoint"),
        (lambda text: text.replace('"time": 0.5', '"time": 1e400'), "is damaged, or was changed"),
        (lambda text: text + " " * 2**20, "it has more than 1 MB"),
    ],
    ids=["twice", "digits", "infinite", "long"],
)
def test_a_text_that_is_no_checkpoint(written: Path, damage: Any, words: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "MOST_BYTES", 2**20)
    written.write_text(damage(written.read_text()))
    with pytest.raises(detent.ResultFileError) as caught:
        detent.resume(latch(), written)
    assert words in str(caught.value)


def test_a_file_that_is_not_there_or_no_text(tmp_path: Path) -> None:
    (tmp_path / "bytes.json").write_bytes(bytes(range(256)))
    for name, words in (("missing.json", "cannot read"), (".", "cannot read"), ("bytes.json", "is not a checkpoint")):
        with pytest.raises(detent.ResultFileError, match=words):
            detent.resume(latch(), tmp_path / name)


def test_a_crash_in_the_middle_of_writing_leaves_the_old_file(written: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = written.read_bytes()
    simulation = detent.resume(latch(), written, **settings("latch"))
    simulation.advance(0.7)

    def crash(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    for name in ("fsync", "replace", "chmod"):
        with monkeypatch.context() as broken:
            broken.setattr(files.os, name, crash)
            with pytest.raises(detent.ResultFileError, match=r"latch\.json.*No space left"):
                simulation.checkpoint(written)
        assert written.read_bytes() == before
        assert [path.name for path in written.parent.iterdir()] == ["latch.json"]
    simulation.checkpoint(written)
    assert written.read_bytes() != before


def test_a_place_that_cannot_be_written(tmp_path: Path) -> None:
    simulation = begun("latch")
    for place in (tmp_path, tmp_path / "nowhere" / "at.json"):
        with pytest.raises(detent.ResultFileError, match="choose a place that is writable"):
            simulation.checkpoint(place)
    assert list(tmp_path.iterdir()) == []


# -- models that do not fit -----------------------------------------------------------------------------


def test_another_model_is_refused(written: Path) -> None:
    other = detent.example("disk-on-ramp").automaton
    assert other is not None
    with pytest.raises(detent.DetentError, match=r"the checkpoint is of 'latch' with the states .*; give the model"):
        detent.resume(other, written)
    with pytest.raises(detent.DetentError, match="of an automaton and the model is a system"):
        detent.resume(detent.example("latch").system, written)


def test_a_model_with_other_states_is_refused(tmp_path: Path) -> None:
    detent.Simulation(detent.example("pendulum").system).checkpoint(tmp_path / "at.json")
    with pytest.raises(detent.DetentError, match="with the states angle, angle_rate, and the model has"):
        detent.resume(detent.example("double-pendulum").system, tmp_path / "at.json")


def test_what_was_added_during_the_run_must_be_there_again(tmp_path: Path) -> None:
    def half() -> tuple[Any, detent.Automaton, Any]:
        _, x, automaton, mode = moving()
        return x, automaton, mode

    x, automaton, mode = half()
    simulation = detent.Simulation(automaton)
    simulation.advance(0.2)
    automaton.transition("late", mode, automaton.mode("after"), when=x - 0.5)
    simulation.advance(0.3)
    simulation.checkpoint(tmp_path / "at.json")
    x, again, mode = half()
    with pytest.raises(detent.DetentError, match="a run with the transition 'late', which the automaton"):
        detent.resume(again, tmp_path / "at.json")
    again.transition("late", mode, again.mode("after"), when=x - 0.5)
    rest = detent.resume(again, tmp_path / "at.json")
    rest.advance(1)
    assert rest.mode == "after"


def test_inputs_that_were_tables_must_be_given_again(written: Path) -> None:
    with pytest.raises(detent.DetentError, match=r"'pull' was a table or a function .* give it again: inputs="):
        detent.resume(latch(), written)


def test_inputs_and_values_that_a_run_keeps_cannot_be_changed_in_silence(tmp_path: Path) -> None:
    detent.Simulation(latch(), inputs={"pull": 0.01}).checkpoint(tmp_path / "at.json")
    detent.resume(latch(), tmp_path / "at.json", inputs={"pull": 0.01}).advance(0.1)
    assert detent.resume(latch(), tmp_path / "at.json")._context.values.constants() == {"pull": 0.01}
    with pytest.raises(detent.ValueProblem, match=r"the input 'pull' was 0\.01 .* and is given as 0\.02"):
        detent.resume(latch(), tmp_path / "at.json", inputs={"pull": 0.02})
    with pytest.raises(detent.DetentError, match=r"the input 'pull' was the number 0\.01 .* and is not now"):
        detent.resume(latch(), tmp_path / "at.json", **settings("latch"))
    for kept in ("start", "rtol", "mode"):
        with pytest.raises(detent.ValueProblem, match=f"keeps its {kept}; leave that out"):
            detent.resume(latch(), tmp_path / "at.json", **{kept: None})


# -- runs that cannot go on -----------------------------------------------------------------------------


def test_a_run_that_failed_has_no_checkpoint(tmp_path: Path) -> None:
    simulation = detent.Simulation(ball(0.5))
    with pytest.raises(detent.SimulationError):
        simulation.advance(3)
    with pytest.raises(detent.DetentError, match=r"cannot go on from t = 1\.34.* write a checkpoint before that"):
        simulation.checkpoint(tmp_path / "at.json")
    run = detent.simulate(ball(0.5), 3, checkpoint=tmp_path / "at.json", check=False)
    assert run.outcome.word == "zeno"
    assert list(tmp_path.iterdir()) == []


def test_an_interrupted_run_leaves_a_checkpoint_to_go_on_from(tmp_path: Path) -> None:
    def model(interrupts: bool) -> detent.System:
        system = double_pendulum()

        def clock(time: float, state: Any) -> float:
            if interrupts and time > 0.5:
                raise KeyboardInterrupt
            return 0.0

        push = system.input("push", detent.Sampled(0.1, clock))
        system.force("push", system.points["tip"], push * system.ground.x)
        return system

    arguments: dict[str, Any] = {"method": "rk4", "step": 1e-2}
    with pytest.raises(detent.SimulationError, match=r"stopped at t = 0\.6"):
        detent.simulate(model(True), 1, checkpoint=tmp_path / "at.json", **arguments)
    rest = detent.resume(model(False), tmp_path / "at.json")
    rest.advance(1)
    assert bits(rest)[1:] == [
        float(value).hex() for value in detent.simulate(model(False), 1, **arguments).final.values
    ]
