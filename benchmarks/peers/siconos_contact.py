"""Scenes with contact in Siconos: rigid contacts, by time stepping or by events.

Siconos comes as a package of Debian, for the system's Python. Its scenes therefore run in a process of their own
(:mod:`benchmarks.peers.siconos_scenes`), which measures its time itself.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, ClassVar, Final, Self, final

import numpy as np

from ..contact_scenes import BALL, CUBE, EDGE, FRICTION, HEIGHT, INCLINE, RESTITUTION, Motion, Scene
from . import GRAVITY, PeerMissing

INSTALL: Final = "Debian's package python3-siconos"

PROGRAM: Final = Path(__file__).with_name("siconos_scenes.py")

LONGEST: Final = 300.0
"""Seconds that a scene may take."""

ENOUGH: Final = 2.0
"""After this time (s) a scene is not run once more."""

ONE_THREAD: Final = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
"""With more, on a busy machine, threads wait for one another much longer than these small matrices take."""


@final
@dataclass(frozen=True)
class Setting:
    """A way to run a scene and its step (s).

    >>> str(SETTINGS[BALL][1])
    'events: its event-driven scheme with LSODAR, looked at every 0.005 s'
    """

    name: str
    way: str
    step: float
    words: str

    def __str__(self) -> str:
        return f"{self.name}: {self.words} {self.step:g} s"


_STEPS: Final = Setting("its examples", "stepping", 5e-3, "Moreau-Jean, theta 1/2, default solver, step")
_BOX: Final = Setting(_STEPS.name, _STEPS.way, _STEPS.step, f"a box in the plane, {_STEPS.words}")
_TIGHT: Final = Setting("tight", "pivoting", 1e-4, "a box in the plane, Moreau-Jean, theta 1/2, Lemke's pivots, step")
_EVENTS: Final = Setting("events", "events", 5e-3, "its event-driven scheme with LSODAR, looked at every")

SETTINGS: Final = {BALL: (_STEPS, _EVENTS), CUBE: (_BOX, _TIGHT), INCLINE: (_BOX, _TIGHT)}
"""Of each scene, that of Siconos' own examples first."""


@cache
def interpreter() -> str | None:
    """A Python that can import Siconos: this one, or the system's; None where neither can.

    >>> interpreter() is None or Path(interpreter()).exists()
    True
    """
    for python in (sys.executable, shutil.which("python3", path=os.defpath)):
        if python is not None:
            tried = subprocess.run([python, "-c", "import siconos.kernel"], capture_output=True, check=False)
            if tried.returncode == 0:
                return python
    return None


@final
@dataclass(frozen=True)
class SiconosContact:
    """The scenes, each run in a process of its own."""

    name: ClassVar[str] = "Siconos"
    version: str
    _python: str

    @classmethod
    def build(cls) -> Self:
        """:class:`PeerMissing` where no Python has Siconos."""
        python = interpreter()
        if python is None:
            raise PeerMissing("siconos", install=INSTALL)
        asked = subprocess.run(
            [python, "-c", "import siconos; print(siconos.version)"], capture_output=True, text=True, check=True
        )
        return cls(asked.stdout.strip(), python)

    def settings(self, scene: Scene) -> tuple[Setting, ...]:
        """The ways to run a scene."""
        return SETTINGS[scene]

    def run(self, scene: Scene, setting: Setting, repeats: int) -> tuple[Motion, float]:
        """What happened from the start of a scene to its end, and how long that takes (s), the best of some."""
        answer = self._answer(scene, setting, repeats)
        found = np.array(answer["seen"])
        return Motion(found[:, 0], found[:, 1:4], found[:, 4:]), float(answer["seconds"])

    def _answer(self, scene: Scene, setting: Setting, repeats: int) -> dict[str, Any]:
        given = {
            "body": scene.body, "speed": scene.speed, "tilt": scene.tilt, "until": scene.until, "gravity": GRAVITY,
            "edge": EDGE, "friction": FRICTION, "height": HEIGHT, "restitution": RESTITUTION, "way": setting.way,
            "step": setting.step, "repeats": repeats, "enough": ENOUGH,
        }  # fmt: skip
        ran = subprocess.run(
            [self._python, str(PROGRAM), json.dumps(given)], capture_output=True, text=True, timeout=LONGEST,
            env=os.environ | ONE_THREAD, check=False,
        )  # fmt: skip
        if ran.returncode != 0:
            raise RuntimeError(f"Siconos ended with {ran.returncode} on the {scene.name}: {ran.stderr[-500:]}")
        answer: dict[str, Any] = json.loads(ran.stdout.splitlines()[-1])
        return answer
