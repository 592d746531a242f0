"""Live runs in the studio as a whole, without a browser: what is asked for is done, and nothing is left behind."""

import socket
import threading

import numpy as np
import pytest

from detent.studio.studio import Studio

pytest.importorskip("viser", reason="the extra 'studio' is not installed")


@pytest.fixture(scope="module")
def studio():
    with Studio(port=0) as made:
        yield made


def live(studio, name, **given):
    studio.open_live(name, given, 1000.0)
    studio.settle()
    assert studio.session.error is None
    return studio._live


def done(studio, action):
    studio.ask("test", action)
    studio.settle()


def test_a_model_goes_live_and_stands_still_until_somebody_is_there(studio):
    view = live(studio, "pendulum", angle=0.5)
    assert view.is_live
    assert not view.session.live.is_running
    assert view.session.live.state.angle == 0.5
    assert "t = 0.000 s" in view.panel._status.content


def test_contacts_are_shown_where_they_touch_with_their_forces(studio):
    view = live(studio, "disk-on-ramp-contact")
    done(studio, lambda: view.session.live.advance(0.5))
    done(studio, view.tick)
    contacts = view._live_stage._contacts
    dots, arrows = contacts._nodes
    run = view.session.replay()
    point, force = run.contacts["disk|ramp"][""].point[-1], run.contacts["disk|ramp"][""].force[-1]
    np.testing.assert_allclose(dots.batched_positions[0], point, atol=1e-6 * np.abs(point).max())
    np.testing.assert_allclose(contacts._largest, np.linalg.norm(force), rtol=0.2)
    shown = contacts._touches.now()
    np.testing.assert_allclose(shown.forces[0], force, atol=1e-12 * np.linalg.norm(force))
    assert shown.closed.tolist() == [True]
    assert (dots.batched_scales[0] > 0).all()
    assert (arrows.batched_scales[0] > 0).all()
    done(studio, view.end)
    assert contacts._nodes == []


def test_structural_arguments_are_given_as_parameters_are(studio):
    view = live(studio, "chain", links=3, g=5.0)
    assert len(view.session.system.bodies) == 3
    assert view.session.live.parameters["g"] == 5.0


def test_what_is_drawn_is_where_the_live_run_has_it(studio):
    view = live(studio, "pendulum")
    done(studio, lambda: view.session.live.advance(0.3))
    done(studio, view.tick)
    (handle,) = [handle for batch, handle in view._live_stage._parts if batch.name == "points"]
    bob = view.session.live.state.angle
    found = np.asarray(handle.batched_positions)
    places = [np.array([np.sin(bob), -np.cos(bob), 0.0]), np.zeros(3)]
    assert all(np.linalg.norm(found - place, axis=1).min() < 1e-6 for place in places)


def test_parameters_are_set_and_a_replay_is_shown(studio):
    view = live(studio, "pendulum")
    studio._model._inputs["g"].value = "1.5"
    done(studio, view.set_parameters)
    assert view.session.live.parameters["g"] == 1.5
    done(studio, lambda: view.session.live.advance(0.2))
    final = view.session.live.state.values.tobytes()
    done(studio, view.replay)
    assert not view.is_live
    assert studio.session.run.final.values.tobytes() == final
    assert "from its recording" in studio._model._title.content


def test_what_is_wrong_is_shown_and_the_live_run_goes_on(studio):
    view = live(studio, "pendulum")
    done(studio, lambda: view.latch("import os"))
    assert "import os" in studio.session.error
    assert view.is_live


def test_latches_and_drawings_are_listed_until_they_are_released(studio):
    view = live(studio, "pendulum")
    done(studio, lambda: view.latch("angle"))
    assert view.panel._held.value == "latch 1: angle"
    done(studio, lambda: view.release("latch 1"))
    assert view.session.latches == {}
    done(studio, view.draw)
    for place in ((-2.0, -3.0), (0.0, -3.5), (2.0, -3.0)):
        done(studio, lambda place=place: view._clicked(np.array(place)))
    done(studio, lambda: view.finish_drawing("fence", "bob", "0.2"))
    assert list(view.session.drawn) == ["bob|fence 2"]
    done(studio, lambda: view.release("bob|fence 2"))
    assert view.session.drawn == {}


def test_a_run_again_ends_the_live_one(studio):
    view = live(studio, "pendulum")
    done(studio, studio._run)
    assert not view.is_live
    assert studio.session.run.name == "pendulum"


def test_closing_ends_the_loop_and_leaves_no_port_and_no_thread():
    before = set(threading.enumerate())
    made = Studio(port=0)
    port = made._server.port
    view = live(made, "pendulum")
    done(made, view.toggle)
    assert view.session.live.is_running
    made.close()
    assert not view.session.live.is_running
    with socket.socket() as other:
        assert other.connect_ex(("127.0.0.1", port)) != 0
    left = {thread.name for thread in set(threading.enumerate()) - before if thread.is_alive()}
    assert not {name for name in left if not name.startswith("detent-compiler")}


def test_paths_lead_to_where_the_points_are_and_last_no_longer_than_asked(studio):
    view = live(studio, "pendulum", angle=0.5)
    done(studio, lambda: view.show_paths(True))
    done(studio, view.tick)  # of no step yet
    assert studio.session.error is None
    done(studio, lambda: view.session.live.advance(0.5))
    done(studio, view.tick)
    (line,) = view._live_stage._traces._lines
    run = view.session.replay()
    angle = run.at(np.linspace(0.01, 0.5, 50)).angle
    shown = np.asarray(line.points)
    expected = np.column_stack([np.sin(angle), -np.cos(angle), 0 * angle])
    np.testing.assert_allclose(shown[-49:, 1], expected[1:], atol=1e-6)
    np.testing.assert_allclose(shown[:-50, :, :], np.broadcast_to(expected[0], shown[:-50].shape), atol=1e-6)
    done(studio, lambda: view.session.live.advance(5))
    done(studio, view.tick)
    assert np.asarray(line.points).shape == shown.shape
    at_the_end = view.session.replay().at(np.linspace(1.5, 5.5, 401)).angle
    np.testing.assert_allclose(np.asarray(line.points)[:, 1, 0], np.sin(at_the_end[1:]), atol=1e-6)
    done(studio, lambda: view.show_paths(False))
    assert view._live_stage._traces._lines == []
