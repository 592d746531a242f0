"""The kernels of this layer. Each source is a library of its own: what a run does not need is not compiled."""

from __future__ import annotations

from typing import Final

from detent.jit.kernel_library import WRITTEN_WITH, KernelLibrary

STEPPER: Final = KernelLibrary(
    dict.fromkeys(["advance_fixed", "advance_adaptive", "evaluate_rate"], "detent.integrate.stepper_kernel"),
    reads=[
        "detent.integrate.frame", "detent.integrate.status", "detent.integrate.step_kernel",
        "detent.integrate.constraint_frame", "detent.integrate.crossing_frame", "detent.integrate.event_frame",
        *WRITTEN_WITH,
    ],
)  # fmt: skip
RELAY: Final = KernelLibrary(
    {"advance_relay": "detent.integrate.relay_kernel"},
    reads=["detent.integrate.frame", "detent.integrate.status", "detent.integrate.relay_frame", *WRITTEN_WITH],
)
EVENTS: Final = KernelLibrary(
    {
        "meet_events": "detent.integrate.event_kernel",
        **dict.fromkeys(["settle_step", "resume_excursion"], "detent.integrate.excursion_kernel"),
    },
    reads=[
        "detent.integrate.frame", "detent.integrate.status", "detent.integrate.step_kernel",
        "detent.integrate.constraint_frame", "detent.integrate.crossing_frame", "detent.integrate.event_frame",
        "detent.integrate.observation_kernel", "detent.integrate.entry_kernel", *WRITTEN_WITH,
    ],
)  # fmt: skip
MASS_SOLVE: Final = KernelLibrary({"mass_solve": "detent.integrate.mass_solve_kernel"}, reads=WRITTEN_WITH)
CONSTRAINT_SOLVE: Final = KernelLibrary(
    {
        **dict.fromkeys(["constrained_rates", "constrained_state"], "detent.integrate.constraint_solve_kernel"),
        **dict.fromkeys(["is_other_choice", "choose_again"], "detent.integrate.choice_kernel"),
        "choose_pivots": "detent.integrate.partition_kernel",
        "cross": "detent.integrate.crossing_kernel",
    },
    reads=[
        "detent.integrate.constraint_frame",
        "detent.integrate.crossing_frame",
        "detent.integrate.choice_frame",
        "detent.integrate.frame",
        *WRITTEN_WITH,
    ],
)
IMPACT: Final = KernelLibrary(
    {"strike": "detent.integrate.impact_kernel"}, reads=["detent.integrate.impact_frame", *WRITTEN_WITH]
)
