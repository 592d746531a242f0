"""Work in the background: in the order in which it is given, by one thread, and not beyond the end of the program."""

from __future__ import annotations

import subprocess
import sys
import threading
from concurrent.futures import CancelledError
from functools import partial

import pytest

from detent.jit import background
from detent.jit.background import Background

AT_THE_END = """
import threading
from detent.jit.background import BACKGROUND, in_background

begun = threading.Event()

def long():
    begun.set()
    threading.main_thread().join()
    print("main thread over")
    BACKGROUND.go_on()
    print("went on")

first = in_background(long)
later = [in_background(lambda: print("done later")) for _ in range(3)]
begun.wait()
"""


def test_what_is_given_is_done_in_order_by_one_thread_that_ends_when_nothing_is_left() -> None:
    own, done, threads = Background(), [], set()

    def work(number: int) -> None:
        done.append(number)
        threads.add(threading.current_thread())

    for first in (0, 50, 100):
        futures = [own.submit(partial(work, number)) for number in range(first, first + 50)]
        assert [future.result() for future in futures] == [None] * 50
    assert done == list(range(150))
    for thread in threads:
        thread.join()
    assert own._thread is None


def test_a_mistake_in_the_background_is_told_to_whoever_waits_and_the_rest_is_done() -> None:
    own = Background()
    fails, works = own.submit(partial(divmod, 1, 0)), own.submit(lambda: None)
    assert works.result() is None
    with pytest.raises(ZeroDivisionError):
        fails.result()


def test_a_program_that_ends_waits_for_the_part_that_has_begun_and_drops_the_rest() -> None:
    """Each piece of machine code takes seconds: a script waited for all that had been asked for."""
    told = subprocess.run([sys.executable, "-c", AT_THE_END], capture_output=True, text=True, check=True)
    assert told.stdout == "main thread over\n"
    assert told.stderr == ""


def test_after_the_end_of_the_main_thread_nothing_is_begun(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(background, "is_over", lambda: True)
    own, done = Background(), []
    future = own.submit(lambda: done.append(1))
    with pytest.raises(CancelledError):
        future.result()
    assert done == []
    own.go_on()  # only what is done in the background leaves off
