"""Bodies of every kind tumble onto planes and each other in space: none sinks in, none gains energy, no force pulls.

Where each corner, end or rim is, and the energy, are worked out here from places, quaternions and velocities.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import detent

G = 9.81
UNTIL = 2.0
KINDS = ("sphere", "box", "capsule", "cylinder", "tripod")


@dataclass(frozen=True)
class Solid:
    """A body and what bounds it: all that is within ``radius`` of some points."""

    kind: str
    mass: float
    inertia: np.ndarray
    points: np.ndarray
    radius: float


@dataclass(frozen=True)
class Wall:
    place: np.ndarray
    normal: np.ndarray


@dataclass(frozen=True)
class Scene:
    system: detent.System
    solids: tuple[Solid, ...]
    walls: tuple[Wall, ...]


def turned(q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """A vector of the body along the axes of the ground."""
    w, u = q[:, :1], q[:, 1:]
    return v + 2 * w * np.cross(u, v) + 2 * np.cross(u, np.cross(u, v))


def bounded(kind: str, body: Any, size: float, edges: list[float]) -> tuple[list[detent.Shape], np.ndarray, float]:
    """The shapes of a body, and the points and the radius that bound it."""
    ends = np.array([(0, 0, size / 2), (0, 0, -size / 2)])
    if kind == "sphere":
        return [body.sphere(size)], np.zeros((1, 3)), size
    if kind == "box":
        signs = np.array(np.meshgrid(*[(-0.5, 0.5)] * 3)).reshape(3, -1).T
        return [body.box(*edges)], signs * edges, 0.0
    if kind == "capsule":
        return [body.capsule(size / 2, size)], ends, size / 2
    if kind == "cylinder":
        around = np.array([(math.cos(a), math.sin(a), 0) for a in np.linspace(0, 2 * math.pi, 60)])
        return [body.cylinder(size / 2, size)], np.vstack([size / 2 * around + end for end in ends]), 0.0
    feet = [(size * math.cos(a), size * math.sin(a), -size / 2) for a in (0.1, 2.2, 4.3)] + [(0.0, 0.0, size)]
    return [body.sphere(size / 6, at=foot) for foot in feet], np.array(feet), size / 6


def random_scene(seed: int) -> Scene:
    random = np.random.default_rng([seed, 8])
    system = detent.System(f"scene {seed}")
    system.gravity(-G * system.ground.z)
    mu = float(random.choice([0.0, random.uniform(0.05, 0.5), random.uniform(0.5, 1.2)]))
    restitution = float(random.choice([0.0, 0.0, random.uniform(0.1, 0.8)]))
    laws: dict[str, Any] = {"friction": detent.Coulomb(mu) if mu else None, "impact": detent.Poisson(restitution)}
    planes, walls = _walls(system, random)
    solids, shapes = list[Solid](), list[list[detent.Shape]]()
    count = int(random.integers(1, 3))
    for number in range(count):
        kind = str(random.choice(KINDS if count == 1 else ("sphere", "capsule")))
        solid, own = _solid(system, random, number, kind)
        for i, shape in enumerate(own):
            for plane, face in planes.items():
                system.contact(f"b{number}.{i}|{plane}", shape, face, **laws)
            for other, theirs in enumerate(shapes):
                system.contact(f"b{other}|b{number}", theirs[0], shape, **laws)
        solids.append(solid)
        shapes.append(own)
    return Scene(system, tuple(solids), tuple(walls))


def _walls(system: detent.System, random: np.random.Generator) -> tuple[dict[str, detent.Shape], list[Wall]]:
    """A floor, level or not, and walls to two sides, each here or not."""
    ground, tilt = system.ground, float(random.choice([0.0, random.uniform(0, 0.5)]))
    planes = {"floor": ground.rotated("floor", tilt, about="y").plane()}
    walls = [Wall(np.zeros(3), np.array([math.sin(tilt), 0, math.cos(tilt)]))]
    if random.random() < 0.5:
        a, at = float(random.uniform(0.8, 1.5)), system.origin.offset("wall x", 2 * ground.x)
        planes["wall x"] = ground.rotated("wall x", -a, about="y").plane(at=at)
        walls.append(Wall(np.array([2.0, 0, 0]), np.array([-math.sin(a), 0, math.cos(a)])))
    if random.random() < 0.3:
        a, at = float(random.uniform(0.5, 1.5)), system.origin.offset("wall y", 1.5 * ground.y)
        planes["wall y"] = ground.rotated("wall y", a, about="x").plane(at=at)
        walls.append(Wall(np.array([0, 1.5, 0]), np.array([0, -math.sin(a), math.cos(a)])))
    return planes, walls


def _solid(
    system: detent.System, random: np.random.Generator, number: int, kind: str
) -> tuple[Solid, list[detent.Shape]]:
    mass, size = (float(value) for value in random.uniform((0.5, 0.2), (3, 0.5)))
    across, other, along = mass * size**2 * random.uniform(0.25, 0.4, 3)  # any three of these are of a body
    other = across if kind != "box" else other
    inertia = np.array([across, other, across if kind == "sphere" else along])
    name = f"b{number}"
    joint = system.free(name, system.origin, system.ground)
    body = system.body(name, joint.point, joint.frame, mass, tuple(map(float, inertia)))
    q = random.standard_normal(4)
    start = dict(zip(("qw", "qx", "qy", "qz"), q / np.linalg.norm(q), strict=True))
    start |= dict(zip("xyz", (*random.uniform(-0.5, 0.5, 2), 1.3 + 1.6 * number), strict=True))
    start |= dict(zip(("x_rate", "y_rate", "z_rate"), random.uniform(-2, 2, 3), strict=True))
    start |= dict(zip(("wx", "wy", "wz"), random.uniform(-5, 5, 3) * random.choice([0, 1]), strict=True))
    system.start(**{f"{name}_{key}": float(value) for key, value in start.items()})
    edges = [float(size * part) for part in random.uniform(0.5, 1.4, 3)]
    shapes, points, radius = bounded(kind, body, size, edges)
    return Solid(kind, mass, inertia, points, radius), shapes


def check(seed: int) -> str:
    """The outcome."""
    scene = random_scene(seed)
    run = detent.simulate(scene.system, until=UNTIL, check=False)
    assert run.outcome.word == "completed", (seed, run.message)
    energy, at = np.zeros(len(run.time)), run.at(np.linspace(0, run.time[-1], 801))
    for number, solid in enumerate(scene.solids):
        name = f"b{number}"
        v, w = (np.stack([run[f"{name}_{each}"] for each in names], axis=1)
                for names in (("x_rate", "y_rate", "z_rate"), ("wx", "wy", "wz")))  # fmt: skip
        energy += solid.mass * (v**2).sum(axis=1) / 2 + (solid.inertia * w**2).sum(axis=1) / 2
        energy += solid.mass * G * run[f"{name}_z"]
        place = np.stack([np.asarray(at[f"{name}_{a}"]) for a in "xyz"], axis=1)
        q = np.stack([np.asarray(at[f"{name}_q{a}"]) for a in "wxyz"], axis=1)
        q /= np.linalg.norm(q, axis=1, keepdims=True)
        for wall in scene.walls:
            height = min(((place + turned(q, p) - wall.place) @ wall.normal).min() for p in solid.points)
            assert height - solid.radius > -1e-7, (seed, solid.kind)
    assert np.diff(energy).max() < 1e-7 * max(1.0, float(np.abs(energy).max())), seed
    assert run.audit.smallest_gap is not None
    assert run.audit.largest_cone_excess is not None
    assert run.audit.smallest_gap > -1e-7, seed
    assert run.audit.largest_cone_excess < 1e-7, seed
    return run.outcome.word


def test_what_tumbles_in_space_sinks_into_nothing_and_gains_nothing() -> None:
    for seed in (0, 1):
        check(seed)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(2, 302, 20))
def test_hundreds_of_bodies_that_tumble_in_space_sink_into_nothing_and_gain_nothing(first: int) -> None:
    for seed in range(first, first + 20):
        check(seed)
