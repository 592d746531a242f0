"""Solids of any kind thrown at one that is held: when they first touch, and how far apart they are, by NumPy alone.

A solid flies without forces but its weight. Where it has the inertia of a sphere it turns about one axis at a constant
rate, so that where it is until it touches is known without any integration. How far a point is from a convex solid is
convex along a straight line: the distance of a capsule is found by golden sections of its axis.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from scipy.optimize import brentq, minimize_scalar
from scipy.spatial.transform import Rotation

import detent

Array = np.ndarray[Any, Any]
Sizes = dict[str, float]
Pose = tuple[Array, Array]
"""Places, and axes as columns, at some times."""
UNTIL = 1.5
_STATES = ("x", "y", "z", "qw", "qx", "qy", "qz", "x_rate", "y_rate", "z_rate", "wx", "wy", "wz")


# -- shapes -----------------------------------------------------------------------------------------------------------


def random_sizes(kind: str, random: np.random.Generator) -> Sizes:
    """Some are thin."""
    thin = random.random() < 0.3
    if kind == "point":
        found = dict(zip("abc", random.uniform(-0.4, 0.4, 3), strict=True))
    elif kind == "sphere":
        found = {"r": random.uniform(0.03, 0.1) if thin else random.uniform(0.1, 0.5)}
    elif kind == "capsule":
        radius = random.uniform(0.02, 0.06) if thin else random.uniform(0.06, 0.3)
        found = {"r": radius, "l": random.uniform(0.2, 1.5)}
    elif kind == "cylinder":
        radius = random.uniform(0.02, 0.06) if thin else random.uniform(0.1, 0.5)
        flat = random.random() < 0.3
        found = {"r": radius, "l": random.uniform(0.05, 0.2) if flat else random.uniform(0.2, 1.0)}
    else:
        edges = random.uniform(0.2, 1.2, 3)
        if thin:
            edges[random.integers(3)] = random.uniform(0.03, 0.1)
        found = dict(zip("abc", edges, strict=True))
    return {name: float(value) for name, value in found.items()}


def shape_of(kind: str, carrier: Any, sizes: dict[str, Any]) -> detent.Shape:
    if kind == "point":
        return carrier.point(at=(sizes["a"], sizes["b"], sizes["c"]))
    return getattr(carrier, kind)(*sizes.values())


def reach_of(kind: str, sizes: Sizes) -> float:
    """How far it reaches from the middle of its body."""
    if kind == "capsule":
        return sizes["r"] + sizes["l"] / 2
    if kind == "cylinder":
        return float(np.hypot(sizes["r"], sizes["l"] / 2))
    half = 0.5 if kind == "box" else 1.0
    return half * float(np.linalg.norm(list(sizes.values())))


def distance_to(kind: str, sizes: Sizes, places: Array) -> Array:
    """Of places along the axes of a solid; negative inside."""
    if kind == "sphere":
        return np.linalg.norm(places, axis=1) - sizes["r"]
    if kind == "capsule":
        away = places.copy()
        away[:, 2] -= np.clip(places[:, 2], -sizes["l"] / 2, sizes["l"] / 2)
        return np.linalg.norm(away, axis=1) - sizes["r"]
    if kind == "cylinder":
        out = np.hypot(places[:, 0], places[:, 1]) - sizes["r"]
        beyond = np.stack([out, np.abs(places[:, 2]) - sizes["l"] / 2], axis=1)
    else:
        beyond = np.abs(places) - 0.5 * np.array(list(sizes.values()))
    return np.linalg.norm(np.maximum(beyond, 0), axis=1) + np.minimum(beyond.max(axis=1), 0)


def apart(first: tuple[str, Sizes, Pose], second: tuple[str, Sizes, Pose]) -> Array:
    """How far two solids are apart; the first, or else the second, is a point, a sphere or a capsule."""
    (kind, sizes, (place, axes)), (other, theirs, (at, seen)) = first, second
    if kind not in ("point", "sphere", "capsule"):
        return apart(second, first)

    def seen_from_other(own: list[float]) -> Array:
        return np.einsum("nji,nj->ni", seen, place + axes @ np.array(own) - at)

    if kind == "point":
        return distance_to(other, theirs, seen_from_other([sizes["a"], sizes["b"], sizes["c"]]))
    if kind == "sphere":
        return distance_to(other, theirs, seen_from_other([0, 0, 0])) - sizes["r"]
    start = seen_from_other([0, 0, -sizes["l"] / 2])
    way = seen_from_other([0, 0, sizes["l"] / 2]) - start
    low, high, golden = np.zeros(len(start)), np.ones(len(start)), (np.sqrt(5) - 1) / 2
    least = np.minimum(distance_to(other, theirs, start), distance_to(other, theirs, start + way))
    for _ in range(70):
        parts = high - golden * (high - low), low + golden * (high - low)
        one, two = (distance_to(other, theirs, start + part[:, None] * way) for part in parts)
        least = np.minimum(least, np.minimum(one, two))
        low, high = np.where(one < two, low, parts[0]), np.where(one < two, parts[1], high)
    return least - sizes["r"]


# -- throws -----------------------------------------------------------------------------------------------------------


@cache
def system_of(kind: str, other: str, rubs: bool, bounces: bool) -> detent.System:
    """A free solid and one that is held, turned; sizes, mass, weight and laws are parameters."""
    system = detent.System(f"{kind} on {other}")
    sizes = [random_sizes(each, np.random.default_rng(0)) for each in (kind, other)]
    own, theirs = (
        {name: system.parameters(**{f"{word}_{name}": value}) for name, value in each.items()}
        for word, each in zip(("one", "other"), sizes, strict=True)
    )
    m, a, b, c, g, turned, tipped = system.parameters(m=1, A=0.1, B=0.1, C=0.1, g=9.81, turned=0, tipped=0)
    joint = system.free("one", system.origin, system.ground)
    body = system.body("one", joint.point, joint.frame, mass=m, inertia=(a, b, c))
    system.gravity(-g * system.ground.z)
    held = system.ground.rotated("turned", turned, about="y").rotated("tipped", tipped, about="x")
    friction = detent.Coulomb(system.parameters(mu=0.3)) if rubs else None
    impact = detent.Poisson(system.parameters(e=0.5) if bounces else 0)
    system.contact("c", shape_of(kind, body, own), shape_of(other, held, theirs), friction=friction, impact=impact)
    return system


@dataclass(frozen=True)
class Throw:
    """A solid that is thrown at another, and all that was drawn for it."""

    kinds: tuple[str, str]
    sizes: tuple[Sizes, Sizes]
    system: detent.System
    parameters: dict[str, float]
    start: dict[str, float]

    @property
    def inertia(self) -> tuple[float, ...]:
        return tuple(self.parameters[name] for name in "ABC")

    def flight(self, times: Array) -> Pose:
        """Until it touches, where its inertia is that of a sphere."""
        place, turn, velocity, spin = np.split(np.array([self.start[f"one_{name}"] for name in _STATES]), (3, 7, 10))
        turned = Rotation.from_quat(np.roll(turn, -1)) * Rotation.from_rotvec(spin * times[:, None])
        fall = np.array([0, 0, -0.5 * self.parameters["g"]]) * times[:, None] ** 2
        return place + velocity * times[:, None] + fall, turned.as_matrix()

    def along(self, run: detent.Run, times: Array) -> Pose:
        at = run.at(times)
        place, turn = (np.stack([at[f"one_{name}"] for name in names], axis=1) for names in (_STATES[:3], _STATES[3:7]))
        return place, Rotation.from_quat(np.roll(turn, -1, axis=1)).as_matrix()

    def apart(self, pose: Pose) -> Array:
        turned = Rotation.from_rotvec([0, self.parameters["turned"], 0])
        axes = (turned * Rotation.from_rotvec([self.parameters["tipped"], 0, 0])).as_matrix()
        held = np.zeros_like(pose[0]), np.broadcast_to(axes, pose[1].shape)
        return apart((self.kinds[0], self.sizes[0], pose), (self.kinds[1], self.sizes[1], held))

    def meets(self, until: float) -> tuple[float | None, float]:
        """When it first touches in flight, and how near it comes; no time where it passes too close to tell."""

        def at(time: float) -> float:
            return float(self.apart(self.flight(np.array([time])))[0])

        times = np.linspace(0, until, 6001)
        seen = self.apart(self.flight(times))
        inside = int(np.argmax(seen <= 0)) if (seen <= 0).any() else len(seen) - 1
        for i in range(1, inside):
            change = max(abs(seen[i] - seen[i - 1]), abs(seen[i + 1] - seen[i]))
            if seen[i] <= min(seen[i - 1], seen[i + 1]) and seen[i] < 2 * change:
                lowest = minimize_scalar(
                    at, bounds=(times[i - 1], times[i + 1]), method="bounded", options={"xatol": 1e-12}
                )
                if lowest.fun < 1e-9:
                    dips = lowest.fun < -1e-9
                    return (brentq(at, times[i - 1], lowest.x, xtol=1e-15) if dips else None), float(lowest.fun)
        if seen[inside] > 0:
            return None, float(seen.min())
        return float(brentq(at, times[inside - 1], times[inside], xtol=1e-15)), float(seen.min())

    def energy(self, run: detent.Run) -> Array:
        moving = sum(run[f"one_{name}_rate"] ** 2 for name in "xyz")
        turning = sum(each * run[f"one_w{name}"] ** 2 for each, name in zip(self.inertia, "xyz", strict=True))
        mass, weight = self.parameters["m"], self.parameters["m"] * self.parameters["g"]
        return 0.5 * mass * moving + 0.5 * turning + weight * run["one_z"]


def random_throw(kind: str, other: str, seed: int) -> Throw:
    """Thrown down onto the other, or from anywhere where nothing has weight."""
    random = np.random.default_rng([seed, 911])
    sizes = random_sizes(kind, random), random_sizes(other, random)
    rubs, bounces = bool(random.choice([0, 1])), bool(random.choice([0, 1]))
    laws = {"mu": float(random.uniform(0.05, 1.2)), "e": float(random.uniform(0.1, 0.95))}
    mass, reach = random.uniform(0.5, 3), (reach_of(kind, sizes[0]), reach_of(other, sizes[1]))
    turns_evenly = random.random() < 0.5
    inertia = mass * reach[0] ** 2 * random.uniform(0.25, 0.45, 3)
    inertia = inertia[:1].repeat(3) if turns_evenly else inertia
    g = float(random.choice([0, 9.81, 9.81]))
    up = np.array([0.0, 0, 1]) if g else random.normal(size=3)
    up /= np.linalg.norm(up)
    aside = random.uniform(-0.6, 0.6, 3) * reach[1]
    place = up * (sum(reach) + random.uniform(0.02, 0.5)) + aside - (aside @ up) * up
    velocity = -up * random.uniform(0, 4) + random.uniform(-0.5, 0.5, 3) - (0 if g else up)
    spin = random.uniform(-1, 1, 3) * random.choice([0.0, 3.0, 10.0, 30.0])
    turn = random.normal(size=4)
    angles = random.uniform(-3, 3, 2)
    angles = np.zeros(2) if random.random() < 0.3 else angles
    numbers = np.concatenate([place, turn / np.linalg.norm(turn), velocity, spin])
    start = {f"one_{name}": float(value) for name, value in zip(_STATES, numbers, strict=True)}
    given = dict(zip(("m", "A", "B", "C", "g", "turned", "tipped"), (mass, *inertia, g, *angles), strict=True))
    given |= {f"one_{name}": value for name, value in sizes[0].items()}
    given |= {f"other_{name}": value for name, value in sizes[1].items()}
    given |= {name: value for name, value in laws.items() if (rubs if name == "mu" else bounces)}
    parameters = {name: float(value) for name, value in given.items()}
    return Throw((kind, other), sizes, system_of(kind, other, rubs, bounces), parameters, start)
