"""The table of events in a terminal."""

from __future__ import annotations

import pytest

import detent
from detent.results import Event, EventLog
from detent.view.event_table import print_events, read_most


def many(count: int) -> EventLog:
    return EventLog(Event(0.1 * n, "impact", f"bounce {n}", "flight", "flight") for n in range(count))


def lines(events: EventLog, capsys: pytest.CaptureFixture[str], most: int | None = 20) -> list[str]:
    print_events(events, most)
    return capsys.readouterr().out.splitlines()


def test_every_column_of_an_event_is_there(capsys: pytest.CaptureFixture[str]) -> None:
    details: dict[str, float | str] = {"energy": -9.375, "impulse of floor": 7.5, "note": "hard"}
    head, _, row = lines(EventLog([Event(1.01936799185, "impact", "floor", "up", "down", details)]), capsys)
    assert head.split() == ["t", "kind", "name", "from", "to", "details"]
    assert row.split() == [
        "1.01936799185", "impact", "floor", "up", "down", "energy", "-9.375,", "impulse", "of", "floor", "7.5,", "...",
    ]  # fmt: skip


def test_a_long_log_is_cut_and_the_count_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    shown = lines(many(100), capsys)[2:]
    assert len(shown) == 21
    assert shown[15].split() == ["...", "80", "more"]
    assert [shown[number].split()[3] for number in (0, 14, 16, 20)] == ["0", "14", "95", "99"]


def test_all_events_are_shown_when_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    assert len(lines(many(100), capsys, None)) == 102


def test_nothing_is_printed_where_nothing_happened(capsys: pytest.CaptureFixture[str]) -> None:
    assert lines(EventLog(), capsys) == []
    assert lines(many(3), capsys, 0) == []


def test_marks_in_names_are_only_text(capsys: pytest.CaptureFixture[str]) -> None:
    shown = lines(EventLog([Event(0.0, "input", "[red]x[/red] :smile:", "[a]", "b")]), capsys)
    assert "[red]x[/red] :smile:" in shown[2]
    assert "[a]" in shown[2]


@pytest.mark.parametrize("text", ["some", "-1", "1.5", ""])
def test_a_count_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(detent.ValueProblem, match="give a whole number, or 'all'"):
        read_most(text)
