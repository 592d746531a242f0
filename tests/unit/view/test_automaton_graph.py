"""The graph of an automaton: as declared and as visited, as text, JSON, Mermaid and picture."""

from __future__ import annotations

import itertools
import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest

import detent
from detent.results import Event
from tests.unit.view.automata import ball, ball_run, block, block_run, run_of

ENDINGS = ("png", "svg", "pdf", "json", "mmd")


# -- what it holds -----------------------------------------------------------------------------


def test_declared_modes_and_transitions_are_all_there() -> None:
    graph = detent.draw_automaton(block())
    assert (graph.start, graph.visited) == ("stuck", False)
    assert [node.name for node in graph.modes] == ["stuck", "slides", "caught"]
    ways = [(edge.name, edge.source, edge.target) for edge in graph.transitions]
    assert ways == [
        ("slips forth", "stuck", "slides"), ("slips back", "stuck", "slides"), ("sticks", "slides", "stuck"),
        ("is caught", "slides", "caught"),
    ]  # fmt: skip


def test_an_accumulation_is_a_way_of_its_own() -> None:
    ways = {(edge.name, edge.target, edge.accumulates) for edge in detent.draw_automaton(ball()).transitions}
    assert ways == {("bounce", "flight", False), ("bounce", "rest", True)}


def test_counts_and_times_are_those_of_the_run() -> None:
    graph = detent.draw_automaton(block(), run=block_run())
    times = {edge.name: edge.times for edge in graph.transitions}
    assert times == {"slips forth": (1.0, 4.0), "slips back": (), "sticks": (3.0,), "is caught": ()}
    stays = {node.name: node.stay for node in graph.modes}
    assert (stays["stuck"].visits, stays["stuck"].time) == (2, 2.0)
    assert (stays["slides"].visits, stays["slides"].time) == (2, 6.0)
    assert stays["caught"] is None
    assert sum(stay.time for stay in stays.values() if stay) == graph.until == 8.0


def test_bounces_and_their_accumulation_are_counted_apart() -> None:
    bounce, end = detent.draw_automaton(ball(), run=ball_run()).transitions
    assert (bounce.times, end.times) == ((1.0, 2.0, 2.5), (3.0,))


def test_what_only_the_run_knows_is_shown_too() -> None:
    run = run_of([Event(1.0, "transition", "jams", "stuck", "jammed")], "jammed", 2.0)
    graph = detent.draw_automaton(block(), run=run)
    assert graph.modes[-1].name == "jammed"
    assert graph.modes[-1].mode is None
    assert graph.transitions[-1].name == "jams"
    assert "not declared" in graph.text()


def test_a_run_starts_where_it_started() -> None:
    run = run_of([Event(1.0, "transition", "sticks", "slides", "stuck")], "stuck", 2.0)
    assert detent.draw_automaton(block(), run=run).start == "slides"


def test_a_run_of_something_else_is_refused() -> None:
    with pytest.raises(detent.DetentError, match="visited flight, rest, none of which is a mode of the automaton"):
        detent.draw_automaton(block(), run=ball_run())


def test_something_else_than_an_automaton_is_refused() -> None:
    wrong: Any = block().system
    with pytest.raises(detent.DetentError, match="where an automaton was expected; give a detent"):
        detent.draw_automaton(wrong)


# -- text --------------------------------------------------------------------------------------


def test_the_text_says_everything_in_words() -> None:
    text = detent.draw_automaton(block(), run=block_run()).text()
    assert (
        text
        == """\
block: 3 modes, 4 transitions; starts in 'stuck'
as run to t = 8 s

stuck  (2 visits, 2 s)
  constraints: grip
  slips forth -> slides  (2 times, t = 1 to 4 s)
    when  reaction(grip) <= -1
    then  side := 1
  slips back -> slides  (never)
    when  reaction(grip) >= 1
    then  side := -1

slides  (2 visits, 6 s)
  loads: push
  sticks -> stuck  (once, t = 3 s)
    when  u = 0
    if    x <= 2
    after reaction(grip) <= 1 and reaction(grip) >= -1
  is caught -> caught  [impact]  (never)
    when  x >= v0 + 2
    then  impact
    then  slow_down()

caught  (never visited)
  constraints: grip"""
    )


# -- JSON --------------------------------------------------------------------------------------


def test_json_holds_modes_transitions_guards_resets_counts_and_times() -> None:
    made = detent.draw_automaton(ball(), run=ball_run()).as_json()
    assert made == {
        "automaton": "ball",
        "start": "flight",
        "run": {"name": "thrown-stone", "until": 5.0},
        "modes": [
            {"name": "flight", "declared": True, "constraints": [], "loads": [], "where": ["height >= 0"],
             "visits": 1, "time": 3.0},
            {"name": "rest", "declared": True, "constraints": ["floor"], "loads": [], "where": [],
             "visits": 1, "time": 2.0},
        ],
        "transitions": [
            {"name": "bounce", "from": "flight", "to": "flight", "kind": "impact", "declared": True,
             "guard": {"expression": "height", "direction": "falling"}, "condition_before": [], "condition_after": [],
             "reset": [{"impact": ["floor"], "restitution": "0.5"}], "accumulates": "rest",
             "count": 3, "times": [1.0, 2.0, 2.5], "accumulated": [3.0]},
        ],
    }  # fmt: skip


def test_json_of_a_declared_automaton_has_no_counts() -> None:
    made = detent.draw_automaton(block()).as_json()
    assert "run" not in made
    assert all("visits" not in mode for mode in made["modes"])
    caught = made["transitions"][-1]
    assert "count" not in caught
    assert caught["reset"] == [{"impact": [], "restitution": "0"}, {"function": "slow_down"}]
    assert made["transitions"][0]["reset"] == [{"assign": {"side": "1"}}]
    assert made["transitions"][2]["condition_after"] == ["1 - reaction(grip) >= 0", "reaction(grip) + 1 >= 0"]


# -- Mermaid -----------------------------------------------------------------------------------

STATE = re.compile(r'    state "(?P<label>[^":;#<>{}]*)" as mode\d+')
ARROW = re.compile(r"    (\[\*\]|mode\d+) --> mode\d+( : (?P<label>[^\":;#<>{}]*))?")


def labels_of(diagram: str) -> list[list[str]]:
    """Reads a diagram back line by line, as strictly as Mermaid's own grammar; labels as lists of lines."""
    head, *lines = diagram.splitlines()
    assert head == "stateDiagram-v2"
    found = []
    for line in lines:
        # Character codes and line breaks are what Mermaid replaces before it reads.
        plain = re.sub(r"#(\d+);|<br/>", lambda code: chr(0xE000 + int(code[1] or 0)), line)
        match = STATE.fullmatch(plain) or ARROW.fullmatch(plain)
        assert match, line
        if match["label"]:
            parts = match["label"].split("\ue000")
            found.append(["".join(chr(ord(c) - 0xE000) if ord(c) >= 0xE000 else c for c in part) for part in parts])
    return found


def test_mermaid_has_a_state_for_each_mode_and_an_arrow_for_each_way() -> None:
    diagram = detent.draw_automaton(ball(), run=ball_run()).mermaid()
    assert labels_of(diagram) == [
        ["flight", "where height >= 0", "1 visit, 3 s"],
        ["rest", "constraints: floor", "1 visit, 2 s"],
        ["bounce", "when height <= 0", "impact on floor with restitution 0.5", "3 times"],
        ["bounce, without end", "once"],
    ]
    assert diagram.splitlines()[3] == "    [*] --> mode1"


AWKWARD = [
    'a "quoted" name',
    "a: b; c",
    "<b>bold</b> & [x] {y}",
    "50 %%",
    "#7",
    "direction LR",
    "1. first",
    "- x",
    "é ü",
]


def test_names_that_mermaid_would_misread_are_written_as_character_codes() -> None:
    system = detent.System("awkward")
    x = system.coordinates("x")
    automaton = detent.Automaton(system)
    for name in AWKWARD:
        automaton.mode(name)
    for source, target in itertools.pairwise(AWKWARD):
        automaton.transition(f"{source} to {target}", source, target, when=x)
    diagram = detent.draw_automaton(automaton).mermaid()
    labels = labels_of(diagram)
    assert [label[0] for label in labels[: len(AWKWARD)]] == AWKWARD
    assert labels[-1] == ["- x to é ü", "when x = 0"]
    assert not re.search(r"direction\s", diagram)
    assert not re.search(r'"(\d+\.|-) ', diagram)


def test_modes_never_visited_are_pale_in_mermaid() -> None:
    assert detent.draw_automaton(block(), run=block_run()).mermaid().splitlines()[-1] == "    class mode3 never"


# -- pictures and files ------------------------------------------------------------------------


def texts(figure: Any) -> dict[str, str]:
    """What a picture says, with its colours."""
    return {text.get_text().replace("\N{NO-BREAK SPACE}", " "): text.get_color() for text in figure.axes[0].texts}


def test_a_picture_names_every_mode_and_transition() -> None:
    said = texts(detent.draw_automaton(block()).figure())
    for line in ("stuck", "constraints: grip", "slips forth", "reaction(grip) <= -1", "if x <= 2", "slow_down()"):
        assert line in said


def test_counts_visits_and_times_are_in_the_picture_and_the_rest_is_pale() -> None:
    said = texts(detent.draw_automaton(block(), run=block_run()).figure())
    assert "2 visits, 6 s" in said
    assert said["never visited"] != said["2 visits, 6 s"]
    assert said["slips back"] != said["slips forth \N{MULTIPLICATION SIGN} 2"]


def test_marks_of_mathematics_in_names_are_only_text() -> None:
    system = detent.System("dollars")
    automaton = detent.Automaton(system)
    automaton.mode("costs $5 and $6_{x}")
    assert "costs $5 and $6_{x}" in texts(detent.draw_automaton(automaton).figure())


@pytest.mark.parametrize("ending", ENDINGS)
def test_the_same_automaton_gives_the_same_bytes(tmp_path: Path, ending: str) -> None:
    paths = [tmp_path / f"{name}.{ending}" for name in ("first", "second")]
    for path in paths:
        detent.draw_automaton(block(), path, run=block_run())
    assert paths[0].read_bytes() == paths[1].read_bytes()
    assert sorted(tmp_path.iterdir()) == paths
    if ending == "json":
        assert json.loads(paths[0].read_text(encoding="utf-8"))["start"] == "stuck"


def test_a_notebook_shows_the_picture() -> None:
    """No wider than its cell: one that is wider would be cut."""
    picture = detent.draw_automaton(ball())._repr_html_()
    assert picture.startswith('<svg style="max-width: 100%; height: auto" ')
    assert picture == detent.draw_automaton(ball())._repr_html_()


def test_an_unknown_ending_is_refused_with_those_that_exist(tmp_path: Path) -> None:
    with pytest.raises(detent.ValueProblem, match=r"ends in '.dot'; automata are written as .png, .svg, .pdf, .json"):
        detent.draw_automaton(ball(), tmp_path / "ball.dot")


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    with pytest.raises(detent.ResultFileError, match=r"cannot write '.*ball.mmd'.*choose a place that is writable"):
        detent.draw_automaton(ball(), tmp_path / "nowhere" / "ball.mmd")


def test_without_matplotlib_only_pictures_are_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    detent.draw_automaton(ball(), tmp_path / "ball.mmd")
    with pytest.raises(detent.MissingExtraError, match=r"needed to draw an automaton .*detent\[plot\]"):
        detent.draw_automaton(ball(), tmp_path / "ball.svg")
    assert detent.draw_automaton(ball())._repr_html_() is None
