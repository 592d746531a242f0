"""M and f of Kane's equations against sympy.physics.mechanics, which shares nothing with the engine but SymPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import sympy
from sympy import Rational, cos, pi, sin, sqrt
from sympy.physics.mechanics import (
    KanesMethod,
    Particle,
    Point,
    ReferenceFrame,
    RigidBody,
    dynamicsymbols,
    inertia,
)

from detent import System
from tests.physics.numbers import mass_and_forcing, random_state

t = dynamicsymbols._t
Case = tuple[System, KanesMethod, list[Any], list[Any]]


def kane(frame: Any, q: Any, u: Any, definitions: list[Any], bodies: list[Any], loads: list[Any]) -> KanesMethod:
    method = KanesMethod(frame, q_ind=list(q), u_ind=list(u), kd_eqs=definitions)
    method.kanes_equations(bodies, loads)
    return method


def cart_with_pendulum() -> Case:
    system = System("cart with pendulum")
    M, m, length, J, g, k, b = system.parameters(M=2, m=0.7, length=0.6, J=0.05, g=9.81, k=30, b=0.8)
    x, angle = system.coordinates("x", "angle")
    system.speeds(v=x.rate, w=angle.rate)
    cart = system.origin.offset("cart", x * system.ground.x)
    rod = system.ground.rotated("rod", angle)
    system.particle("cart", cart, M)
    system.body("rod", cart.offset("center", -length * rod.y), rod, m, J)
    system.gravity(-g * system.ground.y)
    system.spring("spring", x, k, rest=Rational(1, 10))
    system.damper("hinge", angle.rate, b)

    q, u = dynamicsymbols("x angle"), dynamicsymbols("v w")
    N = ReferenceFrame("N")
    A = N.orientnew("A", "Axis", (q[1], N.z))
    A.set_ang_vel(N, u[1] * N.z)
    fixed = Point("O")
    fixed.set_vel(N, 0)
    P = fixed.locatenew("P", q[0] * N.x)
    P.set_vel(N, u[0] * N.x)
    C = P.locatenew("C", -0.6 * A.y)
    C.v2pt_theory(P, N, A)
    bodies = [Particle("cart", P, 2), RigidBody("rod", C, A, 0.7, (inertia(A, 0, 0, 0.05), C))]
    loads = [
        (P, -2 * 9.81 * N.y - 30 * (q[0] - Rational(1, 10)) * N.x),
        (C, -0.7 * 9.81 * N.y),
        (A, -0.8 * u[1] * N.z),
    ]
    definitions = [u[0] - q[0].diff(t), u[1] - q[1].diff(t)]
    return system, kane(N, q, u, definitions, bodies, loads), q, u


def arm_with_skew_axes() -> Case:
    """A turn about a skew axis, a slide along a slanted direction of the arm, a turn about its y axis."""
    moments = (0.3, 0.4, 0.5, 0.02, -0.03, 0.01)
    system = System("arm")
    base = system.revolute("base", system.origin, system.ground, about=(1, 2, 2))
    slide = system.prismatic("slide", base.point, base.frame, along=base.frame.x + base.frame.z / 2)
    wrist = system.revolute("wrist", slide.point, slide.frame, about="y")
    system.body("arm", base.point.offset("arm", base.frame.y / 5), base.frame, 3, moments)
    system.body("hand", wrist.point.offset("hand", wrist.frame.x / 4), wrist.frame, 1.5, moments)
    system.gravity(-9.81 * system.ground.z)
    system.torque("motor", wrist.frame, 2 * wrist.frame.y, reaction=base.frame)
    system.force("push", wrist.point, 3 * system.ground.x)

    q, u = dynamicsymbols("base slide wrist"), dynamicsymbols("base_rate slide_rate wrist_rate")
    N = ReferenceFrame("N")
    axis = (N.x + 2 * N.y + 2 * N.z) / 3
    A = N.orientnew("A", "Axis", (q[0], axis))
    A.set_ang_vel(N, u[0] * axis)
    B = A.orientnew("B", "Axis", (q[2], A.y))
    B.set_ang_vel(A, u[2] * A.y)
    fixed = Point("O")
    fixed.set_vel(N, 0)
    C = fixed.locatenew("C", A.y / 5)
    C.v2pt_theory(fixed, N, A)
    S = fixed.locatenew("S", q[1] * (A.x + A.z / 2))
    S.set_vel(A, u[1] * (A.x + A.z / 2))
    S.v1pt_theory(fixed, N, A)
    H = S.locatenew("H", B.x / 4)
    H.v2pt_theory(S, N, B)
    bodies = [
        RigidBody("arm", C, A, 3, (inertia(A, *moments), C)),
        RigidBody("hand", H, B, 1.5, (inertia(B, *moments), H)),
    ]
    loads = [(C, -3 * 9.81 * N.z), (H, -1.5 * 9.81 * N.z), (S, 3 * N.x), (B, 2 * B.y), (A, -2 * B.y)]
    return system, kane(N, q, u, [a - b.diff(t) for a, b in zip(u, q, strict=True)], bodies, loads), q, u


def top_with_body_rates() -> Case:
    """Euler angles z x z, and as speeds the angular velocity along the body's axes, with a Z in u = Y q' + Z."""
    system = System("top")
    a, b, c = system.coordinates("a", "b", "c")
    extra = sin(system.time)
    system.speeds(
        p=a.rate * sin(b) * sin(c) + b.rate * cos(c),
        q=a.rate * sin(b) * cos(c) - b.rate * sin(c),
        r=a.rate * cos(b) + c.rate + extra,
    )
    frame = system.ground.euler("top", (a, b, c), "zxz")
    system.body("top", system.origin.offset("center", 0.3 * frame.z + 0.1 * frame.x), frame, 2, (0.1, 0.15, 0.2))
    system.gravity(-9.81 * system.ground.z)

    q, u = dynamicsymbols("a b c"), dynamicsymbols("p q r")
    N = ReferenceFrame("N")
    B = N.orientnew("B", "Body", q, "ZXZ")
    B.set_ang_vel(N, u[0] * B.x + u[1] * B.y + (u[2] - sin(t)) * B.z)
    fixed = Point("O")
    fixed.set_vel(N, 0)
    C = fixed.locatenew("C", 0.3 * B.z + 0.1 * B.x)
    C.v2pt_theory(fixed, N, B)
    rates = [x.diff(t) for x in q]
    definitions = [
        u[0] - rates[0] * sin(q[1]) * sin(q[2]) - rates[1] * cos(q[2]),
        u[1] - rates[0] * sin(q[1]) * cos(q[2]) + rates[1] * sin(q[2]),
        u[2] - rates[0] * cos(q[1]) - rates[2] - sin(t),
    ]
    body = RigidBody("top", C, B, 2, (inertia(B, 0.1, 0.15, 0.2), C))
    return system, kane(N, q, u, definitions, [body], [(C, -2 * 9.81 * N.z)]), q, u


def bead_on_a_driven_hoop() -> Case:
    """The hoop turns about the vertical by 3 t + sin(2 t) and its centre is shaken; the speed is an absolute one."""
    system = System("bead")
    angle = system.coordinates("angle")
    system.speeds(u=angle.rate + cos(system.time))
    time = system.time
    hoop = system.ground.rotated("hoop", 3 * time + sin(2 * time), about="z")
    spoke = hoop.rotated("spoke", angle, about="y")
    centre = system.origin.offset("centre", cos(5 * time) / 10 * system.ground.x)
    bead = system.particle("bead", centre.offset("bead", -spoke.z / 2), 0.3)
    system.gravity(-9.81 * system.ground.z)
    system.damper("air", bead, 0.2)

    q, u = dynamicsymbols("angle"), dynamicsymbols("u")
    N = ReferenceFrame("N")
    A = N.orientnew("A", "Axis", (3 * t + sin(2 * t), N.z))
    B = A.orientnew("B", "Axis", (q, A.y))
    B.set_ang_vel(A, (u - cos(t)) * A.y)
    fixed = Point("O")
    fixed.set_vel(N, 0)
    S = fixed.locatenew("S", cos(5 * t) / 10 * N.x)
    S.set_vel(N, -sin(5 * t) / 2 * N.x)
    P = S.locatenew("P", -B.z / 2)
    P.v2pt_theory(S, N, B)
    loads = [(P, -0.3 * 9.81 * N.z - 0.2 * P.vel(N))]
    return system, kane(N, [q], [u], [u - q.diff(t) - cos(t)], [Particle("bead", P, 0.3)], loads), [q], [u]


def arm_of_denavit_hartenberg_links() -> Case:
    """Two links with an offset and a twist each."""
    system = System("links")
    first, second = system.coordinates("first", "second")
    frame1, point1 = system.denavit_hartenberg("one", system.origin, system.ground, 0.2, first, 0.5, pi / 3)
    frame2, point2 = system.denavit_hartenberg("two", point1, frame1, 0.1, second, 0.4, -pi / 4)
    system.body("one", point1, frame1, 2, (0.1, 0.2, 0.25))
    system.body("two", point2, frame2, 1, (0.1, 0.2, 0.25))
    system.gravity(-9.81 * system.ground.z)

    q, u = dynamicsymbols("first second"), dynamicsymbols("first_rate second_rate")
    N = ReferenceFrame("N")
    fixed = Point("O")
    fixed.set_vel(N, 0)
    bodies, loads, above, at = [], [], N, fixed
    for number, (angle, speed, d, a, twist) in enumerate(
        [(q[0], u[0], 0.2, 0.5, pi / 3), (q[1], u[1], 0.1, 0.4, -pi / 4)]
    ):
        turned = above.orientnew(f"T{number}", "Axis", (angle, above.z))
        turned.set_ang_vel(above, speed * above.z)
        body = turned.orientnew(f"B{number}", "Axis", (twist, turned.x))
        body.set_ang_vel(turned, 0)
        centre = at.locatenew(f"P{number}", d * turned.z + a * turned.x)
        centre.v2pt_theory(at, N, turned)
        mass = 2 - number
        bodies.append(RigidBody(f"L{number}", centre, body, mass, (inertia(body, 0.1, 0.2, 0.25), centre)))
        loads.append((centre, -mass * 9.81 * N.z))
        above, at = body, centre
    return system, kane(N, q, u, [a - b.diff(t) for a, b in zip(u, q, strict=True)], bodies, loads), q, u


CASES: list[Callable[[], Case]] = [
    cart_with_pendulum,
    arm_with_skew_axes,
    top_with_body_rates,
    bead_on_a_driven_hoop,
    arm_of_denavit_hartenberg_links,
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.__name__)
def test_mass_matrix_and_forcing_are_those_of_sympy(case: Callable[[], Case]) -> None:
    system, method, q, u = case()
    plain = sympy.symbols(f"x:{len(q) + len(u)}")
    named = dict(zip([*u, *q], [*plain[len(q) :], *plain[: len(q)]], strict=True))
    matrices = sympy.lambdify([t, *plain], [method.mass_matrix.subs(named), method.forcing.subs(named)], "numpy")
    random = np.random.default_rng(7)
    for _ in range(5):
        state = random_state(system, random)
        M, f = matrices(state["t"], *(state[str(symbol.func)] for symbol in (*q, *u)))
        mass, forcing, rates = mass_and_forcing(system, state)
        expected = np.linalg.solve(M, f)[:, 0]
        # Some hundred operations of rounding on either side, and the condition of M for the solved rates.
        np.testing.assert_allclose(mass, M, rtol=0, atol=1e-13 * np.abs(M).max())
        np.testing.assert_allclose(forcing, f[:, 0], rtol=0, atol=1e-12 * np.abs(f).max())
        np.testing.assert_allclose(rates, expected, rtol=0, atol=1e-12 * np.linalg.cond(M) * np.abs(expected).max())


def test_bodies_sharing_a_frame_act_as_one() -> None:
    """Two particles fixed to a rod are the rod's own inertia, in M and f."""
    whole, parts = System("one body"), System("two particles")
    angle = whole.coordinates("angle")
    rod = whole.ground.rotated("rod", angle, about="x")
    whole.body("rod", whole.origin.offset("center", rod.y), rod, 2, (2 * Rational(1, 4), 0, 2 * Rational(1, 4)))
    angle = parts.coordinates("angle")
    rod = parts.ground.rotated("rod", angle, about="x")
    parts.particle("near", parts.origin.offset("near", rod.y / 2), 1)
    parts.particle("far", parts.origin.offset("far", 3 * rod.y / 2), 1)
    for system in (whole, parts):
        system.gravity(-9.81 * system.ground.z)
    state = {"t": 0.0, "angle": 0.4, "angle_rate": -0.7}
    for mine, other in zip(mass_and_forcing(whole, state), mass_and_forcing(parts, state), strict=True):
        np.testing.assert_allclose(mine, other, rtol=1e-14)


def test_a_scaled_speed_scales_its_equation() -> None:
    """u = sqrt(2) q': M and f in the new speed are those in the old one, scaled once or twice."""
    scaled = System("scaled")
    angle = scaled.coordinates("angle")
    scaled.speeds(u=sqrt(2) * angle.rate)
    rod = scaled.ground.rotated("rod", angle)
    scaled.particle("bob", scaled.origin.offset("bob", -rod.y), 3)
    scaled.gravity(-9.81 * scaled.ground.y)
    mass, forcing, rates = mass_and_forcing(scaled, {"t": 0.0, "angle": 0.5, "u": 0.2})
    np.testing.assert_allclose(mass, [[3 / 2]], rtol=1e-14)
    np.testing.assert_allclose(forcing, [-3 * 9.81 * np.sin(0.5) / np.sqrt(2)], rtol=1e-14)
    np.testing.assert_allclose(rates, [-9.81 * np.sin(0.5) * np.sqrt(2)], rtol=1e-14)
