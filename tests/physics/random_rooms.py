"""Random rooms, in the plane and in space, in which balls and points fly and bounce: shakers, belts, turning drums."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import sympy

import detent

G = 9.81
Array = np.ndarray[Any, Any]
AXES = {"x": np.array([1.0, 0.0, 0.0]), "y": np.array([0.0, 1.0, 0.0]), "z": np.array([0.0, 0.0, 1.0])}


@dataclass(frozen=True)
class Wave:
    """a + b t + c sin(d t + e), as a number and as an expression."""

    a: float = 0.0
    b: float = 0.0
    c: float = 0.0
    d: float = 1.0
    e: float = 0.0

    def __call__(self, t: float) -> float:
        return self.a + self.b * t + self.c * math.sin(self.d * t + self.e)

    def rate(self, t: float) -> float:
        return self.b + self.c * self.d * math.cos(self.d * t + self.e)

    @property
    def fastest(self) -> float:
        return abs(self.b) + abs(self.c * self.d)

    def symbolic(self, t: Any) -> Any:
        return self.a + self.b * t + self.c * sympy.sin(self.d * t + self.e)


@dataclass(frozen=True)
class Ball:
    """A disk or a ball; one without inertia does not turn, one without radius is a point."""

    radius: float
    mass: float
    inertia: float | None
    place: tuple[float, float, float]
    velocity: tuple[float, float, float]
    spin: tuple[float, float, float]


@dataclass(frozen=True)
class Wall:
    """What is moved from outside: ``flat``, its face along y (in space z) of its frame, a ``drum``, or a ``hollow``.

    Its frame turns about an axis, z in the plane; belts run along x (in space x and y) of it.
    """

    kind: str
    x: Wave
    y: Wave
    angle: Wave
    radius: float = 0.0
    belt: Wave = Wave()
    z: Wave = Wave()
    other_belt: Wave = Wave()
    about: str = "z"
    space: bool = False

    def center(self, t: float) -> Array:
        return np.array([self.x(t), self.y(t), self.z(t)])

    def axis(self, name: str, t: float) -> Array:
        """Of its frame: turned by Rodrigues' formula."""
        a, about, axis = self.angle(t), AXES[self.about], AXES[name]
        turned = axis * math.cos(a) + np.cross(about, axis) * math.sin(a) + about * (about @ axis) * (1 - math.cos(a))
        return np.asarray(turned)

    def gap(self, t: float, place: Array, radius: float) -> tuple[float, Array]:
        """The gap to a ball there, and the normal towards it."""
        away = place - self.center(t)
        if self.kind == "flat":
            normal = self.axis("z" if self.space else "y", t)
            return float(away @ normal) - radius, normal
        apart = float(np.linalg.norm(away))
        if self.kind == "drum":
            return apart - self.radius - radius, away / apart
        return self.radius - radius - apart, -away / max(apart, 1e-12)

    def velocity(self, t: float, at: Array) -> Array:
        """Of its surface, where it is touched."""
        moves = np.array([self.x.rate(t), self.y.rate(t), self.z.rate(t)])
        turns = np.cross(self.angle.rate(t) * AXES[self.about], at - self.center(t))
        return np.asarray(moves + turns + self.belt(t) * self.axis("x", t) + self.other_belt(t) * self.axis("y", t))

    @property
    def fastest(self) -> float:
        return self.x.fastest + self.y.fastest + self.z.fastest

    def shape(self, system: detent.System, name: str) -> detent.Shape:
        t, ground = system.time, system.ground
        x, y, z = (wave.symbolic(t) for wave in (self.x, self.y, self.z))
        center = system.origin.offset(name, x * ground.x + y * ground.y + (z * ground.z if self.space else 0))
        frame = ground.rotated(name, self.angle.symbolic(t), about=self.about)
        belts = self.belt.symbolic(t), self.other_belt.symbolic(t)
        if self.space and self.kind == "flat":
            return frame.plane(at=center, moving=belts)
        if self.space:
            return frame.sphere(self.radius, at=center, inside=self.kind == "hollow")
        if self.kind == "flat":
            return frame.line(at=center, moving=belts[0])
        if self.kind == "drum":
            return frame.circle(self.radius, at=center)
        return frame.arc(self.radius, 0, 2 * sympy.pi, at=center, inside=True)


@dataclass(frozen=True)
class Law:
    """Friction mu (1 + swing sin(3 t)), restitution least + (most - least) exp(-approach/speed)."""

    mu: float
    swing: float
    least: float
    most: float
    speed: float
    name: str

    def friction(self, t: float) -> float:
        return self.mu * (1 + self.swing * math.sin(3 * t))

    def restitution(self, approach: float) -> float:
        return self.least + (self.most - self.least) * math.exp(-approach / self.speed)

    def of(self, system: detent.System) -> dict[str, Any]:
        """What a contact is declared with; a law that varies is an expression, and one that does not a number."""
        mu = self.mu * (1 + self.swing * sympy.sin(3 * system.time)) if self.swing else self.mu
        e: Any = self.least
        if self.most != self.least:
            e = self.least + (self.most - self.least) * sympy.exp(-system.approach_speed / self.speed)
        friction = detent.Coulomb(mu) if self.mu else None
        return {"friction": friction, "impact": getattr(detent, self.name)(e)}


@dataclass(frozen=True)
class Room:
    """Balls, walls, the law of each contact, and which contact does not count between which times."""

    balls: tuple[Ball, ...]
    walls: dict[str, Wall]
    laws: dict[str, Law]
    left_out: str
    off: float
    on: float
    way: str
    """Who takes it out and puts it back: ``automaton``, ``flight``, or nobody, where it counts all the time."""
    space: bool = False

    @property
    def up(self) -> Array:
        return AXES["z" if self.space else "y"]

    @property
    def pairs(self) -> list[tuple[str, int, str | int]]:
        """The name of each contact, its ball, and the wall or the other ball."""
        found: list[tuple[str, int, str | int]] = []
        for k, ball in enumerate(self.balls):
            found += [(f"b{k}|{name}", k, name) for name in self.walls]
            found += [(f"b{k}|b{j}", k, j) for j in range(k) if ball.radius or self.balls[j].radius]
        return found

    def counts(self, name: str, t: float) -> bool:
        return self.way == "" or name != self.left_out or not self.off < t < self.on

    def system(self) -> tuple[detent.System, dict[str, tuple[detent.Shape, detent.Shape]]]:
        """Without contacts, and the shapes of each."""
        system = detent.System("room")
        system.gravity(-G * (system.ground.z if self.space else system.ground.y))
        shapes = [self._ball(system, f"b{k}", ball) for k, ball in enumerate(self.balls)]
        walls = {name: wall.shape(system, name) for name, wall in self.walls.items()}
        pairs = {
            name: (shapes[k], walls[of] if isinstance(of, str) else shapes[of]) for name, k, of in self.pairs
        }  # fmt: skip
        return system, pairs

    def _ball(self, system: detent.System, name: str, ball: Ball) -> detent.Shape:
        letters, ground, body = "xyz" if self.space else "xy", system.ground, Any
        start = {f"{name}_{letter}": value for letter, value in zip(letters, ball.place, strict=False)}
        start |= {f"{name}_{letter}_rate": value for letter, value in zip(letters, ball.velocity, strict=False)}
        if ball.inertia is None:
            coordinates = system.coordinates(*(f"{name}_{letter}" for letter in letters))
            place = sum(x * axis for x, axis in zip(coordinates, (ground.x, ground.y, ground.z), strict=False))
            body = system.particle(name, system.origin.offset(name, place), ball.mass)
        else:
            joint = (system.free if self.space else system.planar)(name, system.origin, ground)
            inertia = (ball.inertia,) * 3 if self.space else ball.inertia
            body = system.body(name, joint.point, joint.frame, ball.mass, inertia)
            start |= dict(zip((f"{name}_wx", f"{name}_wy", f"{name}_wz"), ball.spin, strict=True)) if self.space else {
                f"{name}_angle_rate": ball.spin[2]
            }  # fmt: skip
        system.start(**start)
        if not ball.radius:
            return body.point()
        return body.sphere(ball.radius) if self.space else body.circle(ball.radius)


def simulated(room: Room, until: float, rtol: float) -> detent.Run:
    """The run, as a user would have it."""
    system, shapes = room.system()
    for name, pair in shapes.items():
        system.contact(name, *pair, **room.laws[name].of(system))
    if room.way == "flight":
        return _in_flight(room, system, shapes, until, rtol)
    if room.way == "":
        return detent.simulate(system, until=until, rtol=rtol)
    automaton = detent.Automaton(system)
    fewer = [name for name in shapes if name != room.left_out]
    first, second, third = automaton.mode("before"), automaton.mode("without", contacts=fewer), automaton.mode("after")
    automaton.transition("out", first, second, when=system.time >= room.off)
    automaton.transition("back", second, third, when=system.time >= room.on)
    return detent.simulate(automaton, until=until, rtol=rtol)


def _in_flight(room: Room, system: detent.System, shapes: Any, until: float, rtol: float) -> detent.Run:
    simulation = detent.Simulation(system, rtol=rtol)
    if room.off < until:
        simulation.advance(room.off)
        simulation.release(room.left_out)
    if room.on < until:
        simulation.advance(room.on)
        simulation.contact(room.left_out, *shapes[room.left_out], **room.laws[room.left_out].of(system))
    simulation.advance(until)
    return simulation.result()


# -- at random ---------------------------------------------------------------------------------------------


class _Chance:
    """What is drawn, one after the other."""

    def __init__(self, seed: int, space: bool) -> None:
        self.random, self.space = np.random.default_rng([seed, 79 if space else 77]), space

    def between(self, low: float, high: float) -> float:
        return float(self.random.uniform(low, high))

    def one_in(self, count: int) -> bool:
        return int(self.random.integers(count)) == 0

    def wave(self, a: float, moves: float) -> Wave:
        if self.one_in(2):
            return Wave(a)
        return Wave(a, 0.0, self.between(0.1, 1.0) * moves, self.between(1, 9), self.between(0, 6))

    def turning(self) -> Wave:
        return Wave(
            self.between(-1, 1), self.between(-6, 6), self.between(0, 0.5), self.between(1, 5), self.between(0, 6)
        )

    def belt(self) -> Wave:
        return Wave() if self.one_in(2) else Wave(self.between(-2, 2), 0.0, self.between(0, 2), self.between(1, 7))

    def about(self) -> str:
        return str(self.random.choice(["x", "y", "z"])) if self.space else "z"

    def flat(self, place: tuple[float, float, float], tilt: float, about: str) -> Wall:
        x, y, z = (self.wave(value, 0.15) for value in place)
        angle = self.wave(tilt + self.between(-0.2, 0.2), 0.05)
        other = self.belt() if self.space else Wave()
        return Wall("flat", x, y, angle, 0.0, self.belt(), z if self.space else Wave(), other, about, self.space)

    def round(self, kind: str, height: float, shakes: float, radius: float) -> Wall:
        x, level = self.wave(0.0, shakes), self.wave(height, shakes)
        y, z = (self.wave(0.0, shakes), level) if self.space else (level, Wave())
        return Wall(kind, x, y, self.turning(), radius, z=z, about=self.about(), space=self.space)

    def walls(self) -> dict[str, Wall]:
        half, walls = math.pi / 2, dict[str, Wall]()
        if self.one_in(3):
            walls["hollow"] = self.round("hollow", 0.0, 0.1, self.between(1.8, 2.4))
        elif self.space:
            around = {
                "floor": ((0, 0, -1.5), 0, "x"), "right": ((2, 0, 0), -half, "y"), "left": ((-2, 0, 0), half, "y"),
                "front": ((0, -2, 0), -half, "x"), "back": ((0, 2, 0), half, "x"),
            }  # fmt: skip
            walls = {name: self.flat(*given) for name, given in around.items()}
        else:
            level = {"floor": ((0, -1.5, 0), 0, "z"), "right": ((2, 0, 0), half, "z"), "left": ((-2, 0, 0), -half, "z")}
            walls = {name: self.flat(*given) for name, given in level.items()}
        if self.one_in(2):
            walls["drum"] = self.round("drum", -0.5, 0.2, self.between(0.2, 0.5))
        return walls

    def ball(self) -> Ball:
        radius = 0.0 if self.one_in(4) else self.between(0.05, 0.3)
        mass = float(10 ** self.between(-1, 1))
        inertia = None if not radius or self.one_in(4) else mass * radius**2 * self.between(0.2, 0.66)
        place = [self.between(-1.2, 1.2), self.between(-1.2, 1.2), self.between(0.2, 1.2)]
        velocity = [self.between(-3, 3) for _ in range(3)]
        spin = [self.between(-20, 20) for _ in range(3)]
        if not self.space:
            place, velocity, spin = [place[0], place[2], 0.0], [*velocity[:2], 0.0], [0.0, 0.0, spin[2]]
        return Ball(radius, mass, inertia, (place[0], place[1], place[2]), (velocity[0], velocity[1], velocity[2]),
                    (spin[0], spin[1], spin[2]) if inertia is not None else (0.0, 0.0, 0.0))  # fmt: skip

    def law(self) -> Law:
        mu = 0.0 if self.one_in(3) else self.between(0.05, 1.0)
        least = self.between(0.3, 0.7)
        most = least if self.one_in(2) else self.between(least, 0.99)
        swing = 0.0 if self.one_in(2) else self.between(0.2, 0.9)
        name = str(self.random.choice(["Poisson", "Stronge", "Newton"]))
        return Law(mu, swing, least, most, self.between(0.5, 5), name)


def random_room(seed: int, space: bool) -> Room:
    """Up to three balls between walls, no two of them near each other."""
    chance = _Chance(seed, space)
    walls, balls, count = chance.walls(), list[Ball](), int(chance.random.integers(1, 4))
    while len(balls) < count:
        ball = chance.ball()
        place = np.array(ball.place)
        far = all(np.linalg.norm(place - other.place) > ball.radius + other.radius + 0.05 for other in balls)
        if far and all(wall.gap(0.0, place, ball.radius)[0] > 0.05 for wall in walls.values()):
            balls.append(ball)
    off = chance.between(0.1, 0.8)
    room = Room(tuple(balls), walls, {}, "", off, off + chance.between(0.1, 0.5), "", space)
    names = [name for name, _, _ in room.pairs]
    way = str(chance.random.choice(["", "automaton", "flight"]))
    return replace(
        room, laws={name: chance.law() for name in names}, left_out=str(chance.random.choice(names)), way=way
    )
