"""Impacts of several contacts at one instant, for Python."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import ArrayLike

from detent.contact_solves.cone_problem import ConeProblem
from detent.contact_solves.kernels import CONES
from detent.contact_solves.several_impacts_frame import SEVERAL_IMPACTS, ImpactOrder, SeveralOutcome
from detent.contact_solves.single_impact_frame import SINGLE_IMPACT, Law
from detent.errors import ValueProblem
from detent.jit.address import address_of, raw_address
from detent.jit.arrays import FloatArray
from detent.jit.kernel_library import WORD_TYPE


@final
@dataclass(frozen=True, eq=False)
class SeveralImpacts:
    """What impacts at one instant do: impulses (N s) and velocities after (m/s), a row for each contact, normal first.

    Five equal balls in a row, the first of which arrives; rows are the approach of neighbours, friction has none:

    >>> rows = np.zeros((8, 5))
    >>> rows[range(0, 8, 2), range(4)], rows[range(0, 8, 2), range(1, 5)] = -1, 1
    >>> first = np.array([1.0, 0, 0, 0, 0])
    >>> cradle = SeveralImpacts.of(rows, rows @ first, np.zeros(4), np.ones(4), dimension=2)
    >>> (first + rows.T @ cradle.impulses.ravel()).tolist(), cradle.impacts
    ([0.0, 0.0, 0.0, 0.0, 1.0], 4)
    """

    outcome: SeveralOutcome
    impulses: FloatArray
    after: FloatArray
    energy: float
    """Its change (J)."""
    factor: float
    """By which every restitution was multiplied, so that energy does not grow."""
    impacts: int
    """How many there were, one after the other."""
    by_poisson: bool
    """Whether the law of some contact is about one alone, or could not be followed: it struck by Poisson's."""
    culprit: int | None
    """The contact whose law gains energy, or which has no impulse."""

    @classmethod
    def of(
        cls, rows: ArrayLike, before: ArrayLike, friction: ArrayLike, restitution: ArrayLike, dimension: int,
        order: ImpactOrder = ImpactOrder.WAVES, laws: Sequence[Law] | None = None,
    ) -> SeveralImpacts:  # fmt: skip
        """Work them out. ``rows`` J are scaled by the mass, ``before`` are the velocities of contacts, row by row.

        >>> SeveralImpacts.of([[1, 0], [0, 1]], [-1, 0], [0.5], [1.5], dimension=2)
        Traceback (most recent call last):
        ...
        detent.errors.ValueProblem: restitutions are [1.5]; give one from 0 to 1 for each of 1 contacts.
        """
        problem = ConeProblem(rows, before, friction, dimension)
        bounce, count = np.array(restitution, dtype=np.float64), problem.contacts
        if bounce.shape != (count,) or not ((bounce >= 0) & (bounce <= 1)).all():
            raise ValueProblem(
                f"restitutions are {bounce.tolist()}; give one from 0 to 1 for each of {count} contacts."
            )
        record, single = np.zeros(1, dtype=SEVERAL_IMPACTS), np.zeros(1, dtype=SINGLE_IMPACT)
        given = {
            "rows": problem.rows.copy(), "before": problem.bias.copy(), "friction": problem.friction.copy(),
            "restitution": bounce, "impulses": np.zeros((count, dimension)), "after": np.zeros((count, dimension)),
            "compression": np.zeros(count * dimension), "whole": np.zeros(count * dimension),
            "bounce": np.zeros(3 * count),
        }  # fmt: skip
        words = {"laws": np.array(laws or [Law.POISSON] * count, dtype=np.int64), "chosen": np.zeros(count, np.int64)}
        sizes = {"contacts": count, "dimension": dimension, "speeds": problem.rows.shape[1], "order": order}
        for name, number in sizes.items():
            record[name] = number
        for name, array in given.items():
            record[name] = address_of(array)
        for name, array_of_words in words.items():
            record[name] = address_of(array_of_words, np.int64)
        record["cone"], record["single"] = raw_address(problem.record), raw_address(single)
        outcome = SeveralOutcome(CONES.function("strike_at_once", WORD_TYPE)(raw_address(record)))
        left = record[0]
        return cls(
            outcome, given["impulses"], given["after"], float(left["energy"]), float(left["factor"]),
            int(left["impacts"]), bool(left["by_poisson"]), None if left["culprit"] < 0 else int(left["culprit"]),
        )  # fmt: skip
