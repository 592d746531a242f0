"""Frames of every kind turn as geometry says, and a mechanism moves the same wherever it is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation
from sympy import pi, sin

import detent
from detent import Frame, System
from detent.dynamics.equations_of_motion import EquationsOfMotion
from tests.physics.bounds import accumulated
from tests.physics.numbers import numbers, random_state

Expected = Callable[[dict[str, float]], Any]


def by_letter(system: System) -> tuple[Frame, Expected]:
    q = system.coordinates("q")
    return system.ground.rotated("turned", q, about="y"), lambda s: Rotation.from_rotvec([0, s["q"], 0])


def by_skew_direction(system: System) -> tuple[Frame, Expected]:
    q = system.coordinates("q")
    axis = np.array([1, -2, 2]) / 3
    return system.ground.rotated("turned", 2 * q, about=(1, -2, 2)), lambda s: Rotation.from_rotvec(2 * s["q"] * axis)


def by_vector(system: System) -> tuple[Frame, Expected]:
    q = system.coordinates("q")
    axis = np.array([3, 0, 4]) / 5
    along = 3 * system.ground.x + 4 * system.ground.z
    return system.ground.rotated("turned", q**2, about=along), lambda s: Rotation.from_rotvec(s["q"] ** 2 * axis)


def by_time(system: System) -> tuple[Frame, Expected]:
    q = system.coordinates("q")
    first = system.ground.rotated("driven", sin(2 * system.time), about="x")
    return first.rotated("turned", q, about="z"), lambda s: Rotation.from_euler("XZ", [np.sin(2 * s["t"]), s["q"]])


def euler(sequence: str) -> Callable[[System], tuple[Frame, Expected]]:
    def build(system: System) -> tuple[Frame, Expected]:
        a, b, c = system.coordinates("a", "b", "c")
        frame = system.ground.euler("turned", (a, b, c), sequence)
        return frame, lambda s: Rotation.from_euler(sequence.upper(), [s["a"], s["b"], s["c"]])

    build.__name__ = f"euler_{sequence}"
    return build


def denavit_hartenberg(system: System) -> tuple[Frame, Expected]:
    a, b = system.coordinates("a", "b")
    first, point = system.denavit_hartenberg("one", system.origin, system.ground, 0.1, a, 0.2, pi / 3)
    second, _ = system.denavit_hartenberg("two", point, first, 0.3, b, 0.4, -pi / 5)

    def expected(s: dict[str, float]) -> Any:
        return Rotation.from_euler("ZX", [s["a"], np.pi / 3]) * Rotation.from_euler("ZX", [s["b"], -np.pi / 5])

    return second, expected


def by_quaternion(system: System) -> tuple[Frame, Expected]:
    joint = system.ball("ball", system.origin, system.ground)
    return joint.frame, lambda s: Rotation.from_quat([s[f"ball_q{k}"] for k in "wxyz"], scalar_first=True)


def quaternion_on_a_turned_frame(system: System) -> tuple[Frame, Expected]:
    hinge = system.revolute("hinge", system.origin, system.ground, about="x")
    joint = system.ball("ball", system.origin, hinge.frame)
    last = joint.frame.rotated("last", 0.4, about="z")

    def expected(s: dict[str, float]) -> Any:
        ball = Rotation.from_quat([s[f"ball_q{k}"] for k in "wxyz"], scalar_first=True)
        return Rotation.from_rotvec([s["hinge"], 0, 0]) * ball * Rotation.from_rotvec([0, 0, 0.4])

    return last, expected


def turning_as_a_vector(system: System) -> tuple[Frame, Expected]:
    """A quaternion on a frame that turns itself, with an angular velocity along the axes of that."""
    hinge = system.revolute("hinge", system.origin, system.ground, about="x")
    p, q, r = system.speeds("p", "q", "r")
    turning = p * hinge.frame.x + (q - hinge.coordinates[0].rate) * hinge.frame.y + 2 * r * hinge.frame.z
    frame = hinge.frame.quaternion("turned", system.quaternion("ball", turning), turning)

    def expected(s: dict[str, float]) -> Any:
        ball = Rotation.from_quat([s[f"ball_q{k}"] for k in "wxyz"], scalar_first=True)
        return Rotation.from_rotvec([s["hinge"], 0, 0]) * ball

    return frame, expected


KINDS = [
    by_letter, by_skew_direction, by_vector, by_time, euler("zxz"), euler("zyx"), euler("xyz"), denavit_hartenberg,
    by_quaternion, quaternion_on_a_turned_frame, turning_as_a_vector,
]  # fmt: skip


class Turned:
    """A frame with a body on it, and its numbers."""

    def __init__(self, kind: Callable[[System], tuple[Frame, Expected]]) -> None:
        self.system = System("frames")
        self.frame, self.expected = kind(self.system)
        self.system.body("body", self.system.origin.offset("c", self.frame.x), self.frame, 1, (1, 1, 1))
        self.equations = EquationsOfMotion(self.system, resolution=self.system.ground)

    def matrix(self, state: dict[str, float]) -> NDArray[np.float64]:
        rows = self.equations.kinematics.matrix(self.frame)
        return numbers(self.equations, [value for row in rows for value in row], state).reshape(3, 3)

    def angular_velocity(self, state: dict[str, float]) -> NDArray[np.float64]:
        return numbers(self.equations, list(self.equations.kinematics.spin(self.frame).velocity), state)

    def later(self, state: dict[str, float], step: float) -> dict[str, float]:
        """Coordinates, signals and time a moment later, to first order."""
        quantities = self.equations.quantities
        names = [symbol.name for symbol in (*quantities.coordinates, *quantities.signals)]
        rates = numbers(self.equations, [*quantities.q_rates, *quantities.s_rates], state)
        moved = {name: state[name] + step * rate for name, rate in zip(names, rates, strict=True)}
        return {**state, **moved, "t": state["t"] + step}


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_the_matrix_is_the_rotation_meant(kind: Callable[[System], tuple[Frame, Expected]]) -> None:
    turned, random = Turned(kind), np.random.default_rng(5)
    for _ in range(3):
        state = random_state(turned.system, random)
        matrix = turned.matrix(state)
        np.testing.assert_allclose(matrix @ matrix.T, np.eye(3), atol=1e-14)
        assert np.linalg.det(matrix) == pytest.approx(1, abs=1e-14)
        np.testing.assert_allclose(matrix, turned.expected(state).as_matrix(), atol=1e-14)
        symbols = {symbol: state[symbol.name] for symbol in turned.system.quantities() if symbol.name in state}
        shown = turned.frame.matrix_to(turned.system.ground).subs({**symbols, turned.system.time: state["t"]})
        np.testing.assert_allclose(np.array(shown.evalf(20), float), matrix, atol=1e-14)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_the_angular_velocity_is_the_rate_of_the_matrix(kind: Callable[[System], tuple[Frame, Expected]]) -> None:
    turned, random = Turned(kind), np.random.default_rng(6)
    for _ in range(3):
        state, h = random_state(turned.system, random), 1e-5
        rate = (turned.matrix(turned.later(state, h)) - turned.matrix(turned.later(state, -h))) / (2 * h)
        skew = rate @ turned.matrix(state).T
        x, y, z = turned.angular_velocity(state)
        # The central difference errs by h^2/6 times a third derivative, at rates of a few rad/s.
        np.testing.assert_allclose(skew, [[0, -z, y], [z, 0, -x], [-y, x, 0]], atol=100 * h**2)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_the_partial_velocities_add_up_to_the_angular_velocity(
    kind: Callable[[System], tuple[Frame, Expected]],
) -> None:
    turned = Turned(kind)
    state = random_state(turned.system, np.random.default_rng(8))
    spin = turned.equations.kinematics.spin(turned.frame)
    total = np.zeros(3)
    for number, partial in spin.partials.items():
        factor = 1.0 if number < 0 else state[turned.equations.quantities.speeds[number].name]
        total += factor * numbers(turned.equations, list(partial), state)
    np.testing.assert_allclose(total, turned.angular_velocity(state), atol=1e-14)


def test_a_denavit_hartenberg_link_ends_where_the_textbook_says() -> None:
    system = System("link")
    theta = system.coordinates("theta")
    _, point = system.denavit_hartenberg("link", system.origin, system.ground, d=0.3, theta=theta, a=0.5, alpha=1)
    place = [float(value.subs(theta, 0.7)) for value in point.position().express(system.ground)]
    np.testing.assert_allclose(place, [0.5 * np.cos(0.7), 0.5 * np.sin(0.7), 0.3], rtol=1e-15)


def floating_chain() -> System:
    """Three rods in a row, nothing fixed, with a spring in each joint and gravity."""
    system = System("floating chain")
    base = system.planar("base", system.origin, system.ground)
    point, frame = base.point, base.frame
    system.body("rod0", point, frame, 1, 1 / 12)
    for number in (1, 2):
        end = point.offset(f"end{number}", frame.x / 2)
        joint = system.revolute(f"joint{number}", end, frame, start=0.5 * number)
        point = end.offset(f"center{number}", joint.frame.x / 2)
        frame = joint.frame
        system.body(f"rod{number}", point, frame, 1, 1 / 12)
        system.spring(f"spring{number}", joint.coordinates[0], 3)
    system.gravity(-9.81 * system.ground.y)
    system.start(base_angle=0.3, base_angle_rate=2, joint1_rate=-1, joint2_rate=3)
    return system


def test_far_from_the_origin_the_inner_motion_is_the_same() -> None:
    system = floating_chain()
    here = detent.simulate(system, until=5, rtol=1e-12)
    far = detent.simulate(system, until=5, rtol=1e-12, start={"base_x": 1e6, "base_y": -1e6})
    for name in ("base_angle", "joint1", "joint2", "base_angle_rate", "joint1_rate", "joint2_rate"):
        # The two runs step differently, so each brings its own error.
        assert abs(far.final[name] - here.final[name]) < 10 * (accumulated(here) + accumulated(far)) < 1e-7


def test_far_from_the_origin_the_accelerations_have_the_same_digits() -> None:
    system = floating_chain()
    equations = EquationsOfMotion(system)
    state = random_state(system, np.random.default_rng(2))
    here = numbers(equations, equations.accelerations, state)
    far = numbers(equations, equations.accelerations, {**state, "base_x": 1e6, "base_y": -1e6})
    np.testing.assert_array_equal(here, far)


def test_a_body_far_away_keeps_its_energy_balance() -> None:
    system = System("far body")
    joint = system.free("body", system.origin, system.ground)
    arm = system.revolute("arm", joint.point.offset("edge", joint.frame.x), joint.frame, about=(1, 1, 1))
    system.body("body", joint.point, joint.frame, 1, (1, 2, 2.5))
    system.body("arm", arm.point.offset("hand", arm.frame.y), arm.frame, 1, (1, 1, 1))
    system.spring("spring", arm.coordinates[0], 4)
    system.start(body_wx=1, body_wz=2, arm=1)
    far = detent.simulate(system, until=5, rtol=1e-11, start={"body_x": 1e6, "body_y": 1e6})
    assert far.audit.energy_balance < accumulated(far)


@pytest.mark.parametrize("inertia", [(2, 3, 4), (2, 2, 2)])
def test_a_body_tumbles_the_same_whichever_axes_its_angular_velocity_is_along(inertia: tuple[int, int, int]) -> None:
    """Along its own axes, and along those that stay."""
    runs = []
    for own in (True, False):
        system = System("tumbling")
        p, q, r = speeds = system.speeds("p", "q", "r")
        ground = system.ground
        turning: Any = speeds if own else p * ground.x + q * ground.y + r * ground.z
        frame = ground.quaternion("body", system.quaternion("body", turning), turning)
        system.body("body", system.origin.offset("centre", frame.x), frame, 1, inertia)
        system.gravity(-9.81 * ground.z)
        runs.append(detent.simulate(system, 2.0, start={"p": 1, "q": 2, "r": 3}, rtol=1e-12))
    for letter in "wxyz":
        assert runs[0].final[f"body_q{letter}"] == pytest.approx(runs[1].final[f"body_q{letter}"], abs=1e-9)
    assert runs[1].audit.energy_balance < 1e-9
