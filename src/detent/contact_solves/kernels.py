"""The kernels of this layer."""

from __future__ import annotations

from typing import Final

from detent.jit.kernel_library import KernelLibrary

SINGLE_IMPACT: Final = KernelLibrary("single impacts", {"strike_single": "detent.contact_solves.impact_kernel"})
CONES: Final = KernelLibrary("cone problems", {"solve_cone_problem": "detent.contact_solves.cone_kernel"})
