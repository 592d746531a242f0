"""Cans of any proportions that are hurled at a floor, from any side and spinning, in any units; NumPy judges them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

import detent

Array = np.ndarray[Any, Any]
NO_TIP = "there is no point of its rim over which it tips"
EXCESS = 1e-6
"""Of the largest normal force, by which a force may be outside its cone."""
_RATES = ("x_rate", "y_rate", "z_rate", "wx", "wy", "wz")


@cache
def system_of(rubs: bool, bounces: bool, brakes: bool) -> detent.System:
    """A can above a floor that falls along its x by an angle; sizes and laws are parameters."""
    system = detent.System("hurled can")
    R, H, m, g, tilt = system.parameters(R=0.2, H=0.3, m=1, g=9.81, tilt=0)
    floor = system.ground.rotated("floor", tilt, "y")
    joint = system.free("can", system.origin, floor)
    across = m * (3 * R**2 + 4 * H**2) / 12
    body = system.body("can", joint.point, joint.frame, m, (across, across, m * R**2 / 2))
    system.gravity(-g * system.ground.z)
    law = {"spinning": system.parameters(spinning=0.01)} if brakes else {}
    system.contact(
        "can|floor",
        body.cylinder(R, 2 * H),
        floor.plane(),
        friction=detent.Coulomb(system.parameters(mu=0.5), **law) if rubs else None,
        impact=detent.Poisson(system.parameters(e=0.5) if bounces else 0),
    )
    return system


@dataclass(frozen=True)
class Hurled:
    """A can that is hurled, in units of its own."""

    numbers: dict[str, float]
    start: dict[str, float]
    until: float
    laws: tuple[bool, bool, bool]

    def run(self) -> detent.Run:
        return detent.simulate(
            system_of(*self.laws), until=self.until, start=self.start, parameters=self.numbers, check=False
        )

    @property
    def _may_not_tip(self) -> bool:
        """Whether friction tips it, if it slides on an end; with a point of its rim in the direction e that slips along
        e it does not where it spins faster than it slides."""
        return self.numbers.get("mu", 0.0) * self.numbers["H"] > self.numbers["R"]

    def energy(self, run: detent.Run) -> Array:
        R, H, m, g, tilt = (self.numbers[name] for name in ("R", "H", "m", "g", "tilt"))
        across = m * (3 * R * R + 4 * H * H) / 12
        found = m * (run.can_x_rate**2 + run.can_y_rate**2 + run.can_z_rate**2) / 2
        found += (across * (run.can_wx**2 + run.can_wy**2) + m * R * R / 2 * run.can_wz**2) / 2
        return found + m * g * (run.can_z * math.cos(tilt) - run.can_x * math.sin(tilt))

    def lowest(self, run: detent.Run) -> Array:
        """How high the lowest point is above the floor, at many instants."""
        at = run.at(np.linspace(0, self.until, 2001))
        w, x, y, z = (np.asarray(at[f"can_q{letter}"]) for letter in "wxyz")
        size = w * w + x * x + y * y + z * z
        aside = np.hypot(2 * (w * y + x * z), 2 * (y * z - w * x)) / size
        upright = np.abs(w * w - x * x - y * y + z * z) / size
        return np.asarray(at["can_z"]) - self.numbers["R"] * aside - self.numbers["H"] * upright

    def verdict(self) -> str:
        """right, paradox, refused: why, or wrong: how. A paradox: it should tip, and spins faster than it slides."""
        try:
            run, why = self.run(), ""
        except detent.DetentError as error:
            run, why = None, str(error)
        if run is None or run.outcome.word != "completed":
            why = why if run is None else f"{run.outcome.word}: {run.message[:200]}"
            return "paradox" if NO_TIP in why and self._may_not_tip else f"refused: {why}"
        energy, size = self.energy(run), max(self.numbers["R"], self.numbers["H"])
        scale = float(np.ptp(energy)) + self.numbers["m"] * self.numbers["g"] * size
        grown, deepest = float(np.diff(energy).max()), float(self.lowest(run).min())
        if grown > 1e-7 * scale:
            return f"wrong: energy grows by {grown / scale:.3g}"
        if deepest < -1e-8 * size:
            return f"wrong: sinks in by {deepest / size:.3g}"
        excess = run.audit.largest_cone_excess or 0.0
        return "right" if excess < EXCESS else f"wrong: a force is outside its cone by {excess:.3g}"


def random_hurled(seed: int) -> Hurled:
    """From flat coins to long rods, half of them set down on an end or nearly so, the others turned anyhow."""
    random = np.random.default_rng([seed, 775])
    length, time, mass = 10 ** random.uniform((-2, -1, -2), (2, 1, 2))
    R, H = 10 ** random.uniform((-1, -1.7), (-0.3, 0))
    laws = tuple(bool(random.random() < part) for part in (0.8, 0.5, 0.3))
    numbers = {"R": R * length, "H": H * length, "m": mass, "g": 9.81 * length / time**2}
    numbers["tilt"] = float(random.choice([0.0, random.uniform(0, 0.6)]))
    drawn = {
        "mu": random.uniform(0, 1.5),
        "e": random.uniform(0, 0.95),
        "spinning": random.uniform(0, 0.5) * R * length,
    }
    numbers |= {
        name: drawn[name] for name, has in zip(drawn, (laws[0], laws[1], laws[0] and laws[2]), strict=True) if has
    }
    near = int(random.integers(4))
    lean = (0.0, 10 ** random.uniform(-9, -2), random.uniform(0, 0.6), math.acos(random.uniform(-1, 1)))[near]
    way, roll = random.uniform(0, 2 * math.pi, 2)
    half, other = math.sin(lean / 2), math.cos(lean / 2)
    turn = (math.cos(roll) * other, half * math.cos(way), half * math.sin(way), math.sin(roll) * other)
    start = {f"can_q{letter}": float(value) for letter, value in zip("wxyz", turn, strict=True)}
    height = R * abs(math.sin(lean)) + H * abs(math.cos(lean)) + float(random.choice([0.0, random.uniform(0, 0.5)]))
    start["can_z"] = height * length
    speeds = random.normal(size=6) * random.choice([0.0, 1.0], size=6) * np.repeat([1.0, random.choice([1, 5, 20])], 3)
    speeds[2] = -abs(speeds[2])
    sizes = [length / time] * 3 + [1 / time] * 3
    start |= {f"can_{name}": float(v * size) for name, v, size in zip(_RATES, speeds, sizes, strict=True)}
    return Hurled(
        {name: float(value) for name, value in numbers.items()},
        start,
        float(time),
        (laws[0], laws[1], laws[0] and laws[2]),
    )
