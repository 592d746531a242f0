"""Steps across a change point: what a correction says about such places, and what the one finds that takes the step.

To the stepper a change point is a place that it cannot pass by steps of its method. The correction of a mode says how
near the state is, and gives a cell that takes a step across.
"""

from __future__ import annotations

from typing import Final

NO_CROSSING: Final = 4
"""Reason: no change point lies within the step, or the motion cannot be followed across it."""
CHANGE_POINT: Final = 5
"""Reason: the motion stays where the rows have lost their rank."""

# Words after the one by which a program asks for something: what the correction says about the place it was called for.
CROSSED_BY: Final = 1
"""The address of a cell that takes a step across a change point, and of the correction that it belongs to."""
PLACE: Final = 2
IS_FAR: Final = 0
IS_NEAR: Final = 1
IS_AT: Final = 2

# Words of the block.
SIZE: Final = 0
"""The address of the size of the step and of what is found out about it (:data:`AHEAD` and so on)."""
TABLES: Final = 1
"""For each number of nodes from FEWEST to MOST: the nodes, the integrals to each node, the weights of the whole, and
the values of the nodes' polynomial at the stages of the method."""
SPACE: Final = 2
"""Working memory: rates and states at the nodes, a state."""
ROWS: Final = 3
"""Stages of the method, that at the end and those of dense output included."""
WIDTH: Final = 4
"""The padded width of the state, then the rates of the stages and the state at the end."""
RATES: Final = 5
TRIAL: Final = 6
WORDS: Final = 7

AHEAD: Final = 1
"""The time until the change point."""
ROUNDING: Final = 2
"""What rounding leaves in the states on the way."""
DISTANCE: Final = 3
"""How far the start is from losing rank, without its sign."""

FEWEST: Final = 7
MOST: Final = 9
"""Nodes: of these numbers the one is taken whose nodes are farthest from the change point."""
