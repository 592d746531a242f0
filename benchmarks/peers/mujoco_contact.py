"""Scenes with contact in MuJoCo: soft contacts, a fixed step.

Each scene runs by MuJoCo's defaults, with the scene's own numbers alone, and by settings that were among the best of a
dozen tried for it; by the distance, for the cube that slides. Against creep its documentation names elliptic cones, a
larger ``impratio`` and ``noslip_iterations``; stiffer contacts (a smaller time constant, not below two steps) need
smaller steps. Restitution has no number of its own there: a contact is a damped spring, and its damping ratio z follows
from the restitution e that the spring has where it lets go as soon as its force is 0: e = exp(-2 z atan2(w, z)/w), with
w = sqrt(1 - z^2).
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from types import ModuleType
from typing import Any, ClassVar, Final, Self, final

import numpy as np

from ..contact_scenes import BALL, CUBE, EDGE, FRICTION, HEIGHT, INCLINE, RESTITUTION, Motion, Scene
from . import GRAVITY, peer_module

SAMPLE: Final = 2e-3
"""Seconds from one look at the ball to the next: one in each flight is enough. The cube is looked at every step."""

ENOUGH: Final = 2.0
"""After this time (s) a scene is not run once more."""


@final
@dataclass(frozen=True)
class Setting:
    """A way to run a scene: its step (s), the time constant of contacts (s), and options by their own names.

    >>> str(Setting("defaults"))
    'defaults: step 0.002 s'
    """

    name: str
    step: float = 2e-3
    time_constant: float = 0.02
    options: tuple[tuple[str, str], ...] = ()

    def __str__(self) -> str:
        words = [f"step {self.step:g} s", *(f"{name} {value}" for name, value in self.options)]
        if self.time_constant != Setting.time_constant:
            words.append(f"time constant {self.time_constant:g} s")
        return f"{self.name}: {', '.join(words)}"


_NO_SLIP: Final = (("cone", "elliptic"), ("impratio", "100"), ("noslip_iterations", "20"))

SETTINGS: Final = {
    BALL: (Setting("defaults"), Setting("tight", 1e-5, 2e-3, (("integrator", "RK4"),))),
    CUBE: (Setting("defaults"), Setting("tight", 1e-4, 0.02, _NO_SLIP)),
    INCLINE: (Setting("defaults"), Setting("tight", 1e-4, 2e-4, _NO_SLIP)),
}
"""Of each scene, the defaults first."""


@final
@dataclass(frozen=True)
class MujocoContact:
    """The scenes as MuJoCo models, made when they are asked for.

    >>> peer = MujocoContact.build()
    >>> motion, seconds = peer.run(CUBE, SETTINGS[CUBE][0], repeats=1)
    >>> abs(motion.distance() - 3.67) < 0.1
    True
    """

    name: ClassVar[str] = "MuJoCo"
    version: str
    _engine: ModuleType

    @classmethod
    def build(cls) -> Self:
        """:class:`PeerMissing` without the package ``mujoco``.

        >>> MujocoContact.build().name
        'MuJoCo'
        """
        engine = peer_module("mujoco", package="mujoco")
        return cls(engine.__version__, engine)

    def settings(self, scene: Scene) -> tuple[Setting, ...]:
        """The ways to run a scene.

        >>> [setting.name for setting in MujocoContact.build().settings(BALL)]
        ['defaults', 'tight']
        """
        return SETTINGS[scene]

    def run(self, scene: Scene, setting: Setting, repeats: int) -> tuple[Motion, float]:
        """What happened from a scene's start to its end, and how long that takes (s) in one call, the best of some.

        >>> motion, seconds = MujocoContact.build().run(BALL, SETTINGS[BALL][0], repeats=1)
        >>> len(motion.times) > 1000, seconds > 0.0
        (True, True)
        """
        motion, seconds = self._motion(scene, setting), list[float]()
        while len(seconds) < repeats and sum(seconds) < ENOUGH:
            seconds.append(self._seconds(scene, setting))
        return motion, min(seconds)

    def _motion(self, scene: Scene, setting: Setting) -> Motion:
        model, data = self._start(scene, setting)
        each = round(SAMPLE / setting.step) if scene.body == "ball" else 1
        rows = [self._look(scene, data)]
        for _ in range(round(scene.until / (each * setting.step))):
            self._engine.mj_step(model, data, each)
            rows.append(self._look(scene, data))
        found = np.array(rows)
        return Motion(found[:, 0], found[:, 1:4], found[:, 4:])

    def _seconds(self, scene: Scene, setting: Setting) -> float:
        model, data = self._start(scene, setting)
        began = time.thread_time()
        self._engine.mj_step(model, data, round(scene.until / setting.step))
        return time.thread_time() - began

    def _start(self, scene: Scene, setting: Setting) -> tuple[Any, Any]:
        model = self._engine.MjModel.from_xml_string(_description(scene, setting))
        data = self._engine.MjData(model)
        data.qvel[0] = scene.speed
        return model, data

    @staticmethod
    def _look(scene: Scene, data: Any) -> list[float]:
        above = _RADIUS if scene.body == "ball" else 0.0
        x, y, z = data.qpos[:3].tolist()
        return [data.time, x, y, z - above, *data.qvel[:3].tolist()]


_RADIUS: Final = 0.1
"""Of the ball, m; it does not turn, so that any will do."""


def damping_ratio(restitution: float) -> float:
    """The damping ratio of a contact with a restitution, by halving.

    >>> round(damping_ratio(0.8), 6)
    0.074355
    """
    low, high = 0.0, 1.0
    while high - low > 1e-15:
        z = 0.5 * (low + high)
        w = math.sqrt(1.0 - z * z)
        if math.exp(-2.0 * z * math.atan2(w, z) / w) > restitution:
            low = z
        else:
            high = z
    return low


def _description(scene: Scene, setting: Setting) -> str:
    options = " ".join(f'{name}="{value}"' for name, value in setting.options)
    if scene.body == "ball":
        height, shape, ratio = HEIGHT + _RADIUS, f'type="sphere" size="{_RADIUS}"', damping_ratio(RESTITUTION)
        law = 'condim="1"'
    else:
        half = EDGE / 2.0
        height, shape, ratio = half, f'type="box" size="{half} {half} {half}"', 1.0
        law = f'condim="3" friction="{FRICTION} 0 0"'
    downhill, down = GRAVITY * math.sin(scene.tilt), GRAVITY * math.cos(scene.tilt)
    return f"""
    <mujoco>
      <option timestep="{setting.step}" gravity="{downhill} 0 {-down}" {options}/>
      <default><geom {law} solref="{setting.time_constant} {ratio}"/></default>
      <worldbody>
        <geom type="plane" size="10 10 1"/>
        <body pos="0 0 {height}"><freejoint/><geom {shape} mass="1"/></body>
      </worldbody>
    </mujoco>"""
