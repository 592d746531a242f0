"""Shapes, contact forces and statuses in pictures are where the run has them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import sympy

import detent
from detent import ContactStatus
from detent.model.outline import Look
from detent.view.colours import INK
from detent.view.contact_scene import seen_forces
from detent.view.curves import curves
from detent.view.plane import PLANES
from detent.view.status_bands import COLOURS, REST, banded
from tests.physics.contact_scenes import G, block, box, cube, sphere


def lines(figure: Any) -> list[np.ndarray]:
    return [np.column_stack(line.get_data()) for line in figure.axes[0].lines if len(line.get_xdata())]


def test_a_polygon_is_drawn_at_every_flash_and_the_floor_once() -> None:
    system = box(1.0, 0.5, 0.3, box_x_rate=1.0)
    run = detent.simulate(system, until=1)
    drawn = lines(detent.stroboscope(system, run, count=4))
    boxes = [line for line in drawn if len(line) == 5]
    assert len(boxes) == 4
    for time, outline in zip(np.linspace(0, 1, 4), boxes, strict=True):
        middle = np.array([run.at(time).box_x, 0.25])
        np.testing.assert_allclose(outline[:4] - middle, [[-0.5, -0.25], [0.5, -0.25], [0.5, 0.25], [-0.5, 0.25]])
    floors = [line for line in drawn if len(line) == 2 and np.all(line[:, 1] == 0.0)]
    assert len(floors) == 1
    left, right = sorted(floors[0][:, 0])
    assert left < -0.5 < right


def test_a_sphere_in_space_is_a_circle_and_a_cube_a_square() -> None:
    system = sphere(0.3, tilt=0.2, ball_x_rate=1.0)
    run = detent.simulate(system, until=0.5)
    figure = detent.stroboscope(system, run, count=2)
    assert (figure.axes[0].get_xlabel(), figure.axes[0].get_ylabel()) == ("x in m", "z in m")
    rounds = [line for line in lines(figure) if len(line) > 50 and np.allclose(line[0], line[-1])]
    circle = next(line for line in rounds if math.isclose(np.ptp(line[:, 0]), 1.0, rel_tol=1e-12))
    center = (circle.max(axis=0) + circle.min(axis=0)) / 2
    np.testing.assert_allclose(np.linalg.norm(circle - center, axis=1), 0.5, rtol=1e-12)
    drawn = lines(detent.stroboscope(made := cube(0.2, 0.5), detent.simulate(made, until=0.1), count=1))
    assert any(line.shape == (5, 2) and np.allclose(np.ptp(line, axis=0), 0.2) for line in drawn)


def test_a_model_in_space_without_shapes_is_still_refused() -> None:
    example = detent.example("heavy-top")
    with pytest.raises(detent.DetentError, match="moves in space"):
        detent.stroboscope(example.system, example.simulate(until=0.1))


def test_arrows_are_the_forces_at_the_places_of_contact() -> None:
    run = detent.simulate(block(detent.Coulomb(0.5), 0.3), until=1)
    seen = seen_forces(run, PLANES[0], np.array([0.0, 0.5, 1.0]))
    assert seen is not None
    np.testing.assert_allclose(seen.forces, [[[0.0, G]]] * 3, atol=1e-12)
    np.testing.assert_allclose(seen.points, 0.0, atol=1e-15)
    assert seen.largest == pytest.approx(G)
    figure = detent.stroboscope(block(detent.Coulomb(0.5), 0.3), run, count=3)
    assert "contact force, at most 9.81 N" in [text.get_text() for text in figure.axes[0].get_legend().get_texts()]


def test_strips_under_the_curves_have_the_statuses_at_their_times() -> None:
    run = detent.simulate(block(detent.Coulomb(0.5), 0.3, speed=3.0), until=1)
    (event,) = run.events.of_kind("transition")
    strip = detent.plot(run).axes[-1]
    assert [label.get_text() for label in strip.get_yticklabels()] == ["block|slope"]
    spans = {}
    for bar in strip.collections:
        colour = tuple(np.round(bar.get_facecolor()[0][:3], 6))
        spans[colour] = np.concatenate([path.vertices[:, 0] for path in bar.get_paths()])
    slip, stick = (
        spans[tuple(np.round([int(COLOURS[s][k : k + 2], 16) / 255 for k in (1, 3, 5)], 6))]
        for s in (ContactStatus.SLIP, ContactStatus.STICK)
    )
    assert (slip.min(), slip.max()) == pytest.approx((0.0, event.time), abs=1e-12)
    assert (stick.min(), stick.max()) == pytest.approx((event.time, 1.0), abs=1e-12)


def test_quantities_of_contacts_are_drawn_where_they_are_named() -> None:
    run = detent.simulate(block(detent.Coulomb(0.5), 0.3, speed=3.0), until=1)
    panels = [axes.get_ylabel() for axes in detent.plot(run).axes]
    assert panels == ["coordinates", "speeds", "energy in J", "reactions", ""]
    named = detent.plot(run, names=["friction of block|slope", "gap of block|slope"])
    assert [axes.get_ylabel() for axes in named.axes][:2] == ["gap in m", "friction in N"]


def test_friction_is_drawn_while_it_slips_too() -> None:
    run = detent.simulate(block(detent.Coulomb(0.5), 0.3, speed=3.0), until=1)
    (event,) = run.events.of_kind("transition")
    found = curves(run)
    drawn, slips = found.values["reaction of block|slope.friction"], found.time < event.time
    np.testing.assert_allclose(np.abs(drawn[slips]), 0.5 * G * math.cos(0.3), rtol=1e-12)
    assert np.isfinite(drawn[found.time > event.time]).all()


def test_strips_are_in_the_order_in_which_places_are_first_touched() -> None:
    run = detent.example("ball-on-path").simulate()
    places = [f"ball|path {name}" for name in ("piece 1", "corner 1", "piece 2", "piece 3", "piece 4")]
    assert list(banded(run)) == places


def test_the_words_for_an_arrow_tell_the_whole_force_in_space() -> None:
    run = detent.example("v-groove").simulate()
    seen = seen_forces(run, PLANES[1], np.array([2.0]))
    whole = max(np.linalg.norm(contact.force[-1]) for contact in run.contacts.values())
    assert seen is not None
    assert seen.whole == pytest.approx(whole, rel=1e-12)
    assert seen.largest < 0.5 * seen.whole


def test_a_ladder_is_drawn_from_end_to_end() -> None:
    example = detent.example("ladder")
    figure = detent.stroboscope(example.system, example.simulate(until=0.1), count=1)
    ends = np.concatenate([line.get_xydata() for line in figure.axes[0].lines if line.get_color() == INK])
    top = ends[ends[:, 1].argmax()]
    np.testing.assert_allclose(top, [0.0, math.sin(math.pi / 3)], atol=1e-12)


def test_a_title_is_no_wider_than_a_narrow_picture() -> None:
    example = detent.example("woodpecker")
    figure = detent.stroboscope(example.system, example.simulate(until=0.3))
    figure.draw_without_rendering()
    title = figure.axes[0].title.get_window_extent()
    assert 0 <= title.x0 < title.x1 <= figure.bbox.width


def plane_look(reach: float = 0.0) -> Look:
    return Look(np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]]), np.zeros(2), reach)


def test_shapes_answer_for_their_outlines() -> None:
    ground = detent.System("shapes").ground
    body = ground.rotated("body", 0)
    cases = {
        "arc": (ground.arc(2, 0, math.pi / 2), (2.0, 2.0)),
        "track": (ground.track((-3, 0), (-1, 0), detent.Turn((-1, 1), math.pi / 2)), (3.0, 1.0)),
        "segment": (ground.segment((0, 0), (3, 4)), (3.0, 4.0)),
        "capsule": (body.capsule(0.5, 2, along="x"), (3.0, 1.0)),
        "cylinder": (body.cylinder(0.5, 2, along="y"), (1.0, 2.0)),
        "rim": (body.rim(0.5), (1.0, 1.0)),
        "hollow": (body.sphere(2, inside=True), (4.0, 4.0)),
    }
    for name, (shape, extent) in cases.items():
        sizes = {key: float(value) for key, value in shape.sizes.items()}
        axes = np.array([[float(v) for v in axis[:2]] for axis in shape.seat.axes])
        drawn = shape.outline(sizes, Look(axes, np.zeros(2), 0.0))
        assert tuple(np.ptp(np.concatenate(drawn), axis=0)) == pytest.approx(extent, rel=1e-9), name
    assert body.point().outline({}, plane_look()) == []


def test_curves_and_surfaces_are_drawn_with_the_parameters_of_the_run() -> None:
    system = detent.System("shapes")
    s, a, b = sympy.symbols("s a b")
    half = system.parameters(half=1.0)
    flat = plane_look().axes
    (line,) = system.ground.curve(s, 2 * sympy.cos(s), half * sympy.sin(s), (0, math.pi)).outline(
        {"lowest": 0.0, "highest": math.pi}, Look(flat, np.zeros(2), 0.0, {"half": 0.5})
    )
    np.testing.assert_allclose((line[:, 0] / 2) ** 2 + (line[:, 1] / 0.5) ** 2, 1.0, rtol=1e-12)
    surface = system.ground.surface((a, b), a, b, a * b, ((0, 2), (0, 3)))
    sizes = {name: float(value) for name, value in surface.sizes.items()}
    drawn = np.concatenate(surface.outline(sizes, Look(flat, np.zeros(2), 0.0)))
    assert tuple(np.ptp(drawn, axis=0)) == (2.0, 3.0)


def test_what_has_no_ends_reaches_from_the_middle_both_ways() -> None:
    ground = detent.System("shapes").ground
    look = Look(plane_look().axes, np.array([3.0, 7.0]), 5.0)
    (line,) = ground.line().outline({}, look)
    assert line.tolist() == [[-2.0, 0.0], [8.0, 0.0]]


def test_a_long_road_does_not_make_what_moves_on_it_small() -> None:
    system = detent.System("disk")
    joint = system.planar("disk", system.origin, system.ground)
    body = system.body("disk", joint.point, joint.frame, 1, 0.02)
    system.gravity(-G * system.ground.y)
    system.start(disk_y=0.2, disk_x_rate=1.0)
    system.contact("disk|road", body.circle(0.2), system.ground.segment((-50, 0), (50, 0)))
    axes = detent.stroboscope(system, detent.simulate(system, until=1), count=3).axes[0]
    left, right = axes.get_xlim()
    moves = 1.4  # from the left of the first disk to the right of the last
    assert moves < right - left < 4 * moves
    assert any(np.ptp(line.get_xdata()) == 100 for line in axes.lines)  # it is drawn whole, and goes on


def test_what_rests_against_its_resistance_has_a_colour_of_its_own() -> None:
    system = detent.System("disk")
    joint = system.planar("disk", system.origin, system.ground)
    body = system.body("disk", joint.point, joint.frame, 1, 0.02)
    system.gravity(-G * system.ground.y)
    system.start(disk_y=0.2, disk_x_rate=1.0, disk_angle_rate=-5.0)
    law = detent.Coulomb(0.5, rolling=0.02)
    system.contact("disk|road", body.circle(0.2), system.ground.line(), friction=law)
    run = detent.simulate(system, until=3)
    bands = banded(run)["disk|road"]
    stops = run.events[0].time
    assert set(bands[run.t < stops]) == {ContactStatus.STICK}
    assert set(bands[run.t > stops]) == {REST}
    figure = detent.plot(run)
    assert "rest" in [text.get_text() for text in figure.legends[0].get_texts()]


def test_a_long_legend_takes_no_room_from_the_curves() -> None:
    run = detent.simulate(box(1.0, 0.5, 0.3, 0.3, box_y=1.0, box_angle=0.4), until=1.5)
    short, long = detent.plot(run, between=(0.0, 0.05)), detent.plot(run)
    rows = [len(figure.legends[0].get_texts()) for figure in (short, long)]
    assert rows[1] > rows[0] + 3
    assert long.get_size_inches()[1] > short.get_size_inches()[1]
