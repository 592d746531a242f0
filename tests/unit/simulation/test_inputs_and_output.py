"""Inputs switch exactly at their instants; output at asked times is the interpolant of the full run."""

from __future__ import annotations

import gc
import math
import weakref
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from detent import Held, Sampled, simulate
from detent.results.layout import StateLayout
from detent.simulation.asked_times import AskedTimes
from detent.stepping.trajectory_piece import TrajectoryPiece
from tests.unit.simulation.systems import block, double_pendulum, oscillator

ROUNDING = 2.0**-52


@pytest.mark.parametrize("method", ["dop853", "dopri5", "rk4"])
def test_output_at_asked_times_is_the_interpolant_of_the_full_run(method: str) -> None:
    settings: dict[str, Any] = {"method": method, "step": 0.01 if method == "rk4" else None}
    times = np.sort(np.random.default_rng(2).uniform(0, 3, size=50))
    times = np.concatenate([[0.0], times, [3.0]])
    full = simulate(double_pendulum(), 3, **settings)
    asked = simulate(double_pendulum(), 3, times=times, **settings)
    assert np.array_equal(asked.t, times)
    assert np.array_equal(asked.trajectory.state, full.trajectory.at(times))
    assert asked.trajectory.dense is None
    assert asked.final.as_dict() == full.final.as_dict()
    # Time 0 and the end are nodes themselves: their energies are those of the full run.
    assert asked.energy[[0, -1]].tolist() == full.energy[[0, -1]].tolist()


def test_asked_times_on_an_input_change_get_the_state_there() -> None:
    system = block(Held([0, 0.5, 1.0], [2.0, -6.0, 0.0]))
    full = simulate(system, 1.5)
    asked = simulate(system, 1.5, times=[0.25, 0.5, 0.75, 1.0, 1.25])
    assert np.array_equal(asked.trajectory.state, full.trajectory.at(asked.t))


def test_asking_for_times_keeps_no_steps() -> None:
    layout = StateLayout(("q",), ("u",))
    recorder = AskedTimes(layout, np.array([0.5, 900.5]))
    recorder.begin(0.0, np.zeros(3), np.zeros(3))
    rows = []
    for start in range(0, 1000, 100):
        nodes, dense = np.arange(start + 1.0, start + 101.0), np.zeros((100, 4, 3))
        rows.append(weakref.ref(dense))
        recorder.keep(TrajectoryPiece(nodes, np.zeros((100, 3)), np.zeros((100, 3)), dense))
    del dense
    gc.collect()
    assert sum(row() is not None for row in rows) <= 1


def test_one_time_may_be_asked_for() -> None:
    run = simulate(oscillator(), 2, times=1.0)
    assert run.t.tolist() == [1.0]
    assert run.final.x == pytest.approx(math.cos(1.0), abs=1e-8)


def test_held_inputs_switch_exactly_at_their_instants() -> None:
    times, forces = [0.0, 0.3, 1.1, 1.7], [4.0, -2.0, 0.0, 10.0]
    run = simulate(block(Held(times, forces)), 2.0)
    x, v = 0.0, 0.0
    for force, start, end in zip(forces, times, [*times[1:], 2.0], strict=True):
        h = end - start
        x, v = x + v * h + force / 4 * h * h, v + force / 2 * h
        at = run.at(end)
        # A polynomial of degree two is no work for the method: what is left is rounding.
        assert (at.x, at.x_rate) == pytest.approx((x, v), abs=200 * ROUNDING)
    for instant in times[1:]:
        assert run.t.tolist().count(instant) == 2
    rates = {t: run.trajectory.rate[np.flatnonzero(run.t == t), 1].tolist() for t in times[1:]}
    assert rates == {0.3: [2.0, -1.0], 1.1: [-1.0, 0.0], 1.7: [0.0, 5.0]}


def test_a_held_input_that_begins_late_and_ends_early() -> None:
    run = simulate(block(Held([5.0, 6.0], [3.0, 4.0])), 1.0)
    assert run.final.x == pytest.approx(0.75, abs=1e-14)
    run = simulate(block(Held([-2.0, -1.0], [3.0, 4.0])), 1.0)
    assert run.final.x == pytest.approx(1.0, abs=1e-14)


def test_a_sampled_input_is_asked_at_whole_periods_with_the_state_there() -> None:
    seen: list[tuple[float, dict[str, float]]] = []

    def controller(time: float, state: Mapping[str, float]) -> float:
        seen.append((time, dict(state)))
        return -8.0 * state["x"] - 4.0 * state["x_rate"]

    run = simulate(block(Sampled(0.1, controller)), 1.0, start={"x": 1.0})
    assert [time for time, _ in seen] == [number * 0.1 for number in range(10)]
    x, v = 1.0, 0.0
    for time, state in seen:
        assert (state["x"], state["x_rate"]) == pytest.approx((x, v), abs=1e-13)
        assert run.at(time).x == state["x"]
        force = -8.0 * x - 4.0 * v
        x, v = x + v * 0.1 + force / 4 * 0.01, v + force / 2 * 0.1
    assert set(seen[0][1]) == {"x", "x_rate", "work"}


def test_two_inputs_with_periods_of_their_own() -> None:
    system = block(Sampled(0.25, lambda time, state: 1.0))
    pull = system.input("pull", Held([0.0, 0.6], [0.0, -1.0]))
    system.force("pull", system.points["block"], pull * system.ground.x)
    run = simulate(system, 1.0)
    assert run.final.x_rate == pytest.approx(0.5 * 1.0 - 0.5 * 0.4, abs=1e-14)
    assert {0.25, 0.5, 0.6, 0.75} <= set(run.t.tolist())


def test_an_input_can_be_a_function_of_time() -> None:
    system = block()
    wave = system.input("wave", 2 * system.time)
    system.force("wave", system.points["block"], wave * system.ground.x)
    run = simulate(system, 3.0)
    assert run.final.x == pytest.approx(27 / 6, rel=1e-10)


@pytest.mark.parametrize(
    "given",
    [3.0, "6/2", Held([0], [3]), Sampled(0.5, lambda time, state: 3.0)],
    ids=["number", "text", "held", "sampled"],
)
def test_a_run_may_replace_an_input_by_any_kind(given: Any) -> None:
    run = simulate(block(1.0), 1.0, inputs={"push": given})
    assert run.final.x == pytest.approx(0.75, abs=1e-14)


def test_the_work_of_a_pushing_input_is_audited() -> None:
    run = simulate(block(Held([0, 0.5], [2.0, -1.0])), 2.0)
    assert run.work[-1] == pytest.approx(run.kinetic[-1] - run.kinetic[0], abs=1e-12)
    assert run.audit.energy_balance < 1e-12
