"""Cans on floors that are moved as one likes, in any units: what they do first, and when, in closed form.

A floor that is accelerated by a is one at rest where the weight is g - a. With its part n across the floor and its part
t along it, a can of radius R whose middle is H above the floor stays where the floor takes it as long as n presses it
down, |t| <= mu n (it does not slide) and |t| H <= n R (it does not tip); a can without friction slides as a point does.
One that the floor strikes with the speed v bounces for 2 e v/(n (1 - e)).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import sympy
from scipy.optimize import brentq

import detent

Array = np.ndarray[Any, Any]
KINDS = ("jerked", "shaken", "struck", "left", "rubbed", "smooth")
NAMES = {
    "slides": "can|floor end 1: stick -> slip",
    "tips": "can|floor rim 1: open -> roll, can|floor end 1: stick -> open",
    "leaves": "can|floor end 1: stick -> open",
}


@cache
def system_of(rubs: bool, bounces: bool) -> detent.System:
    """A can on a floor that falls along its x by an angle, and moves as v t + j t^3/6 + A (sin(w t + c) - sin(c))."""
    system = detent.System("carried can")
    R, H, m, g, tilt = system.parameters(R=0.2, H=0.3, m=1, g=9.81, tilt=0)
    floor = system.ground.rotated("floor", tilt, "y")
    w, c = system.parameters(w=1, c=0)
    t, place = system.time, 0 * floor.x
    for axis in "xyz":
        v, j, A = system.parameters(**{f"v{axis}": 0, f"j{axis}": 0, f"A{axis}": 0})
        place += (v * t + j * t**3 / 6 + A * (sympy.sin(w * t + c) - sympy.sin(c))) * getattr(floor, axis)
    joint = system.free("can", system.origin, floor)
    across = m * (3 * R**2 + 4 * H**2) / 12
    body = system.body("can", joint.point, joint.frame, m, (across, across, m * R**2 / 2))
    system.gravity(-g * system.ground.z)
    system.contact(
        "can|floor",
        body.cylinder(R, 2 * H),
        floor.plane(at=system.origin.offset("carried", place)),
        friction=detent.Coulomb(system.parameters(mu=0.5)) if rubs else None,
        impact=detent.Poisson(system.parameters(e=0.5) if bounces else 0),
    )
    return system


@dataclass(frozen=True)
class Carried:
    """A can on a floor that moves, in units of its own."""

    kind: str
    numbers: dict[str, float]
    """Parameters, in units of length, time and mass that are one."""
    goes_along: bool
    """Whether the can begins with the velocity of the floor, or at rest."""
    units: tuple[float, float, float]
    """Of length, time and mass."""

    def _vector(self, letter: str) -> Array:
        return np.array([self.numbers.get(f"{letter}{axis}", 0.0) for axis in "xyz"])

    def place(self, time: float) -> Array:
        w, c = self.numbers.get("w", 1.0), self.numbers.get("c", 0.0)
        moved = self._vector("v") * time + self._vector("j") * time**3 / 6
        return moved + self._vector("A") * (math.sin(w * time + c) - math.sin(c))

    def velocity(self, time: float) -> Array:
        w, c = self.numbers.get("w", 1.0), self.numbers.get("c", 0.0)
        return self._vector("v") + self._vector("j") * time**2 / 2 + self._vector("A") * w * math.cos(w * time + c)

    def weight(self, time: float) -> Array:
        """g - a, along the axes of the floor."""
        w, c, g, tilt = (self.numbers.get(name, d) for name, d in (("w", 1.0), ("c", 0.0), ("g", 0.0), ("tilt", 0.0)))
        pull = g * np.array([math.sin(tilt), 0.0, -math.cos(tilt)])
        return pull - self._vector("j") * time + self._vector("A") * w * w * math.sin(w * time + c)

    def margins(self) -> dict[str, Callable[[float], float]]:
        """What is positive as long as a can that goes along does not slide, tip or leave."""
        R, H, mu = (self.numbers[name] for name in ("R", "H", "mu"))

        def along(time: float) -> float:
            return math.hypot(*self.weight(time)[:2])

        return {
            "slides": lambda time: -mu * self.weight(time)[2] - along(time),
            "tips": lambda time: -R * self.weight(time)[2] - H * along(time),
            "leaves": lambda time: -self.weight(time)[2],
        }

    def first(self, until: float) -> tuple[str, float]:
        """What it does first, and when; ``stays`` where it does nothing, ``unclear`` where two are too near to tell."""
        times, found = np.linspace(0, until, 4001), []
        for word, margin in self.margins().items():
            values = np.array([margin(time) for time in times])
            least = int(values.argmin())
            if values[0] <= 1e-6:
                return "unclear", 0.0
            if (values > 0).all():
                if values[least] < 1e-3 * values.max():
                    return "unclear", 0.0
                continue
            k = int(np.argmax(values <= 0))
            found.append((float(brentq(margin, times[k - 1], times[k], xtol=1e-15, rtol=1e-15)), word))
        if not found:
            return "stays", until
        found.sort()
        together = [word for time, word in found if time < found[0][0] * (1 + 1e-3)]
        if len(together) > 1 and "leaves" in together and math.hypot(*self.weight(found[0][0])[:2]) < 1e-12:
            return "leaves", found[0][0]
        return ("unclear", 0.0) if len(together) > 1 else (found[0][1], found[0][0])

    def run(self, until: float) -> detent.Run:
        """As it is simulated, in the units that were drawn."""
        length, time, mass = self.units
        sizes = {"R": length, "H": length, "m": mass, "g": length / time**2, "w": 1 / time}
        for axis in "xyz":
            sizes |= {f"v{axis}": length / time, f"j{axis}": length / time**3, f"A{axis}": length}
        parameters = {name: value * sizes.get(name, 1.0) for name, value in self.numbers.items()}
        rubs, bounces = "mu" in parameters, "e" in parameters
        start = {"can_z": self.numbers["H"] * length}
        if self.goes_along:
            for axis, speed in zip("xyz", self.velocity(0.0), strict=True):
                start[f"can_{axis}_rate"] = speed * length / time
        return detent.simulate(
            system_of(rubs, bounces), until=until * time, start=start, parameters=parameters, rtol=1e-11, check=False
        )


def random_carried(kind: str, seed: int) -> Carried:
    """Drawn in units of one; the units of the run are drawn besides."""
    random = np.random.default_rng([seed, KINDS.index(kind), 774])
    R, H = random.uniform((0.1, 0.03), (0.5, 0.6))
    numbers = {"R": R, "H": H, "m": 1.0, "g": 9.81, "mu": random.uniform(0.05, 1.5)}
    steepest = 0.95 * min(math.atan(numbers["mu"]), math.atan(R / H))
    way, turned = random.normal(size=3), random.uniform(0, 2 * math.pi)
    goes_along = True
    if kind in ("jerked", "shaken"):
        numbers["tilt"] = float(random.choice([0.0, random.uniform(0, steepest)]))
        if random.random() < 0.3:
            way *= random.choice([[0, 0, 1], [1, 1, 0]])
        way /= np.linalg.norm(way)
        letter, size = ("j", 10 ** random.uniform(0, 2)) if kind == "jerked" else ("A", random.uniform(0.005, 0.1))
        numbers |= {f"{letter}{axis}": size * part for axis, part in zip("xyz", way, strict=True)}
        numbers |= {f"v{axis}": part for axis, part in zip("xyz", random.normal(size=3), strict=True)}
        if kind == "shaken":
            numbers |= {"w": random.uniform(3, 40), "c": float(random.choice([0.0, random.uniform(0, 6)]))}
    elif kind in ("struck", "left"):
        goes_along = False
        numbers["tilt"] = float(random.choice([0.0, random.uniform(0, steepest)])) if kind == "struck" else 0.0
        numbers["vz"] = random.uniform(0.1, 2) * (1 if kind == "struck" else -1)
        if random.random() < 0.5 and numbers["tilt"] == 0.0:
            numbers["e"] = random.uniform(0.1, 0.9)
    elif kind == "rubbed":
        goes_along = False
        numbers["mu"] = min(numbers["mu"], 0.95 * R / H)
        speed = random.uniform(0.2, 3)
        numbers |= {"vx": speed * math.cos(turned), "vy": speed * math.sin(turned)}
    else:
        del numbers["mu"]
        numbers["tilt"] = random.uniform(0, 0.6)
        numbers |= {f"v{axis}": part for axis, part in zip("xyz", random.normal(size=3), strict=True)}
        numbers |= {f"j{axis}": part for axis, part in zip("xyz", random.uniform(-3, 3, 3), strict=True)}
    numbers = {name: float(value) for name, value in numbers.items()}
    return Carried(kind, numbers, goes_along, tuple(10 ** random.uniform((-3, -2, -3), (3, 2, 3))))
