"""Where balls in a room go, by a second method that needs no integration.

Between impacts everything flies on parabolas and turns evenly: gaps are known functions of the time, whose first zero
is walked up to by steps that are shorter than the gap allows. Impacts of round bodies are central: normal and
tangential speeds do not mix, and slip keeps its direction, so that they have closed forms.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import brentq

from tests.physics.random_rooms import G, Room

Array = np.ndarray[Any, Any]
NEAR, SLOW, TOGETHER = 1e-6, 1e-2, 1e-7
"""A gap (m) from which on its zero is looked for; a speed (m/s) below which an impact is too close to grazing; impacts
that are no farther apart (s) are too close to tell which is the first."""


class Unsure(Exception):
    """What happens next, at the time that it tells, is too close to call."""


@dataclass(frozen=True)
class Told:
    """An impact, and all velocities and spins after it."""

    time: float
    name: str
    velocities: Array
    spins: Array


class Flight:
    """Where everything is."""

    def __init__(self, room: Room) -> None:
        self.room, self.t = room, 0.0
        self.place = np.array([ball.place for ball in room.balls])
        self.velocity = np.array([ball.velocity for ball in room.balls])
        self.spin = np.array([ball.spin for ball in room.balls])

    def at(self, k: int, t: float) -> Array:
        dt = t - self.t
        return np.asarray(self.place[k] + self.velocity[k] * dt - G * dt**2 / 2 * self.room.up)

    def move(self, t: float) -> None:
        self.place = np.array([self.at(k, t) for k in range(len(self.place))])
        self.velocity = self.velocity - G * (t - self.t) * self.room.up
        self.t = t

    def gap(self, k: int, of: str | int, t: float) -> tuple[float, Array]:
        radius = self.room.balls[k].radius
        if isinstance(of, str):
            return self.room.walls[of].gap(t, self.at(k, t), radius)
        away = self.at(k, t) - self.at(of, t)
        apart = float(np.linalg.norm(away))
        return apart - radius - self.room.balls[of].radius, away / apart

    def _surface(self, k: int, at: Array) -> Array:
        """The velocity of a ball's own surface at a point, now."""
        return np.asarray(self.velocity[k] + np.cross(self.spin[k], at - self.place[k]))

    def _fastest(self, k: int, of: str | int, until: float) -> float:
        """What bounds the rate of a gap."""
        if not isinstance(of, str):
            return float(np.linalg.norm(self.velocity[k] - self.velocity[of])) + 1e-9
        wall, span = self.room.walls[of], until - self.t
        moves = float(np.linalg.norm(self.velocity[k])) + G * span + wall.fastest
        far = float(np.linalg.norm(self.place[k] - wall.center(self.t))) + moves * span
        return moves + (wall.angle.fastest * far if wall.kind == "flat" else 0.0)

    def first(self, k: int, of: str | int, leaves: bool, until: float) -> float | None:
        """When a gap becomes zero, if it does; where it is zero now, and opens, when it does so again."""
        t, fastest = self._opened(k, of, until) if leaves else self.t, self._fastest(k, of, until)
        while t < until:
            gap, _ = self.gap(k, of, t)
            if gap < 0:
                raise Unsure(t)
            if gap < NEAR:
                return self._zero(k, of, t, NEAR / fastest / 8)
            t += gap / fastest
        return None

    def _opened(self, k: int, of: str | int, until: float) -> float:
        step = 1e-7
        while (gap := self.gap(k, of, self.t + step)[0]) < 2 * NEAR:
            if gap < 0 or self.t + step > until:
                raise Unsure(self.t)
            step *= 1.1
        return self.t + step

    def _zero(self, k: int, of: str | int, t: float, step: float) -> float:
        """Where a gap that is nearly zero is so; it must not open before."""
        gap = self.gap(k, of, t)[0]
        while (after := self.gap(k, of, t + step)[0]) >= 0:
            if after > gap:
                raise Unsure(t)
            t, gap = t + step, after
        return float(brentq(lambda at: self.gap(k, of, at)[0], t, t + step, xtol=1e-15, rtol=1e-15))

    def strike(self, name: str, k: int, of: str | int) -> None:
        """The impact of two that touch now."""
        _, normal = self.gap(k, of, self.t)
        point = self.place[k] - self.room.balls[k].radius * normal
        other = self.room.walls[of].velocity(self.t, point) if isinstance(of, str) else self._surface(of, point)
        relative = self._surface(k, point) - other
        approach = -float(relative @ normal)
        if approach < SLOW:
            raise Unsure(self.t)
        slip = relative + approach * normal
        law, bodies = self.room.laws[name], [(k, 1.0), *([] if isinstance(of, str) else [(of, -1.0)])]
        balls = [self.room.balls[b] for b, _ in bodies]
        straight = sum(1 / ball.mass for ball in balls)
        across = straight + sum(ball.radius**2 / ball.inertia for ball in balls if ball.inertia is not None)
        push = (1 + law.restitution(approach)) * approach / straight
        size = float(np.linalg.norm(slip))
        rub = min(size / across, law.friction(self.t) * push)
        impulse = push * normal - (rub / size * slip if size > 0 else 0.0)
        for (b, sign), ball in zip(bodies, balls, strict=True):
            self.velocity[b] += sign * impulse / ball.mass
            if ball.inertia is not None:
                self.spin[b] += np.cross(point - self.place[b], sign * impulse) / ball.inertia


def followed(room: Room, until: float, most: int) -> tuple[list[Told], float]:
    """All impacts, and until when they are known."""
    flight, told = Flight(room), list[Told]()
    stops = sorted({time for time in (room.off, room.on) if room.way and time < until} | {until})
    try:
        for stop in stops:
            last = told[-1].name if told and told[-1].name != room.left_out else ""
            while (found := _next(flight, last, stop)) is not None:
                when, last, k, of = found
                flight.move(when)
                flight.strike(last, k, of)
                told.append(Told(when, last, flight.velocity.copy(), flight.spin.copy()))
                if len(told) == most:
                    return told, when
            flight.move(stop)
            if stop == room.on and room.way:
                _stand_apart(flight)
    except Unsure as unsure:
        return told, min(until, float(unsure.args[0]))
    return told, until


def _next(flight: Flight, last: str, stop: float) -> tuple[float, str, int, str | int] | None:
    """The next impact before a time, of the contacts that count until then."""
    found = []
    for name, k, of in flight.room.pairs:
        if flight.room.counts(name, (flight.t + stop) / 2):
            when = flight.first(k, of, name == last, stop)
            found += [(when, name, k, of)] if when is not None else []
    found.sort(key=lambda each: each[0])
    if len(found) > 1 and found[1][0] - found[0][0] < TOGETHER:
        raise Unsure(found[0][0])
    return found[0] if found and found[0][0] < stop else None


def _stand_apart(flight: Flight) -> None:
    """What begins to count now must not touch."""
    for name, k, of in flight.room.pairs:
        if name == flight.room.left_out and flight.gap(k, of, flight.t)[0] < 1e-3:
            raise Unsure(flight.t)
