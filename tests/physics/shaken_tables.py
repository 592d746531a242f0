"""Points and disks on lines that are shaken, turned and run like belts, all at once; and a second method.

A line goes through P(t), along e at the angle a(t), and runs along itself at b(t); n is its normal. What is on it
has its middle at P + s e + r n, so that

    N/m = g cos a + P''.n + 2 s' a' + s a'' - r a'^2            s'' = F/m - g sin a - P''.e + s a'^2 + r a''
    I w' = r F                                                  slip = s' - r a' + r w - b

F being friction along e. While it slips F = -mu N slip/|slip|; while it does not, F is what keeps it so.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import detent

G = 9.81
Array = np.ndarray[Any, Any]
HELD, SLIPS, OPEN = "held", "slips", "open"
CLOSE = 1e-6
"""Events (s) that are no farther apart than this are too close to tell their order."""


@dataclass(frozen=True)
class Wave:
    """a + b sin(c t + d), with its first two derivatives."""

    a: float = 0.0
    b: float = 0.0
    c: float = 1.0
    d: float = 0.0

    def __call__(self, t: float, order: int = 0) -> float:
        return (self.a if order == 0 else 0.0) + self.b * self.c**order * math.sin(
            self.c * t + self.d + order * math.pi / 2
        )

    def symbolic(self, t: Any) -> Any:
        return self.a + self.b * sympy.sin(self.c * t + self.d)


@dataclass(frozen=True)
class Table:
    x: Wave
    y: Wave
    angle: Wave
    belt: Wave


@dataclass(frozen=True)
class Law:
    """Kinetic mu (1 + swing sin(3 t))/(1 + fades slip), static the same at rest times ``more``."""

    mu: float
    swing: float
    fades: float
    more: float

    def kinetic(self, t: float, slip: float) -> float:
        return self.mu * (1 + self.swing * math.sin(3 * t)) / (1 + self.fades * abs(slip))

    def static(self, t: float) -> float:
        return self.more * self.kinetic(t, 0.0)

    def of(self, system: detent.System) -> detent.Coulomb:
        mu = self.mu * (1 + self.swing * sympy.sin(3 * system.time)) if self.swing else self.mu
        kinetic = mu / (1 + self.fades * system.slip_speed) if self.fades else mu
        return detent.Coulomb(kinetic, self.more * mu)


@dataclass(frozen=True)
class Rider:
    """What is on a table: at s, with s' and its spin; a point has no radius. ``push`` acts along e of the ground
    between two times; then ``later`` may be its law."""

    table: Table
    law: Law
    later: Law
    mass: float
    radius: float
    inertia: float
    s: float
    rate: float
    spin: float
    push: float

    @property
    def yields(self) -> float:
        return 1 / self.mass + (self.radius**2 / self.inertia if self.radius else 0.0)

    def slip(self, t: float, state: Array) -> float:
        _, rate, spin, _ = state
        return float(rate - self.radius * self.table.angle(t, 1) + self.radius * spin - self.table.belt(t))

    def along(self, t: float, state: Array, push: float) -> float:
        """s'' without friction."""
        a, table = self.table.angle(t), self.table
        pulled = (
            G * math.sin(a) + table.x(t, 2) * math.cos(a) + table.y(t, 2) * math.sin(a) - push / self.mass * math.cos(a)
        )
        return float(-pulled + state[0] * table.angle(t, 1) ** 2 + self.radius * table.angle(t, 2))

    def normal(self, t: float, state: Array, push: float) -> float:
        s, rate, _, _ = state
        a, table = self.table.angle(t), self.table
        lifted = (
            G * math.cos(a) - table.x(t, 2) * math.sin(a) + table.y(t, 2) * math.cos(a) + push / self.mass * math.sin(a)
        )
        turned = 2 * rate * table.angle(t, 1) + s * table.angle(t, 2) - self.radius * table.angle(t, 1) ** 2
        return float(self.mass * (lifted + turned))

    def holds(self, t: float, state: Array, push: float) -> float:
        """The friction that keeps slip as it is."""
        table = self.table
        needed = self.along(t, state, push) - self.radius * table.angle(t, 2) - table.belt(t, 1)
        return float(-needed / self.yields)


class Unsure(Exception):
    """What happens next is too close to call."""


@dataclass(frozen=True)
class Known:
    """What a rider did: when it changed to what, where it is at the end, and until when that is known."""

    told: list[tuple[float, str]]
    state: Array
    until: float


def followed(rider: Rider, changes: tuple[float, float], until: float) -> Known:
    """By SciPy, from status to status."""
    t, told = 0.0, list[tuple[float, str]]()
    state = np.array([rider.s, rider.rate, rider.spin, 0.0])
    status, side = _begins(rider, t, state, 0.0, rider.law)
    for end, push, law in _parts(rider, changes, until):
        if t and status == HELD:  # a push, or another law, may break it at once
            status, side = _after_rest(rider, t, state, push, law)
            told += [(t, SLIPS)] if status == SLIPS else []
        while t < end:
            t, state, why = _until_event(rider, t, state, push, law, status, side, end)
            if why == "":
                break
            if why == OPEN:
                return Known([*told, (t, OPEN)], state, t)
            before = side
            status, side = (
                _after_rest(rider, t, state, push, law) if status == SLIPS else (SLIPS, _breaks(rider, t, state, push))
            )
            if len(told) > 60:
                return Known(told, state, t)
            if status == SLIPS and before == side:
                raise Unsure
            told.append((t, status if before == 0 or status == HELD else "turns"))
    return Known(told, state, until)


def _parts(rider: Rider, changes: tuple[float, float], until: float) -> list[tuple[float, float, Law]]:
    first, second = changes
    return [(first, 0.0, rider.law), (second, rider.push, rider.law), (until, 0.0, rider.later)]


def _begins(rider: Rider, t: float, state: Array, push: float, law: Law) -> tuple[str, int]:
    slip = rider.slip(t, state)
    return (SLIPS, 1 if slip > 0 else -1) if abs(slip) > 1e-9 else _after_rest(rider, t, state, push, law)


def _after_rest(rider: Rider, t: float, state: Array, push: float, law: Law) -> tuple[str, int]:
    """What it does where its slip is zero."""
    holds, most = rider.holds(t, state, push), law.static(t) * rider.normal(t, state, push)
    if abs(abs(holds) - most) < 1e-6 * most:
        raise Unsure
    if abs(holds) < most:
        return HELD, 0
    return SLIPS, _breaks(rider, t, state, push)


def _breaks(rider: Rider, t: float, state: Array, push: float) -> int:
    return -1 if rider.holds(t, state, push) > 0 else 1


def _until_event(
    rider: Rider, t: float, state: Array, push: float, law: Law, status: str, side: int, end: float
) -> tuple[float, Array, str]:
    """Until its status may change, or the end; and why."""

    def friction(t: float, state: Array) -> float:
        if status == HELD:
            return rider.holds(t, state, push)
        return -side * law.kinetic(t, rider.slip(t, state)) * rider.normal(t, state, push)

    def rates(t: float, state: Array) -> list[float]:
        F = friction(t, state)
        spins = rider.radius * F / rider.inertia if rider.radius else 0.0
        return [state[1], rider.along(t, state, push) + F / rider.mass, spins, state[2]]

    def changes(t: float, state: Array) -> float:
        if status == HELD:
            return law.static(t) * rider.normal(t, state, push) - abs(rider.holds(t, state, push))
        return side * rider.slip(t, state)

    def opens(t: float, state: Array) -> float:
        return rider.normal(t, state, push)

    found = solve_ivp(rates, (t, end), state, method="DOP853", rtol=1e-12, atol=1e-13, max_step=0.01, dense_output=True)
    return _first_zero(found.sol, found.t, (changes, opens), t, end, found.y[:, -1])


def _zero(guard: Any, path: Any, low: float, high: float) -> float:
    return float(brentq(lambda t: guard(t, path(t)), low, high, xtol=1e-15, rtol=1e-15))


def _first_zero(
    path: Any, nodes: Array, guards: Any, begin: float, end: float, last: Array
) -> tuple[float, Array, str]:
    """The first time at which a guard falls below zero, by many looks at it."""
    first, why = end, ""
    for guard, word in zip(guards, ("changes", OPEN), strict=True):
        looked = np.unique(np.concatenate([np.linspace(begin, end, 4001)[1:], nodes[nodes > begin]]))
        values = np.array([guard(float(t), path(t)) for t in looked])
        near = np.abs(values[values > 0]).min(initial=math.inf) if word == OPEN else math.inf
        if near < 1e-9:
            raise Unsure
        below = np.flatnonzero(values < 0)
        if len(below) and looked[below[0]] <= first:
            k = int(below[0])
            if k == 0:
                raise Unsure
            at = _zero(guard, path, looked[k - 1], looked[k])
            if why and abs(at - first) < CLOSE:
                raise Unsure
            if at < first:
                first, why = at, word
    return first, (path(first) if why else last), why


# -- as a user has it -----------------------------------------------------------------------------------------


def system_of(riders: list[Rider], by_mode: bool) -> detent.System:
    """All riders, each on its table, with contacts r0, r1, ...; pushes act in modes, or by the parameter ``part``."""
    system = detent.System("shaken tables")
    part = 1 if by_mode else system.parameters(part=0)
    t, ground = system.time, system.ground
    system.gravity(-G * ground.y)
    for k, rider in enumerate(riders):
        table, name = rider.table, f"r{k}"
        seat = system.origin.offset(f"seat {k}", table.x.symbolic(t) * ground.x + table.y.symbolic(t) * ground.y)
        frame = ground.rotated(f"table {k}", table.angle.symbolic(t))
        line = frame.line(at=seat, moving=table.belt.symbolic(t))
        place, velocity = _start(rider)
        if rider.radius:
            joint = system.planar(name, system.origin, ground)
            body: Any = system.body(name, joint.point, joint.frame, rider.mass, rider.inertia)
            shape = body.circle(rider.radius)
            system.start(**{f"{name}_angle_rate": rider.spin})
        else:
            x, y = system.coordinates(f"{name}_x", f"{name}_y")
            body = system.particle(name, system.origin.offset(name, x * ground.x + y * ground.y), rider.mass)
            shape = body.point()
        system.start(
            **{
                f"{name}_x": place[0],
                f"{name}_y": place[1],
                f"{name}_x_rate": velocity[0],
                f"{name}_y_rate": velocity[1],
            }
        )
        system.force(f"push {k}", body, part * rider.push * ground.x, active=not by_mode)
        system.contact(name, shape, line, friction=rider.law.of(system))
    return system


def _start(rider: Rider) -> tuple[Array, Array]:
    table = rider.table
    a, turns = table.angle(0.0), table.angle(0.0, 1)
    e, n = np.array([math.cos(a), math.sin(a)]), np.array([-math.sin(a), math.cos(a)])
    place = place_of(rider, 0.0, np.array([rider.s]))
    velocity = (
        np.array([table.x(0.0, 1), table.y(0.0, 1)]) + rider.rate * e + rider.s * turns * n - rider.radius * turns * e
    )
    return place, velocity


def place_of(rider: Rider, t: float, state: Array) -> Array:
    """Where its middle is."""
    a = rider.table.angle(t)
    e, n = np.array([math.cos(a), math.sin(a)]), np.array([-math.sin(a), math.cos(a)])
    found: Array = np.array([rider.table.x(t), rider.table.y(t)]) + state[0] * e + rider.radius * n
    return found


def random_rider(random: np.random.Generator) -> Rider:
    def between(low: float, high: float) -> float:
        return float(random.uniform(low, high))

    def wave(a: float, b: float, often: float = 8.0) -> Wave:
        return Wave(a, between(0, 1) * b, between(1, often), between(0, 6)) if random.integers(3) else Wave(a)

    table = Table(wave(0, 0.15), wave(0, 0.05), wave(between(-0.3, 0.3), 0.15, 5), wave(between(-1, 1), 1.0))
    swing, fades = (float(random.choice([0.0, between(0, most)])) for most in (0.7, 1.0))
    first = Law(between(0.1, 0.8), swing, fades, float(random.choice([1.0, between(1, 1.5)])))
    later = first if random.integers(2) else Law(between(0.1, 0.8), 0.0, 0.0, 1.0)
    radius = float(random.choice([0.0, between(0.1, 0.5)]))
    mass = float(10 ** between(-1, 1))
    inertia = mass * radius**2 * between(0.2, 0.9)
    rate = between(-2, 2)
    return Rider(
        table, first, later, mass, radius, inertia, between(-1, 1), rate, between(-4, 4), between(-4, 4) * mass
    )
