"""Whoever gives a turn goes on when it is given back, whatever happened to the thread that took it."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest

import detent
from detent.errors import DetentError
from detent.simulation.turn import Turn


def _given(turn: Turn, act: Callable[[], None]) -> BaseException | None:
    """What the giver of a turn was stopped by, while this thread acts."""
    stopped: list[BaseException] = []

    def give() -> None:
        try:
            turn.give()
        except BaseException as error:
            stopped.append(error)

    other = threading.Thread(target=give)
    other.start()
    act()
    other.join()
    return stopped[0] if stopped else None


def test_the_giver_waits_until_the_turn_is_given_back() -> None:
    turn, done = Turn(), list[str]()

    def act() -> None:
        turn.take()
        done.append("acted")
        turn.give_back()

    assert _given(turn, act) is None
    assert done == ["acted"]


def test_the_giver_raises_what_stopped_the_other() -> None:
    turn, error = Turn(), KeyboardInterrupt()

    def act() -> None:
        turn.take()
        turn.give_back(error)

    assert _given(turn, act) is error


def test_a_turn_that_nobody_waits_for_any_longer_holds_nobody() -> None:
    turn = Turn()
    turn.give_back()
    turn.give()


def test_a_turn_that_is_refused_says_why() -> None:
    turn = Turn()
    turn.refuse(DetentError("not now"))
    with pytest.raises(DetentError, match="not now"):
        turn.take()


def _bead() -> detent.Live:
    system = detent.System("bead")
    x, k = system.coordinates("x"), system.parameters(k=1)
    system.particle("bead", system.origin.offset("bead", x * system.ground.x), mass=1)
    system.spring("spring", x, stiffness=k)
    return detent.Live(system)


def test_a_change_is_made_in_the_thread_that_asks_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    live, threads = _bead(), list[threading.Thread]()
    make = live._paced.make
    monkeypatch.setattr(live._paced, "make", lambda change: (threads.append(threading.current_thread()), make(change)))
    with live:
        live.set(k=2)
    assert threads == [threading.current_thread()]
    assert live.parameters == {"k": 2.0}


def test_a_change_that_is_refused_leaves_the_run_as_it_is() -> None:
    with _bead() as live:
        with pytest.raises(DetentError, match="'stiff'"):
            live.set(stiff=2)
        live.set(k=3)
        assert live.is_running
    assert live.parameters == {"k": 3.0}


def test_a_change_that_fails_half_way_ends_the_run_and_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    live = _bead()

    def fail(change: object) -> None:
        raise RuntimeError("half of it is done")

    monkeypatch.setattr(live._paced, "make", fail)
    live.start()
    with pytest.raises(DetentError, match="the live run has ended: half of it is done"):
        live.set(k=2)
    with pytest.raises(RuntimeError, match="half of it is done"):
        live.stop()
    assert not live.is_running


def test_a_run_goes_on_where_whoever_asked_was_interrupted_while_it_waited(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(turn: Turn) -> None:
        raise KeyboardInterrupt

    with _bead() as live:
        with monkeypatch.context() as patched:
            patched.setattr(Turn, "take", interrupted)
            with pytest.raises(KeyboardInterrupt):
                live.set(k=2)
        live.set(k=3)
    assert live.parameters == {"k": 3.0}
