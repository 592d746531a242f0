"""Disks that slide without friction along what is straight, and round where it ends or bends: when they leave it.

The middle of a disk goes straight ahead with the speed v, at the distance r, and then along a circle of radius p: about
a corner (p = r), over the back of a bend (p = R + r), or up its hollow (p = R - r). Over a circle it has, after the
angle a, the speed w with w^2 = v^2 + 2 g p (1 - cos a), and leaves it where that is g p cos a:

    cos a = (2 + v^2/(g p))/3,        at once where v^2 >= g p,

unless it comes to a straight piece before, along which it goes on. Up a hollow w^2 = v^2 - 2 g p (1 - cos a). How long
that takes is the integral of p/w over the angle. Then it flies.

The scene is turned as a whole, with gravity, by a frame or by its coordinates. Lengths are in units of their own.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.integrate import quad

import detent
from tests.physics.turned_scene import TurnedScene

Array = np.ndarray[Any, Any]
G = 9.81
"""m/s^2."""
PASSED = ("end of a segment", "corner of a polygon", "corner of a track", "dome", "hollow")


@dataclass(frozen=True)
class PassingDisk:
    """A disk, and what it passes: in metres, along and above the straight piece, whose end is at the origin."""

    kind: str
    radius: float
    bend: float
    """The radius of the bend; zero of a corner."""
    through: float
    """The angle by which the way turns there (rad)."""
    way: float
    """How far it goes before it gets there."""
    speed: float
    turned: float
    by_frame: bool
    unit: float

    @property
    def rises(self) -> bool:
        return self.kind == "hollow"

    @property
    def circle(self) -> float:
        """The radius of the circle along which its middle goes."""
        return self.bend - self.radius if self.rises else self.bend + self.radius

    @property
    def middle(self) -> Array:
        """That of the circle."""
        return np.array([0.0, self.bend if self.rises else -self.bend])

    @property
    def leaves_at(self) -> float | None:
        """The angle at which it leaves the circle and flies, None where it does not."""
        cosine = (2 + self.speed**2 / (G * self.circle)) / 3
        if self.rises or (cosine < 1 and math.acos(cosine) >= self.through):
            return None
        return 0.0 if cosine >= 1 else math.acos(cosine)

    def speed_at(self, angle: float) -> float:
        """After an angle along the circle; where the hollow is too high for it, not a number."""
        fallen = (-1 if self.rises else 1) * self.circle * (1 - math.cos(angle))
        return math.sqrt(self.speed**2 + 2 * G * fallen)

    @property
    def arrives(self) -> float:
        """When it comes to the end of the straight piece."""
        return self.way / self.speed

    @property
    def ends(self) -> float:
        """When it leaves the circle, for the air or for a straight piece."""
        last = self.through if self.leaves_at is None else self.leaves_at
        lasts = quad(lambda angle: self.circle / self.speed_at(angle), 0.0, last, epsabs=0, epsrel=1e-13)[0]
        return self.arrives + lasts

    @property
    def until(self) -> float:
        return self.ends + 0.1 * math.sqrt(self.radius / G)

    def is_clear(self) -> bool:
        """Whether it is clear what becomes of it, and it does not land before the run ends."""
        ratio = self.speed**2 / (G * self.circle)
        if self.rises:
            return self.speed**2 > 2.4 * G * self.circle * (1 - math.cos(self.through))
        cosine = (2 + ratio) / 3
        return abs(ratio - 1) > 0.1 and (cosine > 1 or abs(math.acos(cosine) - self.through) > 0.3)

    # -- the model ------------------------------------------------------------------------------

    @property
    def scene(self) -> TurnedScene:
        return TurnedScene(self.turned, self.by_frame, self.unit)

    def system(self) -> detent.System:
        system = detent.System("passing disk")
        joint = system.planar("disk", system.origin, system.ground)
        disk = system.body("disk", joint.point, joint.frame, mass=1.3, inertia=0.2 * self.unit**2)
        self.scene.pull(system, 0.0, -G)
        ground = self.scene.carrier(system)
        system.contact("c", disk.circle(self.unit * self.radius), self._shape(ground))
        x, y = self.scene.place_of(-self.way, self.radius)
        u, v = self.scene.place_of(self.speed, 0.0)
        system.start(disk_x=x, disk_y=y, disk_x_rate=u, disk_y_rate=v)
        return system

    def _shape(self, ground: Any) -> detent.Shape:
        first, sense = (-self.way - self.radius, 0.0), 1 if self.rises else -1
        c, s = math.cos(self.through), sense * math.sin(self.through)
        if self.kind == "end of a segment":
            return ground.segment(self.scene.seen(*first), self.scene.seen(0, 0))
        if self.kind == "corner of a polygon":
            low = (first[0], -5.0), (5 * c, 5 * s), (0.0, 0.0), first
            return ground.polygon(*(self.scene.seen(*each) for each in low))
        if self.kind == "corner of a track":
            return ground.track(*(self.scene.seen(*each) for each in (first, (0, 0), (5 * c, 5 * s))))
        last = self.middle + self.bend * np.array([math.sin(self.through), -sense * c]) + 5 * np.array([c, s])
        turn = detent.Turn(self.scene.seen(*self.middle), sense * self.through)
        return ground.track(self.scene.seen(*first), self.scene.seen(0, 0), turn, self.scene.seen(*last))

    # -- what a run says ------------------------------------------------------------------------

    def off(self, run: detent.Run) -> Array:
        """By how much its middle is off the way that it should go, along a run."""
        c, s = math.cos(self.turned), math.sin(self.turned)
        x, y = (c * run["disk_x"] + s * run["disk_y"]) / self.unit, (c * run["disk_y"] - s * run["disk_x"]) / self.unit
        off = np.hypot(x - (self.speed * run.time - self.way), y - self.radius)
        after, last = run.time > self.arrives, run.time > self.ends
        off[after] = np.abs(np.hypot(x - self.middle[0], y - self.middle[1]) - self.circle)[after]
        sense, angle = 1 if self.rises else -1, self.through if self.leaves_at is None else self.leaves_at
        along = np.array([math.cos(angle), sense * math.sin(angle)])
        start = self.middle + self.circle * np.array([math.sin(angle), -sense * math.cos(angle)])
        if self.leaves_at is None:
            off[last] = np.abs(along[0] * (y - start[1]) - along[1] * (x - start[0]))[last]
        else:
            since = run.time - self.ends
            flown = start[:, None] + np.outer(along * self.speed_at(angle), since)
            off[last] = np.hypot(x - flown[0], y - flown[1] + G * since**2 / 2)[last]
        return off


def random_disk(seed: int, kind: str) -> PassingDisk:
    random = np.random.default_rng([seed, 5150, PASSED.index(kind)])
    while True:
        disk = _drawn(random, kind)
        if disk.is_clear():
            return disk


def _drawn(random: np.random.Generator, kind: str) -> PassingDisk:
    radius = float(random.uniform(0.05, 0.5))
    bend = {"dome": random.uniform(0.2, 2.0), "hollow": radius + random.uniform(0.2, 2.0)}.get(kind, 0.0)
    through = math.pi if kind == "end of a segment" else float(random.uniform(0.15, 1.5))
    turned = 0.0 if random.random() < 0.2 else float(random.uniform(-math.pi, math.pi))
    way, unit = float(random.uniform(0.05, 1.5)), float(random.choice([1.0, 1e3, 1e-3]))
    circle = bend - radius if kind == "hollow" else bend + radius
    speed = float(math.sqrt(random.uniform(0.02, 4.0) * G * circle))
    return PassingDisk(kind, radius, float(bend), through, way, speed, turned, bool(random.random() < 0.5), unit)
