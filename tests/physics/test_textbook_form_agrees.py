"""Two derivations of one mechanics agree: composite inertias in one frame, and Kane's method as textbooks write it.

They share no kinematics, so a mistake in either shows as a difference at a random state. The largest systems
here add up some thousand products of order 1 to 100; their rounding stays below 1e-11 of the largest entry.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from sympy import Abs, Rational, cos, pi, sin, sqrt

import detent
from detent.dynamics.equations import Equations
from detent.dynamics.equations_of_motion import EquationsOfMotion
from detent.dynamics.kane import Kane
from detent.expr.evaluate import evaluate_nodes
from detent.expr.graph import Node

TOLERANCE = 1e-11


def planar_chain() -> detent.System:
    system = detent.System("planar chain")
    g, k, b = system.parameters(g=9.81, k=3, b=0.4)
    at, frame = system.origin, system.ground
    for number in range(1, 5):
        joint = system.revolute(f"q{number}", at, frame)
        frame, length = joint.frame, 0.4 + 0.1 * number
        center = at.offset(f"c{number}", 0.3 * length * frame.x + 0.05 * frame.y)
        system.body(f"link{number}", center, frame, mass=number, inertia=0.1 * number)
        system.spring(f"spring{number}", joint.coordinates[0], k, rest=0.2)
        system.damper(f"damper{number}", joint.speeds[0], b, quadratic=number % 2 == 0)
        at = at.offset(f"tip{number}", length * frame.x)
    system.gravity(-g * system.ground.y)
    system.force("push", at, 2 * frame.y - system.ground.x)
    return system


def absolute_angles_with_mixed_speeds() -> detent.System:
    system = detent.System("mixed speeds")
    m, length, g = system.parameters(m=2, length=0.7, g=9.81)
    x, a, b = system.coordinates("x", "a", "b")
    system.speeds(v=x.rate + length * a.rate * cos(a), w1=a.rate, w2=(1 + x**2) * (b.rate - a.rate) + 0.3)
    first, second = system.ground.rotated("first", a), system.ground.rotated("second", b, about=(0, 0, -1))
    cart = system.origin.offset("cart", x * system.ground.x)
    elbow = cart.offset("elbow", length * first.x)
    tip = elbow.offset("tip", length * second.x + x**2 * second.y)
    for name, point, frame in (("cart", cart, system.ground), ("elbow", elbow, first), ("tip", tip, second)):
        system.body(name, point, frame, m, 0.2)
    system.gravity(-g * system.ground.y)
    system.damper("rail", x.rate, 0.5)
    system.torque("motor", second, 3 * second.z, reaction=first)
    return system


def ball_joint() -> detent.System:
    system = detent.System("ball joint")
    m, g = system.parameters(m=1.5, g=9.81)
    hinge = system.revolute("yaw", system.origin, system.ground, about="z")
    end = system.origin.offset("end", 0.6 * hinge.frame.x)
    system.body("arm", system.origin.offset("middle", 0.3 * hinge.frame.x), hinge.frame, m, (0.01, 0.2, 0.2))
    ball = system.ball("ball", end, hinge.frame)
    bob = end.offset("bob", -0.5 * ball.frame.z + 0.1 * ball.frame.x)
    system.body("bob", bob, ball.frame, m, (0.3, 0.2, 0.4, 0.02, -0.01, 0.03))
    second = system.ball("second", bob, ball.frame)
    system.body("tail", bob.offset("tail", 0.4 * second.frame.y), second.frame, m, (0.1, 0.1, 0.15))
    system.gravity(-g * system.ground.z)
    system.damper("air", bob, 0.2, quadratic=True)
    system.torque("muscle", second.frame, 0.7 * second.frame.x, reaction=ball.frame)
    system.spring("rope", (system.origin, bob), 5, rest=0.3)
    return system


def free_body_with_springs_and_dampers() -> detent.System:
    system = detent.System("free body")
    free = system.free("body", system.origin, system.ground)
    system.body("body", free.point, free.frame, 2, (0.3, 0.2, 0.4))
    hook = free.point.offset("hook", 0.2 * free.frame.x - 0.3 * free.frame.z)
    anchor = system.origin.offset("anchor", 2 * system.ground.x + system.ground.y)
    system.spring("spring", (anchor, hook), 7, rest=0.5)
    system.spring("rubber", (system.origin, hook), 2)
    system.damper("strut", (anchor, hook), 0.6)
    system.damper("valve", (hook, system.origin), 0.6, quadratic=True)
    system.damper("oil", hook, 0.3)
    x, y, _ = free.coordinates
    system.potential("bowl", 2 * x**2 + Abs(y) * cos(x))
    return system


def prescribed_motion() -> detent.System:
    system = detent.System("prescribed motion")
    m, g, rate = system.parameters(m=1.2, g=9.81, rate=2.1)
    drive = system.input("drive", 0.2 * sin(3 * system.time))
    q, p = system.coordinates("q", "p")
    table = system.ground.rotated("table", rate * system.time + drive, about=(1, 2, -2))
    pivot = system.origin.offset("pivot", drive * system.ground.y + 0.4 * table.x)
    arm = table.rotated("arm", q + drive, about="y")
    bead = pivot.offset("bead", (0.5 + p) * arm.x + sin(system.time) * table.z)
    system.body("arm", pivot.offset("middle", 0.2 * arm.x), arm, m, (0.1, 0.2, 0.25, 0.01, 0.02, 0.03))
    system.particle("bead", bead, m)
    system.gravity(-g * system.ground.z)
    system.damper("groove", p.rate + drive, 0.3, quadratic=True)
    system.force("wind", bead, (1 + q) * system.ground.x + table.y, reaction=pivot)
    return system


def turns_about_many_axes() -> detent.System:
    system = detent.System("many axes")
    m, g, A, C = system.parameters(m=1, g=9.81, A=0.4, C=0.3)
    a, b, c, d, h = system.coordinates("a", "b", "c", "d", "h")
    top = system.ground.euler("top", (a, b, c), "zxz")
    tilted = top.rotated("tilted", pi / 2, about="x").rotated("wheel", d, about=(1, 1, 0))
    rim = tilted.rotated("rim", h, about=(1, 1, 0))
    frame, point = system.denavit_hartenberg("hand", system.origin, top, d=0.3, theta=d, a=0.2, alpha=pi / 3)
    system.body("top", system.origin.offset("center", 0.5 * top.z), top, m, (A, A, C))
    system.body("rim", point, rim, m, (A, C, A))
    system.body("hand", point.offset("palm", 0.2 * frame.x + h * frame.z), frame, m, (A, A, A))
    system.gravity(-g * system.ground.z + g * Rational(1, 7) * system.ground.x)
    system.damper("bearing", top.z.dot(system.ground.z) * a.rate + c.rate, 0.1)
    system.torque("twist", rim, sqrt(2) * top.x)
    return system


SYSTEMS = [
    planar_chain,
    absolute_angles_with_mixed_speeds,
    ball_joint,
    free_body_with_springs_and_dampers,
    prescribed_motion,
    turns_about_many_axes,
]


def states(system: detent.System) -> list[dict[str, float]]:
    """Random states; quaternions have length one."""
    random = np.random.default_rng(20250)
    names = [symbol.name for symbol in [*system.quantities(), *system.all_speeds()]]
    found = []
    for _ in range(5):
        state = {name: float(random.uniform(-1.5, 1.5)) for name in ["t", *names]}
        state |= {symbol.name: float(value) for symbol, value in system.parameter_values.items()}
        for parts in system.quaternions:
            length = math.hypot(*(state[part.name] for part in parts))
            state |= {part.name: state[part.name] / length for part in parts}
        found.append(state)
    return found


def kane_nodes(kane: Kane) -> list[Node]:
    """M row by row, f, T and V of the textbook form."""
    total, bodies, loads = kane.graph.sum, kane.bodies.values(), kane.loads.values()
    numbers = range(len(kane.quantities.speeds))
    mass = [total(t for b in bodies for t in kane.mass_terms(b, r, s)) for r in numbers for s in numbers]
    inertia = [total(t for b in bodies for t in kane.bias_terms(b, r)) for r in numbers]
    active = [total(t for load in loads for t in kane.force_terms(load, r)) for r in numbers]
    energies = [total(t for b in bodies for t in kane.kinetic_terms(b)), total(kane.potential_terms())]
    return [*mass, *(a + b for a, b in zip(inertia, active, strict=True)), *energies]


@pytest.mark.parametrize("build", SYSTEMS)
def test_the_textbook_form_agrees_with_the_engine(build: Callable[[], detent.System]) -> None:
    system = build()
    motion = EquationsOfMotion(system)
    engine = [value for row in motion.mass_matrix for value in row]
    engine += [*motion.forcing, motion.kinetic_energy, motion.potential_energy]
    textbook = kane_nodes(Kane(system))
    for state in states(system):
        expected, found = np.array(evaluate_nodes(engine, state)), np.array(evaluate_nodes(textbook, state))
        assert np.isfinite(expected).all()
        assert np.abs(found - expected).max() < TOLERANCE * np.abs(expected).max()


@pytest.mark.parametrize("build", SYSTEMS)
def test_tidying_and_writing_out_change_no_value(build: Callable[[], detent.System]) -> None:
    system = build()
    equations = Equations(system)
    kane = Kane(system)
    written = [*equations.mass_matrix, *equations.forcing, equations.kinetic_energy, equations.potential_energy]
    again = [kane.quantities.convert(expression) for expression in written]
    textbook = kane_nodes(kane)
    for state in states(system)[:2]:
        expected, found = np.array(evaluate_nodes(textbook, state)), np.array(evaluate_nodes(again, state))
        assert np.abs(found - expected).max() < TOLERANCE * np.abs(expected).max()


@pytest.mark.parametrize("build", [absolute_angles_with_mixed_speeds, prescribed_motion])
def test_the_elements_add_up_to_the_system(build: Callable[[], detent.System]) -> None:
    system = build()
    equations, convert = system.equations(), Kane(system).quantities.convert
    state = states(system)[0]

    def value(matrix: Any) -> np.ndarray:
        return np.array(evaluate_nodes([convert(entry) for entry in matrix], state))

    bodies = [equations.element(name) for name in system.bodies]
    mass = sum(value(own) for own, _ in bodies)
    force = sum(value(own) for _, own in bodies) + sum(value(equations.element(name)) for name in system.loads)
    assert np.allclose(mass, value(equations.mass_matrix), rtol=0, atol=TOLERANCE * np.abs(mass).max())
    assert np.allclose(force, value(equations.forcing), rtol=0, atol=TOLERANCE * np.abs(force).max())
