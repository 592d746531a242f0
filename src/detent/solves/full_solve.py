"""Rates, reactions and corrections under constraints with all speeds kept, by dense algebra in the kernel.

Rows that follow from others may stay: null spaces and pseudoinverses decide about the rank where they are. The state is
(q, u, s, work).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate
from typing import Any, Final, final

import numpy as np
from numpy.typing import NDArray

from detent.algebra import decomposition_frame
from detent.errors import DetentError
from detent.jit.abi import WORD
from detent.jit.address import check_places, raw_address, record_address, room_of
from detent.jit.arrays import Records, Words
from detent.solves import full_frame as at
from detent.solves.kernels import FULL_SOLVE
from detent.solves.program_outputs import check_program_outputs

__all__ = ["FullSolve", "FullSolveMethod"]


MOST_CORRECTIONS: Final = 8
"""Newton's method has converged by then, where it does."""


@final
@dataclass(frozen=True)
class FullSolveMethod:
    """How accelerations are found, and what is done about residuals."""

    accelerations: int = at.WEIGHTED
    decomposition: int = decomposition_frame.QR
    placing: int = at.AT_END
    corrections: int = MOST_CORRECTIONS
    """How often positions and speeds are corrected after a step."""


@final
@dataclass(eq=False)
class FullSolve:
    """The cells of one set of rows: rates, reactions, correction and entry.

    ``unsolved`` and ``constraints`` are the programs of :class:`detent.solves.constraint_solve.ConstraintSolve`;
    ``energy`` gives T + V and its slope along each speed, where the energy is to be kept. ``configurations`` are the
    numbers of the rows that bind the configuration.
    """

    unsolved: Words
    constraints: Words
    energy: Words | None
    sizes: tuple[int, int, int]
    rows: int
    configurations: Sequence[int]
    slides: bool
    quaternions: Words
    method: FullSolveMethod
    multipliers: Sequence[int] = ()
    """Where in the state the multiplier of each row is, where multipliers are states."""
    numbers: Records = field(default_factory=lambda: np.zeros(1, dtype=at.NUMBERS))

    def __post_init__(self) -> None:
        n_q, n, n_s = self.sizes
        self._alive: list[NDArray[Any]] = []
        self._bound = np.array([*self.configurations, 0], dtype=np.int64)[: len(self.configurations)]
        check_places("the rows of the configuration", self._bound, len(self.configurations), self.rows)
        check_places("the parts of quaternions", self.quaternions, 4 * (len(self.quaternions) // 4), n_q + n + n_s)
        self._places = np.array([*self.multipliers, 0], dtype=np.int64)[: len(self.multipliers)]
        expected = self.rows if self.method.accelerations == at.MANIFOLD else 0
        check_places("the multipliers", self._places, expected, n_q + n + n_s)
        self._frozen = np.zeros((2, max(self.rows, 1)))
        self._rates = self._context({})
        corrects = self.method.placing == at.AT_END and self.method.accelerations != at.MANIFOLD
        after = {"iterations": self.method.corrections if corrects else 0}
        self._after = self._alike(self._rates, after)
        self._entry = self._alike(self._rates, {"iterations": MOST_CORRECTIONS, "begins": 1})

    def check_outputs(self, unsolved: int, constraints: int) -> None:
        """That the programs write as many numbers as there is room for: these are their sizes."""
        check_program_outputs((*self.sizes, self.rows), self.slides, unsolved, constraints)

    @property
    def kept(self) -> list[float]:
        """What the kernels know of steps before: the energy to be kept, and residuals at the start of the step."""
        return [float(self.numbers["reference"][0]), *self._frozen.ravel().tolist()]

    def keep(self, numbers: Sequence[float]) -> None:
        """Go on with what :attr:`kept` was."""
        if len(numbers) != len(self.kept):
            raise DetentError(
                f"{len(numbers)} numbers were kept of constraints with {self.rows} rows, and {len(self.kept)} were "
                "expected; write the checkpoint again"
            )
        self.numbers["reference"] = numbers[0]
        self._frozen[:] = np.reshape(numbers[1:], self._frozen.shape)

    @cached_property
    def rates(self) -> Words:
        return self._cell("full_rates", self._rates)

    @cached_property
    def correction(self) -> Words:
        """Corrects the end of a step."""
        return self._cell("full_state", self._after)

    @cached_property
    def entry(self) -> Words:
        """Brings a state onto the constraints to rounding; its energy is the one to be kept from there on."""
        return self._cell("full_state", self._entry)

    @cached_property
    def reactions(self) -> Words:
        return self._cell("full_rates", self._alike(self._rates, {"wanted": at.REACTIONS}))

    def reactions_by(self, unsolved: Words, constraints: Words) -> Words:
        """The reactions by other copies of the programs: for another thread than the one that steps."""
        self._alive += [unsolved, constraints]
        cells = {"unsolved": raw_address(unsolved), "constraints": raw_address(constraints)}
        return self._cell("full_rates", self._context({**cells, "wanted": at.REACTIONS}))

    def _cell(self, name: str, context: Records) -> Words:
        return np.array([FULL_SOLVE.address(name), record_address(context)], dtype=np.int64)

    def _alike(self, context: Records, changes: dict[str, int]) -> Records:
        """The same with the same memory: one of both runs at a time."""
        made = context.copy()
        for name, word in changes.items():
            made[name] = word
        self._alive.append(made)
        return made

    def _context(self, changes: dict[str, int]) -> Records:
        """What the kernels find, with working memory of its own."""
        n_q, n, n_s = self.sizes
        context = np.zeros(1, dtype=at.FULL)
        given = {
            "unsolved": room_of("the cell of M and f", self.unsolved, 2),
            "constraints": room_of("the cell of the constraints", self.constraints, 2),
            "energy": 0 if self.energy is None else room_of("the cell of the energy", self.energy, 2),
            "coordinates": n_q, "speeds": n, "signals": n_s, "rows": self.rows, "slides": int(self.slides),
            "wanted": at.RATES, "accelerations": self.method.accelerations, "placing": self.method.placing,
            "configurations": raw_address(self._bound), "configuration_count": len(self._bound),
            "quaternions": raw_address(self.quaternions), "quaternion_count": len(self.quaternions) // 4,
            "numbers": raw_address(self.numbers), "frozen_phi": raw_address(self._frozen[0]),
            "frozen_velocity": raw_address(self._frozen[1]),
            "decomposition": raw_address(self._decomposition()), "multipliers": raw_address(self._places), **changes,
        }  # fmt: skip
        self._lay_out(context, at.full_arrays(*self.sizes, self.rows))
        for name, word in given.items():
            context[name] = word
        self._alive.append(context)
        return context

    def _decomposition(self) -> Records:
        made = np.zeros(1, dtype=decomposition_frame.DECOMPOSITION)
        self._lay_out(made, decomposition_frame.room(self.rows, self.sizes[1]))
        made["kind"], made["rows"], made["columns"] = self.method.decomposition, self.rows, self.sizes[1]
        self._alive.append(made)
        return made

    def _lay_out(self, record: Records, sizes: dict[str, int]) -> None:
        """Memory for arrays, one after the other."""
        memory = np.zeros(sum(sizes.values()) + 1)
        self._alive.append(memory)
        first = room_of("the working memory", memory, sum(sizes.values()))
        for name, before in zip(sizes, accumulate([0, *sizes.values()]), strict=False):
            record[name] = first + WORD * before
