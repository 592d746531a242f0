"""Random scenes of rigid bodies in the plane: points and disks on lines that the ground or another body carries."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import sympy

import detent

G = 9.81
LAWS: dict[str, Any] = {"Poisson": detent.Poisson, "Newton": detent.Newton, "Stronge": detent.Stronge}


@dataclass(frozen=True)
class Wave:
    """a + b sin(w t + p), of numbers and of SymPy's symbols alike."""

    a: float = 0.0
    b: float = 0.0
    w: float = 0.0
    p: float = 0.0

    def __call__(self, t: float) -> float:
        return self.a + self.b * math.sin(self.w * t + self.p)

    def rate(self, t: float) -> float:
        return self.b * self.w * math.cos(self.w * t + self.p)

    def symbolic(self, t: Any) -> Any:
        return self.a + self.b * sympy.sin(self.w * t + self.p) if self.b else sympy.Float(self.a, 17)


@dataclass(frozen=True)
class Body:
    mass: float
    inertia: float
    place: tuple[float, float, float]
    speed: tuple[float, float, float] = (0.0, 0.0, 0.0)
    turns: bool = True
    force: tuple[Wave, Wave, Wave] = (Wave(), Wave(), Wave())


@dataclass(frozen=True)
class Touch:
    name: str
    first: int
    at: tuple[float, float]  # on the first, along its axes
    radius: float
    second: int | None  # who carries the line; None: the ground
    seat: tuple[float, float]  # a point of the line, along its carrier's axes
    direction: float  # the angle of the line's direction; its face is on the left
    mu: float
    static: float | None = None
    restitution: float = 0.0
    law: str = "Poisson"
    belt: Wave = Wave()
    place: str = ""  # the whole name of its place in detent

    @property
    def holds(self) -> float:
        return self.mu if self.static is None else self.static


@dataclass
class Scene:
    bodies: list[Body]
    touches: list[Touch]
    gravity: tuple[float, float]
    polygons: dict[str, tuple[int, list[tuple[float, float]], int]] = field(default_factory=dict)


def system_of(scene: Scene) -> detent.System:
    """The same scene for detent."""
    system = detent.System("scene")
    ground, t = system.ground, system.time
    if any(scene.gravity):
        system.gravity(scene.gravity[0] * ground.x + scene.gravity[1] * ground.y)
    bodies = []
    for number, body in enumerate(scene.bodies):
        name = f"b{number}"
        if body.turns:
            joint = system.planar(name, system.origin, ground)
            made = system.body(name, joint.point, joint.frame, body.mass, body.inertia)
        else:
            x, y = system.coordinates(f"{name}_x", f"{name}_y")
            made = system.body(
                name, system.origin.offset(name, x * ground.x + y * ground.y), ground, body.mass, body.inertia
            )
        names = ("x", "y", "angle") if body.turns else ("x", "y")
        system.start(
            **{f"{name}_{key}": value for key, value in zip(names, body.place, strict=False)},
            **{f"{name}_{key}_rate": value for key, value in zip(names, body.speed, strict=False)},
        )
        fx, fy, torque = body.force
        if fx != Wave() or fy != Wave():
            system.force(f"force {name}", made, fx.symbolic(t) * ground.x + fy.symbolic(t) * ground.y)
        if torque != Wave() and body.turns:
            system.torque(f"torque {name}", made, torque.symbolic(t) * ground.z)
        bodies.append(made)
    done = set()
    for touch in scene.touches:
        name = touch.place.partition(" corner")[0] if " corner" in touch.place else touch.name
        if name in done:
            continue
        done.add(name)
        friction = detent.Coulomb(touch.mu, static=touch.static) if touch.mu or touch.static else None
        carrier = ground if touch.second is None else bodies[touch.second]
        along = (math.cos(touch.direction), math.sin(touch.direction))
        line = carrier.line(at=touch.seat, along=along, moving=touch.belt.symbolic(t) if touch.belt != Wave() else 0)
        if name in scene.polygons:
            first = bodies[touch.first].polygon(*scene.polygons[name][1])
        elif touch.radius:
            first = bodies[touch.first].circle(touch.radius, at=touch.at)
        else:
            first = bodies[touch.first].point(at=touch.at)
        system.contact(name, first, line, friction=friction, impact=LAWS[touch.law](touch.restitution))
    return system


def state_of(run: Any, scene: Scene, index: int = -1) -> np.ndarray:
    place, speed = [], []
    for number, body in enumerate(scene.bodies):
        for key in ("x", "y", "angle"):
            there = body.turns or key != "angle"
            place.append(run[f"b{number}_{key}"][index] if there else body.place[2])
            speed.append(run[f"b{number}_{key}_rate"][index] if there else 0.0)
    return np.array(place + speed)


def _wave(random: np.random.Generator, size: float, often: float = 1.0) -> Wave:
    if random.random() >= often:
        return Wave()
    return Wave(0.0, size * random.uniform(0, 1), random.uniform(0.5, 9), random.uniform(0, 6))


def _belt(random: np.random.Generator) -> Wave:
    """Whether a line is one, and how fast it runs."""
    if random.random() >= 0.3:
        return Wave()
    return Wave(random.uniform(-2, 2), random.uniform(-1, 1), random.uniform(1, 6), 0.3)


def _or_none(random: np.random.Generator, low: float, high: float) -> float:
    return float(random.choice([0.0, random.uniform(low, high)]))


def ladder(random: np.random.Generator) -> tuple[Scene, float]:
    """A rod between a floor and a wall that slides down, from rest or not, with any friction at either."""
    length, mass = 10 ** random.uniform(-1, 1, 2)
    lean, turns = random.uniform(0.2, 1.4), float(random.choice([0.0, random.uniform(-2, 0)])) * math.sqrt(G / length)
    c, s, inertia = (
        length * math.cos(lean) / 2,
        length * math.sin(lean) / 2,
        mass * length**2 * random.uniform(0.02, 0.2),
    )
    rod = Body(mass, inertia, (c, s, math.pi - lean), (-s * turns, c * turns, -turns))
    floor, wall = _or_none(random, 0.02, 0.6), _or_none(random, 0.02, 0.9)
    ends = [
        Touch("foot", 0, (-length / 2, 0), 0, None, (0, 0), 0.0, floor),
        Touch("top at the wall", 0, (length / 2, 0), 0, None, (0, 0), -math.pi / 2, wall),
        Touch("top on the floor", 0, (length / 2, 0), 0, None, (0, 0), 0.0, floor),
    ]
    return Scene([rod], ends, (0.0, -G)), 1.2 * math.sqrt(length)


def _corners(random: np.random.Generator, size: float) -> list[tuple[float, float]]:
    """Of a convex polygon, on a circle, none of them near another and the middle inside."""
    while True:
        angles = np.sort(random.uniform(0, 2 * math.pi, random.integers(3, 5)))
        between = np.diff(np.append(angles, angles[0] + 2 * math.pi))
        if between.min() > 0.4 and between.max() < 2.8:
            return [(float(size * math.cos(angle)), float(size * math.sin(angle))) for angle in angles]


def _polygon(random: np.random.Generator, bounces: bool) -> tuple[Scene, float]:
    size, mass = random.uniform(0.3, 1), 10 ** random.uniform(-1, 1)
    corners = _corners(random, size)
    restitution = random.uniform(0.1, 0.9) if bounces else 0.0
    law = str(random.choice(["Poisson", "Stronge", "Newton"]))
    slope = _or_none(random, -0.4, 0.4)
    lines = [((0.0, -abs(math.tan(slope))), slope)]
    for side in (1, -1):
        if random.random() < 0.4:
            lines.append(((side * random.uniform(1.5, 3), 0.0), side * (math.pi / 2 + _or_none(random, -0.4, 0.1))))
    touches: list[Touch] = []
    polygons = {}
    for number, (seat, direction) in enumerate(lines):
        mu = float(random.choice([0.0, random.uniform(0.05, 0.5), random.uniform(0.5, 1.2)]))
        static = mu * random.uniform(1, 1.5) if random.random() < 0.3 and mu and not bounces else None
        belt, name = _belt(random), f"line {number}"
        polygons[name] = (0, corners, number)
        for corner, at in enumerate(corners):
            place = f"{name} corner {corner + 1}"
            touches.append(Touch(place, 0, at, 0.0, None, seat, direction, mu, static, restitution, law, belt, place))
    body = Body(
        mass, mass * size**2 * random.uniform(0.2, 0.6),
        (random.uniform(-0.3, 0.3), 1.05 * size + random.uniform(0, 1), random.uniform(-3, 3)),
        (random.uniform(-3, 3), random.uniform(-2, 1), random.uniform(-5, 5)),
        force=(_wave(random, 6 * mass, 0.3), _wave(random, 6 * mass, 0.3), Wave()),
    )  # fmt: skip
    return Scene([body], touches, (0.0, -G), polygons), 2.0


def tumbling(random: np.random.Generator) -> tuple[Scene, float]:
    """A polygon thrown at a floor, walls and belts, without restitution."""
    return _polygon(random, False)


def bouncing(random: np.random.Generator) -> tuple[Scene, float]:
    """The same with restitution by any law."""
    return _polygon(random, True)


def stack(random: np.random.Generator) -> tuple[Scene, float]:
    """Blocks on blocks on a slope or a belt, pushed to and fro: nothing turns."""
    bodies, touches = [], []
    for number in range(random.integers(1, 4)):
        mass, mu = 10 ** random.uniform(-1, 1), random.uniform(0.05, 0.8)
        push, speed = (_wave(random, 12 * mass, 0.7), Wave(), Wave()), (_or_none(random, -2, 2), 0.0, 0.0)
        bodies.append(Body(mass, 1.0, (0.0, float(number), 0.0), speed, False, push))
        below, height = (None, 0.0) if number == 0 else (number - 1, 1.0)
        static = mu * random.uniform(1, 1.6) if random.random() < 0.4 else None
        touches.append(
            Touch(f"block {number}", number, (0, 0), 0.0, below, (0.0, height), 0.0, mu, static, belt=_belt(random))
        )
    tilt = _or_none(random, -0.3, 0.3)
    return Scene(bodies, touches, (G * math.sin(tilt), -G * math.cos(tilt))), 3.0


def wedge(random: np.random.Generator) -> tuple[Scene, float]:
    """A block on a wedge that may slide on a floor, and a second block on its other face, or a wall."""
    angle, speed = random.uniform(0.1, 1.0), (_or_none(random, -2, 2), 0.0, 0.0)
    masses = 10 ** random.uniform(-0.7, 0.7, 3)
    bodies = [
        Body(masses[0], 1.0, (0.0, 0.0, 0.0), speed, False, (_wave(random, 10 * masses[0], 0.5), Wave(), Wave())),
        Body(masses[1], 1.0, (0.0, 1.0, 0.0), speed, False, (_wave(random, 10 * masses[1], 0.5), Wave(), Wave())),
    ]
    touches = [
        Touch("floor", 0, (0, 0), 0.0, None, (0.0, 0.0), 0.0, _or_none(random, 0.02, 0.6)),
        Touch("face", 1, (0, 0), 0.0, 0, (0.0, 1.0), angle, _or_none(random, 0.02, 0.9)),
    ]
    more = random.random()
    if more < 0.4:
        bodies.append(Body(masses[2], 1.0, (0.0, 1.0, 0.0), speed, False))
        mu = _or_none(random, 0.02, 0.9)
        touches.append(Touch("other face", 2, (0, 0), 0.0, 0, (0.0, 1.0), -random.uniform(0.1, 1.0), mu))
    elif more < 0.7:
        seat, mu = (random.uniform(-1, -0.1), 0.0), random.uniform(0, 0.5)
        touches.append(Touch("wall", 1, (0, 0), 0.0, None, seat, -math.pi / 2, mu))
    return Scene(bodies, touches, (0.0, -G)), 2.0


def disk_on_plank(random: np.random.Generator) -> tuple[Scene, float]:
    """A disk falls onto a plank that flies and turns, and the plank onto a floor: two bodies that both move."""
    heavy, mass, radius = 10 ** random.uniform(-0.5, 1), 10 ** random.uniform(-1, 0.5), random.uniform(0.1, 0.5)
    tilt, away = random.uniform(-0.4, 0.4), radius + random.uniform(0.0, 1.0)
    speed = (random.uniform(-1, 1), random.uniform(0, 2), random.uniform(-1, 1))
    plank = Body(heavy, heavy * random.uniform(0.5, 2), (0.0, 0.0, tilt), speed)
    place = (0.1 - away * math.sin(tilt), 0.5 + away * math.cos(tilt), 0.0)
    spinning = (random.uniform(-2, 2), 0.0, random.uniform(-9, 9))
    disk = Body(mass, mass * radius**2 * random.uniform(0.3, 0.9), place, spinning)
    mu, restitution = random.uniform(0.05, 0.8), _or_none(random, 0.2, 0.8)
    touches = [Touch("disk", 1, (0, 0), radius, 0, (0, 0), 0.0, mu, None, restitution)]
    if random.random() < 0.6:
        for number, end in enumerate((-1.5, 1.5)):
            mu = random.uniform(0.05, 0.8)
            touches.append(Touch(f"end {number}", 0, (end, 0), 0.0, None, (0.0, -1.0), 0.0, mu))
    return Scene([plank, disk], touches, (0.0, -G)), 1.5


FAMILIES: dict[str, Callable[[np.random.Generator], tuple[Scene, float]]] = {
    make.__name__: make for make in (ladder, tumbling, bouncing, stack, wedge, disk_on_plank)
}
