"""Random balls that roll until friction breaks, and then slip from rest on; SciPy knows the same motion in other terms.

Slip is told by its size and its angle, which is where it is stiff: Radau's method follows that without knowing why.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import solve_ivp

import detent

Vector = NDArray[np.float64]
GRAVITY = 9.81
_BORN = 1e-10
"""The slip (m/s) with which SciPy begins: its angle would be lost among the tolerances of one much slower."""


class Dome(NamedTuple):
    """A ball on a fixed sphere; where it starts, as it rolls there."""

    radius: float
    ball: float
    inertia: float
    """By mass and radius squared."""
    friction: float
    start: Vector
    """The direction of the ball from the centre of the dome."""
    spin: Vector
    """Its angular velocity."""

    @property
    def distance(self) -> float:
        return self.radius + self.ball

    @property
    def velocity(self) -> Vector:
        return self.ball * np.cross(self.spin, self.start)


class Slide(NamedTuple):
    """When friction breaks, when the ball leaves the dome, and where it is then."""

    breaks: float
    leaves: float
    place: Vector
    velocity: Vector


def random_dome(random: np.random.Generator) -> Dome:
    """A dome of any size, and a ball that starts near its top in any direction."""
    tilt, around = random.uniform(0.05, 0.35), random.uniform(0.0, 2.0 * np.pi)
    start = np.array([np.sin(tilt) * np.cos(around), np.sin(tilt) * np.sin(around), np.cos(tilt)])
    return Dome(
        radius=float(10 ** random.uniform(-0.5, 0.5)),
        ball=float(10 ** random.uniform(-1.5, -0.3)),
        inertia=float(random.uniform(0.2, 0.66)),
        friction=float(random.uniform(0.1, 0.8)),
        start=start,
        spin=random.uniform(-3.0, 3.0, 3),
    )


def system_of(dome: Dome) -> detent.System:
    """The same as a model."""
    system = detent.System("dome")
    joint = system.free("ball", system.origin, system.ground)
    inertia = dome.inertia * dome.ball**2
    ball = system.body("ball", joint.point, joint.frame, mass=1, inertia=(inertia,) * 3)
    system.gravity(-GRAVITY * system.ground.z)
    law = detent.Coulomb(dome.friction)
    system.contact("ball|dome", ball.sphere(dome.ball), system.ground.sphere(dome.radius), friction=law)
    place, velocity = dome.distance * dome.start, dome.velocity
    for number, axis in enumerate("xyz"):
        values = {f"ball_{axis}": place, f"ball_{axis}_rate": velocity, f"ball_w{axis}": dome.spin}
        system.start(**{name: float(vector[number]) for name, vector in values.items()})
    return system


def _normal_force(dome: Dome, normal: Vector, velocity: Vector) -> float:
    return float(GRAVITY * normal[2] - velocity @ velocity / dome.distance)


def _held(dome: Dome, state: Vector) -> tuple[Vector, Vector, Vector, float]:
    """While it rolls: the normal, the velocity, friction and the normal force, by the mass."""
    normal, spin = state[:3] / np.linalg.norm(state[:3]), state[3:6]
    velocity = dome.ball * np.cross(spin, normal)
    turning = dome.ball * np.cross(spin, velocity / dome.distance)
    weight = np.array([0.0, 0.0, -GRAVITY])
    wanted = turning - weight
    wanted -= normal * (wanted @ normal)
    return normal, velocity, wanted / (1.0 + 1.0 / dome.inertia), _normal_force(dome, normal, velocity)


def _rolling(dome: Dome, state: Vector) -> Vector:
    normal, velocity, friction, _ = _held(dome, state)
    return np.concatenate([velocity, -np.cross(normal, friction) / (dome.inertia * dome.ball)])


def _directions(normal: Vector, pole: Vector) -> tuple[Vector, Vector, float]:
    """Two tangents, and how far the normal is from the pole that they turn about."""
    first = np.cross(pole, normal)
    size = float(np.linalg.norm(first))
    return first / size, np.cross(normal, first / size), size


def _slipping(dome: Dome, pole: Vector, state: Vector) -> Vector:
    """The rate of place, spin, size of slip and its angle."""
    normal, spin, size, angle = state[:3] / np.linalg.norm(state[:3]), state[3:6], state[6], state[7]
    first, second, off = _directions(normal, pole)
    way, across = np.cos(angle) * first + np.sin(angle) * second, np.cos(angle) * second - np.sin(angle) * first
    velocity = size * way + dome.ball * np.cross(spin, normal)
    turning, force = velocity / dome.distance, _normal_force(dome, normal, velocity)
    drag = dome.friction * force
    change = np.array([0.0, 0.0, -GRAVITY]) - drag * (1.0 + 1.0 / dome.inertia) * way
    change -= dome.ball * np.cross(spin, turning)
    carried = np.cross(pole, turning) @ second / off
    return np.concatenate([
        velocity,
        drag / (dome.inertia * dome.ball) * np.cross(normal, way),
        [change @ way, change @ across / size - carried],
    ])  # fmt: skip


def slide_of(dome: Dome, until: float) -> Slide | None:
    """When it begins to slip and when it leaves the dome, by SciPy; None where it does not by then, or slip ends."""

    def breaks(_time: float, state: Vector) -> float:
        _, _, friction, force = _held(dome, state)
        return float(dome.friction * force - np.linalg.norm(friction))

    def leaves(_time: float, state: Vector) -> float:
        normal = state[:3] / np.linalg.norm(state[:3])
        velocity = _slipping(dome, pole, state)[:3]
        return _normal_force(dome, normal, velocity)

    def ends(_time: float, state: Vector) -> float:
        return float(state[6] - 0.1 * _BORN)

    for event in (breaks, leaves, ends):
        event.terminal = True  # type: ignore[attr-defined]
        event.direction = -1.0  # type: ignore[attr-defined]
    start = np.concatenate([dome.distance * dome.start, dome.spin])
    fine = {"rtol": 1e-13, "atol": 1e-13}
    rolls = solve_ivp(lambda _, state: _rolling(dome, state), (0.0, until), start, "DOP853", events=breaks, **fine)
    if not rolls.t_events[0].size:
        return None
    began, state = float(rolls.t_events[0][0]), rolls.y_events[0][0]
    normal, _, friction, _ = _held(dome, state)
    pole = np.cross([0.0, 0.0, 1.0], friction)
    pole /= np.linalg.norm(pole)
    first, second, _ = _directions(normal, pole)
    angle = np.arctan2(-friction @ second, -friction @ first)
    state = np.concatenate([state, [_BORN, angle]])
    slips = solve_ivp(
        lambda _, state: _slipping(dome, pole, state), (began, until), state, "Radau",
        events=(leaves, ends), max_step=2e-3, rtol=1e-12, atol=1e-14,
    )  # fmt: skip
    if not slips.t_events[0].size:
        return None
    leaves_at = float(slips.t_events[0][0])
    # What solve_ivp gives of the state at an event is interpolated by a cubic.
    last = solve_ivp(
        lambda _, state: _slipping(dome, pole, state), (slips.t[-2], leaves_at), slips.y[:, -2], "Radau",
        rtol=1e-12, atol=1e-14,
    )  # fmt: skip
    end = last.y[:, -1]
    return Slide(began, leaves_at, end[:3], _slipping(dome, pole, end)[:3])


class Table(NamedTuple):
    """A table that turns faster and faster, and a stone on it at rest."""

    friction: float
    distance: float
    """From the axis, m."""
    faster: float
    """rad/s^2"""

    @property
    def breaks(self) -> float:
        """When friction cannot hold it any more: its acceleration is then mu g."""
        return ((self.friction * GRAVITY / self.distance) ** 2 - self.faster**2) ** 0.25 / self.faster


def random_table(random: np.random.Generator) -> Table:
    """A table on which the stone lies still at first."""
    friction, distance = float(random.uniform(0.1, 1.0)), float(10 ** random.uniform(-1.0, 0.5))
    return Table(friction, distance, float(random.uniform(0.05, 0.9)) * friction * GRAVITY / distance)


def system_of_table(table: Table) -> detent.System:
    """The same as a model."""
    system = detent.System("table")
    joint = system.free("stone", system.origin, system.ground)
    stone = system.body("stone", joint.point, joint.frame, mass=1, inertia=(1, 1, 1))
    system.gravity(-GRAVITY * system.ground.z)
    system.start(stone_x=table.distance)
    turning = system.ground.rotated("table", table.faster * system.time**2 / 2)
    system.contact("stone|table", stone.point(), turning.plane(), friction=detent.Coulomb(table.friction))
    return system


def place_on_table(table: Table, time: float) -> Vector:
    """Where the stone is at a time after friction has broken, by SciPy: x, y."""
    drag = table.friction * GRAVITY

    def rate(now: float, state: Vector) -> Vector:
        x, y, size, angle = state
        turning = table.faster * now
        way, across = np.array([np.cos(angle), np.sin(angle)]), np.array([-np.sin(angle), np.cos(angle)])
        velocity = size * way + turning * np.array([-y, x])
        change = -drag * way - table.faster * np.array([-y, x]) - turning * np.array([-velocity[1], velocity[0]])
        return np.array([*velocity, change @ way, change @ across / size])

    began = table.breaks
    turned, turning = table.faster * began**2 / 2, table.faster * began
    out = np.array([np.cos(turned), np.sin(turned)])
    held = table.distance * (table.faster * np.array([-out[1], out[0]]) - turning**2 * out)
    start = np.array([*(table.distance * out), _BORN, np.arctan2(-held[1], -held[0])])
    found = solve_ivp(rate, (began, time), start, "Radau", rtol=1e-12, atol=1e-14)
    place: Vector = found.y[:2, -1]
    return place
