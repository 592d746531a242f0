"""A stroboscopic picture of a model: what it looks like at equally spaced times, in one picture."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from textwrap import wrap
from typing import Any, Final, final

import numpy as np

from detent.errors import ValueProblem
from detent.jit.arrays import FloatArray
from detent.model.body import Body
from detent.model.outline import Lines
from detent.model.system import System
from detent.results.run import Run
from detent.simulation.evaluate import Evaluator
from detent.view.colours import FORCE, INK
from detent.view.contact_scene import SeenShape, seen_forces, seen_shapes
from detent.view.curves import curves
from detent.view.files import check_ending, new_figure, write_picture
from detent.view.plane import PicturePlane, check_known, picture_plane
from detent.view.skeleton import STILL, Skeleton, finite, has_inertia

FLASHES: Final = 16
"""How many pictures in one, if nothing is said."""
MOST_FLASHES: Final = 1000
LONGEST: Final = 0.2
"""The arrow of the largest contact force, relative to the size of the picture."""
LETTERS: Final = 9.0
"""Of a title in an inch of it."""
MARGIN: Final = 0.06
"""Around what is to be seen, relative to its size."""


def stroboscope(
    system: System,
    run: Run,
    path: str | os.PathLike[str] | None = None,
    every: float | None = None,
    count: int | None = None,
    trace: Sequence[str] | None = None,
) -> Any:
    """Draw a model at equally spaced times of a run, the later the darker, with the paths of some points.

    It must be planar, or have contacts: then its shapes are drawn, in space their silhouettes seen along y, and contact
    forces are arrows where they act, on what carries the first shape.

    ``every`` (s) is the time between two pictures, or ``count`` says how many there are (16). A line joins a point to
    the one it is offset from, where that offset is rigid; a body without such lines is a circle with its radius of
    gyration and one spoke. ``trace`` names the points whose paths are drawn: the ends of the model, if not given.
    ``path`` writes a file (png, svg, pdf). Returns the figure.

    >>> import detent
    >>> example = detent.example("double-pendulum")
    >>> figure = detent.stroboscope(example.system, example.simulate(until=1), count=8)
    >>> figure.axes[0].get_xlabel()
    'x in m'
    """
    if path is not None:
        check_ending(path)
    plane = picture_plane(system)
    check_known(system)
    times = _times(run, every, count)
    scene = _Scene(system, run, plane, times)
    traced = scene.skeleton.traced(trace)
    figure = new_figure("draw a stroboscopic picture", figsize=scene.page(), layout="constrained")
    axes = figure.subplots()
    axes.set_aspect("equal", adjustable="datalim")
    _draw_traces(axes, scene, traced)
    _draw_still(axes, scene)
    for number in range(len(times)):
        _draw_flash(axes, scene, number, _strength(number, len(times)))
    arrows = _draw_forces(axes, scene)
    scene.show_all(axes)
    axes.set_xlabel(f"{plane.across} in m")
    axes.set_ylabel(f"{plane.up} in m")
    axes.grid(True, alpha=0.25)
    apart = f", every {times[1] - times[0]:.4g} s" if len(times) > 1 else ""
    title = f"{run.name}: t = {times[0]:.4g} to {times[-1]:.4g} s{apart}"
    axes.set_title("\n".join(wrap(title, max(24, int(LETTERS * figure.get_size_inches()[0])))))
    if traced or arrows:
        axes.legend(loc="best", framealpha=0.8, edgecolor="none", fontsize="small")
    if path is not None:
        write_picture(figure, path)
    return figure


def _times(run: Run, every: float | None, count: int | None) -> FloatArray:
    """When the light flashes."""
    first, last = float(run.t[0]), float(run.t[-1])
    if every is not None and count is not None:
        raise ValueProblem("both every and count are given; one follows from the other, so leave one out")
    if every is not None:
        if not (every > 0 and (last - first) / every < MOST_FLASHES):
            raise ValueProblem(
                f"every is {every!r} s in a run of {last - first:.6g} s; give a time that makes at most "
                f"{MOST_FLASHES} pictures"
            )
        wanted = np.arange(int((last - first) / every * (1 + 1e-12)) + 1) * every + first
    else:
        pictures = FLASHES if count is None else count
        if pictures != int(pictures) or not 1 <= pictures <= MOST_FLASHES:
            raise ValueProblem(f"count is {count!r}; give a whole number from 1 to {MOST_FLASHES}")
        wanted = np.linspace(first, last, int(pictures)) if last > first else np.array([first])
    if run.trajectory.dense is None:  # only some times were kept: the nearest of these
        wanted = run.t[np.unique(np.abs(run.t[:, None] - wanted[None, :]).argmin(axis=0))]
    chosen: FloatArray = np.minimum(wanted, last)
    return chosen


def _strength(number: int, count: int) -> float:
    """How dark a picture is: the last one black, the ones before it fading."""
    return 1.0 if number == count - 1 else 0.12 + 0.4 * number / max(count - 1, 1)


@final
@dataclass(frozen=True)
class _Disk:
    """A body without rods: where it is, its radius of gyration and the direction of its x axis, at each flash."""

    center: str
    radius: FloatArray
    spoke: FloatArray


class _Scene:
    """Everything that is to be drawn, as numbers."""

    def __init__(self, system: System, run: Run, plane: PicturePlane, times: FloatArray) -> None:
        self.system, self.plane = system, plane
        self.evaluator = Evaluator(system, run)
        self.names = list(system.points)
        self.reach = 0.0
        """How far what has no ends is drawn, m."""
        smooth = curves(run)
        held = [smooth.values[name] for name in self.evaluator.discrete]
        kept = np.stack(held, axis=1) if held else np.empty((len(smooth.time), 0))
        self.paths = self._places(smooth.time, smooth.states, kept)
        self.flashes = self._places(times, run.trajectory.at(times))
        self.shapes = seen_shapes(self.evaluator, plane, times, run.trajectory.at(times))
        self.forces = seen_forces(run, plane, times)
        everywhere = finite(np.concatenate([*self.paths.values(), *self.flashes.values()]))
        self._bound(everywhere)
        every = range(len(times))
        moving = [line for seen in self.shapes if seen.moves for number in every for line in self.outline(seen, number)]
        moving += [seen.places for seen in self.shapes if seen.shape.kind == "point"]
        self._bound(np.concatenate([everywhere, *moving]))
        still = [line for seen in self.shapes if not seen.moves for line in self.outline(seen, 0)]
        near = [self._beside(line) for line in still]
        self.is_cut = any((line != cut).any() for line, cut in zip(still, near, strict=True))
        """Whether something that stands still reaches far beyond all that moves."""
        self._bound(np.concatenate([everywhere, *moving, *near]))
        self.reach = 0.6 * self.size
        self.skeleton = Skeleton(system, {name: self.paths[name] for name in self.names}, self.size)
        self.moving, self.rods, self.on_rods = self.skeleton.moving, self.skeleton.rods, self.skeleton.on_rods
        self.bodies = list(system.bodies.values())
        shaped = {seen.shape.seat.carrier for seen in self.shapes}
        plain = [body for body in self.bodies if body.frame not in self.skeleton.framed and body not in shaped]
        self.disks = [self._disk(body, times, run) for body in plain if has_inertia(body)]
        self.arms = list(self._arms())

    def _arms(self) -> Iterator[tuple[str, FloatArray]]:
        """The ways from the centres of bodies to their points that may touch, but for those where a rod lies."""
        for seen in self.shapes:
            seat = seen.shape.seat
            if seen.shape.kind != "point" or not isinstance(seat.carrier, Body) or not any(seat.offset):
                continue
            center = seat.carrier.center.name
            ends = [end for rod in self.rods if center in rod for end in rod if end != center]
            if not any(np.allclose(self.flashes[end], seen.places, atol=STILL * (self.size or 1.0)) for end in ends):
                yield center, seen.places

    def _bound(self, places: FloatArray) -> None:
        """These places are to be in the picture."""
        self.extent = np.ptp(places, axis=0)
        self.size = float(self.extent.max())
        self.middle: FloatArray = (places.min(axis=0) + places.max(axis=0)) / 2

    def _beside(self, line: FloatArray) -> FloatArray:
        """A line brought within what moves and as much again on each side."""
        if self.size == 0.0:
            return line
        far = 0.5 * self.extent + self.size
        beside: FloatArray = np.clip(line, self.middle - far, self.middle + far)
        return beside

    def show_all(self, axes: Any) -> None:
        """Have axes show what is to be seen, where that is not all that is drawn."""
        if self.is_cut:
            margin = 0.5 * self.extent + MARGIN * self.size
            axes.set_aspect("equal", adjustable="box")
            axes.set_xlim(self.middle[0] - margin[0], self.middle[0] + margin[0])
            axes.set_ylim(self.middle[1] - margin[1], self.middle[1] + margin[1])

    def outline(self, seen: SeenShape, number: int) -> Lines:
        """A shape at a flash."""
        return seen.lines(number, self.middle, self.reach)

    def _places(
        self, times: FloatArray, states: FloatArray, discrete: FloatArray | None = None
    ) -> dict[str, FloatArray]:
        """Where every point is, two columns each."""
        ground = self.system.ground
        axes = [getattr(ground, letter) for letter in (self.plane.across, self.plane.up)]
        wanted = [self.system.points[name].along(axis) for name in self.names for axis in axes]
        found = self.evaluator.over(wanted, times, states, discrete)
        return {name: found[:, 2 * number : 2 * number + 2] for number, name in enumerate(self.names)}

    def page(self) -> tuple[float, float]:
        """A figure of about the shape of what is drawn, in inches."""
        across, up = np.maximum(self.extent, 0.3 * self.size) if self.size else (1.0, 1.0)
        return (8.0, 1.2 + 7.0 * up / across) if across >= up else (1.8 + 7.0 * across / up, 8.0)

    def _disk(self, body: Body, times: FloatArray, run: Run) -> _Disk:
        ground = self.system.ground
        inertia = getattr(body.inertia, 2 * self.plane.normal)
        arm = {"z": body.frame.x, "y": body.frame.x, "x": body.frame.y}[self.plane.normal]
        spoke = [arm.dot(getattr(ground, letter)) for letter in (self.plane.across, self.plane.up)]
        found = self.evaluator.over([inertia / body.mass, *spoke], times, run.trajectory.at(times))
        return _Disk(body.center.name, np.sqrt(found[:, 0]), found[:, 1:])


# -- drawing -----------------------------------------------------------------------------------


def _draw_traces(axes: Any, scene: _Scene, traced: list[str]) -> None:
    for name in traced:
        axes.plot(*scene.paths[name].T, linewidth=1.0, alpha=0.8, label=f"path of {name}", zorder=1)


def _draw_still(axes: Any, scene: _Scene) -> None:
    """What stands still is drawn once: places, and among them those where something is hinged."""
    hinges = {parent for name, parent in scene.rods if name in scene.moving}
    for name in scene.names:
        if name not in scene.moving and (name in hinges or name != scene.system.origin.name):
            marker = "^" if name in hinges else "+"
            axes.plot(*scene.flashes[name][0], marker=marker, color="#888888", markersize=7, zorder=2)
    for seen in scene.shapes:
        for line in [] if seen.moves else scene.outline(seen, 0):
            axes.plot(*line.T, color="#888888", linewidth=1.6, zorder=2)


def _draw_flash(axes: Any, scene: _Scene, number: int, strength: float) -> None:
    from matplotlib.patches import Circle

    look = {"color": INK, "alpha": strength}
    for ends in scene.rods:
        if set(ends) & scene.moving:
            places = np.stack([scene.flashes[name][number] for name in ends])
            axes.plot(*places.T, linewidth=2.0, solid_capstyle="round", zorder=3, **look)
    for center, places in scene.arms:
        axes.plot(*np.stack([scene.flashes[center][number], places[number]]).T, linewidth=2.0, zorder=3, **look)
    for seen in scene.shapes:
        for line in scene.outline(seen, number) if seen.moves else []:
            axes.plot(*line.T, linewidth=1.4, zorder=3, **look)
    for body in scene.bodies:
        place, size = scene.flashes[body.center.name][number], 7 if body.center.name in scene.on_rods else 12
        axes.plot(*place, ".", markersize=size, markeredgewidth=0, zorder=4, **look)
    for disk in scene.disks:
        center, radius = scene.flashes[disk.center][number], disk.radius[number]
        axes.add_patch(Circle(tuple(center), radius, fill=False, linewidth=1.4, zorder=3, **look))
        axes.plot(*np.stack([center, center + radius * disk.spoke[number]]).T, linewidth=1.4, zorder=3, **look)


def _draw_forces(axes: Any, scene: _Scene) -> bool:
    """Contact forces as arrows; whether there are some."""
    if scene.forces is None:
        return False
    count = len(scene.forces.points)
    scale = scene.forces.largest / (LONGEST * (scene.size or 1.0))
    for number, (points, forces) in enumerate(zip(scene.forces.points, scene.forces.forces, strict=True)):
        acting = np.linalg.norm(forces, axis=1) > STILL * scene.forces.largest
        last = number == count - 1
        label = f"contact force, at most {scene.forces.whole:.4g} N" if last else None
        axes.quiver(
            *points[acting].T, *forces[acting].T, angles="xy", scale_units="xy", scale=scale, width=0.004,
            color=FORCE, alpha=max(0.35, _strength(number, count)), zorder=5,
        )  # fmt: skip
        if label is not None:
            axes.plot([], [], color=FORCE, label=label)
        axes.update_datalim(np.concatenate([points[acting], points[acting] + forces[acting] / scale]))
    axes.autoscale_view()
    return True
