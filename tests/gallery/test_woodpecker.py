"""The woodpecker: its limit cycle, and every event against an integration of our own, with SciPy."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.integrate import solve_ivp

from detent.gallery.woodpecker import build
from tests.gallery.contact_models import QUICK_AND_SLOW, drawn, times

Vector: TypeAlias = NDArray[np.float64]

M_SLEEVE, M_BIRD, J_SLEEVE, J_BIRD, SPRING, G = 3e-4, 4.5e-3, 5e-9, 7e-7, 5.6e-3, 9.81
R0, RM, HM, HS, LM, LG, LS = 2.5e-3, 3.1e-3, 5.8e-3, 0.02, 0.01, 0.015, 0.0201
MASS = np.diag([M_SLEEVE, J_SLEEVE, J_BIRD]) + M_BIRD * np.outer([1, LM, LG], [1, LM, LG])
INVERSE = np.linalg.inv(MASS)
NORMAL = np.array([[0, 0, -HS], [0, HM, 0], [0, -HM, 0]])
TANGENT = np.array([[1, LM, LG - LS], [1, RM, 0], [1, RM, 0]])
START = np.array([0, -6 / 58, -0.2788, -0.3411, 0, -7.4583])


def gaps(q: Vector) -> Vector:
    """Of beak, lower and upper edge."""
    wide: Vector = np.array([LM + LG - LS - R0, RM - R0, RM - R0]) + NORMAL @ q
    return wide


def pulled(q: Vector) -> Vector:
    """Gravity and the spring."""
    twist = SPRING * (q[2] - q[1])
    return np.array([0, twist, -twist]) - G * np.array([M_SLEEVE + M_BIRD, M_BIRD * LM, M_BIRD * LG])


@dataclass(frozen=True)
class Toy:
    """The woodpecker with at most one contact at a time: which, and its direction of slip (0 where it sticks)."""

    mu: float = 0.3
    e: float = 0.5
    by_the_slip_after: bool = False
    """Whether friction in an impact is that of the slip after it, as in time stepping."""
    touching: int = -1
    side: float = 0.0

    def forces(self, q: Vector) -> tuple[float, float]:
        """Normal and friction of the contact that is closed."""
        n, t = NORMAL[self.touching], TANGENT[self.touching]
        if self.side:
            push = n - self.mu * self.side * t
            force = -(n @ INVERSE @ pulled(q)) / (n @ INVERSE @ push)
            return float(force), float(-self.mu * self.side * force)
        rows = np.array([n, t])
        normal, friction = np.linalg.solve(rows @ INVERSE @ rows.T, -rows @ INVERSE @ pulled(q))
        return float(normal), float(friction)

    def rates(self, _: float, state: Vector) -> Vector:
        force = pulled(state[:3])
        if self.touching >= 0:
            normal, friction = self.forces(state[:3])
            force = force + normal * NORMAL[self.touching] + friction * TANGENT[self.touching]
        return np.concatenate([state[3:], INVERSE @ force])

    def guards(self) -> list[Any]:
        """What falls to zero where something happens, the way the toy is now."""
        here = self.touching
        found: list[Any] = [lambda _, x, k=k: gaps(x[:3])[k] for k in range(3) if k != here]
        if here >= 0:
            found.append(lambda _, x: self.forces(x[:3])[0])
            slip = TANGENT[here]
            found.append(
                (lambda _, x: self.side * (slip @ x[3:]))
                if self.side
                else (lambda _, x: self.mu * self.forces(x[:3])[0] - abs(self.forces(x[:3])[1]))
            )
        for guard in found:
            guard.terminal, guard.direction = True, -1
        return found

    def settled(self, k: int, state: Vector) -> Toy:
        """The toy where contact k has just struck without parting, or has just stopped slipping."""
        slip = float(TANGENT[k] @ state[3:])
        if float(NORMAL[k] @ INVERSE @ pulled(state[:3])) > 0:
            return replace(self, touching=-1)
        if abs(slip) > 1e-12:
            return replace(self, touching=k, side=float(np.sign(slip)))
        stuck = replace(self, touching=k, side=0.0)
        normal, friction = stuck.forces(state[:3])
        return stuck if abs(friction) <= self.mu * normal else replace(stuck, side=float(-np.sign(friction)))

    def struck(self, k: int, state: Vector) -> Vector:
        """The state after an impact at contact k."""
        rows = np.array([NORMAL[k], TANGENT[k]])
        W = rows @ INVERSE @ rows.T
        v = rows @ state[3:]
        wanted = -(self.e if k == 0 else 0.0) * v[0]
        impulse = self._at_the_end(W, v, wanted) if self.by_the_slip_after else self._along(W, v, wanted)
        return np.concatenate([state[:3], state[3:] + INVERSE @ rows.T @ impulse])

    def _along(self, W: Vector, v: Vector, wanted: float) -> Vector:
        """Keller's equations over the normal impulse: straight lines, until the normal speed is the wanted one."""
        v, total = v.copy(), np.zeros(2)
        side = np.sign(v[1])
        for _ in range(4):
            ratio = -self.mu * side if side else -W[0, 1] / W[1, 1]
            rise, turn = W @ np.array([1.0, ratio])
            rest = (wanted - v[0]) / rise
            stop = -v[1] / turn if side and v[1] * turn < 0 else np.inf
            step = min(rest, stop)
            v, total = v + step * np.array([rise, turn]), total + step * np.array([1.0, ratio])
            if step == rest:
                return total
            v[1] = 0.0
            side = 0.0 if abs(W[0, 1] / W[1, 1]) <= self.mu else np.sign(W[0, 1])
        raise AssertionError("an impact has more phases than it can have")

    def _at_the_end(self, W: Vector, v: Vector, wanted: float) -> Vector:
        """The impulse that stops slip, if it is in the cone; else that of friction against the slip after it."""
        sticks: Vector = np.linalg.solve(W, [wanted - v[0], -v[1]])
        if abs(sticks[1]) <= self.mu * sticks[0]:
            return sticks
        for side in (1.0, -1.0):
            normal = (wanted - v[0]) / (W[0, 0] - self.mu * side * W[0, 1])
            slip = v[1] + normal * (W[0, 1] - self.mu * side * W[1, 1])
            if slip * side > 0:
                return np.array([normal, -self.mu * side * normal])
        raise AssertionError("no direction of slip fits")


def followed(toy: Toy, state: Vector, time: float, until: float) -> Any:
    """The motion to the next guard: SciPy passes over a gap that opens and closes within its first step."""
    for first in (None, 1e-6, 1e-7, 1e-8):
        way = solve_ivp(
            toy.rates, (time, until), state, "DOP853", rtol=1e-12, atol=1e-15, events=toy.guards(), first_step=first
        )
        if min(float(gaps(q).min()) for q in way.y[:3].T) > -1e-12:
            return way
    raise AssertionError("what opens passes into the pole at once")


def events(toy: Toy, state: Vector, until: float) -> list[tuple[float, str, Vector]]:
    """When something happens to contacts, which one, and the state then; until one strikes while another touches."""
    time, found = 0.0, []
    toy = toy.settled(1, state) if gaps(state[:3])[1] < 1e-12 else toy
    while True:
        way = followed(toy, state, time, until)
        if way.status == 0:
            return found
        number = next(k for k, at in enumerate(way.t_events) if len(at))
        time, state = float(way.t[-1]), way.y[:, -1]
        open_ones = [k for k in range(3) if k != toy.touching]
        if number < len(open_ones):
            k = open_ones[number]
            if toy.touching >= 0 and not toy.by_the_slip_after:
                return found
            state = toy.struck(k, state)
            parts = float(NORMAL[k] @ state[3:]) > 1e-9
            toy = replace(toy, touching=-1) if parts else toy.settled(k, state)
        elif number == len(open_ones):
            toy = replace(toy, touching=-1)
        elif toy.side:
            k = toy.touching
            state[3:] -= TANGENT[k] * (TANGENT[k] @ state[3:]) / (TANGENT[k] @ TANGENT[k])
            state[4] = 0.0
            state[3] = 0.0 if k > 0 else state[3]
            toy = toy.settled(k, state)
        else:
            _, friction = toy.forces(state[:3])
            toy = replace(toy, side=float(-np.sign(friction)))
        found.append((time, ("beak", "lower", "upper")[k] if number < len(open_ones) else "on the pole", state))


def test_every_event_of_the_first_cycle_is_where_another_integration_has_it() -> None:
    run = build().simulate(rtol=1e-12, until=0.22)
    expected = [time for time, *_ in events(Toy(), START, 0.22)]
    assert len(expected) == 12
    np.testing.assert_allclose(times(run), expected, rtol=0, atol=1e-9)


@QUICK_AND_SLOW
def test_other_coefficients_agree_with_the_other_integration_too(count: int) -> None:
    example, compared = build(), 0
    for values in drawn(10, count, mu=(0.2, 0.4), e=(0.2, 0.8)):
        run = example.simulate(parameters=values, rtol=1e-12, until=0.12)
        expected = [time for time, *_ in events(Toy(**values), START, 0.12)]
        np.testing.assert_allclose(times(run)[: len(expected)], expected, rtol=0, atol=1e-9)
        compared += len(expected)
    assert compared > 4 * count


def test_the_limit_cycle_is_one_for_the_other_integration_too() -> None:
    run = build().simulate(rtol=1e-12, until=30)
    last = [event.time for event in run.events if event.name == "beak|pole: bounce"][-1]
    node = np.flatnonzero(run.t == last)[-1]
    names = ("y", "tilt", "swing", "y_rate", "tilt_rate", "swing_rate")
    state = np.array([run[name][node] for name in names])
    again = next((time, after) for time, name, after in events(Toy(), state, 0.16) if name == "beak")
    assert again[0] == pytest.approx(0.1512058442984, abs=1e-9)
    np.testing.assert_allclose(again[1][1:], state[1:], rtol=0, atol=1e-6)


def test_the_limit_cycle_is_reached_and_repeats_itself() -> None:
    """Each cycle is nearer to it by a factor of 0.82: after 25 s what is left is rounding."""
    run = build().simulate(rtol=1e-12, until=30)
    strikes = [event.time for event in run.events if event.name == "beak|pole: bounce"]
    lasted = np.diff(strikes[-10:])
    fallen = np.diff([run.at(time).y for time in strikes[-10:]])
    np.testing.assert_allclose(lasted, 0.1512058442984, rtol=0, atol=1e-12)
    np.testing.assert_allclose(fallen, -0.0192906234284, rtol=0, atol=1e-12)
    last = [event.name for event in run.events if strikes[-2] < event.time <= strikes[-1]]
    assert last == [
        "upper|pole: open -> slip",
        "upper|pole: slip -> open",
        "lower|pole: bounce",
        "lower|pole: open -> slip",
        "lower|pole: slip -> stick",
        "lower|pole: stick -> slip",
        "lower|pole: slip -> open",
        "upper|pole: bounce",
        "beak|pole: bounce",
    ]
    assert run.audit.energy_balance < 1e-11


def test_with_the_friction_of_time_stepping_in_its_impacts_the_published_cycle_comes_out() -> None:
    """About 0.1460 s and 19.4 to 19.5 mm are published; cycles come nearer to it from both sides in turn."""
    found = [(time, state) for time, name, state in events(Toy(by_the_slip_after=True), START, 1.2) if name == "beak"]
    assert (found[-1][0] - found[-3][0]) / 2 == pytest.approx(0.1460, abs=5e-5)
    assert (found[-3][1][0] - found[-1][1][0]) / 2 == pytest.approx(0.01945, abs=5e-5)
