"""Chains and closed linkages of rods by places and angles, with rows that say again what others say; and an answer that
does not come from this library: accelerations by NumPy's pseudoinverse, integrated by SciPy."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import sympy
from scipy.integrate import solve_ivp

import detent
from tests.physics.chains import GRAVITY, Chain


@dataclass(frozen=True)
class Linkage:
    """A chain, whether its end is pinned where it starts, and rows that repeat others."""

    chain: Chain
    closed: bool
    factors: tuple[tuple[float, ...], ...]
    """Each repeated row is the sum of the others with these factors."""

    @classmethod
    def random(cls, seed: int) -> Linkage:
        numbers = np.random.default_rng([seed, 11])
        chain = Chain.random(seed)
        count = len(chain.lengths)
        closed = count == 3 and bool(numbers.integers(2))
        rates = (0.0,) * count if closed else chain.rates
        rows = 2 * count + 2 * closed
        factors = numbers.uniform(0.5, 2.0, (int(numbers.integers(3)), rows)) * numbers.choice([-1, 1], rows)
        chain = Chain(chain.lengths, chain.masses, chain.angles, rates)
        return cls(chain, closed, tuple(map(tuple, factors.tolist())))

    def system(self) -> detent.System:
        system = self.chain.by_places()
        last = len(self.chain.lengths) - 1
        if self.closed:
            x, y, angle = (system[f"{name}_{last}"] for name in ("x", "y", "angle"))
            half, end = sympy.Float(self.chain.lengths[last] / 2), self._end
            system.constrain("pin x", x + half * sympy.cos(angle) - end[0])
            system.constrain("pin y", y + half * sympy.sin(angle) - end[1])
        rows = [row.expression for each in list(system.constraints.values()) for row in each.rows]
        for number, factors in enumerate(self.factors):
            total = sum((factor * row for factor, row in zip(factors, rows, strict=True)), sympy.Integer(0))
            system.constrain(f"again {number}", total)
        return system

    @property
    def _end(self) -> np.ndarray:
        lengths, angles = np.array(self.chain.lengths), np.array(self.chain.angles)
        return np.array([lengths @ np.cos(angles), lengths @ np.sin(angles)])

    def _accelerations(self, places: np.ndarray, speeds: np.ndarray) -> np.ndarray:
        """Udwadia and Kalaba: a + M^-1/2 (B M^-1/2)^+ (gamma - B a), with all rows and their repetitions."""
        n = len(self.chain.lengths)
        masses, lengths = np.array(self.chain.masses), np.array(self.chain.lengths)
        inertia = np.column_stack([masses, masses, masses * lengths**2 / 12]).ravel()
        free = np.tile([0.0, -GRAVITY, 0.0], n)
        rows, rest = [], []
        for k in range(n + self.closed):
            for axis in (0, 1):
                row, gamma = np.zeros(3 * n), 0.0
                for rod, side in ((k, 1.0), (k - 1, -1.0)):  # x - half cos of this rod is x + half cos of the last
                    if not 0 <= rod < n:
                        continue
                    angle, rate, half = places[3 * rod + 2], speeds[3 * rod + 2], lengths[rod] / 2
                    along, turned = np.array([np.cos(angle), np.sin(angle)]), np.array([-np.sin(angle), np.cos(angle)])
                    row[3 * rod + axis] += side
                    row[3 * rod + 2] -= half * turned[axis]
                    gamma -= half * along[axis] * rate**2
                rows.append(row)
                rest.append(gamma)
        B, gamma = np.array(rows), np.array(rest)
        if self.factors:
            B, gamma = np.vstack([B, self.factors @ B]), np.concatenate([gamma, self.factors @ gamma])
        weighted = B / np.sqrt(inertia)
        push = np.linalg.pinv(weighted, rcond=1e-10) @ (gamma - B @ free)
        return np.asarray(free + push / np.sqrt(inertia))

    def places_after(self, time: float) -> np.ndarray:
        """x, y and angle of each rod."""
        start = detent.Simulation(self.system(), formulation="corrected").state.values
        n = 3 * len(self.chain.lengths)

        def rates(_: float, state: np.ndarray) -> np.ndarray:
            return np.concatenate([state[n:], self._accelerations(state[:n], state[n:])])

        solved = solve_ivp(rates, (0.0, time), start[: 2 * n], method="DOP853", rtol=1e-11, atol=1e-12)
        return np.asarray(solved.y[:n, -1])
