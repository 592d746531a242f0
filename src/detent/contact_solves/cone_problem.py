"""A cone problem from Python: its numbers in, what the kernel makes of them out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import final

import numpy as np
from numpy.typing import ArrayLike

from detent.contact_solves.cone_frame import CONE, UNKNOWN, ConeOutcome, ConeStatus, cone_arrays
from detent.contact_solves.kernels import CONES
from detent.errors import ValueProblem
from detent.jit.abi import WORD
from detent.jit.address import address_of, raw_address
from detent.jit.arrays import FloatArray
from detent.jit.kernel_library import DOUBLE_TYPE, WORD_TYPE


@final
@dataclass(frozen=True)
class ConeSolution:
    """What became of a cone problem; forces, directions and motions have a row for each contact, normal first."""

    outcome: ConeOutcome
    statuses: tuple[ConeStatus, ...]
    forces: FloatArray
    motions: FloatArray
    slip: FloatArray
    """Directions of slip; those that were given where the contact does not slip."""
    residual: float
    """How far the natural map moves a force, over the largest force."""
    culprit: int | None
    """The contact for which there is no force, where there is no solution."""
    exchanges: int
    """In how many ways forces may change and move nothing; 0 where they are unique."""
    several: bool
    """Whether another solution with other motions was found; only where it was asked."""


@final
class ConeProblem:
    """Contacts with rows J, scaled by the mass, and u = J J^T lambda + b (:mod:`detent.contact_solves.cone_frame`).

    ``dimension`` is 2 in the plane, with rows (n, t) for each contact, 3 in space, with (n, t1, t2). ``sliding`` gives
    the directions of contacts that slide already, None for the others. Where the motions ``free`` of the speeds without
    the forces are told, b is J free + ``bias``.

    A ball of mass 1 thrown onto the floor with 3 m/s along it and friction 0.5, without bounce or spin: it takes the
    impulse 2 to stop the fall, and friction takes 1 m/s.

    >>> ball = ConeProblem([[1, 0], [0, 1]], bias=[-2, 3], friction=[0.5], dimension=2)
    >>> ball.solve().forces
    array([[ 2., -1.]])
    >>> ball.solve().statuses
    (<ConeStatus.SLIP: 1>,)
    """

    def __init__(
        self, rows: ArrayLike, bias: ArrayLike, friction: ArrayLike, dimension: int,
        sliding: Sequence[ArrayLike | None] | None = None, lower: ArrayLike | None = None, rounding: float = 0.0,
        free: ArrayLike | None = None,
    ) -> None:  # fmt: skip
        self.rows = np.array(rows, dtype=np.float64, ndmin=2)
        self._carried, self.friction = np.array(bias, dtype=np.float64), np.array(friction, dtype=np.float64)
        contacts, speeds = len(self.friction), self.rows.shape[1]
        if dimension not in (2, 3) or not len(self.rows) == len(self._carried) == contacts * dimension:
            raise ValueProblem(
                f"a cone problem of {contacts} contacts in dimension {dimension} was given {len(self.rows)} rows and "
                f"{len(self._carried)} biases; give dimension 2 or 3, and so many rows and biases for each contact."
            )
        self._free = np.zeros(speeds) if free is None else np.array(free, dtype=np.float64)
        if self._free.shape != (speeds,):
            raise ValueProblem(
                f"motions without forces of {self._free.size} speeds were given where rows have {speeds}; give as many."
            )
        self.bias = self.rows @ self._free + self._carried
        self.contacts, self.dimension = contacts, dimension
        self.given = np.zeros(contacts, dtype=np.int64)
        self.directions = np.zeros((contacts, dimension - 1))
        for contact, direction in enumerate(sliding or ()):
            if direction is not None:
                self.given[contact], self.directions[contact] = 1, direction
        self.lower = np.zeros(contacts) if lower is None else np.array(lower, dtype=np.float64)
        self.rounding = rounding
        self._make_record()

    def _make_record(self) -> None:
        """The record, and room for everything that it names."""
        contacts, dimension, speeds = self.contacts, self.dimension, self.rows.shape[1]
        self._forces, self._motions = np.zeros((contacts, dimension)), np.zeros((contacts, dimension))
        self._slip, self._statuses = np.zeros((contacts, dimension - 1)), np.zeros(contacts, dtype=np.int64)
        self.record = np.zeros(1, dtype=CONE)
        room = cone_arrays(contacts, dimension, speeds)
        self._memory = np.zeros(sum(room.values()))
        for name, before in zip(room, accumulate([0, *room.values()]), strict=False):
            self.record[name] = raw_address(self._memory) + WORD * before
        numbers = {
            "contacts": contacts,
            "dimension": dimension,
            "speeds": speeds,
            "rounding": self.rounding,
            "parted": 1,
        }
        arrays = {
            "rows": self.rows, "bias": self.bias, "friction": self.friction, "directions": self.directions,
            "free": self._free, "carried": self._carried, "lower": self.lower,
            "forces": self._forces, "slip": self._slip, "motions": self._motions,
        }  # fmt: skip
        for name, number in numbers.items():
            self.record[name] = number
        for name, array in arrays.items():
            self.record[name] = address_of(array)
        self.record["given"] = address_of(self.given, np.int64)
        self.record["statuses"] = address_of(self._statuses, np.int64)

    def solve(
        self, statuses: Sequence[int] | None = None, forces: ArrayLike | None = None, slip: ArrayLike | None = None,
        count: bool = False, steady: bool = False,
    ) -> ConeSolution:  # fmt: skip
        """Solve it, from what held before where that is given.

        ``count`` asks whether there are several solutions, of up to four contacts in the plane; ``steady`` for one
        that can be followed, if one is found, whatever held before.

        >>> rod = ConeProblem([[1, 0], [2, 1]], bias=[1, 4], friction=[1], dimension=2)
        >>> rod.solve(count=True).several
        True
        """
        self._statuses[:] = UNKNOWN if statuses is None else statuses
        self._forces[:] = 0.0 if forces is None else forces
        self._slip[:] = 0.0 if slip is None else slip
        self.record["count"], self.record["steady"] = int(count), int(steady)
        function = CONES.function("solve_cone_problem", WORD_TYPE, DOUBLE_TYPE, WORD_TYPE, WORD_TYPE, WORD_TYPE)
        outcome = ConeOutcome(function(raw_address(self.record), 0.0, 0, 0, 0))
        record = self.record[0]
        return ConeSolution(
            outcome=outcome,
            statuses=tuple(ConeStatus(int(status)) for status in self._statuses),
            forces=self._forces.copy(),
            motions=self._motions.copy(),
            slip=self._slip.copy(),
            residual=float(record["residual"]),
            culprit=int(record["culprit"]) if outcome == ConeOutcome.NONE else None,
            exchanges=int(record["not_unique"]),
            several=bool(record["several"]),
        )
