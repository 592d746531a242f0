"""Random automata whose modes enable contacts, switch loads and hold constraints; and pushed blocks with an answer."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from sympy import Eq, Piecewise

import detent
from detent import ContactStatus

G = 9.81
UNTIL = 1.5


def random_automaton(seed: int) -> detent.Automaton:
    """A particle, a disk or a box above a floor and before a wall, in two or three modes."""
    random = np.random.default_rng(seed)
    system = detent.System(f"automaton {seed}")
    system.gravity(-G * system.ground.y)
    kind = str(random.choice(["point", "disk", "box"]))
    body, x, y, height = _body(system, kind)
    start = {y: height + float(random.choice([0.0, random.uniform(0, 0.3)])), f"{x}_rate": random.uniform(-1.5, 2.5)}
    system.start(**{str(name): float(value) for name, value in start.items()})
    laws: dict[str, Any] = {
        "friction": _friction(random, kind, system[x]),
        "impact": detent.Poisson(float(random.choice([0.0, 0.0, 0.3]))),
    }
    system.contact("body|floor", body, system.ground.line(), **laws)
    system.contact("body|wall", body, system.ground.line(at=(float(random.uniform(0.9, 2)), 0), along="y"), **laws)
    carrier, ground = system.bodies["body"], system.ground
    forces = {"push": 6 * ground.x, "pull": -8 * ground.x, "lift": 6 * ground.y, "raise": 14 * ground.y}
    for name, force in forces.items():
        system.force(name, carrier, force, active=False)
    system.force("wind", carrier, 0.37 * ground.x)  # a contact without any force lifts or holds as rounding has it
    system.constrain(detent.motion("held", system[f"{x}_rate"]), active=False)
    system.discrete("count")
    automaton = detent.Automaton(system)
    modes = [_mode(random, automaton, number, system[x], system[y]) for number in range(int(random.integers(2, 4)))]
    number = 0
    for source in modes:
        others = [mode for mode in modes if mode is not source]
        for _ in range(int(random.integers(1, 3))):
            _transition(random, automaton, f"t{number}", source, others[int(random.integers(len(others)))], system[x])
            number += 1
    for mode, after in pairwise(modes):  # nothing is out of reach
        automaton.transition(f"on from {mode.name}", mode, after, when=system.time >= UNTIL - 0.2, reset=_reset(after))
    return automaton


def _body(system: detent.System, kind: str) -> tuple[detent.Shape, str, str, float]:
    """A shape on a body of mass 1, the names of its coordinates, and how high it is when it touches the floor."""
    if kind == "point":
        x, y = system.coordinates("x", "y")
        place = system.origin.offset("place", x * system.ground.x + y * system.ground.y)
        return system.particle("body", place, 1).point(), "x", "y", 0.0
    joint = system.planar("b", system.origin, system.ground)
    body = system.body("body", joint.point, joint.frame, 1, 0.05)
    if kind == "disk":
        return body.circle(0.3), "b_x", "b_y", 0.3
    return body.polygon((-0.3, -0.2), (0.3, -0.2), (0.3, 0.2), (-0.3, 0.2)), "b_x", "b_y", 0.2


def _friction(random: np.random.Generator, kind: str, x: Any) -> detent.Coulomb | None:
    """None, by one coefficient or two, other beyond a place, or with a resistance to rolling."""
    laws = [
        None, detent.Coulomb(0.2), detent.Coulomb(0.5), detent.Coulomb(0.3, static=0.4),
        detent.Coulomb(Piecewise((0.2, x < 0.6), (0.6, True))),
        detent.Coulomb(0.4, rolling=0.03) if kind == "disk" else detent.Coulomb(0.8),
    ]  # fmt: skip
    return laws[int(random.integers(len(laws)))]


def _mode(random: np.random.Generator, automaton: detent.Automaton, number: int, x: Any, y: Any) -> detent.Mode:
    contacts = [None, None, None, None, ["body|floor"], ["body|floor"], ["body|wall"], []][int(random.integers(8))]
    loads = [name for name in ("push", "pull", "lift", "raise") if random.uniform() < 0.3]
    if contacts is not None and "body|floor" not in contacts and "raise" not in loads:
        loads.append("raise")  # what is not held by the floor rises, and comes down on it again
    where = [None, None, x <= 50, (y >= -20, x <= 50), x <= 1.2][int(random.integers(5))]
    held = ["held"] if number > 0 and random.uniform() < 0.25 else []
    return automaton.mode(f"m{number}", held, loads, where, contacts)


def _transition(
    random: np.random.Generator,
    automaton: detent.Automaton,
    name: str,
    source: detent.Mode,
    target: detent.Mode,
    x: Any,
) -> None:
    system = automaton.system
    place, rate = system.contacts["body|floor"].places[0], system[f"{x}_rate"]
    floor = system.contact_status("body|floor", place.removeprefix("body|floor").strip())
    normal = system.reaction(f"{place}.normal")
    moment = system.time >= float(random.uniform(0.05, UNTIL))
    when = [
        moment, moment, x >= float(random.uniform(0.1, 0.9)), Eq(floor, ContactStatus.STICK),
        floor >= ContactStatus.SLIP, floor <= ContactStatus.OPEN, rate <= float(random.uniform(0, 1)), normal >= 9.0,
    ][int(random.integers(8))]  # fmt: skip
    condition = [None, None, None, None, floor >= ContactStatus.SLIP, rate >= 0.1, normal >= 5.0][
        int(random.integers(7))
    ]
    count = system["count"]
    more = [[], [], [{count: count + 1}], [lambda moment: {"count": moment["count"] + 1}]][int(random.integers(4))]
    automaton.transition(
        name, source, target, when=when, condition_before=condition, reset=[*more, *_reset(target)] or None
    )


def _reset(target: detent.Mode) -> list[Any]:
    """Where something holds that need not have held before, an impact brings it to rest."""
    return [detent.Impact()] if target.constraints else []


# -- blocks that modes push -------------------------------------------------------------------------


@dataclass(frozen=True)
class Push:
    """What a mode does to the block from a time on: a force along the floor, and one up; whether the floor counts."""

    begins: float
    along: float
    up: float
    counts: bool


@dataclass(frozen=True)
class PushedBlock:
    """A block on a floor, pushed by one mode after another: what happens to it is known in closed form."""

    mass: float
    kinetic: float
    static: float
    speed: float
    pushes: tuple[Push, ...]
    until: float

    @classmethod
    def drawn(cls, seed: int) -> PushedBlock:
        random = np.random.default_rng(seed)
        mass, kinetic = float(random.uniform(0.5, 3)), float(random.uniform(0.1, 0.6))
        static, begins, pushes = kinetic * float(random.uniform(1.0, 1.5)), 0.0, list[Push]()
        for number in range(int(random.integers(3, 7))):
            counts = number == 0 or bool(random.uniform() < 0.8)
            up = float(random.uniform(-0.5, 0.9)) * mass * G if counts else mass * G
            along = float(random.choice([0.0, random.uniform(-2, 2)])) * static * (mass * G - (up if counts else 0.0))
            pushes.append(Push(begins, along, up, counts))
            begins += float(random.uniform(0.1, 0.8))
        speed = float(random.choice([0.0, random.uniform(-2, 2)]))
        return cls(mass, kinetic, static, speed, tuple(pushes), begins)

    def automaton(self) -> detent.Automaton:
        system = detent.System("pushed block")
        x, y = system.coordinates("x", "y")
        body = system.particle(
            "block", system.origin.offset("place", x * system.ground.x + y * system.ground.y), self.mass
        )
        system.gravity(-G * system.ground.y)
        system.start(x_rate=self.speed)
        law = detent.Coulomb(self.kinetic, static=self.static)
        system.contact("block|floor", body.point(), system.ground.line(), friction=law)
        for number, push in enumerate(self.pushes):
            force = push.along * system.ground.x + push.up * system.ground.y
            system.force(f"push {number}", body, force, active=False)
        automaton = detent.Automaton(system)
        modes = [
            automaton.mode(f"m{number}", loads=[f"push {number}"], contacts=["block|floor"] if push.counts else [])
            for number, push in enumerate(self.pushes)
        ]
        for number, (source, target) in enumerate(pairwise(modes), 1):
            automaton.transition(f"to {number}", source, target, when=system.time >= self.pushes[number].begins)
        return automaton

    def motion(self) -> tuple[list[float], float, float, str]:
        """When it stops or starts to slip (other than where a push begins), and in the end its place, speed, status."""
        place, speed, status, found = 0.0, self.speed, "", list[float]()
        ends = [*(push.begins for push in self.pushes[1:]), self.until]
        for push, end in zip(self.pushes, ends, strict=True):
            now = push.begins
            while now < end:
                rate, status = self._rate(push, speed)
                stops = now - speed / rate if rate * speed < 0 and push.counts else math.inf
                after = min(stops, end)
                place += speed * (after - now) + rate * (after - now) ** 2 / 2
                speed = 0.0 if stops <= end else speed + rate * (after - now)
                if stops < end:
                    found.append(stops)
                now = after
        return found, place, speed, status

    def _rate(self, push: Push, speed: float) -> tuple[float, str]:
        """Its acceleration, and what the contact does."""
        if not push.counts:
            return push.along / self.mass, "off"
        normal = self.mass * G - push.up
        if speed == 0.0 and abs(push.along) <= self.static * normal:
            return 0.0, "stick"
        towards = math.copysign(1.0, speed if speed != 0.0 else push.along)
        return (push.along - towards * self.kinetic * normal) / self.mass, "slip"
