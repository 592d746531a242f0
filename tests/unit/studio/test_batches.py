"""What the studio draws is where the model is, with few nodes."""

import numpy as np

import detent
from detent.model.solid import box
from detent.studio.batches import batches_of
from detent.studio.mesh import leading, rod, solid_meshes, sphere, tubes
from detent.studio.stage import frames_of
from detent.view.scene import scene_of


def drawn(name, until, **structure):
    run = detent.example(name, **structure).simulate(until=until)
    times = np.linspace(0, until, 7)
    return run, times, {batch.name: batch for batch in batches_of(scene_of(run, times))}


def test_rods_go_from_point_to_point():
    """A rod is the cylinder from 0 to 1 along z, scaled and turned: its ends are the exact places of the points."""
    run, times, batches = drawn("double-pendulum", 1.0)
    rods = batches["rods"]
    elbow, tip = (run.value(run.model.points[name].position(), times) for name in ("elbow", "tip"))
    for frame in range(len(times)):
        places, turns, scales = rods.at(frame)
        ends = places + scales[:, 2:] * np.array([axis(turn) for turn in turns])
        assert np.allclose(ends, [np.zeros(3), elbow[frame]], atol=1e-12)
        assert np.allclose(places, [elbow[frame], tip[frame]], atol=1e-12)


def axis(turn):
    """Where a quaternion takes z."""
    w, x, y, z = turn
    return [2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)]


def test_a_direction_is_where_its_turn_takes_z():
    along = np.random.default_rng(5).normal(size=(50, 3))
    found = np.array([axis(turn) for turn in leading(along)])
    assert np.allclose(found, along / np.linalg.norm(along, axis=1, keepdims=True), atol=1e-14)


def test_many_bodies_take_no_more_nodes_than_few():
    _, _, few = drawn("chain", 0.2, links=2)
    _, _, many = drawn("chain", 0.2, links=12)
    assert few.keys() == many.keys()
    assert many["rods"].places.shape[1] == 12


def test_the_same_shape_is_one_node_however_often_it_is_there():
    _, _, batches = drawn("newtons-cradle", 0.2)
    assert [name for name in batches if name.startswith("bodies")] == ["bodies 0"]


def test_a_contact_is_seen_only_where_it_touches():
    run, times, batches = drawn("conveyor-pendulum-contact", 1.0)
    (status,) = (contact.status for contact in run.contacts.values())
    touching = status[np.searchsorted(run.t, times, side="right") - 1] > 0
    assert touching.any()
    assert not touching.all()
    assert ((batches["contacts"].scales[:, 0, 0] > 0) == touching).all()


def test_surfaces_look_outwards():
    """The volume below outward faces is that of the body: of a box of 1 by 2 by 3, six."""
    for mesh, volume in ((whole(box(1.0, 2.0, 3.0)), 6.0), (rod(), np.pi), (sphere(), 4 / 3 * np.pi)):
        a, b, c = (mesh.places[mesh.triangles[:, k]].astype(float) for k in range(3))
        found = (np.cross(a, b) * c).sum() / 6
        assert 0.8 * volume <= found <= volume * (1 + 1e-6)


def whole(solid):
    (mesh,) = solid_meshes(solid).values()
    return mesh


def test_tubes_lie_about_their_lines():
    mesh = tubes([np.array([[0.0, 0.0, 0.0], [2.0, 0.0, 0.0]])], 0.1)
    assert np.allclose(np.linalg.norm(mesh.places[:, 1:], axis=1), 0.1, atol=1e-7)
    assert set(np.round(mesh.places[:, 0], 6)) == {0.0, 2.0}


def test_every_event_has_its_frame():
    run = detent.example("conveyor-pendulum").simulate()
    assert {event.time for event in run.events} <= set(frames_of(run))
