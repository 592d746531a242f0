"""Solids that lie flat on what stands still and slide over it without friction, turning: when they tip.

Such a solid moves in a plane: its middle goes straight ahead, and it turns about the normal at a constant rate. It lies
on the convex hull of all that it touches, and is held as long as its middle is above that. Nothing strikes meanwhile.
The scene is turned as a whole, with gravity: rounding makes of what is exactly flat what it likes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Final

import numpy as np
from scipy.spatial import ConvexHull, QhullError
from scipy.spatial.transform import Rotation

import detent

Array = np.ndarray[Any, Any]
G: Final = 9.81
_STATES: Final = ("x", "y", "z", "qw", "qx", "qy", "qz", "x_rate", "y_rate", "z_rate", "wx", "wy", "wz")
SIZES: Final = {"point": 0, "sphere": 1, "capsule": 2, "box": 3}
_FLAT: Final = Rotation.from_rotvec([0, np.pi / 2, 0])
"""Lays a capsule, whose axis is its z, along x."""


@dataclass(frozen=True)
class LaidSolid:
    """A solid on others, and all that was drawn for it: along the axes of the scene, in which z is upward."""

    kind: str
    support: str
    """A box, or two rails: capsules along y."""
    sizes: tuple[float, ...]
    supporting: tuple[float, ...]
    """The edges of the box; or the radius of the rails, their length, and how far their axes are apart."""
    carried: Callable[[float], Array]
    """Where it is touched at a time: points in x and y, whose hull carries it."""
    place: Array
    velocity: Array
    lying: Rotation
    """How it lies where its angle is zero."""
    angle: float
    turning: float
    turned: Rotation
    """How the scene is turned."""
    friction: float = 0.0
    pull: tuple[float, float] = (0.0, 0.0)
    """Along x and y, by the weight: of a slope."""

    def middle(self, time: float) -> Array:
        return (self.place + time * self.velocity)[:2]

    def within(self, time: float) -> float:
        """How far its middle is within what carries it."""
        return _depth(self.carried(time), self.middle(time))

    def tips(self, until: float = 20.0) -> float:
        """When it is held no more: the first instant at which its middle is outside."""
        times = np.linspace(0, until, 4001)
        low, high = times[0], next((t for t in times if self.within(t) < 0), np.inf)
        if np.isinf(high):
            return high
        low = high - times[1]
        while high - low > 1e-14 * high:
            middle = 0.5 * (low + high)
            if not low < middle < high:
                break
            low, high = (low, middle) if self.within(middle) < 0 else (middle, high)
        return float(high)

    def height_of(self, run: detent.Run) -> Array:
        """That of its middle along a run."""
        at = np.stack([run[f"solid_{name}"] for name in "xyz"], axis=1)
        return at @ self.turned.apply([0.0, 0.0, 1.0])

    def astray(self, run: detent.Run) -> Array:
        """How far its middle is from where it goes, along the level, along a run."""
        at = self.turned.inv().apply(np.stack([run[f"solid_{name}"] for name in "xyz"], axis=1))
        return np.linalg.norm((at - self.place - run.time[:, None] * self.velocity)[:, :2], axis=1)

    def leaning(self, run: detent.Run) -> Array:
        """The sine of the angle by which it is turned out of the level, along a run."""
        turns = Rotation.from_quat(np.stack([run[f"solid_{name}"] for name in ("qx", "qy", "qz", "qw")], axis=1))
        upward = turns.apply(self.lying.inv().apply([0.0, 0.0, 1.0]))
        if self.rolls:  # of a rod: its axis
            return turns.apply([0.0, 0.0, 1.0]) @ self.turned.apply([0.0, 0.0, 1.0])
        return np.linalg.norm(np.cross(upward, self.turned.apply([0.0, 0.0, 1.0])), axis=1)

    @property
    def rolls(self) -> bool:
        return self.kind == "capsule"

    def run(self, until: float, **options: Any) -> detent.Run:
        turned = dict(zip(("about", "first", "then"), self.turned.as_euler("ZXY"), strict=True))
        down = dict(zip(("gx", "gy", "gz"), G * self.turned.apply([*self.pull, -1.0]), strict=True))
        sizes = {f"own_{k}": size for k, size in enumerate(self.sizes)}
        sizes |= {f"other_{k}": size for k, size in enumerate(self.supporting)}
        rubs = {"mu": self.friction} if self.friction else {}
        values = {name: float(value) for name, value in (turned | down | sizes | rubs).items()}
        system = system_of(self.kind, self.support, self.friction > 0)
        return detent.simulate(system, until=until, parameters=values, start=self._start(), **options)

    def _start(self) -> dict[str, float]:
        turn = self.turned * Rotation.from_rotvec([0, 0, self.angle]) * self.lying
        spin = turn.inv().apply(self.turned.apply([0.0, 0.0, self.turning]))
        place, velocity = self.turned.apply(self.place), self.turned.apply(self.velocity)
        numbers = np.concatenate([place, np.roll(turn.as_quat(), 1), velocity, spin])
        return {f"solid_{name}": float(value) for name, value in zip(_STATES, numbers, strict=True)}


@cache
def system_of(kind: str, support: str, rubs: bool) -> detent.System:
    """A free solid and what it lies on, turned; sizes, weight and friction are parameters."""
    system = detent.System(f"{kind} on {support}")
    joint = system.free("solid", system.origin, system.ground)
    inertia = (0.2, 0.2, 0.03) if kind == "capsule" else (0.1, 0.14, 0.2)
    solid = system.body("solid", joint.point, joint.frame, mass=1.3, inertia=inertia)
    ground, pull = system.ground, system.parameters(gx=0, gy=0, gz=-G)
    system.gravity(sum(g * axis for g, axis in zip(pull, (ground.x, ground.y, ground.z), strict=True)))
    about, first, then = system.parameters(about=0, first=0, then=0)
    frame = ground.rotated("one", about, about="z").rotated("two", first, about="x").rotated("scene", then, about="y")
    friction = detent.Coulomb(system.parameters(mu=0.3)) if rubs else None
    own = [system.parameters(**{f"own_{k}": 1}) for k in range(SIZES[kind])]
    theirs = [system.parameters(**{f"other_{k}": 1}) for k in range(3)]
    shape = getattr(solid, kind)(*own)
    if support == "box":
        system.contact("solid|box", shape, frame.box(*theirs), friction=friction)
        return system
    for name, x in (("left", -0.5 * theirs[2]), ("right", 0.5 * theirs[2])):
        rail = frame.capsule(theirs[0], theirs[1], along="y", at=(x, 0, 0))
        system.contact(f"solid|{name}", shape, rail, friction=friction)
    return system


def _depth(points: Array, place: Array) -> float:
    """How deep a place is in the hull of points; on a line, how far from its ends; negative outside."""
    if len(points) < 2:
        return -1.0
    try:
        hull = ConvexHull(points)
    except QhullError:
        along = points[-1] - points[0]
        way = along / np.linalg.norm(along)
        at, across = (points - place) @ way, (points - place) @ np.array([-way[1], way[0]])
        return -1.0 if np.abs(across).max() > 1e-9 else float(min(at.max(), -at.min()))
    return float(-(hull.equations[:, :2] @ place + hull.equations[:, 2]).max())


def _about(angle: float) -> Array:
    return np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])


def _clipped(start: Array, end: Array, half: Array) -> list[Array]:
    """The ends of what a rectangle about the origin leaves of a straight piece."""
    low, high, way = 0.0, 1.0, end - start
    for begun, went, bound in zip(start, way, half, strict=True):
        if abs(went) < 1e-15:
            if abs(begun) > bound:
                return []
            continue
        ways = sorted(((-bound - begun) / went, (bound - begun) / went))
        low, high = max(low, ways[0]), min(high, ways[1])
    return [] if low > high else [start + low * way, start + high * way]


# -- what is drawn ----------------------------------------------------------------------------


@dataclass(frozen=True)
class _Drawn:
    place: Array
    velocity: Array
    angle: float
    turning: float
    turned: Rotation


def _motion(random: np.random.Generator, room: Array, angle: float | None = None) -> _Drawn:
    place, way = random.uniform(-0.8, 0.8, 2) * room, random.uniform(0, 2 * np.pi)
    aligned = random.random() < 0.2
    if aligned:
        way = float(random.integers(4) * np.pi / 2)
    velocity = random.uniform(0.2, 1.5) * np.round([np.cos(way), np.sin(way)], 15)
    drawn = float(random.integers(4) * np.pi / 2 if aligned else random.uniform(0, 2 * np.pi))
    turning = float(random.choice([0.0, 1.0, 4.0])) * float(random.uniform(-1, 1))
    turned = Rotation.identity() if random.random() < 0.2 else Rotation.random(random_state=int(random.integers(2**31)))
    return _Drawn(place, velocity, drawn if angle is None else angle, turning if angle is None else 0.0, turned)


def box_on_rails(random: np.random.Generator) -> LaidSolid:
    radius, length, apart = random.uniform(0.03, 0.2), random.uniform(0.6, 1.6), random.uniform(0.4, 1.0)
    half = np.array([*random.uniform(0.25, 1.2, 2), random.uniform(0.05, 0.3)])
    drawn = _motion(random, np.array([0.5 * apart, 0.5 * length]))
    place, velocity = np.array([*drawn.place, radius + half[2]]), np.array([*drawn.velocity, 0.0])

    def carried(time: float) -> Array:
        turn, middle = _about(drawn.angle + drawn.turning * time), (place + time * velocity)[:2]
        found: list[Array] = []
        for x in (-0.5 * apart, 0.5 * apart):
            ends = [turn.T @ (np.array([x, y]) - middle) for y in (-0.5 * length, 0.5 * length)]
            found += [middle + turn @ each for each in _clipped(*ends, half[:2])]
        return np.array(found)

    return LaidSolid(
        "box", "rails", tuple(2 * half), (radius, length, apart), carried, place, velocity,
        Rotation.identity(), drawn.angle, drawn.turning, drawn.turned,
    )  # fmt: skip


def rod_across_rails(random: np.random.Generator) -> LaidSolid:
    radius, length, apart = random.uniform(0.03, 0.2), random.uniform(0.6, 1.6), random.uniform(0.4, 1.0)
    own, reach = random.uniform(0.02, 0.2), random.uniform(1.0, 3.0)
    drawn = _motion(random, np.array([0.5 * apart, 0.5 * length]))
    place, velocity = np.array([*drawn.place, radius + own]), np.array([*drawn.velocity, 0.0])

    def carried(time: float) -> Array:
        turn, middle = _about(drawn.angle + drawn.turning * time), (place + time * velocity)[:2]
        found = []
        for x in (-0.5 * apart, 0.5 * apart):
            along = (x - middle[0]) / turn[0, 0] if abs(turn[0, 0]) > 1e-12 else np.inf
            if abs(along) <= 0.5 * reach and abs(middle[1] + along * turn[1, 0]) <= 0.5 * length:
                found.append(middle + along * turn[:, 0])
        return np.array(found)

    return LaidSolid(
        "capsule", "rails", (own, reach), (radius, length, apart), carried, place, velocity,
        _FLAT, drawn.angle, drawn.turning, drawn.turned,
    )  # fmt: skip


def rod_in_trough(random: np.random.Generator) -> LaidSolid:
    radius, length = random.uniform(0.05, 0.3), random.uniform(0.4, 1.6)
    own, reach = random.uniform(0.05, 0.3), random.choice([random.uniform(0.3, 3.0), length])
    apart = 2 * random.uniform(max(radius, 0.2 * (radius + own)) / (radius + own), 0.95) * (radius + own)
    drawn = _motion(random, np.array([0.0, 0.5 * length]), angle=float(random.choice([-1, 1]) * np.pi / 2))
    height = np.sqrt((radius + own) ** 2 - 0.25 * apart**2)
    speed = drawn.velocity[1] or 0.5
    place, velocity = np.array([0.0, drawn.place[1], height]), np.array([0.0, speed, 0.0])

    def carried(time: float) -> Array:
        middle = place[1] + time * speed
        low, high = max(-0.5 * length, middle - 0.5 * reach), min(0.5 * length, middle + 0.5 * reach)
        return np.array([[0.0, low], [0.0, high]] if low < high else [])

    return LaidSolid(
        "capsule", "rails", (own, reach), (radius, length, apart), carried, place, velocity,
        _FLAT, drawn.angle, 0.0, drawn.turned,
    )  # fmt: skip


def box_on_box(random: np.random.Generator) -> LaidSolid:
    under, half = random.uniform(0.15, 0.6, 3), random.uniform(0.1, 0.8, 3)
    drawn = _motion(random, under[:2])
    at = drawn.place.copy()
    if random.random() < 0.2:  # flush with an edge, or of one size
        half[:2] = under[:2] if random.random() < 0.5 else half[:2]
        at[0] = random.choice([-1, 1]) * (under[0] - half[0])
        drawn = _Drawn(at, drawn.velocity, 0.0, random.choice([0.0, drawn.turning]), drawn.turned)
    place, velocity = np.array([*at, under[2] + half[2]]), np.array([*drawn.velocity, 0.0])
    corners = under[:2] * np.array([[1, 1], [1, -1], [-1, 1], [-1, -1]])
    return LaidSolid(
        "box", "box", tuple(2 * half), tuple(2 * under), lambda time: corners, place, velocity,
        Rotation.identity(), drawn.angle, drawn.turning, drawn.turned,
    )  # fmt: skip


DRAWN: Final = {"box on rails": box_on_rails, "rod across rails": rod_across_rails, "rod in a trough": rod_in_trough,
                "box on a box": box_on_box}  # fmt: skip


def random_solid(kind: str, seed: int) -> LaidSolid:
    """None tips where its middle only grazes what carries it, or passes that where it ends in another way as well."""
    random = np.random.default_rng([seed, 4178, sorted(DRAWN).index(kind)])
    while True:
        solid = DRAWN[kind](random)
        if solid.within(0.0) < 0.02:
            continue
        tips = solid.tips()
        if not 0.02 < tips < 8.0:
            continue
        before = np.array([solid.within(t) for t in np.linspace(0, tips * (1 - 1e-12), 800)])
        around = solid.within(tips - 1e-4), solid.within(tips + 1e-4)
        if before[:-8].min() > 1e-4 and around[0] - around[1] > 1e-5:
            return solid


# -- what rests -------------------------------------------------------------------------------


def rod_on_box(random: np.random.Generator) -> LaidSolid:
    half, own, reach = random.uniform(0.15, 0.6, 3), random.uniform(0.02, 0.2), random.uniform(0.3, 2.0)
    drawn = _motion(random, half[:2])
    place, velocity = np.array([*drawn.place, half[2] + own]), np.array([*drawn.velocity, 0.0])
    way = _about(drawn.angle)[:, 0]
    ends = np.array(_clipped(place[:2] - 0.5 * reach * way, place[:2] + 0.5 * reach * way, half[:2]))
    return LaidSolid(
        "capsule", "box", (own, reach), tuple(2 * half), lambda time: ends, place, velocity, _FLAT, drawn.angle,
        drawn.turning, drawn.turned,
    )  # fmt: skip


RESTING: Final = DRAWN | {"rod on a box": rod_on_box}


def resting_solid(kind: str, seed: int) -> LaidSolid:
    """One that friction holds on a slope which is less than it could: it neither slides nor tips, and no rod rolls.

    Of rods the slope goes along the axis.
    """
    random = np.random.default_rng([seed, 4179, sorted(RESTING).index(kind)])
    while True:
        solid = RESTING[kind](random)
        friction, slope = random.uniform(0.1, 1.0), random.choice([0.0, random.uniform(0.1, 0.8)])
        angle = solid.angle if solid.rolls else random.uniform(0, 2 * np.pi)
        pull = slope * friction * np.array([np.cos(angle), np.sin(angle)])
        height = solid.sizes[0 if solid.rolls else 2]
        if solid.within(0.0) > 0.02 + height * np.linalg.norm(pull):
            still = {"velocity": np.zeros(3), "turning": 0.0, "friction": float(friction)}
            return replace(solid, pull=(float(pull[0]), float(pull[1])), **still)
