"""A thread that asks for short turns: it alone has them, and nothing else about it is different."""

from __future__ import annotations

import ctypes
import os
import platform
import sys
import threading
from collections.abc import Callable
from typing import Any, TypeVar

import pytest

from detent.stepping import prompt_thread
from detent.stepping.prompt_thread import SHORTEST, be_prompt

Answer = TypeVar("Answer")


def in_a_thread(asked: Callable[[], Answer]) -> Answer:
    answers: list[Answer] = []
    thread = threading.Thread(target=lambda: answers.append(asked()))
    thread.start()
    thread.join()
    return answers[0]


def turn() -> int:
    """How long the turns of this thread are, ns, as the system tells it."""
    found, known = prompt_thread._Scheduling(), ctypes.CDLL(None)
    call: Any = known.syscall
    calls = prompt_thread._CALLS[platform.machine()]
    assert call(calls[1], 0, ctypes.byref(found), ctypes.sizeof(found), 0) == 0
    return int(found.runtime)


def prompt_turns() -> tuple[bool, int, int, int]:
    return be_prompt(), turn(), in_a_thread(turn), os.nice(0)


def test_it_has_short_turns_and_what_it_starts_has_not() -> None:
    if sys.platform != "linux" or platform.machine() not in prompt_thread._CALLS or in_a_thread(turn) == 0:
        assert in_a_thread(be_prompt) in (True, False)  # this system takes no notice of it
        return
    before = turn()
    heard, mine, of_others, nice = in_a_thread(prompt_turns)
    assert (heard, mine, of_others, nice) == (True, SHORTEST, before, os.nice(0))
    assert turn() == before


def test_it_is_asked_of_no_system_that_does_not_know_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform, "machine", lambda: "another")
    assert not in_a_thread(be_prompt)
