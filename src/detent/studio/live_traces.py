"""The paths of points of a live run, as far as they are of late."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, final

import numpy as np

from detent.jit.arrays import FloatArray
from detent.model.system import System
from detent.simulation.live import Live
from detent.simulation.live_reading import LiveReading
from detent.view.colours import TRACES, as_numbers
from detent.view.poses import pose_nodes

NAME: Final = "/live/path of"
LATE: Final = 4.0
"""Seconds of which paths are shown."""
PLACES: Final = 401
"""Places on a path."""


@final
class LiveTraces:
    """One line for each point, with as many places however long it goes on."""

    def __init__(self, server: Any, live: Live, system: System, names: Sequence[str], period: float) -> None:
        self._server, self._names = server, tuple(names)
        points = [system.points[name] for name in names]
        self._reading = LiveReading(live, lambda kinematics: pose_nodes(kinematics, points, []))
        self._every = max(1, round(LATE / period / (PLACES - 1)))
        self._read = 0
        self._places: FloatArray = np.empty((0, len(names), 3))
        self._lines: list[Any] = []

    @property
    def is_shown(self) -> bool:
        """Whether there are lines in the scene."""
        return bool(self._lines)

    def show(self) -> None:
        """Show the paths from now on, and what they were of late."""
        if not self._lines:
            empty = np.zeros((PLACES - 1, 2, 3), dtype=np.float32)
            colours = [as_numbers(TRACES[number % len(TRACES)]) for number in range(len(self._names))]
            self._lines = [
                self._server.scene.add_line_segments(
                    f"{NAME} {name}", empty, colour, thickness=1.5, thickness_units="screen"
                )
                for name, colour in zip(self._names, colours, strict=True)
            ]
            self._read, self._places = 0, self._places[:0]

    def display(self) -> None:
        """Have the lines end where their points are as of the last step."""
        if not self._lines:
            return
        self._read, values = self._reading.since(self._read, self._every, PLACES)
        if not len(values):
            return
        self._places = np.concatenate([self._places, values.reshape(len(values), -1, 3)])[-PLACES:]
        whole = np.concatenate([np.repeat(self._places[:1], PLACES - len(self._places), axis=0), self._places])
        for number, line in enumerate(self._lines):
            line.points = np.stack([whole[:-1, number], whole[1:, number]], axis=1).astype(np.float32)

    def clear(self) -> None:
        """Leave nothing of them in the scene."""
        for line in self._lines:
            line.remove()
        self._lines = []
