"""Disks and balls that nothing pulls: momentum stays, energy does not grow, nothing overlaps, lossless runs go back.

Two to four disks in the plane, or balls in space, of masses from 0.01 to 100, with or without friction, run into one
another. Momentum and angular momentum are worked out here, from places, velocities and spins.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

import detent

UNTIL = 4.0


@dataclass(frozen=True)
class Ball:
    place: np.ndarray
    velocity: np.ndarray
    spin: np.ndarray
    radius: float
    mass: float
    inertia: float


@dataclass(frozen=True)
class Table:
    balls: tuple[Ball, ...]
    space: bool
    friction: float
    restitution: float
    law: str

    @property
    def letters(self) -> str:
        return "xyz" if self.space else "xy"

    def system(self) -> detent.System:
        system, shapes = detent.System("billiards"), list[detent.Shape]()
        law = getattr(detent, self.law)(self.restitution)
        for number, ball in enumerate(self.balls):
            name = f"b{number}"
            joint = (system.free if self.space else system.planar)(name, system.origin, system.ground)
            inertia = (ball.inertia,) * 3 if self.space else ball.inertia
            body = system.body(name, joint.point, joint.frame, ball.mass, inertia)
            places = zip(self.letters, ball.place, ball.velocity, strict=True)
            system.start(**{key: value for a, x, v in places for key, value in
                            ((f"{name}_{a}", float(x)), (f"{name}_{a}_rate", float(v)))})  # fmt: skip
            spins = zip("xyz", ball.spin, strict=True)
            turning = (
                {f"{name}_w{a}": float(w) for a, w in spins} if self.space else {f"{name}_angle_rate": ball.spin[2]}
            )
            system.start(**turning)
            shape = body.sphere(ball.radius) if self.space else body.circle(ball.radius)
            friction = detent.Coulomb(self.friction) if self.friction else None
            for other, touched in enumerate(shapes):
                system.contact(f"b{other}|{name}", touched, shape, friction=friction, impact=law)
            shapes.append(shape)
        return system

    def columns(self, run: detent.Run, number: int, ending: str) -> np.ndarray:
        known = [run[f"b{number}_{a}{ending}"] for a in self.letters]
        return np.stack([*known, *[np.zeros_like(run.time)] * (3 - len(known))], axis=1)

    def spins(self, run: detent.Run, number: int) -> np.ndarray:
        """Along the axes of the ground."""
        if not self.space:
            zero = np.zeros_like(run.time)
            return np.stack([zero, zero, run[f"b{number}_angle_rate"]], axis=1)
        own = np.stack([run[f"b{number}_w{a}"] for a in "xyz"], axis=1)
        q = np.stack([run[f"b{number}_q{a}"] for a in "wxyz"], axis=1)
        q /= np.linalg.norm(q, axis=1, keepdims=True)
        return own + 2 * q[:, :1] * np.cross(q[:, 1:], own) + 2 * np.cross(q[:, 1:], np.cross(q[:, 1:], own))

    def totals(self, run: detent.Run) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Momentum, angular momentum and energy along a run."""
        P, L, E = np.zeros((len(run.time), 3)), np.zeros((len(run.time), 3)), np.zeros(len(run.time))
        for number, ball in enumerate(self.balls):
            x, v, w = self.columns(run, number, ""), self.columns(run, number, "_rate"), self.spins(run, number)
            P += ball.mass * v
            L += ball.mass * np.cross(x, v) + ball.inertia * w
            E += ball.mass * (v**2).sum(axis=1) / 2 + ball.inertia * (w**2).sum(axis=1) / 2
        return P, L, E


def random_table(seed: int) -> Table:
    random = np.random.default_rng([seed, 7])
    space, count = bool(random.integers(0, 2)), int(random.integers(2, 5))
    size, balls = 3 if space else 2, list[Ball]()
    while len(balls) < count:
        radius, place = float(random.uniform(0.1, 0.6)), random.uniform(-1.5, 1.5, size)
        if all(np.linalg.norm(place - ball.place) > radius + ball.radius + 0.01 for ball in balls):
            mass = float(10 ** random.uniform(-2, 2))
            velocity = -place * random.uniform(0.3, 2) + random.uniform(-0.3, 0.3, size)
            inertia = mass * radius**2 * float(random.uniform(0.2, 0.66))
            balls.append(Ball(place, velocity, random.uniform(-6, 6, 3), radius, mass, inertia))
    friction = float(random.choice([0, random.uniform(0.05, 1.0), 10]))
    restitution = float(random.choice([0, 1, random.uniform(0.2, 0.95)]))
    return Table(tuple(balls), space, friction, restitution, str(random.choice(["Poisson", "Stronge"])))


def check(seed: int) -> int:
    """How many impacts there were."""
    table = random_table(seed)
    system = table.system()
    run = detent.simulate(system, until=UNTIL, rtol=1e-10)
    P, L, E = table.totals(run)
    mass = sum(ball.mass for ball in table.balls)
    assert np.abs(P - P[0]).max() < 1e-8 * mass, seed
    assert np.abs(L - L[0]).max() < 3e-8 * mass, seed
    assert np.diff(E).max() < 1e-8 * E[0], seed
    times = np.linspace(0, UNTIL, 1001)
    at = run.at(times)
    places = [np.stack([np.asarray(at[f"b{k}_{a}"]) for a in table.letters]) for k in range(len(table.balls))]
    for k, ball in enumerate(table.balls):
        for other in range(k):
            apart = np.linalg.norm(places[k] - places[other], axis=0) - ball.radius - table.balls[other].radius
            assert apart.min() > -1e-8, seed
    if table.restitution == 1 and not table.friction:
        assert E[-1] == pytest.approx(E[0], rel=1e-8), seed
        check_way_back(table, system, run, seed)
    return len(run.events.of_kind("impact"))


def check_way_back(table: Table, system: detent.System, run: detent.Run, seed: int) -> None:
    names = [f"b{k}_{a}" for k in range(len(table.balls)) for a in table.letters]
    turned = {name: float(run[name][-1]) for name in names}
    turned |= {f"{name}_rate": -float(run[f"{name}_rate"][-1]) for name in names}
    back = detent.simulate(system, until=UNTIL, rtol=1e-10, start=turned)
    for name in names:
        assert back[name][-1] == pytest.approx(run[name][0], abs=1e-5), seed


def test_billiards_keep_momentum_and_gain_no_energy() -> None:
    assert sum(check(seed) for seed in (0, 1, 2)) > 0


@pytest.mark.slow
def test_hundreds_of_billiards_keep_momentum_and_gain_no_energy() -> None:
    assert sum(check(seed) for seed in range(3, 303)) > 300
