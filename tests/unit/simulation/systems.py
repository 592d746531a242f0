"""Small systems with known motions and known ends."""

from __future__ import annotations

from typing import Any

import sympy

from detent import Held, System


def block(push: Any = 0.0, name: str = "block") -> System:
    """A mass of 2 kg on a line, pushed by an input: x'' = push / 2."""
    system = System(name)
    x = system.coordinates("x")
    system.particle("block", system.origin.offset("block", x * system.ground.x), mass=2)
    force = system.input("push", push)
    system.force("push", system.points["block"], force * system.ground.x)
    return system


def oscillator() -> System:
    """x = cos(t)."""
    system = System("oscillator")
    x = system.coordinates(x=1)
    system.particle("bob", system.origin.offset("bob", x * system.ground.x), mass=1)
    system.spring("spring", x, stiffness=1)
    return system


def double_pendulum() -> System:
    """Chaotic: a single different bit would show after a while."""
    system = System("double pendulum")
    length, g = system.parameters(length=1, g=9.81)
    a, b = system.coordinates(a=2, b=1.5)
    system.speeds(u=a.rate, v=a.rate + b.rate)
    upper = system.ground.rotated("upper", a)
    lower = upper.rotated("lower", b)
    elbow = system.origin.offset("elbow", -length * upper.y)
    system.particle("first", elbow, mass=1)
    system.body("second", elbow.offset("tip", -length * lower.y), lower, mass=0.5, inertia=0.1)
    system.damper("hinge", b.rate, 0.01)
    system.gravity(-g * system.ground.y)
    return system


def leaves_its_domain() -> System:
    """Moves steadily to x = 0 at t = 1, beyond which the root in its force is not real."""
    system = System("domain")
    x = system.coordinates(x=1)
    system.start(x_rate=-1)
    system.particle("bob", system.origin.offset("bob", x * system.ground.x), mass=1)
    system.force("rooted", system.points["bob"], (sympy.sqrt(x) * 1e-9) * system.ground.x)
    return system


def blows_up() -> System:
    """x'' = 6 x^2 from x = 1, x' = 2: x = 1/(1 - t)^2, infinite at t = 1."""
    system = System("blow-up")
    x = system.coordinates(x=1)
    system.start(x_rate=2)
    system.particle("bob", system.origin.offset("bob", x * system.ground.x), mass=1)
    system.force("pull", system.points["bob"], 6 * x**2 * system.ground.x)
    return system


def telescope(inertia: float = 0.0) -> System:
    """An arm drawn in steadily to length zero at t = 1, where nothing resists its turning any more."""
    system = System("telescope")
    angle = system.coordinates("angle")
    arm = system.ground.rotated("arm", angle)
    tip = system.origin.offset("tip", (1 - system.time) * arm.x)
    system.body("tip", tip, arm, mass=1, inertia=inertia)
    return system


def closing_rails() -> System:
    """A bead that slides on two rails, one turned towards the other until they are parallel at t = 1."""
    system = System("rails")
    a, b = system.coordinates("a", "b")
    second = system.ground.rotated("second", 1 - system.time)
    system.particle("bead", system.origin.offset("bead", a * system.ground.x + b * second.x), mass=1)
    # Nothing is driven by it; it makes the run come to stand at that very instant.
    system.input("clock", Held([0.0, 1.0], [0.0, 1.0]))
    return system


def spinning() -> System:
    """A free body that tumbles: quaternion signals, and six speeds."""
    system = System("tumbling")
    free = system.free("body", system.origin, system.ground)
    system.body("body", free.point, free.frame, mass=1, inertia=(1, 2, 2.5))
    system.start(body_wx=0.1, body_wy=3, body_wz=0.1, body_x_rate=1)
    return system
