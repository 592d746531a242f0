"""An arm of two rods drags its tip over a floor, through where it is straight.

There its tip can move across the arm alone, so that on the floor it does not move at all: slip turns, while the rows of
the normal and of friction are parallel, and only the law of friction tells the one force from the other.

The reference knows the constraint and Coulomb's law as one linear system, and the turns of slip as events of SciPy.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import detent

G = 9.81
LENGTHS, MASSES = (0.6, 0.4), (3.8, 0.62)
UNTIL = 0.8


def start(height: float, angle: float, rate: float) -> tuple[float, float, float, float]:
    """Angles of both rods and their rates, the tip on the floor and going along it."""
    (a, b), other = LENGTHS, -math.asin((height + LENGTHS[0] * math.sin(angle)) / LENGTHS[1])
    return angle, other, rate, -a * math.cos(angle) * rate / (b * math.cos(other))


def arm(mu: float, height: float, state: tuple[float, float, float, float], relative: bool) -> detent.System:
    system = detent.System("arm")
    ground, (first, second) = system.ground, system.coordinates("first", "second")
    upper = ground.rotated("upper", first)
    lower = (upper if relative else ground).rotated("lower", second)
    (a, b), (m, n) = LENGTHS, MASSES
    elbow = system.origin.offset("elbow", a * upper.x)
    system.body("upper", system.origin.offset("upper", a / 2 * upper.x), upper, m, m * a**2 / 12)
    body = system.body("lower", elbow.offset("lower", b / 2 * lower.x), lower, n, n * b**2 / 12)
    system.gravity(-G * ground.y)
    p, q, u, v = state
    system.start(first=p, second=q - relative * p, first_rate=u, second_rate=v - relative * u)
    floor = ground.line(at=(0, -height))
    system.contact("tip", body.point(at=(b / 2, 0)), floor, friction=detent.Coulomb(mu))
    return system


def rates(mu: float, side: float, state: np.ndarray) -> tuple[np.ndarray, float]:
    """Rates of (angles, rates), and the normal force, while the tip slips to one side."""
    (p, q, u, v), (a, b), (m, n) = state, LENGTHS, MASSES
    coupled = n * a * b / 2
    M = np.array([[(m / 3 + n) * a**2, coupled * math.cos(p - q)], [coupled * math.cos(p - q), n * b**2 / 3]])
    f = np.array([
        -coupled * math.sin(p - q) * v**2 - (m / 2 + n) * G * a * math.cos(p),
        coupled * math.sin(p - q) * u**2 - n / 2 * G * b * math.cos(q),
    ])  # fmt: skip
    up = np.array([a * math.cos(p), b * math.cos(q)])
    along = np.array([-a * math.sin(p), -b * math.sin(q)])
    whole = np.block([[M, -(up - mu * side * along)[:, None]], [up[None, :], np.zeros((1, 1))]])
    solved = np.linalg.solve(whole, [*f, a * math.sin(p) * u**2 + b * math.sin(q) * v**2])
    return np.array([u, v, *solved[:2]]), float(solved[2])


def slip(state: np.ndarray) -> float:
    p, q, u, v = state
    return -LENGTHS[0] * math.sin(p) * u - LENGTHS[1] * math.sin(q) * v


def turns_by_scipy(mu: float, state: tuple[float, ...]) -> list[float]:
    """When slip turns, as long as the tip is pressed onto the floor and friction does not hold it."""
    time, now, found, side = 0.0, np.array(state), list[float](), math.copysign(1.0, slip(np.array(state)))
    while True:

        def ends(_: float, x: np.ndarray, side: float = side) -> float:
            return side * slip(x)

        event: Any = ends
        event.terminal, event.direction = True, -1
        sharp: dict[str, Any] = {"method": "DOP853", "rtol": 1e-12, "atol": 1e-13, "max_step": 0.01}

        def motion(_: float, x: np.ndarray, side: float = side) -> np.ndarray:
            return rates(mu, side, x)[0]

        solved = solve_ivp(motion, (time, UNTIL), now, events=event, **sharp)
        assert all(rates(mu, side, x)[1] > 0 for x in solved.y.T)
        if solved.status != 1:
            return found
        time, now, side = float(solved.t[-1]), solved.y[:, -1], -side
        found.append(time)


@pytest.mark.parametrize("relative", [False, True])
@pytest.mark.parametrize("formulation", ["embedded", "multipliers", "projection"])
@pytest.mark.parametrize("mu", [0.1, 0.2, 0.42])
def test_slip_turns_where_an_arm_is_straight(mu: float, formulation: str, relative: bool) -> None:
    height = 0.8575
    state = start(height, -1.2, 1.9)
    expected = turns_by_scipy(mu, state)
    assert len(expected) == 3  # straight, at rest, straight again
    system = arm(mu, height, state, relative)
    run = detent.simulate(system, until=UNTIL, rtol=1e-11, atol=1e-13, formulation=formulation)
    found = run.events.of_kind("transition")
    assert [event.name for event in found] == ["tip: slip turns"] * 3
    assert [event.time for event in found] == pytest.approx(expected, abs=1e-9)
    assert run.audit.energy_balance < 1e-9
