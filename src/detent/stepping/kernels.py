"""The kernels of this layer. Each source is a library of its own: what a run does not need is not compiled."""

from __future__ import annotations

from typing import Final

from detent.jit.kernel_library import KernelLibrary

_EVALUATE_RATE: Final = {"evaluate_rate": "detent.stepping.between_steps_kernel"}
FIXED_STEPS: Final = KernelLibrary("fixed steps", {"advance": "detent.stepping.fixed_kernel", **_EVALUATE_RATE})
CONTROLLED_STEPS: Final = KernelLibrary(
    "controlled steps", {"advance": "detent.stepping.controlled_kernel", **_EVALUATE_RATE}
)
IMPLICIT_STEPS: Final = KernelLibrary("implicit steps", {"step_implicitly": "detent.stepping.implicit_kernel"})
HANDOVER: Final = KernelLibrary("live runs", {"advance_handing_over": "detent.stepping.handover_kernel"})
SERVO_KERNELS: Final = KernelLibrary(
    "servo", dict.fromkeys(["advance_paced", "simulated_clock"], "detent.stepping.servo_kernel")
)
"""Steps that come when the clock says so."""


def steps_of(fixed: bool) -> KernelLibrary:
    """The kernels that take steps of fixed or of controlled size; both have the same names."""
    return FIXED_STEPS if fixed else CONTROLLED_STEPS
