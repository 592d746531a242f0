"""Other independent speeds while a mode runs: the kernel chooses, and nothing of the motion changes.

A bead on a vertical circle of radius r, pushed at its lowest point: with v^2 = v0^2 - 2 g (r + y) its circle presses on
it by m (v^2/r - g y/r), and it passes every angle, at four of which the one speed is as good as the other.
"""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest
import sympy

import detent
from detent.formulation import partitions
from detent.formulation.compiled import EMBEDDINGS, Embedding
from detent.formulation.embedded import EmbeddedRunning
from detent.formulation.running import Instant
from detent.solves import alternatives
from detent.stepping import solver

RADIUS, GRAVITY, PUSH, MASS = 0.7, 9.81, 8.0, 1.3
every_embedding = pytest.mark.parametrize("embedding", EMBEDDINGS)


def bead_on_a_circle() -> detent.System:
    system = detent.System("bead on a circle")
    x, y = system.coordinates("x", "y")
    place = system.origin.offset("bead", x * system.ground.x + y * system.ground.y)
    system.particle("bead", place, mass=MASS)
    system.gravity(-GRAVITY * system.ground.y)
    system.constrain("circle", x**2 + y**2 - RADIUS**2)
    system.start(x=0, y=-RADIUS, x_rate=PUSH, y_rate=0)
    return system


def bead_on_a_sphere() -> detent.System:
    system = detent.System("bead on a sphere")
    x, y, z = system.coordinates("x", "y", "z")
    ground = system.ground
    place = system.origin.offset("bead", x * ground.x + y * ground.y + z * ground.z)
    system.particle("bead", place, mass=MASS)
    system.gravity(-GRAVITY * ground.z)
    system.constrain("sphere", x**2 + y**2 + z**2 - RADIUS**2)
    across, along = RADIUS / np.sqrt(2), 2 * PUSH / np.sqrt(6)  # round the axis (1, 1, 1), fast
    system.start(x=across, y=-across, z=0, x_rate=along, y_rate=along, z_rate=-2 * along)
    return system


@every_embedding
def test_the_bead_obeys_its_closed_form_whatever_speeds_are_independent(embedding: Embedding) -> None:
    run = detent.simulate(bead_on_a_circle(), 20.0, embedding=embedding, rtol=1e-11)
    chosen = run.events.of_kind("reselection")
    assert len(chosen) > 50
    assert all(before.name != after.name for before, after in itertools.pairwise(chosen))
    y, squared = run["y"], run["x_rate"] ** 2 + run["y_rate"] ** 2
    assert squared == pytest.approx(PUSH**2 - 2 * GRAVITY * (RADIUS + y), abs=1e-8)
    # The multiplier belongs to x^2 + y^2 - r^2, whose gradient is 2 r long.
    pressed = MASS * (squared / RADIUS - GRAVITY * y / RADIUS)
    assert -run.reactions["circle"] * 2 * RADIUS == pytest.approx(pressed, rel=1e-7)
    assert run.audit.position_residual < 1e-12
    assert run.audit.velocity_residual < 1e-12


@every_embedding
def test_the_kernel_chooses_by_itself_between_known_splits(
    embedding: Embedding, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[float] = []
    answer = partitions.Partitions.answer

    def counted(self: partitions.Partitions, running: EmbeddedRunning, instant: Instant) -> EmbeddedRunning | None:
        asked.append(instant.time)
        return answer(self, running, instant)

    monkeypatch.setattr(partitions.Partitions, "answer", counted)
    run = detent.simulate(bead_on_a_circle(), 20.0, embedding=embedding)
    assert len(run.events.of_kind("reselection")) > 50
    assert len(asked) <= 1


@every_embedding
def test_more_splits_than_the_kernel_has_room_for(embedding: Embedding, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = detent.simulate(bead_on_a_sphere(), 5.0, embedding=embedding, rtol=1e-11)
    assert len({event.name for event in expected.events.of_kind("reselection")}) == 3
    monkeypatch.setattr(alternatives, "MOST", 2)
    run = detent.simulate(bead_on_a_sphere(), 5.0, embedding=embedding, rtol=1e-11)
    assert len(run.events.of_kind("reselection")) == len(expected.events.of_kind("reselection"))
    for name in ("x", "y", "z"):
        assert run.final[name] == pytest.approx(expected.final[name], abs=1e-7)


def test_a_log_that_is_full_is_emptied_on_the_way(monkeypatch: pytest.MonkeyPatch) -> None:
    """More choices in one call than the log holds: the kernel comes back for it and none is lost."""
    monkeypatch.setattr(solver, "MOST_STEPS_PER_PIECE", 10**6)
    monkeypatch.setattr(solver, "FEWEST_STEPS", 10**6)
    kinds: list[Embedding] = ["numeric", "live"]
    runs = (detent.simulate(bead_on_a_circle(), 600.0, embedding=kind, method="rk4", step=1e-3) for kind in kinds)
    counts = [len(run.events.of_kind("reselection")) for run in runs]
    assert counts[0] == counts[1] > 2000


@pytest.mark.parametrize("embedding", ["symbolic", "numeric"])
def test_a_run_that_is_resumed_chooses_as_one_that_only_paused(embedding: Embedding, tmp_path: Path) -> None:
    paused = detent.Simulation(bead_on_a_circle(), embedding=embedding)
    paused.advance(3.3)
    file = tmp_path / "bead.json"
    paused.checkpoint(file)
    paused.advance(7.0)
    resumed = detent.resume(bead_on_a_circle(), file)
    resumed.advance(7.0)
    assert resumed.state.values.tolist() == pytest.approx(paused.state.values.tolist(), abs=1e-7)
    chosen = [run.result().events.of_kind("reselection") for run in (paused, resumed)]
    assert [event.name for event in chosen[0] if event.time > 3.3] == [event.name for event in chosen[1]]


def test_what_was_chosen_does_not_depend_on_how_the_run_is_cut() -> None:
    whole = detent.simulate(bead_on_a_circle(), 6.0)
    cut = detent.Simulation(bead_on_a_circle(), embedding="symbolic")
    for time in np.linspace(0.1, 6.0, 60):
        cut.advance(float(time))
    names = [[event.name for event in run.events.of_kind("reselection")] for run in (whole, cut.result())]
    assert names[0] == names[1]
    assert cut.state.x == pytest.approx(whole.final.x, abs=1e-7)


@every_embedding
@pytest.mark.parametrize("rtol", [1e-7, 1e-9, 1e-11])
def test_the_step_allows_for_what_the_projection_moves(embedding: Embedding, rtol: float) -> None:
    """The same circle with an angle for a coordinate has nothing to be projected; its energy is hardly better."""
    system = detent.System("pendulum")
    angle = system.coordinates("angle")
    along = sympy.sin(angle) * system.ground.x - sympy.cos(angle) * system.ground.y
    system.particle("bead", system.origin.offset("bead", RADIUS * along), mass=MASS)
    system.gravity(-GRAVITY * system.ground.y)
    system.start(angle=0, angle_rate=PUSH / RADIUS)
    peer = detent.simulate(system, 20.0, rtol=rtol)
    run = detent.simulate(bead_on_a_circle(), 20.0, rtol=rtol, embedding=embedding)
    assert run.audit.energy_balance < 5 * peer.audit.energy_balance


# -- what rounding moves, and what cannot be chosen ------------------------------------------------


def bead_on_a_large_circle(radius: float) -> detent.System:
    """It starts at the origin, so that the state does not tell how large the numbers of the constraint are."""
    system = detent.System("bead on a large circle")
    x, y = system.coordinates("x", "y")
    system.particle("bead", system.origin.offset("bead", x * system.ground.x + y * system.ground.y), mass=1)
    system.gravity(-GRAVITY * system.ground.y)
    system.constrain("circle", x**2 + (y - radius) ** 2 - radius**2)
    system.start(x=0, y=0, x_rate=1, y_rate=0)
    return system


@every_embedding
@pytest.mark.parametrize("radius", [1e1, 1e3, 1e4])
@pytest.mark.parametrize("rtol", [1e-9, 1e-11, 1e-12])
def test_what_rounding_moves_does_not_stop_a_run(embedding: Embedding, radius: float, rtol: float) -> None:
    run = detent.simulate(bead_on_a_large_circle(radius), 2.0, embedding=embedding, rtol=rtol, most_steps=1000)
    assert len(run.time) < 100
    assert run.audit.energy_balance < 1e-8


def test_a_fast_drive_is_followed_at_tight_tolerance() -> None:
    """Its rounding comes with the time, sin(1000 t), and not with the state."""
    system = detent.System("driven")
    x, y = system.coordinates("x", "y")
    system.particle("bead", system.origin.offset("bead", x * system.ground.x + y * system.ground.y), mass=1)
    system.gravity(-GRAVITY * system.ground.y)
    system.constrain("drive", x - 0.01 * sympy.sin(1000 * system.time) - 0.001 * y)
    run = detent.simulate(system, 2.0, rtol=1e-11)
    assert run.audit.energy_balance < 1e-8


@every_embedding
def test_rows_that_lose_their_rank_where_another_choice_is_due_end_the_run(embedding: Embedding) -> None:
    system = detent.System("two rows that become one")
    x, y, z = system.coordinates("x", "y", "z")
    ground, time = system.ground, system.time
    system.particle("bead", system.origin.offset("bead", x * ground.x + y * ground.y + z * ground.z), mass=1)
    system.gravity(-GRAVITY * ground.y)
    system.constrain("one", x + y + z)
    system.constrain("two", x + y + z + (time - 1 - 1e-11) * ((0.1 + 15 * time**16) * y + 3 * z))
    with pytest.raises(detent.SimulationError):
        detent.simulate(system, 2.0, embedding=embedding, method="rk4", step=0.25)
