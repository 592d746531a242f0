"""Plots of whatever can be asked of a run: in panels by kind, unit and size, and against one another."""

from __future__ import annotations

import csv
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import detent
from detent.cli import main
from detent.results import sample_run
from detent.view.curves import POINTS


@pytest.fixture(scope="module")
def run() -> detent.Run:
    system = detent.System("crane")
    hinge = system.revolute("swing", system.origin, system.ground, start=1.0)
    length = system.parameters(length=2)
    system.particle("load", hinge.point.offset("hook", -length * hinge.frame.y), mass=3)
    system.gravity(-10 * system.ground.y)
    return detent.simulate(system, until=2)


def labels(figure: Any) -> list[str]:
    return [axes.get_ylabel() for axes in figure.axes]


def test_axes_have_units_where_the_model_gives_them(run: detent.Run) -> None:
    assert labels(run.plot()) == ["coordinates in rad", "speeds in rad/s", "energy in J"]
    figure = run.plot("hook.y", "hook.velocity.x", "load.acceleration.y", "swing**2")
    expected = ["hook.y in m", "hook.velocity.x in m/s", "load.acceleration.y in m/s^2", "swing**2"]
    assert labels(figure) == expected
    assert figure.axes[-1].get_xlabel() == "time in s"


def test_what_has_one_unit_shares_a_panel(run: detent.Run) -> None:
    hook = run.model.points["hook"]
    figure = detent.plot(run, names=["hook.x", hook.along(run.model.ground.y), "swing"])
    assert labels(figure) == ["coordinates in rad", "values in m"]


def test_curves_of_other_sizes_have_panels_of_their_own(run: detent.Run) -> None:
    sized = {"large": "1000*cos(swing)", "small": "sin(swing)", "also large": "300*swing", "none": "0*swing"}
    figure = detent.plot(run, names=sized)
    shown = [[text.get_text() for text in axes.get_legend().get_texts()] for axes in figure.axes]
    assert shown == [["large", "also large", "none"], ["small"]]
    assert labels(figure) == ["values", "values"]


def test_an_expression_is_drawn_as_exactly_as_a_state(run: detent.Run) -> None:
    figure = run.plot("2*swing")
    line = figure.axes[0].get_lines()[0]
    time, drawn = np.asarray(line.get_xdata()), np.asarray(line.get_ydata())
    assert len(time) >= POINTS
    np.testing.assert_allclose(drawn, 2 * run.at(time).swing, rtol=1e-14, atol=1e-14)


def test_a_phase_portrait_shows_both_axes_and_jumps() -> None:
    figure = detent.plot(sample_run(), names=["v"], against="y")
    (axes,) = figure.axes
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("y", "v")
    curve, start, jump = axes.get_lines()
    assert (start.get_xdata()[0], start.get_ydata()[0]) == (0.0, 5.0)
    assert jump.get_ydata().tolist() == [-5.0, 2.5]
    height, speed = np.asarray(curve.get_xdata()), np.asarray(curve.get_ydata())
    before = np.flatnonzero(np.isnan(speed))[0]
    # Until it strikes, the energy of the stone is kept: v^2/2 + g y = 12.5 J.
    assert np.abs(speed[:before] ** 2 / 2 + 10 * height[:before] - 12.5).max() < 1e-12


def test_a_portrait_has_units_and_a_panel_for_each(run: detent.Run) -> None:
    figure = run.plot("swing_rate", "hook.x", against="swing")
    assert labels(figure) == ["swing_rate [rad/s]", "hook.x [m]"]
    assert {axes.get_xlabel() for axes in figure.axes} == {"swing [rad]"}


def test_a_portrait_of_nothing_is_refused(run: detent.Run) -> None:
    with pytest.raises(detent.DetentError, match="name at least one quantity"):
        run.plot(against="swing")
    with pytest.raises(detent.DetentError, match="drawn against itself"):
        run.plot("swing", against="swing")
    with pytest.raises(detent.ValueProblem, match="found 3 things to draw against"):
        run.plot("swing", against=run.model.points["hook"].velocity())


def test_a_run_without_its_model_is_drawn_with_the_system(run: detent.Run, tmp_path: Path) -> None:
    run.save(tmp_path / "crane.nc")
    loaded = detent.load(tmp_path / "crane.nc")
    assert labels(detent.plot(loaded, names=["swing", "2*swing"])) == ["coordinates in rad", "2*swing"]
    with pytest.raises(detent.ExpressionError, match="needs the model"):
        detent.plot(loaded, names=["hook.y"])
    assert labels(detent.plot(loaded, names=["hook.y"], system=run.model)) == ["hook.y in m"]


def test_reactions_in_expressions_are_drawn_also_where_only_the_nodes_know_them() -> None:
    example = detent.example("tip-on-a-line")
    figure = detent.plot(example.simulate(), names=["2*'reaction of line'"])
    assert np.isfinite(figure.axes[0].get_lines()[0].get_ydata()).any()


# -- the command line ------------------------------------------------------------------------------


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    monkeypatch.chdir(tmp_path)

    def answer(*arguments: str) -> tuple[int, str]:
        monkeypatch.setattr(sys, "argv", ["detent", "run", "pendulum", "--until", "0.5", *arguments])
        code = 0
        try:
            main()
        except SystemExit as stop:
            code = int(stop.code or 0)
        return code, "".join(capsys.readouterr())

    return answer


def test_the_command_line_draws_and_writes_expressions(command: Any, tmp_path: Path) -> None:
    code, said = command("--of", "bob.y", "--of", "angle**2", "--plot", "a.png", "--csv", "a.csv")
    assert code == 0
    assert "table in a.csv" in said
    with (tmp_path / "a.csv").open(newline="") as file:
        assert next(csv.reader(file)) == ["time [s]", "bob.y [m]", "angle**2"]
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")
    assert command("--of", "angle_rate", "--against", "angle", "--plot", "b.svg")[0] == 0
    assert (tmp_path / "b.svg").is_file()
    assert command("--csv", "all.csv")[0] == 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--of", "angle"), "which needs --plot or --csv"),
        (("--against", "angle", "--plot", "a.png"), "--against needs --plot and at least one --of"),
        (("--of", "__import__('os')", "--plot", "a.png"), "the function '__import__' is not offered"),
        (("--of", "wheel", "--csv", "a.csv"), "no quantity named 'wheel'"),
    ],
)
def test_the_command_line_refuses_what_it_cannot_show(
    command: Any, arguments: tuple[str, ...], words: str, tmp_path: Path
) -> None:
    code, said = command(*arguments)
    assert code == 2
    assert words in said
    assert list(tmp_path.iterdir()) == []


def test_a_curve_that_is_zero_but_for_rounding_has_no_panel_in_its_own_unit() -> None:
    """The disk does not turn: its angle, of 1e-12 rad, would be a panel full of rounding."""
    run = detent.example("drawn-fence").simulate()
    assert 0 < abs(run.q3).max() < 1e-10
    labels = [axes.get_ylabel() for axes in detent.plot(run).axes]
    assert "coordinates in m" in labels
    assert not [label for label in labels if "rad" in label]
    legends = [text.get_text() for text in detent.plot(run).axes[0].get_legend().get_texts()]
    assert legends == ["q1", "q2", "q3"]


def test_units_of_the_gallery_are_on_the_axes() -> None:
    run = detent.example("disk-on-ramp").simulate(until=1)
    assert [axes.get_ylabel() for axes in detent.plot(run).axes][:3] == [
        "coordinates in m", "coordinates in rad", "speeds in m/s"
    ]  # fmt: skip
