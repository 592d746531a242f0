"""Two mechanisms whose equations are long: a bicycle and a rattleback, both of which roll without slipping."""

from __future__ import annotations

from sympy import cos, sin, sqrt

import detent


def bicycle() -> detent.System:
    """Four bodies with the measures of J. P. Meijaard, J. M. Papadopoulos, A. Ruina and A. L. Schwab, Linearized
    dynamics equations for the balance and steer of a bicycle, Proceedings of the Royal Society A 463 (2007), Table 1.

    The z axis points downwards, as there. ``x`` and ``y`` are those of the rear wheel's centre, whose height follows
    from the lean; the front wheel touches the ground by a constraint; both wheels roll.

    >>> [row.name for constraint in bicycle().constraints.values() for row in constraint.rows]
    ['front touches', 'rear rolls.x', 'rear rolls.y', 'front rolls.x', 'front rolls.y']
    """
    system = detent.System("bicycle")
    given = {
        "w": 1.02, "c": 0.08, "lam": 0.314159265358979, "rR": 0.3, "rF": 0.35, "xB": 0.3, "zB": -0.9, "xH": 0.9,
        "zH": -0.7, "g": 9.81,
    }  # fmt: skip
    v = dict(zip(given, system.parameters(**given), strict=True))
    x, y, yaw, lean, pitch, steer, rear, front = system.coordinates(
        "x", "y", "yaw", "lean", "pitch", "steer", "rear", "front"
    )
    ground = system.ground
    heading = ground.rotated("heading", yaw, about="z")
    leaning = heading.rotated("leaning", lean, about="x")
    frame = leaning.rotated("frame", pitch, about="y")
    hub = system.origin.offset("rear hub", x * ground.x + y * ground.y - v["rR"] * cos(lean) * ground.z)
    wheel = leaning.rotated("rear wheel", rear, about="y")
    axis = frame.rotated("head", v["lam"], about="y")
    fork = axis.rotated("fork", steer, about="z")
    # From the rear hub to where the steer axis is nearest to the front hub, along the head's axes.
    w, c, rR, rF, lam = (v[name] for name in ("w", "c", "rR", "rF", "lam"))
    forth, down = w, rR - rF
    offset = forth * cos(lam) - down * sin(lam)
    reach = offset - (rF * sin(lam) - c * cos(lam))
    crown = hub.offset("crown", reach * axis.x + (forth * sin(lam) + down * cos(lam)) * axis.z)
    front_hub = crown.offset("front hub", (offset - reach) * fork.x)
    front_wheel = fork.rotated("front wheel", front, about="y")
    body = hub.offset("rider", v["xB"] * frame.x + (v["zB"] + rR) * frame.z)
    bar = crown.offset("bar", (v["xH"] - w) * frame.x + (v["zH"] + rF) * frame.z)
    system.body("rear wheel", hub, wheel, 2, (0.0603, 0.12, 0.0603))
    system.body("rear frame", body, frame, 85, (9.2, 11, 2.8, 0, 0, 2.4))
    system.body("front frame", bar, fork, 4, (0.05892, 0.06, 0.00708, 0, 0, -0.00756))
    system.body("front wheel", front_hub, front_wheel, 3, (0.1405, 0.28, 0.1405))
    system.gravity(v["g"] * ground.z)
    # The lowest point of the front wheel: down, less what of it is along the axle, to length rF.
    across = ground.z.dot(fork.y)
    length = sqrt(1 - across**2)
    low = front_hub.offset("front touch", rF / length * (ground.z - across * fork.y))
    touch = hub.offset("rear touch", rR * leaning.z)
    system.constrain("front touches", low.position().dot(ground.z))
    for name, at, carrier in (("rear rolls", touch, wheel), ("front rolls", low, front_wheel)):
        center = hub if carrier is wheel else front_hub
        moved = center.velocity() + carrier.angular_velocity().cross(at.position(center))
        system.constrain(detent.motion(name, x=moved.dot(ground.x), y=moved.dot(ground.y)))
    return system


def rattleback() -> detent.System:
    """An ellipsoid that rolls on a plane, its mass off its axes: T. R. Kane and D. A. Levinson, Realistic mathematical
    modeling of the rattleback, International Journal of Non-Linear Mechanics 17 (1982).

    >>> len(rattleback().coordinate_list)
    6
    """
    system = detent.System("rattleback")
    a, b, c, h, m, g = system.parameters(a=0.2, b=0.03, c=0.02, h=0.01, m=1, g=9.81)
    A, B, C, D = system.parameters(A=0.0002, B=0.0016, C=0.0017, D=-0.00002)
    x, y, z, yaw, lean, tilt = system.coordinates("x", "y", "z", "yaw", "lean", "tilt")
    ground = system.ground
    first = ground.rotated("first", yaw, about="z")
    second = first.rotated("second", lean, about="x")
    stone = second.rotated("stone", tilt, about="y")
    middle = system.origin.offset("middle", x * ground.x + y * ground.y + z * ground.z)
    center = middle.offset("center", -h * stone.z)
    system.body("stone", center, stone, m, (A, B, C, D, 0, 0))
    system.gravity(-g * ground.z)
    normal = [ground.z.dot(axis) for axis in (stone.x, stone.y, stone.z)]
    length = sqrt(sum((size * part) ** 2 for size, part in zip((a, b, c), normal, strict=True)))
    down = [-(size**2) * part / length for size, part in zip((a, b, c), normal, strict=True)]
    touch = middle.offset("touch", down[0] * stone.x + down[1] * stone.y + down[2] * stone.z)
    system.constrain("touches", touch.position().dot(ground.z))
    moved = middle.velocity() + stone.angular_velocity().cross(touch.position(middle))
    system.constrain(detent.motion("rolls", x=moved.dot(ground.x), y=moved.dot(ground.y)))
    return system
