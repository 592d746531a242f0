"""What the kernels of :mod:`detent.solves.full_solve` find in their context."""

from __future__ import annotations

from typing import Final

import numpy as np

from detent.solves.constraint_frame import program_arrays

WEIGHTED: Final = 0
"""Accelerations by the pseudoinverse of the rows in coordinates in which M is one."""
NULL_SPACE: Final = 1
"""Accelerations along a basis of the null space of the rows."""
MANIFOLD: Final = 2
"""Multipliers are states, which a controller drives so that the constraints stay near their sliding manifold."""

LEFT_MANIFOLD: Final = 12
"""Reason: a step ends outside the boundary layer of the manifold."""

RATES: Final = 0
REACTIONS: Final = 1

AT_END: Final = 0
"""Residuals are taken out at the end of a step."""
IN_STAGES: Final = 1
"""They are pulled out by the rates, each stage by its own residual, so that they would vanish after a step."""
FROZEN: Final = 2
"""The same by the residual that there was at the start of the step."""

ENERGY_TOLERANCE: Final = 1e-6
"""The energy is left alone where |C_e N_v|^2 is smaller: nothing that moves could change it (Braun and Goldfarb)."""

NUMBERS: Final = np.dtype([(name, np.float64) for name in ("pull", "reference", "time_constant", "boundary", "gain")])
"""One over the step by which residuals are to vanish; what T + V less the work is to be; mu, epsilon and K of the
controller of the sliding manifold."""

WORKING: Final = (
    "state", "given", "B", "C", "phi", "turn", "gamma", "reaction", "triangle", "weighted", "pushed", "square", "rest",
    "lambdas", "force", "rate", "step", "mass", "basis", "push", "moved", "reduced", "free", "gradient",
)  # fmt: skip
"""The arrays that a kernel works in; B to reaction lie in a row, as a program writes them."""

FULL: Final = np.dtype(
    [
        (name, np.int64)
        for name in (
            "unsolved", "constraints", "energy",  # cells; the last 0 where no energy is kept
            "coordinates", "speeds", "signals", "rows",
            "slides", "wanted", "accelerations", "placing",  # placing: AT_END, IN_STAGES or FROZEN
            "configurations", "configuration_count",  # the numbers of the rows that bind the configuration
            "quaternions", "quaternion_count",
            "iterations",  # how often positions are corrected at most
            "begins",  # whether the energy of the state is the one to be kept from then on
            "numbers", "frozen_phi", "frozen_velocity",
            "decomposition",
            "multipliers",  # where in the state the multiplier of each row is
            *WORKING,
        )
    ]
)  # fmt: skip


def full_arrays(n_q: int, n: int, n_s: int, m: int) -> dict[str, int]:
    """The size of each of them."""
    return {
        **program_arrays(n_q, n, n_s, m),
        "triangle": n * (n + 1) // 2,
        "weighted": m * n,
        "pushed": m * n,
        "square": m * m,
        "rest": m,
        "lambdas": m,
        "force": n,
        "rate": n,
        "step": n,
        "mass": n * n,
        "basis": n * n,
        "push": n * n,
        "moved": n * n,
        "reduced": n * n,
        "free": max(n, m),
        "gradient": n + 1,
    }
