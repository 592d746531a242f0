"""Scenes of contact that are written in any units of length, mass and time, and seen in metres, kilograms and seconds.

A scene is written in SI units; ``Units`` says how many units of its own a metre, a kilogram and a second have, and
turns what a model is given, and what a run gives.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np

import detent

RTOL: Final = 1e-10
KNOWN_TO: Final = 1e3 * RTOL
"""Some hundred steps, each exact to RTOL, and a slip or a turn that makes what they leave some times larger."""
G: Final = 9.81


@dataclass(frozen=True)
class Units:
    """How many units a metre, a kilogram and a second have."""

    length: float = 1.0
    mass: float = 1.0
    time: float = 1.0

    @property
    def speed(self) -> float:
        return self.length / self.time

    @property
    def acceleration(self) -> float:
        return self.length / self.time**2

    @property
    def inertia(self) -> float:
        return self.mass * self.length**2


SI: Final = Units()


@dataclass(frozen=True)
class Scene:
    """A model in its units, and how long it runs (s)."""

    system: detent.System
    lasts: float
    lengths: tuple[str, ...]
    """Its coordinates that are lengths;"""
    others: tuple[str, ...]
    """and those that have no units."""


def _planar(units: Units, name: str, mass: float, inertia: float) -> tuple[detent.System, detent.Body]:
    system = detent.System(name)
    joint = system.planar("body", system.origin, system.ground)
    body = system.body("body", joint.point, joint.frame, mass * units.mass, inertia * units.inertia)
    system.gravity(-G * units.acceleration * system.ground.y)
    return system, body


PLANE: Final = (("body_x", "body_y"), ("body_angle",))
SPACE: Final = (("body_x", "body_y", "body_z"), ("body_qw", "body_qx", "body_qy", "body_qz"))


def disk_on_a_ramp(units: Units, random: np.random.Generator) -> Scene:
    """It is let go in touch, and rolls or slides."""
    radius, mass, slope = (float(each) for each in random.uniform((0.05, 0.5, 0.1), (0.8, 2.0, 0.8)))
    system, body = _planar(units, "disk", mass, mass * radius**2 / 2)
    ramp = system.ground.line(at=(0, 0), along=(math.cos(slope), -math.sin(slope)))
    friction = detent.Coulomb(float(random.uniform(0.1, 0.9)))
    system.contact("disk|ramp", body.circle(radius * units.length), ramp, friction=friction, impact=detent.Poisson(0))
    x, y = radius * units.length * math.sin(slope), radius * units.length * math.cos(slope)
    system.start(body_x=x, body_y=y, body_angle_rate=float(random.uniform(-5, 5)) / units.time)
    return Scene(system, 0.8, *PLANE)


def thrown_box(units: Units, random: np.random.Generator) -> Scene:
    """It strikes the floor with a corner, and bounces."""
    a, b, mass = (float(each) for each in random.uniform((0.1, 0.1, 0.5), (0.6, 0.6, 2.0)))
    system, body = _planar(units, "box", mass, mass * (a**2 + b**2) / 3)
    p, q = a * units.length, b * units.length
    shape = body.polygon((-p, -q), (p, -q), (p, q), (-p, q))
    laws = {"friction": detent.Coulomb(float(random.uniform(0.1, 0.8))), "impact": detent.Poisson(0.4)}
    system.contact("box|floor", shape, system.ground.line(), **laws)
    speed, turning = float(random.uniform(-3, 3)) * units.speed, float(random.uniform(-4, 4)) / units.time
    angle = float(random.uniform(0.2, 1.2))
    system.start(body_y=1.2 * units.length, body_angle=angle, body_x_rate=speed, body_angle_rate=turning)
    return Scene(system, 0.6, *PLANE)


def ladder(units: Units, random: np.random.Generator) -> Scene:
    """It slides down a wall and off it."""
    half, mass = (float(each) for each in random.uniform((0.5, 0.5), (4.0, 2.0)))
    system, body = _planar(units, "ladder", mass, mass * half**2 / 3)
    ends = {name: body.point((side * half * units.length, 0)) for name, side in (("foot", 1), ("head", -1))}
    friction = detent.Coulomb(float(random.uniform(0.02, 0.1)))
    lines = {"floor": system.ground.line(), "wall": system.ground.line(at=(0, 0), along=(0, -1))}
    for end, line in (("foot", "floor"), ("head", "wall")):
        system.contact(f"{end}|{line}", ends[end], lines[line], friction=friction, impact=detent.Poisson(0))
    lean = float(random.uniform(0.8, 1.2))
    x, y = half * units.length * math.cos(lean), half * units.length * math.sin(lean)
    system.start(body_x=x, body_y=y, body_angle=-lean)
    return Scene(system, 0.5 * math.sqrt(half), *PLANE)


def ball_in_a_groove(units: Units, random: np.random.Generator) -> Scene:
    """It spins and slides along two planes."""
    radius, mass, half = (float(each) for each in random.uniform((0.05, 0.5, 0.5), (0.5, 2.0, 1.1)))
    system = detent.System("ball")
    joint = system.free("body", system.origin, system.ground)
    inertia = 0.4 * mass * radius**2 * units.inertia
    body = system.body("body", joint.point, joint.frame, mass * units.mass, (inertia, inertia, inertia))
    system.gravity(-G * units.acceleration * system.ground.z)
    shape, friction = body.sphere(radius * units.length), detent.Coulomb(float(random.uniform(0.1, 0.5)))
    for name, side in (("left", 1.0), ("right", -1.0)):
        frame = system.ground.rotated(name, side * (math.pi / 2 - half), about="y")
        system.contact(f"ball|{name}", shape, frame.plane(), friction=friction, impact=detent.Poisson(0))
    spin = {f"body_w{axis}": float(random.uniform(-8, 8)) / units.time for axis in "xy"}
    along = float(random.uniform(-2, 2)) * units.speed
    system.start(body_z=radius * units.length / math.sin(half), body_qw=1.0, body_y_rate=along, **spin)
    return Scene(system, 0.3, *SPACE)


def tipped_can(units: Units, random: np.random.Generator) -> Scene:
    """It stands on its rim, past the balance, and falls to its side."""
    a, slender, mass = (float(each) for each in random.uniform((0.05, 1.5, 0.5), (1.0, 4.0, 2.0)))
    b = a * slender
    system = detent.System("can")
    joint = system.free("body", system.origin, system.ground)
    across, about = mass * (3 * a**2 + 4 * b**2) / 12, mass * a**2 / 2
    inertia = tuple(each * units.inertia for each in (across, across, about))
    body = system.body("body", joint.point, joint.frame, mass * units.mass, inertia)
    system.gravity(-G * units.acceleration * system.ground.z)
    laws = {"friction": detent.Coulomb(float(random.uniform(0.5, 2.0))), "impact": detent.Poisson(0)}
    system.contact("can|floor", body.cylinder(a * units.length, 2 * b * units.length), system.ground.plane(), **laws)
    tilt = math.atan2(a, b) + float(random.uniform(0.05, 0.3))
    x = (b * math.sin(tilt) - a * math.cos(tilt)) * units.length
    z = (b * math.cos(tilt) + a * math.sin(tilt)) * units.length
    system.start(body_x=x, body_z=z, body_qw=math.cos(tilt / 2), body_qy=math.sin(tilt / 2))
    return Scene(system, 1.2 * math.sqrt(b), *SPACE)


SCENES: Final[tuple[Callable[[Units, np.random.Generator], Scene], ...]] = (
    disk_on_a_ramp, thrown_box, ladder, ball_in_a_groove, tipped_can,
)  # fmt: skip


def random_units(seed: int) -> Units:
    """mm, m or km; g, kg or t; s or ms."""
    random = np.random.default_rng([56, seed])
    thousands = (1e-3, 1.0, 1e3)
    return Units(float(random.choice(thousands)), float(random.choice(thousands)), float(random.choice([1.0, 1e3])))


@dataclass(frozen=True)
class Seen:
    """What a run tells in SI units."""

    kinds: tuple[str, ...]
    times: np.ndarray
    end: np.ndarray


def seen(seed: int, units: Units) -> Seen:
    scene = SCENES[seed % len(SCENES)](units, np.random.default_rng([57, seed]))
    least = min(1.0, units.length, units.speed, 1 / units.time)
    run = detent.simulate(scene.system, until=scene.lasts * units.time, rtol=RTOL, atol=1e-2 * RTOL * least)
    events = [event for event in run.events if event.kind in ("transition", "impact", "zeno")]
    lengths = [getattr(run, name)[-1] / units.length for name in scene.lengths]
    others = [getattr(run, name)[-1] for name in scene.others]
    return Seen(
        tuple(event.kind for event in events),
        np.array([event.time / units.time for event in events]),
        np.array([*lengths, *others]),
    )


def verdict(seed: int) -> str:
    """right, refused or wrong, and how."""
    expected = seen(seed, SI)
    try:
        found = seen(seed, random_units(seed))
    except detent.DetentError as error:
        return f"refused: {str(error)[:300]}"
    if found.kinds != expected.kinds:
        return f"wrong: {list(zip(found.kinds, found.times, strict=True))}, not {expected.kinds} at {expected.times}"
    off = max((*np.abs(found.times - expected.times), *np.abs(found.end - expected.end)))
    return f"right: off by {off}" if off <= KNOWN_TO else f"wrong: off by {off}"
