"""A run with contacts that is put into a file goes on as if nothing had happened, whatever its contacts do there."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import detent
from detent.simulation import checkpoint as files
from tests.altered.subjects import dropped
from tests.physics.contact_scenes import ball, box, cube, groove, sphere

SCENES: dict[str, tuple[Callable[[], Any], dict[float, str], float]] = {
    "ball": (lambda: ball(0.5), {0.3: "free", 1.33: "free", 1.5: "ball|floor: slip"}, 2.0),
    "box": (
        lambda: box(1.0, 0.5, 0.3, 0.4, box_y=0.6, box_angle=0.1, box_x_rate=1.5),
        {
            0.3: "free",
            0.5: "box|slope corner 1: slip, box|slope corner 2: slip",
            0.9: "box|slope corner 1: stick, box|slope corner 2: stick",
        },
        2.0,
    ),
    "groove": (
        lambda: groove(0.7, 0.3, 0.3, disk_y=1.0, disk_x=0.1),
        {0.3: "free", 0.5: "disk|left: roll, disk|right: roll"},
        1.0,
    ),
    "sphere": (
        lambda: sphere(0.2, ball_x_rate=1.0, ball_y_rate=0.5, ball_wx=3.0),
        {0.1: "ball|plane: slip", 0.6: "ball|plane: roll"},
        1.0,
    ),
    "dropped": (dropped, {0.1: "on, box|slope corner 1: slip, box|slope corner 2: slip", 0.31: "off"}, 0.5),
}
"""A model, where a checkpoint is written and in which mode, and the end."""
ELSEWHERE = """
import json, sys
from pathlib import Path
from tests.unit.simulation.test_checkpoints_of_contacts import gone_on
print(json.dumps(gone_on(Path(sys.argv[1]))))
"""


def bits(simulation: detent.Simulation) -> list[Any]:
    """Where a simulation stands, to the last bit, and what happened in the last tenth of a second."""
    late = [event for event in simulation.events if event.kind in ("impact", "transition") and event.time > 0.6]
    told = [[event.name, event.time.hex(), event.source, event.target] for event in late]
    return [simulation.mode, *(float(value).hex() for value in simulation.state.values), told]


def gone_on(folder: Path) -> dict[str, list[Any]]:
    """Go on from every checkpoint of a folder to the end, by the same stops, and tell where that is."""
    found = {}
    for path in sorted(folder.glob("*.json")):
        name, start = path.stem.rsplit(" ", 1)
        make, stops, end = SCENES[name]
        simulation = detent.resume(make(), path)
        for stop in (*stops, end):
            simulation.advance(max(stop, float(start)))
        found[path.stem] = bits(simulation)
    return found


def written(folder: Path, name: str, embedding: Any) -> dict[str, list[Any]]:
    make, stops, end = SCENES[name]
    simulation = detent.Simulation(make(), method="rk4", step=2e-3, embedding=embedding)
    for stop, mode in stops.items():
        simulation.advance(stop)
        assert simulation.mode == mode
        simulation.checkpoint(folder / f"{name} {stop}.json")
    simulation.advance(end)
    late = bits(simulation)
    return {f"{name} {stop}": [*late[:-1], [e for e in late[-1] if float.fromhex(e[1]) > stop]] for stop in stops}


@pytest.mark.parametrize("embedding", ["symbolic", "numeric"])
@pytest.mark.parametrize("name", SCENES)
def test_the_same_bits_and_events_from_every_status(tmp_path: Path, name: str, embedding: str) -> None:
    expected = written(tmp_path, name, embedding)
    assert gone_on(tmp_path) == expected


def test_the_same_bits_in_another_process(tmp_path: Path) -> None:
    expected = written(tmp_path, "box", "symbolic") | written(tmp_path, "groove", "symbolic")
    environment = os.environ | {"PYTHONHASHSEED": "7", "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    done = subprocess.run(
        [sys.executable, "-c", ELSEWHERE, str(tmp_path)], capture_output=True, text=True, env=environment
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == expected


def test_contacts_in_space_that_share_their_forces_go_on(tmp_path: Path) -> None:
    def made() -> detent.System:
        return cube(0.5, 0.3, cube_x_rate=1.0, cube_wz=1.0)

    whole = detent.Simulation(made(), method="rk4", step=2e-3, embedding="symbolic")
    whole.advance(0.1)
    whole.checkpoint(tmp_path / "at.json")
    rest = detent.resume(made(), tmp_path / "at.json")
    for simulation in (whole, rest):
        simulation.advance(0.5)
    assert bits(rest) == bits(whole)
    assert "stick" in whole.mode


@pytest.mark.parametrize("impacts", ["waves", "simultaneous"])
def test_the_order_of_impacts_is_kept(tmp_path: Path, impacts: Any) -> None:
    def made() -> detent.System:
        return box(1.0, 0.5, 0.3, 0.8, box_y=0.6)

    whole = detent.Simulation(made(), impacts=impacts, method="rk4", step=2e-3, embedding="symbolic")
    whole.advance(0.1)
    whole.checkpoint(tmp_path / "at.json")
    rest = detent.resume(made(), tmp_path / "at.json")
    for simulation in (whole, rest):
        simulation.advance(1)
    assert bits(rest) == bits(whole)
    assert json.loads((tmp_path / "at.json").read_text())["impacts"] == impacts


def test_modes_are_known_by_their_statuses_and_not_by_their_names(tmp_path: Path) -> None:
    simulation = detent.Simulation(groove(0.7, 0.3, disk_y=0.8), method="rk4", step=2e-3, embedding="symbolic")
    simulation.advance(1)
    simulation.checkpoint(tmp_path / "at.json")
    mode = simulation.mode
    text = (tmp_path / "at.json").read_text().replace(json.dumps(mode)[1:-1], f"{json.dumps(mode)[1:-1]}, sharing")
    content = {key: value for key, value in json.loads(text).items() if key != "digest"}
    (tmp_path / "at.json").write_text(json.dumps({**content, "digest": files._digest(content)}))
    rest = detent.resume(groove(0.7, 0.3, disk_y=0.8), tmp_path / "at.json")
    assert rest.mode == mode


def put(path: Path, change: Callable[[dict[str, Any]], Any]) -> None:
    content = {key: value for key, value in json.loads(path.read_text()).items() if key != "digest"}
    change(content)
    path.write_text(json.dumps({**content, "digest": files._digest(content)}))


ROLLS = "disk|left: roll, disk|right: roll"


def _first_value(content: dict[str, Any], name: str, value: float) -> None:
    content["values"][content["values_layout"].index(name)] = value


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda c: c["contacts"].pop("free"), "contacts is a table of 1, and one entry for each of its choices"),
        (lambda c: c["contacts"]["free"].update(family="walk"), "contacts['free'].family is 'walk', and one of free"),
        (lambda c: c["contacts"]["free"]["key"].pop(), "contacts['free'].key is a list of 2, and a list of 3"),
        (lambda c: c["contacts"]["free"].update(key=[0.5, 0, 0]), "key is 0.5, and a status that 'disk|left' can have"),
        (lambda c: c["contacts"]["free"].update(key=[0, -1, 0]), "key is -1.0, and a status that 'disk|right' can"),
        (lambda c: c["contacts"]["free"].update(key=[0, 0, 1]), "key is 1.0, and whether its contacts share"),
        (lambda c: c["contacts"]["free"].update(key=[2, 2, 1]), "and modes that differ by their statuses was expected"),
        (lambda c: _first_value(c, "status of disk|left", 0.0),
         "value 'status of disk|left' is 0.0, and 2.0, as in mode 'disk|left: roll, disk|right: roll',"),
        (lambda c: c["choices"][ROLLS].update(numbers=[-1.0]), "numbers[0] is -1.0, and a number of steps"),
        (lambda c: c["choices"][ROLLS].update(numbers=[1e300]), "numbers[0] is 1e+300, and a number of steps"),
        (lambda c: c["choices"][ROLLS].update(numbers=[1.0, 2.0]), "numbers is a list of 2, and at most one"),
        (lambda c: _first_value(c, "slip of disk|left", 1e9), "value 'slip of disk|left' is 1000000000.0, and a"),
    ],
)  # fmt: skip
def test_statuses_that_cannot_be_are_refused_by_name(tmp_path: Path, change: Any, words: str) -> None:
    simulation = detent.Simulation(groove(0.7, 0.3, disk_y=0.8))
    simulation.advance(1)
    assert simulation.mode == ROLLS
    simulation.checkpoint(tmp_path / "at.json")
    put(tmp_path / "at.json", change)
    with pytest.raises(detent.DetentError) as caught:
        detent.resume(groove(0.7, 0.3, disk_y=0.8), tmp_path / "at.json")
    assert words in str(caught.value)
    assert "give the model that the checkpoint was made with" in str(caught.value)


def test_a_model_with_contacts_and_one_without_are_told_apart(tmp_path: Path) -> None:
    detent.Simulation(ball(0.5)).checkpoint(tmp_path / "at.json")
    other = detent.System("ball")
    other.coordinates("x", "y")
    with pytest.raises(detent.DetentError, match="is of a model with contacts and the model is a system"):
        detent.resume(other, tmp_path / "at.json")


def test_checkpoints_from_before_there_were_contacts_are_read(tmp_path: Path) -> None:
    pendulum = detent.example("pendulum").system
    detent.Simulation(pendulum).checkpoint(tmp_path / "at.json")

    def older(content: dict[str, Any]) -> None:
        for name in ("contacts", "impacts", "bounces", "repeats", "said"):
            del content[name]
        content["format"] = files.WITHOUT_CONTACTS

    put(tmp_path / "at.json", older)
    assert detent.resume(pendulum, tmp_path / "at.json").time == 0.0


# -- in the middle of an accumulation ----------------------------------------------------------------


def told(events: Any) -> list[tuple[Any, ...]]:
    return [(event.time, event.kind, event.name, event.source, event.target, event.details) for event in events]


def groove_with_bounces() -> detent.System:
    return groove(math.pi / 4, 0.0, 0.5, disk_y=1.3)


@pytest.mark.parametrize(
    ("make", "until", "after"), [(lambda: ball(0.5), 2.0, 12), (groove_with_bounces, 3.0, 3)], ids=["ball", "groove"]
)
def test_a_run_that_is_stopped_between_two_bounces_tells_the_same(
    tmp_path: Path, make: Any, until: float, after: int
) -> None:
    """Of how many bounces it is the sum, and how long the rest would have taken, is known where it accumulates."""
    whole = detent.Simulation(make())
    whole.advance(until)
    impacts = [event.time for event in whole.events if event.kind == "impact"]
    between = (impacts[after - 1] + impacts[after]) / 2
    first = detent.Simulation(make())
    first.advance(between)
    first.checkpoint(tmp_path / "between.json")
    other = detent.Simulation(make())  # the same steps as the one that is stopped
    other.advance(between)
    other.advance(until)
    rest = detent.resume(make(), tmp_path / "between.json")
    rest.advance(until)
    assert any(event.kind == "zeno" for event in rest.events)
    assert [*told(first.events), *told(rest.events)] == told(other.events)
    assert rest.state.values.tolist() == other.state.values.tolist()


def test_a_transition_that_accumulates_counts_on_after_a_checkpoint(tmp_path: Path) -> None:
    bounces = detent.example("bouncing-ball")
    automaton = bounces.automaton
    assert automaton is not None
    whole = detent.Simulation(automaton)
    whole.advance(1.6)
    whole.checkpoint(tmp_path / "between.json")
    whole.advance(bounces.until)
    rest = detent.resume(automaton, tmp_path / "between.json")
    rest.advance(bounces.until)
    (one,), (other,) = whole.events.of_kind("zeno"), rest.events.of_kind("zeno")
    assert one.details == other.details
    assert len(rest.events) < len(whole.events)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda c: c["bounces"].update({"ball|wall": {"count": 1, "times": [0.1]}}), "name in bounces is 'ball|wall'"),
        (lambda c: c["bounces"]["ball|floor"].update(times=[0.5, 0.4]), "is a list of 2, and a list of"),
        (lambda c: c["bounces"]["ball|floor"].update(count=2, times=[0.5, 0.4]), "times one after the other, none"),
        (lambda c: c["bounces"]["ball|floor"].update(count=1, times=[9.0]), "times one after the other, none after"),
        (lambda c: c["bounces"]["ball|floor"].update(count=0, times=[]), "count is 0, and a whole number from 1"),
    ],
)  # fmt: skip
def test_bounces_that_cannot_be_are_refused(tmp_path: Path, change: Any, words: str) -> None:
    simulation = detent.Simulation(ball(0.5))
    simulation.advance(1.2)
    simulation.checkpoint(tmp_path / "at.json")
    put(tmp_path / "at.json", change)
    with pytest.raises(detent.DetentError) as caught:
        detent.resume(ball(0.5), tmp_path / "at.json")
    assert words in str(caught.value)
