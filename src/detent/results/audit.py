"""How far a run can be trusted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, final

import numpy as np
from numpy.typing import ArrayLike

from detent.results.json_values import json_object


@final
@dataclass(frozen=True)
class Audit:
    """The largest errors that a run shows about itself.

    ``energy_balance`` is relative to ``energy_scale`` (J), see :func:`audit_energy`; the residuals are the largest
    absolute values of the constraints at position and at velocity level, in the units of the constraints;
    the others are None in a model without contacts.

    ``smallest_gap`` (m) is that of all contacts that count, where their shapes face each other; None also where none
    ever did. ``largest_cone_excess`` is how far a contact force was outside its cone, max(|T| - mu N, -N) with mu the
    static coefficient, or the kinetic one where that has risen above it, relative to the largest normal force, or to
    1e-9 of the force sqrt(2 m E)/t where that is larger: m being the mass of all bodies, E the ``energy_scale`` and t
    the length of the run, it would take that to bring about the motion, and less than a part in 1e9 of it does nothing
    to it. ``complementarity`` is the largest gap times normal force
    (J), relative to the ``energy_scale``: one of the two must be zero.

    What is guaranteed: while a contact is open its gap is a guard, and along every step bounds exclude that the
    computed motion passes it unseen; so shapes do not pass through one another, whatever the tolerance. What is
    measured: these three numbers, at every step and inside it on the interpolant, in its middle and with ``dop853`` at
    two instants more (with ``times=`` at those times alone). A contact that is closed holds to rounding at the steps,
    between them as the integration is exact.

    >>> Audit(1e-12, 0.0, 0.0, None, 9.81).as_json()["smallest_gap"] is None
    True
    """

    energy_balance: float
    position_residual: float
    velocity_residual: float
    smallest_gap: float | None
    energy_scale: float
    largest_cone_excess: float | None = None
    complementarity: float | None = None

    def as_json(self) -> dict[str, Any]:
        """The audit as ``detent run --json`` prints it."""
        contacts = {"largest_cone_excess": self.largest_cone_excess, "complementarity": self.complementarity}
        return json_object(
            {
                "energy_balance": self.energy_balance,
                "position_residual": self.position_residual,
                "velocity_residual": self.velocity_residual,
                "smallest_gap": self.smallest_gap,
            }
            | {name: value for name, value in contacts.items() if value is not None}
        )


ROUNDING: Final = 1e-14
"""Energies that are a smaller part of the potential energy that they are the sum of are rounding."""


def energy_scale(kinetic: float, lowest: float, highest: float) -> float:
    """What errors of the energy are relative to, J: the kinetic one at most, and the bounds of the potential one.

    >>> energy_scale(4.0, -5.0, 0.0), energy_scale(1e-33, 5.0, 5.0)
    (5.0, 1.0)
    """
    scale = float(np.maximum(kinetic, highest - lowest))
    return 1.0 if scale <= ROUNDING * max(abs(lowest), abs(highest)) else scale


def audit_energy(kinetic: ArrayLike, potential: ArrayLike, work: ArrayLike) -> tuple[float, float]:
    """The largest energy that appears from nowhere or is lost, and the scale (J) that it is relative to.

    With E = T + V and W the work of non-conservative loads and prescribed motions::

        balance = max |E(t) - E(0) - (W(t) - W(0))| / scale,   scale = max(max T, max V - min V)

    Where nothing moves, or by rounding alone, the scale is 1 J, so that the balance is absolute. A NaN anywhere gives a
    NaN balance.

    >>> audit_energy(kinetic=[0.0, 4.0], potential=[0.0, -5.0], work=[0.0, -2.0])
    (0.2, 5.0)
    """
    motion, height, done = (np.asarray(values, dtype=np.float64) for values in (kinetic, potential, work))
    energy = motion + height
    scale = energy_scale(float(motion.max()), float(height.min()), float(height.max()))
    gained = np.abs((energy - energy[0]) - (done - done[0]))
    return float(gained.max() / scale), scale
