"""Random rooms in which disks and points fly and bounce: shakers, belts, turning drums, rings; and where they go.

Between impacts everything flies on parabolas, so a second method needs no integration: the gaps are known functions of
the time, whose first zero is walked up to by steps that are shorter than the gap allows. Impacts of round bodies are
central: normal and tangential speeds do not mix, so that they have closed forms.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import sympy
from scipy.optimize import brentq

import detent

G = 9.81
Array = np.ndarray[Any, Any]
Timed = Callable[[float], float]
NEAR, SLOW = 1e-6, 1e-2
"""A gap (m) from which on its zero is looked for; a speed (m/s) below which an impact is too close to grazing."""


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

    @property
    def bends(self) -> float:
        return abs(self.c) * self.d**2

    def symbolic(self, t: Any) -> Any:
        return self.a + self.b * t + self.c * sympy.sin(self.d * t + self.e)


@dataclass(frozen=True)
class Ball:
    """A disk; one without inertia does not turn, one without radius is a point."""

    radius: float
    mass: float
    inertia: float | None
    place: tuple[float, float]
    velocity: tuple[float, float]
    spin: float


@dataclass(frozen=True)
class Wall:
    """What is moved from outside: a ``line`` with its face to the left of its direction, a ``drum`` or a ``ring``."""

    kind: str
    x: Wave
    y: Wave
    angle: Wave
    radius: float = 0.0
    belt: Wave = Wave()

    def gap(self, t: float, place: Array, radius: float) -> tuple[float, Array]:
        """The gap to a disk there, and the normal towards it."""
        away = place - np.array([self.x(t), self.y(t)])
        if self.kind == "line":
            normal = np.array([-math.sin(self.angle(t)), math.cos(self.angle(t))])
            return float(away @ normal) - radius, normal
        apart = float(np.hypot(*away))
        if self.kind == "drum":
            return apart - self.radius - radius, away / apart
        return self.radius - radius - apart, -away / max(apart, 1e-12)

    def velocity(self, t: float, at: Array) -> Array:
        """Of its surface, where it is touched."""
        x, y = at - np.array([self.x(t), self.y(t)])
        turns, slides = self.angle.rate(t), self.belt(t)
        along = np.array([math.cos(self.angle(t)), math.sin(self.angle(t))])
        return np.array([self.x.rate(t) - turns * y, self.y.rate(t) + turns * x]) + slides * along

    def shape(self, system: detent.System, name: str) -> detent.Shape:
        t, ground = system.time, system.ground
        center = system.origin.offset(name, self.x.symbolic(t) * ground.x + self.y.symbolic(t) * ground.y)
        frame = ground.rotated(name, self.angle.symbolic(t))
        if self.kind == "line":
            return frame.line(at=center, moving=self.belt.symbolic(t))
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
        system.gravity(-G * system.ground.y)
        shapes = []
        for k, ball in enumerate(self.balls):
            body = _body(system, f"b{k}", ball)
            start = {"x": ball.place[0], "y": ball.place[1], "x_rate": ball.velocity[0], "y_rate": ball.velocity[1]}
            if ball.inertia is not None:
                start["angle_rate"] = ball.spin
            system.start(**{f"b{k}_{name}": value for name, value in start.items()})
            shapes.append(body.circle(ball.radius) if ball.radius else body.point())
        walls = {name: wall.shape(system, name) for name, wall in self.walls.items()}
        return system, {
            name: (shapes[k], walls[of] if isinstance(of, str) else shapes[of]) for name, k, of in self.pairs
        }


def _body(system: detent.System, name: str, ball: Ball) -> Any:
    if ball.inertia is not None:
        joint = system.planar(name, system.origin, system.ground)
        return system.body(name, joint.point, joint.frame, ball.mass, ball.inertia)
    x, y = system.coordinates(f"{name}_x", f"{name}_y")
    return system.particle(name, system.origin.offset(name, x * system.ground.x + y * system.ground.y), ball.mass)


def simulated(room: Room, until: float, rtol: float) -> detent.Run:
    """The run, as a user would have it."""
    system, shapes = room.system()
    if room.way == "flight":
        return _in_flight(room, system, shapes, until, rtol)
    for name, pair in shapes.items():
        system.contact(name, *pair, **room.laws[name].of(system))
    if room.way == "":
        return detent.simulate(system, until=until, rtol=rtol)
    automaton = detent.Automaton(system)
    fewer = [name for name in shapes if name != room.left_out]
    first, second, third = (automaton.mode(name, **given) for name, given in
                            (("before", {}), ("without", {"contacts": fewer}), ("after", {})))  # fmt: skip
    automaton.transition("out", first, second, when=system.time >= room.off)
    automaton.transition("back", second, third, when=system.time >= room.on)
    return detent.simulate(automaton, until=until, rtol=rtol)


def _in_flight(room: Room, system: detent.System, shapes: Any, until: float, rtol: float) -> detent.Run:
    later = {name: room.laws[name].of(system) for name in shapes}
    for name, pair in shapes.items():
        system.contact(name, *pair, **later[name])
    simulation = detent.Simulation(system, rtol=rtol)
    if room.off < until:
        simulation.advance(room.off)
        simulation.release(room.left_out)
    if room.on < until:
        simulation.advance(room.on)
        simulation.contact(room.left_out, *shapes[room.left_out], **later[room.left_out])
    simulation.advance(until)
    return simulation.result()


@dataclass
class Flight:
    """Where everything is, by the second method."""

    room: Room
    t: float = 0.0
    place: Array = field(default_factory=lambda: np.zeros((0, 2)))
    velocity: Array = field(default_factory=lambda: np.zeros((0, 2)))
    spin: Array = field(default_factory=lambda: np.zeros(0))

    def __post_init__(self) -> None:
        self.place = np.array([ball.place for ball in self.room.balls])
        self.velocity = np.array([ball.velocity for ball in self.room.balls])
        self.spin = np.array([ball.spin if ball.inertia is not None else 0.0 for ball in self.room.balls])

    def at(self, k: int, t: float) -> Array:
        dt = t - self.t
        found: Array = self.place[k] + self.velocity[k] * dt + np.array([0.0, -G * dt**2 / 2])
        return found

    def move(self, t: float) -> None:
        self.place = np.array([self.at(k, t) for k in range(len(self.place))])
        self.velocity = self.velocity + np.array([0.0, -G * (t - self.t)])
        self.t = t

    def gap(self, k: int, of: str | int, t: float) -> tuple[float, Array]:
        radius = self.room.balls[k].radius
        if isinstance(of, str):
            return self.room.walls[of].gap(t, self.at(k, t), radius)
        away = self.at(k, t) - self.at(of, t)
        apart = float(np.hypot(*away))
        return apart - radius - self.room.balls[of].radius, away / apart

    def surface(self, k: int, t: float, at: Array) -> Array:
        """The velocity of the material of a ball at a point of it, now."""
        x, y = at - self.place[k]
        found: Array = self.velocity[k] + self.spin[k] * np.array([-y, x])
        return found

    def approach(self, k: int, of: str | int) -> tuple[float, float, Array, Array]:
        """At the present time: how fast they part, how fast the first slips on the other, the normal, the point."""
        _, normal = self.gap(k, of, self.t)
        point = self.place[k] - self.room.balls[k].radius * normal
        other = self.room.walls[of].velocity(self.t, point) if isinstance(of, str) else self.surface(of, self.t, point)
        relative = self.surface(k, self.t, point) - other
        return float(relative @ normal), float(relative @ np.array([normal[1], -normal[0]])), normal, point

    def fastest(self, k: int, of: str | int, until: float) -> float:
        """What bounds the rate of a gap."""
        if not isinstance(of, str):
            return float(np.hypot(*(self.velocity[k] - self.velocity[of]))) + 1e-9
        wall, ball = self.room.walls[of], float(np.hypot(*self.velocity[k])) + G * (until - self.t)
        far = float(np.hypot(*(self.place[k] - [wall.x(self.t), wall.y(self.t)]))) + 1.0
        swings = wall.angle.fastest * (far + (ball + wall.x.fastest + wall.y.fastest) * (until - self.t))
        return ball + wall.x.fastest + wall.y.fastest + (swings if wall.kind == "line" else 0.0)

    def first(self, k: int, of: str | int, leaves: bool, until: float) -> float | None:
        """When a gap becomes zero; None where it does not; a :class:`Grazing` where that is not sure."""
        t, fastest = self.t, self.fastest(k, of, until)
        if leaves:  # it is zero now, and opens: to where that is sure
            t = self._leaves(k, of, until)
        while t < until:
            gap, _ = self.gap(k, of, t)
            if gap < 0:
                raise Grazing(t)
            if gap < NEAR:
                step = NEAR / fastest / 8
                for _ in range(100_000):
                    after, _ = self.gap(k, of, t + step)
                    if after < 0:
                        return float(brentq(lambda at: self.gap(k, of, at)[0], t, t + step, xtol=1e-15, rtol=1e-15))
                    if after > gap:
                        raise Grazing(t)
                    t, gap = t + step, after
                raise Grazing(t)
            t += gap / fastest
        return None

    def _leaves(self, k: int, of: str | int, until: float) -> float:
        step = 1e-7
        while self.gap(k, of, self.t + step)[0] < 2 * NEAR:
            if self.gap(k, of, self.t + step)[0] < 0 or self.t + step > until:
                raise Grazing(self.t)
            step *= 1.1
        return self.t + step

    def strike(self, name: str, k: int, of: str | int) -> None:
        """The impact of two that touch now."""
        parting, slip, normal, _ = self.approach(k, of)
        tangent = np.array([normal[1], -normal[0]])
        if parting > -SLOW:
            raise Grazing(self.t)
        law, bodies = self.room.laws[name], [(k, 1.0), *([] if isinstance(of, str) else [(of, -1.0)])]
        straight = sum(1 / self.room.balls[b].mass for b, _ in bodies)
        across = straight
        for b, _ in bodies:
            ball = self.room.balls[b]
            across += ball.radius**2 / ball.inertia if ball.inertia is not None else 0.0
        push = -(1 + law.restitution(-parting)) * parting / straight
        most = law.friction(self.t) * push
        rub = min(max(-slip / across, -most), most)
        for b, sign in bodies:
            ball = self.room.balls[b]
            self.velocity[b] += sign * (push * normal + rub * tangent) / ball.mass
            if ball.inertia is not None:  # the arm is -r n for the first, and r n for the second: both turn alike
                arm = -sign * ball.radius * normal
                impulse = sign * rub * tangent
                self.spin[b] += (arm[0] * impulse[1] - arm[1] * impulse[0]) / ball.inertia


class Grazing(Exception):
    """What happens next is not sure."""


@dataclass(frozen=True)
class Told:
    """What has happened: an impact, and all places, velocities and spins after it."""

    time: float
    name: str
    state: Array


def followed(room: Room, until: float, most: int) -> tuple[list[Told], float]:
    """All impacts, by the second method, and until when they are known."""
    flight, told = Flight(room), list[Told]()
    stops = sorted({time for time in (room.off, room.on) if room.way and time < until} | {until})
    try:
        for stop in stops:
            last = told[-1].name if told and told[-1].name != room.left_out else ""
            while (found := _next(flight, last, stop)) is not None:
                when, last, k, of = found
                flight.move(when)
                flight.strike(last, k, of)
                told.append(Told(when, last, np.concatenate([flight.velocity.ravel(), flight.spin])))
                if len(told) == most:
                    return told, when
            flight.move(stop)
            if stop == room.on and room.way:
                _stand_apart(flight)
    except Grazing as grazing:
        return told, min(until, float(grazing.args[0]))
    return told, until


def _next(flight: Flight, last: str, stop: float) -> tuple[float, str, int, str | int] | None:
    """The next impact before a time, of the contacts that count until then."""
    found = []
    for name, k, of in flight.room.pairs:
        if flight.room.counts(name, (flight.t + stop) / 2):
            when = flight.first(k, of, name == last, stop)
            found += [(when, name, k, of)] if when is not None else []
    found.sort(key=lambda each: each[0])
    if len(found) > 1 and found[1][0] - found[0][0] < 1e-7:
        raise Grazing(found[0][0])
    return found[0] if found else None


def _stand_apart(flight: Flight) -> None:
    """What begins to count now must not touch."""
    for name, k, of in flight.room.pairs:
        if name == flight.room.left_out and flight.gap(k, of, flight.t)[0] < 1e-3:
            raise Grazing(flight.t)


# -- rooms -------------------------------------------------------------------------------------------------


def random_room(seed: int) -> Room:
    random = np.random.default_rng([seed, 77])

    def between(low: float, high: float) -> float:
        return float(random.uniform(low, high))

    def wave(a: float, moves: float, often: tuple[float, float] = (1.0, 9.0)) -> Wave:
        if random.integers(2):
            return Wave(a)
        return Wave(a, 0.0, between(0.1, 1.0) * moves, between(*often), between(0, 6))

    def turning() -> Wave:
        return Wave(between(-1, 1), between(-6, 6), between(0, 0.5), between(1, 5), between(0, 6))

    walls: dict[str, Wall] = {}
    if random.integers(3):
        tilts = (between(-0.2, 0.2), math.pi / 2 + between(-0.2, 0.2), -math.pi / 2 + between(-0.2, 0.2))
        for name, tilt, (x, y) in zip(("floor", "right", "left"), tilts, ((0, -1.5), (2, 0), (-2, 0)), strict=True):
            belt = Wave(between(-2, 2), 0.0, between(0, 2), between(1, 7)) if random.integers(2) else Wave()
            angle = wave(tilt, 0.05) if random.integers(2) else Wave(tilt)
            walls[name] = Wall("line", wave(float(x), 0.15), wave(float(y), 0.15), angle, belt=belt)
    else:
        walls["ring"] = Wall("ring", wave(0.0, 0.1), wave(0.0, 0.1), turning(), between(1.8, 2.4))
    if random.integers(2):
        walls["drum"] = Wall("drum", wave(0.0, 0.2), wave(-0.5, 0.2), turning(), between(0.2, 0.5))
    balls = list[Ball]()
    count = int(random.integers(1, 4))
    while len(balls) < count:
        radius = float(random.choice([0.0, between(0.05, 0.3), between(0.05, 0.3), between(0.05, 0.3)]))
        place = np.array([between(-1.2, 1.2), between(0.2, 1.2)])
        far = all(np.hypot(*(place - ball.place)) > radius + ball.radius + 0.05 for ball in balls)
        if not far or any(wall.gap(0.0, place, radius)[0] < 0.05 for wall in walls.values()):
            continue
        mass = float(10 ** between(-1, 1))
        inertia = mass * radius**2 * between(0.2, 0.9) if radius and random.integers(4) else None
        velocity = (between(-3, 3), between(-3, 3))
        balls.append(Ball(radius, mass, inertia, (float(place[0]), float(place[1])), velocity, between(-20, 20)))

    def law() -> Law:
        mu = float(random.choice([0.0, between(0.05, 1.0), between(0.05, 1.0)]))
        least = between(0.3, 0.7)
        most = float(random.choice([least, between(least, 0.99)]))
        swing = float(random.choice([0.0, between(0.2, 0.9)]))
        return Law(mu, swing, least, most, between(0.5, 5), str(random.choice(["Poisson", "Stronge", "Newton"])))

    room = Room(tuple(balls), walls, {}, "", 0.0, 0.0, "")
    names = [name for name, _, _ in room.pairs]
    off = between(0.1, 0.8)
    way = str(random.choice(["", "automaton", "flight"]))
    return Room(
        room.balls, walls, {name: law() for name in names}, str(random.choice(names)), off, off + between(0.1, 0.5), way
    )
