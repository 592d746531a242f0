"""A buffer that is too small for a solve is refused where its address is handed to a kernel, by its name."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from detent import DetentError
from detent.solves import alternatives
from detent.solves.alternatives import Alternatives
from detent.solves.constraint_solve import ConstraintSolve
from detent.stepping.frame import COUNTERS

CELL = np.zeros(2, dtype=np.int64)


def solve(**changed: Any) -> ConstraintSolve:
    """Three speeds, one constraint."""
    given: dict[str, Any] = {
        "unsolved": CELL, "constraints": CELL, "sizes": (3, 3, 4), "dependent": [0], "independent": [1, 2],
        "order": [0], "slides": False, "quaternions": np.array([6, 7, 8, 9]), "asking": np.zeros(4, dtype=np.int64),
        "largest": np.zeros(12),
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
        ({"asking": np.zeros(3, dtype=np.int64)}, "what is asked for"),
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
    with pytest.raises(DetentError, match="does not fit into a table of 64 partitions"):
        table.add(solve())


def test_a_table_of_partitions_takes_none_of_another_size() -> None:
    table = Alternatives()
    table.begin(solve(), CELL)
    with pytest.raises(DetentError, match=r"partition 1 of sizes \(4, 3, 4, 1\) does not fit"):
        table.add(solve(sizes=(4, 3, 4)))


def test_counters_of_another_stepper() -> None:
    with pytest.raises(DetentError, match="the stepper's counters has room for 0 numbers"):
        Alternatives().count_by(np.zeros(0, dtype=COUNTERS))
