"""The scene in the page: the batches of a run, at the frame that is shown."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final, final

import numpy as np

from detent.jit.arrays import FloatArray
from detent.results.run import Run
from detent.studio.batches import SurfaceBatch, batches_of
from detent.view.colours import TRACES, as_numbers
from detent.view.scene import Scene, scene_of

FRAMES: Final = 1500
"""Of a run, evenly spaced; there is one at each event besides."""
OPENING: Final = np.radians(50.0)
"""How wide the camera sees, from below to above."""
ROOM, LIVE_ROOM = 1.25, 1.7
"""How much more is seen than there is; of what is moved by hand, which may go anywhere, more."""
ASPECT: Final = 0.62
"""How wide the room between the panels of a page is, relative to its height, of which it is not known: about that of a
window of 1400 by 900."""
NAME: Final = "/model"


def frames_of(run: Run) -> FloatArray:
    """The times (s) at which a run is shown: evenly spaced, and at its first events.

    >>> from detent.results import sample_run
    >>> times = frames_of(sample_run())
    >>> float(times[0]), float(times[-1]), bool((np.diff(times) > 0).all())
    (0.0, 1.25, True)
    """
    if run.trajectory.dense is None:
        kept: FloatArray = np.unique(run.t)
        return kept
    events = [event.time for event in run.events[:FRAMES] if run.t[0] <= event.time <= run.t[-1]]
    return np.unique([*np.linspace(run.t[0], run.t[-1], FRAMES), *events])


@final
class Stage:
    """What is seen of a run in a viser server's scene."""

    def __init__(self, server: Any) -> None:
        self._server = server
        self._scene: Scene | None = None
        self._moving: list[tuple[SurfaceBatch, Any]] = []
        self._frame = -1
        self.following: str | None = None
        """The point that the camera goes with."""
        self._apart = np.zeros(3)
        self._room = ROOM
        self.frames_shown = 0
        """Of runs, so far."""
        self.traced: tuple[str, ...] = ()
        """The points of what others move whose paths may be shown."""

    @property
    def points(self) -> tuple[str, ...]:
        """The points that a camera may follow."""
        if self._scene is None:
            return ()
        return tuple(name for name, places in self._scene.points.items() if len(places) > 1)

    def clear(self) -> None:
        """Show nothing."""
        self._scene, self._moving, self._frame, self.following = None, [], -1, None
        self._room = ROOM
        with self._server.atomic():
            self._server.scene.reset()

    def show(self, run: Run) -> None:
        """Show a run that knows its model, from its first frame."""
        scene = scene_of(run, frames_of(run))
        self._moving = [(batch, handle) for batch, handle in self._add_all(scene) if not batch.is_still]
        self._scene = scene
        self.look()
        self.go_to(float(scene.times[0]))

    def show_parts(self, run: Run) -> list[tuple[SurfaceBatch, Any]]:
        """Show what there is of a run as it begins, without paths, forces and what came later: others move it then."""
        scene = scene_of(run, frames_of(run), forces=False)
        self.traced = tuple(trace.name for trace in scene.traces)
        scene = replace(scene, traces=(), pieces=tuple(piece for piece in scene.pieces if not piece.is_drawn))
        added = self._add_all(scene)
        self._scene, self._room = scene, LIVE_ROOM
        self.look()
        self._scene = replace(scene, points={})  # no camera follows what is not moved from here
        return added

    @property
    def size(self) -> float:
        """The size of what is shown, m."""
        return 1.0 if self._scene is None else self._scene.size

    def _add_all(self, scene: Scene) -> list[tuple[SurfaceBatch, Any]]:
        self.clear()
        with self._server.atomic():
            self._server.scene.set_up_direction(tuple(scene.camera.upwards))
            added = [(batch, self._add(batch)) for batch in batches_of(scene)]
            self._add_traces(scene)
        return added

    def go_to(self, time: float) -> None:
        """Show the frame at a time (s), or the last before it."""
        scene = self._scene
        if scene is None:
            return
        frame = max(int(np.searchsorted(scene.times, time, side="right")) - 1, 0)
        if frame == self._frame:
            return
        self._frame = frame
        self.frames_shown += 1
        with self._server.atomic():
            for batch, handle in self._moving:
                places, turns, scales = batch.at(frame)
                if len(batch.places) > 1:
                    handle.batched_positions = places.astype(np.float32)
                if len(batch.turns) > 1:
                    handle.batched_wxyzs = turns.astype(np.float32)
                if len(batch.scales) > 1:
                    handle.batched_scales = scales.astype(np.float32)
        self._follow(scene)

    # -- the camera --------------------------------------------------------------------------------

    def look(self, client: Any = None) -> None:
        """Turn one browser's camera to the scene, or all of them and those that will come."""
        if self._scene is None:
            return
        camera = self._scene.camera
        if client is None:
            settings = self._server.initial_camera
            settings.up, settings.fov = tuple(camera.upwards), float(OPENING)
            settings.position, settings.look_at = tuple(self._seat(self._scene, ASPECT)), tuple(camera.middle)
        for each in self._server.get_clients().values() if client is None else (client,):
            place = self._seat(self._scene, float(each.camera.aspect))
            with each.atomic():
                each.camera.up_direction, each.camera.fov = tuple(camera.upwards), float(OPENING)
                each.camera.position, each.camera.look_at = tuple(place), tuple(camera.middle)

    def _seat(self, scene: Scene, aspect: float) -> FloatArray:
        """From where all of a scene is seen in a window that is so wide, relative to its height."""
        camera = scene.camera
        distance = self._room * max(camera.height, camera.width / max(aspect, 0.1)) / (2 * np.tan(OPENING / 2))
        if not scene.planar:
            distance += scene.size / 2  # what is nearer than the middle looks larger
        seat: FloatArray = camera.middle + distance * camera.axes[2]
        return seat

    def follow(self, name: str | None) -> None:
        """Have the camera go with a point; without one, have it stand still."""
        self.following = name if name in self.points else None
        if self._scene is not None and self.following is not None:
            self._apart = self._scene.camera.middle - self._place(self._scene)

    def _place(self, scene: Scene) -> FloatArray:
        assert self.following is not None
        place: FloatArray = scene.points[self.following][self._frame]
        return place

    def _follow(self, scene: Scene) -> None:
        if self.following is None:
            return
        target = self._place(scene)
        for client in self._server.get_clients().values():
            towards = client.camera.position - client.camera.look_at
            with client.atomic():
                client.camera.look_at = tuple(target)
                client.camera.position = tuple(target + towards)

    # -- nodes -------------------------------------------------------------------------------------

    def _add(self, batch: SurfaceBatch) -> Any:
        places, turns, scales = batch.at(0)
        return self._server.scene.add_batched_meshes_simple(
            f"{NAME}/{batch.name}", batch.mesh.places, batch.mesh.triangles, turns, places, batched_scales=scales,
            batched_colors=batch.colours, opacity=batch.opacity, flat_shading=True, side="double", lod="off",
        )  # fmt: skip

    def _add_traces(self, scene: Scene) -> None:
        for number, trace in enumerate(scene.traces):
            pairs = np.stack([trace.places[:-1], trace.places[1:]], axis=1)
            pairs = pairs[np.isfinite(pairs).all(axis=(1, 2))]
            if len(pairs):
                self._server.scene.add_line_segments(
                    f"{NAME}/trace {number}", pairs, as_numbers(TRACES[number % len(TRACES)]),
                    thickness=1.5, thickness_units="screen",
                )  # fmt: skip
