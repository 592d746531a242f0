"""Constraints of which others hold at other times, run by the kernel without anything made for those that hold.

All their rows are one program; which of them hold follows from run-time values (what contacts do, say). For a mode
that was never entered before: what it runs is as exact as any, only slower than programs of its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import Any, NamedTuple, final

import numpy as np
from numpy.typing import NDArray

from detent.jit.abi import WORD
from detent.jit.address import address_or_zero, check_count, check_places, raw_address, record_address, room_of
from detent.jit.arrays import Words
from detent.jit.calling import call_once
from detent.solves import constraint_frame as at
from detent.solves.following import Following
from detent.solves.gathered_frame import GATHERED, PART, VALUE, gathering_room
from detent.solves.kernels import CONSTRAINT_SOLVE
from detent.stepping.crossing_frame import ASKED


class RowPart(NamedTuple):
    """A row, and when it holds."""

    row: int
    """Its number in the program of all rows."""
    slides: bool
    reaction: int
    """Where its reaction stands among those of all rows."""
    where: Sequence[tuple[int, float]]
    """Run-time values by their places, and what they must be."""


@final
@dataclass(frozen=True, eq=False)
class AllRows:
    """All rows that may hold, as a program, with what else is the same for whoever gathers from them."""

    program: Words
    """B row by row, C, Phi, how q and s change per unit of each speed, gamma, B' row by row."""
    outputs: int
    rows: int
    parts: Sequence[RowPart]
    most: int
    """How many may hold at a time."""
    reactions: int
    slack: int
    """Where the slack of forces stands among the reactions."""
    sharing: int
    """The run-time value that tells whether forces are shared."""
    values: int
    """How many run-time values there are."""
    free_rates: Words
    """The rates where none holds."""
    shared_rates: Words | None = None
    """The rates where forces are shared; None: then the caller makes what runs."""
    shared_slack: Words | None = None
    slides: bool = True
    """Whether the program gives B'."""

    @cached_property
    def tables(self) -> tuple[NDArray[np.void], NDArray[np.void]]:
        """The parts, and what they ask of the values, as the kernel reads them."""
        asked = [pair for part in self.parts for pair in part.where]
        for name, places, bound in (
            ("the rows of all parts", [part.row for part in self.parts], self.rows),
            ("the values that rows ask for", [place for place, _ in asked], self.values),
            ("the reactions of all rows", [self.slack, *(part.reaction for part in self.parts)], self.reactions),
        ):
            check_places(name, np.array(places, dtype=np.int64), len(places), bound)
        firsts = accumulate([0, *(len(part.where) for part in self.parts)])
        made = [
            (part.row, int(part.slides), part.reaction, first, len(part.where))
            for part, first in zip(self.parts, firsts, strict=False)
        ]
        return np.array([*made, (0,) * 5], dtype=PART), np.array([*asked, (0, 0.0)], dtype=VALUE)


class UnsolvedSystem(NamedTuple):
    """What solving for the rates of a system takes."""

    unsolved: Words
    sizes: tuple[int, int, int]
    quaternions: Words
    asking: Words
    following: Following | None


@final
class GatheredRows:
    """Memory for whichever of the rows hold, and the cells that run them."""

    def __init__(self, rows: AllRows, means: UnsolvedSystem) -> None:
        (n_q, n, n_s), most = means.sizes, rows.most
        matrices = 2 if rows.slides else 1
        check_count("the program of all rows", rows.outputs, matrices * rows.rows * n + 3 * rows.rows + (n_q + n_s) * n)
        parts, values = rows.tables
        self._rows = rows
        self.flag, self.bound = np.zeros(2, dtype=np.int64), np.zeros(2)
        """As those of :class:`detent.solves.constraint_solve.ConstraintSolve`."""
        self._crossing, self._scale = np.zeros(3, dtype=np.int64), np.zeros(at.SIZES * (most + n) + 1)
        self._chosen = {name: np.zeros(n + 1, dtype=np.int64) for name in ("dependent", "independent", "order")}
        self._held, self._kept, self._before = np.zeros((3, most + 1), dtype=np.int64)
        joined = np.zeros(rows.outputs + 1)
        self._head, self._record = np.zeros(1, dtype=at.CONSTRAINED), np.zeros(1, dtype=GATHERED)
        self.gathering = _cell("gather_rows", self._record)
        """The cell that gives the rows that are solved for."""
        self._alive: list[Any] = [means, parts, values, joined]
        self._write(
            self._record, head=raw_address(self._head), program=raw_address(rows.program), joined=raw_address(joined),
            all_rows=rows.rows, parts=raw_address(parts), part_count=len(rows.parts), values=raw_address(values),
            most=most, held=raw_address(self._held), kept=raw_address(self._kept),
            before=raw_address(self._before), sharing=rows.sharing,
            shared_rates=address_or_zero(rows.shared_rates),
            shared_slack=address_or_zero(rows.shared_slack),
            free_rates=raw_address(rows.free_rates), reaction_count=rows.reactions, slack=rows.slack,
        )  # fmt: skip
        follows = means.following
        self._write(
            self._head, unsolved=raw_address(means.unsolved), constraints=raw_address(self.gathering), coordinates=n_q,
            speeds=n, signals=n_s, quaternions=raw_address(means.quaternions),
            quaternion_count=len(means.quaternions) // 4, asking=room_of("what is asked for", means.asking, ASKED),
            flag=raw_address(self.flag), bound=raw_address(self.bound), crossing=raw_address(self._crossing),
            scale=raw_address(self._scale), newton=0 if follows is None else raw_address(follows.newton),
            looking=0 if follows is None else raw_address(follows.looking),
            **{name: raw_address(array) for name, array in self._chosen.items()},
            **self._memory(gathering_room(n_q, n, n_s, most)),
        )  # fmt: skip
        self.rates, self.reactions = _cell("gathered_rates", self._record), _cell("gathered_reactions", self._record)
        self.correction = _cell("constrained_state", self._head)
        self.choice = _cell("choose_gathered", self._record)
        """The cell that makes ready for the rows that hold, at a state; it gives 0, or it cannot."""
        self.keeping = _cell("keep_others", self._record)
        """The cell that keeps other rows of those that hold; it gives 0, or all is as it was."""
        self._head["keeping"] = raw_address(self.keeping)
        crossing = CONSTRAINT_SOLVE.address("cross_change_point")
        self._crossing[:] = crossing, raw_address(self._head), raw_address(self.correction)

    def _write(self, record: NDArray[np.void], **words: int) -> None:
        for name, word in words.items():
            record[name] = word

    def _memory(self, room: dict[str, int]) -> dict[str, int]:
        memory = np.zeros(sum(room.values()) + 1)
        self._alive.append(memory)
        places = zip(room, accumulate([0, *room.values()]), strict=False)
        return {name: raw_address(memory) + WORD * before for name, before in places}

    @property
    def shares(self) -> bool:
        """Whether forces are shared, as it was chosen last."""
        return bool(self._record["shares"][0])

    def saved(self) -> dict[str, Any] | None:
        """The choice that was made last, as a checkpoint keeps it, among the rows that hold; None where none does."""
        held, m, n = int(self._record["held_count"][0]), int(self._head["rows"][0]), int(self._head["speeds"][0])
        if held == 0:
            return None
        kept = self._kept[:m].tolist()
        return {
            "rows": [kept[row] for row in self._chosen["order"][:m].tolist()],
            "dependent": self._chosen["dependent"][:m].tolist(),
            "independent": self._chosen["independent"][: n - m].tolist(),
            "redundant": [row for row in range(held) if row not in kept],
            "bound": self.bound.tolist(),
        }

    def stand(self, saved: Mapping[str, Any]) -> None:
        """Keep rows as it was chosen, of rows that all hold and share their forces."""
        kept, held, n = sorted(saved["rows"]), len(self._rows.parts), int(self._head["speeds"][0])
        m, turns = len(kept), (int(self._head["coordinates"][0]) + int(self._head["signals"][0])) * n
        self._held[:held] = range(held)
        self._write(self._record, held_count=held, shares=1)
        first = int(self._head["B"][0])
        names, sizes = ("C", "phi", "turn", "gamma", "reaction"), (m * n, m, m, turns, m)
        places = {name: first + WORD * at for name, at in zip(names, accumulate(sizes), strict=True)}
        self._write(self._head, rows=m, slides=int(self._rows.slides), **places)
        self._take(kept, saved)

    def _take(self, kept: list[int], saved: Mapping[str, Any]) -> None:
        m = len(kept)
        self._kept[:m] = kept
        self._chosen["order"][:m] = [kept.index(row) for row in saved["rows"]]
        self._chosen["dependent"][:m], self.bound[:] = saved["dependent"], saved["bound"]
        self._chosen["independent"][: len(saved["independent"])] = saved["independent"]

    def restore(self, saved: Mapping[str, Any], time: float, state: NDArray[np.float64], values: Any) -> bool:
        """Stand as it was saved, at a state of the same rows; whether that can be."""
        if call_once(self.choice, time, state, values, np.zeros(1)) != 0:
            return False
        m, kept = int(self._head["rows"][0]), sorted(saved["rows"])
        rows, speeds = [*kept, *saved["redundant"]], [*saved["dependent"], *saved["independent"]]
        held, n = int(self._record["held_count"][0]), int(self._head["speeds"][0])
        fits = sorted(rows) == list(range(held)) and sorted(speeds) == list(range(n))
        if not fits or len(kept) != m or len(saved["dependent"]) != m:
            return False
        self._take(kept, saved)
        self._head["slides"] = int(any(self._rows.parts[self._held[row]].slides for row in kept))
        return True


def _cell(kernel: str, context: NDArray[np.void]) -> Words:
    return np.array([CONSTRAINT_SOLVE.address(kernel), record_address(context)], dtype=np.int64)
