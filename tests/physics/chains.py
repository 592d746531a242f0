"""Chains of rods in the plane, written twice: by the angles of the rods alone, and by the place and angle of each rod
with its joints as constraints. The first form has no constraint at all, so it can judge every way to handle them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import sympy

import detent

GRAVITY = 9.81


@dataclass(frozen=True)
class Chain:
    """Uniform rods that hang from one another."""

    lengths: tuple[float, ...]
    masses: tuple[float, ...]
    angles: tuple[float, ...]
    """From the horizontal, rad."""
    rates: tuple[float, ...]

    @classmethod
    def random(cls, seed: int) -> Chain:
        numbers = np.random.default_rng([seed, 10])
        count = int(numbers.integers(1, 4))
        lengths, masses = numbers.uniform(0.3, 2.0, count), numbers.uniform(0.3, 4.0, count)
        angles, rates = numbers.uniform(-np.pi, np.pi, count), numbers.uniform(-2, 2, count)
        return cls(*(tuple(each.tolist()) for each in (lengths, masses, angles, rates)))

    def by_angles(self) -> detent.System:
        """One coordinate for each rod, and no constraint."""
        system = detent.System("chain by angles")
        ground, end = system.ground, system.origin
        for n, (length, mass) in enumerate(zip(self.lengths, self.masses, strict=True)):
            angle = system.coordinates(**{f"angle_{n}": self.angles[n]})
            system.start(**{f"angle_{n}_rate": self.rates[n]})
            rod = ground.rotated(f"rod {n}", angle, ground.z)
            center = end.offset(f"center {n}", length / 2 * rod.x)
            system.body(f"rod {n}", center, rod, mass, mass * length**2 / 12)
            end = center.offset(f"end {n}", length / 2 * rod.x)
        system.gravity(-GRAVITY * ground.y)
        return system

    def by_places(self) -> detent.System:
        """Three coordinates for each rod, and two rows for each joint."""
        system = detent.System("chain by places")
        ground = system.ground
        x_end, y_end = sympy.Integer(0), sympy.Integer(0)
        begin = np.zeros(2)
        velocity = np.zeros(2)
        for n, (length, mass) in enumerate(zip(self.lengths, self.masses, strict=True)):
            along = np.array([np.cos(self.angles[n]), np.sin(self.angles[n])])
            turned = np.array([-along[1], along[0]]) * self.rates[n]
            place, moves = begin + length / 2 * along, velocity + length / 2 * turned
            x, y, angle = system.coordinates(**{f"x_{n}": place[0], f"y_{n}": place[1], f"angle_{n}": self.angles[n]})
            system.start(**{f"x_{n}_rate": moves[0], f"y_{n}_rate": moves[1], f"angle_{n}_rate": self.rates[n]})
            rod = ground.rotated(f"rod {n}", angle, ground.z)
            center = system.origin.offset(f"center {n}", x * ground.x + y * ground.y)
            system.body(f"rod {n}", center, rod, mass, mass * length**2 / 12)
            half = sympy.Float(length / 2)
            system.constrain(f"joint {n} x", x - half * sympy.cos(angle) - x_end)
            system.constrain(f"joint {n} y", y - half * sympy.sin(angle) - y_end)
            x_end, y_end = x + half * sympy.cos(angle), y + half * sympy.sin(angle)
            begin, velocity = begin + length * along, velocity + length * turned
        system.gravity(-GRAVITY * ground.y)
        return system
