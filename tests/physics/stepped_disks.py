"""Disks on a floor by small steps: impulses of all contacts worked out together in each, by NumPy alone.

Stewart and Trinkle 1996: over a step h the gaps must not become negative, 0 <= gap/h + v_n, complementary to the normal
impulse; friction is within its cone, against the slip at the end of the step. Solved by projected sweeps. No events and
no statuses: what it does is right to the order of the step.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

import detent

UNTIL = 0.5


@dataclass(frozen=True)
class Disks:
    """Two disks, of which the first comes along the floor, or down to it, and runs into the other."""

    radius: np.ndarray
    mass: np.ndarray
    place: np.ndarray
    velocity: np.ndarray
    spin: np.ndarray
    friction: np.ndarray
    """With the floor, of each, and with one another."""
    gravity: float
    angle: float
    """By which all of it is turned."""
    mirror: float

    @cached_property
    def inertia(self) -> np.ndarray:
        return 0.5 * self.mass * self.radius**2

    @property
    def axes(self) -> np.ndarray:
        """The floor's direction and the way up, as columns."""
        c, s = np.cos(self.angle), np.sin(self.angle)
        return np.array([[c * self.mirror, -s], [s * self.mirror, c]])

    def system(self) -> detent.System:
        system = detent.System("disks")
        along, up = self.axes.T
        system.gravity(-self.gravity * float(up[0]) * system.ground.x - self.gravity * float(up[1]) * system.ground.y)
        shapes = []
        for k, name in enumerate("ab"):
            joint = system.planar(name, system.origin, system.ground)
            body = system.body(name, joint.point, joint.frame, float(self.mass[k]), float(self.inertia[k]))
            place, velocity = self.axes @ self.place[k], self.axes @ self.velocity[k]
            start = dict(zip(("x", "y", "x_rate", "y_rate"), (*place, *velocity), strict=True))
            start["angle_rate"] = self.mirror * self.spin[k]
            system.start(**{f"{name}_{word}": float(value) for word, value in start.items()})
            shapes.append(body.circle(float(self.radius[k])))
            floor = system.ground.line(along=tuple(float(each) for each in self.mirror * along))
            if self.gravity:
                system.contact(f"{name}|floor", shapes[-1], floor, friction=detent.Coulomb(float(self.friction[k])))
        system.contact("a|b", *shapes, friction=detent.Coulomb(float(self.friction[2])))
        return system

    def stepped(self, count: int) -> np.ndarray:
        """Where both are after so many steps, along the floor and up."""
        h, x, v = UNTIL / count, self.place.copy(), np.column_stack([self.velocity, self.spin])
        inverse = 1 / np.column_stack([self.mass, self.mass, self.inertia]).ravel()
        impulses = np.zeros((3, 2))
        for _ in range(count):
            v[:, 1] -= h * self.gravity
            rows, gaps = self._rows(x)
            speeds = v.ravel()
            speeds, impulses = self._swept(speeds, rows, gaps / h, inverse, impulses)
            v = speeds.reshape(2, 3)
            x = x + h * v[:, :2]
        return x

    def _rows(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Of each contact the rows of its normal and tangent, and its gap; a floor that is not there is far away."""
        rows, gaps = np.zeros((3, 2, 6)), np.full(3, 1e3)
        for k in range(2):
            rows[k, 0, 3 * k + 1] = rows[k, 1, 3 * k] = 1.0
            rows[k, 1, 3 * k + 2] = self.radius[k]
            gaps[k] = x[k, 1] - self.radius[k] if self.gravity else 1e3
        way = x[0] - x[1]
        normal = way / np.hypot(*way)
        tangent = np.array([normal[1], -normal[0]])
        for k, sign in ((0, 1.0), (1, -1.0)):
            rows[2, 0, 3 * k : 3 * k + 2], rows[2, 1, 3 * k : 3 * k + 2] = sign * normal, sign * tangent
            rows[2, 1, 3 * k + 2] = self.radius[k]
        gaps[2] = np.hypot(*way) - self.radius.sum()
        return rows, gaps

    def _swept(
        self, v: np.ndarray, rows: np.ndarray, gaps: np.ndarray, inverse: np.ndarray, impulses: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Speeds and impulses at the end of a step, by sweeps over the contacts from the impulses of the last."""
        near = gaps < 1e2
        impulses = np.where(near[:, None], impulses, 0.0)
        v = v + inverse * np.einsum("kij,ki->j", rows, impulses)
        answers = np.einsum("kij,j,kij->ki", rows, inverse, rows)
        for _ in range(200):
            before = v
            for k in np.flatnonzero(near):
                for i in range(2):
                    wanted = impulses[k, i] - (rows[k, i] @ v + (gaps[k] if i == 0 else 0.0)) / answers[k, i]
                    most = self.friction[k] * impulses[k, 0]
                    new = max(0.0, wanted) if i == 0 else min(most, max(-most, wanted))
                    v = v + inverse * rows[k, i] * (new - impulses[k, i])
                    impulses[k, i] = new
            if np.abs(v - before).max() < 1e-13:
                break
        return v, impulses


def random_disks(seed: int) -> Disks:
    random = np.random.default_rng([seed, 23])
    gravity = float(random.choice([0.0, 9.81, 9.81]))
    radius, mass = random.uniform(0.1, 0.4, 2), random.uniform(0.5, 3, 2)
    high = float(random.choice([0.0, random.uniform(0, 0.2)]))
    away = float(radius.sum()) + random.uniform(0.05, 0.3)
    place = np.array([[-away, radius[0] + high], [0.0, radius[1]]])
    velocity = np.array([[random.uniform(1, 4), 0.0], [random.uniform(-1, 0.5), 0.0]])
    spin, friction = random.uniform(-6, 6, 2), random.choice([0.0, 0.2, 0.5], 3)
    turned = float(random.uniform(-3, 3)) if random.integers(2) else 0.0
    return Disks(radius, mass, place, velocity, spin, friction, gravity, turned, float(random.choice([-1.0, 1.0])))
