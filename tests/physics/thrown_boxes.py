"""Boxes in space by NumPy alone: how far apart they are, where they are in free flight, and boxes thrown at random."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

import detent

PLACE = ("x", "y", "z")
TURN = ("qw", "qx", "qy", "qz")


def axes_of(w: float, x: float, y: float, z: float) -> np.ndarray:
    """The axes of a frame with a quaternion, as columns."""
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


@dataclass(frozen=True)
class Standing:
    """A box somewhere: its middle, its axes as columns, half its edges."""

    middle: np.ndarray
    axes: np.ndarray
    half: np.ndarray

    def reach(self, way: np.ndarray) -> float:
        return float(self.half @ np.abs(self.axes.T @ way))

    @property
    def corners(self) -> np.ndarray:
        signs = np.array(np.meshgrid(*[(1, -1)] * 3)).reshape(3, -1).T
        return self.middle + signs * self.half @ self.axes.T


def separation(one: Standing, other: Standing) -> float:
    """How far two boxes are apart by the best of 15 axes; negative where they overlap."""
    across = [np.cross(a, b) for a in one.axes.T for b in other.axes.T]
    across = [way / size for way in across if (size := np.linalg.norm(way)) > 1e-7]
    ways = [*one.axes.T, *other.axes.T, *across]
    return max(abs(float(way @ (one.middle - other.middle))) - one.reach(way) - other.reach(way) for way in ways)


@cache
def on_a_fixed_box(friction: float, restitution: float) -> detent.System:
    """A free box above a fixed one; edges and mass are parameters."""
    system = detent.System("box on a box")
    a, b, c, m, g = system.parameters(a=1, b=1, c=1, m=1, g=9.81)
    under = system.parameters(under_a=2, under_b=2, under_c=1)
    joint = system.free("box", system.origin, system.ground)
    inertia = (m * (b**2 + c**2) / 12, m * (a**2 + c**2) / 12, m * (a**2 + b**2) / 12)
    box = system.body("box", joint.point, joint.frame, mass=m, inertia=inertia)
    system.gravity(-g * system.ground.z)
    law = detent.Coulomb(friction) if friction else None
    ground, shape = system.ground.box(*under), box.box(a, b, c)
    system.contact("box|ground", shape, ground, friction=law, impact=detent.Poisson(restitution))
    return system


@cache
def two_boxes(friction: float, restitution: float) -> detent.System:
    """Two free boxes without gravity, with the inertia of spheres: they turn uniformly in flight."""
    system = detent.System("two boxes")
    law = detent.Coulomb(friction) if friction else None
    shapes = []
    for name in ("one", "other"):
        edges = system.parameters(**{f"{name}_{letter}": 1 for letter in "abc"})
        m, inertia = system.parameters(**{f"{name}_m": 1, f"{name}_I": 0.1})
        joint = system.free(name, system.origin, system.ground)
        body = system.body(name, joint.point, joint.frame, mass=m, inertia=(inertia,) * 3)
        shapes.append(body.box(*edges))
    system.contact("one|other", *shapes, friction=law, impact=detent.Poisson(restitution))
    return system


@dataclass(frozen=True)
class Thrown:
    """A box as it is thrown: at t = 0 it is here, and moves so; the spin is along its own axes."""

    half: np.ndarray
    place: np.ndarray
    turn: np.ndarray
    velocity: np.ndarray
    spin: np.ndarray

    def start(self, name: str) -> dict[str, float]:
        values = zip(
            [*(f"{name}_{k}" for k in PLACE), *(f"{name}_{k}" for k in TURN),
             *(f"{name}_{k}_rate" for k in PLACE), *(f"{name}_w{k}" for k in PLACE)],
            [*self.place, *self.turn, *self.velocity, *self.spin], strict=True,
        )  # fmt: skip
        return {key: float(value) for key, value in values}

    def at(self, time: float, gravity: float = 0.0) -> Standing:
        """In flight, where it turns uniformly."""
        rate = np.linalg.norm(self.spin)
        half = 0.5 * rate * time
        own = np.array([np.cos(half), *(np.sin(half) * self.spin / rate)]) if rate > 0 else np.array([1.0, 0, 0, 0])
        w, x, y, z = self.turn
        left = np.array([[w, -x, -y, -z], [x, w, -z, y], [y, z, w, -x], [z, -y, x, w]])
        fall = np.array([0, 0, -0.5 * gravity * time * time])
        return Standing(self.place + self.velocity * time + fall, axes_of(*(left @ own)), self.half)


def thrown(random: np.random.Generator, half: np.ndarray, away: float, aim: np.ndarray) -> Thrown:
    """A box thrown from some distance towards the origin, more or less."""
    turn = random.normal(size=4)
    velocity = -aim * random.uniform(1, 4) + 0.2 * random.normal(size=3)
    return Thrown(half, aim * away, turn / np.linalg.norm(turn), velocity, 3 * random.normal(size=3))


def standing_along(run: detent.Run, name: str, half: np.ndarray) -> list[Standing]:
    """A box at all nodes of a run."""
    numbers = np.array([run[f"{name}_{key}"] for key in (*PLACE, *TURN)]).T
    return [Standing(row[:3], axes_of(*row[3:]), half) for row in numbers]
