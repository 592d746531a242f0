"""Boxes on slopes that friction hardly lets go, of any size, inertia and units; how they slide is known."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import detent

ROUNDING = 64 * 2.0**-52
"""Of forces, over the weight."""


@dataclass(frozen=True)
class SlippingBox:
    """Half its sizes, its mass and moments of inertia; friction lacks the part ``short`` of what would hold it."""

    halves: tuple[float, float, float]
    mass: float
    inertia: tuple[float, float, float]
    gravity: float
    tilt: float
    turned: float
    short: float
    until: float

    @property
    def friction(self) -> float:
        return float(np.tan(self.tilt) * (1 - self.short))

    def run(self) -> detent.Run:
        """x points down the slope, which is turned about y."""
        a, b, h = self.halves
        system = detent.System("box")
        slope = system.ground.rotated("slope", self.tilt, about="y")
        joint = system.free("box", system.origin, slope)
        box = system.body("box", joint.point, joint.frame, mass=self.mass, inertia=self.inertia)
        system.gravity(-self.gravity * system.ground.z)
        system.start(box_z=h, box_qw=np.cos(self.turned / 2), box_qz=np.sin(self.turned / 2))
        law = detent.Coulomb(self.friction)
        system.contact("box|slope", box.box(2 * a, 2 * b, 2 * h), slope.plane(), friction=law)
        return detent.simulate(system, until=self.until)

    def verdict(self) -> str:
        """right, or wrong: what. x' = g (sin(tilt) - mu cos(tilt)) t, and all else is rounding."""
        run, fall = self.run(), self.gravity * self.until
        if [event.kind for event in run.events] != ["shared"]:
            return f"wrong: {[event.name for event in run.events][1:]}"
        known = self.gravity * (np.sin(self.tilt) - self.friction * np.cos(self.tilt)) * run.time
        size = float(np.linalg.norm(self.halves))
        found = {
            "down": np.abs(run.box_x_rate - known).max(),
            "aside": np.abs(run.box_y_rate).max(),
            "up": np.abs(run.box_z_rate).max(),
            "turning": size * max(np.abs(run[f"box_{w}"]).max() for w in ("wx", "wy", "wz")),
        }
        wrong = {name: float(value / fall) for name, value in found.items() if not value <= ROUNDING * fall}
        return f"wrong: {wrong}" if wrong else "right"


def random_slipping_box(seed: int) -> SlippingBox:
    """It does not tip: what presses it acts within its face, h tan(tilt) down the slope from its middle."""
    random = np.random.default_rng([seed, 1118])
    length, mass, time = 10 ** random.uniform(-3, 3, 3)
    tilt, short = random.uniform(0.05, 1.2), 10 ** random.uniform(-10, -4)
    turned = float(random.choice([0.0, random.uniform(-3, 3)]))
    a, b = random.uniform(0.05, 0.5, 2)
    reach = min(a / max(abs(np.cos(turned)), 1e-9), b / max(abs(np.sin(turned)), 1e-9))
    h = random.uniform(0.05, 0.9) * min(reach / np.tan(tilt), 1.0)
    x, y, z = random.uniform(0.3, 1, 3) * np.array([a, b, h]) ** 2 / 3
    own = mass * random.uniform(0.5, 2)
    inertia = own * length**2 * np.array([y + z, x + z, x + y])
    return SlippingBox(
        (float(a * length), float(b * length), float(h * length)),
        float(own),
        (float(inertia[0]), float(inertia[1]), float(inertia[2])),
        float(9.81 * length / time**2),
        float(tilt),
        turned,
        float(short),
        float(time),
    )
