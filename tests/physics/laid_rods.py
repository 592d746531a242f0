"""Rods that lie flat on the upper face of a box and slide over it without friction, turning: when they tip.

Such a rod moves in a plane: its middle goes straight ahead, and it turns about the normal of the face at a constant
rate. It lies on what is common to its axis and the face: across two edges, on an edge and on an end, or on both ends,
and goes on from one to another as it turns. Its middle is on its axis, so it is held as long as its middle is above the
face, and tips at the instant when that passes an edge. Nothing strikes meanwhile, and nothing else opens.

The scene is turned as a whole, with gravity: rounding makes of what is exactly flat what it likes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

import detent

Array = np.ndarray[Any, Any]
G = 9.81
_STATES = ("x", "y", "z", "qw", "qx", "qy", "qz", "x_rate", "y_rate", "z_rate", "wx", "wy", "wz")


@dataclass(frozen=True)
class LaidRod:
    """A rod on a face, and all that was drawn for it: places and velocities along the axes of the box."""

    half: Array
    """Half of each edge of the box."""
    radius: float
    length: float
    place: Array
    velocity: Array
    """Along the face, two components each."""
    angle: float
    turning: float
    turned: Rotation
    """How the scene is turned."""

    @property
    def tips(self) -> float:
        """When its middle passes an edge."""
        ways = np.where(self.velocity > 0, self.half[:2] - self.place, self.half[:2] + self.place)
        return float((ways / np.abs(self.velocity)).min())

    @property
    def height(self) -> float:
        """Of its axis above the middle of the box."""
        return float(self.half[2]) + self.radius

    def height_of(self, run: detent.Run) -> Array:
        """That of its middle along a run, along the normal of the face."""
        at = np.stack([run[f"rod_{name}"] for name in "xyz"], axis=1)
        return at @ self.turned.apply([0.0, 0.0, 1.0])

    def leaning(self, run: detent.Run) -> Array:
        """The sine of the angle between its axis and the face, along a run."""
        turns = np.stack([run[f"rod_{name}"] for name in ("qx", "qy", "qz", "qw")], axis=1)
        axes = Rotation.from_quat(turns).apply([0.0, 0.0, 1.0])
        return axes @ self.turned.apply([0.0, 0.0, 1.0])

    def system(self) -> detent.System:
        system = detent.System("rod on a box")
        joint = system.free("rod", system.origin, system.ground)
        mass, across, along = 1.3, 0.2, 0.03
        rod = system.body("rod", joint.point, joint.frame, mass=mass, inertia=(across, across, along))
        up = self.turned.apply([0.0, 0.0, 1.0])
        system.gravity(sum(-G * float(c) * axis for c, axis in zip(up, _axes(system.ground), strict=True)))
        about, first = self.turned.as_euler("ZXY")[:1], self.turned.as_euler("ZXY")[1:]
        frame = system.ground.rotated("one", float(about[0]), about="z")
        frame = frame.rotated("two", float(first[0]), about="x").rotated("box", float(first[1]), about="y")
        shapes = rod.capsule(self.radius, self.length), frame.box(*(2 * self.half))
        system.contact("rod|box", *shapes)
        system.start(**self._start())
        return system

    def _start(self) -> dict[str, float]:
        flat = Rotation.from_rotvec([0, np.pi / 2, 0])  # the axis of a capsule is its z
        turn = self.turned * Rotation.from_rotvec([0, 0, self.angle]) * flat
        place = self.turned.apply([*self.place, self.height])
        velocity = self.turned.apply([*self.velocity, 0.0])
        spin = turn.inv().apply(self.turned.apply([0.0, 0.0, self.turning]))
        numbers = np.concatenate([place, np.roll(turn.as_quat(), 1), velocity, spin])
        return {f"rod_{name}": float(value) for name, value in zip(_STATES, numbers, strict=True)}


def _axes(frame: Any) -> tuple[Any, Any, Any]:
    return frame.x, frame.y, frame.z


def random_rod(seed: int) -> LaidRod:
    """Long ones lie across the box, short ones within it. None tips near a corner, where it hardly lies on the face."""
    random = np.random.default_rng([seed, 4177])
    while True:
        rod = _drawn(random)
        if np.abs(np.abs(rod.place + rod.tips * rod.velocity) - rod.half[:2]).max() > 0.02:
            return rod


def _drawn(random: np.random.Generator) -> LaidRod:
    half = random.uniform(0.15, 0.6, 3)
    length = float(random.uniform(0.2, 3.0) * 2 * half[:2].max())
    place = random.uniform(-0.9, 0.9, 2) * half[:2]
    way = random.uniform(0, 2 * np.pi)
    velocity = random.uniform(0.2, 1.5) * np.array([np.cos(way), np.sin(way)])
    aligned = random.random() < 0.2
    angle = float(random.integers(4) * np.pi / 2 if aligned else random.uniform(0, 2 * np.pi))
    turning = float(random.choice([0.0, 1.0, 4.0])) * float(random.uniform(-1, 1))
    turned = Rotation.identity() if random.random() < 0.2 else Rotation.random(random_state=int(random.integers(2**31)))
    return LaidRod(half, float(random.uniform(0.02, 0.2)), length, place, velocity, angle, turning, turned)
