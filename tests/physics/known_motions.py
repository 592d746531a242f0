"""Motions of a particle whose position and speed are known at every time, for guards whose zeros must be known too."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import sympy

import detent

ROUNDING = 2.0**-52


@dataclass(frozen=True)
class Settings:
    """How a run is integrated. ``step`` is given for ``rk4`` alone."""

    method: str
    rtol: float
    step: float | None

    def keywords(self) -> dict[str, Any]:
        """As ``detent.simulate`` takes them."""
        given: dict[str, Any] = {"method": self.method, "rtol": self.rtol}
        return given | ({"step": self.step} if self.step is not None else {})


class Motion(Protocol):
    """One degree of freedom x(t) in closed form."""

    @property
    def exact(self) -> bool:
        """Whether every method integrates it without error but rounding: x a polynomial of degree three at most."""

    def position(self, t: float) -> float:
        """x, m."""

    def speed(self, t: float) -> float:
        """x', m/s."""

    def acceleration(self, t: float) -> float:
        """x'', m/s^2."""

    def position_turns(self, until: float) -> list[float]:
        """Where x' is zero."""

    def speed_turns(self, until: float) -> list[float]:
        """Where x'' is zero."""

    def load(self, system: detent.System, x: Any) -> None:
        """Put the force that makes this motion into a model."""

    def error(self, settings: Settings, until: float) -> float:
        """A bound for what the integration does to x and x', beside rounding."""


@dataclass(frozen=True)
class Pushed:
    """x = x0 + v t + a t^2/2 + b t^3/6: at rest, coasting, thrown, or under a load that grows."""

    x0: float
    v: float
    a: float = 0.0
    b: float = 0.0
    exact: bool = True

    def position(self, t: float) -> float:
        return self.x0 + t * (self.v + t * (self.a / 2 + t * self.b / 6))

    def speed(self, t: float) -> float:
        return self.v + t * (self.a + t * self.b / 2)

    def acceleration(self, t: float) -> float:
        return self.a + self.b * t

    def position_turns(self, until: float) -> list[float]:
        found = np.roots(np.trim_zeros([self.b / 2, self.a, self.v], "f"))
        return sorted(float(root.real) for root in found if abs(root.imag) == 0 and 0 < root.real < until)

    def speed_turns(self, until: float) -> list[float]:
        turn = -self.a / self.b if self.b else -1.0
        return [turn] if 0 < turn < until else []

    def load(self, system: detent.System, x: Any) -> None:
        if self.a or self.b:
            system.force("push", system.bodies["mass"], (self.a + self.b * system.time) * system.ground.x)

    def error(self, settings: Settings, until: float) -> float:
        return 0.0


@dataclass(frozen=True)
class Swinging:
    """x = size cos(rate t + phase): a mass on a spring."""

    size: float
    rate: float
    phase: float
    exact: bool = False

    def position(self, t: float) -> float:
        return self.size * math.cos(self.rate * t + self.phase)

    def speed(self, t: float) -> float:
        return -self.size * self.rate * math.sin(self.rate * t + self.phase)

    def acceleration(self, t: float) -> float:
        return -(self.rate**2) * self.position(t)

    def position_turns(self, until: float) -> list[float]:
        return _multiples(self.rate, self.phase, 0.0, until)

    def speed_turns(self, until: float) -> list[float]:
        return _multiples(self.rate, self.phase, math.pi / 2, until)

    def load(self, system: detent.System, x: Any) -> None:
        system.spring("spring", x, self.rate**2)

    def error(self, settings: Settings, until: float) -> float:
        scale = self.size * max(1.0, self.rate) * (1 + self.rate * until)
        if settings.step is None:
            return 1e3 * settings.rtol * scale  # steps that err by rtol, hundreds of them; measured again after the run
        return scale * (self.rate * settings.step) ** 4 / 30  # phase (w h)^5/120 per step, and the cubic between nodes


@dataclass(frozen=True)
class Driven:
    """x'' = force cos(rate t), from x0 with v: the speed waves about v."""

    x0: float
    v: float
    force: float
    rate: float
    exact: bool = False

    def position(self, t: float) -> float:
        return self.x0 + self.v * t + 2 * self.force / self.rate**2 * math.sin(self.rate * t / 2) ** 2

    def speed(self, t: float) -> float:
        return self.v + self.force / self.rate * math.sin(self.rate * t)

    def acceleration(self, t: float) -> float:
        return self.force * math.cos(self.rate * t)

    def position_turns(self, until: float) -> list[float]:
        ratio = -self.v * self.rate / self.force
        if abs(ratio) >= 1:
            return []
        angle = math.asin(ratio)
        both = [(shift + 2 * math.pi * n) / self.rate for n in range(-1, int(until * self.rate / 6) + 2)
                for shift in (angle, math.pi - angle)]  # fmt: skip
        return sorted(t for t in both if 0 < t < until)

    def speed_turns(self, until: float) -> list[float]:
        return _multiples(self.rate, 0.0, math.pi / 2, until)

    def load(self, system: detent.System, x: Any) -> None:
        system.force("drive", system.bodies["mass"],
                     self.force * sympy.cos(self.rate * system.time) * system.ground.x)  # fmt: skip

    def error(self, settings: Settings, until: float) -> float:
        size = abs(self.x0) + abs(self.v) * until + self.force * max(1.0, 1 / self.rate) ** 2
        if settings.step is None:
            return 1e3 * settings.rtol * size * (1 + until)
        return size * (1 + until) * (1 + self.rate) * (self.rate * settings.step) ** 4 / 30


def _multiples(rate: float, phase: float, offset: float, until: float) -> list[float]:
    """The times in (0, until) at which rate t + phase - offset is a multiple of pi."""
    first = math.ceil((phase - offset) / math.pi)
    last = math.floor((rate * until + phase - offset) / math.pi)
    found = [(n * math.pi + offset - phase) / rate for n in range(first, last + 1)]
    return [t for t in found if 0 < t < until]


@dataclass(frozen=True)
class Argument:
    """What a guard is a function of, along a motion: the time, the position or the speed."""

    name: str
    value: Callable[[float], float]
    rate: Callable[[float], float]
    turns: list[float]
    """Where it turns: between two turns it only grows or only falls."""
    size: float
    """Its largest value, and that of the terms it is the sum of; zero for the time itself."""

    def range(self, until: float) -> tuple[float, float]:
        """Its smallest and largest value from the start to the end."""
        seen = [self.value(t) for t in (0.0, *self.turns, until)]
        return min(seen), max(seen)

    def noise(self, t: float, error: float) -> float:
        """How well a run can know it: the state's error, 64 units of rounding of its size, and of the time."""
        return (error if self.size else 0.0) + 64 * ROUNDING * (self.size + t * abs(self.rate(t)))


TIME = Argument("t", lambda t: t, lambda t: 1.0, [], 0.0)


def arguments(motion: Motion, until: float) -> list[Argument]:
    """What guards along a motion may be functions of: those that move."""
    found = [TIME]
    for name, value, rate, turns in (
        ("x", motion.position, motion.speed, motion.position_turns(until)),
        ("x_rate", motion.speed, motion.acceleration, motion.speed_turns(until)),
    ):
        seen = [abs(value(t)) for t in (0.0, *turns, until)] + [abs(rate(t)) * t for t in (until / 2, until)]
        if any(rate(until * part) for part in (0.0, 0.3, 1.0)):
            found.append(Argument(name, value, rate, turns, max(seen)))
    return found


def random_motion(random: np.random.Generator) -> Motion:
    """Mostly motions that every method integrates exactly; else a swing or a driven mass."""
    kind = random.choice(["coasting", "thrown", "pushed", "swinging", "driven"], p=[0.25, 0.3, 0.2, 0.15, 0.1])
    x0, v = random.uniform(-2, 2), float(random.choice([-1, 1])) * random.uniform(0.3, 3)
    if random.random() < 0.3:
        x0 = 0.0
    if kind == "coasting":
        return Pushed(x0, v)
    if kind == "thrown":
        return Pushed(x0, v, -math.copysign(random.uniform(0.2, 10), v if random.random() < 0.8 else -v))
    if kind == "pushed":
        return Pushed(x0, v, random.uniform(-3, 3), random.uniform(-2, 2))
    if kind == "swinging":
        return Swinging(random.uniform(0.5, 2), random.uniform(0.5, 4), random.uniform(-3, 3))
    return Driven(x0, v, random.uniform(0.5, 3), random.uniform(0.7, 4))
