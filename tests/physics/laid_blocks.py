"""Blocks that are piled exactly upon one another, or stand flush side by side, on all that is straight.

They slide down a slope with friction, or up, or rest on it. What is below rubs no more than what is above, so that
blocks of a pile go on as one: with a' = -sign(v) mu g cos(tilt) - g sin(tilt), until they stop, and for ever if the
slope is not too steep. Of two that stand side by side the one behind rubs less, and pushes the other: mu is then the
mean of both. They do not rub on one another then: what weighs on each of them would be open. All of them are wide
enough not to tip.

What lies at an end lies there exactly: a block whose face ends where its support does, whose corner is at the joint of
two pieces, or whose middle is above an edge. The scene is turned as a whole, with gravity, by a frame or by its
coordinates. Lengths are in units of their own.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

import detent
from tests.physics.turned_scene import TurnedScene

Array = np.ndarray[Any, Any]
G = 9.81
"""m/s^2."""
FLOORS = ("line", "segment", "polygon", "track", "flush with its end", "flush with its start", "two polygons")
ARRANGED = ("pile", "side by side")


@dataclass(frozen=True)
class LaidBlocks:
    """Blocks on a floor: in metres, along and above it."""

    floor: str
    arranged: str
    count: int
    width: float
    height: float
    speed: float
    tilt: float
    """Of the floor against the level: it rises along the way."""
    frictions: tuple[float, ...]
    """Of a pile from the floor upwards; of two side by side each with the floor, and between them."""
    turned: float
    by_frame: bool
    unit: float

    @property
    def mean_friction(self) -> float:
        return self.frictions[0] if self.arranged == "pile" else (self.frictions[0] + self.frictions[1]) / 2

    @property
    def slows(self) -> float:
        """How fast it becomes slower, m/s^2."""
        return G * (self.mean_friction * math.cos(self.tilt) + math.sin(self.tilt))

    @property
    def stops(self) -> float:
        return self.speed / self.slows

    @property
    def places(self) -> list[tuple[float, float]]:
        """Where the middle of each block is at the start."""
        if self.arranged == "pile":
            return [(0.0, (number + 0.5) * self.height) for number in range(self.count)]
        return [(number * self.width, 0.5 * self.height) for number in range(self.count)]

    # -- the model ------------------------------------------------------------------------------

    @property
    def scene(self) -> TurnedScene:
        return TurnedScene(self.turned, self.by_frame, self.unit)

    def system(self) -> detent.System:
        system = detent.System("laid blocks")
        self.scene.pull(system, -G * math.sin(self.tilt), -G * math.cos(self.tilt))
        ground = self.scene.carrier(system)
        shapes = [self._block(system, number) for number in range(self.count)]
        floors = self._floors(ground)
        if self.arranged == "pile":
            self._touch(system, shapes[0], floors, self.frictions[0])
            for number in range(1, self.count):
                law = detent.Coulomb(self.frictions[number])
                system.contact(f"{number}|{number + 1}", shapes[number], shapes[number - 1], friction=law)
        else:
            for shape, friction in zip(shapes, self.frictions, strict=False):
                self._touch(system, shape, floors, friction)
            system.contact("1|2", shapes[0], shapes[1], friction=detent.Coulomb(self.frictions[2]))
        return system

    def _touch(self, system: detent.System, shape: detent.Shape, floors: list[detent.Shape], friction: float) -> None:
        for number, floor in enumerate(floors, 1):
            name = f"{shape.seat.frame.name}|floor {number}"
            system.contact(name, shape, floor, friction=detent.Coulomb(friction))

    def _block(self, system: detent.System, number: int) -> detent.Shape:
        name = f"block{number + 1}"
        joint = system.planar(name, system.origin, system.ground)
        inertia = (self.width**2 + self.height**2) / 12 * self.unit**2
        body = system.body(name, joint.point, joint.frame, mass=1.0, inertia=inertia)
        (x, y), (u, v) = self.scene.place_of(*self.places[number]), self.scene.place_of(self.speed, 0.0)
        start = {"x": x, "y": y, "angle": self.turned, "x_rate": u, "y_rate": v}
        system.start(**{f"{name}_{key}": value for key, value in start.items()})
        a, b = self.unit * self.width / 2, self.unit * self.height / 2
        return body.polygon((-a, -b), (a, -b), (a, b), (-a, b))

    def _floors(self, ground: Any) -> list[detent.Shape]:
        left, right = -self.width / 2, self.places[-1][0] + self.width / 2
        first, last = left - 1.0, right + self.speed * self.stops + 1.0
        if self.floor == "line":
            along = self.scene.place_of(1.0 / self.unit, 0.0)
            return [ground.line() if self.by_frame else ground.line(along=along)]
        if self.floor == "two polygons":
            ends = left + 0.3 * self.width, left + 0.6 * self.width
            return [self._table(ground, first, ends[0]), self._table(ground, ends[1], last)]
        if self.floor == "flush with its end":
            last = right
        if self.floor == "flush with its start":
            first = left
        if self.floor == "polygon":
            return [self._table(ground, first, last)]
        if self.floor == "track":
            return [ground.track(*(self.scene.seen(x, 0.0) for x in (first, left, 0.1 * self.width, last)))]
        return [ground.segment(self.scene.seen(first, 0.0), self.scene.seen(last, 0.0))]

    def _table(self, ground: Any, first: float, last: float) -> detent.Shape:
        return ground.polygon(
            *(self.scene.seen(*each) for each in ((first, 0), (first, -0.5), (last, -0.5), (last, 0)))
        )

    # -- what a run says ------------------------------------------------------------------------

    def off(self, run: detent.Run) -> float:
        """By how much blocks are off where they should be, or turned (rad), at most, along a run."""
        c, s, worst = math.cos(self.turned), math.sin(self.turned), 0.0
        time = np.minimum(run.time, self.stops)
        way = self.speed * time - self.slows * time**2 / 2
        for number, (along, above) in enumerate(self.places, 1):
            x, y, angle = (run[f"block{number}_{name}"] for name in ("x", "y", "angle"))
            if self.speed == 0:
                worst = max(worst, np.abs(x - x[0]).max(), np.abs(y - y[0]).max(), np.abs(angle - angle[0]).max())
                continue
            worst = max(worst, np.abs((c * x + s * y) / self.unit - along - way).max())
            worst = max(worst, np.abs((c * y - s * x) / self.unit - above).max(), np.abs(angle - self.turned).max())
        return float(worst)


def random_blocks(seed: int, moving: bool) -> LaidBlocks:
    """Wide blocks: what brakes them presses within their base."""
    random = np.random.default_rng([seed, 2112, int(moving)])
    arranged = str(random.choice(ARRANGED))
    floors = [each for each in FLOORS if not (moving and each == "flush with its end")]
    count = int(random.integers(1, 4)) if arranged == "pile" else 2
    tilt = float(random.choice([0.0, random.uniform(-0.25, 0.25)]))
    low = float(random.uniform(0.3, 0.4))
    if arranged == "pile":
        frictions = (low, *sorted(float(each) for each in random.uniform(low, 0.6, count - 1)))
        if random.random() < 0.3:
            frictions = (low,) * count
    else:
        frictions = (low, float(random.uniform(low, 0.5)), 0.0)
        if random.random() < 0.3:
            frictions = (low, low, 0.3)
    turned = 0.0 if random.random() < 0.2 else float(random.uniform(-math.pi, math.pi))
    speed = float(random.uniform(0.2, 1.5)) if moving else 0.0
    width, height = float(random.uniform(0.8, 1.5)), float(random.uniform(0.1, 0.3))
    unit, by_frame = float(random.choice([1.0, 1e3, 1e-3])), bool(random.random() < 0.5)
    floor = str(random.choice(floors))
    return LaidBlocks(
        floor, arranged, count, width, height, speed, tilt, frictions, turned, by_frame, unit,
    )  # fmt: skip
