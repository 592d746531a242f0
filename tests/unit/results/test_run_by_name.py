"""A run answers by name, says what it has, and keeps the contract of its JSON."""

import copy
import dataclasses
import json
import pickle
import sys

import numpy as np
import pytest

from detent.errors import DetentError, MissingExtraError, UnknownNameError
from detent.results import Audit, Event, EventLog, ModeTiming, Outcome, Run, StateLayout, Timing, Trajectory
from tests.unit.results.other_nodes import numbers_not_known


def with_many_names(stone: Run, count: int) -> Run:
    layout = StateLayout(tuple(f"q{k}" for k in range(count)), (), ())
    trajectory = Trajectory(layout, np.zeros(1), np.zeros((1, count + 1)), np.zeros((1, count + 1)), None)
    return dataclasses.replace(stone, trajectory=trajectory, name="<chain>", events=EventLog(), **numbers_not_known())


def test_quantities_by_name(stone: Run) -> None:
    assert stone.t is stone.time
    assert stone["t"] is stone["time"]
    np.testing.assert_array_equal(stone.v, stone["v"])
    np.testing.assert_array_equal(stone.energy, stone.kinetic_energy + stone.potential_energy)
    np.testing.assert_array_equal(stone.work, [0.0, 0.0, -9.375, -9.375])
    assert {"y", "v", "work", "energy", "at"} <= set(dir(stone))
    assert stone.names[:7] == ("time", "y", "v", "work", "kinetic_energy", "potential_energy", "energy")


def test_unknown_names_list_the_known_ones(stone: Run) -> None:
    with pytest.raises(AttributeError, match=r"no quantity named 'speed'.*time, y, v, work, kinetic_energy"):
        _ = stone.speed
    with pytest.raises(UnknownNameError, match="no quantity named 'speed'"):
        stone["speed"]
    assert not hasattr(stone, "_ipython_display_")


def test_a_run_cannot_be_changed(stone: Run) -> None:
    for field in dataclasses.fields(Run):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(stone, field.name, None)
    for name in ("time", "y", "kinetic_energy"):
        with pytest.raises(ValueError, match="read-only"):
            stone[name][0] = 1.0


def test_a_run_can_be_copied_and_sent_to_another_process(stone: Run) -> None:
    for twin in (copy.copy(stone), copy.deepcopy(stone), pickle.loads(pickle.dumps(stone))):
        assert twin.as_json() == stone.as_json()
        assert twin.at(0.3).as_dict() == stone.at(0.3).as_dict()


def test_state_between_the_nodes(stone: Run) -> None:
    # y = 5 t - 5 t^2 before the bounce; 2.5 s - 5 s^2 with s = t - 1 after it.
    assert stone.at(0.25).as_dict() == {"y": 0.9375, "v": 2.5}
    assert stone.at([0.5, 1.125]).y.tolist() == [1.25, 2.5 / 8 - 5 / 64]
    assert stone.final.as_dict() == {"y": 0.3125, "v": 0.0}
    assert (stone.final.time, stone.final.work) == (1.25, -9.375)


def test_energies_need_one_value_per_node(stone: Run) -> None:
    with pytest.raises(DetentError, match=r"the kinetic energy has shape \(3,\), expected \(4,\)"):
        dataclasses.replace(stone, kinetic=np.zeros(3))


def test_contract_of_the_json(stone: Run) -> None:
    assert stone.as_json() == {
        "example": "thrown-stone",
        "parameters": {"m": 1.0, "g": 10.0},
        "until": 1.25,
        "outcome": "completed",
        "events": [
            {"t": 1.0, "kind": "impact", "name": "floor", "from": "flight", "to": "flight", "details": {"impulse": 7.5}}
        ],
        "final": {"t": 1.25, "mode": "flight", "coordinates": {"y": 0.3125}, "speeds": {"v": 0.0}, "signals": {}},
        "audit": {"energy_balance": 0.0, "position_residual": 0.0, "velocity_residual": 0.0, "smallest_gap": 0.0},
        "timing": {
            "wall_s": 0.001,
            "compile_s": 0.0,
            "steps": 2,
            "rhs_evaluations": 8,
            "modes": [{"mode": "flight", "derive_ms": 0.5, "ready_ms": 0.6, "native_ms": None, "prefetched": False}],
        },
    }


def test_json_of_a_run_that_failed_is_still_json(stone: Run) -> None:
    nan = float("nan")
    state = np.full((4, 3), nan)
    failed = dataclasses.replace(
        stone,
        outcome=Outcome.NOT_A_NUMBER,
        message="v is not a number at t = 1.25",
        trajectory=dataclasses.replace(stone.trajectory, state=state),
        audit=Audit(nan, nan, float("inf"), float("inf"), nan),
        events=EventLog([Event(1.0, "impact", "floor", "a", "a", {"impulse": -float("inf")})]),
        timing=Timing(np.float64(0.5), 3, 0, 4, (ModeTiming("a", 1.0, nan, None),)),
    )
    found = json.loads(json.dumps(failed.as_json(), allow_nan=False))
    assert found["outcome"] == "not-a-number"
    assert found["message"] == "v is not a number at t = 1.25"
    assert found["final"]["coordinates"] == {"y": None}
    assert found["events"][0]["details"] == {"impulse": None}
    assert set(found["audit"].values()) == {None}
    assert found["timing"]["steps"] == 3


def test_summary_of_a_run_that_stopped_gives_the_advice(stone: Run) -> None:
    stopped = dataclasses.replace(stone, outcome=Outcome.STEP_TOO_SMALL, message="h = 1e-17", rtol=1e-9, timing=None)
    text = stopped.summary()
    assert "thrown-stone: step-too-small at t = 1.25 with rk4 (rtol 1e-09, step 1)" in text
    assert Outcome.STEP_TOO_SMALL.advice in text
    assert "h = 1e-17" in text
    assert "evaluations" not in text


def test_summary_is_short_for_many_names(stone: Run) -> None:
    text = with_many_names(stone, 20).summary()
    assert "q7 = 0, ... (12 more)" in text
    assert "events  none" in text
    assert len(text.splitlines()) == 5
    assert with_many_names(stone, 20)._repr_html_().startswith("<pre>&lt;chain&gt;")


def test_a_quantity_with_the_name_of_something_else_is_reached_by_item(stone: Run) -> None:
    layout = StateLayout(("mode",), ("v",))
    renamed = dataclasses.replace(stone, trajectory=dataclasses.replace(stone.trajectory, layout=layout))
    assert renamed.mode == "flight"
    assert renamed["mode"].tolist() == [0.0, 0.0, 0.0, 0.3125]


def test_xarray_and_pandas_hold_every_quantity(stone: Run) -> None:
    nodes, frame = stone.to_xarray(), stone.to_pandas()
    assert frame.index.name == "time"
    assert nodes.time.attrs["units"] == "s"
    for name in stone.names[1:]:
        assert nodes[name].dims == ("time",)
        np.testing.assert_array_equal(nodes[name], stone[name])
        np.testing.assert_array_equal(frame[name], stone[name])
    assert [nodes[name].attrs["kind"] for name in ("y", "v", "work")] == ["coordinate", "speed", "energy"]
    json.dumps(nodes.attrs, allow_nan=False)


@pytest.mark.parametrize(("package", "call"), [("xarray", "to_xarray"), ("pandas", "to_pandas")])
def test_a_missing_package_is_named(stone: Run, monkeypatch: pytest.MonkeyPatch, package: str, call: str) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingExtraError, match=rf'{package} is needed to .*pip install "detent\[files\]"'):
        getattr(stone, call)()
