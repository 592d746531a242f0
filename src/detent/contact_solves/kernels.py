"""The kernels of this layer."""

from __future__ import annotations

from typing import Final

from detent.jit.kernel_library import KernelLibrary

SINGLE_IMPACT_KERNELS: Final = KernelLibrary("single impacts", {"strike_single": "detent.contact_solves.impact_kernel"})
CONES: Final = KernelLibrary(
    "cone problems",
    {
        "solve_cone_problem": "detent.contact_solves.cone_kernel",
        "strike_at_once": "detent.contact_solves.several_impacts_kernel",
    },
)
SETTLING: Final = KernelLibrary(
    "contacts",
    {
        "settle": "detent.contact_solves.settle_kernel",
        **dict.fromkeys(["shared_rates", "shared_slack", "shared_forces"], "detent.contact_solves.share_kernel"),
    },
)
CONTACT_STEPS: Final = KernelLibrary(
    "contacts without events",
    dict.fromkeys(["step_contacts", "stepped_rates", "stepped_forces"], "detent.contact_solves.step_kernel"),
)
FRICTION_IMPACT: Final = KernelLibrary(
    "impacts with friction", {"strike_with_friction": "detent.contact_solves.friction_impact_kernel"}
)
