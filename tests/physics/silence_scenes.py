"""Systems whose contacts do something that must be told."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import sympy

import detent
from tests.physics.contact_scenes import G

GAINING = np.array(
    [
        [0.416, 0.017, -0.076, 0.412],
        [0.017, 0.624, -0.726, -0.047],
        [-0.076, -0.726, 0.887, -0.005],
        [0.412, -0.047, -0.005, 0.415],
    ]
)
"""How two contacts yield (normal, tangent, normal, tangent), for which unequal restitutions gain energy."""
GAINING_BEFORE = np.array([-0.23, 1.17, -1.55, -0.33])
GAINING_FRICTION, GAINING_RESTITUTION = (0.9, 0.1), (0.25, 1.0)


def two_points(
    yields: np.ndarray, before: np.ndarray, friction: Sequence[float], laws: Sequence[detent.Poisson],
    later: float = 1.0,
) -> detent.System:  # fmt: skip
    """Two points above two floors, coupled so that they yield as a matrix says; both strike after some time.

    With the motion of the points along normal and tangent as coordinates, the mass matrix is the inverse of that one:
    it is made of particles of 1 kg, each of which moves by a mixture of the coordinates.
    """
    system = detent.System("two points")
    q = system.coordinates("n1", "t1", "n2", "t2")
    mixture = np.linalg.cholesky(np.linalg.inv(yields))
    for number in range(4):
        along = sum((float(mixture[row, number]) * q[row] for row in range(4)), start=sympy.Integer(0))
        system.particle(f"mass {number}", system.origin.offset(f"mass {number}", along * system.ground.x), 1)
    carrier, ground = system.ground.rotated("carrier", 0), system.ground
    for number, (mu, law) in enumerate(zip(friction, laws, strict=True)):
        height, across = q[2 * number], q[2 * number + 1]
        tip = system.origin.offset(f"tip {number}", across * ground.x + height * ground.y)
        system.contact(
            f"tip {number}|floor", carrier.point(at=tip), ground.line(), friction=detent.Coulomb(mu), impact=law
        )
    rates = {f"{symbol.name}_rate": float(speed) for symbol, speed in zip(q, before, strict=True)}
    system.start(n1=-later * float(before[0]), t1=0, n2=-later * float(before[2]), t2=0, **rates)
    return system


def rod(
    friction: Any, angle: float, slip: float, fall: float = 0.0, turn: float = 0.0, law: object = None,
    height: float = 0.0, g: float = G,
) -> detent.System:  # fmt: skip
    """A uniform rod of 1 m and 1 kg over a floor, ``angle`` from it; ``x`` and ``y`` are those of its lower end.

    Its friction is a number, or a function of x.
    """
    system = detent.System("rod")
    add_rod(system, "", friction, angle, slip, fall, turn, law, height)
    system.gravity(-g * system.ground.y)
    return system


def add_rod(
    system: detent.System, name: str, friction: Any, angle: float, slip: float, fall: float, turn: float, law: object,
    height: float,
) -> None:  # fmt: skip
    x, y, tilt = system.coordinates(f"x{name}", f"y{name}", f"angle{name}")
    frame = system.ground.rotated(f"rod{name}", tilt)
    tip = system.origin.offset(f"tip{name}", x * system.ground.x + y * system.ground.y)
    body = system.body(f"rod{name}", tip.offset(f"middle{name}", frame.x / 2), frame, 1, sympy.Rational(1, 12))
    end = body.point(at=(-sympy.Rational(1, 2), 0))
    impact, mu = detent.Poisson(0) if law is None else law, friction(x) if callable(friction) else friction
    system.contact(f"tip{name}|floor", end, system.ground.line(), friction=detent.Coulomb(mu), impact=impact)
    where, speeds = (0.0, height, angle), (slip, fall, turn)
    for symbol, value, speed in zip((x, y, tilt), where, speeds, strict=True):
        system.start(**{symbol.name: value, f"{symbol.name}_rate": speed})


def rod_in_space(friction: float, angle: float, slip: float, fall: float, law: object) -> detent.System:
    """The same in space, without gravity: in the plane y = 0, upright z; it starts in touch with the floor."""
    system = detent.System("rod in space")
    joint = system.free("rod", system.origin, system.ground)
    body = system.body("rod", joint.point, joint.frame, 1, (sympy.Rational(1, 1000), *[sympy.Rational(1, 12)] * 2))
    end = body.point(at=(-sympy.Rational(1, 2), 0, 0))
    floor = system.ground.plane()
    system.contact("tip|floor", end, floor, friction=detent.Coulomb(friction), impact=law)
    half = -angle / 2  # about -y, so that its centre is above its lower end
    names = [symbol.name for symbol in system.quaternions[0]]
    turned = dict(zip(names, (math.cos(half), 0.0, math.sin(half), 0.0), strict=True))
    where = {"rod_x": math.cos(angle) / 2, "rod_z": math.sin(angle) / 2 + 0.01 * -fall}
    system.start(**where, **turned, rod_x_rate=slip, rod_z_rate=fall)
    return system


def wedge(pull: float, grows: float = 0.0, other: bool = False) -> detent.System:
    """A disk in a wedge of 30 degrees with friction 1, pulled out of it; if asked for, a ball falls elsewhere."""
    system = detent.System("wedge")
    joint = system.planar("disk", system.origin, system.ground)
    body = system.body("disk", joint.point, joint.frame, 1, 1 / 8)
    half = math.pi / 12
    system.force("pull", joint.point, (pull + grows * system.time) * system.ground.y)
    system.start(disk_y=0.5 / math.sin(half))
    for name, angle in (("left", half - math.pi / 2), ("right", math.pi / 2 - half)):
        face = system.ground.rotated(name, angle)
        system.contact(f"disk|{name}", body.circle(0.5), face.line(), friction=detent.Coulomb(1))
    if other:
        z = system.coordinates("z")
        ball = system.particle("ball", system.origin.offset("ball", 10 * system.ground.x + z * system.ground.y), 1)
        system.force("weight", ball.center, -G * system.ground.y)
        system.start(z=1.0)
        system.contact("ball|floor", ball.point(), system.ground.line())
    return system
