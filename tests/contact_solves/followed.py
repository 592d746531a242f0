"""An impact in space followed by SciPy, to compare with: slip in Cartesian components, lines at rest.

With dp = |v_t| dtau, dv/dtau = W (|v_t|, -mu v_t): smooth, whatever the slip does, without any angle. What happens at
rest is looked for among all directions.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

from detent.contact_solves.single_impact_frame import Law

Goal = Callable[[np.ndarray], float]

STOPPED = 1e-15
"""Slip this small, relative to the velocities before, has stopped."""


@dataclass
class Followed:
    """The state is (v_n, v_1, v_2, P_n, P_1, P_2, work)."""

    W: np.ndarray
    mu: float
    size: float
    state: np.ndarray

    def rates(self, _: float, state: np.ndarray) -> np.ndarray:
        slip = np.hypot(state[1], state[2])
        force = np.array([slip, -self.mu * state[1], -self.mu * state[2]])
        return np.concatenate([self.W @ force, force, [state[0] * slip]])

    def until(self, *goals: Goal) -> int:
        """Go on until a function of the state rises to 0; which of them."""
        span = 1.0 / np.abs(self.W).max() / (1 + self.mu)
        for _ in range(10_000):
            if np.hypot(*self.state[1:3]) <= STOPPED * self.size:
                self.state[1:3] = 0.0
                return self._from_rest(goals)
            after = self._flow(span)
            reached = [self._crossing(goal, span) if goal(after) >= 0.0 else np.inf for goal in goals]
            if min(reached) < np.inf:
                self.state = self._flow(min(reached))
                return int(np.argmin(reached))
            self.state = after
        raise AssertionError("the slip neither stops nor ends the stage")

    def _flow(self, span: float) -> np.ndarray:
        if span == 0.0:
            return self.state
        found = solve_ivp(self.rates, (0, span), self.state, method="DOP853", rtol=3e-14, atol=1e-16 * self.size)
        return found.y[:, -1]

    def _crossing(self, goal: Goal, span: float) -> float:
        """After the lowest place, where it starts at 0: it first goes away from it."""
        places = np.linspace(0, span, 17)[:-1] if goal(self.state) >= 0.0 else [0.0]
        lowest = min(places, key=lambda x: goal(self._flow(x)))
        return float(brentq(lambda x: goal(self._flow(x)), lowest, span, xtol=1e-16, rtol=1e-15))

    def _from_rest(self, goals: tuple[Goal, ...]) -> int:
        """Along a line, on which v_n never falls: so to the first of the goals."""
        force = np.concatenate([[1.0], self._friction_at_rest()])
        rate = self.W @ force

        def along(p: float) -> np.ndarray:
            work = p * (self.state[0] + 0.5 * rate[0] * p)
            return self.state + np.concatenate([p * rate, p * force, [work]])

        longest = 1.0
        while goals[0](along(longest)) < 0.0:
            longest *= 2.0
        self.state = along(brentq(lambda p: goals[0](along(p)), 0.0, longest, xtol=1e-16, rtol=1e-15))
        if np.hypot(*force[1:]) < self.mu:
            self.state[1:3] = 0.0
        return 0

    def _friction_at_rest(self) -> np.ndarray:
        C, b = self.W[1:, 1:], self.W[1:, 0]
        holding = -np.linalg.solve(C, b)
        if np.hypot(*holding) <= self.mu:
            return holding

        def drive(angle: float) -> tuple[float, float]:
            s = np.array([np.cos(angle), np.sin(angle)])
            f = b - self.mu * C @ s
            return float(s @ f), float(s[0] * f[1] - s[1] * f[0])

        angles = np.linspace(0, 2 * np.pi, 721)
        across = [drive(angle)[1] for angle in angles]
        roots = [
            brentq(lambda angle: drive(angle)[1], angles[i], angles[i + 1], xtol=1e-15, rtol=1e-15)
            for i in range(720)
            if across[i] * across[i + 1] <= 0
        ]
        leaving = [angle for angle in roots if drive(angle)[0] > 0]
        assert len(leaving) == 1, "there is one direction in which slip can begin"
        return -self.mu * np.array([np.cos(leaving[0]), np.sin(leaving[0])])


def strike(W: np.ndarray, before: np.ndarray, mu: float, e: float, law: Law) -> tuple[np.ndarray, np.ndarray]:
    """(P, v+) of an impact, through as many compressions as it has."""
    motion = Followed(W, mu, float(np.abs(before).max()), np.concatenate([before, np.zeros(4)]))
    impulse, work = 0.0, 0.0  # of compression less what restitution has given back
    for _ in range(10):
        start = motion.state.copy()
        motion.until(lambda state: state[0])
        impulse += e * (motion.state[3] - start[3])
        work += e * e * (start[6] - motion.state[6])
        turn = motion.state.copy()
        goals: dict[Law, Goal] = {
            Law.POISSON: lambda state, start=turn[3], left=impulse: state[3] - start - left,
            Law.STRONGE: lambda state, start=turn[6], left=work: state[6] - start - left,
            Law.NEWTON: lambda state: state[0] + e * before[0],
        }
        if e == 0.0 or law == Law.PLASTIC or motion.until(goals[law], lambda state: -state[0]) == 0:
            return motion.state[3:6], motion.state[:3]
        impulse -= motion.state[3] - turn[3]
        work -= motion.state[6] - turn[6]
    raise AssertionError("the bodies approach again and again")
