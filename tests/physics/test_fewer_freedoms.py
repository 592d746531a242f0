"""Bodies in space that their coordinates keep in a plane do what the same bodies do in the plane, friction included.

Along a direction in which nothing can move friction has nothing to act on: it neither brakes nor is it in the way.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import sympy
from scipy.integrate import solve_ivp

import detent

G = 9.81
LAWS: list[Any] = [detent.Poisson, detent.Stronge, detent.Newton, lambda _: detent.Plastic()]


class Scene:
    """A ball, a point or a box above a floor that may shake and run like a belt; in the plane, or in space."""

    def __init__(self, seed: int) -> None:
        random = np.random.default_rng([77, seed])
        uniform = random.uniform
        self.mass, self.inertia, self.tilt = uniform(0.5, 2), uniform(0.05, 0.3), uniform(-0.4, 0.4)
        self.place, self.speed = (0.0, uniform(0.7, 1), uniform(-1, 1)), uniform((-2, -2, -5), (2, 1, 5))
        self.radius, self.tip = uniform(0.2, 0.6), (uniform(-0.5, 0.5), -uniform(0.2, 0.5))
        self.half = uniform(0.2, 0.5, 2)
        self.kind = str(random.choice(["round", "point", "box"]))
        self.turns = self.kind == "box" or random.random() < 0.7
        self.mu = float(random.choice([0, uniform(0.1, 0.9)]))
        self.static = self.mu * uniform(1, 1.4) if random.random() < 0.4 else self.mu
        self.law = LAWS[int(random.integers(len(LAWS)))](float(random.choice([0, uniform(0.1, 0.8)])))
        self.belt = float(random.choice([0, uniform(-1, 1)]))
        self.shakes, self.often = float(random.choice([0, uniform(0.01, 0.05)])), uniform(2, 8)
        resists = self.kind == "round" and self.turns
        self.rolling = float(random.choice([0, uniform(0.005, 0.05)])) if resists else 0.0

    def system(self, in_space: bool) -> detent.System:
        system = detent.System("scene")
        ground = system.ground
        up = ground.z if in_space else ground.y
        x, z = system.coordinates(x=self.place[0], z=self.place[1])
        system.start(x_rate=self.speed[0], z_rate=self.speed[1])
        center = system.origin.offset("center", x * ground.x + z * up)
        if self.turns:
            angle = system.coordinates(angle=self.place[2])
            system.start(angle_rate=self.speed[2])
            # With x to the right and z up, counter-clockwise is about -y.
            frame = ground.rotated("turned", -angle, about="y") if in_space else ground.rotated("turned", angle)
            body = system.body("body", center, frame, self.mass, (self.inertia,) * 3 if in_space else self.inertia)
        else:
            body = system.particle("body", center, self.mass)
        system.gravity(G * (np.sin(self.tilt) * ground.x - np.cos(self.tilt) * up))
        seat = system.origin.offset("seat", self.shakes * sympy.sin(self.often * system.time) * up)
        floor = ground.plane(at=seat, moving=(self.belt, 0)) if in_space else ground.line(at=seat, moving=self.belt)
        friction = detent.Coulomb(self.mu, static=self.static, rolling=self.rolling)
        system.contact("body|floor", self._shape(body, in_space), floor, friction=friction, impact=self.law)
        return system

    def _shape(self, body: Any, in_space: bool) -> Any:
        if self.kind == "round":
            return body.sphere(self.radius) if in_space else body.circle(self.radius)
        if self.kind == "point":
            across, up = self.tip if self.turns else (0.0, 0.0)
            return body.point((across, 0, up) if in_space else (across, up))
        a, b = self.half
        return body.box(2 * a, 0.7, 2 * b) if in_space else body.polygon((-a, -b), (a, -b), (a, b), (-a, b))


def compare(seed: int) -> None:
    scene = Scene(seed)
    flat, deep = (
        detent.simulate(scene.system(in_space), until=1.5, rtol=1e-11, atol=1e-13) for in_space in (False, True)
    )
    times = [
        [event.time for event in run.events if event.kind in ("impact", "zeno", "transition")] for run in (flat, deep)
    ]
    assert len(times[0]) == len(times[1])
    assert times[0] == pytest.approx(times[1], abs=1e-7)  # of what bounces for long; it is 1e-11 before
    for name in ("x", "z", *(["angle"] if scene.turns else [])):
        assert flat[name][-1] == pytest.approx(deep[name][-1], abs=1e-6)


@pytest.mark.parametrize("seed", range(3))
def test_what_stays_in_a_plane_moves_as_it_does_there(seed: int) -> None:
    compare(seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3, 200))
def test_what_stays_in_a_plane_moves_as_it_does_there_in_all_scenes(seed: int) -> None:
    compare(seed)


def test_a_belt_that_runs_across_brakes_less_along() -> None:
    """Friction is against all of the slip, of which a part is across the way of what slides: that never ends."""
    system = detent.System("across")
    ground = system.ground
    x, z = system.coordinates("x", "z")
    body = system.particle("body", system.origin.offset("body", x * ground.x + z * ground.z), 1)
    system.gravity(2 * ground.x - G * ground.z)
    system.start(x_rate=1)
    system.contact("body|belt", body.point(), ground.plane(moving=(0.3, 0.7)), friction=detent.Coulomb(0.3))
    run = detent.simulate(system, until=2, rtol=1e-11)

    def rates(time: float, state: Any) -> list[float]:
        slip = state[1] - 0.3
        return [state[1], 2 - 0.3 * G * slip / np.hypot(slip, 0.7)]

    known = solve_ivp(rates, (0, 2), [0, 1], method="DOP853", rtol=1e-12, atol=1e-13).y[:, -1]
    assert not run.events
    assert [run["x"][-1], run["x_rate"][-1]] == pytest.approx(known, abs=1e-9)


def test_a_ball_that_only_falls_may_have_friction() -> None:
    """It cannot slip, so that it bounces as one without friction does."""
    rests = []
    for friction in (None, detent.Coulomb(0.3)):
        system = detent.System("ball")
        height = system.coordinates(height=1)
        ball = system.particle("ball", system.origin.offset("ball", height * system.ground.y), 1)
        system.gravity(-G * system.ground.y)
        law = detent.Poisson(0.5)
        system.contact("ball|floor", ball.point(), system.ground.line(), friction=friction, impact=law)
        rests.append(detent.simulate(system, until=2).events.of_kind("zeno")[0].time)
    assert rests[0] == rests[1] == pytest.approx(3 * np.sqrt(2 / G), abs=1e-12)
