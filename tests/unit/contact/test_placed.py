"""Shapes placed by the kinematics of a system: gaps, and what moves at the place of contact."""

from __future__ import annotations

import math

import pytest
import sympy

import detent
from detent.contact.geometry import Geometry
from detent.contact.pairs import geometries
from detent.contact.placed import Placed, placed
from detent.dynamics.kinematics import Kinematics
from detent.dynamics.quantities import Quantities
from detent.expr import vector3
from detent.expr.derivative import Derivative
from detent.expr.evaluate import evaluate_nodes
from detent.expr.graph import Node
from detent.expr.vector3 import Vector3
from detent.model.contact import Contact
from detent.model.frame import Frame


class Scene:
    """The contacts of a system on its graph."""

    def __init__(self, system: detent.System, resolution: Frame | None = None) -> None:
        self.quantities = Quantities(system)
        self.kinematics = Kinematics(self.quantities, resolution or system.ground, system.origin)

    def placed(self, shape: detent.Shape) -> Placed:
        seat, at = shape.seat, self.kinematics
        return placed(shape, at.position(seat.origin), at.matrix(seat.frame), self.quantities.convert)

    def geometries(self, contact: Contact) -> list[Geometry]:
        return geometries(self.quantities.graph, self.placed(contact.first), self.placed(contact.second), contact.name)

    def velocity(self, shape: detent.Shape, place: Vector3) -> Vector3:
        """Of what is at a place and moves with a shape."""
        seat, at = shape.seat, self.kinematics
        arm = vector3.subtract(place, at.position(seat.origin))
        across = vector3.cross(at.spin(seat.frame).velocity, arm)
        return vector3.add(at.motion(seat.origin).velocity, across)

    def approach(self, contact: Contact, geometry: Geometry) -> Node:
        first, second = (self.velocity(shape, geometry.point) for shape in (contact.first, contact.second))
        return vector3.dot(geometry.normal, vector3.subtract(first, second))


def disk_on_a_ramp() -> tuple[detent.System, Contact]:
    system = detent.System("disk on a ramp")
    r, tilt = system.parameters(r=0.5, tilt=0.3)
    x, y, q = system.coordinates("x", "y", "q")
    ramp = system.ground.rotated("ramp", tilt)
    hub = system.origin.offset("hub", x * ramp.x + y * ramp.y)
    disk = system.body("disk", center=hub, frame=ramp.rotated("disk", q), mass=1, inertia=1)
    return system, system.contact("disk|ramp", disk.circle(r), ramp.line(at=(0, 0.1)))


@pytest.mark.parametrize("frame", ["ground", "ramp", "disk"])
def test_the_gap_of_a_disk_on_a_ramp_is_its_height_in_whichever_frame_it_is_written(frame: str) -> None:
    system, contact = disk_on_a_ramp()
    scene = Scene(system, system.frames[frame])
    (geometry,) = scene.geometries(contact)
    values = {"r": 0.5, "tilt": 0.3, "x": 7.0, "y": 2.0, "q": 0.7, "x_rate": 1.0, "y_rate": -3.0, "q_rate": 5.0}
    slip = vector3.dot(geometry.tangents[0], scene.velocity(contact.first, geometry.point))
    gap, approach, sliding = evaluate_nodes([geometry.gap, scene.approach(contact, geometry), slip], values)
    assert gap == pytest.approx(2.0 - 0.1 - 0.5, abs=1e-14)
    assert approach == pytest.approx(-3.0, abs=1e-14)
    # What is at the nearest point of the ramp, 1.9 m below the hub, moves as the disk does there.
    assert sliding == pytest.approx(1.0 + 5.0 * 1.9, abs=1e-13)


def test_the_rate_of_a_gap_is_the_approach_of_what_touches() -> None:
    """A crate on a link, against a wall that is driven to and fro and turns: every corner, every instant."""
    system = detent.System("crate and wall")
    length, side = system.parameters(length=2, side=0.4)
    a, b = system.coordinates("a", "b")
    arm = system.ground.rotated("arm", a)
    tip = system.origin.offset("tip", length * arm.x)
    crate = system.body("crate", center=tip, frame=arm.rotated("crate", b), mass=1, inertia=1)
    table = system.ground.rotated("table", sympy.sin(system.time))
    pivot = system.origin.offset("pivot", system.time**2 * system.ground.x - 3 * system.ground.y)
    corners = crate.polygon((-side, -side), (side, -side), (side, side), (-side, side), at=(0.1, 0.2))
    contact = system.contact("crate|table", corners, table.line(at=pivot, along=(3, 4)))
    scene = Scene(system)
    values = {"length": 2.0, "side": 0.4, "a": 0.3, "b": 1.1, "a_rate": 1.7, "b_rate": -0.6, "t": 0.8}
    for geometry in scene.geometries(contact):
        rate, approach = evaluate_nodes(
            [scene.quantities.change(geometry.gap), scene.approach(contact, geometry)], values
        )
        assert rate == pytest.approx(approach, abs=1e-13)
        assert abs(rate) > 0.1


def test_the_rate_of_a_gap_in_space_is_the_approach_of_what_touches() -> None:
    system = detent.System("crate in space")
    joint = system.free("joint", at=system.origin, frame=system.ground)
    crate = system.body("crate", center=joint.point, frame=joint.frame, mass=1, inertia=(1, 1, 1))
    turned = system.ground.rotated("turned", sympy.sin(system.time), about=(1, 2, 2))
    pairs = {"plane": (crate.box(1, 2, 3), turned.plane((1, 2, 3), at=(0, 0, -4))),
             "disk": (crate.rim(1), turned.plane(at=(0, 0, -4))),
             "ball": (crate.capsule(0.2, 1, along="x"), turned.sphere(0.5, at=(4, 1, 2)))}  # fmt: skip
    contacts = [system.contact(name, *shapes) for name, shapes in pairs.items()]
    scene = Scene(system)
    names = ["joint_x", "joint_y", "joint_z", "joint_wx", "joint_wy", "joint_wz"]
    values = {name: 0.3 * number + 0.1 for number, name in enumerate(names)}
    values |= {f"{name}_rate": 0.7 - 0.4 * number for number, name in enumerate(names[:3])} | {"t": 0.9}
    values |= dict(zip((f"joint_q{letter}" for letter in "wxyz"), (0.5, 0.5, -0.1, 0.7), strict=True))
    for contact in contacts:
        for geometry in scene.geometries(contact):
            rate, approach = evaluate_nodes(
                [scene.quantities.change(geometry.gap), scene.approach(contact, geometry)], values
            )
            assert rate == pytest.approx(approach, abs=1e-12), geometry.feature


def test_a_belt_moves_along_itself_against_what_lies_on_it() -> None:
    system = detent.System("belt")
    x, y = system.coordinates("x", "y")
    box = system.particle("box", system.origin.offset("c", x * system.ground.x + y * system.ground.y), mass=1)
    speed = 2 * sympy.cos(system.time)
    upward = system.ground.segment((0, 0), (3, 4), moving=speed)
    contacts = {
        "flat": (system.contact("flat", box.point(), system.ground.line(moving=speed)), (-2, 0, 0)),
        "turned": (system.contact("turned", box.point(), system.ground.line(along="y", moving=speed)), (0, -2, 0)),
        "steep": (system.contact("steep", box.circle(1), upward), (-1.2, -1.6, 0)),
        "its own": (system.contact("its own", upward, box.circle(1)), (1.2, 1.6, 0)),
        "space": (system.contact("space", box.sphere(1), system.ground.plane("x", moving=(0, speed))), (0, 0, -2)),
    }
    scene = Scene(system)
    for name, (contact, expected) in contacts.items():
        for geometry in scene.geometries(contact):
            assert geometry.surface_velocity is not None
            assert evaluate_nodes(geometry.surface_velocity, {"t": 0.0}) == pytest.approx(expected, abs=1e-15), name


def test_a_ball_in_the_middle_of_a_hollow_has_a_gap_with_slopes() -> None:
    system = detent.System("hollow")
    x, y = system.coordinates("x", "y")
    ball = system.particle("ball", system.origin.offset("c", x * system.ground.x + y * system.ground.y), mass=1)
    contacts = [
        system.contact("sphere", ball.sphere(1), system.ground.sphere(3, inside=True)),
        system.contact("ring", ball.circle(1), system.ground.arc(3, 0, 2 * sympy.pi, inside=True)),
    ]
    scene = Scene(system)
    leaf = scene.quantities.q[0]
    along = Derivative(scene.quantities.graph, {leaf: scene.quantities.graph.one})
    for contact in contacts:
        (geometry,) = scene.geometries(contact)
        nodes = [geometry.gap, along(geometry.gap), along(along(geometry.gap))]
        found = evaluate_nodes(nodes, {"x": 0.0, "y": 0.0})
        assert found[0] == pytest.approx(2.0, abs=1e-8)
        assert all(math.isfinite(value) for value in found)
        assert evaluate_nodes(nodes[:2], {"x": 2.0, "y": 0.0}) == [0.0, -1.0]


def test_a_disk_behind_a_face_with_one_side_is_not_seen() -> None:
    """Behind a segment, inside an arc that is touched from outside, outside one that is touched from inside."""
    system = detent.System("behind")
    x, y = system.coordinates("x", "y")
    ball = system.particle("ball", system.origin.offset("c", x * system.ground.x + y * system.ground.y), mass=1)
    ground, quarter = system.ground, (sympy.pi / 4, 3 * sympy.pi / 4)
    behind = {
        system.contact("segment", ball.circle(0.1), ground.segment((-1, 2), (1, 2))): 1.0,
        system.contact("outside", ball.circle(0.1), ground.arc(2, *quarter)): 1.0,
        system.contact("inside", ball.circle(0.1), ground.arc(2, *quarter, inside=True)): 3.0,
    }
    scene = Scene(system)
    for contact, height in behind.items():
        side = {each.feature: each for each in scene.geometries(contact)}["side"]
        for place, seen in ((height, False), (4.0 - height, True)):
            domain = evaluate_nodes([limit.node for limit in side.domain], {"x": 0.0, "y": place})
            assert (min(domain) >= 0) is seen, (contact.name, place)


def test_a_closed_track_has_a_corner_where_it_closes() -> None:
    system = detent.System("closed")
    x, y = system.coordinates("x", "y")
    ball = system.particle("ball", system.origin.offset("c", x * system.ground.x + y * system.ground.y), mass=1)
    # Clockwise, so that its face is outside.
    block = system.ground.track((0, 0), (0, 1), (1, 1), (1, 0), (0, 0), closed=True)
    contact = system.contact("ball|block", ball.circle(0.1), block)
    assert [name for name in contact.features if name.startswith("corner")] == [f"corner {k}" for k in (1, 2, 3, 4)]
    geometry = {each.feature: each for each in Scene(system).geometries(contact)}["corner 4"]
    values = {"x": -3.0, "y": -4.0}
    assert evaluate_nodes([geometry.gap, *geometry.normal], values) == pytest.approx([4.9, -0.6, -0.8, 0], abs=1e-15)
    assert all(value > 0 for value in evaluate_nodes([limit.node for limit in geometry.domain], values))
