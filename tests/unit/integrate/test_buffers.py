"""A buffer that is too small is refused where its address is handed to a kernel, by its name."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from detent import DetentError
from detent.expr import operation as op
from detent.expr.graph import Graph
from detent.expr.tape import STATE, VALUES, Tape, build_tape
from detent.integrate import alternatives
from detent.integrate import event_memory as event_memory_module
from detent.integrate import memory as memory_module
from detent.integrate import relay as relay_module
from detent.integrate import watch as watch_module
from detent.integrate.alternatives import Alternatives
from detent.integrate.chunk import Chunk
from detent.integrate.constraint_solve import ConstraintSolve
from detent.integrate.event_frame import EventFrame
from detent.integrate.event_memory import EventMemory, ModeRow, TransitionRow
from detent.integrate.memory import Memory
from detent.integrate.relay import Relay
from detent.integrate.watch import Certificate
from detent.integrate.watch_frame import CERTIFICATE
from detent.jit.room import room_of
from detent.jit.words import publish
from tests.unit.integrate.problems import orbit, solver_of

CELL = np.zeros(2, dtype=np.int64)


def solve(**changed: Any) -> ConstraintSolve:
    """Three speeds, one constraint."""
    given: dict[str, Any] = {
        "unsolved": CELL, "constraints": CELL, "sizes": (3, 3, 4), "dependent": [0], "independent": [1, 2],
        "order": [0], "slides": False, "quaternions": np.array([6, 7, 8, 9]), "asking": np.zeros(1, dtype=np.int64),
        "largest": np.zeros(1),
    }  # fmt: skip
    return ConstraintSolve(**given | changed)


@pytest.mark.parametrize(
    ("changed", "name"),
    [
        ({"dependent": [3]}, "the dependent speeds"),
        ({"dependent": [-1]}, "the dependent speeds"),
        ({"independent": [1]}, "the independent speeds"),
        ({"independent": [1, 3]}, "the independent speeds"),
        ({"order": [1]}, "the rows in their order"),
        ({"order": []}, "the rows in their order"),
        ({"quaternions": np.array([6, 7, 8, 10])}, "the parts of quaternions"),
        ({"quaternions": np.array([6, 7, 8])}, "the parts of quaternions"),
        ({"asking": np.zeros(0, dtype=np.int64)}, "the word that asks"),
        ({"unsolved": np.zeros(1, dtype=np.int64)}, "the cell of M and f"),
        ({"constraints": np.zeros((2, 2), dtype=np.int64)[:, 0]}, "the cell of the constraints"),
    ],
)
def test_what_a_constrained_mode_gives_its_kernel(changed: dict[str, Any], name: str) -> None:
    solve()
    with pytest.raises(DetentError, match=f"{name} .* mistake in detent"):
        solve(**changed)


def test_programs_that_give_more_than_there_is_room_for() -> None:
    made = solve()
    given, rows = 3 + 2 * 3 + 4 + 1 + 6, 3 + 1 + 1 + 7 * 3 + 1
    made.check_outputs(given, rows)
    with pytest.raises(DetentError, match=f"the program of M and f gives {given + 1} numbers .* room for {given}"):
        made.check_outputs(given + 1, rows)
    with pytest.raises(DetentError, match=f"the program of the constraints gives {rows + 1} .* room for {rows}"):
        made.check_outputs(given, rows + 1)


def test_a_table_of_splits_takes_no_more_than_it_has_rows() -> None:
    table = Alternatives()
    table.begin(solve(), CELL)
    for _ in range(alternatives.MOST - 1):
        table.add(solve())
    with pytest.raises(DetentError, match="does not fit into a table of 64 splits"):
        table.add(solve())


def test_a_table_of_splits_takes_no_split_of_another_size() -> None:
    table = Alternatives()
    table.begin(solve(), CELL)
    with pytest.raises(DetentError, match=r"split 1 of sizes \(4, 3, 4, 1\) does not fit"):
        table.add(solve(sizes=(4, 3, 4)))


def test_counters_of_another_stepper() -> None:
    with pytest.raises(DetentError, match="the stepper's counters has room for 0 numbers"):
        Alternatives().count_by(np.zeros(0, dtype=np.int64))


@pytest.mark.parametrize("name", ["current", "stop", "clock", "counters", "absolute", "state", "rates", "errors"])
def test_the_arrays_of_a_stepper(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of them has exactly the size that the kernels need, or more: one more would be refused."""

    def shorter(what: str, array: np.ndarray, count: int) -> int:
        return room_of(what, array.ravel()[: count - 1] if what.endswith(f" {name}") else array, count)

    monkeypatch.setattr(memory_module, "room_of", shorter)
    with pytest.raises(DetentError, match=f"the stepper's {name} has room for"):
        solver_of(orbit(), method="dop853", rtol=1e-9)


@pytest.mark.parametrize("name", ["time", "state", "rate", "dense"])
@pytest.mark.parametrize("relay", [False, True])
def test_the_record_of_a_stepper(name: str, relay: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = Memory.room_for

    def shorter(self: Memory, steps: int) -> Chunk:
        made = vars(whole(self, steps))
        return Chunk(**{**made, name: made[name][:-1]})

    monkeypatch.setattr(Memory, "room_for", shorter)

    def begin() -> None:
        solver_of(orbit(), method="dop853", rtol=1e-9, relay=relay)._memory.make_room(10)

    with pytest.raises(DetentError, match=f"the record's {name} has room for"):
        begin()


def test_the_words_of_a_relay(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(relay_module.at, "ROWS_OF_BLOCKS", 3)
    memory = solver_of(orbit(), method="rk4", step=0.1)._memory
    made = Relay(memory, "advance_fixed")
    assert len(made._words) == 3 + relay_module.BLOCKS


def test_a_word_outside_its_table_is_not_published() -> None:
    words = np.zeros((2, 3), dtype=np.int64)
    for place in (-1, 3):
        with pytest.raises(DetentError, match=f"word {place} was asked for among 3 words"):
            publish(words[0], place, 1)
    with pytest.raises(DetentError, match="words of int32"):
        publish(np.zeros(2, dtype=np.int32), 0, 1)  # type: ignore[arg-type]
    assert not words.any()


# -- the search for events -------------------------------------------------------------------------------


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
    return EventMemory(2, 8, np.zeros(3), 2, CELL, np.zeros(2), 100)


TRANSITION = TransitionRow(0, 0, 0, 1, before=CELL, before_count=1, steps=[(0, CELL)])
SIZES = {"width", "identities", "impulse_count", "block_count", "discrete_count", "log_width", "log_capacity"}
ARRAYS = [name for name in EventFrame._fields if name not in SIZES | {"note_capacity", "limit"}]


@pytest.mark.parametrize("name", ARRAYS)
def test_the_arrays_of_the_search_for_events(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that is too small is refused before any address is handed over: nothing can be written past its end."""

    def shorter(what: str, array: np.ndarray, count: int) -> int:
        return room_of(what, array.ravel()[: count - 1] if what.endswith(f"search's {name}") else array, count)

    event_memory().build([mode_row()], [TRANSITION])
    memory = event_memory()
    monkeypatch.setattr(event_memory_module, "room_of", shorter)
    with pytest.raises(DetentError, match=f"the event search's {name} has room for"):
        memory.build([mode_row()], [TRANSITION])
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
