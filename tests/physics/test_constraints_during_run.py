"""Constraints that come and go while the system moves: written down on the way, from this thread or another."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from sympy import sin

import detent
from detent import DetentError, Simulation, System, UnknownNameError
from tests.physics.bounds import accumulated
from tests.unit.stepping.hooks import AfterSteps, elsewhere

EMBEDDINGS = ["symbolic", "numeric", "live"]


def beads(number: int = 1) -> tuple[System, list[Any]]:
    """Beads of 2 kg thrown to the right at 3 m/s, each with its own x and y."""
    system = System("beads")
    coordinates = []
    for k in range(1, number + 1):
        x, y = system.coordinates(f"x{k}", f"y{k}")
        system.particle(f"bead{k}", system.origin.offset(f"bead{k}", x * system.ground.x + y * system.ground.y), mass=2)
        system.start(**{f"x{k}_rate": 3.0})
        coordinates.append((x, y))
    system.gravity(-9.81 * system.ground.y)
    return system, coordinates


@pytest.mark.parametrize("embedding", EMBEDDINGS)
def test_an_expression_written_down_during_the_run(embedding: Any) -> None:
    system, [(x, y)] = beads()
    simulation = Simulation(system, embedding=embedding, rtol=1e-11)
    simulation.advance(0.4)
    here = simulation.state
    simulation.constrain("slide", y - here.y1 - 0.3 * sin(2 * (x - here.x1)))
    simulation.advance(1.5)
    simulation.release("slide")
    simulation.advance(2.0)
    run = simulation.result()
    bound = ~np.isnan(run.reactions["slide"])
    path = here.y1 + 0.3 * np.sin(2 * (run.x1 - here.x1))
    np.testing.assert_allclose(run.y1[bound], path[bound], rtol=0, atol=1e-14)
    assert [event.target for event in run.events.of_kind("transition")] == ["slide", "free"]
    assert run.audit.position_residual < 1e-12
    assert run.audit.velocity_residual < 1e-12
    assert run.audit.energy_balance < accumulated(run)
    # Plastic: only the speed along the path is kept. Its slope at the start is 0.6.
    speed = (3 - 0.6 * 9.81 * 0.4) / np.hypot(1, 0.6)
    after = np.flatnonzero(run.t == 0.4)[-1]
    assert np.hypot(run.x1_rate[after], run.y1_rate[after]) == pytest.approx(speed, rel=1e-10)
    impact = run.events.of_kind("transition")[0]
    lost = 3**2 + (9.81 * 0.4) ** 2 - speed**2  # times m/2, which is 1
    assert impact.details["energy"] == pytest.approx(-lost, rel=1e-10)


@pytest.mark.parametrize("embedding", EMBEDDINGS)
def test_a_drawn_spline_written_down_during_the_run(embedding: Any) -> None:
    system, [(x, y)] = beads()
    simulation = Simulation(system, embedding=embedding, rtol=1e-10)
    simulation.advance(0.3)
    here = simulation.state
    places = here.x1 + np.linspace(-0.5, 4, 19)
    drawn = here.y1 - 0.2 * (1 - np.cos(2 * (places - here.x1)))
    track = detent.tabulated("track", places, drawn)
    simulation.constrain(detent.holonomic("track", y - track(x) + float(track(here.x1)) - here.y1))
    simulation.advance(1.0)
    run = simulation.result()
    bound = ~np.isnan(run.reactions["track"])
    assert run.x1[bound][-1] > run.x1[bound][0] + 0.3
    assert run.audit.position_residual < 1e-12
    assert run.audit.energy_balance < 1e-8


def test_a_declared_constraint_is_imposed_by_name() -> None:
    system, [(_, y)] = beads()
    system.constrain(detent.holonomic("floor", y), active=False)
    simulation = Simulation(system, start={"x1_rate": 1.0})
    assert simulation.active == ()
    simulation.constrain("floor")
    simulation.advance(1.0)
    assert simulation.mode == "floor"
    assert simulation.reactions()["floor"] == pytest.approx(2 * 9.81, rel=1e-12)


def test_imposing_what_does_not_hold_is_refused_with_by_how_much() -> None:
    system, [(_, y)] = beads()
    simulation = Simulation(system)
    simulation.advance(0.5)
    with pytest.raises(DetentError, match=r"'floor' cannot be imposed at t = 0\.5: .*violates it by -1\.22625"):
        simulation.constrain(detent.holonomic("floor", y))
    assert simulation.mode == "free"
    simulation.advance(1.0)
    assert simulation.state.y1 == pytest.approx(-9.81 / 2, rel=1e-9)


def test_names_that_are_not_there_or_there_already() -> None:
    system, [(_, y)] = beads()
    system.constrain(detent.holonomic("floor", y), active=False)
    simulation = Simulation(system)
    with pytest.raises(UnknownNameError, match=r"no active constraint named 'floor'.*\(none\)"):
        simulation.release("floor")
    with pytest.raises(UnknownNameError, match=r"no constraint named 'flor'; did you mean 'floor'\?"):
        simulation.constrain("flor")
    simulation.constrain("floor")
    with pytest.raises(DetentError, match="'floor' is active already; release it first"):
        simulation.constrain("floor")
    with pytest.raises(UnknownNameError, match="no active constraint named 'ceiling'"):
        simulation.release("ceiling")
    with pytest.raises(UnknownNameError, match="no constraint named 'ceiling'"):
        Simulation(system, constraints=["ceiling"])


def test_a_chain_of_changes_keeps_the_books() -> None:
    """Each brake takes m v^2/2 of one bead; whatever is braked falls on, whatever is released moves on as it was."""
    system, pairs = beads(3)
    simulation = Simulation(system, rtol=1e-11)
    for k, (x, _) in enumerate(pairs, 1):
        simulation.advance(0.2 * k)
        simulation.constrain(detent.motion(f"brake{k}", x.rate))
    for k in (2, 1, 3):
        simulation.advance(simulation.time + 0.1)
        simulation.release(f"brake{k}")
    simulation.advance(2.0)
    run = simulation.result()
    losses = [event.details["energy"] for event in run.events if event.name.startswith("constrain")]
    np.testing.assert_allclose(losses, [-9.0] * 3, rtol=1e-12)
    for k in (1, 2, 3):
        assert run.final[f"x{k}"] == pytest.approx(3 * 0.2 * k, rel=1e-12)
        assert run.final[f"y{k}"] == pytest.approx(-9.81 * 2, rel=1e-10)
    assert run.audit.energy_balance < accumulated(run)


@pytest.mark.parametrize("embedding", EMBEDDINGS)
def test_another_thread_constrains_and_releases_while_the_run_advances(embedding: Any) -> None:
    system, [(x, _)] = beads()
    simulation = Simulation(system, embedding=embedding, method="rk4", step=1e-3)
    actions: dict[int, Callable[[], object]] = {}
    for k in range(5):
        actions[1000 * k + 500] = elsewhere(lambda k=k: simulation.constrain(detent.motion(f"brake{k}", x.rate)))
        actions[1000 * k + 1000] = elsewhere(lambda k=k: simulation.release(f"brake{k}"))
    hook = AfterSteps(simulation._context.solver, actions)
    simulation.advance(6.0)
    assert hook.failures == []
    run = simulation.result()
    changes = run.events.of_kind("transition")
    assert len(run.events.of_kind("refused")) == 0
    assert [event.name for event in changes] == [
        f"{what} brake{k}" for k in range(5) for what in ("constrain", "release")
    ]
    first = changes[0]
    assert first.details["energy"] == pytest.approx(-9.0, rel=1e-12)
    assert first.details["impulse of brake0"] == pytest.approx(-6.0, rel=1e-12)
    before = run.t <= first.time
    np.testing.assert_allclose(run.x1[before], 3 * run.t[before], rtol=1e-11, atol=1e-11)
    np.testing.assert_allclose(run.x1[run.t >= first.time], 3 * first.time, rtol=1e-11)
    # The fall is not concerned by any of it; RK4 is exact for it, so that only rounding is left.
    np.testing.assert_allclose(run.y1, -9.81 * run.t**2 / 2, rtol=1e-9, atol=1e-9)
    assert run.audit.energy_balance < 1e-9


def test_nothing_is_lost_when_many_threads_ask_at_once() -> None:
    number = 6
    system, pairs = beads(number)
    simulation = Simulation(system, method="rk4", step=1e-3)
    ready = threading.Barrier(number)

    def brake(k: int) -> None:
        ready.wait()
        simulation.constrain(detent.motion(f"brake{k}", pairs[k - 1][0].rate))

    def all_at_once() -> None:
        helpers = [threading.Thread(target=brake, args=(k,)) for k in range(1, number + 1)]
        for helper in helpers:
            helper.start()
        for helper in helpers:
            helper.join()

    hook = AfterSteps(simulation._context.solver, {500: all_at_once})
    simulation.advance(1.0)
    assert hook.failures == []
    run = simulation.result()
    assert set(simulation.active) == {f"brake{k}" for k in range(1, number + 1)}
    assert len(run.events.of_kind("transition")) == number
    assert len(run.events.of_kind("refused")) == 0
    for event in run.events.of_kind("transition"):
        assert event.details["energy"] == pytest.approx(-9.0, rel=1e-12)
        k = event.name.split("brake")[1]
        assert run.final[f"x{k}"] == pytest.approx(3 * event.time, rel=1e-10)
        assert run.final[f"x{k}_rate"] == 0.0


def test_a_request_that_comes_too_late_to_hold_is_refused_and_logged() -> None:
    system, [(_, y)] = beads()
    simulation = Simulation(system, method="rk4", step=1e-3)
    simulation.advance(1.0)
    shelf = detent.holonomic("shelf", y + 5.0)
    hook = AfterSteps(simulation._context.solver, {500: elsewhere(lambda: simulation.constrain(shelf))})
    simulation.advance(2.0)
    assert hook.failures == []
    refused = simulation.result().events.of_kind("refused")
    assert simulation.active == ()
    assert len(refused) == 1
    assert "'shelf' cannot be imposed" in refused[0].name
    assert refused[0].time == pytest.approx(1.5)


def test_only_one_thread_can_advance() -> None:
    system, _ = beads()
    simulation = Simulation(system, method="rk4", step=1e-4)
    faults: list[DetentError] = []

    def also() -> None:
        try:
            simulation.advance(simulation.time + 1.0)
        except DetentError as fault:
            faults.append(fault)

    hook = AfterSteps(simulation._context.solver, {100: elsewhere(also)})
    simulation.advance(1.0)
    assert hook.failures == []
    assert len(faults) == 1
    assert "another thread advances this simulation" in str(faults[0])
