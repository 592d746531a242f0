"""Contacts on curves and surfaces that come and go during a run: nearest points become states of the next stretch."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sympy

import detent
from detent import ContactStatus
from tests.physics.contact_scenes import G

LAWS: dict[str, Any] = {"friction": detent.Coulomb(0.3), "impact": detent.Poisson(0.4)}
EXACT: dict[str, Any] = {"rtol": 1e-11, "embedding": "symbolic"}
S = sympy.Symbol("s")
NEAREST = "s of disk|hills side"


def disk() -> tuple[detent.System, detent.Body]:
    system = detent.System("disk")
    joint = system.planar("disk", system.origin, system.ground)
    body = system.body("disk", joint.point, joint.frame, 1, 1 / 8)
    system.gravity(-G * system.ground.y)
    system.start(disk_y=1.3, disk_x_rate=2.0, disk_angle_rate=1.0)
    return system, body


def hills(system: detent.System) -> detent.Shape:
    """A curve that moves, so that nearest points depend on the time."""
    lifted = system.origin.offset("lifted", 0.1 * sympy.sin(system.time) * system.ground.y)
    return system.ground.curve(S, S, 0.2 * sympy.cos(S), (-2, 12), at=lifted)


def hilly(at: float, until: float) -> detent.Simulation:
    system, body = disk()
    simulation = detent.Simulation(system, **EXACT)
    simulation.advance(at)
    simulation.contact("disk|hills", body.circle(0.5), hills(system), **LAWS)
    simulation.advance(until)
    return simulation


def test_a_curve_in_flight_gives_the_run_of_one_that_was_there() -> None:
    system, body = disk()
    system.contact("disk|hills", body.circle(0.5), hills(system), **LAWS)
    expected, run = detent.simulate(system, until=2, **EXACT), hilly(0.1, 2).result()
    for name in expected.layout.names:
        assert run[name][-1] == pytest.approx(expected[name][-1], abs=1e-11)
    assert run.events.of_kind("impact").times == pytest.approx(expected.events.of_kind("impact").times, abs=1e-10)
    came = run.time > 0.1
    assert np.isnan(run[NEAREST][run.time < 0.1]).all()
    assert not np.isnan(run[NEAREST][came]).any()
    assert set(run.contacts["disk|hills"]["side"].status[run.time < 0.1]) == {ContactStatus.OFF}
    assert math.isnan(run.at(0.05)[NEAREST])
    assert run.at(0.05).disk_y == pytest.approx(1.3 - G * 0.05**2 / 2, abs=1e-12)
    assert run.audit.smallest_gap is not None
    assert run.audit.smallest_gap > -1e-10  # between nodes, by the tolerance of the steps


def test_a_curve_that_goes_takes_its_nearest_point_with_it(tmp_path: Path) -> None:
    simulation = hilly(0.1, 1.0)
    system = simulation.system
    simulation.contact("disk|wall", system.bodies["disk"].circle(0.5), system.ground.line(at=(9, 0), along="y"))
    simulation.advance(1.2)
    here = simulation.state
    simulation.release("disk|hills")
    assert NEAREST not in [signal.name for signal in simulation.system.signal_rates]
    simulation.advance(1.3)
    assert simulation.state.disk_y == pytest.approx(here.disk_y + 0.1 * here.disk_y_rate - G * 0.01 / 2, abs=1e-11)
    run = simulation.result()
    assert run.layout.signals == (NEAREST,)
    assert np.isnan(run[NEAREST][run.time > 1.2]).all()
    assert run.value("disk_x + disk_y", times=[0.05, 1.25]) == pytest.approx(
        [run.at(time).disk_x + run.at(time).disk_y for time in (0.05, 1.25)]
    )
    run.save(tmp_path / "run.nc")
    again = detent.load(tmp_path / "run.nc")
    np.testing.assert_array_equal(again[NEAREST], run[NEAREST])
    assert abs(run.audit.energy_balance) < 1e-9


def test_a_run_with_a_curve_in_flight_goes_on_from_a_checkpoint(tmp_path: Path) -> None:
    simulation = hilly(0.1, 0.7)
    simulation.checkpoint(tmp_path / "disk.json")
    other = detent.resume(simulation.system, tmp_path / "disk.json")
    simulation.advance(1.5)
    other.advance(1.5)
    assert other.state.values.tolist() == simulation.state.values.tolist()


def test_a_surface_comes_under_a_ball() -> None:
    system = detent.System("ball")
    joint = system.free("ball", system.origin, system.ground)
    body = system.body("ball", joint.point, joint.frame, 1, (0.1, 0.1, 0.1))
    system.gravity(-G * system.ground.z)
    system.start(ball_z=2.0, ball_x=0.3)
    a, b = sympy.symbols("a b")
    simulation = detent.Simulation(system, **EXACT)
    simulation.advance(0.2)
    bowl = system.ground.surface((a, b), a, b, (a**2 + b**2) / 2, ((-2, 2), (-2, 2)))
    simulation.contact("ball|bowl", body.sphere(0.5), bowl, impact=detent.Poisson(1))
    simulation.advance(1.0)
    run = simulation.result()
    first = run.events.of_kind("impact")[0]
    # the centre is as far from the bowl as the ball is large: (x - a, z - a^2/2) along the normal (-a, 1)
    nearest, height = sympy.symbols("nearest height", positive=True)
    lies = [
        0.3 - nearest + nearest * (height - nearest**2 / 2),
        (0.3 - nearest) ** 2 + (height - nearest**2 / 2) ** 2 - 0.25,
    ]
    found = sympy.nsolve(lies, (nearest, height), (0.2, 0.55))
    assert first.time == pytest.approx(math.sqrt(2 * (2 - float(found[1])) / G), abs=1e-11)


def test_a_curve_that_is_equally_near_in_two_places_is_refused_and_the_run_goes_on() -> None:
    system, body = disk()
    simulation = detent.Simulation(system, **EXACT)
    ring = system.ground.curve(S, sympy.cos(S), 2 * sympy.sin(S), (0, 2 * math.pi), closed=True, at=(0, 1.3))
    with pytest.raises(detent.DetentError, match=r"at t = 0, contact disk\|ring: .*several points .* equally near"):
        simulation.contact("disk|ring", body.point(), ring)
    simulation.advance(0.2)
    assert simulation.state.disk_y == pytest.approx(1.3 - G * 0.2**2 / 2, rel=1e-12)
