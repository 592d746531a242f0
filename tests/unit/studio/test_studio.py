"""The studio as a whole, without a browser: what is asked for is done, and nothing is left behind."""

import socket
import threading

import pytest

import detent
from detent.studio import words
from detent.studio.studio import Studio

pytest.importorskip("viser", reason="the extra 'studio' is not installed")


@pytest.fixture(scope="module")
def studio():
    with Studio(port=0) as made:
        yield made


def shown(studio, name):
    studio.open(name)
    studio.settle()
    return studio.session


def test_opening_a_model_runs_and_shows_it(studio):
    session = shown(studio, "pendulum")
    assert session.run.outcome.word == "completed"
    assert session.error is None
    assert "t = 0.000000 s" in studio._transport._clock.content


def test_a_changed_parameter_is_run(studio):
    shown(studio, "pendulum")
    studio._model._inputs["length"].value = "4"
    studio.ask("run", studio._run)
    studio.settle()
    assert studio.session.run.parameters["length"] == 4.0


def test_what_is_wrong_is_said_and_the_studio_goes_on(studio):
    shown(studio, "pendulum")
    studio._model._inputs["length"].value = "import os"
    studio.ask("run", studio._run)
    studio.settle()
    assert "length: " in studio._model._error.content
    assert shown(studio, "double-pendulum").error is None


def test_events_can_be_gone_to(studio):
    session = shown(studio, "conveyor-pendulum")
    studio.ask("step", lambda: studio._transport.step("next"))
    studio.settle()
    assert studio._transport.playback.time == session.run.events[0].time
    studio.ask("line", lambda: studio._transport.go_to(session.run.events[-1].time))
    studio.settle()
    assert studio._transport.mode == session.run.mode


def test_a_run_that_was_made_elsewhere_is_shown_with_its_values(studio):
    example = detent.example("pendulum")
    run = example.simulate(until=2, parameters={"length": 3.0})
    studio.show(example, run)
    studio.settle()
    assert studio.session.run is run
    assert studio._model.texts["length"] == "3"
    assert studio._model.texts["until"] == "2"


def test_an_error_in_what_was_asked_is_shown_where_the_user_looks(studio):
    def fail():
        raise RuntimeError("of no kind of ours")

    studio.ask("fail", fail)
    studio.settle()
    assert "RuntimeError: of no kind of ours" in studio._model._error.content


def test_a_page_that_asks_without_end_fills_no_memory():
    with Studio(port=0) as made:
        hold, held = threading.Event(), threading.Event()
        made.ask("hold", lambda: (held.set(), hold.wait()))
        held.wait()
        for number in range(10_000):
            made.ask("slider", lambda number=number: None)
        assert len(made._asked) == 1
        hold.set()


def test_closing_leaves_no_port_and_no_thread_even_while_it_runs():
    before = set(threading.enumerate())
    made = Studio(port=0)
    port = made._server.port
    made.open("pendulum")
    made.settle()
    made.session.run_again({"until": "1e5"})
    made.close()
    with socket.socket() as other:
        assert other.connect_ex(("127.0.0.1", port)) != 0
    left = {thread.name for thread in set(threading.enumerate()) - before if thread.is_alive()}
    assert not {name for name in left if not name.startswith("detent-compiler")}


def test_names_of_a_model_are_never_markup():
    evil = "<img src=x onerror=alert(1)>"
    for made in (words.error(evil), words.note(evil), words.plain(evil), words.clock(0.0, evil, "#ffffff")):
        assert "<img" not in made
        assert "&lt;img" in made


@pytest.mark.parametrize("name", ["no-such-example", "no_such_file.py", "no_such_run.nc"])
def test_what_is_not_there_is_named(studio, name):
    with pytest.raises(detent.DetentError, match=name):
        studio.open(name)
