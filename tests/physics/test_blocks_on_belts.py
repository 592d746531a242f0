"""A block on a spring and a damper, on a belt whose speed changes: it sticks, slips and turns as SciPy says.

Friction has one coefficient, or falls with the speed of slip in one of two ways; static friction may be larger. While
the block slips SciPy follows m x'' = -k x - c x' - sign(slip) mu(|slip|) m g; while it sticks the belt says where it
is, until the force that it needs is more than static friction gives.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
import sympy
from scipy.integrate import solve_ivp

import detent

G = 9.81
UNTIL = 6.0
CLEARLY = 1e-6
"""Nearer to the border between sticking and slipping, as a part of it, rounding decides."""
RISES = 1e-5
_STEPS: dict[str, Any] = {"method": "DOP853", "rtol": 1e-12, "atol": 1e-14, "max_step": 0.002}


@dataclass(frozen=True)
class Belt:
    """The belt has the speed ``steady + swing sin(often t)``; the block starts at ``place`` with ``speed``."""

    mass: float
    stiffness: float
    damping: float
    kinetic: float
    static: float
    fades: float
    kind: int
    steady: float
    swing: float
    often: float
    place: float
    speed: float

    def moves(self, t: float) -> float:
        return self.steady + self.swing * math.sin(self.often * t)

    def quickens(self, t: float) -> float:
        return self.swing * self.often * math.cos(self.often * t)

    def law(self, slip: Any, exp: Any = math.exp) -> Any:
        """Kinetic friction at a speed of slip, as a number or an expression."""
        mu, v = self.kinetic, self.fades
        return (mu + 0 * slip, mu / (1 + slip / v), mu * (0.6 + 0.4 * exp(-slip / v)))[self.kind]

    def system(self) -> detent.System:
        system = detent.System("belt")
        x, y = system.coordinates(x=self.place, y=0)
        system.start(x_rate=self.speed)
        block = system.particle(
            "block", system.origin.offset("block", x * system.ground.x + y * system.ground.y), self.mass
        )
        system.gravity(-G * system.ground.y)
        system.spring("spring", x, self.stiffness)
        if self.damping:
            system.damper("damper", system["x_rate"], self.damping)
        friction = detent.Coulomb(self.law(system.slip_speed, sympy.exp), static=self.static)
        belt = system.ground.line(moving=self.steady + self.swing * sympy.sin(self.often * system.time))
        system.contact("block|belt", block.point(), belt, friction=friction)
        return system

    def needs(self, t: float, x: float) -> float:
        """The force that goes on with the belt."""
        return self.mass * self.quickens(t) + self.stiffness * x + self.damping * self.moves(t)

    def answer(self) -> tuple[list[tuple[float, str]], np.ndarray] | None:
        """What happens, and the state at the end; None where it comes too near to a border to tell."""
        t, state, told, weight = 0.0, np.array([self.place, self.speed]), list[tuple[float, str]](), self.mass * G
        side = math.copysign(1.0, self.speed - self.moves(0.0))
        sticks = False
        while True:
            t, state, ended = self._sticks(t, state) if sticks else self._slips(t, state, side)
            if not ended:
                return told, state
            need = self.needs(t, state[0])
            if sticks:
                sticks, side = False, -math.copysign(1.0, need)
                told.append((t, "slip"))
                continue
            state = np.array([state[0], self.moves(t)])
            if abs(abs(need) / (self.static * weight) - 1) < CLEARLY:
                return None
            sticks = abs(need) <= self.static * weight
            side = -math.copysign(1.0, need)
            told.append((t, "stick" if sticks else "turns"))

    def _slips(self, t: float, state: np.ndarray, side: float) -> tuple[float, np.ndarray, bool]:
        def rates(t: float, z: np.ndarray) -> list[float]:
            brake = side * self.law(max(0.0, side * (z[1] - self.moves(t)))) * self.mass * G
            return [z[1], (-self.stiffness * z[0] - self.damping * z[1] - brake) / self.mass]

        return _followed(rates, lambda t, z: side * (z[1] - self.moves(t)), t, state)

    def _sticks(self, t: float, state: np.ndarray) -> tuple[float, np.ndarray, bool]:
        def room(t: float, z: np.ndarray) -> float:
            return self.static * self.mass * G - abs(self.needs(t, z[0]))

        return _followed(lambda t, z: [self.moves(t), self.quickens(t)], room, t, state)


def _followed(rates: Any, ends: Any, t: float, state: np.ndarray) -> tuple[float, np.ndarray, bool]:
    """Until something falls to zero, which may begin there: SciPy sees it fall only once it has risen."""
    ends.terminal, ends.direction = True, -1
    if t > 0.0:
        first = solve_ivp(rates, (t, t + RISES), state, **_STEPS)
        t, state = first.t[-1], first.y[:, -1]
    found = solve_ivp(rates, (t, UNTIL), state, events=[ends], **_STEPS)
    return found.t[-1], found.y[:, -1], found.status == 1


def random_belt(seed: int) -> Belt:
    random = np.random.default_rng([seed, 1])

    def sometimes(low: float, high: float, otherwise: float = 0.0) -> float:
        return float(random.choice([otherwise, random.uniform(low, high)]))

    mass, stiffness, damping = float(random.uniform(0.2, 5)), float(random.uniform(1, 200)), sometimes(0, 3)
    kinetic, fades = (float(value) for value in random.uniform((0.1, 0.1), (0.8, 3)))
    # Static friction that is hardly larger lets it slip for one swing, and stick for less than a step of SciPy's.
    static, kind = kinetic * sometimes(1.1, 2, 1.0), int(random.integers(0, 3))
    steady, swing, often = float(random.uniform(-2, 2)), sometimes(0, 2), float(random.uniform(0.5, 8))
    place, speed = float(random.uniform(-0.5, 0.5)), float(random.uniform(-3, 3))
    return Belt(mass, stiffness, damping, kinetic, static, fades, kind, steady, swing, often, place, speed)


def check(seed: int) -> bool:
    """Whether there is an answer."""
    belt = random_belt(seed)
    answer = belt.answer()
    if answer is None:
        return False
    told, state = answer
    run = detent.simulate(belt.system(), until=UNTIL, rtol=1e-11)
    found = run.events.of_kind("transition")
    assert len(found) == len(told), (seed, found, told)
    for event, (time, word) in zip(found, told, strict=True):
        assert event.time == pytest.approx(time, abs=1e-8), seed
        assert word in event.name.rpartition("->")[2], seed
    assert (run.x[-1], run.x_rate[-1]) == pytest.approx(tuple(state), abs=1e-7), seed
    return True


def test_a_block_on_a_belt_sticks_and_slips_as_scipy_says() -> None:
    assert all(check(seed) for seed in (0, 1))


@pytest.mark.slow
def test_hundreds_of_blocks_on_belts_stick_and_slip_as_scipy_says() -> None:
    assert sum(check(seed) for seed in range(2, 302)) > 290
