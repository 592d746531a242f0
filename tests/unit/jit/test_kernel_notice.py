"""Whoever waits for kernels is told: in a terminal, in a notebook, in a log, in a file."""

from __future__ import annotations

import io
import logging
import os
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

from detent.jit import kernel_notice
from detent.jit.kernel_notice import Notice


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


class Clock:
    """A clock that is set by hand."""

    now = 100.0

    def perf_counter(self) -> float:
        return self.now


def told(stream: io.StringIO | None, monkeypatch: pytest.MonkeyPatch) -> str:
    """What a stream in place of the standard error gets while two libraries are made."""
    clock = Clock()
    monkeypatch.setattr(kernel_notice, "time", clock)
    monkeypatch.setattr(sys, "stderr", stream)
    notice = Notice(["events", "controlled steps"])
    for clock.now, ready in ((101.0, []), (101.2, []), (107.4, ["controlled steps"])):
        notice.show(ready)
    clock.now = 112.0
    notice.end()
    return stream.getvalue() if stream is not None else ""


CHANGING = [
    "detent: compiling kernels, once: 0 of 2 ready, 0 s (events, controlled steps)",
    "detent: compiling kernels, once: 0 of 2 ready, 1 s (events, controlled steps)",
    "detent: compiling kernels, once: 1 of 2 ready, 7 s (events)",
    "detent: compiled 2 libraries of kernels in 12 s; later runs find them in the cache",
]
LINES = [
    "detent: compiling kernels, once: 2 libraries (events, controlled steps)",
    "detent: kernels 1 of 2 ready: controlled steps, after 7 s",
    "detent: compiled 2 libraries of kernels in 12 s; later runs find them in the cache",
]


def test_a_terminal_shows_one_line_that_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    text = told(Terminal(), monkeypatch)
    assert [part.rstrip() for part in text.split("\r")[1:]] == CHANGING
    assert text.endswith("\n")
    assert text.count("\n") == 1


def test_no_part_of_a_longer_line_stays_on_the_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    widths = [len(part.rstrip("\n")) for part in told(Terminal(), monkeypatch).split("\r")[1:]]
    texts = [len(line) for line in CHANGING]
    assert all(width >= before for width, before in zip(widths[1:], texts, strict=False))


def test_a_line_that_changes_fits_into_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """One that went on below could not be written over."""
    monkeypatch.setenv("COLUMNS", "50")
    parts = [part.rstrip() for part in told(Terminal(), monkeypatch).split("\r")[1:]]
    assert parts[0] == "detent: compiling kernels, once: 0 of 2 ready,..."
    assert max(map(len, parts[:-1])) < 50
    assert parts[-1] == CHANGING[-1]


def test_a_notebook_shows_one_line_that_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    notebook = ModuleType("IPython")
    notebook.get_ipython = lambda: SimpleNamespace(kernel=object())  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "IPython", notebook)
    text = told(io.StringIO(), monkeypatch)
    assert [part.rstrip() for part in text.split("\r")[1:]] == CHANGING


def test_a_program_that_logs_finds_it_in_its_log(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO, logger="detent"):
        assert told(io.StringIO(), monkeypatch) == ""
    assert [f"{record.name}: {record.getMessage()}" for record in caplog.records] == LINES
    assert {record.levelname for record in caplog.records} == {"INFO"}


def test_a_program_that_does_not_log_has_a_line_for_each_in_its_output(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel_notice.LOGGER, "hasHandlers", lambda: False)
    assert told(io.StringIO(), monkeypatch).splitlines() == LINES


def test_a_program_without_any_output_is_not_disturbed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel_notice.LOGGER, "hasHandlers", lambda: False)
    assert told(None, monkeypatch) == ""


def test_a_cache_that_cannot_be_written_is_named_with_its_cure(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DETENT_CACHE_DIR", os.path.join(os.devnull, "objects"))
    text = told(Terminal(), monkeypatch)
    assert "every start will, as the cache cannot be written; set DETENT_CACHE_DIR to a folder that can" in text


def test_one_that_breaks_off_leaves_the_line(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    notice = Notice(["events"])
    notice.close()
    notice.close()
    assert screen.getvalue().count("\n") == 1
