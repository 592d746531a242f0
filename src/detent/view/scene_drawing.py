"""A scene in a matplotlib figure, one frame after another."""

from __future__ import annotations

from typing import Any, Final, final

import numpy as np

from detent.jit.arrays import FloatArray
from detent.results.run import Run
from detent.results.visits import visits
from detent.view.colours import AXES, FORCE, INK, STILL, TRACES, as_numbers, body_colours
from detent.view.piece import Piece
from detent.view.scene import Scene

GROUND: Final = ("#eef1f3", "#e3e7ea")
"""The two tones of planes."""
FILLED: Final = ("circle", "polygon", "mass")
"""Kinds of pieces in the plane whose closed lines are filled."""
LIGHT: Final = np.array([-0.35, 0.55, 0.75])
"""Where light comes from, along the camera's axes."""
ARROW: Final = 0.25
"""The arrow of the largest force, relative to the scene."""
TITLE: Final = 0.36
"""Room for the title, in inches."""
LETTERS: Final = 12.0
"""Letters of a title to an inch, at most: what is longer is cut, not its beginning with the time."""
BEHIND: Final = -np.inf


@final
class SceneDrawing:
    """Draws frames into a figure: what is farther away first, so that what is near covers it."""

    def __init__(self, run: Run, scene: Scene, figure: Any) -> None:
        self.scene, self.figure = scene, figure
        self._stretches = visits(run)
        self._colours = body_colours(piece.name for piece in scene.pieces)
        wide, high = figure.get_size_inches()
        self._axes = figure.add_axes((0.0, 0.0, 1.0, 1.0 - TITLE / high))
        room = np.array([wide, high - TITLE])
        per_inch = max(scene.camera.width / (wide - 0.4), scene.camera.height / (high - TITLE - 0.4))
        half = per_inch * room / 2
        self._axes.set(xlim=(-half[0], half[0]), ylim=(-half[1], half[1]), autoscale_on=False)
        self._axes.set_axis_off()
        self._title = figure.text(0.5, 1.0 - 0.5 * TITLE / high, "", ha="center", va="center", fontsize=10)
        self._title.set_parse_math(False)

    def show(self, number: int) -> None:
        """Draw a frame, in the place of the one before."""
        for artist in [*self._axes.collections, *self._axes.lines]:
            artist.remove()
        time = float(self.scene.times[number])
        self._title.set_text(self._words(time))
        self._draw_patches(number)
        self._draw_traces(time)
        self._draw_marks(number)
        self._draw_touches(number)

    def _words(self, time: float) -> str:
        mode = [visit.mode for visit in self._stretches if visit.start <= time][-1:]
        told = f", {mode[0]}" if mode and len({visit.mode for visit in self._stretches}) > 1 else ""
        words, room = f"{self.scene.name}: t = {time:.2f} s{told}", int(LETTERS * self.figure.get_size_inches()[0])
        return words if len(words) <= room else f"{words[: room - 1]}…"

    def _at(self, places: FloatArray, number: int) -> FloatArray:
        """Where something is at a frame, as the camera sees it."""
        seen: FloatArray = self.scene.camera.seen(places[min(number, len(places) - 1)])
        return seen

    def _draw_patches(self, number: int) -> None:
        """Faces and lines as patches; planes behind all else, paths included."""
        from matplotlib.collections import PolyCollection

        found: list[tuple[float, FloatArray, str | Any, str | Any, float]] = []
        time = float(self.scene.times[number])
        for piece in self.scene.pieces:
            if not piece.is_there(time):
                continue
            found += self._faces(piece, number) if piece.solid is not None else self._lines(piece, number)
        for rod in self.scene.rods:
            ends = np.stack([self._at(self.scene.points[name], number) for name in rod])
            moves = any(len(self.scene.points[name]) > 1 for name in rod)
            found.append((float(ends[:, 2].mean()), ends, "none", INK if moves else STILL, 3.0 if moves else 1.5))
        found.sort(key=lambda one: one[0])
        behind = [one for one in found if one[0] == BEHIND]
        for order, shown in ((1.0, behind), (2.0, found[len(behind) :])):
            if shown:
                _, places, faces, edges, widths = zip(*shown, strict=True)
                self._axes.add_collection(
                    PolyCollection(
                        [place[:, :2] for place in places], closed=False, zorder=order, facecolors=faces,
                        edgecolors=edges, linewidths=widths, capstyle="round", joinstyle="round",
                    )
                )  # fmt: skip

    def _corners(self, piece: Piece, own: FloatArray, number: int) -> FloatArray:
        frame = min(number, len(piece.places) - 1)
        return self.scene.camera.seen(piece.places[frame] + own @ piece.turns[frame].T)

    def _lines(self, piece: Piece, number: int) -> list[tuple[float, FloatArray, Any, Any, float]]:
        found = []
        colour = self._colours[piece.name]
        for place, line in enumerate(piece.lines):
            seen = self._corners(piece, line, number)
            edge = AXES[place] if piece.kind == "axes" else STILL if piece.is_still else colour
            face = _mixed(colour, 1.8) if piece.kind in FILLED and len(line) > 3 else "none"
            nearer = self.scene.size if piece.kind == "axes" else 0.0
            found.append((float(seen[:, 2].mean()) + nearer, seen, face, edge, 1.5))
        return found

    def _faces(self, piece: Piece, number: int) -> list[tuple[float, FloatArray, Any, Any, float]]:
        assert piece.solid is not None
        corners = self._corners(piece, np.array(piece.solid.places), number)
        ends = corners[[[face[0], face[1], face[2], face[-1]] for face in piece.solid.faces]]
        normals = np.cross(ends[:, 2] - ends[:, 0], ends[:, 3] - ends[:, 1])
        lights = 0.62 + 0.45 * np.maximum(0.0, normals @ LIGHT / np.maximum(np.linalg.norm(normals, axis=1), 1e-300))
        found = []
        for face in np.flatnonzero(normals[:, 2] > 0):
            own, tone, light = corners[list(piece.solid.faces[face])], piece.solid.tones[face], float(lights[face])
            if piece.kind == "plane":
                colour, depth = _mixed(GROUND[tone], min(1.0, light)), BEHIND
            else:
                colour = _mixed(self._colours[piece.name], light * (1.35 if tone else 1.0))
                depth = float(own[:, 2].mean())
            pale = piece.kind == "mass"  # stands for a body, whose rods are seen through it
            found.append((depth, own, (*colour, 0.55 if pale else 1.0), "none" if pale else colour, 0.4))
        return found

    def _draw_traces(self, time: float) -> None:
        for number, trace in enumerate(self.scene.traces):
            past = trace.places[trace.times <= time]
            seen = self.scene.camera.seen(past)
            self._axes.plot(seen[:, 0], seen[:, 1], color=TRACES[number % len(TRACES)], linewidth=1.1, zorder=1.5)

    def _draw_marks(self, number: int) -> None:
        for names, look in ((self.scene.masses, ("o", INK, 5.0)), (self.scene.hinges, ("^", STILL, 9.0))):
            places = [self._at(self.scene.points[name], number) for name in names if name in self.scene.points]
            if places:
                x, y, _ = np.array(places).T
                self._axes.plot(x, y, look[0], color=look[1], markersize=look[2], markeredgewidth=0, zorder=3)

    def _draw_touches(self, number: int) -> None:
        touches = self.scene.touches
        if touches is None:
            return
        here = touches.touching[number]
        if not here.any():
            return
        points = self.scene.camera.seen(touches.points[number][here])
        forces = touches.forces[number][here] @ self.scene.camera.axes.T
        self._axes.plot(points[:, 0], points[:, 1], "o", color=FORCE, markersize=4, markeredgewidth=0, zorder=4)
        if touches.largest > 0.0:
            self._axes.quiver(
                points[:, 0], points[:, 1], forces[:, 0], forces[:, 1], angles="xy", scale_units="xy",
                scale=touches.largest / (ARROW * self.scene.size), width=0.005, color=FORCE, zorder=4,
            )  # fmt: skip


def _mixed(colour: str, light: float) -> tuple[float, float, float]:
    """A colour in more light, towards white past 1, or in less."""
    parts = [number / 255 for number in as_numbers(colour)]
    red, green, blue = (part * light if light <= 1 else 1 - (1 - part) * (2 - light) for part in parts)
    return red, green, blue
