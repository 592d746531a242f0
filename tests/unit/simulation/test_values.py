"""What may be asked of a run, how it is said when it cannot be told, and tables of it."""

from __future__ import annotations

import copy
import csv
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import detent
from detent.results import sample_run


def cart() -> tuple[detent.System, detent.Run]:
    """A cart that is pushed, by a different force from 0.5 s on, and braked in one of two modes."""
    system = detent.System("cart")
    mass = system.parameters(mass=2)
    x = system.coordinates(x=1)
    push, drive = system.input("push", detent.Held([0, 0.5], [4, -2])), system.input("drive", 3 * system.time)
    body = system.particle("cart", system.origin.offset("cart", x * system.ground.x), mass=mass)
    system.force("push", body, push * system.ground.x)
    system.damper("brake", x.rate, 1, active=False)
    system.units(x="m")
    automaton = detent.Automaton(system)
    free, braked = automaton.mode("free"), automaton.mode("braked", loads=["brake"])
    automaton.transition("brakes", free, braked, when=system.time >= 0.75)
    assert drive.name == "drive"
    return system, detent.simulate(automaton, until=1)


@pytest.fixture(scope="module")
def carted() -> tuple[detent.System, detent.Run]:
    return cart()


# -- what may be asked -----------------------------------------------------------------------------


def test_inputs_have_the_values_that_held(carted: tuple[detent.System, detent.Run]) -> None:
    system, run = carted
    assert run.value("push", [0.2, 0.7]).tolist() == [4.0, -2.0]
    assert run.value(2 * system["push"], 0.5) == -4.0
    assert run.value("drive", [0.2, 0.5]).tolist() == [3 * 0.2, 1.5]
    assert run["push"].tolist() == run.value(system["push"]).tolist()
    assert run.value("'acting brake'", [0.5, 0.9]).tolist() == [0.0, 1.0]


def test_accelerations_follow_from_the_loads_that_act(carted: tuple[detent.System, detent.Run]) -> None:
    system, run = carted
    times = np.array([0.2, 0.7, 0.9])
    speed = run.at(times).x_rate
    expected = np.array([4.0, -2.0, -2.0 - speed[2]]) / 2
    for asked in (system["x_rate"].rate, "cart.acceleration.x"):
        np.testing.assert_allclose(run.value(asked, times), expected, rtol=1e-14)


def test_one_time_gives_a_float_and_many_give_their_shape(carted: tuple[detent.System, detent.Run]) -> None:
    system, run = carted
    velocity = system.points["cart"].velocity()
    assert isinstance(run.value("x", 0.3), float)
    assert run.value("x", [[0.1, 0.2, 0.3], [0.4, 0.5, 0.6]]).shape == (2, 3)
    assert run.value(velocity).shape == (len(run.t), 3)
    assert run.value(velocity, 0.3).shape == (3,)
    assert run.value("x", []).shape == (0,)
    with pytest.raises(detent.OutsideRunError):
        run.value("x", 2.0)


def test_text_means_what_the_expression_means(carted: tuple[detent.System, detent.Run]) -> None:
    system, run = carted
    x, mass, ground = system["x"], system["mass"], system.ground
    velocity = system.points["cart"].velocity().dot(ground.x)
    pairs: list[tuple[str, Any]] = [
        ("x**2 + 3*mass", x**2 + 3 * mass),
        ("-x/(1 + t)", -x / (1 + system.time)),
        ("cart.x", x),
        ("cart.velocity.x * 'x_rate'", velocity * system["x_rate"]),
        ("max(x, mass, t) + degrees(pi)", 180.0 + 2.0 + 0 * x),
    ]
    for text, expression in pairs:
        np.testing.assert_allclose(run.value(text), run.value(expression), rtol=1e-15)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("__import__('os').system('true')", "is not allowed"),
        ("open('file')", "the function 'open' is not offered"),
        ("x.__class__", "no quantity named 'x.__class__'"),
        ("(lambda: x)()", "is not allowed"),
        ("[x for x in t]", "is not allowed"),
        ("x if t else 0", "is not allowed"),
        ("9**9**9**9", "no finite real value"),
        ("x/0", "divides by the constant zero"),
        ("sin(x, t)", "sin takes 1 arguments, not 2"),
        ("min()", "has no value"),
        ("x +", "is not an arithmetic expression"),
        ("", "is not an arithmetic expression"),
        ("speed", "no quantity named 'speed'"),
        ("wheel.x", "no point or body named 'wheel'"),
        ("wheel.angular_velocity.z", "no frame or body named 'wheel'"),
        ("x" * 3000, "at most 2000 are read"),
    ],
)
def test_text_that_is_no_expression_of_the_run_is_refused(
    carted: tuple[detent.System, detent.Run], text: str, words: str
) -> None:
    with pytest.raises(detent.DetentError) as refused:
        carted[1].value(text)
    assert words in str(refused.value)


def test_accelerations_and_forces_of_contacts_cannot_stand_in_a_model() -> None:
    for which in range(3):
        system = detent.System("ball")
        y = system.coordinates(y=1)
        ball = system.particle("ball", system.origin.offset("ball", y * system.ground.y), mass=1)
        contact = system.contact("ball|floor", ball.point(), system.ground.line())
        (speed,) = system.all_speeds()
        unknown = (ball.center.acceleration().dot(system.ground.y), speed.rate, contact.normal_force())[which]
        system.force("push", ball, unknown * system.ground.y)
        with pytest.raises(detent.ExpressionError, match="known along a run only"):
            detent.simulate(system, until=1)


# -- runs without their model ----------------------------------------------------------------------


@pytest.fixture
def loaded(carted: tuple[detent.System, detent.Run], tmp_path: Path) -> detent.Run:
    carted[1].save(tmp_path / "cart.nc")
    return detent.load(tmp_path / "cart.nc")


def test_a_run_from_a_file_has_the_values_of_what_it_keeps(
    carted: tuple[detent.System, detent.Run], loaded: detent.Run
) -> None:
    system, run = carted
    assert loaded.model is None
    assert loaded.units == run.units == {"x": "m", "x_rate": "m/s"}
    times = [0.2, 0.6, 0.9]
    for asked in (
        "mass*x + push",
        system["x"] * system["mass"] + system["push"],
        "time",
        system.time,
        "'acting brake'",
    ):
        assert loaded.value(asked, times).tolist() == run.value(asked, times).tolist()
    for asked in (system["x"].rate, system["x_rate"].rate, "energy"):
        assert loaded.value(asked).tolist() == run.value(asked).tolist()


def test_a_run_from_a_file_says_what_needs_the_model(
    carted: tuple[detent.System, detent.Run], loaded: detent.Run
) -> None:
    system = carted[0]
    cart = system.points["cart"]
    for asked in (cart.velocity(), cart.along(system.ground.x), "cart.x"):
        with pytest.raises(detent.ExpressionError, match=r"needs the model.*run.with_model\(system\)"):
            loaded.value(asked)
    for asked in (system["x_rate"].rate, "energy"):
        with pytest.raises(detent.ExpressionError, match=r"between the nodes needs the model"):
            loaded.value(asked, 0.3)
    with pytest.raises(detent.ExpressionError, match=r"does not keep 'z'; it has time, x"):
        loaded.value(detent.System("other").coordinates("z"))


def test_a_run_from_a_file_knows_all_with_its_model(
    carted: tuple[detent.System, detent.Run], loaded: detent.Run
) -> None:
    run = carted[1]
    whole = loaded.with_model(run.model)
    times = [0.2, 0.6, 0.9]
    for asked in ("cart.acceleration.x", "energy", "x_rate**2"):
        assert whole.value(asked, times).tolist() == run.value(asked, times).tolist()
    with pytest.raises(detent.DetentError, match="give the system that was run"):
        loaded.with_model(detent.example("pendulum").system)


def test_a_run_goes_to_another_process_without_its_model(carted: tuple[detent.System, detent.Run]) -> None:
    twin = pickle.loads(pickle.dumps(carted[1]))
    assert twin.model is None
    assert twin.value("x").tolist() == carted[1].x.tolist()
    assert copy.copy(carted[1]).model is carted[1].model


def test_labelled_arrays_have_the_units(carted: tuple[detent.System, detent.Run]) -> None:
    data = carted[1].to_xarray()
    assert data.x.attrs == {"kind": "coordinate", "units": "m"}
    assert data.x_rate.attrs == {"kind": "speed", "units": "m/s"}
    assert "units" not in data.push.attrs


def test_what_follows_from_a_constraint_first_written_during_the_run_is_known_at_its_nodes() -> None:
    system = detent.System("bead")
    x, y = system.coordinates("x", "y")
    system.particle("bead", system.origin.offset("bead", x * system.ground.x + y * system.ground.y), mass=1)
    system.gravity(-10 * system.ground.y)
    run = detent.simulate(system, 1, script=lambda running, end: running.constrain("floor", y))
    assert run.value(system.reaction("floor"))[-1] == pytest.approx(10.0, rel=1e-12)
    with pytest.raises(detent.DetentError, match=r"'floor' held at t = \S+ and is no constraint that 'bead' declares"):
        run.value(system.reaction("floor"), 0.0123)


@pytest.mark.parametrize("kept", [{"keep": "events"}, {"times": [0.0, 0.25, 1.0]}])
def test_a_run_that_keeps_some_states_knows_its_accelerations_there(kept: dict[str, Any]) -> None:
    run = detent.example("pendulum").simulate(until=1, **kept)
    system = run.model
    angle, speed = system["angle"], system["angle_rate"]
    bound = 1e-13 * run.parameters["g"] / run.parameters["length"]
    expected = -run.parameters["g"] / run.parameters["length"] * np.sin(run.angle)
    assert np.abs(run.value(speed.rate) - expected).max() <= bound
    assert run.value(angle, 1.0) == run.angle[-1]


# -- units and tables ------------------------------------------------------------------------------


def test_units_of_what_does_not_exist_are_reported_with_the_other_faults() -> None:
    system = detent.System("mistaken")
    x = system.coordinates("x")
    system.particle("bead", system.origin.offset("bead", x * system.ground.x), mass=-1)
    system.units(z="m", x=3)  # type: ignore[arg-type]
    with pytest.raises(detent.ModelError) as refused:
        detent.simulate(system, until=1)
    for words in ("unit of 'z': there is nothing of that name; use one of: x, x_rate", "unit of 'x': found 3", "mass"):
        assert words in str(refused.value)


def test_joints_say_their_units() -> None:
    system = detent.System("joints")
    system.revolute("hinge", system.origin, system.ground)
    system.free("body", system.origin, system.ground)
    from detent.model.units import known_units

    units = known_units(system)
    assert (units["hinge"], units["hinge_rate"], units["body_z"], units["body_z_rate"], units["body_wx"]) == (
        "rad", "rad/s", "m", "m/s", "rad/s",
    )  # fmt: skip


def rows(path: Path) -> list[list[str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.reader(file))


def test_a_table_has_every_name_and_gives_every_number_back(
    carted: tuple[detent.System, detent.Run], tmp_path: Path
) -> None:
    run, path = carted[1], tmp_path / "cart.csv"
    run.to_csv(path)
    header, *lines = rows(path)
    assert [name.split(" [")[0] for name in header] == list(run.names)
    assert header[:4] == ["time [s]", "x [m]", "x_rate [m/s]", "work [J]"]
    read = np.array(lines, dtype=float)
    for number, name in enumerate(run.names):
        np.testing.assert_array_equal(read[:, number], run[name])


def test_a_table_has_chosen_columns_at_chosen_times(carted: tuple[detent.System, detent.Run], tmp_path: Path) -> None:
    system, run = carted
    path, times = tmp_path / "some.csv", [0.1, 0.2]
    run.to_csv(path, ["x", "cart.velocity.x", system["x"] ** 2], times=times)
    header, *lines = rows(path)
    assert header == ["time [s]", "x [m]", "cart.velocity.x [m/s]", "x**2"]
    read = np.array(lines, dtype=float)
    np.testing.assert_array_equal(read[:, 0], times)
    np.testing.assert_array_equal(read[:, 3], run.value("x**2", times))
    run.to_csv(path, {"place, in all": system.points["cart"].position()})
    assert rows(path)[0] == ["time [s]", "place, in all.x [m]", "place, in all.y", "place, in all.z"]
    with pytest.raises(detent.ValueProblem, match="'x' is asked for twice"):
        run.to_csv(path, ["x", system["x"]])


def test_a_table_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "stone.csv"
    path.write_text("before")
    with pytest.raises(detent.DetentError, match="no quantity named 'z'"):
        sample_run().to_csv(path, ["y", "z"])
    with pytest.raises(detent.ResultFileError, match="cannot write"):
        sample_run().to_csv(tmp_path / "no" / "stone.csv")
    assert path.read_text() == "before"
    assert list(tmp_path.iterdir()) == [path]
