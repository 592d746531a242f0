"""Momentum and angular momentum: kept by whatever acts between bodies, changed by what acts from outside."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

import detent
from detent import Body, Run, System
from tests.physics.bounds import accumulated

MASSES = {"a": 2.0, "b": 1.0}
MOMENTS = {"a": np.array([1.0, 1.5, 2.0]), "b": np.array([0.4, 0.3, 0.5])}


def two_bodies() -> tuple[System, Body, Body]:
    """Two free bodies in space, moving and turning."""
    system = System("two bodies")
    bodies: dict[str, Body] = {}
    for name in "ab":
        joint = system.free(name, system.origin, system.ground)
        moments = [float(value) for value in MOMENTS[name]]
        bodies[name] = system.body(name, joint.point, joint.frame, MASSES[name], moments)
    system.start(a_x=1, a_y=0.5, a_y_rate=0.4, a_z_rate=-0.2, a_wx=0.5, a_wy=-1, b_x=-1, b_z=0.3, b_x_rate=0.6, b_wz=2)
    return system, bodies["a"], bodies["b"]


def spring_and_damper(system: System, a: Body, b: Body) -> None:
    ends = (a.center.offset("hook_a", a.frame.x / 3), b.center.offset("hook_b", b.frame.y / 4))
    system.spring("spring", ends, stiffness=20, rest=1)
    system.damper("damper", ends, coefficient=0.5)


def force_along_the_line_of_centres(system: System, a: Body, b: Body) -> None:
    system.force("pull", a, 3 * b.center.position(a.center), reaction=b)


def torque_with_reaction(system: System, a: Body, b: Body) -> None:
    system.torque("motor", a, 2 * a.frame.x + 1 * b.frame.z, reaction=b)


def attraction(system: System, a: Body, b: Body) -> None:
    system.potential("attraction", -5 / a.center.distance(b.center))


def momenta(run: Run) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Momentum, and angular momentum about the origin, along the ground's axes."""
    linear, angular = np.zeros((len(run.t), 3)), np.zeros((len(run.t), 3))
    for name in "ab":
        place, velocity, spin = (
            np.stack([run[f"{name}_{part.format(letter)}"] for letter in "xyz"], axis=1)
            for part in ("{}", "{}_rate", "w{}")
        )
        turn = Rotation.from_quat(np.stack([run[f"{name}_q{k}"] for k in "wxyz"], axis=1), scalar_first=True)
        linear += MASSES[name] * velocity
        angular += np.cross(place, MASSES[name] * velocity) + turn.apply(spin * MOMENTS[name])
    return linear, angular


@pytest.mark.parametrize(
    "between",
    [spring_and_damper, force_along_the_line_of_centres, torque_with_reaction, attraction],
    ids=lambda between: between.__name__,
)
def test_what_acts_between_bodies_keeps_both_momenta(between: Callable[[System, Body, Body], None]) -> None:
    system, a, b = two_bodies()
    between(system, a, b)
    run = detent.simulate(system, until=3, rtol=1e-11)
    linear, angular = momenta(run)
    # The velocities and places that the momenta are made of reach some units, each with the run's relative error.
    scale = 10 * max(np.abs(run.trajectory.state).max(), 1)
    np.testing.assert_allclose(linear, np.broadcast_to(linear[0], linear.shape), atol=scale * accumulated(run))
    np.testing.assert_allclose(angular, np.broadcast_to(angular[0], angular.shape), atol=scale * accumulated(run))
    moved = [np.ptp(run[f"{name}_w{letter}"]) for name in "ab" for letter in "xyz"]
    assert max(moved) > 0.1


def test_gravity_adds_its_impulse() -> None:
    system, a, b = two_bodies()
    spring_and_damper(system, a, b)
    system.gravity(-9.81 * system.ground.y)
    run = detent.simulate(system, until=2, rtol=1e-11)
    linear, _ = momenta(run)
    expected = linear[0] + np.outer(run.t, [0, -9.81 * 3, 0])
    np.testing.assert_allclose(linear, expected, atol=9.81 * 3 * 2 * accumulated(run))


def test_an_outer_torque_adds_its_impulse() -> None:
    system, a, b = two_bodies()
    spring_and_damper(system, a, b)
    system.torque("wind", b, 0.7 * system.ground.z)
    run = detent.simulate(system, until=2, rtol=1e-11)
    _, angular = momenta(run)
    expected = angular[0] + np.outer(run.t, [0, 0, 0.7])
    np.testing.assert_allclose(angular, expected, atol=30 * accumulated(run))


def along(angle: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.stack([np.cos(angle), np.sin(angle)])


def across(angle: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.stack([-np.sin(angle), np.cos(angle)])


def test_a_free_chain_in_a_plane_keeps_its_momenta() -> None:
    """A rod that floats, with another hinged to its end: masses 1, lengths 1."""
    system = System("floating rods")
    base = system.planar("base", system.origin, system.ground)
    tip = base.point.offset("tip", base.frame.x / 2)
    hinge = system.revolute("hinge", tip, base.frame)
    system.body("first", base.point, base.frame, 1, 1 / 12)
    system.body("second", tip.offset("center", hinge.frame.x / 2), hinge.frame, 1, 1 / 12)
    system.spring("spring", hinge.coordinates[0], 2)
    system.start(base_angle=0.2, hinge=1, base_x_rate=0.5, base_angle_rate=3, hinge_rate=-4)
    run = detent.simulate(system, until=5, rtol=1e-11)
    angle, other = run.base_angle, run.base_angle + run.hinge
    w1, w2 = run.base_angle_rate, run.base_angle_rate + run.hinge_rate
    r1, v1 = np.stack([run.base_x, run.base_y]), np.stack([run.base_x_rate, run.base_y_rate])
    r2 = r1 + (along(angle) + along(other)) / 2
    v2 = v1 + (w1 * across(angle) + w2 * across(other)) / 2
    turning = (w1 + w2) / 12 + r1[0] * v1[1] - r1[1] * v1[0] + r2[0] * v2[1] - r2[1] * v2[0]
    scale = 10 * np.abs(run.trajectory.state).max()
    np.testing.assert_allclose(
        (v1 + v2).T, np.broadcast_to((v1 + v2)[:, 0], (len(run.t), 2)), atol=scale * accumulated(run)
    )
    np.testing.assert_allclose(turning, turning[0], atol=scale * accumulated(run))
