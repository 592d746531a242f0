"""A buffer that is too small is refused where its address is handed to a kernel, by its name."""

from __future__ import annotations

import numpy as np
import pytest

from detent import DetentError
from detent.jit.address import room_of
from detent.jit.words import publish
from detent.stepping import handover as handover_module
from detent.stepping import memory as memory_module
from detent.stepping.handover import HandOver
from detent.stepping.kernels import FIXED_STEPS
from detent.stepping.memory import Memory
from detent.stepping.trajectory_piece import TrajectoryPiece
from tests.unit.stepping.problems import orbit, solver_of


@pytest.mark.parametrize("name", ["current", "stop", "clock", "counters", "absolute", "state", "rates", "errors"])
def test_the_arrays_of_a_stepper(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of them has exactly the size that the kernels need, or more: one more would be refused."""

    def shorter(what: str, array: np.ndarray, count: int) -> int:
        return room_of(what, array.ravel()[: count - 1] if what.endswith(f" {name}") else array, count)

    monkeypatch.setattr(memory_module, "room_of", shorter)
    with pytest.raises(DetentError, match=f"the stepper's {name} has room for"):
        solver_of(orbit(), method="dop853", rtol=1e-9)


@pytest.mark.parametrize("name", ["time", "state", "rate", "dense"])
@pytest.mark.parametrize("handover", [False, True])
def test_the_record_of_a_stepper(name: str, handover: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = Memory.room_for

    def shorter(self: Memory, steps: int) -> TrajectoryPiece:
        made = vars(whole(self, steps))
        return TrajectoryPiece(**{**made, name: made[name][:-1]})

    monkeypatch.setattr(Memory, "room_for", shorter)

    def begin() -> None:
        solver_of(orbit(), method="dop853", rtol=1e-9, hands_over=handover)._memory.make_room(10)

    with pytest.raises(DetentError, match=f"the record's {name} has room for"):
        begin()


@pytest.mark.parametrize("name", ["words", "rows"])
def test_what_a_relay_shares(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def shorter(what: str, array: np.ndarray, count: int) -> int:
        return room_of(what, array[: count - 1] if what.endswith(f" {name}") else array, count)

    monkeypatch.setattr(handover_module, "room_of", shorter)
    memory = solver_of(orbit(), method="rk4", step=0.1)._memory
    with pytest.raises(DetentError, match=f"the handover's {name} has room for"):
        HandOver(memory, FIXED_STEPS)


def test_a_word_outside_its_table_is_not_published() -> None:
    words = np.zeros((2, 3), dtype=np.int64)
    for place in (-1, 3):
        with pytest.raises(DetentError, match=f"word {place} was asked for among 3 words"):
            publish(words[0], place, 1)
    with pytest.raises(DetentError, match="words of int32"):
        publish(np.zeros(2, dtype=np.int32), 0, 1)  # type: ignore[arg-type]
    assert not words.any()
