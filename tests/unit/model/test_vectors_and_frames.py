"""Vectors, frames and points: their algebra gives the right numbers, in whatever frames they are written."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation
from sympy import pi

from detent import Frame, System, Vector

ROUNDING = 2.0**-52
ANGLES = st.floats(-math.pi, math.pi)


def numbers(components: Any) -> np.ndarray:
    return np.array([float(value) for value in components])


def along(frame: Frame, components: np.ndarray) -> Vector:
    x, y, z = map(float, components)
    return x * frame.x + y * frame.y + z * frame.z


def tree(system: System, angles: tuple[float, float, float]) -> tuple[Frame, Frame]:
    """Two branches of frames, so that going from one to the other climbs and descends."""
    left = system.ground.rotated("left", angles[0], about="x").rotated("left tip", angles[1], about=(1, 2, -2))
    return left, system.ground.rotated("right", angles[2], about="y")


@given(st.tuples(ANGLES, ANGLES, ANGLES), st.integers(0, 2**31))
@settings(max_examples=15)
def test_products_across_frames_are_those_of_the_arrows(angles: tuple[float, float, float], seed: int) -> None:
    system = System("example")
    left, right = tree(system, angles)
    random = np.random.default_rng(seed)
    a, b = random.normal(size=(2, 3))
    first = Rotation.from_rotvec(angles[0] * np.array([1, 0, 0])) * Rotation.from_rotvec(
        angles[1] * np.array([1, 2, -2]) / 3
    )
    second = Rotation.from_rotvec(angles[2] * np.array([0, 1, 0]))
    true_a, true_b = first.apply(a), second.apply(b)
    vector_a, vector_b = along(left, a), along(right, b)
    tolerance = 40 * ROUNDING * np.linalg.norm(a) * np.linalg.norm(b)
    assert float(vector_a.dot(vector_b)) == pytest.approx(true_a @ true_b, abs=tolerance)
    crossed = numbers(vector_a.cross(vector_b).express(system.ground))
    assert np.allclose(crossed, np.cross(true_a, true_b), rtol=0, atol=tolerance)
    assert np.allclose(numbers(vector_a.express(right)), second.inv().apply(true_a), rtol=0, atol=1e-14)
    assert np.allclose(numbers((vector_a + vector_b).express(system.ground)), true_a + true_b, rtol=0, atol=1e-14)
    assert float((vector_a - vector_b).magnitude()) == pytest.approx(np.linalg.norm(true_a - true_b), rel=1e-13)


def test_a_frame_turned_about_z_carries_x_towards_y() -> None:
    system = System("example")
    q = system.coordinates("q")
    arm = system.ground.rotated("arm", q)
    assert arm.x.express(system.ground) == (sympy.cos(q), sympy.sin(q), 0)
    assert arm.y.express(system.ground) == (-sympy.sin(q), sympy.cos(q), 0)
    assert system.ground.x.cross(system.ground.y).express(system.ground) == (0, 0, 1)


@pytest.mark.parametrize("sequence", ["zxz", "zyx", "xyz", "yzy", "z", "xz"])
def test_euler_angles_turn_about_the_turned_axes(sequence: str) -> None:
    system = System("example")
    angles = [0.3, -1.1, 0.7][: len(sequence)]
    top = system.ground.euler("top", angles, sequence)
    expected = Rotation.from_euler(sequence.upper(), angles).as_matrix()
    assert np.allclose(np.array(top.matrix_to(system.ground), dtype=float), expected, atol=1e-15)
    assert top.name == "top"


def test_a_quaternion_turns_as_its_axis_and_angle() -> None:
    system = System("example")
    axis, angle = np.array([2.0, -1.0, 2.0]) / 3, 0.8
    w, (x, y, z) = math.cos(angle / 2), math.sin(angle / 2) * axis
    frame = system.ground.quaternion("body", (w, x, y, z), (0, 0, 0))
    expected = Rotation.from_rotvec(angle * axis).as_matrix()
    assert np.allclose(np.array(frame.matrix_to(system.ground), dtype=float), expected, atol=1e-15)


def test_a_quaternion_rate_keeps_the_length_and_turns_with_the_angular_velocity() -> None:
    system = System("example")
    spin = system.speeds("p", "q", "r")
    parts = system.quaternion("body", spin)
    rates = [system.signal_rates[part] for part in parts]
    assert sympy.expand(sum(part * rate for part, rate in zip(parts, rates, strict=True))) == 0
    # About a fixed axis z the quaternion is (cos(a/2), 0, 0, sin(a/2)) with a' = r.
    a = sympy.Symbol("a")
    turned = {parts[0]: sympy.cos(a / 2), parts[1]: 0, parts[2]: 0, parts[3]: sympy.sin(a / 2), spin[0]: 0, spin[1]: 0}
    expected = [-sympy.sin(a / 2) * spin[2] / 2, 0, 0, sympy.cos(a / 2) * spin[2] / 2]
    assert [sympy.simplify(rate.subs(turned) - e) for rate, e in zip(rates, expected, strict=True)] == [0, 0, 0, 0]


def test_a_denavit_hartenberg_link_is_the_product_of_its_four_motions() -> None:
    system = System("example")
    d, theta, a, alpha = 0.4, 0.9, 0.7, -0.3
    frame, point = system.denavit_hartenberg("link", system.origin, system.ground, d=d, theta=theta, a=a, alpha=alpha)
    turn = Rotation.from_euler("ZX", [theta, alpha]).as_matrix()
    assert np.allclose(np.array(frame.matrix_to(system.ground), dtype=float), turn, atol=1e-15)
    place = [a * math.cos(theta), a * math.sin(theta), d]
    assert np.allclose(numbers(point.position().express(system.ground)), place, atol=1e-15)


def test_points_add_up_and_have_distances() -> None:
    system = System("example")
    arm = system.ground.rotated("arm", pi / 6)
    elbow = system.origin.offset("elbow", 2 * arm.x)
    hand = elbow.offset("hand", -arm.y)
    other = system.origin.offset("other", system.ground.z)
    assert sympy.simplify(hand.distance(system.origin) - sympy.sqrt(5)) == 0
    assert sympy.simplify(hand.distance(other) - sympy.sqrt(6)) == 0
    assert (hand.position() - hand.position(elbow) - elbow.position()).magnitude() == 0
    assert hand.carrier is arm
    assert system.origin.carrier is system.ground


def test_vectors_read_as_they_are_written() -> None:
    system = System("example")
    q = system.coordinates("q")
    vector = 2 * system.ground.x - q * system.ground.y / 2
    assert repr(vector) == "2*ground.x - q/2*ground.y"
    assert vector._repr_latex_().startswith("$\\displaystyle")
    assert r"hat{x}_{\mathrm{ground}}" in vector._repr_latex_()
    assert repr(sum([system.ground.x, system.ground.x])) == "2*ground.x"
    assert repr(system.ground.x - system.ground.x) == "0"


def test_symbols_of_two_systems_are_not_the_same() -> None:
    first, second = System("first").coordinates("q"), System("second").coordinates("q")
    assert first != second
    assert str(first) == str(second)
    assert len({first, second}) == 2
    assert first - second != 0
