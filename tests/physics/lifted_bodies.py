"""Bodies that are lifted off what they lie on where loads just cancel: when, and where they are after it, is known.

At that instant nothing is left of the forces but rounding, whatever their size was.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy

import detent

SHAPES = ("disk", "polygon", "sphere", "box", "cylinder", "capsule")
LOADS = ("pull", "spring", "floor", "wave")
AFTER = 0.3
"""A run goes on for this part of the time until it lifts."""


@dataclass(frozen=True)
class Lift:
    """A body of a shape on a level floor; ``height`` gives how high it is above its place at a time after it lifts."""

    name: str
    system: detent.System
    lifts: float
    height: Callable[[float], float]
    coordinate: str
    rest: float


def random_lift(seed: int) -> Lift:
    """A body with random sizes, in random units of mass, length and time, lifted by one of four loads."""
    rng = np.random.default_rng([77, seed])
    shape, load = SHAPES[seed % len(SHAPES)], LOADS[(seed // len(SHAPES)) % len(LOADS)]
    long, slow, heavy = (float(10 ** rng.uniform(-2, 2)) for _ in range(3))
    mass, g, half = heavy * float(rng.uniform(0.1, 5)), 9.81 * long / slow**2, long * float(rng.uniform(0.05, 0.5))
    system = detent.System(f"lifted {shape}")
    flat = shape in ("disk", "polygon")
    up = system.ground.y if flat else system.ground.z
    floor, lifts, height = _load(load, rng, system, (g, long, slow))
    body, touching = _body(shape, system, mass, half)
    rises = float(sympy.diff(floor, system.time).subs(system.time, 0))
    system.start(**{"body_y_rate" if flat else "body_z_rate": rises})
    if load == "pull":
        system.force("pull", body, mass * g / lifts * system.time * up)
    if load == "spring":
        rate = 1.0 / (slow * float(rng.uniform(0.1, 2)))
        speed = g / (rate * rate * lifts)
        system.force("spring", body, mass * rate * rate * (speed * system.time - _lifted(system, flat, half)) * up)
        height = lambda t: speed * t - speed / rate * math.sin(rate * t)  # noqa: E731
    system.gravity(-g * up)
    at = system.origin.offset("floor", floor * up)
    other = system.ground.line(at=at) if flat else system.ground.plane(at=at)
    system.contact("body|floor", touching, other, friction=detent.Coulomb(0.3), impact=detent.Plastic())
    return Lift(f"{shape}, {load}", system, lifts, height, "body_y" if flat else "body_z", half)


def _load(
    load: str, rng: np.random.Generator, system: detent.System, sizes: tuple[float, float, float]
) -> tuple[Any, float, Callable[[float], float]]:
    """Where the floor is, when the body lifts, and how high it is a time after that."""
    g, long, slow = sizes
    lifts = slow * float(10 ** rng.uniform(-1, 2))
    if load == "floor":  # falls ever faster
        return -g * system.time**3 / (6 * lifts), lifts, lambda t: -g * (lifts**2 / 6 + lifts * t / 2 + t * t / 2)
    if load == "wave":
        swings = long * float(rng.uniform(0.01, 0.2))
        often = math.sqrt(g / swings * float(rng.uniform(1.1, 5)))
        lifts = math.asin(g / (swings * often**2)) / often
        high, rises = swings * math.sin(often * lifts), swings * often * math.cos(often * lifts)
        return swings * sympy.sin(often * system.time), lifts, lambda t: high + rises * t - g * t * t / 2
    return sympy.Integer(0), lifts, lambda t: g * t**3 / (6 * lifts)


def _body(shape: str, system: detent.System, mass: float, half: float) -> tuple[Any, Any]:
    if shape in ("disk", "polygon"):
        x, y, turn = system.coordinates(body_x=0, body_y=half, body_turn=0)
        center = system.origin.offset("center", x * system.ground.x + y * system.ground.y)
        body = system.body("body", center, system.ground.rotated("body", turn), mass, 0.4 * mass * half**2)
        corners = [(-half, -half), (half, -half), (half, half), (-half, half)]
        return body, body.circle(half) if shape == "disk" else body.polygon(*corners)
    joint = system.free("body", system.origin, system.ground)
    body = system.body("body", joint.point, joint.frame, mass, (0.4 * mass * half**2,) * 3)
    made = {
        "sphere": lambda: body.sphere(half),
        "box": lambda: body.box(2 * half, 3 * half, 2 * half),
        "cylinder": lambda: body.cylinder(1.5 * half, 2 * half),
        "capsule": lambda: body.capsule(half, 3 * half, along="x"),
    }
    system.start(body_z=half)
    return body, made[shape]()


def _lifted(system: detent.System, flat: bool, half: float) -> Any:
    return system["body_y" if flat else "body_z"] - half


def lift_verdict(seed: int, **settings: Any) -> str:
    """right, or what is wrong with it."""
    lift = random_lift(seed)
    until = (1 + AFTER) * lift.lifts
    try:
        run = detent.simulate(lift.system, until=until, **settings)
    except detent.DetentError as error:
        return f"refused: {lift.name}: {str(error)[:200]}"
    opened = [event.time for event in run.events if "-> open" in event.name]
    size = max(lift.rest, abs(lift.height(AFTER * lift.lifts)))
    off = float(run.value(lift.coordinate)[-1]) - lift.rest - lift.height(AFTER * lift.lifts)
    if not opened or abs(opened[0] - lift.lifts) > 1e-9 * lift.lifts:
        return f"wrong: {lift.name} lifts at {opened[:1]}, not at {lift.lifts}: {[e.name for e in run.events][:3]}"
    return "right" if abs(off) < 1e-6 * size else f"wrong: {lift.name} is off by {off / size} of {size}"
