"""The benchmarks run and say what they must; how fast anything is, only a benchmark says, never a test."""

from __future__ import annotations

import doctest
import importlib
import json
import math
import sys
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

import numpy as np
import pytest

from benchmarks import contact, contact_scenes, embedding, runner
from benchmarks.peers import GRAVITY, PeerMissing, siconos_contact
from benchmarks.runner import Row
from detent.errors import UnknownNameError
from detent.gallery.example import example
from detent.simulation.simulation import Simulation

INSTALL = "not installed: pip install 'detent[bench]'"


@pytest.fixture
def without_engines(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("mujoco", "pinocchio", "heyoka"):
        monkeypatch.setitem(sys.modules, module, None)
    monkeypatch.setattr(siconos_contact, "interpreter", lambda: None)


def constrained_linkage() -> Simulation:
    return Simulation(example("four-bar-chain", loops=1).system, embedding="symbolic")


def assert_consistent(row: Row) -> None:
    assert row.what
    assert row.benchmark in runner.NAMES
    numbers = [number for number in (row.ours, row.theirs, row.ratio, row.target) if number is not None]
    assert all(math.isfinite(number) and number >= 0.0 for number in numbers)
    if row.ratio is not None:
        assert row.ours is not None
        assert row.theirs is not None
        expected = row.theirs / row.ours if row.need == "at least" else row.ours / row.theirs
        assert row.ratio == pytest.approx(expected)
    if row.ratio is not None and row.target is not None:
        assert row.met is (row.ratio >= row.target if row.need == "at least" else row.ratio <= row.target)


def assert_docstrings_hold(name: str, **known: Any) -> None:
    """``known`` stands in for what was run already."""
    module = importlib.import_module(f"benchmarks.{name}")
    options = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    assert doctest.testmod(module, optionflags=options, extraglobs=known).failed == 0


@pytest.mark.usefixtures("without_engines")
@pytest.mark.parametrize("name", runner.NAMES)
def test_every_benchmark_runs_without_the_engines(name: str) -> None:
    rows = runner.run(name, quick=True)
    assert rows
    for row in rows:
        assert_consistent(row)
        assert row.benchmark == name
    assert json.loads(runner.as_json(rows))["rows"] == [asdict(row) for row in rows]
    assert_docstrings_hold(name, run=lambda quick: rows)


@pytest.mark.usefixtures("without_engines")
def test_a_missing_engine_is_named_with_what_to_install() -> None:
    rows = runner.run("chain", quick=True)
    missing = {row.peer: row for row in rows if row.ratio is None}
    assert list(missing) == ["MuJoCo", "Pinocchio"]
    for row in missing.values():
        assert row.note == INSTALL
        assert row.ours is not None
        assert (row.theirs, row.target, row.met) == (None, None, None)
    assert [row.peer for row in rows if row.ratio is not None] == ["SymPy"]
    assert [row.note for row in runner.run("stepping", quick=True)] == [INSTALL]


@pytest.mark.usefixtures("without_engines")
def test_an_engine_of_a_system_package_is_named_by_that_package() -> None:
    rows = contact.scene_rows(contact_scenes.BALL, repeats=1, every_setting=True)
    assert [row.peer for row in rows] == 3 * ["MuJoCo"] + 3 * ["Siconos"]
    assert {row.note for row in rows[:3]} == {INSTALL}
    assert {row.note for row in rows[3:]} == {"not installed: Debian's package python3-siconos"}


def test_the_scenes_of_contact_are_read_off_a_motion_as_their_closed_forms_say() -> None:
    """Samples of the exact motions, so that nothing but the reading can be off."""
    fall, times = contact_scenes.bounce_times(9), np.arange(0.0, contact_scenes.BALL.until, 1e-3)
    number = np.searchsorted(fall, times)
    since = times - np.where(number > 0, fall[number - 1], 0.0)
    leaves = np.where(number > 0, np.sqrt(2 * GRAVITY) * contact_scenes.RESTITUTION**number, 0.0)
    heights = np.where(number > 0, 0.0, contact_scenes.HEIGHT) + leaves * since - GRAVITY * since**2 / 2
    up = np.array([0.0, 0.0, 1.0])
    bounced = contact_scenes.Motion(times, np.outer(heights, up), np.outer(leaves - GRAVITY * since, up))
    assert bounced.bounce_errors() == pytest.approx((0.0, 0.0), abs=1e-14)

    times = np.linspace(0.0, 2.0, 2001)
    left = np.maximum(0.0, contact_scenes.SLIDES - times)
    brake = contact_scenes.FRICTION * GRAVITY
    along = np.array([1.0, 0.0, 0.0])
    places = np.outer(contact_scenes.DISTANCE - brake * left**2 / 2, along) + 0.05 * up
    slid = contact_scenes.Motion(times, places, np.outer(brake * left, along))
    assert slid.distance() == contact_scenes.DISTANCE == pytest.approx(3.66972477064, abs=1e-11)
    assert pytest.approx(1.22324159021, abs=1e-11) == contact_scenes.SLIDES
    assert slid.stop_time() == pytest.approx(contact_scenes.SLIDES, abs=1.001e-3)  # a sample
    assert slid.lift() == 0.0


@pytest.mark.usefixtures("without_engines")
def test_no_target_is_met_or_missed_without_its_engine() -> None:
    assert {row.met for row in runner.run("chain", quick=True)} == {None}


def test_a_word_chooses_every_benchmark_whose_name_holds_it(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in runner.NAMES:
        module = importlib.import_module(f"benchmarks.{name}")
        monkeypatch.setattr(module, "run", lambda quick: [Row.within(1.0, "a number", ours=0.5, unit="s")])
    assert [row.benchmark for row in runner.run(None)] == list(runner.NAMES)
    assert [row.benchmark for row in runner.run("st")] == [name for name in runner.NAMES if "st" in name]
    assert [row.benchmark for row in runner.run("deriv")] == ["derivation"]
    assert [row.benchmark for row in runner.run("embed")] == ["embedding"]


@pytest.mark.parametrize(
    ("peer", "compare"),
    [
        ("SymPy", lambda: embedding.ready_rows(2, lines=1, by_sympy=1)),
        ("multipliers", lambda: embedding.step_rows("linkage", constrained_linkage(), budget_s=0.1)),
    ],
)
def test_accelerations_that_disagree_are_not_timed(
    peer: str, compare: Callable[[], list[Row]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedding, "AGREEMENT", -1.0)
    with pytest.raises(ArithmeticError, match=rf"{peer}.* differ by .* find out which of the two is wrong"):
        compare()


def test_an_unknown_word_lists_the_benchmarks() -> None:
    with pytest.raises(UnknownNameError, match=r"no benchmark named 'chian'; did you mean 'chain'\?.*accuracy"):
        runner.run("chian")


@pytest.mark.parametrize(
    ("row", "ratio", "met"),
    [
        (Row.at_least(3.0, "fast", ours=1.0, theirs=3.0, unit="s", peer="engine"), 3.0, True),
        (Row.at_least(3.0, "slow", ours=1.0, theirs=2.5, unit="s", peer="engine"), 2.5, False),
        (Row.at_least(None, "shown", ours=1.0, theirs=2.5, unit="s", peer="engine"), 2.5, None),
        (Row.at_most(1.5, "light", ours=3.0, theirs=2.0, unit="s", peer="engine"), 1.5, True),
        (Row.at_most(1.5, "heavy", ours=4.0, theirs=2.0, unit="s", peer="engine"), 2.0, False),
        (Row.within(1e-10, "drift", ours=2e-10, unit="1"), 2.0, False),
    ],
)
def test_a_target_is_met_on_the_right_side(row: Row, ratio: float, met: bool | None) -> None:
    assert row.ratio == pytest.approx(ratio)
    assert row.met is met


def test_the_table_shows_every_row_in_a_pipe(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "132")
    shown = runner.table(
        [
            Row.at_least(3.0, "2 links", ours=0.1, theirs=0.2, unit="us", peer="engine", peer_version="4.0"),
            Row.without_peer("7 links", ours=0.1, unit="us", peer="MuJoCo", missing=PeerMissing("mujoco")),
            Row.within(5000.0, "a number", ours=1234.0, unit="1"),
        ]
    )
    assert "\x1b" not in shown
    fast, missing, number = (line for line in shown.splitlines() if "links" in line or "number" in line)
    assert [cell.strip() for cell in fast.split("│")[1:8]] == [
        "2 links", "0.1 us", "engine 4.0", "0.2 us", "2", "at least 3", "NO",
    ]  # fmt: skip
    assert INSTALL in missing
    assert [cell.strip() for cell in number.split("│")[2:5]] == ["1234", "limit", "5000"]


def test_no_progress_outside_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    runner.run("accuracy", quick=True)
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize(
    "name",
    [
        "timing",
        "runner",
        "detent_chain",
        "contact_scenes",
        "peers",
        "peers.sympy_chain",
        "peers.scipy_walker",
        "peers.siconos_contact",
    ],
)
def test_docstrings_of_what_needs_no_engine(name: str) -> None:
    assert_docstrings_hold(name)
