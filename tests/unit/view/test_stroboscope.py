"""Stroboscopic pictures: places from the model's own kinematics, at the times asked for, in its plane."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import detent
from detent.view.plane import plane_of

EPS = np.finfo(float).eps


def pendulum() -> tuple[detent.System, detent.Run]:
    example = detent.example("pendulum")
    return example.system, example.simulate(until=1)


def rods(figure: Any) -> list[np.ndarray]:
    """The lines of two places each, in the order drawn: a rod at each flash."""
    lines = [np.column_stack(line.get_data()) for line in figure.axes[0].lines]
    return [line for line in lines if len(line) == 2]


def spinning(about: str = "z", shift: Any = 0) -> tuple[detent.System, detent.Run]:
    """A disk that turns at 1 rad/s while its hub moves at 1 m/s across."""
    system = detent.System("wheel")
    q, x = system.coordinates("q", "x")
    ground = system.ground
    axis = {"z": ground.z, "y": ground.y}[about]
    hub = system.origin.offset("hub", x * ground.x + shift * axis)
    system.body("wheel", hub, ground.rotated("wheel", q, about=about), mass=2, inertia=(8, 8, 8))
    return system, detent.simulate(system, until=1, start={"q_rate": 1, "x_rate": 1})


def test_rods_are_where_the_closed_form_puts_them() -> None:
    system, run = pendulum()
    drawn = rods(detent.stroboscope(system, run, count=5))
    times = np.linspace(0, 1, 5)
    assert len(drawn) == 5
    for time, rod in zip(times, drawn, strict=True):
        angle = run.at(time).angle
        # sin and cos of the same angle, each rounded once.
        assert np.abs(rod - [[np.sin(angle), -np.cos(angle)], [0, 0]]).max() <= 2 * EPS


def test_flashes_are_as_far_apart_as_asked_for() -> None:
    system, run = pendulum()
    assert len(rods(detent.stroboscope(system, run, every=0.25))) == 5
    assert len(rods(detent.stroboscope(system, run, every=0.3))) == 4
    assert len(rods(detent.stroboscope(system, run, count=1))) == 1


def test_later_flashes_are_darker_and_the_last_is_black() -> None:
    system, run = pendulum()
    figure = detent.stroboscope(system, run, count=6)
    strengths = [line.get_alpha() for line in figure.axes[0].lines if len(line.get_xdata()) == 2]
    assert strengths == sorted(strengths)
    assert strengths[-1] == 1.0


def test_the_path_of_the_tip_is_its_circle() -> None:
    system, run = pendulum()
    figure = detent.stroboscope(system, run)
    (path,) = [line for line in figure.axes[0].lines if line.get_label().startswith("path of")]
    x, y = path.get_data()
    assert path.get_label() == "path of bob"
    assert np.abs(x**2 + y**2 - 1).max() <= 4 * EPS


def test_a_path_breaks_where_the_state_jumps() -> None:
    example = detent.example("tip-on-a-line")
    run = example.simulate(until=1)
    figure = detent.stroboscope(example.system, run, trace=["joint2"])
    path = next(line for line in figure.axes[0].lines if line.get_label() == "path of joint2")
    jumps = np.flatnonzero(np.diff(run.t) == 0)
    assert np.isnan(path.get_ydata()).sum() == len(jumps) > 0


def test_a_body_without_rods_is_a_circle_of_its_radius_of_gyration() -> None:
    system, run = spinning()
    figure = detent.stroboscope(system, run, count=3)
    circles = figure.axes[0].patches
    assert [circle.get_radius() for circle in circles] == [2.0] * 3
    assert [circle.center[0] for circle in circles] == pytest.approx([0.0, 0.5, 1.0], abs=1e-12)
    spoke = rods(figure)[-1]
    assert spoke[1] - spoke[0] == pytest.approx([2 * np.cos(1), 2 * np.sin(1)], abs=1e-8)  # the run's own tolerance


def test_a_plane_across_y_is_drawn_with_z_up() -> None:
    system, run = spinning(about="y", shift=3)
    assert plane_of(system) == ("y", "x", "z")
    assert detent.stroboscope(system, run).axes[0].get_ylabel() == "z in m"


@pytest.mark.parametrize(
    ("name", "words"),
    [("heavy-top", "frame 'top' turns freely"), ("rolling-disk", r"turns about \(1, 0, 0\), not about z")],
)
def test_a_model_in_space_is_refused_with_what_leaves_the_plane(name: str, words: str) -> None:
    example = detent.example(name)
    with pytest.raises(detent.DetentError, match=f"moves in space: .*{words}.* needs a planar model"):
        detent.stroboscope(example.system, example.simulate(until=0.01))


def test_a_point_that_leaves_the_plane_is_named() -> None:
    system = detent.System("lift")
    q, z = system.coordinates("q", "z")
    frame = system.ground.rotated("arm", q)
    system.body("arm", system.origin.offset("hand", frame.x + z * frame.z), frame, mass=1, inertia=(1, 1, 1))
    with pytest.raises(detent.DetentError, match="moves in space: point 'hand' moves along z"):
        plane_of(system)


def test_a_place_that_the_run_does_not_keep_is_refused() -> None:
    system = detent.System("stepping")
    x, shift = system.coordinates("x"), system.input("shift", 0)
    system.particle("hip", system.origin.offset("hip", (x + shift) * system.ground.x), mass=1)
    with pytest.raises(detent.DetentError, match="point 'hip' is placed by the input 'shift'"):
        detent.stroboscope(system, detent.simulate(system, until=1))


def stepping() -> tuple[detent.System, Any, detent.Run]:
    """A mass at 1 m/s whose coordinate is counted anew from a foot every 0.3 m."""
    system = detent.System("stepping")
    x, foot = system.coordinates("x"), system.discrete("foot", 0)
    hip = system.origin.offset("hip", (x + foot) * system.ground.x)
    system.particle("hip", hip, mass=1)
    automaton = detent.Automaton(system)
    walk = automaton.mode("walk")
    automaton.transition("step", walk, walk, when=x >= 0.3, reset={foot: foot + x, x: 0})
    return system, hip, detent.simulate(automaton, until=1, start={"x_rate": 1})


def test_a_place_counted_from_a_discrete_state_is_where_it_was_then() -> None:
    system, hip, run = stepping()
    assert len(run.events) == 3
    figure = detent.stroboscope(system, run, count=11)
    lines = figure.axes[0].lines
    flashes = [float(line.get_xdata()[0]) for line in lines if line.get_marker() == "."]
    assert flashes == pytest.approx(np.linspace(0, 1, 11), abs=1e-12)
    (path,) = (line for line in lines if line.get_label() == "path of hip")
    drawn = path.get_xdata()[np.isfinite(path.get_xdata())]
    assert (np.diff(drawn) >= -1e-12).all()
    assert detent.evaluate(system, run, hip.along(system.ground.x)) == pytest.approx(run.t, abs=1e-12)
    assert detent.evaluate(system, run, hip.along(system.ground.x), times=[0.25, 0.35]) == pytest.approx([0.25, 0.35])


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"every": 0.1, "count": 3}, "both every and count are given"),
        ({"every": 0}, "every is 0 s in a run of 1 s; give a time"),
        ({"every": 1e-9}, "at most 1000 pictures"),
        ({"count": 0}, "count is 0; give a whole number from 1 to 1000"),
        ({"count": 2.5}, "count is 2.5"),
        ({"trace": ["bop"]}, "no point named 'bop'; did you mean 'bob'?"),
    ],
)
def test_what_cannot_be_drawn_is_said(arguments: dict[str, Any], words: str) -> None:
    system, run = pendulum()
    with pytest.raises(detent.DetentError) as caught:
        detent.stroboscope(system, run, **arguments)
    assert words in str(caught.value)


def test_a_run_that_kept_some_times_only_is_drawn_at_these() -> None:
    system = detent.example("pendulum").system
    run = detent.simulate(system, until=1, times=[0.0, 0.4, 0.5, 1.0])
    assert len(rods(detent.stroboscope(system, run, count=3))) == 3


def test_the_same_run_gives_the_same_bytes(tmp_path: Path) -> None:
    system, run = pendulum()
    paths = [tmp_path / f"{name}.svg" for name in ("first", "second")]
    for path in paths:
        detent.stroboscope(system, run, path)
    assert paths[0].read_bytes() == paths[1].read_bytes()
