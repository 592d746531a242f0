"""Disks on random spline profiles, and where they go by a second method that shares nothing with the library.

A disk in the plane slides without friction, rolls, or flies above a cubic spline. Flight is a parabola; whether the
disk touches is asked of the nearest of thousands of points of the spline, made exact by a bounded search. On the
profile the motion is that of one coordinate, the parameter u of the spline, by SciPy's DOP853:

    P(u) = c(u) + r n(u),   (1 + k) (P'.P' u'' + P'.P'' u'^2) = -g P'_y,   N/m = P'' _|_ part + g n_y

with k = I/(m r^2) for a disk that rolls and 0 for one that slides.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from scipy.integrate import solve_ivp
from scipy.interpolate import CubicSpline
from scipy.optimize import brentq, minimize_scalar

import detent

Array = np.ndarray[Any, Any]
G = 9.81
INERTIA = 0.5
"""k of a disk."""
FINE = 4000


class TwoPlaces(Exception):
    """The disk touches the profile in two places, or lies in it as closely as it bends."""


class Unclear(Exception):
    """What the second method cannot tell well: grazing, the end of the profile, an impact that friction just holds."""


@dataclass(frozen=True)
class Case:
    """A profile and a start: the disk's centre and velocity."""

    points: Array
    radius: float
    law: Literal["slide", "bounce", "roll"]
    place: Array
    velocity: Array
    until: float = 2.0

    def system(self) -> detent.System:
        system = detent.System("disk on a profile")
        joint = system.planar("disk", system.origin, system.ground)
        disk = system.body("disk", joint.point, joint.frame, 1, INERTIA * self.radius**2)
        system.gravity(-G * system.ground.y)
        system.start(disk_x=self.place[0], disk_y=self.place[1])
        system.start(disk_x_rate=self.velocity[0], disk_y_rate=self.velocity[1])
        friction = detent.Coulomb(200) if self.law == "roll" else None
        impact = detent.Poisson(1 if self.law == "bounce" else 0)
        profile = system.ground.profile([tuple(map(float, point)) for point in self.points])
        system.contact("disk|profile", disk.circle(self.radius), profile, friction=friction, impact=impact)
        return system


def random_case(seed: int, *more: int) -> Case:
    """A bowl with bumps, and a disk that starts above it."""
    random = np.random.default_rng([seed, *more])
    x = np.linspace(-4, 4, int(random.integers(7, 13))) + random.uniform(-0.1, 0.1, 1)
    y = 0.35 * x**2 + random.uniform(-0.35, 0.35, len(x))
    law: Any = ("slide", "bounce", "roll")[int(random.integers(3))]
    radius = float(random.uniform(0.05, 0.5))
    place = np.array([random.uniform(-1.5, 1.5), random.uniform(1.2, 3.0) + radius])
    return Case(np.column_stack([x, y]), radius, law, place, np.array([random.uniform(-2, 2), random.uniform(-1, 1)]))


@dataclass
class Answer:
    """Where the disk is at the end, and when it met the profile or left it."""

    place: Array
    events: list[float] = field(default_factory=list)


class SecondMethod:
    """Follows the disk of a case."""

    def __init__(self, case: Case) -> None:
        self.case = case
        at = np.concatenate([[0], np.cumsum(np.linalg.norm(np.diff(case.points, axis=0), axis=1))])
        self.low, self.high = 0.0, float(at[-1])
        self.curve = [CubicSpline(at, case.points)]
        self.curve += [self.curve[0].derivative(k) for k in (1, 2, 3)]
        self.u = np.linspace(self.low, self.high, FINE)
        self.fine = self.curve[0](self.u)

    # -- the profile -------------------------------------------------------------------------------

    def normal(self, u: float) -> Array:
        x, y = self.curve[1](u)
        return np.array([-y, x]) / math.hypot(x, y)

    def centre(self, u: float) -> tuple[Array, Array, Array]:
        """P, P' and P'' of the centre of a disk that touches at u."""
        c, c1, c2, c3 = (curve(u) for curve in self.curve)
        speed = math.hypot(*c1)
        normal = np.array([-c1[1], c1[0]]) / speed
        bend = c1[0] * c2[1] - c1[1] * c2[0]
        k = bend / speed**3
        change = (c1[0] * c3[1] - c1[1] * c3[0]) / speed**3 - 3 * bend * (c1 @ c2) / speed**5
        r = self.case.radius
        if 1 - r * k <= 1e-3:
            raise TwoPlaces
        return c + r * normal, (1 - r * k) * c1, (1 - r * k) * c2 - r * change * c1

    def gap(self, place: Array) -> tuple[float, float]:
        """The gap at the nearest point of all, and where that is."""
        squares = ((self.fine - place) ** 2).sum(axis=1)
        around = (squares[1:-1] <= squares[:-2]) & (squares[1:-1] <= squares[2:])
        found = []
        for i in np.flatnonzero(around) + 1:
            if squares[i] > squares.min() * 1.05 + 1e-6:
                continue
            bounds = (self.u[i - 1], self.u[i + 1])

            def slope(u: float) -> float:
                return float((self.curve[0](u) - place) @ self.curve[1](u))

            if slope(bounds[0]) < 0 < slope(bounds[1]):
                u = brentq(slope, *bounds, xtol=1e-15, rtol=1e-15)
            else:
                u = minimize_scalar(lambda u: float(((self.curve[0](u) - place) ** 2).sum()), bounds=bounds,
                                    method="bounded", options={"xatol": 1e-12}).x  # fmt: skip
            found.append((float(np.linalg.norm(self.curve[0](u) - place)) - self.case.radius, float(u)))
        if not found or squares.argmin() in (0, FINE - 1):
            raise Unclear
        return min(found)

    # -- motions -----------------------------------------------------------------------------------

    def run(self) -> Answer:
        case, time, events = self.case, 0.0, []
        place, velocity, spin = case.place, case.velocity, 0.0
        if self.gap(place)[0] < 1e-3:
            raise Unclear
        while True:
            met = self._flight(place, velocity, case.until - time)
            fall = np.array([0, -G])
            if met is None:
                left = case.until - time
                return Answer(place + velocity * left + fall * left**2 / 2, events)
            place, velocity, time = place + velocity * met + fall * met**2 / 2, velocity + fall * met, time + met
            events.append(time)
            if len(events) > 4:
                raise Unclear
            _, u = self.gap(place)
            normal = self.normal(u)
            along = np.array([normal[1], -normal[0]])
            if velocity @ normal > -0.05:
                raise Unclear
            if case.law == "bounce":
                velocity = velocity - 2 * (velocity @ normal) * normal
                continue
            speed = velocity @ along
            if case.law == "roll":
                impulse = -(speed + case.radius * spin) / (1 + 1 / INERTIA)
                if abs(impulse) > 100 * abs(velocity @ normal):
                    raise Unclear
                speed += impulse
            found = self._on_profile(u, speed, case.until - time)
            if found is None:
                raise Unclear
            u, rate, spent = found
            place, way, _ = self.centre(u)
            velocity, time = way * rate, time + spent
            if time >= case.until - 1e-12:
                return Answer(place, events)
            if case.law == "roll":
                raise Unclear  # near its lift-off it slips for an instant
            events.append(time)
            place, velocity, time = self._clear(place, velocity, time)

    def _clear(self, place: Array, velocity: Array, time: float) -> tuple[Array, Array, float]:
        """A moment after lift-off: where the gap has become more than rounding."""
        step = 0.02
        after = place + velocity * step + np.array([0, -G]) * step**2 / 2
        if time + step > self.case.until or self.gap(after)[0] < 1e-9:
            raise Unclear
        return after, velocity + np.array([0, -G]) * step, time + step

    def _flight(self, place: Array, velocity: Array, span: float) -> float | None:
        """When the disk meets the profile."""
        fall = np.array([0, -G])

        def gap(t: float) -> float:
            return self.gap(place + velocity * t + fall * t**2 / 2)[0]

        before = 0.0
        for t in np.linspace(0, span, max(2, int(span / 2e-3)))[1:]:
            now = gap(t)
            if now < 0:
                return float(brentq(gap, before, t, xtol=1e-15, rtol=1e-14))
            if now < 1e-5:
                raise Unclear  # it may graze between two looks
            before = t
        return None

    def _on_profile(self, u: float, speed: float, span: float) -> tuple[float, float, float] | None:
        """Along the profile until the end, or until the normal force is zero: u, u' and how long."""
        inertia = 1 + (INERTIA if self.case.law == "roll" else 0)

        def rates(t: float, x: Array) -> list[float]:
            _, way, bend = self.centre(x[0])
            return [x[1], (-G * way[1] / inertia - way @ bend * x[1] ** 2) / (way @ way)]

        def force(t: float, x: Array) -> float:
            _, way, bend = self.centre(x[0])
            normal = self.normal(x[0])
            rate = rates(t, x)[1]
            return float((way * rate + bend * x[1] ** 2) @ normal + G * normal[1])

        force.terminal, force.direction = True, -1  # type: ignore[attr-defined]
        _, way, _ = self.centre(u)
        start = [u, speed / math.hypot(*way)]
        if force(0, np.array(start)) < 0.05:
            return None
        found = solve_ivp(rates, (0, span), start, method="DOP853", rtol=1e-12, atol=1e-13, events=force, max_step=0.01)
        for x in found.y.T[:: max(1, len(found.t) // 200)]:
            if not self.low + 0.1 < x[0] < self.high - 0.1:
                raise Unclear
            if self.gap(self.centre(x[0])[0])[0] < -1e-7:
                raise TwoPlaces
        return float(found.y[0, -1]), float(found.y[1, -1]), float(found.t[-1])


def verdict(case: Case) -> str:
    """``right``, ``refused`` (and rightly so), ``unclear`` to the second method, or what is wrong."""
    try:
        answer: Answer | None = SecondMethod(case).run()
    except TwoPlaces:
        answer = None
    except Unclear:
        return "unclear"
    try:
        run = detent.simulate(case.system(), until=case.until, rtol=1e-11)
    except detent.errors.SimulationError as error:
        if error.run.outcome.word == "nearest-point":
            return "refused" if answer is None else f"wrong: refused, {error}"
        return f"wrong: {error}"
    if answer is None:
        return "wrong: went on where it touches in two places"
    away = float(np.hypot(run.final.disk_x - answer.place[0], run.final.disk_y - answer.place[1]))
    return "right" if away < 1e-7 else f"wrong: {away:.3g} m away, events {answer.events}"
