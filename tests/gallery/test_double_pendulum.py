"""The double pendulum against Lagrange's equations and its natural frequencies."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest
import sympy
from scipy.integrate import solve_ivp
from sympy.physics.mechanics import LagrangesMethod, dynamicsymbols

import detent
from detent.gallery.double_pendulum import natural_frequencies
from tests.physics.bounds import accumulated
from tests.physics.numbers import mass_and_forcing, random_state


@cache
def lagrange(m1: float, m2: float, l1: float, l2: float, g: float) -> Callable[..., Any]:
    """M and f in q'' from T - V, worked out by SymPy alone."""
    q1, q2 = dynamicsymbols("q1 q2")
    t = dynamicsymbols._t
    x1, y1 = l1 * sympy.sin(q1), -l1 * sympy.cos(q1)
    x2, y2 = x1 + l2 * sympy.sin(q2), y1 - l2 * sympy.cos(q2)
    kinetic = m1 * (x1.diff(t) ** 2 + y1.diff(t) ** 2) / 2 + m2 * (x2.diff(t) ** 2 + y2.diff(t) ** 2) / 2
    method = LagrangesMethod(kinetic - g * (m1 * y1 + m2 * y2), [q1, q2])
    method.form_lagranges_equations()
    states = sympy.symbols("a b c d")
    named = dict(zip((q1.diff(t), q2.diff(t), q1, q2), (states[2], states[3], states[0], states[1]), strict=True))
    matrices = [method.mass_matrix.subs(named), method.forcing.subs(named)]
    made: Callable[..., Any] = sympy.lambdify(states, matrices, "numpy")
    return made


def test_the_equations_are_lagranges() -> None:
    system, random = detent.example("double-pendulum").system, np.random.default_rng(1)
    for _ in range(5):
        state = random_state(system, random)
        mass, forcing, rates = mass_and_forcing(system, state)
        M, f = lagrange(1.0, 1.0, 1.0, 1.0, 9.8)(*(state[name] for name in ("q1", "q2", "u1", "u2")))
        np.testing.assert_allclose(mass, M, rtol=1e-12, atol=1e-13)
        np.testing.assert_allclose(forcing, f[:, 0], rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(rates, np.linalg.solve(M, f)[:, 0], rtol=1e-12, atol=1e-12)


def test_the_motion_is_that_of_lagranges_equations() -> None:
    matrices = lagrange(1.0, 1.0, 1.0, 1.0, 9.8)

    def rates(_: float, x: np.ndarray) -> np.ndarray:
        M, f = matrices(*x)
        return np.concatenate([x[2:], np.linalg.solve(M, f)[:, 0]])

    other = solve_ivp(rates, (0, 3), [np.pi / 2, np.pi / 2, 0, 0], method="DOP853", rtol=1e-12, atol=1e-14)
    run = detent.example("double-pendulum").simulate(until=3, rtol=1e-12)
    # A small change of the start grows at most fourfold in these three seconds (worked out by shifting the start).
    bound = 4 * (accumulated(run) + 1e-12 * len(other.t))
    np.testing.assert_allclose([run.final[name] for name in ("q1", "q2", "u1", "u2")], other.y[:, -1], atol=bound)


@pytest.mark.parametrize(("m1", "m2", "l1", "l2"), [(1, 1, 1, 1), (3, 0.5, 0.4, 1.3)])
def test_small_motion_has_the_natural_frequencies(m1: float, m2: float, l1: float, l2: float) -> None:
    values = {"m1": m1, "m2": m2, "l1": l1, "l2": l2, "g": 9.8}
    small, rtol = 1e-5, 1e-12
    for frequency in natural_frequencies(**values):
        shape = (9.8 * (m1 + m2) / frequency**2 - (m1 + m2) * l1) / (m2 * l2)  # q2/q1, from the first equation
        start = {"q1": small, "q2": shape * small}
        run = detent.example("double-pendulum").simulate(
            until=2 * np.pi / frequency, parameters=values, start=start, rtol=rtol, atol=rtol * small
        )  # fmt: skip
        for name, value in start.items():
            # The frequency itself changes with the square of the angles.
            assert abs(run.final[name] / value - 1) < accumulated(run) + 10 * (1 + shape**2) * small**2


def test_energy_stays() -> None:
    run = detent.example("double-pendulum").simulate(until=20, rtol=1e-11)
    assert run.audit.energy_balance < accumulated(run)
