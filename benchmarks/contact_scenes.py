"""Three scenes with contact, their closed forms, and how they are written for detent.

A ball is dropped on a floor and bounces. A cube slides along a floor until friction has stopped it. The same cube is
put on a slope inside its cone of friction, where it stays. What another engine made of a scene is read off its
positions and velocities, in the same way for all.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Final, final

import numpy as np
from numpy.typing import NDArray

import detent

from .peers import GRAVITY

FloatArray = NDArray[np.float64]

HEIGHT, RESTITUTION, BOUNCES = 1.0, 0.8, 8
"""The ball is dropped from this height (m); so many bounces and the heights after them count."""

EDGE, FRICTION, SPEED, TILT = 0.1, 0.5, 6.0, math.radians(20.0)
"""Of the cube (m, m/s), and the slope, inside the cone: tan 20 degrees is 0.36."""

SLIDES: Final = SPEED / (FRICTION * GRAVITY)
"""Seconds until the cube stands: 1.22324159021."""
DISTANCE: Final = SPEED**2 / (2.0 * FRICTION * GRAVITY)
"""How far it came, m: 3.66972477064."""

SETTLING: Final = 1.0
"""On the slope an engine may take this time (s) to come to rest; what moves after it creeps."""

SLOW: Final = 1e-3
"""The cube's speed (m/s) from which its stop is foretold: in some engines it never stands quite."""


@final
@dataclass(frozen=True)
class Scene:
    """What moves, along which slope (rad), how fast at the start (m/s), and until when (s).

    >>> CUBE.body, CUBE.until
    ('cube', 2.0)
    """

    name: str
    body: str
    until: float
    speed: float = 0.0
    tilt: float = 0.0


def bounce_times(count: int) -> FloatArray:
    """When the ball strikes the floor: t_0 (1 + 2 (e + ... + e^i)), t_0 the time of the fall.

    >>> bounce_times(2).round(12).tolist()
    [0.451523640986, 1.173961466563]
    """
    powers = RESTITUTION ** np.arange(count)
    return float(np.sqrt(2.0 * HEIGHT / GRAVITY)) * (2.0 * np.cumsum(powers) - 1.0)


def apex_heights(count: int) -> FloatArray:
    """How high it comes after each bounce, m.

    >>> apex_heights(2).round(12).tolist()
    [0.64, 0.4096]
    """
    return np.asarray(HEIGHT * RESTITUTION ** (2.0 * np.arange(1, count + 1)))


BALL: Final = Scene("bouncing ball", "ball", until=float(bounce_times(BOUNCES + 1)[-1]) - 0.01)
CUBE: Final = Scene("sliding cube", "cube", until=2.0, speed=SPEED)
INCLINE: Final = Scene("cube on a slope", "cube", until=6.0, tilt=TILT)


# -- what an engine made of it --------------------------------------------------------------------


@final
@dataclass(frozen=True, eq=False)
class Motion:
    """Where the centre was along the floor, across it, and above the place where it touches (m), and its velocity."""

    times: FloatArray
    positions: FloatArray
    velocities: FloatArray

    def bounces(self) -> tuple[FloatArray, FloatArray]:
        """The times at which flights end, and the heights of those after a bounce.

        A flight is known from one sample on its way up: the ball is highest v/g later, v^2/(2 g) above it.

        >>> times = np.linspace(0.0, 1.0, 101)
        >>> up = Motion(times, np.outer(4 * times - GRAVITY * times**2 / 2, [0, 0, 1]),
        ...             np.outer(4 - GRAVITY * times, [0, 0, 1]))
        >>> bool(np.isclose(up.bounces()[1][0], 16 / (2 * GRAVITY)))
        True
        """
        z, v = self.positions[:, 2], self.velocities[:, 2]
        last = np.flatnonzero((v[:-1] > 0.0) & (v[1:] <= 0.0))
        highest, heights = self.times[last] + v[last] / GRAVITY, z[last] + v[last] ** 2 / (2.0 * GRAVITY)
        starts, tops = np.append(0.0, highest), np.append(HEIGHT, heights)
        return starts + np.sqrt(np.maximum(0.0, 2.0 * tops / GRAVITY)), heights

    def bounce_errors(self) -> tuple[float, float]:
        """The largest errors of times (s) and heights (m) of the bounces that count."""
        times, heights = self.bounces()
        if len(heights) < BOUNCES:
            raise ArithmeticError(
                f"{len(heights)} bounces were found, {BOUNCES} were expected; find out who lost the ball"
            )
        late = np.abs(times[:BOUNCES] - bounce_times(BOUNCES)).max()
        return float(late), float(np.abs(heights[:BOUNCES] - apex_heights(BOUNCES)).max())

    def stop_time(self) -> float:
        """When the cube stands: foretold, at the rate of friction, from its last sample that is faster than SLOW."""
        fast = int(np.flatnonzero(self.velocities[:, 0] > SLOW)[-1])
        return float(self.times[fast] + self.velocities[fast, 0] / (FRICTION * GRAVITY))

    def distance(self) -> float:
        """How far it came, m."""
        return float(self.positions[-1, 0])

    def lift(self) -> float:
        """How much higher than at the start its centre ever was, m."""
        return max(0.0, float(self.positions[:, 2].max()) - EDGE / 2.0)

    def creep(self) -> float:
        """How fast it moves on the slope once it has settled, m/s."""
        settled = int(np.searchsorted(self.times, SETTLING - 1e-9))
        moved = np.linalg.norm(self.positions[-1] - self.positions[settled])
        return float(moved / (self.times[-1] - self.times[settled]))


# -- the scenes in detent -------------------------------------------------------------------------


def ball(restitution: float = RESTITUTION) -> detent.System:
    """A particle above a floor.

    >>> ball().name
    'ball'
    """
    system = detent.System("ball")
    x, y = system.coordinates("x", "y")
    place = system.origin.offset("place", x * system.ground.x + y * system.ground.y)
    particle = system.particle("ball", place, 1)
    system.gravity(-GRAVITY * system.ground.y)
    system.start(y=HEIGHT)
    system.contact("ball|floor", particle.point(), system.ground.line(), impact=detent.Poisson(restitution))
    return system


def cube(speed: float, tilt: float) -> detent.System:
    """A cube of 1 kg on a plane in space; its coordinates are along the plane, x downhill.

    >>> cube(SPEED, 0.0).contacts["cube|floor"].features[0]
    'corner x y z'
    """
    system = detent.System("cube")
    plane = system.ground.rotated("plane", tilt, about="y")
    joint = system.free("cube", system.origin, plane)
    body = system.body("cube", joint.point, joint.frame, 1, (EDGE**2 / 6,) * 3)
    system.gravity(-GRAVITY * system.ground.z)
    system.start(cube_z=EDGE / 2, cube_x_rate=speed)
    box, law = body.box(EDGE, EDGE, EDGE), detent.Coulomb(FRICTION)
    system.contact("cube|floor", box, plane.plane(), friction=law)
    return system


def system_of(scene: Scene) -> detent.System:
    """The scene's model.

    >>> system_of(BALL).name
    'ball'
    """
    return ball() if scene.body == "ball" else cube(scene.speed, scene.tilt)


def motion_of(scene: Scene, run: Any) -> Motion:
    """A run of ours, as that of any other engine."""
    names = ("x", None, "y") if scene.body == "ball" else ("cube_x", "cube_y", "cube_z")
    nothing = np.zeros(len(run.time))
    positions = [nothing if name is None else run[name] for name in names]
    velocities = [nothing if name is None else run[f"{name}_rate"] for name in names]
    return Motion(np.asarray(run.time), np.column_stack(positions), np.column_stack(velocities))
