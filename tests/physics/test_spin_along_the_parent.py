"""A sphere whose angular velocity is told along axes that do not turn with it: how it is turned does not matter then.

While it slips on a plane, with slip s, K = (1 + m R^2/I) mu g cos(tilt) and F = g sin(tilt) downhill along x,

    s' = F x - K s/|s|,    so that slip ends after T = (K |s| + F s.x)/(K^2 - F^2).

On a level plane all accelerations are constant: a step errs by rounding alone, whatever its tolerance. Along its own
axes, which turn, that holds for a spin about one axis; with several, what the quaternion errs by turns the slip.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import pytest

import detent
from tests.physics.bounds import accumulated

G = 9.81
EPSILON = float(np.finfo(float).eps)
FASTEST = 60.0
"""The spin about each axis, at most (rad/s)."""


class Throw(NamedTuple):
    """A sphere on a plane that slopes towards its x."""

    radius: float
    mass: float
    gyration: float
    """I/(m R^2)."""
    friction: float
    tilt: float
    velocity: list[float]
    spin: list[float]
    turned: float
    """What the whole scene is turned by, about x."""

    @property
    def slip(self) -> tuple[float, float]:
        return self.velocity[0] - self.radius * self.spin[1], self.velocity[1] + self.radius * self.spin[0]

    @property
    def brakes(self) -> tuple[float, float]:
        """K and F."""
        return (1 + 1 / self.gyration) * self.friction * G * math.cos(self.tilt), G * math.sin(self.tilt)

    @property
    def slides(self) -> float:
        K, F = self.brakes
        return (K * math.hypot(*self.slip) + F * self.slip[0]) / (K * K - F * F)

    @property
    def speed(self) -> float:
        """Of what adds up to the slip, at most."""
        return math.hypot(*self.velocity) + self.radius * math.hypot(*self.spin) + 2 * G * self.slides

    def system(self, spin_along_parent: bool) -> detent.System:
        system = detent.System("sphere")
        upright = system.ground.rotated("upright", self.turned, about="x")
        slope = upright.rotated("slope", self.tilt, about="y")
        joint = system.free("ball", system.origin, slope, spin_along_parent=spin_along_parent)
        inertia = self.gyration * self.mass * self.radius**2
        ball = system.body("ball", joint.point, joint.frame, self.mass, (inertia,) * 3)
        system.gravity(-G * upright.z)
        system.start(ball_z=self.radius, ball_x_rate=self.velocity[0], ball_y_rate=self.velocity[1])
        system.start(ball_wx=self.spin[0], ball_wy=self.spin[1], ball_wz=self.spin[2])
        system.contact("ball|slope", ball.sphere(self.radius), slope.plane(), friction=detent.Coulomb(self.friction))
        return system


def numbers(random: np.random.Generator, *ranges: tuple[float, float]) -> list[float]:
    return [float(random.uniform(*each)) for each in ranges]


def random_throw(random: np.random.Generator, slopes: bool) -> Throw:
    """Any sphere, thrown and spinning about all axes; on a slope friction is more than what rolling needs."""
    radius, gyration, more, turned = numbers(random, (0.02, 0.5), (0.2, 0.66), (1.5, 4), (-3, 3))
    tilt = float(random.uniform(0.02, 0.6)) if slopes else 0.0
    needed = math.tan(tilt) / (1 + 1 / gyration)
    friction = more * needed if slopes else float(random.uniform(0.05, 0.8))
    velocity, spin = numbers(random, *[(-5, 5)] * 2), numbers(random, *[(-FASTEST, FASTEST)] * 3)
    return Throw(radius, float(10 ** random.uniform(-3, 3)), gyration, friction, tilt, velocity, spin, turned)


def late(throw: Throw, rtol: float, spin_along_parent: bool = True) -> tuple[float, int]:
    """By how much (s) it rolls too late, and how many steps were taken."""
    run = detent.simulate(throw.system(spin_along_parent), until=1.05 * throw.slides, rtol=rtol)
    (event,) = run.events.of_kind("transition")
    assert event.name == "ball|slope: slip -> roll"
    assert run.timing is not None
    return event.time - throw.slides, run.timing.steps


# -- slip ends when it should ------------------------------------------------------------------------------


def check_level(seed: int) -> None:
    """Every step rounds what adds up to the slip, a few times; K is how fast that ends."""
    random = np.random.default_rng([seed, 21])
    throw, rtol = random_throw(random, slopes=False), float(10 ** random.uniform(-13, -4))
    off, steps = late(throw, rtol)
    rounding = 4 * EPSILON * steps * throw.speed / throw.brakes[0]
    assert abs(off) < min(rounding, 1e-11), (seed, off, rounding)


def check_slope(seed: int) -> None:
    """The direction of slip turns, and every step errs by the tolerance; what that makes of the slip ends with K - F.

    Where what is left of the slip is what g gives in 1.5e-10 s it is taken to be straight.
    """
    throw = random_throw(np.random.default_rng([seed, 22]), slopes=True)
    off, steps = late(throw, 1e-9)
    K, F = throw.brakes
    straight = 1.5e-10 * G * (1 / (K - F) - 1 / (K + F))
    bound = (1e-9 + 4 * EPSILON) * steps * throw.speed / (K - F) + straight
    assert abs(off) < bound, (seed, off, bound)


@pytest.mark.parametrize("seed", range(8))
def test_on_a_level_plane_slip_ends_at_the_very_instant_whatever_the_spin_and_the_tolerance(seed: int) -> None:
    check_level(seed)


@pytest.mark.parametrize("seed", range(4))
def test_on_a_slope_slip_ends_when_it_should_within_the_tolerance_of_the_steps(seed: int) -> None:
    check_slope(seed)


@pytest.mark.slow
def test_on_a_level_plane_hundreds_of_slips_end_at_the_very_instant() -> None:
    for seed in range(8, 308):
        check_level(seed)


@pytest.mark.slow
def test_on_slopes_hundreds_of_slips_end_within_the_tolerance_of_the_steps() -> None:
    for seed in range(4, 304):
        check_slope(seed)


# -- and nothing else changes ------------------------------------------------------------------------------


def test_a_sphere_moves_the_same_whichever_axes_its_spin_is_told_along() -> None:
    throw = random_throw(np.random.default_rng(23), slopes=True)
    runs = [
        detent.simulate(throw.system(along), until=2 * throw.slides, rtol=1e-13, atol=1e-15) for along in (True, False)
    ]
    assert [run.events[0].name for run in runs] == ["ball|slope: slip -> roll"] * 2
    bound = sum(accumulated(run) for run in runs) * (throw.speed + FASTEST) * (1 + 2 * throw.slides)
    for name in ("ball_x", "ball_y", "ball_x_rate", "ball_y_rate", "ball_qw", "ball_qx", "ball_qy", "ball_qz"):
        assert runs[0].final[name] == pytest.approx(runs[1].final[name], abs=bound), name
    w, x, y, z = (runs[1].final[f"ball_q{letter}"] for letter in "wxyz")
    turn = np.array(
        [
            [w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z],
        ]
    )
    along, own = (np.array([run.final[f"ball_w{letter}"] for letter in "xyz"]) for run in runs)
    np.testing.assert_allclose(turn @ own, along, rtol=0, atol=bound)


# -- along its own axes ------------------------------------------------------------------------------------


def check_one_axis(seed: int) -> None:
    """A ball that spins about the axis about which friction turns it, whichever of its own that is, at any tolerance.

    A quaternion errs then by the angle of that turn alone, and is not of length one within a step: neither counts.
    """
    random = np.random.default_rng([seed, 24])
    throw, rtol = random_throw(random, slopes=False), float(10 ** random.uniform(-13, -6))
    way, spin, speed = numbers(random, (-math.pi, math.pi), (-FASTEST, FASTEST), (0.2, 5))
    about = [-spin * math.sin(way), spin * math.cos(way), 0.0]
    throw = throw._replace(velocity=[speed * math.cos(way), speed * math.sin(way)], spin=about)
    off, steps = late(throw, rtol, spin_along_parent=False)
    rounding = 4 * EPSILON * steps * throw.speed / throw.brakes[0]
    assert abs(off) < min(rounding, 1e-11), (seed, off, rounding)


@pytest.mark.parametrize("seed", range(8))
def test_along_its_own_axes_a_spin_about_one_of_them_ends_its_slip_at_the_very_instant(seed: int) -> None:
    check_one_axis(seed)


@pytest.mark.slow
def test_along_its_own_axes_hundreds_of_spins_about_one_of_them_end_their_slips_at_the_very_instant() -> None:
    for seed in range(8, 308):
        check_one_axis(seed)


def test_along_its_own_axes_backspin_ends_at_the_published_instant_at_the_default_tolerance() -> None:
    throw = Throw(0.1, 1.0, 0.4, 0.3, 0.0, [3.0, 0.0], [0.0, -20.0, 0.0], 0.0)
    assert throw.slides == pytest.approx(0.48541332945003, abs=1e-14)
    assert abs(late(throw, 1e-9, spin_along_parent=False)[0]) < 1e-14


def test_along_its_own_axes_spins_about_several_are_as_far_off_as_the_documentation_says() -> None:
    """Some ten times the tolerance of the time of the slide."""
    for seed in range(6):
        throw = random_throw(np.random.default_rng([seed, 21]), slopes=False)
        for rtol in (1e-9, 1e-11):
            assert abs(late(throw, rtol, spin_along_parent=False)[0]) < 20 * rtol * throw.slides, (seed, rtol)
