"""Disks on a slope with friction and rolling resistance, by piecewise constant accelerations.

The normal force is m g cos(tilt), so that friction T and the moment M are bounded by numbers. Gauss's principle with
dry friction: of all accelerations those are taken that make

    m (a - g sin(tilt))^2 / 2 + I alpha^2 / 2 + mu N |slip|' + rho N |spin|'

least, with |x|' the rate of |x|: x' times its sign, or |x'| where x is zero. That is convex, so one of nine candidates:
slip and spin each go on to the left, go on to the right, or stay as they are.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import product

import numpy as np

import detent

G = 9.81
ZERO = 1e-13
"""Speeds below this, relative to those at the start, are none."""


@dataclass(frozen=True)
class Disk:
    """A disk on a slope that falls towards x; ``spin`` is counter-clockwise, so that it rolls where v + r spin = 0."""

    tilt: float
    rho: float
    mu: float
    v: float = 0.0
    spin: float = 0.0
    radius: float = 0.5
    mass: float = 2.0
    inertia: float = 0.25

    @property
    def normal(self) -> float:
        return self.mass * G * math.cos(self.tilt)

    @property
    def slip(self) -> float:
        return self.v + self.radius * self.spin

    def system(self) -> detent.System:
        """The same as a model."""
        system = detent.System("disk")
        x, y, angle = system.coordinates("x", "y", "angle")
        ramp = system.ground.rotated("ramp", -self.tilt)
        hub = system.origin.offset("hub", x * ramp.x + y * ramp.y)
        body = system.body("disk", hub, ramp.rotated("disk", angle), self.mass, self.inertia)
        system.gravity(-G * system.ground.y)
        system.start(y=self.radius, x_rate=self.v, angle_rate=self.spin)
        law = detent.Coulomb(self.mu, rolling=self.rho)
        system.contact("disk|ramp", body.circle(self.radius), ramp.line(), friction=law)
        return system

    def accelerations(self) -> tuple[float, float]:
        """Of the centre, and of turning."""
        pull, tried = self.mass * G * math.sin(self.tilt), []
        for slides, turns in product((-1, 0, 1), (-1, 0, 1)):
            # m a = pull - mu N slides, or slip' = 0 by a force T; I alpha = -mu N r slides (or T r) - rho N turns
            matrix, right = np.eye(4), np.zeros(4)  # a, alpha, T, M
            matrix[0], right[0] = (self.mass, 0, -1, 0), pull
            matrix[1], right[1] = (0, self.inertia, -self.radius, -1), 0
            matrix[2] = (0, 0, 1, 0) if slides else (1, self.radius, 0, 0)
            right[2] = -self.mu * self.normal * slides
            matrix[3] = (0, 0, 0, 1) if turns else (0, 1, 0, 0)
            right[3] = -self.rho * self.normal * turns
            if np.linalg.matrix_rank(matrix) < 4:
                continue
            a, alpha, _, _ = np.linalg.solve(matrix, right).tolist()
            tried.append((self._cost(a, alpha), a, alpha))
        return min(tried)[1:]

    def _cost(self, a: float, alpha: float) -> float:
        free = G * math.sin(self.tilt)
        moved = self.mass * (a - free) ** 2 / 2 + self.inertia * alpha**2 / 2
        rubs = self.mu * self.normal * _rate_of_size(self.slip, a + self.radius * alpha)
        return moved + rubs + self.rho * self.normal * _rate_of_size(self.spin, alpha)


def _rate_of_size(value: float, rate: float) -> float:
    return abs(rate) if value == 0.0 else math.copysign(rate, rate * value)


def after(disk: Disk, until: float) -> tuple[Disk, float, float, list[float]]:
    """The disk after a time, how far it went and turned, and when slip or spin stopped or turned round."""
    time, x, angle, instants = 0.0, 0.0, 0.0, []
    scale = max(abs(disk.v), abs(disk.spin) * disk.radius, 1e-3)
    while time < until:
        a, alpha = disk.accelerations()
        ends = [(until - time, "")]
        for name, value, rate in (("slip", disk.slip, a + disk.radius * alpha), ("spin", disk.spin, alpha)):
            if value * rate < 0.0 and abs(rate) > ZERO:
                ends.append((-value / rate, name))
        step, what = min(ends)
        x, angle = x + disk.v * step + a * step**2 / 2, angle + disk.spin * step + alpha * step**2 / 2
        v, spin, time = disk.v + a * step, disk.spin + alpha * step, time + step
        if what == "spin" or abs(spin) * disk.radius < ZERO * scale:
            spin = 0.0
        if what == "slip" or abs(v + disk.radius * spin) < ZERO * scale:
            v = -disk.radius * spin
        disk = replace(disk, v=v, spin=spin)
        if what:
            instants.append(time)
    return disk, x, angle, instants


def random_disk(seed: int) -> Disk:
    """A disk with a tilt, laws and speeds that a seed tells; many begin at rest, rolling, or without turning."""
    random = np.random.default_rng(seed)
    disk = Disk(
        tilt=float(random.choice([0.0, random.uniform(-0.3, 0.3)])),
        rho=float(10 ** random.uniform(-3, -0.5)),
        mu=float(random.choice([0.0, random.uniform(0.02, 0.8)], p=[0.1, 0.9])),
        v=float(random.choice([0.0, random.uniform(-3, 3)])),
        inertia=float(random.uniform(0.05, 0.5)),
    )
    return replace(disk, spin=float(random.choice([0.0, -disk.v / disk.radius, random.uniform(-8, 8)])))
