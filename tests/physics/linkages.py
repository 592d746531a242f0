"""Linkages that fold flat, with answers that do not come from this library.

Bars are given by absolute angles and closed by two rows, so that both rows lose rank together where all bars lie in one
line: a *change point*, where two branches of the motion meet.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.integrate import solve_ivp

import detent
from detent.gallery.rods import hang_rods

GRAVITY = 9.81


@dataclass(frozen=True)
class Parallelogram:
    """Two cranks of one length, a base and a coupler of another, as uniform rods; how it starts."""

    crank: float
    base: float
    masses: tuple[float, float, float]
    angle: float
    rate: float

    @classmethod
    def random(cls, seed: int) -> Parallelogram:
        """One that swings or goes round, through change points at every half turn."""
        numbers = np.random.default_rng(seed)
        crank, base = numbers.uniform(0.3, 2.0), numbers.uniform(0.3, 2.5)
        first, coupler, last = numbers.uniform(0.3, 4.0, 3)
        angle = numbers.uniform(-3.0, 3.0)
        rate = numbers.choice([-1, 1]) * numbers.uniform(0.2, 2.5)
        made = cls(crank, base, (first, coupler, last), angle, 1.0)
        return cls(crank, base, made.masses, angle, rate * math.sqrt(2 * made._pull * (1 - math.sin(angle))))

    @property
    def _pull(self) -> float:
        """k of angle'' = -k cos(angle) on the branch on which the cranks stay parallel."""
        first, coupler, last = self.masses
        weight = GRAVITY * self.crank * (first / 2 + last / 2 + coupler)
        return weight / (self.crank**2 * (first / 3 + last / 3 + coupler))

    def angles(self, times: np.ndarray) -> np.ndarray:
        """The angle of both cranks; the coupler's is zero. By SciPy, from the equation of one freedom."""
        solved = solve_ivp(
            lambda _, y: [y[1], -self._pull * math.cos(y[0])], (0.0, times[-1]), [self.angle, self.rate],
            method="DOP853", rtol=1e-13, atol=1e-13, t_eval=times,
        )  # fmt: skip
        return np.asarray(solved.y[0])

    def crossed(self, angle: float) -> float:
        """The last crank's angle on the other branch, the antiparallelogram: mirrored in the line from pin to foot."""
        return 2 * math.atan2(-self.crank * math.sin(angle), self.base - self.crank * math.cos(angle)) - angle

    def system(self, crossed: bool = False) -> detent.System:
        return bars(
            (self.crank, self.base, self.crank), self.base, self.masses, self.angle, self.rate,
            (self.angle, self.crossed(self.angle) if crossed else self.angle),
        )  # fmt: skip


def bars(
    lengths: tuple[float, float, float], base: float, masses: tuple[float, float, float], angle: float, rate: float,
    outer: tuple[float, float],
) -> detent.System:  # fmt: skip
    """Three uniform rods between two feet that are ``base`` apart; ``outer`` are the angles of the cranks."""
    system = detent.System("three bars")
    names = ("first", "coupler", "last")
    angles = system.coordinates("t1", "t2", "t3")
    frames = [system.ground.rotated(name, angle) for name, angle in zip(names, angles, strict=True)]
    pin = system.origin.offset("pin", lengths[0] * frames[0].x)
    foot = system.origin.offset("foot", base * system.ground.x)
    for name, start, frame, length, mass in zip(
        names, (system.origin, pin, foot), frames, lengths, masses, strict=True
    ):
        system.body(name, start.offset(f"middle of {name}", length / 2 * frame.x), frame, mass, mass * length**2 / 12)
    system.gravity(-GRAVITY * system.ground.y)
    end, top = pin.offset("end", lengths[1] * frames[1].x), foot.offset("top", lengths[2] * frames[2].x)
    system.constrain(detent.joined("closed", end, top, along="xy"))
    across = base + lengths[2] * math.cos(outer[1]) - lengths[0] * math.cos(outer[0])
    above = lengths[2] * math.sin(outer[1]) - lengths[0] * math.sin(outer[0])
    system.start(t1=angle, t2=math.atan2(above, across), t3=outer[1], t1_rate=rate)
    return system


def equal_slider_crank(length: float, angle: float, rate: float) -> detent.System:
    """Crank and rod of one length: at a quarter turn the slider may stay at the crank's foot for ever.

    On the branch through it the rod's angle is minus the crank's, and the slider is at 2 length cos(angle).
    """
    system = detent.System("slider-crank with equal bars")
    crank, rod, slide = system.coordinates(crank=angle, rod=-angle, slide=2 * length * math.cos(angle))
    frames = [system.ground.rotated("crank", crank), system.ground.rotated("rod", rod)]
    pin = system.origin.offset("pin", length * frames[0].x)
    system.body("crank", system.origin.offset("middle", length / 2 * frames[0].x), frames[0], 1.0, length**2 / 12)
    system.body("rod", pin.offset("middle of the rod", length / 2 * frames[1].x), frames[1], 2.0, length**2 / 6)
    place = system.origin.offset("slider", slide * system.ground.x)
    system.particle("slider", place, mass=0.7)
    system.gravity(-GRAVITY * system.ground.y)
    system.constrain(detent.joined("held", pin.offset("end", length * frames[1].x), place, along="xy"))
    system.start(crank_rate=rate)
    return system


def four_rods(angles: tuple[float, float, float, float], rates: tuple[float, float]) -> detent.System:
    """Four uniform rods of 1 m from the origin to an anchor 2 m away; ``rates`` are those of the first two angles.

    With two freedoms it passes its change points, where one rod is folded back on the others, close by.
    """
    system = detent.System("four rods")
    tip = hang_rods(system, 4, 1, 1)
    anchor = system.origin.offset("anchor", 2 * system.ground.x)
    system.constrain(detent.joined("closed", tip, anchor, along="xy"))
    system.gravity(-GRAVITY * system.ground.y)
    system.start(**{f"q{number}": angle for number, angle in enumerate(angles, 1)}, u1=rates[0], u2=rates[1])
    return system
