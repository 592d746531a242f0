"""Blocks of any proportions that rock from corner to corner until they stand, in any units: when they do.

A body with the half width a and the half height b, and the inertia k m about its middle, rocks about its lower corners,
R = sqrt(a^2 + b^2) from there, tan(alpha) = a/b. Where it strikes, its angular momentum about the new corner is kept:

    w+/w- = r = 1 - 2 a^2/(k + R^2),

and between two strikes T + V is: w^2/2 = p^2 (cos(alpha - peak) - cos(alpha - angle)), p^2 = g R/(k + R^2). So how long
each rock lasts is an integral, which mpmath works out. The last ones shrink in the ratio r, and so does their sum.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import mpmath
import numpy as np

import detent

EPSILON = 2.0**-52
DIGITS = 25
LEVEL = 1e-20
"""Rocks of so little energy, by that of the block on its corner, shrink in the ratio r but for rounding."""
UNITS = (1.0, 1e3, 1e-3)
"""How many units of length a metre has: m, mm, km."""
FLAT = 1e-9
"""A can strikes where it leans by so much (rad),"""
LEANS = 1e-3
"""unless it has leaned by less in all the rock (docs/event_semantics.md)."""
KINDS = ("by its corner", "by its middle", "in space", "on a box", "can")


def _plane_block(by_corner: bool) -> detent.System:
    system = detent.System("rocking block")
    a, b, m, g = system.parameters(a=0.5, b=2, m=1, g=9.81)
    x, y, angle = system.coordinates("x", "y", "angle")
    frame = system.ground.rotated("block", angle)
    middle = system.origin.offset("place", x * system.ground.x + y * system.ground.y)
    if by_corner:
        middle = middle.offset("middle", a * frame.x + b * frame.y)
    block = system.body("block", middle, frame, m, m * (a**2 + b**2) / 3)
    system.gravity(-g * system.ground.y)
    shape = block.polygon((-a, -b), (a, -b), (a, b), (-a, b))
    system.contact("block|floor", shape, system.ground.line(), friction=detent.Coulomb(10), impact=detent.Poisson(0))
    return system


def _solid(kind: str) -> detent.System:
    """It rocks about the y axis; of a box edges touch."""
    can = kind == "can"
    system = detent.System("rocking can" if can else "rocking box")
    a, b, m, g = system.parameters(a=0.5, b=2, m=1, g=9.81)
    joint = system.free("block", system.origin, system.ground)
    across = m * (3 * a**2 + 4 * b**2) / 12 if can else m * (a**2 + b**2) / 3
    inertia = (across, across, m * a**2 / 2) if can else (across, across, 2 * m * a**2 / 3)
    block = system.body("block", joint.point, joint.frame, m, inertia)
    system.gravity(-g * system.ground.z)
    shape = block.cylinder(a, 2 * b) if can else block.box(2 * a, 2 * a, 2 * b)
    floor = system.ground.plane()
    if kind == "on a box":
        floor = system.ground.box(40 * a, 40 * a, 20 * a, at=system.origin.offset("below", -10 * a * system.ground.z))
    system.contact("block|floor", shape, floor, friction=detent.Coulomb(10), impact=detent.Poisson(0))
    return system


@cache
def system_of(kind: str) -> detent.System:
    """A block above a floor; its sizes are parameters."""
    return _plane_block(kind == "by its corner") if kind.startswith("by") else _solid(kind)


@dataclass(frozen=True)
class Rocking:
    """A block that is let go at a tilt, in units of its own."""

    kind: str
    a: float
    b: float
    g: float
    tilt: float
    rtol: float

    @property
    def inertia(self) -> float:
        return (self.a**2 / 4 if self.kind == "can" else self.a**2 / 3) + self.b**2 / 3

    @property
    def ratio(self) -> float:
        """Of the angular velocities after and before a strike."""
        return 1 - 2 * self.a**2 / (self.inertia + self.a**2 + self.b**2)

    @property
    def pull(self) -> float:
        """p^2 sin(alpha), the angular acceleration of a block that is nearly flat."""
        return self.g * self.a / (self.inertia + self.a**2 + self.b**2)

    @property
    def start(self) -> dict[str, float]:
        """Its lower left corner is at the origin."""
        c, s = math.cos(self.tilt), math.sin(self.tilt)
        x, y = self.a * c - self.b * s, self.a * s + self.b * c
        if self.kind == "by its corner":
            return {"x": 0.0, "y": 0.0, "angle": self.tilt}
        if self.kind == "by its middle":
            return {"x": x, "y": y, "angle": self.tilt}
        half = -self.tilt / 2  # about y, from z to x, the other way round
        return {"block_x": x, "block_z": y, "block_qw": math.cos(half), "block_qy": math.sin(half)}

    @cached_property
    def accumulates_at(self) -> float:
        with mpmath.workdps(DIGITS):
            a, b, k, g = (mpmath.mpf(each) for each in (self.a, self.b, self.inertia, self.g))
            alpha, radius = mpmath.atan2(a, b), mpmath.hypot(a, b)
            r, p2 = 1 - 2 * a**2 / (k + radius**2), g * radius / (k + radius**2)
            first = mpmath.cos(alpha - self.tilt) - mpmath.cos(alpha)
            total, left = _fall(alpha, p2, first), first
            while left > LEVEL * first:
                left *= r**2
                lasts = 2 * _fall(alpha, p2, left)
                total += lasts
            return float(total + lasts * r / (1 - r))

    @property
    def known_to(self) -> float:
        """What the time is known to, s.

        By the tolerance: where a rock ends by so much too fast, all that remains lasts longer by so much, and what
        remains after each of them is together T/(1 - r). By the rounding of a height, that of all lengths: a strike is
        later by that over its speed v, and so is what remains by 1/(1 - r) of it; of all strikes together, which are
        the slower the later, by 1/(1 - r)^2 of it for the last. Rocks end where they rise by no more than 1024 units
        of rounding, as if they fell freely: v^2 = 2 g 1024 units.
        """
        slower = 1 - self.ratio
        lengths = 2 * (self.a + self.b)
        known = self.rtol * self.accumulates_at / slower + math.sqrt(EPSILON * lengths / (2048 * self.g)) / slower**2
        return known + (self._too_early if self.kind == "can" else 0.0)

    @property
    def _too_early(self) -> float:
        """By how much a can stands too early, s, that strikes at FLAT above zero, and rises from FLAT below it.

        It has not fallen so far, twice, and is slower by 2 p^2 alpha FLAT/w, w being its speed; what remains after that
        is 2 w/(p^2 alpha)/(1 - r), and is shorter by 4 FLAT/w/(1 - r). Of all rocks in which it leans by more than
        LEANS it counts most for the last, w^2/2 = p^2 alpha LEANS, and 1/(1 - r) as much for all of them.
        """
        return 4 * FLAT / math.sqrt(2 * self.pull * LEANS) / (1 - self.ratio) ** 2

    def verdict(self) -> str:
        """right, refused or wrong, and how."""
        time = self.accumulates_at
        try:
            run = detent.simulate(
                system_of(self.kind), until=1.01 * time, start=self.start, rtol=self.rtol,
                parameters={"a": self.a, "b": self.b, "g": self.g},
            )  # fmt: skip
        except detent.DetentError as error:
            return f"refused: {str(error)[:300]}"
        told = [event.details["accumulates at"] for event in run.events.of_kind("zeno")]
        if len(told) != 1:
            return f"wrong: it accumulates at {told}, not once at {time}"
        off = f"off by {float(told[0]) - time} s, known to {self.known_to} s"
        return f"right: {off}" if abs(float(told[0]) - time) <= self.known_to else f"wrong: {off}"


def _fall(alpha: Any, p2: Any, energy: Any) -> Any:
    """How long a block falls from rest until it is flat, where cos(alpha - peak) - cos(alpha) is given."""
    peak = alpha - mpmath.acos(mpmath.cos(alpha) + energy)

    def slowness(root: Any) -> Any:
        """With the angle as peak - root^2 it is regular where the fall begins."""
        half = root**2 / 2
        fallen = mpmath.sin(alpha - peak + half) * mpmath.sinc(half)
        return 2 / mpmath.sqrt(2 * p2 * fallen)

    return mpmath.quad(slowness, [0, mpmath.sqrt(peak)])


def random_rocking(seed: int) -> Rocking:
    rng = np.random.default_rng([55, seed])
    kind = KINDS[seed % len(KINDS)]
    unit = float(rng.choice(UNITS if kind != "can" else (1.0, 1e-3)))  # in mm a can takes the longer the larger it is
    half = unit * float(10 ** rng.uniform(-2, 1))
    a, b = half, half * float(rng.uniform(1.5, 6.0))
    g = unit * float(rng.choice([1.62, 9.81, 24.8]))
    tilt = float(rng.uniform(0.02, 0.6)) * math.atan2(a, b)
    return Rocking(kind, a, b, g, tilt, float(10 ** rng.uniform(-12, -6)))
