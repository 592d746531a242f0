"""Scenes: everything is where the model's own kinematics puts it, at the very times of the frames."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import detent
from detent.view.piece import Piece
from detent.view.scene import Scene, scene_of

EPS = np.finfo(float).eps


def scene(name: str, until: float, count: int = 13, **more: Any) -> tuple[Scene, detent.Run]:
    run = detent.example(name).simulate(until=until)
    return scene_of(run, np.linspace(0.0, until, count), **more), run


def piece(made: Scene, kind: str) -> Piece:
    return next(each for each in made.pieces if each.kind == kind)


def unit_quaternion_matrix(w: Any, x: Any, y: Any, z: Any) -> np.ndarray:
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.moveaxis(np.array(rows), 2, 0)


def test_rods_of_a_double_pendulum_are_where_its_angles_put_them() -> None:
    made, run = scene("double-pendulum", 2.0)
    state = run.at(made.times)
    elbow = np.stack([np.sin(state.q1), -np.cos(state.q1), 0 * state.q1], axis=1)
    tip = elbow + np.stack([np.sin(state.q2), -np.cos(state.q2), 0 * state.q2], axis=1)
    assert made.rods == (("elbow", "origin"), ("tip", "elbow"))
    assert made.hinges == ("origin",)
    # Sines, cosines and their sum, each rounded once.
    assert np.abs(made.points["elbow"] - elbow).max() <= 2 * EPS
    assert np.abs(made.points["tip"] - tip).max() <= 4 * EPS
    assert made.points["origin"].tolist() == [[0.0, 0.0, 0.0]]


def test_a_rolling_disk_stands_as_its_angles_say() -> None:
    made, run = scene("rolling-disk", 1.0)
    state, disk = run.at(made.times), piece(made, "mass")

    def about(axis: int, angle: Any) -> np.ndarray:
        c, s = np.cos(angle), np.sin(angle)
        turned = np.zeros((len(angle), 3, 3))
        first, second = (axis + 1) % 3, (axis + 2) % 3
        turned[:, axis, axis] = 1.0
        turned[:, first, first], turned[:, second, second] = c, c
        turned[:, first, second], turned[:, second, first] = -s, s
        return turned

    leaning = about(2, state.yaw) @ about(0, state.lean)
    hub = np.stack([state.x, state.y, 0 * state.x], axis=1) + 0.5 * leaning[:, :, 2]
    # Products of a few numbers of size one, on places of size three.
    assert np.abs(disk.turns - leaning @ about(1, state.spin)).max() <= 8 * EPS
    assert np.abs(disk.places - hub).max() <= 16 * EPS


def test_a_sphere_stands_as_its_quaternion_says_and_touches_below_its_centre() -> None:
    made, run = scene("sliding-sphere", 1.0)
    state, ball, touches = run.at(made.times), piece(made, "sphere"), made.touches
    parts = np.array([state.ball_qw, state.ball_qx, state.ball_qy, state.ball_qz])
    tilt = run.parameters["tilt"]
    slope = np.array([[np.cos(tilt), 0, np.sin(tilt)], [0, 1, 0], [-np.sin(tilt), 0, np.cos(tilt)]])
    own = unit_quaternion_matrix(*(parts / np.linalg.norm(parts, axis=0)))
    assert np.abs(ball.turns - slope @ own).max() <= 16 * EPS
    center = slope @ np.array([state.ball_x, state.ball_y, state.ball_z + 0.1])
    assert np.abs(ball.places - center.T).max() <= 8 * EPS
    assert touches is not None
    assert touches.touching.all()
    assert np.abs(touches.points[:, 0] - (ball.places - 0.1 * slope[:, 2])).max() <= 1e-9  # the run's own tolerance
    # It never leaves the plane: the normal force carries its weight's part across the plane.
    assert touches.forces[:, 0] @ slope[:, 2] == pytest.approx(9.81 * np.cos(tilt), abs=1e-9)


def test_forces_between_nodes_are_those_of_the_run_there() -> None:
    made, run = scene("rocking-block", 1.5, count=40)
    assert made.touches is not None
    for number, place in enumerate(made.touches.names):
        force = np.stack([run.value(f"contact force of {place}.{axis}", made.times) for axis in "xyz"], axis=1)
        holds = made.touches.touching[:, number]
        assert holds.any()
        assert (made.touches.forces[holds, number] == force[holds]).all()
        assert (made.touches.forces[~holds, number] == 0.0).all()


def test_scenes_without_forces_leave_them_out() -> None:
    assert scene("sliding-sphere", 0.1, forces=False)[0].touches is None


def tumbling(inertia: Any, mass: float = 2.0) -> Scene:
    system = detent.System("stone")
    joint = system.free("stone", system.origin, system.ground)
    system.body("stone", joint.point, joint.frame, mass, inertia)
    return scene_of(detent.simulate(system, until=1, start={"stone_wx": 1}), np.linspace(0, 1, 3))


def test_a_body_without_shape_is_the_ellipsoid_of_its_mass_and_inertia() -> None:
    # Half axes 1, 2, 3: moments m/5 times the sums of two squares.
    made = piece(tumbling([2 / 5 * (4 + 9), 2 / 5 * (9 + 1), 2 / 5 * (1 + 4)]), "mass")
    assert made.solid is not None
    squares = (np.array(made.solid.places) / [1, 2, 3]) ** 2
    assert squares.sum(axis=1) == pytest.approx(1.0, abs=1e-12)


def test_an_ellipsoid_is_turned_as_products_of_inertia_say() -> None:
    c, s = np.cos(0.4), np.sin(0.4)
    turn = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])
    tensor = turn @ np.diag([2 / 5 * 13, 2 / 5 * 10, 2 / 5 * 5]) @ turn.T
    made = piece(tumbling([*np.diag(tensor), tensor[0, 1], tensor[1, 2], tensor[2, 0]]), "mass")
    assert made.solid is not None
    squares = (np.array(made.solid.places) @ turn / [1, 2, 3]) ** 2
    assert squares.sum(axis=1) == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize("name", ["sliding-sphere", "tumbling-body", "v-groove"])
def test_faces_look_outwards(name: str) -> None:
    made, _ = scene(name, 0.1, count=2)
    for each in made.pieces:
        if each.solid is None or each.kind == "plane":
            continue
        places = np.array(each.solid.places)
        for face in each.solid.faces:
            own = places[list(face)]
            normal = np.cross(own[2] - own[0], own[-1] - own[1])
            assert normal @ own.mean(axis=0) > 0


def test_planes_that_meet_end_where_they_meet() -> None:
    made, _ = scene("v-groove", 0.1, count=2)
    left, right = (each for each in made.pieces if each.kind == "plane")
    for one, other in ((left, right), (right, left)):
        heights = (one.corners()[0] - other.places[0]) @ other.turns[0][:, 2]
        assert heights.min() >= -8 * EPS * made.size
        assert heights.max() > 0.1 * made.size


def test_a_point_that_jumps_leaves_a_broken_trace() -> None:
    system = detent.System("stepping")
    x = system.coordinates("x")
    system.particle("hip", system.origin.offset("hip", x * system.ground.x), mass=1)
    automaton = detent.Automaton(system)
    walk = automaton.mode("walk")
    automaton.transition("back", walk, walk, when=x >= 0.3, reset={x: 0})
    run = detent.simulate(automaton, until=1, start={"x_rate": 1})
    (trace,) = scene_of(run, np.linspace(0, 1, 5)).traces
    assert len(run.events) == 3
    broken = np.isnan(trace.places).any(axis=1)
    assert broken.sum() == 3
    for number in np.flatnonzero(broken):
        assert trace.places[[number - 1, number + 1], 0] == pytest.approx([0.3, 0.0], abs=1e-12)


def test_a_rod_inside_a_shape_is_not_seen_and_one_beyond_it_is() -> None:
    assert scene("rocking-block", 0.1, count=2)[0].rods == ()
    assert len(scene("newtons-cradle", 0.1, count=2)[0].rods) == 5


def test_a_point_placed_by_an_input_is_where_the_input_put_it() -> None:
    system = detent.System("lift")
    x, height = system.coordinates("x"), system.input("height", 0)
    system.particle("cabin", system.origin.offset("cabin", x * system.ground.x + height * system.ground.y), mass=1)
    run = detent.simulate(system, until=1, inputs={height: 2}, start={"x_rate": 1})
    assert scene_of(run, np.array([0.0, 0.5])).points["cabin"] == pytest.approx(np.array([[0, 2, 0], [0.5, 2, 0]]))


def test_a_trace_of_a_point_that_is_not_there_names_those_that_are() -> None:
    with pytest.raises(detent.UnknownNameError, match="no point named 'tipp'; did you mean 'tip'"):
        scene("double-pendulum", 0.1, traces=["tipp"])


def test_a_scene_needs_the_model() -> None:
    import copy

    run = copy.copy(detent.example("pendulum").simulate(until=0.1))
    object.__setattr__(run, "model", None)
    with pytest.raises(detent.DetentError, match=r"does not hold its model.*run\.with_model\(system\)"):
        scene_of(run, run.t)
