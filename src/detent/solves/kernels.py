"""The kernels of this layer. Each library holds what a run needs together."""

from __future__ import annotations

from typing import Final

from detent.jit.kernel_library import KernelLibrary

MASS_SOLVE: Final = KernelLibrary("mass matrices", {"mass_solve": "detent.solves.mass_solve_kernel"})
CONSTRAINT_SOLVE: Final = KernelLibrary(
    "constraints",
    {
        **dict.fromkeys(["constrained_rates", "constrained_state"], "detent.solves.constraint_solve_kernel"),
        **dict.fromkeys(["is_other_choice", "choose_again"], "detent.solves.choice_kernel"),
        **dict.fromkeys(
            ["adopt_choice", "adopt_again", "chosen_reactions", "told_reactions"], "detent.solves.choice_kernel"
        ),
        **dict.fromkeys(
            ["gather_rows", "choose_gathered", "keep_others", "gathered_rates", "gathered_reactions"],
            "detent.solves.gathered_kernel",
        ),
        "choose_pivots": "detent.solves.partition_kernel",
        "cross_change_point": "detent.solves.crossing_kernel",
    },
)
FOLLOWING: Final = KernelLibrary(
    "nearest points",
    {
        **dict.fromkeys(
            ["follow", "look_for_nearer", "find_nearest", "followed_state", "keep_followed"],
            "detent.solves.following_kernel",
        ),
        "slacken": "detent.solves.slack_kernel",
        "draw_curve": "detent.solves.drawing_kernel",
        "walk_boxes": "detent.solves.box_walk_kernel",
        **dict.fromkeys(
            ["tabulate_portions", "measure_portions", "join_portions"], "detent.solves.portions_table_kernel"
        ),
    },
)
FULL_SOLVE: Final = KernelLibrary(
    "constraints with all speeds", dict.fromkeys(["full_rates", "full_state"], "detent.solves.full_solve_kernel")
)
IMPACT: Final = KernelLibrary("impacts", {"strike": "detent.solves.impact_kernel"})
