"""Shapes in a stroboscopic picture: where the model puts them, of the size they have."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import sympy

import detent
from detent.model.shape import Shape
from detent.view.drawn_shapes import DrawnShape, drawn_shapes
from detent.view.plane import plane_of
from detent.view.stroboscope import Evaluator

EPS = np.finfo(float).eps


class Scene:
    """A body that crosses the plane at 1 m/s and turns at 1 rad/s, above a floor."""

    def __init__(self) -> None:
        self.system = system = detent.System("scene")
        self.size = system.parameters(size=0.5)
        x, q = system.coordinates("x", "q")
        hub = system.origin.offset("hub", x * system.ground.x + 3 * system.ground.y)
        self.body = system.body("body", hub, system.ground.rotated("body", q), mass=1, inertia=(1, 1, 1))
        self.floor = system.ground.rotated("floor", 0)

    def run(self, *shapes: Shape) -> detent.Run:
        for number, shape in enumerate(shapes):
            ground = self.floor.plane("y") if shape.planar is False else self.floor.segment((-1, 0), (2, 0))
            self.system.contact(f"contact {number}", shape, ground)
        return detent.simulate(self.system, until=1, start={"x_rate": 1, "q_rate": 1})

    def drawn(self, *shapes: Shape) -> list[DrawnShape]:
        run = self.run(*shapes)
        evaluator = Evaluator(self.system, run)
        return drawn_shapes(self.system, run, evaluator, plane_of(self.system), np.array([0.0, 0.5, 1.0]))


def lines(figure: Any, count: int) -> list[np.ndarray]:
    found = [np.column_stack(line.get_data()) for line in figure.axes[0].lines]
    return [line for line in found if len(line) == count]


def test_a_circle_is_drawn_about_its_place_with_a_spoke_that_turns() -> None:
    scene = Scene()
    (disk, _) = scene.drawn(scene.body.circle(scene.size, at=(0.2, 0)))
    for flash, time in enumerate((0.0, 0.5, 1.0)):
        ring, spoke = disk.lines(flash)
        center = np.array([time + 0.2 * np.cos(time), 3 + 0.2 * np.sin(time)])
        assert np.linalg.norm(ring - center, axis=1) == pytest.approx(0.5, abs=16 * EPS)
        assert spoke[1] - spoke[0] == pytest.approx(0.5 * np.array([np.cos(time), np.sin(time)]), abs=16 * EPS)


def test_a_body_with_shapes_needs_no_circle_of_gyration_and_the_floor_is_drawn_once() -> None:
    scene = Scene()
    run = scene.run(scene.body.polygon((0, 0), (1, 0), (0, 1)))
    figure = detent.stroboscope(scene.system, run, count=5)
    assert not figure.axes[0].patches
    assert len(lines(figure, 4)) == 5
    assert [line.tolist() for line in lines(figure, 2)] == [[[-1, 0], [2, 0]]]


def test_a_line_without_ends_goes_on_across_the_picture() -> None:
    scene = Scene()
    scene.system.contact("line", scene.body.circle(1), scene.floor.line())
    figure = detent.stroboscope(scene.system, scene.run(), count=3)
    (floor,) = (line for line in lines(figure, 2) if np.all(line[:, 1] == 0))
    assert floor[0, 0] < -1
    assert floor[1, 0] > 2


def test_an_outline_is_of_the_size_of_the_shape() -> None:
    """The lowest and the highest place of each shape as it starts, not turned, its middle 3 m up."""
    scene = Scene()
    body, s = scene.body, sympy.Symbol("s")
    expected = {
        body.segment((0, -1), (0, 1)): (-1, 1),
        body.arc(2, 0, sympy.pi / 2): (0, 2),
        body.polygon((-1, -1), (1, -1), (0, 3)): (-1, 3),
        body.track((0, 0), (1, 0), detent.Turn((1, 1), sympy.pi / 2), detent.Turn((4, 1), -sympy.pi / 2)): (0, 3),
        body.curve(s, 2 * sympy.cos(s), scene.size * sympy.sin(s), (0, 2 * sympy.pi), closed=True): (-0.5, 0.5),
        body.profile([(0, 0), (1, 1), (2, 2), (3, 3)]): (0, 3),
        body.sphere(2): (-2, 2),
        body.capsule(1, 2, along="y"): (-2, 2),
        body.cylinder(1, 4): (-1, 1),
        body.rim(1, along="x"): (-1, 1),
        body.box(1, 2, 3): (-1, 1),
    }
    drawn = {each.shape: each for each in scene.drawn(*expected)}
    for shape, (lowest, highest) in expected.items():
        heights = np.concatenate([line[:, 1] for line in drawn[shape].lines(0)]) - 3
        # A circle of 72 sides reaches its extremes, a curve of 200 points to 1 - cos(pi/199).
        assert (heights.min(), heights.max()) == pytest.approx((lowest, highest), abs=2e-4), shape


def test_a_plane_seen_from_above_is_not_drawn() -> None:
    scene = Scene()
    run = scene.run(scene.body.sphere(1))
    scene.system.contact("wall", scene.body.sphere(1), scene.floor.plane("z", at=(0, 0, -5)))
    planes = [each for each in drawn_shapes(scene.system, detent.simulate(scene.system, until=run.t[-1]),
                                            Evaluator(scene.system, detent.simulate(scene.system, until=1)),
                                            plane_of(scene.system), np.array([0.0]))
              if each.shape.kind == "plane"]  # fmt: skip
    assert [len(each.endless(0, np.zeros(2), 10.0)) for each in planes] == [1, 0]
