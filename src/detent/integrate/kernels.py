"""The kernels of this layer. Each source is a library of its own: what a run does not need is not compiled."""

from __future__ import annotations

from typing import Final

from detent.jit.kernel_library import KernelLibrary
from detent.jit.kernels import KERNELS

STEPPER: Final = KernelLibrary(
    "steppers",
    dict.fromkeys(["advance_fixed", "advance_adaptive", "evaluate_rate"], "detent.integrate.stepper_kernel"),
)
RELAY: Final = KernelLibrary("live runs", {"advance_relay": "detent.integrate.relay_kernel"})
EVENTS: Final = KernelLibrary("events", {"meet_events": "detent.integrate.event_kernel"})
EXCURSIONS: Final = KernelLibrary(
    "excursions", dict.fromkeys(["settle_step", "resume_excursion"], "detent.integrate.excursion_kernel")
)
MASS_SOLVE: Final = KernelLibrary("mass matrices", {"mass_solve": "detent.integrate.mass_solve_kernel"})
CONSTRAINT_SOLVE: Final = KernelLibrary(
    "constraints",
    {
        **dict.fromkeys(["constrained_rates", "constrained_state"], "detent.integrate.constraint_solve_kernel"),
        **dict.fromkeys(["is_other_choice", "choose_again"], "detent.integrate.choice_kernel"),
        "choose_pivots": "detent.integrate.partition_kernel",
        "cross": "detent.integrate.crossing_kernel",
    },
)
IMPACT: Final = KernelLibrary("impacts", {"strike": "detent.integrate.impact_kernel"})

LIBRARIES: Final = (KERNELS, STEPPER, RELAY, EVENTS, EXCURSIONS, MASS_SOLVE, CONSTRAINT_SOLVE, IMPACT)
"""All kernel libraries, for what is done to every one of them."""
