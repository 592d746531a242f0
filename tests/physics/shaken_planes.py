"""Points and balls on planes in space that shake, turn and run like belts; and a second method.

Along the axes of the plane, z its normal, the middle c = (x, y, r) of what is on it obeys

    c'' = R^T (g - P'') - 2 w x c' - w' x c - w x (w x c) + (F, N)/m            I s' = -r z x F - I w x s

with P, R and w the place, the turn and the angular velocity of the plane, and s the spin. What slips does so at
c' + w x r z - s x r z - b, b being the speed of the belts. N keeps z as it is, F brakes the slip, or keeps it zero.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import detent
from tests.physics.shaken_tables import Array, G, Law, Unsure, Wave

Z = np.array([0.0, 0.0, 1.0])
STRAIGHT = 1e-7
"""From where on a slip (m/s) that ends is taken to end evenly."""


@dataclass(frozen=True)
class Plane:
    x: Wave
    y: Wave
    z: Wave
    angle: Wave
    about: str
    belts: tuple[Wave, Wave]

    @property
    def axis(self) -> Array:
        return np.array([1.0, 0.0, 0.0]) if self.about == "x" else np.array([0.0, 1.0, 0.0])

    def turned(self, vector: Array, angle: float) -> Array:
        """By Rodrigues' formula; the axis is the same in both frames."""
        k = self.axis
        made = (
            vector * math.cos(angle) + np.cross(k, vector) * math.sin(angle) + k * (k @ vector) * (1 - math.cos(angle))
        )
        return np.asarray(made)

    def place(self, t: float, order: int = 0) -> Array:
        return np.array([self.x(t, order), self.y(t, order), self.z(t, order)])

    def belt(self, t: float, order: int = 0) -> Array:
        return np.array([self.belts[0](t, order), self.belts[1](t, order), 0.0])


@dataclass(frozen=True)
class Rider:
    """What is on a plane: where, how fast, and how it turns, along the axes of the plane."""

    plane: Plane
    law: Law
    mass: float
    radius: float
    inertia: float
    place: tuple[float, float]
    rate: tuple[float, float]
    spin: tuple[float, float, float]

    @property
    def yields(self) -> float:
        return 1 / self.mass + (self.radius**2 / self.inertia if self.radius else 0.0)

    def start(self) -> Array:
        return np.array([*self.place, *self.rate, *self.spin])

    def middle(self, state: Array) -> tuple[Array, Array]:
        return np.array([state[0], state[1], self.radius]), np.array([state[2], state[3], 0.0])

    def slip(self, t: float, state: Array) -> Array:
        turns = self.plane.angle(t, 1) * self.plane.axis
        _, rate = self.middle(state)
        found = rate + np.cross(turns, self.radius * Z) - np.cross(state[4:7], self.radius * Z) - self.plane.belt(t)
        return np.asarray(found[:2])

    def free(self, t: float, state: Array) -> Array:
        """c'' without what the plane does."""
        plane, (c, rate) = self.plane, self.middle(state)
        w, turning = plane.angle(t, 1) * plane.axis, plane.angle(t, 2) * plane.axis
        pulled = plane.turned(-G * Z - plane.place(t, 2), -plane.angle(t))
        return np.asarray(pulled - 2 * np.cross(w, rate) - np.cross(turning, c) - np.cross(w, np.cross(w, c)))

    def normal(self, t: float, state: Array) -> float:
        return float(-self.mass * self.free(t, state)[2])

    def holds(self, t: float, state: Array) -> Array:
        """The friction that keeps slip as it is."""
        plane = self.plane
        w, turning = plane.angle(t, 1) * plane.axis, plane.angle(t, 2) * plane.axis
        spins = -np.cross(w, state[4:7])
        changes = self.free(t, state) + np.cross(turning, self.radius * Z) - np.cross(spins, self.radius * Z)
        return np.asarray(-(changes - plane.belt(t, 1))[:2] / self.yields)

    def rates(self, t: float, state: Array, friction: Array) -> Array:
        w, F = self.plane.angle(t, 1) * self.plane.axis, np.array([*friction, 0.0])
        spins = -np.cross(w, state[4:7])
        if self.radius:
            spins = spins - np.cross(self.radius * Z, F) / self.inertia
        return np.concatenate([state[2:4], self.free(t, state)[:2] + friction / self.mass, spins])

    def brakes(self, t: float, state: Array) -> Array:
        slip = self.slip(t, state)
        size = float(np.hypot(*slip))
        return np.asarray(-self.law.kinetic(t, size) * self.normal(t, state) * slip / max(size, 1e-300))

    def system(self) -> detent.System:
        system = detent.System("shaken plane")
        t, ground, plane = system.time, system.ground, self.plane
        system.gravity(-G * ground.z)
        x, y, z = (wave.symbolic(t) for wave in (plane.x, plane.y, plane.z))
        seat = system.origin.offset("seat", x * ground.x + y * ground.y + z * ground.z)
        frame = ground.rotated("plane", plane.angle.symbolic(t), about=plane.about)
        place, velocity, spin = self.in_ground(0.0, self.start())
        names = [f"r_{letter}" for letter in "xyz"]
        if self.radius:
            joint = system.free("r", system.origin, ground)
            body: Any = system.body("r", joint.point, joint.frame, self.mass, (self.inertia,) * 3)
            system.start(**dict(zip(("r_wx", "r_wy", "r_wz"), map(float, spin), strict=True)))
            shape = body.sphere(self.radius)
        else:
            a, b, c = system.coordinates(*names)
            body = system.particle(
                "r", system.origin.offset("r", a * ground.x + b * ground.y + c * ground.z), self.mass
            )
            shape = body.point()
        system.start(**dict(zip(names, map(float, place), strict=True)))
        system.start(**dict(zip((f"{name}_rate" for name in names), map(float, velocity), strict=True)))
        belts = plane.belts[0].symbolic(t), plane.belts[1].symbolic(t)
        system.contact("r", shape, frame.plane(at=seat, moving=belts), friction=self.law.of(system))
        return system

    def in_ground(self, t: float, state: Array) -> tuple[Array, Array, Array]:
        """Place, velocity and spin along the axes of the ground."""
        plane, (c, rate) = self.plane, self.middle(state)
        angle, w = plane.angle(t), plane.angle(t, 1) * plane.axis
        velocity = plane.place(t, 1) + plane.turned(rate + np.cross(w, c), angle)
        return plane.place(t) + plane.turned(c, angle), velocity, plane.turned(state[4:7], angle)


def followed(rider: Rider, until: float) -> tuple[list[tuple[float, str]], float, Array]:
    """When its slip ends, and when it begins to slip again; the time and state of that, or at the end."""
    held, state = _slips(rider, until)
    if held is None:
        return [], until, state
    if np.hypot(*rider.holds(held, state)) > (1 - 1e-6) * rider.law.static(held) * rider.normal(held, state):
        raise Unsure
    breaks, state = _rests(rider, held, state, until)
    return [(held, "held"), *([(breaks, "slips")] if breaks < until else [])], breaks, state


def _slips(rider: Rider, until: float) -> tuple[float | None, Array]:
    """Until slip ends; it is followed to where little is left of it, and then it goes on evenly."""

    def little(t: float, state: Array) -> float:
        return float(np.hypot(*rider.slip(t, state))) - STRAIGHT

    def lifts(t: float, state: Array) -> float:
        return rider.normal(t, state)

    little.terminal = lifts.terminal = True  # type: ignore[attr-defined]
    found = solve_ivp(
        lambda t, state: rider.rates(t, state, rider.brakes(t, state)), (0.0, until), rider.start(), method="DOP853",
        rtol=1e-12, atol=1e-13, max_step=0.01, events=(little, lifts),
    )  # fmt: skip
    t, state = float(found.t[-1]), found.y[:, -1]
    if len(found.t_events[1]) or not found.success:
        raise Unsure
    if not len(found.t_events[0]):
        return None, state
    slip, rates = rider.slip(t, state), rider.rates(t, state, rider.brakes(t, state))
    later = (rider.slip(t + 1e-7, state + 1e-7 * rates) - slip) / 1e-7
    left = float(slip @ slip) / -float(slip @ later)
    if left < 0:
        raise Unsure
    return t + left, state + left * rates


def _rests(rider: Rider, begin: float, state: Array, until: float) -> tuple[float, Array]:
    """Until friction does not hold it any more."""
    found = solve_ivp(
        lambda t, state: rider.rates(t, state, rider.holds(t, state)), (begin, until), state, method="DOP853",
        rtol=1e-12, atol=1e-13, max_step=0.01, dense_output=True,
    )  # fmt: skip

    def room(t: float) -> float:
        at = found.sol(t)
        return rider.law.static(t) * rider.normal(t, at) - float(np.hypot(*rider.holds(t, at)))

    times = np.linspace(begin, until, 2001)
    below = np.flatnonzero(np.array([room(t) for t in times]) < 0)
    if not len(below):
        return until, found.y[:, -1]
    if below[0] == 0:
        raise Unsure
    breaks = float(brentq(room, times[below[0] - 1], times[below[0]], xtol=1e-15, rtol=1e-15))
    return breaks, found.sol(breaks)


def random_rider(seed: int) -> Rider:
    random = np.random.default_rng([seed, 80])

    def between(low: float, high: float) -> float:
        return float(random.uniform(low, high))

    def wave(a: float, b: float, often: float = 8.0) -> Wave:
        return Wave(a, between(0, 1) * b, between(1, often), between(0, 6)) if random.integers(3) else Wave(a)

    belts = wave(between(-1, 1), 1.0), wave(between(-1, 1), 1.0)
    about = str(random.choice(["x", "y"]))
    plane = Plane(wave(0, 0.15), wave(0, 0.15), wave(0, 0.05), wave(between(-0.3, 0.3), 0.15, 5), about, belts)
    swing, fades = (float(random.choice([0.0, between(0, most)])) for most in (0.7, 1.0))
    law = Law(between(0.2, 1.0), swing, fades, float(random.choice([1.0, between(1, 1.5)])))
    radius, mass = float(random.choice([0.0, between(0.1, 0.5)])), float(10 ** between(-1, 1))
    spin = (between(-4, 4), between(-4, 4), between(-4, 4)) if radius else (0.0, 0.0, 0.0)
    place, rate = (between(-1, 1), between(-1, 1)), (between(-2, 2), between(-2, 2))
    return Rider(plane, law, mass, radius, mass * radius**2 * between(0.2, 0.66), place, rate, spin)
