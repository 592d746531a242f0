"""A box slides and spins on its face: four corners carry it, and whichever does brakes it.

The weight and the moments of friction are three equations for four normal forces: a choice is left, and the motion
depends on it. What is taken are the forces farthest inside their cones, those that maximise the sum of log(N_k). SciPy
follows the same law here, by a root along the one direction in which the forces may change.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import detent

G = 9.81
RTOL = 1e-10
CORNERS = ("corner x y -z", "corner x -y -z", "corner -x y -z", "corner -x -y -z")
SIDES = np.array([(1, 1), (1, -1), (-1, 1), (-1, -1)]) / 2


@dataclass(frozen=True)
class Box:
    """On a plane that slopes by ``tilt`` towards x; ``start`` is the velocity along the plane, and the spin."""

    edges: tuple[float, float, float]
    mass: float
    friction: float
    tilt: float
    heading: float
    start: tuple[float, float, float]

    @property
    def inertia(self) -> tuple[float, float, float]:
        a, b, c = self.edges
        return tuple(self.mass / 12 * square for square in (b * b + c * c, c * c + a * a, a * a + b * b))

    def corners(self, heading: float) -> np.ndarray:
        c, s = math.cos(heading), math.sin(heading)
        return SIDES * self.edges[:2] @ np.array([[c, s], [-s, c]])

    def ways(self, heading: float, motion: np.ndarray) -> np.ndarray:
        """The direction in which each corner slides."""
        x, y = self.corners(heading).T
        slip = np.stack([motion[0] - motion[2] * y, motion[1] + motion[2] * x], axis=1)
        return slip / np.linalg.norm(slip, axis=1, keepdims=True)

    def normals(self, heading: float, ways: np.ndarray) -> np.ndarray:
        """Normal forces: they carry the weight, friction tips nothing, and the sum of their logarithms is largest."""
        down = self.friction * self.edges[2] / 2 * ways
        rows = np.vstack([np.ones(4), (self.corners(heading) - down).T])
        some = np.linalg.lstsq(rows, [self.mass * G * math.cos(self.tilt), 0, 0], rcond=None)[0]
        exchange = np.linalg.svd(rows)[2][-1]
        low = max(-n / e for n, e in zip(some, exchange, strict=True) if e > 0)
        high = min(-n / e for n, e in zip(some, exchange, strict=True) if e < 0)
        if not low < high:
            raise ValueError("it tips")
        ends = low + 1e-13 * (high - low), high - 1e-13 * (high - low)
        return some + exchange * brentq(lambda x: np.sum(exchange / (some + exchange * x)), *ends, xtol=1e-16)

    def rates(self, _: float, state: np.ndarray) -> np.ndarray:
        """Of place and heading, velocity and spin."""
        ways = self.ways(state[2], state[3:])
        force = -self.friction * self.normals(state[2], ways)[:, None] * ways
        x, y = self.corners(state[2]).T
        moment = float(np.sum(x * force[:, 1] - y * force[:, 0]))
        push = force.sum(axis=0) / self.mass + [G * math.sin(self.tilt), 0]
        return np.array([*state[3:], *push, moment / self.inertia[2]])

    def system(self) -> detent.System:
        system = detent.System("box")
        slope = system.ground.rotated("slope", self.tilt, about="y")
        joint = system.free("box", system.origin, slope)
        body = system.body("box", joint.point, joint.frame, self.mass, self.inertia)
        system.gravity(-G * system.ground.z)
        vx, vy, spin = self.start
        turned = {"box_qw": math.cos(self.heading / 2), "box_qz": math.sin(self.heading / 2)}
        system.start(box_z=self.edges[2] / 2, box_x_rate=vx, box_y_rate=vy, box_wz=spin, **turned)
        system.contact("box|plane", body.box(*self.edges), slope.plane(), friction=detent.Coulomb(self.friction))
        return system


def random_box(seed: int) -> Box:
    random = np.random.default_rng([seed, 5])
    a, b = random.uniform(0.2, 1.0, 2)
    return Box(
        edges=(a, b, random.uniform(0.05, 0.8) * min(a, b)), mass=10 ** random.uniform(-2, 2),
        friction=random.uniform(0.05, 0.8), tilt=random.choice([0.0, random.uniform(0, 0.4)]),
        heading=random.uniform(-3, 3), start=(*random.uniform(-3, 3, 2), random.uniform(-8, 8)),
    )  # fmt: skip


def followed(box: Box) -> tuple[float, np.ndarray] | None:
    """Until its slowest corner has a fifth of its speed left, or for a second; None where it tips before."""
    start = np.array([0.0, 0.0, box.heading, *box.start])

    def slowest(_: float, state: np.ndarray) -> float:
        x, y = box.corners(state[2]).T
        return float(np.hypot(state[3] - state[5] * y, state[4] + state[5] * x).min())

    least = 0.2 * slowest(0.0, start)

    def slow(t: float, state: np.ndarray) -> float:
        return slowest(t, state) - least

    slow.terminal = True  # type: ignore[attr-defined]
    try:
        answer = solve_ivp(box.rates, (0, 1), start, method="DOP853", rtol=1e-11, atol=1e-13, events=slow)
    except ValueError:
        return None
    return float(answer.t[-1]), answer.y[:, -1]


def check(seed: int) -> bool:
    """Whether there was something to compare."""
    box = random_box(seed)
    known = followed(box)
    if known is None:
        return False
    until, state = known
    run = detent.simulate(box.system(), until=until, rtol=RTOL)
    assert [event.kind for event in run.events if event.kind not in ("shared", "several", "reselection")] == []
    final, size = run.final, 1 + float(np.abs(state).max())
    assert [final.box_x, final.box_y] == pytest.approx(state[:2], abs=1e3 * RTOL * size)
    assert [final.box_x_rate, final.box_y_rate, final.box_wz] == pytest.approx(state[3:], abs=1e3 * RTOL * size)
    carried = [run.contacts["box|plane"][corner].normal[0] for corner in CORNERS]
    expected = box.normals(box.heading, box.ways(box.heading, np.array(box.start)))
    assert carried == pytest.approx(expected, rel=1e-9)
    assert run.audit.largest_cone_excess is not None
    assert run.audit.largest_cone_excess < 1e-12
    return True


@pytest.mark.parametrize("seed", range(4))
def test_a_box_that_slides_and_spins_is_braked_by_the_forces_farthest_inside_their_cones(seed: int) -> None:
    check(seed)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 400, 50))
def test_hundreds_of_boxes_that_slide_and_spin(first: int) -> None:
    assert sum(check(seed) for seed in range(first, first + 50)) > 25


def test_a_box_that_begins_to_slide_on_its_face_does_so_once() -> None:
    """Just outside the cone slip begins at zero, where rounding alone tells its directions at the corners apart."""
    tilt = 1.0
    box = Box((1.0, 1.0, 0.25), 1.0, math.tan(tilt) * 0.999, tilt, 0.3, (0.0, 0.0, 0.0))
    run = detent.simulate(box.system(), until=1.0)
    assert [event.kind for event in run.events] == ["shared"]
    assert run.final.box_x_rate == pytest.approx(G * 0.001 * math.sin(tilt), rel=1e-9)
    assert run.audit.largest_cone_excess is not None
    assert run.audit.largest_cone_excess < 1e-12


def test_a_box_that_spins_on_its_face_does_not_strike_it_at_the_start() -> None:
    """What its corners approach the plane by is the rounding of their speeds along it."""
    box = Box((1.0, 1.0, 0.5), 1.0, 0.6, 0.1, -2.7, (1.0, 0.0, -4.5))
    run = detent.simulate(box.system(), until=0.01)
    assert {event.kind for event in run.events} <= {"shared", "several"}


def test_a_slip_that_does_not_turn_is_followed_to_what_it_loses_in_its_last_1e_10_seconds() -> None:
    """Slower than g times that it is straight; steps that end where a tenth is left went on to its rounding."""
    system = detent.System("sliding cube")
    joint = system.free("cube", system.origin, system.ground)
    cube = system.body("cube", joint.point, joint.frame, mass=1, inertia=(1 / 600, 1 / 600, 1 / 600))
    system.gravity(-9.81 * system.ground.z)
    system.start(cube_z=0.05, cube_x_rate=6)
    system.contact("cube|floor", cube.box(0.1, 0.1, 0.1), system.ground.plane(), friction=detent.Coulomb(0.5))
    run = detent.simulate(system, until=2)
    assert run.events[-1].time == pytest.approx(6 / (0.5 * 9.81), rel=1e-14)
    slips = run.cube_x_rate[run.time < run.events[-1].time]
    assert slips.min() > 0.1 * 9.81e-10
