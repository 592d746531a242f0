"""Small systems with contacts, each with a closed form."""

from __future__ import annotations

import math
from typing import Any

import detent

G = 9.81


def ball(restitution: float, height: float = 1.0) -> detent.System:
    """A particle above a floor."""
    system = detent.System("ball")
    x, y = system.coordinates("x", "y")
    place = system.origin.offset("place", x * system.ground.x + y * system.ground.y)
    body = system.particle("ball", place, 1)
    system.gravity(-G * system.ground.y)
    system.start(y=height)
    system.contact("ball|floor", body.point(), system.ground.line(), impact=detent.Poisson(restitution))
    return system


def block(friction: Any, tilt: float, speed: float = 0.0) -> detent.System:
    """A particle on a slope, thrown along it."""
    system = detent.System("block")
    x, y = system.coordinates("x", "y")
    slope = system.ground.rotated("slope", tilt)
    body = system.particle("block", system.origin.offset("place", x * slope.x + y * slope.y), 1)
    system.gravity(-G * system.ground.y)
    system.start(x_rate=speed)
    system.contact("block|slope", body.point(), slope.line(), friction=friction)
    return system


def box(
    width: float, height: float, friction: float, restitution: float = 0.0, tilt: float = 0.0, **start: float
) -> detent.System:
    """A box in the plane on a slope, or above it; its coordinates are along the slope."""
    system = detent.System("box")
    slope = system.ground.rotated("slope", tilt)
    joint = system.planar("box", system.origin, slope)
    body = system.body("box", joint.point, joint.frame, 1, (width**2 + height**2) / 12)
    system.gravity(-G * system.ground.y)
    system.start(**{"box_y": height / 2, **start})
    x, y = width / 2, height / 2
    corners = body.polygon((-x, -y), (x, -y), (x, y), (-x, y))
    system.contact(
        "box|slope", corners, slope.line(), friction=detent.Coulomb(friction), impact=detent.Poisson(restitution)
    )
    return system


def groove(half_angle: float, friction: float, restitution: float = 0.0, **start: float) -> detent.System:
    """A disk of radius 1/2 in a groove with two faces, each ``half_angle`` from the vertical."""
    system = detent.System("groove")
    joint = system.planar("disk", system.origin, system.ground)
    body = system.body("disk", joint.point, joint.frame, 1, 1 / 8)
    system.gravity(-G * system.ground.y)
    system.start(**start)
    for name, angle in (("left", half_angle - math.pi / 2), ("right", math.pi / 2 - half_angle)):
        face = system.ground.rotated(name, angle)
        law = detent.Coulomb(friction)
        system.contact(f"disk|{name}", body.circle(0.5), face.line(), friction=law, impact=detent.Poisson(restitution))
    return system


def sphere(
    friction: Any, radius: float = 0.5, inertia: float = 0.1, tilt: float = 0.0, **start: float
) -> detent.System:
    """A sphere of mass 1 on a plane in space; its coordinates are along the plane."""
    system = detent.System("sphere")
    plane = system.ground.rotated("plane", tilt, about="y")
    joint = system.free("ball", system.origin, plane)
    body = system.body("ball", joint.point, joint.frame, 1, (inertia,) * 3)
    system.gravity(-G * system.ground.z)
    system.start(**{"ball_z": radius, **start})
    law = friction if isinstance(friction, detent.Coulomb) else detent.Coulomb(friction)
    system.contact("ball|plane", body.sphere(radius), plane.plane(), friction=law)
    return system


def cube(edge: float, friction: float, tilt: float = 0.0, **start: float) -> detent.System:
    """A cube of mass 1 on a plane in space; its coordinates are along the plane."""
    system = detent.System("cube")
    plane = system.ground.rotated("plane", tilt, about="y")
    joint = system.free("cube", system.origin, plane)
    body = system.body("cube", joint.point, joint.frame, 1, (edge**2 / 6,) * 3)
    system.gravity(-G * system.ground.z)
    system.start(**{"cube_z": edge / 2, **start})
    system.contact("cube|floor", body.box(edge, edge, edge), plane.plane(), friction=detent.Coulomb(friction))
    return system
