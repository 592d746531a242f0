"""The kernels of this layer: what is called at every step, what only where something happens, and what both need."""

from __future__ import annotations

from typing import Final

from detent.jit.kernel_library import KernelLibrary

TAPE_BOUNDS: Final = KernelLibrary(
    "bounds",
    {"walk_watch": "detent.events.enclosure_kernel", "walk_anchored": "detent.events.anchored_bounds_kernel"},
)
EVENTS: Final = KernelLibrary("events", {"meet_events": "detent.events.event_kernel"})
EXCURSIONS: Final = KernelLibrary(
    "excursions",
    dict.fromkeys(
        ["settle_step", "resume_excursion", "observe_inside", "settle_taken"], "detent.events.excursion_kernel"
    ),
)
