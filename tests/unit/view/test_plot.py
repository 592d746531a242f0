"""Plots of runs: exact between the nodes, broken at jumps, modes shaded and events marked."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import detent
from detent.results import Event, EventLog, Run, sample_run
from detent.view.curves import curves
from detent.view.mode_colours import PALE
from detent.view.time_marks import MOST_LINES, thinned
from tests.unit.view.automata import ball_run, block_run

EPS = np.finfo(float).eps


def stone_system() -> detent.System:
    """The model of the thrown stone."""
    system = detent.System("stone")
    m, g = system.parameters(m=1, g=10)
    y = system.coordinates("y")
    system.speeds(v=y.rate)
    system.particle("stone", system.origin.offset("stone", y * system.ground.y), mass=m)
    system.gravity(-g * system.ground.y)
    return system


def vertical_lines(axes: Any) -> dict[str, int]:
    """How many lines there are of each colour."""
    from matplotlib.collections import LineCollection
    from matplotlib.colors import to_hex

    return {
        to_hex(lines.get_color()[0]): len(lines.get_segments())
        for lines in axes.collections
        if isinstance(lines, LineCollection)
    }


def legend(figure: Any) -> list[str]:
    return [text.get_text() for found in figure.legends for text in found.get_texts()]


# -- curves ------------------------------------------------------------------------------------


def test_curves_follow_the_closed_form_between_the_nodes() -> None:
    made = curves(sample_run())
    time, height, speed = made.time, made.values["y"], made.values["v"]
    before = (time < 1) & np.isfinite(height)
    # A cubic through end points of a parabola is that parabola, up to the rounding of a few products of its size.
    assert np.abs(height - (5 * time - 5 * time**2))[before].max() <= 20 * EPS
    assert np.abs(speed - (5 - 10 * time))[before].max() <= 20 * 5 * EPS


def test_curves_break_at_a_jump_and_show_both_sides_of_it() -> None:
    made = curves(sample_run())
    (gap,) = np.flatnonzero(np.isnan(made.values["v"]))
    assert made.time[gap - 1] == made.time[gap + 1] == 1.0
    assert (made.values["v"][gap - 1], made.values["v"][gap + 1]) == (-5.0, 2.5)


def test_energies_follow_from_the_model_where_steps_are_long() -> None:
    made = curves(sample_run(), stone_system())
    flight = (made.time < 1) & np.isfinite(made.values["v"])
    speed = 5 - 10 * made.time[flight]
    # 12.5 J at most, from products of a handful of rounded numbers.
    assert np.abs(made.values["kinetic_energy"][flight] - speed**2 / 2).max() <= 40 * 12.5 * EPS
    assert np.abs(made.values["energy"][flight] - 12.5).max() <= 40 * 12.5 * EPS


def test_energies_that_are_not_known_between_the_nodes_stay_open() -> None:
    made = curves(sample_run())
    inside = (made.time > 0) & (made.time < 1)
    assert np.isnan(made.values["kinetic_energy"][inside]).all()
    assert (made.values["energy"][inside] == 12.5).all()


def test_a_model_that_does_not_give_the_energies_of_the_run_is_not_believed() -> None:
    changed = replace(sample_run(), kinetic=2 * sample_run().kinetic)
    assert np.isnan(curves(changed, stone_system()).values["kinetic_energy"]).any()


def test_the_model_of_another_run_is_refused() -> None:
    with pytest.raises(detent.DetentError, match="the run 'thrown-stone' has y, v; the system 'pendulum' has angle"):
        curves(sample_run(), detent.example("pendulum").system)


def with_reaction() -> Run:
    """On the floor only after the impact."""
    return replace(sample_run(), reactions={"floor": np.array([np.nan, np.nan, 10.0, 20.0])})


def test_reactions_break_where_their_constraint_is_not_active() -> None:
    made = curves(with_reaction())
    force = made.values["reaction of floor"]
    last = np.flatnonzero(made.time == 1.0)[-1]
    assert np.isnan(force[:last]).all()
    assert np.isfinite(force[last:]).all()
    assert force[-1] == 20.0


def test_a_piece_between_two_times_is_drawn_as_finely_as_the_whole() -> None:
    made = curves(sample_run(), between=(0.5, 0.6))
    assert made.time[0] == 0.5
    assert made.time[-1] == 0.6
    assert len(made.time) == 2000
    assert np.abs(made.values["y"] - (5 * made.time - 5 * made.time**2)).max() <= 20 * EPS


# -- pictures ----------------------------------------------------------------------------------


def test_modes_are_shaded_over_the_time_they_lasted() -> None:
    from matplotlib.collections import PolyCollection
    from matplotlib.colors import to_hex

    axes = detent.plot(block_run()).axes[0]
    shades = {to_hex(s.get_facecolor()[0]): s for s in axes.collections if isinstance(s, PolyCollection)}
    assert list(shades) == list(PALE[:2])
    spans = [sorted({float(x) for x in path.vertices[:, 0]}) for path in shades[PALE[0]].get_paths()]
    assert spans == [[0.0, 1.0], [3.0, 4.0]]
    assert axes.get_xlim() == (0.0, 8.0)


def test_a_run_in_one_mode_is_not_shaded() -> None:
    assert legend(detent.plot(sample_run())) == ["impact"]


def test_impacts_zeno_and_transitions_are_told_apart() -> None:
    figure = detent.plot(ball_run())
    assert legend(figure) == ["flight", "rest", "impact \N{MULTIPLICATION SIGN} 3", "zeno"]
    for axes in figure.axes:
        assert sorted(vertical_lines(axes).values()) == [1, 3]


def test_hundreds_of_events_are_thinned_out() -> None:
    run = ball_run()
    many = [Event(3.0 - 3.0 * 0.99**n, "impact", "bounce", "flight", "flight") for n in range(1, 900)]
    figure = detent.plot(replace(run, events=EventLog([*many, run.events[-1]])))
    assert "impact \N{MULTIPLICATION SIGN} 899" in legend(figure)
    (impacts, zeno) = sorted(vertical_lines(figure.axes[0]).values(), reverse=True)
    assert 50 < impacts <= MOST_LINES + 1
    assert zeno == 1


def test_thinned_times_are_apart_and_keep_both_ends() -> None:
    kept = thinned(list(np.linspace(0, 1, 10_001)), 0.0, 1.0)
    assert (kept[0], kept[-1]) == (0.0, 1.0)
    assert np.diff(kept[:-1]).min() >= 1 / MOST_LINES
    assert thinned([], 0.0, 1.0) == []


def test_quantities_are_chosen_by_name() -> None:
    figure = detent.plot(with_reaction(), names=["v", "reaction of floor"])
    assert [axes.get_ylabel() for axes in figure.axes] == ["speeds", "reactions"]
    with pytest.raises(detent.UnknownNameError, match="no quantity named 'w'"):
        detent.plot(with_reaction(), names=["w"])


@pytest.mark.parametrize("between", [(0.6, 0.5), (-1.0, 0.5), (0.5, 2.0), (float("nan"), 1.0)])
def test_a_stretch_outside_the_run_is_refused(between: tuple[float, float]) -> None:
    with pytest.raises(detent.ValueProblem, match=r"the run covers 0.0 to 1.25 s. Give two times inside"):
        detent.plot(sample_run(), between=between)


@pytest.mark.parametrize("ending", ["png", "svg", "pdf"])
def test_the_same_run_gives_the_same_bytes(tmp_path: Path, ending: str) -> None:
    paths = [tmp_path / f"{name}.{ending}" for name in ("first", "second")]
    for path in paths:
        detent.plot(ball_run(), path)
    assert paths[0].read_bytes() == paths[1].read_bytes()
    assert sorted(tmp_path.iterdir()) == paths


def test_discrete_states_are_drawn_when_they_are_named() -> None:
    run = detent.example("disk-on-ramp").simulate()
    figure = detent.plot(run, names=["q1", "side"])
    assert [axes.get_ylabel() for axes in figure.axes] == ["coordinates in m", "discrete states"]
    (line,) = figure.axes[1].get_lines()[:1]
    drawn = line.get_ydata()
    assert set(drawn[~np.isnan(drawn)].tolist()) == {-1.0, 1.0}


def test_a_notebook_shows_a_plot_though_nobody_has_imported_pyplot() -> None:
    picture = detent.plot(detent.example("pendulum").simulate(until=0.1))._repr_png_()
    assert picture.startswith(b"\x89PNG")
