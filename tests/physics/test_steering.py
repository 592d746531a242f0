"""A run that is steered: inputs, impacts and requests from threads keep the laws whatever the order of calls."""

from __future__ import annotations

import threading
from typing import Any

import pytest

import detent
from detent import DetentError, ModelError


def bead() -> tuple[detent.System, Any, Any]:
    """A particle in a vertical plane; its coordinates."""
    system = detent.System("bead")
    x, y = system.coordinates("x", "y")
    place = system.origin.offset("bead", x * system.ground.x + y * system.ground.y)
    system.particle("bead", place, mass=1)
    system.gravity(-9.81 * system.ground.y)
    return system, x, y


def test_a_sampled_input_is_asked_at_every_period_however_the_run_is_cut() -> None:
    system, _, _ = bead()
    asked: list[float] = []

    def push(time: float, state: object) -> float:
        asked.append(time)
        return 1.0

    system.force("push", system.points["bead"], system.input("push", detent.Sampled(0.1, push)) * system.ground.x)
    simulation = detent.Simulation(system)
    for period in range(1, 11):
        simulation.advance(period * 0.1)
    assert len(asked) == 10


def test_a_held_input_that_changes_where_an_advance_ends_is_not_lost() -> None:
    system, _, _ = bead()
    push = system.input("push", detent.Held([0, 1, 2], [1.0, 3.0, 0.0]))
    system.force("push", system.points["bead"], push * system.ground.x)
    cut, whole = detent.Simulation(system), detent.Simulation(system)
    cut.advance(1)
    cut.advance(2)
    whole.advance(2)
    assert cut.state.x == pytest.approx(0.5 + 1 + 1.5, rel=1e-9)
    assert cut.state.x == pytest.approx(whole.state.x, rel=1e-12)


def test_a_belt_that_changes_its_speed_pushes_by_an_impact() -> None:
    system, x, _ = bead()
    belt = system.input("belt", detent.Held([0, 1], [1.0, 3.0]))
    system.constrain(detent.motion("belt", x.rate - belt))
    run = detent.simulate(system, 2)
    (impact,) = run.events.of_kind("impact")
    assert impact.details["energy"] == pytest.approx((3**2 - 1**2) / 2, rel=1e-12)
    assert run.audit.velocity_residual < 1e-12
    assert run.audit.energy_balance < 1e-9


def test_a_place_cannot_follow_an_input_that_jumps() -> None:
    system, x, _ = bead()
    system.constrain(detent.holonomic("at", x - system.input("place", detent.Held([0, 1], [0.0, 3.0]))))
    with pytest.raises(ModelError, match=r"constraint 'at': it holds the input 'place', which is sampled and held"):
        detent.simulate(system, 2)


def test_the_energy_of_an_impact_counts_prescribed_motion() -> None:
    system = detent.System("carried")
    x = system.coordinates("x")
    place = system.origin.offset("bead", (x + 3 * system.time) * system.ground.x)
    system.particle("bead", place, mass=1)
    simulation = detent.Simulation(system, start={"x_rate": 2})
    simulation.advance(0.5)
    simulation.constrain(detent.motion("stop", x.rate))
    simulation.advance(1)
    run = simulation.result()
    assert run.events[0].details["energy"] == pytest.approx((3**2 - 5**2) / 2, rel=1e-9)
    assert run.audit.energy_balance < 1e-9


def test_work_done_does_not_loosen_what_may_be_imposed() -> None:
    system, _, y = bead()
    system.force("push", system.points["bead"], 1e6 * system.ground.x)
    simulation = detent.Simulation(system)
    simulation.advance(2)
    with pytest.raises(DetentError, match="cannot be imposed at t = 2"):
        simulation.constrain("rail", y - simulation.value(y) - 0.5)


def test_a_row_that_is_redundant_for_an_instant_only_is_not_lost_unnoticed() -> None:
    # Where circle and line touch one of them says nothing new; a moment later the line does.
    system, x, y = bead()
    system.constrain(detent.holonomic("circle", x**2 + y**2 - 1))
    system.constrain(detent.holonomic("line", x - 1))
    run = detent.simulate(system, 1, start={"x": 1, "y": 0, "y_rate": 1}, check=False)
    assert run.outcome.word == "singular-constraint"
    assert run.audit.position_residual < 1e-2
    assert "no longer holds" in run.message


def test_looking_at_a_run_does_not_change_it() -> None:
    def steered(look: bool) -> float:
        system, x, _ = bead()
        simulation = detent.Simulation(system, start={"x_rate": 1}, times=[0, 0.5, 1, 1.5])
        simulation.advance(1)
        if look:
            simulation.result()
        simulation.constrain(detent.motion("stop", x.rate))
        simulation.advance(1.5)
        return float(simulation.result()["x_rate"][2])

    assert steered(look=True) == steered(look=False) == 0.0


def test_one_system_in_several_threads_keeps_its_equations() -> None:
    for _ in range(20):
        system, _, _ = bead()
        system.constrain(detent.holonomic("floor", system.points["bead"].along(system.ground.y)))
        detent.simulate(system, 0.01, constraints=[], embedding="numeric")
        found: list[float] = []

        def run(system: detent.System = system, found: list[float] = found) -> None:
            found.append(detent.Simulation(system, embedding="numeric").reactions()["floor"])

        threads = [threading.Thread(target=run) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert found == pytest.approx([9.81] * 3, rel=1e-12)


def test_requests_between_advances_keep_their_order() -> None:
    system, x, _ = bead()
    simulation = detent.Simulation(system, start={"x_rate": 1}, embedding="numeric")

    def ask() -> None:
        for number in range(100):
            brake = detent.motion(f"c{number}", x.rate)
            simulation.constrain(brake)
            simulation.release(brake)

    asking = threading.Thread(target=ask)
    asking.start()
    while asking.is_alive():
        simulation.advance(simulation.time + 1e-4)
    simulation.advance(simulation.time + 1e-4)
    run = simulation.result()
    assert not run.events.of_kind("refused")
    assert len(run.events.of_kind("transition")) == 200
    assert run.audit.energy_balance < 1e-9


def test_joints_that_say_nothing_leave_the_start_to_the_constraints() -> None:
    system = detent.System("hanging plate")
    plate = system.planar("plate", system.origin, system.ground)
    system.body("plate", plate.point, plate.frame, mass=1, inertia=0.1)
    corner = plate.point.offset("corner", plate.frame.y)
    system.constrain(detent.joined("nail", corner, system.origin, along="xy"))
    run = detent.simulate(system, 0.1)
    assert run.audit.position_residual < 1e-12


def test_text_is_never_an_expression(tmp_path: object) -> None:
    nonsense: Any = 5
    with pytest.raises(DetentError, match="where an expression was expected"):
        detent.holonomic("c", f"__import__('os').system('touch {tmp_path}/made')")
    with pytest.raises(DetentError, match="where a constraint or its name was expected"):
        detent.Simulation(bead()[0]).constrain(nonsense)
