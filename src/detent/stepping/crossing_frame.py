"""Steps across a change point: what a correction says about such places, and what the one finds that takes the step.

To the stepper a change point is a place that it cannot pass by steps of its method. The correction of a mode says how
near the state is, and gives a cell that takes a step across.
"""

from __future__ import annotations

from typing import Final

import numpy as np

NO_CROSSING: Final = 4
"""Reason: no change point lies within the step, or the motion cannot be followed across it."""
CHANGE_POINT: Final = 5
"""Reason: the motion stays where the rows have lost their rank."""

ASKING: Final = np.dtype(
    [
        (name, np.int64)
        for name in (
            "asked",  # 1 where a program asks for something between two steps
            "crossed_by",  # the cell that takes a step across a change point, by address (CROSSED_BY)
            "place",  # of the state that the correction was last called for: IS_FAR, IS_NEAR or IS_AT
            "accepted",  # 1 where the state that the correction was last called for has become that of the run
        )
    ]
)
"""What programs ask the stepper for, and what the correction says about the place."""
ASKED: Final = len(ASKING.names or ())
"""So many words that is."""

CROSSED_BY: Final = np.dtype([("address", np.int64), ("context", np.int64), ("correction", np.int64)])
"""A cell that takes a step across a change point, and the correction that it belongs to."""

IS_FAR: Final = 0
IS_NEAR: Final = 1
IS_AT: Final = 2

CROSSING: Final = np.dtype(
    [
        (name, np.int64)
        for name in (
            "step",  # the address of what is asked for and found out (STEP)
            "tables",  # for each number of nodes from FEWEST to MOST: the nodes, the integrals to each node, the
            # weights of the whole, and the values of the nodes' polynomial at the stages of the method
            "space",  # working memory: rates and states at the nodes, a state
            "rows",  # stages of the method, that at the end and those of dense output included
            "width",  # the padded width of the state
            "rates", "trial",  # the rates of the stages and the state at the end
        )
    ]
)  # fmt: skip
"""What is handed to whoever takes a step across."""

STEP: Final = np.dtype(
    [
        (name, np.float64)
        for name in (
            "size",  # the size of the step; negative: only look whether there is a change point within so much time
            "ahead",  # the time until the change point
            "rounding",  # what rounding leaves in the states on the way
            "distance",  # how far the start is from losing rank, without its sign
        )
    ]
)

FEWEST: Final = 7
MOST: Final = 9
"""Nodes: of these numbers the one is taken whose nodes are farthest from the change point."""
