"""Two bodies that fly at one another without forces, each with the inertia of a sphere, and how far apart they are.

Then each moves straight ahead and turns about one axis at a constant rate, so that where they are is known without any
integration. Distances are those of convex sets by NumPy and SciPy: nothing of the library has a part in them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.optimize import brentq
from scipy.spatial.transform import Rotation

import detent

Array = np.ndarray[Any, Any]
NAMES = ("x", "y", "z", "qw", "qx", "qy", "qz", "x_rate", "y_rate", "z_rate", "wx", "wy", "wz")


@dataclass(frozen=True)
class Flight:
    """A body that flies: where it is and how it is turned at the start, its velocity, how it turns (along its axes)."""

    place: Array
    turned: Array
    """A unit quaternion, its real part first."""
    velocity: Array
    spin: Array

    def at(self, time: float) -> tuple[Array, Array]:
        """Where it is, and its axes as columns."""
        start = Rotation.from_quat(np.roll(self.turned, -1))
        turned = start * Rotation.from_rotvec(self.spin * time)
        return self.place + self.velocity * time, turned.as_matrix()

    def start(self, name: str) -> dict[str, float]:
        numbers = np.concatenate([self.place, self.turned, self.velocity, self.spin])
        return {f"{name}_{word}": float(value) for word, value in zip(NAMES, numbers, strict=True)}


Distance = Callable[[tuple[Array, Array], tuple[Array, Array]], float]
"""How far two bodies are apart, each by its place and axes; at most zero where they overlap."""


@dataclass(frozen=True)
class Pair:
    """Two bodies that fly at one another."""

    one: Flight
    other: Flight
    distance: Distance

    def apart(self, time: float) -> float:
        return self.distance(self.one.at(time), self.other.at(time))

    @cached_property
    def meets(self) -> float | None:
        """When they first touch; None where they do not within two seconds, or pass so close that it is not clear.

        No point of a body moves faster than ``fastest`` against the other, so no step passes a time when they touch.
        """
        fastest = float(np.linalg.norm(self.one.velocity - self.other.velocity))
        fastest += 2.0 * float(np.linalg.norm(self.one.spin) + np.linalg.norm(self.other.spin))
        time, before = 0.0, 0.0
        while time < 2.0:
            apart = self.apart(time)
            if apart <= 0.0:
                return float(brentq(self.apart, before, time, xtol=1e-15, rtol=1e-15))
            before, time = time, time + max(0.9 * apart / fastest, 1e-4)
        return None


def random_flights(random: np.random.Generator) -> tuple[Flight, Flight]:
    """Two flights at one another, which begin three apart."""
    made = []
    way = random.normal(size=3)
    way /= np.linalg.norm(way)
    for sign in (1.0, -1.0):
        turned = random.normal(size=4)
        velocity = -sign * way * random.uniform(0.8, 2.0) + random.uniform(-0.25, 0.25, 3)
        place = 1.5 * sign * way + random.uniform(-0.2, 0.2, 3)
        made.append(Flight(place, turned / np.linalg.norm(turned), velocity, random.uniform(-2, 2, 3)))
    return made[0], made[1]


def two_solids(shapes: Callable[..., tuple[Any, Any]], restitution: float, **sizes: float) -> detent.System:
    """Two free bodies whose shapes a function makes of both and of the parameters of their sizes."""
    system = detent.System("two solids")
    bodies = []
    for name in ("one", "other"):
        joint = system.free(name, system.origin, system.ground)
        bodies.append(system.body(name, joint.point, joint.frame, mass=1, inertia=(0.2, 0.2, 0.2)))
    first, second = shapes(*bodies, *system.parameters(**sizes))
    system.contact("one|other", first, second, impact=detent.Poisson(restitution))
    return system


def along(run: detent.Run, name: str) -> list[tuple[Array, Array]]:
    """Where a body is at each node of a run, and its axes."""
    numbers = np.array([run[f"{name}_{word}"] for word in NAMES[:7]]).T
    return [(row[:3], Rotation.from_quat(np.roll(row[3:], -1)).as_matrix()) for row in numbers]


def energy(run: detent.Run) -> Array:
    """That of both bodies at each node."""
    total = np.zeros(len(run.time))
    for name in ("one", "other"):
        moving = [run[f"{name}_{word}"] ** 2 for word in NAMES[7:10]]
        total += 0.5 * sum(moving) + 0.1 * sum(run[f"{name}_{word}"] ** 2 for word in NAMES[10:])
    return total


# -- distances --------------------------------------------------------------------------------------------------------


def sphere_to_ring(radius: float, ring: float) -> Distance:
    """A ball, and a circle about z."""

    def distance(ball: tuple[Array, Array], circle: tuple[Array, Array]) -> float:
        x, y, z = (ball[0] - circle[0]) @ circle[1]
        return float(np.hypot(np.hypot(x, y) - ring, z)) - radius

    return distance
