"""Contacts of a live run in the scene: dots where shapes touch, and arrows of the forces there."""

from __future__ import annotations

from typing import Any, Final, final

import numpy as np

from detent.jit.arrays import FloatArray
from detent.simulation.live import Live
from detent.simulation.live_touches import LiveTouches, Touching
from detent.studio.batches import LONGEST_FORCE, TOUCH, SurfaceBatch, touch_batches
from detent.studio.mesh import leading

NAME: Final = "/live/touching"


@final
class LiveContacts:
    """Two nodes, however many contacts there are; the longest arrow is that of the largest force so far."""

    def __init__(self, server: Any, live: Live, size: float) -> None:
        self._server, self._size = server, size
        self._touches = LiveTouches(live)
        self._names: tuple[str, ...] = ()
        self._nodes: list[Any] = []
        self._largest = 0.0
        self._shown: list[FloatArray] = []

    def display(self) -> None:
        """Show the contacts as of the last step."""
        now = self._touches.now()
        names = () if now is None else now.names
        if names != self._names:
            self.clear()
            self._names = names
            self._nodes = [self._added(batch) for batch in touch_batches(names)]
        if now is not None and names:
            self._show(now)

    def _show(self, now: Touching) -> None:
        length: FloatArray = np.linalg.norm(now.forces, axis=1)
        self._largest = max(self._largest, float(length.max()))
        scale = LONGEST_FORCE * self._size / self._largest if self._largest > 0.0 else 0.0
        sizes: list[FloatArray] = [np.where(now.closed, TOUCH * self._size, 0.0), scale * length]
        told = [now.points, leading(now.forces), *sizes]
        if len(self._shown) == len(told) and all(map(np.array_equal, told, self._shown)):
            return
        self._shown = told
        for node, each in zip(self._nodes, sizes, strict=True):
            node.batched_positions = now.points.astype(np.float32)
            node.batched_scales = np.repeat(each[:, None], 3, axis=1).astype(np.float32)
        self._nodes[1].batched_wxyzs = leading(now.forces).astype(np.float32)

    def _added(self, batch: SurfaceBatch) -> Any:
        places, turns, scales = batch.at(0)
        return self._server.scene.add_batched_meshes_simple(
            f"{NAME}/{batch.name}", batch.mesh.places, batch.mesh.triangles, turns, places, batched_scales=scales,
            batched_colors=batch.colours, flat_shading=True, side="double", lod="off",
        )  # fmt: skip

    def clear(self) -> None:
        """Leave nothing of them in the scene."""
        for node in self._nodes:
            node.remove()
        self._nodes, self._names, self._shown = [], (), []
