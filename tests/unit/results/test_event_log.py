"""Events keep their order, can be picked by name and kind, and print as a table."""

import json

import numpy as np
import pytest

from detent.results import Event, EventLog

STRIKE = Event(0.5, "impact", "floor", "flight", "flight", {"impulse": 2.0, "law": "Newton"})
STOP = Event(0.75, "transition", "stops", "flight", "rest")


def test_contract_of_an_event() -> None:
    assert STOP.as_json() == {"t": 0.75, "kind": "transition", "name": "stops", "from": "flight", "to": "rest"}
    assert STRIKE.as_json()["details"] == {"impulse": 2.0, "law": "Newton"}


def test_numbers_of_numpy_and_not_numbers_become_json() -> None:
    event = Event(np.float64(1), "impact", "a", "b", "c", {"impulse": np.float64(0.5), "ratio": float("nan")})
    text = json.dumps(event.as_json(), allow_nan=False)
    assert json.loads(text)["details"] == {"impulse": 0.5, "ratio": None}


def test_a_log_is_a_sequence() -> None:
    log = EventLog([STRIKE, STOP])
    assert (len(log), log[0], log[-1], list(log)) == (2, STRIKE, STOP, [STRIKE, STOP])
    assert log[1:] == EventLog([STOP])
    assert isinstance(log[1:], EventLog)
    assert STOP in log
    assert hash(log) == hash(EventLog([STRIKE, STOP]))
    assert log != EventLog([STOP, STRIKE])


def test_picking_keeps_the_order() -> None:
    log = EventLog([STRIKE, STOP, STRIKE])
    assert log.named("floor") == EventLog([STRIKE, STRIKE])
    assert log.of_kind("transition") == EventLog([STOP])
    assert log.named("nothing") == EventLog()


def test_a_long_log_is_cut_and_says_so() -> None:
    text = repr(EventLog([STOP] * 1000))
    assert text.startswith("1000 events\n")
    assert text.endswith("... and 980 more")
    assert len(text.splitlines()) == 23


@pytest.mark.parametrize(("log", "first"), [(EventLog(), "0 events"), (EventLog([STOP]), "1 event")])
def test_short_logs_read_well(log: EventLog, first: str) -> None:
    assert repr(log).splitlines()[0] == first
    assert len(repr(log).splitlines()) == (1 if not log else 3)


def test_html_shows_names_as_they_are() -> None:
    shown = EventLog([Event(0.0, "input", "<b>&", "a", "b")])._repr_html_()
    assert "<td>&lt;b&gt;&amp;</td>" in shown
    assert "<b>" not in shown
