"""The impact of one contact with friction, for Python."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from detent.contact_solves.kernels import SINGLE_IMPACT_KERNELS
from detent.contact_solves.single_impact_frame import SINGLE_IMPACT, ImpactEnd, Law, Phases
from detent.errors import ValueProblem
from detent.jit.address import raw_address
from detent.jit.arrays import FloatArray
from detent.jit.kernel_library import WORD_TYPE

_AXES: Final = "n12"
_ROUNDING: Final = 1e-9
"""A difference this small, relative to the largest number, may come of how W was worked out."""


@final
@dataclass(frozen=True, eq=False)
class SingleImpact:
    """What an impact does: impulse P (N s), velocity after it (m/s), change of energy (J).

    ``W`` = J M^-1 J^T (1/kg) is how the contact yields, normal first, then one tangential axis (in the plane) or two;
    ``before`` is the relative velocity in the same order, its first component not above 0. Where that is 0, the impact
    is one without collision: it happens if slip would make the normal velocity fall (Painleve).

    A rod of 1 m and 1 kg strikes the floor with its end, at 45 degrees; it slips, sticks and rebounds:

    >>> struck = SingleImpact.of([[2.5, -1.5], [-1.5, 2.5]], [-1, 0.3], friction=0.8, restitution=0.5)
    >>> struck.impulse.round(12).tolist(), struck.after.round(12).tolist(), struck.phases
    ([0.76875, 0.34125], [0.41, 0.0], <Phases.SLIP|STICK: 3>)
    >>> round(struck.energy, 12), struck.outcome.name
    (-0.17559375, 'OK')
    """

    impulse: FloatArray
    after: FloatArray
    energy: float
    stopped_at: float
    """The normal impulse at which slip stopped, by the laws that look at it; infinite where it did not."""
    phases: Phases
    outcome: ImpactEnd

    @classmethod
    def of(
        cls, W: ArrayLike, before: ArrayLike, friction: float, restitution: float = 0.0, law: Law = Law.POISSON,
        static_friction: float | None = None,
    ) -> SingleImpact:  # fmt: skip
        """Work out an impact; an outcome without a result is an error.

        >>> SingleImpact.of([[1, 0], [0, 1]], [1, 0], friction=0.3)
        Traceback (most recent call last):
        ...
        detent.errors.ValueProblem: no impact can be worked out for W = ...: BAD_INPUT...
        """
        yielding, velocity = np.asarray(W, dtype=float), np.asarray(before, dtype=float)
        size = velocity.size
        if size not in (2, 3) or velocity.shape != (size,) or yielding.shape != (size, size):
            raise ValueProblem(
                f"an impact was given W of shape {yielding.shape} and a velocity of shape {velocity.shape}; give "
                "2 x 2 and 2 in the plane, 3 x 3 and 3 in space, the normal first."
            )
        if np.abs(yielding - yielding.T).max() > _ROUNDING * np.abs(yielding).max():
            raise ValueProblem(f"an impact was given W = {yielding.tolist()}; W = J M^-1 J^T is symmetric.")
        record = _record(yielding, velocity)
        record["law"], record["friction"], record["restitution"] = law, friction, restitution
        record["static_friction"] = friction if static_friction is None else static_friction
        outcome = ImpactEnd(SINGLE_IMPACT_KERNELS.function("strike_single", WORD_TYPE)(raw_address(record)))
        if not outcome.has_result:
            raise ValueProblem(
                f"no impact can be worked out for W = {yielding.tolist()}, velocity {velocity.tolist()}, friction "
                f"{friction}, restitution {restitution}, law {law.name}: {outcome.name}. {outcome.advice}"
            )
        return cls(
            np.array([record[f"P_{axis}"][0] for axis in _AXES[:size]]),
            np.array([record[f"v_{axis}"][0] for axis in _AXES[:size]]),
            float(record["energy"][0]), float(record["stopped_at"][0]), Phases(int(record["phases"][0])), outcome,
        )  # fmt: skip


def _record(yielding: FloatArray, velocity: FloatArray) -> NDArray[Any]:
    """What the kernel is given."""
    record = np.zeros(1, dtype=SINGLE_IMPACT)
    for i in range(velocity.size):
        record[f"before_{_AXES[i]}"] = velocity[i]
        for j in range(i, velocity.size):
            record[f"W_{_AXES[i]}{_AXES[j]}"] = yielding[i, j]
    return record
