"""What nobody uses any more is let go: a sweep of models does not fill the memory."""

from __future__ import annotations

import gc
import weakref

import pytest
import sympy

import detent
from detent.jit.background import in_background


def collect() -> None:
    """Collect, once nothing is in the hands of the compiler any more."""
    in_background(lambda: None).result()
    gc.collect()


def disk(laws: str) -> detent.System:
    system = detent.System("disk")
    joint = system.planar("disk", system.origin, system.ground)
    wheel = system.body("disk", joint.point, joint.frame, mass=1, inertia=0.5)
    system.gravity(-9.81 * system.ground.y)
    system.start(disk_y=1, disk_x_rate=1)
    s = sympy.Symbol("s")
    hill = system.ground.curve(s, s, -0.01 * s**2, (-5, 5))
    floor = hill if laws == "hill" else system.ground.line()
    system.contact("disk|floor", wheel.circle(1), floor, friction=detent.Coulomb(0.3, rolling=0.01))
    return system


@pytest.mark.parametrize("laws", ["floor", "hill"])
def test_a_system_with_contacts_is_let_go_after_its_run(laws: str) -> None:
    known = []
    for _ in range(3):
        system = disk(laws)
        run = detent.simulate(system, until=0.5)
        assert run.events is not None
        known.append(weakref.ref(system))
        del system, run
    collect()
    assert [each() for each in known] == [None] * 3


def test_a_run_that_goes_on_with_other_laws_is_let_go() -> None:
    system = disk("floor")
    simulation = detent.Simulation(system, embedding="symbolic")  # a live run sets aside what there is, until the next
    simulation.advance(0.2)
    simulation.contact("disk|floor", friction=detent.Coulomb(0.1))
    simulation.advance(0.4)
    gap = simulation.result().value(simulation.system.contacts["disk|floor"].gap())
    assert abs(gap).max() < 1e-12
    known = weakref.ref(system)
    del system, simulation
    collect()
    assert known() is None
