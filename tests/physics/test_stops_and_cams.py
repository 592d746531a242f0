"""Impacts of what is driven: a mass that strikes a stop, and a follower on an eccentric cam, in closed form between.

The mass obeys m x'' = push - k x + A cos(w t) and strikes a wall, with a restitution that may fall with the speed of
approach: one contact without friction, where Poisson's, Newton's and Stronge's laws are one. The follower is a point,
or a flat plate, above a disk that turns about a point off its centre: it leaves where its force would have to pull,
m (h'' + g) + k h = 0 with h the lift, flies, and meets the cam again.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
import sympy
from scipy.optimize import brentq

import detent

G = 9.81
Flight = Callable[[float], tuple[float, float]]
"""Place and speed at a time."""
SLOW = 0.02
"""Slower impacts (m/s) are followed by flights that are too short to look for."""


def first_zero(gap: Callable[[float], float], begins: float, until: float, step: float) -> float | None:
    """Where a gap that is open closes; None where it does not in time."""
    t = begins
    while t < until and gap(t + step) > 0:
        t += step
    return None if t >= until else brentq(gap, t, t + step, xtol=1e-15)


def check_events(run: detent.Run, expected: list[tuple[float, str]], within: float, seed: int) -> None:
    found = [event for event in run.events if event.kind in ("transition", "impact", "zeno")]
    assert len(found) == len(expected), (seed, found, expected)
    for event, (time, word) in zip(found, expected, strict=True):
        assert event.time == pytest.approx(time, abs=within), seed
        assert word in event.name, seed


# -- a stop ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Stop:
    """A mass before a wall; where there is no spring a constant force may push it."""

    mass: float
    stiffness: float
    push: float
    size: float
    often: float
    wall: float
    restitution: float
    fades: float
    kind: int
    law: str
    place: float
    speed: float

    def bounce(self, approach: Any, exp: Any = math.exp) -> Any:
        e, v = self.restitution, self.fades
        return (e + 0 * approach, e * exp(-approach / v), e / (1 + approach / v))[self.kind]

    def system(self) -> detent.System:
        system = detent.System("stop")
        x = system.coordinates(x=self.place)
        system.start(x_rate=self.speed)
        mass = system.particle("mass", system.origin.offset("mass", x * system.ground.x), self.mass)
        drive = self.push - self.stiffness * x + self.size * sympy.cos(self.often * system.time)
        system.force("drive", mass, drive * system.ground.x)
        law = getattr(detent, self.law)(self.bounce(system.approach_speed, sympy.exp))
        system.contact("mass|wall", mass.point(), system.ground.line(at=(self.wall, 0), along="y"), impact=law)
        return system

    def flight(self, begins: float, place: float, speed: float) -> Flight:
        often, by_mass = self.often, self.size / self.mass

        def on_spring(t: float) -> tuple[float, float]:
            own = math.sqrt(self.stiffness / self.mass)
            far = by_mass / (own**2 - often**2)
            a, b = place - far * math.cos(often * begins), (speed + far * often * math.sin(often * begins)) / own
            c, s = math.cos(own * (t - begins)), math.sin(own * (t - begins))
            driven = far * math.cos(often * t), -far * often * math.sin(often * t)
            return a * c + b * s + driven[0], (b * c - a * s) * own + driven[1]

        def freely(t: float) -> tuple[float, float]:
            far, since = -by_mass / often**2, t - begins
            drift, turned = (
                speed + far * often * math.sin(often * begins),
                math.cos(often * t) - math.cos(often * begins),
            )
            x = place + far * turned + drift * since + self.push / self.mass * since**2 / 2
            return x, drift - far * often * math.sin(often * t) + self.push / self.mass * since

        return on_spring if self.stiffness else freely

    def answer(self, until: float) -> tuple[list[tuple[float, str]], float]:
        """The impacts, and until when they are known."""
        flight, begins, told = self.flight(0.0, self.place, self.speed), 0.0, list[tuple[float, str]]()
        while True:
            gap = lambda t, flight=flight: self.wall - flight(t)[0]  # noqa: E731
            found = first_zero(gap, begins, until, 1e-3) if gap(begins) > 0 else told[-1][0] + 2e-6
            if found is None:
                return told, until
            approach = flight(found)[1] if gap(begins) > 0 else 0.0
            if approach < SLOW:
                return [each for each in told if each[0] < found - 1e-6], found - 1e-6
            told.append((found, "bounce"))
            leaves = self.bounce(approach) * approach
            flight, begins = self.flight(found, self.wall, -leaves), found + 1e-4 * min(1.0, leaves)


def random_stop(seed: int) -> Stop:
    random = np.random.default_rng([seed, 2])
    mass, stiffness = float(10 ** random.uniform(-1, 1)), float(random.choice([0, random.uniform(0.1, 30)]))
    size, often, wall = (float(value) for value in random.uniform((0.5, 0.5, -0.5), (20, 9, 0.5)))
    own = math.sqrt(stiffness / mass)
    often += 0.7 if abs(often - own) < 0.3 else 0.0  # the closed form is another at resonance
    push = 0.0 if stiffness else float(random.choice([0, 1]))
    restitution, fades = (float(value) for value in random.uniform((0.3, 0.5), (0.95, 5)))
    law, kind = str(random.choice(["Poisson", "Newton", "Stronge"])), int(random.integers(0, 3))
    place, speed = wall - float(random.uniform(0.1, 1)), float(random.uniform(0, 2))
    return Stop(mass, stiffness, push, size, often, wall, restitution, fades, kind, law, place, speed)


def check_stop(seed: int) -> None:
    stop = random_stop(seed)
    told, until = stop.answer(5.0)
    check_events(detent.simulate(stop.system(), until=until, rtol=1e-12), told, 1e-7, seed)


def test_a_driven_mass_strikes_its_stop_when_the_closed_form_says() -> None:
    for seed in range(6):
        check_stop(seed)


@pytest.mark.slow
def test_hundreds_of_driven_masses_strike_their_stops_when_the_closed_form_says() -> None:
    for seed in range(6, 406):
        check_stop(seed)


# -- a cam -------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Cam:
    """A disk that turns about a point off its centre, and above it a follower with a spring."""

    radius: float
    off: float
    turning: float
    mass: float
    stiffness: float
    restitution: float
    flat: bool
    shape: str

    def lift(self, t: float) -> tuple[float, float, float]:
        """How high the follower is on the cam, with two derivatives."""
        e, w, c, s = self.off, self.turning, math.cos(self.turning * t), math.sin(self.turning * t)
        if self.flat:
            return self.radius + e * s, e * w * c, -e * w * w * s
        root = math.sqrt(self.radius**2 - (e * c) ** 2)
        second = -e * w * w * s + (e * w) ** 2 * (c * c - s * s) / root - (e * e * w * c * s) ** 2 / root**3
        return e * s + root, e * w * c + e * e * w * c * s / root, second

    def force(self, t: float) -> float:
        height, _, second = self.lift(t)
        return self.mass * (second + G) + self.stiffness * height

    def system(self) -> detent.System:
        system = detent.System("cam")
        cam = system.ground.rotated("cam", self.turning * system.time)
        centre = system.origin.offset("centre", self.off * cam.x)
        height, rate, _ = self.lift(0.0)
        y = system.coordinates(y=height)
        system.start(y_rate=rate)
        follower = system.particle("follower", system.origin.offset("follower", y * system.ground.y), self.mass)
        system.gravity(-G * system.ground.y)
        if self.stiffness:
            system.spring("spring", y, self.stiffness)
        rim = (
            cam.arc(self.radius, 0, 2 * sympy.pi, at=centre)
            if self.shape == "arc"
            else cam.circle(self.radius, at=centre)
        )
        reach = 3 * self.radius
        plate = follower.segment((reach, 0), (-reach, 0)) if self.shape == "segment" else follower.line(along="-x")
        touches = plate if self.flat else follower.point()
        system.contact("follower|cam", touches, rim, impact=detent.Poisson(self.restitution))
        return system

    def flight(self, begins: float, height: float, rate: float) -> Flight:
        own = math.sqrt(self.stiffness / self.mass)

        def on_spring(t: float) -> tuple[float, float]:
            rests, c, s = -self.mass * G / self.stiffness, math.cos(own * (t - begins)), math.sin(own * (t - begins))
            return rests + (height - rests) * c + rate / own * s, rate * c - (height - rests) * own * s

        def freely(t: float) -> tuple[float, float]:
            since = t - begins
            return height + rate * since - G * since**2 / 2, rate - G * since

        return on_spring if self.stiffness else freely

    def answer(self, until: float) -> tuple[list[tuple[float, str]], float]:
        """What happens, and until when it is known."""
        t, told, step, closed = 0.0, list[tuple[float, str]](), 0.002 / self.turning, True
        flight, begins = self.flight(0.0, 0.0, 0.0), 0.0
        while len(told) < 40:
            if closed:
                left = first_zero(self.force, t, until, step)
                if left is None:
                    return told, until
                told.append((left, "open"))
                flight, begins, closed = self.flight(left, *self.lift(left)[:2]), left + 1e-4, False
                continue
            gap = lambda t, flight=flight: flight(t)[0] - self.lift(t)[0]  # noqa: E731
            if gap(begins) <= 0:
                break
            met = first_zero(gap, begins, until, step)
            if met is None:
                return told, until
            t, (height, rate, second) = met, self.lift(met)
            approach, presses = rate - flight(t)[1], self.force(t)
            if approach < 1e-3 or abs(presses) < 1e-6:
                told.append((t, ""))
                break
            closed = self.restitution == 0.0 and presses > 0
            told.append((t, "slip" if closed else "bounce" if self.restitution else ""))
            leaves = self.restitution * approach
            falls = abs(G + second + self.stiffness * height / self.mass)
            flight, begins = (
                self.flight(t, height, rate + leaves),
                t + min(1e-5, 0.2 * leaves / falls if leaves else 1e-5),
            )
        known = told[-1][0] - 1e-9
        return [each for each in told if each[0] < known], known


def random_cam(seed: int) -> Cam:
    random = np.random.default_rng([seed, 3])
    radius = float(random.uniform(0.5, 2))
    off, turning, mass = (float(value) for value in random.uniform((0.1 * radius, 1, 0.2), (0.6 * radius, 12, 3)))
    stiffness = float(random.choice([0, random.uniform(1, 60)]))
    restitution, flat = float(random.choice([0, random.uniform(0.1, 0.7)])), bool(random.integers(0, 2))
    shape = str(random.choice(["line", "segment"] if flat else ["circle", "arc"]))
    return Cam(radius, off, turning, mass, stiffness, restitution, flat, shape)


def check_cam(seed: int) -> bool:
    """Whether the follower starts on its cam."""
    cam = random_cam(seed)
    if cam.force(0.0) < 1e-6:
        return False
    told, until = cam.answer(3.0)
    check_events(detent.simulate(cam.system(), until=until, rtol=1e-11), told, 1e-8, seed)
    return True


def test_a_follower_leaves_its_cam_and_comes_back_when_the_closed_form_says() -> None:
    assert sum(check_cam(seed) for seed in range(8)) >= 6


@pytest.mark.slow
def test_hundreds_of_followers_leave_their_cams_and_come_back_when_the_closed_form_says() -> None:
    assert sum(check_cam(seed) for seed in range(8, 408)) > 300
