"""Rates under constraints, by dense algebra in the kernel, and the correction that keeps a state on its constraints.

For a mode that was entered a moment ago, when only M, f and the constraints' own small program exist. The
mathematics is that of :mod:`detent.dynamics.minimal_form`, in numbers. State vectors are (q, u, s, work).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, lru_cache
from itertools import accumulate
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from detent.jit.abi import WORD
from detent.jit.address import address_of_some, check_places, raw_address, room_of, words_of_record
from detent.jit.arrays import Words
from detent.solves import constraint_frame as at
from detent.solves.constraint_frame import PARADOX, SINGULAR_CONSTRAINT
from detent.solves.kernels import CONSTRAINT_SOLVE
from detent.solves.program_outputs import check_program_outputs
from detent.stepping.crossing_frame import ASKED

if TYPE_CHECKING:
    from detent.solves.following import Following

__all__ = ["PARADOX", "SINGULAR_CONSTRAINT", "ConstraintSolve"]


class ConstraintSolve:
    """The cells of one mode: rates, reactions and correction, from programs and a partition of the speeds.

    ``unsolved`` gives q', f, s', power, its factors of u' and M (see :class:`MassSolve`); ``constraints`` gives B row
    by row, C, Phi (0 for a row that only binds the motion), how q and s change per unit of each speed, gamma, and
    for rows that slide B' row by row. ``order`` is the order in which the rows were eliminated when ``dependent`` was
    chosen: row ``order[i]`` gave the pivot of ``dependent[i]``. ``largest`` keeps the largest
    entry that each row has had, then the largest part of them that each column has had; then what these were last, and
    the largest of these where a step has ended.
    """

    def __init__(
        self, unsolved: Words, constraints: Words, sizes: tuple[int, int, int], dependent: Sequence[int],
        independent: Sequence[int], order: Sequence[int], slides: bool, quaternions: Words, asking: Words,
        largest: NDArray[np.float64], following: Following | None = None,
    ) -> None:  # fmt: skip
        n_q, n, n_s = sizes
        self._adopting: Words | None = None
        self.flag = np.zeros(2, dtype=np.int64)
        """Set to 1 when other speeds would make better independent ones; then the sign of det B_d when last seen."""
        self._crossing = np.zeros(3, dtype=np.int64)
        self.bound = np.array([at.RESELECT_ABOVE, 0.0])
        """How large the factors of the elimination may become before that, and how large they were last."""
        chosen = [np.array(numbers, dtype=np.int64) for numbers in (dependent, independent, order)]
        self.dependent, self.independent, self.order = chosen
        m = len(self.dependent)
        self.sizes = (n_q, n, n_s, m)
        """How many coordinates, speeds, signals and rows there are."""
        check_places("the dependent speeds", self.dependent, m, n)
        check_places("the independent speeds", self.independent, n - m, n)
        check_places("the rows in their order", self.order, m, m)
        check_places("the parts of quaternions", quaternions, 4 * (len(quaternions) // 4), n_q + n + n_s)
        self._following = following
        self._alive: list[NDArray[Any]] = [unsolved, constraints, *chosen, quaternions, asking, largest]
        self._given = {
            "unsolved": room_of("the cell of M and f", unsolved, 2),
            "constraints": room_of("the cell of the constraints", constraints, 2), "coordinates": n_q, "speeds": n,
            "signals": n_s, "rows": m, "slides": int(slides), "quaternion_count": len(quaternions) // 4,
            "dependent": raw_address(self.dependent), "independent": raw_address(self.independent),
            "order": raw_address(self.order), "quaternions": address_of_some(quaternions),
            "asking": room_of("what is asked for", asking, ASKED), "flag": room_of("the flag", self.flag, 1),
            "bound": room_of("the bound", self.bound, 2), "crossing": raw_address(self._crossing),
            "scale": room_of("the sizes of rows and columns", largest, at.SIZES * (m + n)),
            "newton": 0 if following is None else raw_address(following.newton),
            "looking": 0 if following is None else raw_address(following.looking), "keeping": 0,
        }  # fmt: skip
        self._rates = self._context(at.RATES)
        own, kernels = raw_address(self._rates), CONSTRAINT_SOLVE.address
        self.rates = np.array([kernels("constrained_rates"), own], dtype=np.int64)
        self.correction = np.array([kernels("constrained_state"), own], dtype=np.int64)
        self._crossing[:] = kernels("cross_change_point"), own, raw_address(self.correction)
        self.choice = np.array([kernels("is_other_choice"), own], dtype=np.int64)
        """The cell that tells, by 0, whether these dependent speeds would be chosen at a state."""

    def adopt(self) -> Words:
        """Have the kernel choose dependent speeds again by itself, where the mode is entered and while it runs.

        What is in its contexts changes then: reactions along a run are worked out with speeds of their own. The cell
        chooses where the mode is entered.
        """
        if self._adopting is None:
            words = [CONSTRAINT_SOLVE.address("adopt_choice"), raw_address(self._rates)]
            self._adopting = np.array(words, dtype=np.int64)
        return self._adopting

    def check_outputs(self, unsolved: int, constraints: int) -> None:
        """That the programs write as many numbers as there is room for: these are their sizes."""
        check_program_outputs(self.sizes, bool(self._given["slides"]), unsolved, constraints)

    @cached_property
    def reactions(self) -> Words:
        """The cell that gives the reactions of the rows; with working memory of its own."""
        self._reactions = self._context(at.REACTIONS)
        return np.array([self.rates[0], raw_address(self._reactions)], dtype=np.int64)

    def reactions_by(self, unsolved: Words, constraints: Words) -> Words:
        """The same by other copies of the programs: for another thread than the one that steps."""
        self._alive += [unsolved, constraints]
        choosing = self._reactions_context(unsolved, constraints)
        own = {"dependent": self.dependent, "independent": self.independent, "order": self.order, "flag": self.flag}
        for name, array in {**own, "bound": self.bound}.items():
            copied = array.copy()
            choosing.view(at.CONSTRAINED)[name] = raw_address(copied)
            self._alive.append(copied)
        if self._adopting is not None:
            return np.array([CONSTRAINT_SOLVE.address("chosen_reactions"), raw_address(choosing)], dtype=np.int64)
        both = np.array([raw_address(self._reactions_context(unsolved, constraints)), raw_address(choosing)])
        self._alive.append(both)
        return np.array([CONSTRAINT_SOLVE.address("told_reactions"), raw_address(both)], dtype=np.int64)

    def _reactions_context(self, unsolved: Words, constraints: Words) -> Words:
        """What the kernel that gives reactions finds, with other copies of the programs."""
        words = self._context(at.REACTIONS)
        context = words.view(at.CONSTRAINED)
        context["unsolved"], context["constraints"] = raw_address(unsolved), raw_address(constraints)
        self._alive.append(words)
        return words

    def accept_growth(self) -> None:
        """Put up with factors as large as they are, where no other choice is better; look again when they grow."""
        self.bound[0] = 1.5 * max(self.bound[1], at.RESELECT_ABOVE)

    def _context(self, wanted: int) -> Words:
        """What the kernels find, with working memory of its own."""
        places, size = _working_memory(self.sizes)
        memory = np.zeros(size + 1)
        self._alive.append(memory)
        first = room_of("the working memory", memory, size)
        arrays = {name: first + place for name, place in places}
        return words_of_record(at.CONSTRAINED, {**self._given, "wanted": wanted, **arrays})


@lru_cache(maxsize=64)  # modes of one system are of a few sizes, and each is entered between two steps
def _working_memory(sizes: tuple[int, int, int, int]) -> tuple[list[tuple[str, int]], int]:
    """At which byte of the working memory each array begins, and how many numbers there are in all."""
    arrays = at.constraint_arrays(*sizes)
    *places, size = accumulate([0, *arrays.values()])
    return [(name, WORD * place) for name, place in zip(arrays, places, strict=True)], size
