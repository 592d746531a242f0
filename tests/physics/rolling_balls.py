"""Balls on a slope with friction and rolling resistance.

With v the velocity of the centre and p = r w x n that of a ball which rolls as this one turns, the slip is v - p, and

    m v' = m g_t + F,        (I/r^2) p' = -F - (rho N/r) p/|p|,        F = -mu N (v - p)/|v - p|  while it slips

so that the moment, always against the angular velocity, is to p what friction is to the slip.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from scipy.integrate import solve_ivp

import detent

G = 9.81
Pair = tuple[float, float]


@dataclass(frozen=True)
class Ball:
    """A ball on a slope that falls towards x; ``v`` and ``p`` as above, along and across the slope."""

    tilt: float
    rho: float
    mu: float = 0.8
    v: Pair = (0.0, 0.0)
    p: Pair = (0.0, 0.0)
    spin: float = 0.0
    sigma: float = 0.0
    radius: float = 0.5
    mass: float = 2.0
    inertia: float = 0.2

    @property
    def normal(self) -> float:
        return self.mass * G * math.cos(self.tilt)

    @property
    def heavier(self) -> float:
        """How much more it resists a push while it rolls than while it slides: 1 + I/(m r^2)."""
        return 1 + self.inertia / (self.mass * self.radius**2)

    def system(self) -> detent.System:
        """The same as a model."""
        system = detent.System("ball")
        slope = system.ground.rotated("slope", self.tilt, "y")
        joint = system.free("ball", system.origin, slope)
        body = system.body("ball", joint.point, joint.frame, self.mass, (self.inertia,) * 3)
        system.gravity(-G * system.ground.z)
        system.start(
            ball_z=self.radius, ball_x_rate=self.v[0], ball_y_rate=self.v[1],
            ball_wx=-self.p[1] / self.radius, ball_wy=self.p[0] / self.radius, ball_wz=self.spin,
        )  # fmt: skip
        law = detent.Coulomb(self.mu, rolling=self.rho, spinning=self.sigma)
        system.contact("ball|slope", body.sphere(self.radius), slope.plane(), friction=law)
        return system


def rolls_to_rest(ball: Ball) -> tuple[float, float, float]:
    """When a ball that rolls comes to rest, how far down and how far across the slope, where it has to.

    With f the angle from the fall line, u = tan(f/2), n = rho/(r tan(tilt)) > 1 its speed is C u^(n - 1) (1 + u^2)/2;
    f' = -a sin(f)/v, with a the acceleration by gravity while it rolls. All integrals over u are powers.
    """
    a = G * math.sin(ball.tilt) / ball.heavier
    n = ball.rho / (ball.radius * math.tan(ball.tilt))
    angle, speed = math.atan2(ball.v[1], ball.v[0]), math.hypot(*ball.v)
    u = math.tan(abs(angle) / 2)
    c = 2 * speed / (u ** (n - 1) * (1 + u * u))
    time = c / (2 * a) * (u ** (n - 1) / (n - 1) + u ** (n + 1) / (n + 1))
    down = c * c / (4 * a) * (u ** (2 * n - 2) / (2 * n - 2) - u ** (2 * n + 2) / (2 * n + 2))
    across = c * c / (2 * a) * (u ** (2 * n - 1) / (2 * n - 1) + u ** (2 * n + 1) / (2 * n + 1))
    return time, down, math.copysign(across, angle)


NEAR = 1e-8
"""What is left of a slip or of rolling where its end is found by going on straight (m/s)."""


def _unit(vector: np.ndarray) -> np.ndarray:
    return vector / np.linalg.norm(vector)


class Phase:
    """What a ball does: it slips or not, it turns or not; the rates of v, p and the place."""

    def __init__(self, ball: Ball, slips: bool, turns: bool) -> None:
        self.ball, self.slips, self.turns = ball, slips, turns
        self._pull = np.array([G * math.sin(ball.tilt), 0.0])
        self._rubs, self._brakes = ball.mu * ball.normal, ball.rho * ball.normal / ball.radius
        self._turned = ball.inertia / ball.radius**2

    def rates(self, _time: float, state: np.ndarray) -> np.ndarray:
        v, p = state[:2], state[2:4]
        brake = -self._brakes * _unit(p) if self.turns else np.zeros(2)
        if self.slips:
            force = -self._rubs * _unit(v - p)
            turning = (brake - force) / self._turned if self.turns else np.zeros(2)
            return np.concatenate([self._pull + force / self.ball.mass, turning, v])
        both = self.ball.mass + self._turned
        a = (self.ball.mass * self._pull + brake) / both if self.turns else np.zeros(2)
        return np.concatenate([a, a, v])

    def friction(self, state: np.ndarray) -> float:
        """While it does not slip: the friction that this asks for, by what there is."""
        moved = self.rates(0.0, state)[:2] - self._pull
        return float(np.linalg.norm(self.ball.mass * moved)) / self._rubs

    def moment(self, state: np.ndarray) -> float:
        """While it slips and does not turn: the moment that this asks for, by what there is."""
        return (
            self._rubs / self._brakes
            if self.slips
            else float(np.linalg.norm(self.ball.mass * self._pull)) / self._brakes
        )

    def size(self, state: np.ndarray, which: str) -> float:
        return float(np.linalg.norm(state[:2] - state[2:4] if which == "slip" else state[2:4]))


def _straight_to_the_end(phase: Phase, time: float, state: np.ndarray, which: str) -> tuple[float, np.ndarray]:
    """Where what is left of a slip or of rolling ends, with the rates as they are."""
    rates = phase.rates(time, state)
    left, rate = (x[:2] - x[2:4] if which == "slip" else x[2:4] for x in (state, rates))
    step = -float(left @ left) / float(left @ rate)
    after = state + step * rates
    if which == "slip":
        after[:2] = after[2:4] if phase.turns else 0.0
    else:
        after[2:4] = 0.0
        after[:2] = after[:2] if phase.slips else 0.0
    return time + step, after


def integrated(ball: Ball, until: float) -> tuple[list[float], np.ndarray] | None:
    """When slip or rolling ended, and v, p and the place at last; None where it turns round without an end, or where
    what ends it is too near a tie for this. Where a ball that rolls begins to slip is the last that it tells."""
    phase, time, instants = Phase(ball, True, True), 0.0, []
    state = np.array([*ball.v, *ball.p, 0.0, 0.0])
    while time < until:
        ends: list[Callable[[float, np.ndarray], float]] = []
        words = [word for word, does in (("slip", phase.slips), ("roll", phase.turns)) if does]
        for word in words:

            def near(_time: float, state: np.ndarray, phase: Phase = phase, word: str = word) -> float:
                return phase.size(state, word) - NEAR

            near.terminal, near.direction = True, -1  # type: ignore[attr-defined]
            ends.append(near)
        if not phase.slips:

            def breaks(_time: float, state: np.ndarray, phase: Phase = phase) -> float:
                return phase.friction(state) - 1.0

            breaks.terminal, breaks.direction = True, 1  # type: ignore[attr-defined]
            words.append("breaks")
            ends.append(breaks)
        found = solve_ivp(phase.rates, (time, until), state, "DOP853", events=ends, rtol=1e-12, atol=1e-14)
        time, state = float(found.t[-1]), found.y[:, -1]
        if found.status == 0:
            break
        which = words[next(number for number, times in enumerate(found.t_events) if len(times))]
        if which == "breaks":
            return [*instants, time], state
        time, state = _straight_to_the_end(phase, time, state, which)
        instants.append(time)
        phase = Phase(ball, phase.slips and which != "slip", phase.turns and which != "roll")
        asked = phase.friction(state) if not phase.slips else 0.0
        asked = max(asked, phase.moment(state) if not phase.turns else 0.0)
        if asked > 0.99:
            return None
        if not (phase.slips or phase.turns):
            break
    return instants, state


def random_ball(seed: int) -> Ball:
    """A ball with a tilt, laws and speeds that a seed tells, that slips and turns as it begins."""
    random = np.random.default_rng(seed)
    ball = Ball(
        tilt=float(random.choice([0.0, random.uniform(0.0, 0.2)])),
        rho=float(10 ** random.uniform(-3, -0.7)),
        mu=float(random.uniform(0.05, 0.8)),
        v=(float(random.uniform(-3, 3)), float(random.uniform(-3, 3))),
        inertia=float(random.uniform(0.1, 0.5)),
    )
    return replace(ball, p=(float(random.uniform(-3, 3)), float(random.uniform(-3, 3))))
