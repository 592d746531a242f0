"""The kernels of this layer. Each source is a library of its own: what a run does not need is not compiled."""

from __future__ import annotations

from typing import Final

from detent.jit.kernel_library import KernelLibrary

STEPPER: Final = KernelLibrary(
    "steppers",
    dict.fromkeys(["advance_fixed", "advance_adaptive", "evaluate_rate"], "detent.stepping.stepper_kernel"),
)
IMPLICIT_STEPS: Final = KernelLibrary("implicit steps", {"step_implicitly": "detent.stepping.implicit_kernel"})
HANDOVER: Final = KernelLibrary("live runs", {"advance_handing_over": "detent.stepping.handover_kernel"})
SERVO_KERNELS: Final = KernelLibrary(
    "servo", dict.fromkeys(["advance_paced", "simulated_clock"], "detent.stepping.servo_kernel")
)
"""Steps that come when the clock says so."""
