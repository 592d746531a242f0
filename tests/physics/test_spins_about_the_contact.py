"""What spins about the line from its contact to its centre does not slip by that, however it is turned.

Where that line is along an axis of the body, the spin has no part in the slip but rounding, which the terms of the slip
did not tell: friction then drove what it should have held, without an event, and energy grew by half.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import detent

RADIUS, G = 0.1, 9.81
STATES = ("x", "y", "z", "qw", "qx", "qy", "qz", "x_rate", "y_rate", "z_rate", "wx", "wy", "wz")
Vector = np.ndarray


def thin_disk(radius: float, friction: float) -> detent.System:
    system = detent.System("disk")
    joint = system.free("disk", system.origin, system.ground)
    inertia = tuple(part * radius**2 for part in (0.25, 0.25, 0.5))
    body = system.body("disk", joint.point, joint.frame, mass=1, inertia=inertia)
    system.gravity(-G * system.ground.z)
    law = detent.Coulomb(friction)
    system.contact("disk|floor", body.rim(radius), system.ground.plane(), friction=law)
    return system


def turned(rotation: Rotation, radius: float, velocity: Vector, spin: Vector) -> dict[str, float]:
    """The disk on its lowest point, turned so; vectors are along the axes of the ground."""
    axis = rotation.apply([0.0, 0.0, 1.0])
    place = (0.0, 0.0, radius * math.sqrt(1 - axis[2] ** 2))
    quaternion = np.roll(rotation.as_quat(), 1)
    numbers = (*place, *quaternion, *velocity, *rotation.inv().apply(spin))
    return {f"disk_{name}": float(number) for name, number in zip(STATES, numbers, strict=True)}


def check(seed: int) -> None:
    """Energy does not grow, and friction gives none."""
    random = np.random.default_rng([seed, 1187])
    leans = float(random.uniform(0.05, 1.4))
    whole = [Rotation.from_euler(axis, leans) for axis in "xy"] + [Rotation.random(random_state=seed)]
    rotation = whole[seed % 3]
    axis = rotation.apply([0.0, 0.0, 1.0])
    up = np.array([0.0, 0.0, 1.0]) - axis * axis[2]
    slip = 0.0 if seed % 5 == 0 else 10.0 ** random.uniform(-17, -5)
    start = turned(
        rotation, RADIUS, slip * np.array([1.0, -0.3, 0.0]), random.uniform(5, 300) * up / np.linalg.norm(up)
    )
    run = detent.simulate(thin_disk(RADIUS, 0.5), until=0.02, start=start)
    energy = run["energy"]
    assert energy.max() - energy[0] <= 1e-9 * energy[0], seed
    contact = run.contacts["disk|floor"]
    power = np.maximum(0.0, (contact.friction * contact.slip).sum(axis=1))
    given = (np.diff(run.time) * (power[1:] + power[:-1]) / 2).sum()  # of a slip of 1e-12 m/s only its end is seen
    assert given <= 1e-9 * energy[0], seed


@pytest.mark.parametrize("seed", range(9))
def test_friction_takes_energy_from_what_spins_about_its_contact(seed: int) -> None:
    check(seed)


@pytest.mark.slow
def test_friction_takes_energy_from_many_that_spin_about_their_contacts() -> None:
    for seed in range(1000):
        check(seed)


@pytest.mark.parametrize("friction", [0.1, 0.5, 5.0])
def test_the_centre_of_eulers_disk_stays_where_it_is(friction: float) -> None:
    """It rolls around at sqrt(4 g/(r sin(lean))) while its centre rests: no force but its weight is needed."""
    radius, lean = 0.0375, math.radians(10)
    rate = math.sqrt(4 * G / (radius * math.sin(lean)))
    assert rate == pytest.approx(77.627169429, abs=1e-9)
    rotation = Rotation.from_euler("x", lean)
    spin = rate * (np.array([0.0, 0.0, 1.0]) - math.cos(lean) * rotation.apply([0.0, 0.0, 1.0]))
    start = turned(rotation, radius, np.zeros(3), spin)
    run = detent.simulate(thin_disk(radius, friction), until=0.5, start=start)
    assert not run.events
    for name in ("disk_x", "disk_y", "disk_z"):
        assert np.abs(run[name] - run[name][0]).max() < 1e-10
    x, y, _ = run.contacts["disk|floor"].point.T
    around = np.unwrap(np.arctan2(y, x))
    assert (around[-1] - around[0]) / 0.5 == pytest.approx(rate, abs=1e-7)
