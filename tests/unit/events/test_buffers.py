"""A buffer of the event search that is too small is refused where its address is handed to a kernel, by its name."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from detent import DetentError
from detent.events import event_memory as event_memory_module
from detent.events import watch as watch_module
from detent.events.claims import Blank, Claims, OfferRow
from detent.events.event_frame import OWN, EventFrame
from detent.events.event_memory import EventMemory, ModeRow, TransitionRow
from detent.events.watch import Certificate, Leaves, Watch
from detent.events.watch_frame import CERTIFICATE
from detent.expr import operation as op
from detent.expr.graph import Graph
from detent.expr.tape import STATE, VALUES, Tape, build_tape
from detent.jit.address import room_of

CELL = np.zeros(2, dtype=np.int64)


def tape(x: str = "x") -> Tape:
    graph = Graph()
    return build_tape([graph.function(op.SIN, graph.leaf(x)) * graph.leaf("p")], {x: (STATE, 0), "p": (VALUES, 0)})


def certificate(count: int = 3) -> Certificate:
    return Certificate([tape()] * count, [None] * count, tape(), 1e-9, [0] * count)


def mode_row(**changed: Any) -> ModeRow:
    """Two guards, one requirement, one reaction, one load that comes and goes."""
    given: dict[str, Any] = {
        "rates": CELL, "observer": CELL, "guards": [0, 1], "watched": [1, 2], "invariants": 1, "reaction_count": 1,
        "switches": [1.0], "certificate": certificate(),
    }  # fmt: skip
    return ModeRow(**given | changed)


def event_memory() -> EventMemory:
    """For two states, two discrete states and one load that comes and goes, and two rows with impulses."""
    return EventMemory(2, 8, np.zeros(3), 2, CELL, np.zeros(2), 100, key=[1])


TRANSITION = TransitionRow(0, 1, before_count=1, steps=[(0, CELL)])
SIZES = {"width", "identities", "impulse_count", "block_count", "discrete_count", "log_width", "log_capacity"}
SIZES |= {"note_capacity", "limit", "mode_count", "key_count", "blank_count", "offer_count"}
ARRAYS = [name for name in EventFrame._fields if name not in SIZES]


def claims() -> Claims:
    """One guard that a claimed mode may have, where the one number of its key is 1."""
    leaves = Leaves([tape()], 1e-9)
    made = Claims(CELL, [Watch(tape(), leaves.numbers)], [OfferRow(0, 0, 0, 1, 0, [(0, 1.0)])], 1)
    made.blanks = [Blank.made(made, 0, (CELL, CELL, CELL, CELL), None, leaves, [1.0], 1, 20)]
    return made


@pytest.mark.parametrize("name", ARRAYS)
def test_the_arrays_of_the_search_for_events(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that is too small is refused before any address is handed over: nothing can be written past its end."""

    def shorter(what: str, array: np.ndarray, count: int) -> int:
        return room_of(what, array.ravel()[: count - 1] if what.endswith(f"search's {name}") else array, count)

    event_memory().build([mode_row()], [TRANSITION], claims())
    memory = event_memory()
    monkeypatch.setattr(event_memory_module, "room_of", shorter)
    with pytest.raises(DetentError, match=f"the event search's {name} has room for"):
        memory.build([mode_row()], [TRANSITION], claims())
    assert not any(memory.frame)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"guards": [0, 1, 1], "watched": [1, 2, 1], "invariants": 0}, "the guards of mode 0 need room for 3"),
        ({"invariants": 2, "certificate": certificate(4)}, "what is observed in mode 0 need room for 4"),
        ({"reaction_count": 2}, "the reactions of mode 0 need room for 2"),
        ({"guards": [0, 2]}, r"the guards of mode 0 are \[0, 2\]"),
        ({"watched": [1]}, "what is watched in mode 0 has 1 entries, where a kernel goes through 2"),
        ({"switches": []}, "the switches of mode 0 has 0 entries, where a kernel goes through 1"),
        ({"certificate": certificate(2)}, "the certificate of mode 0 has 2 entries, where a kernel goes through 3"),
        ({"certificate": None}, "the certificate of mode 0 has 0 entries, where a kernel goes through 3"),
    ],
)
def test_a_mode_that_needs_more_than_the_tables_have_room_for(changed: dict[str, Any], message: str) -> None:
    memory = event_memory()
    memory.build([mode_row()], [TRANSITION])
    before = memory._table.copy()
    with pytest.raises(DetentError, match=message):
        memory.set_mode(0, mode_row(**changed))
    assert (memory._table == before).all()


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"slots": np.zeros(0, dtype=np.int64)}, "the slots of a blank mode need room for 1"),
        ({"watched": np.zeros(0, dtype=np.int64)}, "the watched of a blank mode need room for 1"),
        ({"identities": np.zeros(0, dtype=np.int64)}, "the identities of a blank mode need room for 1"),
        ({"own": np.zeros(0, dtype=OWN)}, "the transitions of a blank mode need room for 1"),
        ({"key": np.zeros(0)}, "the key of a blank mode need room for 1"),
        ({"switches": np.zeros(0)}, "the switches of a blank mode need room for 1"),
        ({"certificate": Certificate.blank(0, Leaves([], 1e-9))}, "the watches of a blank mode need room for 1"),
    ],
)
def test_a_blank_mode_without_room_for_what_the_kernel_may_take_up(changed: dict[str, Any], message: str) -> None:
    given = claims()
    given.blanks = [replace(given.blanks[0], **changed)]
    with pytest.raises(DetentError, match=message):
        event_memory().build([mode_row()], [TRANSITION], given)


def test_an_offer_whose_guard_is_not_observed() -> None:
    given = claims()
    given.offers = [OfferRow(0, 0, 1, 1, 0)]
    with pytest.raises(DetentError, match=r"the guards of what is offered are \[1\]"):
        event_memory().build([mode_row()], [TRANSITION], given)


@pytest.mark.parametrize("name", ["code", "jets", "flags", "outputs", "leaves", "values", "pieces", "factors"])
def test_the_arrays_of_a_watch(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    check_refused(f"a watch's {name}", monkeypatch)


OF_A_CERTIFICATE = [name for name in CERTIFICATE.names or () if name not in ("count", "leaf_count", "screen")]


@pytest.mark.parametrize("name", OF_A_CERTIFICATE)
def test_the_arrays_of_a_certificate(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    check_refused(f"a certificate's {name}", monkeypatch)


def check_refused(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def shorter(what: str, array: np.ndarray, count: int, *kinds: Any) -> int:
        return room_of(what, array.ravel()[: count - 1] if what == name else array, count, *kinds)

    certificate()
    monkeypatch.setattr(watch_module, "room_of", shorter)
    with pytest.raises(DetentError, match=f"{name} has room for"):
        certificate()
