"""What is open in the studio: opened, set, run again, cancelled, and told what is wrong."""

import threading

import numpy as np
import pytest

import detent
from detent.results.outcome import Outcome
from detent.studio.choices import ExampleChoices, choices_in
from detent.studio.session import Session
from detent.studio.work import Work

MODEL = """
import detent
system = detent.System("stone")
g = system.parameters(g=10)
height = system.coordinates(height=1)
stone = system.particle("stone", system.origin.offset("stone", height*system.ground.y), mass=2)
system.gravity(-g*system.ground.y)
until = 0.5
"""


def finished(session):
    assert session.wait()
    return session.run


@pytest.fixture
def pendulum():
    session = Session(ExampleChoices())
    session.open("pendulum")
    return session


def test_a_run_with_a_changed_parameter_is_the_run_of_that_parameter(pendulum):
    pendulum.run_again({"length": "2*sqrt(4)", "angle": "pi/4", "until": "1/2"})
    run = finished(pendulum)
    same = detent.example("pendulum").simulate(until=0.5, parameters={"length": 4.0}, start={"angle": np.pi / 4})
    assert pendulum.error is None
    assert np.array_equal(run.trajectory.state, same.trajectory.state)


def test_what_was_not_changed_is_as_the_example_has_it():
    session = Session(ExampleChoices())
    session.open("conveyor-pendulum")
    session.run_again({setting.name: setting.text for setting in session.settings} | {"until": session.settings.until})
    run = finished(session)
    same = detent.example("conveyor-pendulum").simulate()
    assert np.array_equal(run.trajectory.state, same.trajectory.state)


def test_an_example_keeps_its_script():
    session = Session(ExampleChoices())
    session.open("closing-loop")
    session.run_again({})
    assert [event.name for event in finished(session).events] == [
        event.name for event in detent.example("closing-loop").simulate().events
    ]


@pytest.mark.parametrize("text", ["__import__('os')", "length.__class__", "1 if 1 else 2", "9**9**9", "(" * 5000, ""])
def test_text_of_a_page_is_never_run(pendulum, text):
    pendulum.run_again({"length": text})
    assert not pendulum.is_busy
    assert pendulum.error.startswith("length: ")


def test_all_faults_of_the_inputs_are_told_at_once(pendulum):
    pendulum.run_again({"length": "x", "m": "1/0", "until": "-1"})
    assert [line.split(":")[0] for line in pendulum.error.splitlines()] == ["length", "m", "until"]


def test_a_name_that_is_none_of_the_model_is_an_error(pendulum):
    pendulum.run_again({"lenght": "1"})
    assert "'lenght'" in pendulum.error
    assert "length" in pendulum.error


def test_a_run_that_cannot_be_has_the_words_of_the_command_line(pendulum):
    pendulum.run_again({"m": "0"})
    pendulum.wait()
    with pytest.raises(detent.DetentError) as said:
        detent.example("pendulum").simulate(parameters={"m": 0.0})
    assert pendulum.error == str(said.value)


def test_the_run_before_stays_when_the_next_cannot_be(pendulum):
    pendulum.run_again({"until": "1"})
    run = finished(pendulum)
    pendulum.run_again({"length": "nonsense"})
    assert pendulum.run is run


def endless(begun):
    """A run that goes on until it is stopped."""

    def script(simulation, until):
        simulation.advance(0.5)
        begun.set()

    example = detent.example("pendulum")
    settings = {"script": script, "method": "rk4", "step": 1e-5, "keep": 0.1, "until": 1e6}
    return Work(example, settings)


def test_a_run_that_is_cancelled_ends_where_it_is():
    begun = threading.Event()
    work = endless(begun)
    begun.wait()
    work.cancel()
    assert work.is_done
    assert work.run.outcome is Outcome.INTERRUPTED
    assert 0.5 <= work.run.t[-1] < 1e6
    assert work.error.startswith("cancelled at t = ")
    assert 0.0 < work.progress < 1.0


def test_cancelling_before_anything_ran_is_no_harm():
    work = endless(threading.Event())
    work.cancel()
    assert work.is_done
    assert work.error.startswith("cancelled")


def test_no_thread_is_left_of_a_run_that_was_made_or_cancelled(pendulum):
    pendulum.run_again({"until": "1"})
    finished(pendulum)
    pendulum.run_again({"until": "1e5"})
    pendulum.cancel()
    assert not any(thread.name == "detent-studio-run" for thread in threading.enumerate())


def test_a_page_cannot_ask_for_a_run_without_end(pendulum):
    pendulum.run_again({"until": "1e300"})
    pendulum.wait()
    assert "give a time from 0 to 1e+06 s" in pendulum.error


# -- files -------------------------------------------------------------------------------------


def test_model_files_and_saved_runs_of_the_folder_can_be_opened(tmp_path):
    (tmp_path / "stone.py").write_text(MODEL)
    (tmp_path / "other.py").write_text("print('nothing to do with it')")
    (tmp_path / "notes.txt").write_text("detent")
    detent.example("pendulum").simulate(until=1).save(tmp_path / "swing.nc")
    choices = choices_in(tmp_path)
    assert [path.name for path in choices.files] == ["stone.py", "swing.nc"]
    session = Session(choices)
    session.open("stone.py")
    session.run_again({"g": "8"})
    assert finished(session).final.height == pytest.approx(0.0, abs=1e-12)
    session.open("swing.nc")
    assert session.run.model is not None
    assert session.error is None


def test_a_saved_run_of_an_unknown_model_is_shown_without_it(tmp_path):
    (tmp_path / "stone.py").write_text(MODEL)
    system = detent.System("stone")
    height = system.coordinates(height=1)
    system.particle("stone", system.origin.offset("stone", height * system.ground.y), mass=2)
    detent.simulate(system, until=1).save(tmp_path / "fall.nc")
    session = Session(choices_in(tmp_path))
    session.open("fall.nc")
    assert session.run.model is None
    assert "its model is not known" in session.note
    session.run_again({})
    assert "open the model to run it" in session.error


@pytest.mark.parametrize("name", ["../secret.py", "/etc/passwd", "stone", "pendulum.py"])
def test_a_page_opens_nothing_that_is_not_offered(tmp_path, name):
    (tmp_path / "stone.py").write_text(MODEL)
    session = Session(choices_in(tmp_path))
    session.open(name)
    assert session.example is None
    assert name in session.error


def test_what_is_wrong_in_a_model_file_has_the_words_of_the_command_line(tmp_path):
    path = tmp_path / "stone.py"
    path.write_text(MODEL + "\n1/0\n")
    session = Session(choices_in(tmp_path))
    session.open("stone.py")
    assert session.error == f"{path} failed at line 10: ZeroDivisionError: division by zero"
    path.write_text(MODEL + "\nraise SystemExit(3)\n")
    session.open("stone.py")
    assert session.error == f"{path} ended the program (exit code 3); remove the call of exit"
