"""What rests exactly at a limit: a disk above the end of what it lies on, a block with its middle above an edge.

Nothing decides whether it stays or falls: either is right. If it falls its energy is kept, or falls by friction, and it
sinks in nowhere; and neither takes long. Above the joint of two pieces that go on straight, it stays.

The scene is turned as a whole, with gravity, by a frame or by its coordinates. Lengths are in units of their own.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

import detent
from tests.physics.turned_scene import TurnedScene

G = 9.81
"""m/s^2."""
BODIES = ("disk", "block", "tall block")
SUPPORTS = ("end of a segment", "start of a segment", "corner of a track", "corner of a polygon", "joint of a track")


@dataclass(frozen=True)
class Balanced:
    """A body above a limit at the origin: in metres, along and above what it lies on."""

    body: str
    support: str
    size: float
    friction: float
    turned: float
    by_frame: bool
    unit: float

    @property
    def stays(self) -> bool:
        return self.support == "joint of a track"

    @property
    def height(self) -> float:
        """Of its middle."""
        return 2 * self.size if self.body == "tall block" else self.size

    @property
    def scene(self) -> TurnedScene:
        return TurnedScene(self.turned, self.by_frame, self.unit)

    def system(self) -> detent.System:
        system = detent.System("balanced")
        joint = system.planar("body", system.origin, system.ground)
        body = system.body("body", joint.point, joint.frame, mass=1.3, inertia=0.2 * (self.size * self.unit) ** 2)
        self.scene.pull(system, 0.0, -G)
        ground = self.scene.carrier(system)
        a, b = self.unit * self.size, self.unit * self.height
        shape = body.circle(a) if self.body == "disk" else body.polygon((-a, -b), (a, -b), (a, b), (-a, b))
        law = detent.Coulomb(self.friction) if self.friction else None
        system.contact("c", shape, self._support(ground), friction=law)
        x, y = self.scene.place_of(0.0, self.height)
        system.start(body_x=x, body_y=y, body_angle=self.turned)
        return system

    def _support(self, ground: Any) -> detent.Shape:
        places = {
            "end of a segment": ((-3, 0), (0, 0)),
            "start of a segment": ((0, 0), (3, 0)),
            "corner of a track": ((-3, 0), (0, 0), (1, -1)),
            "corner of a polygon": ((0, 0), (-3, 0), (-3, -1), (0, -1)),
            "joint of a track": ((-3, 0), (0, 0), (3, 0)),
        }[self.support]
        make = {"polygon": ground.polygon, "track": ground.track, "segment": ground.segment}[self.support.split()[-1]]
        shape: detent.Shape = make(*(self.scene.seen(*place) for place in places))
        return shape

    def height_of(self, run: detent.Run) -> Any:
        c, s = math.cos(self.turned), math.sin(self.turned)
        return (c * run["body_y"] - s * run["body_x"]) / self.unit


def random_balanced(seed: int) -> Balanced:
    random = np.random.default_rng([seed, 1984])
    turned = 0.0 if random.random() < 0.2 else float(random.uniform(-math.pi, math.pi))
    return Balanced(
        str(random.choice(BODIES)), str(random.choice(SUPPORTS)), float(random.uniform(0.1, 0.8)),
        float(random.choice([0.0, 0.4])), turned, bool(random.random() < 0.5), float(random.choice([1.0, 1e3, 1e-3])),
    )  # fmt: skip
