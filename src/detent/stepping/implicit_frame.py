"""Implicit steps: what the kernel finds that takes them, and what it leaves there."""

from __future__ import annotations

from typing import Final

import numpy as np

NODES: Final = 7
"""Nodes of the collocation: its polynomial is then of the degree that ``dop853`` has between two nodes of a run."""

NOT_SOLVED: Final = 6
"""Reason: the equations of an implicit step could not be solved."""

IMPLICIT: Final = np.dtype(
    [
        *(
            (name, np.int64)
            for name in (
                "kernel",  # by address; 0 where no step is to be implicit
                "nodes", "integrals",  # c, and the integrals to each node
                "at_stages",  # the polynomials of the nodes at the stages of the method
                "slopes_at",  # at the nodes: rates that are sought
                "states_at", "rates_at",  # states there, and the rates of these
                "derivatives",  # of the fast entries' rates by these entries, node by node
                "matrix", "right",  # equations of one iteration
                "way",  # a direction among the fast entries, and what becomes of it
                "first", "count",  # the entries of the state that may be fast: only these are solved for
                "rows",  # stages of the method, that at the end and those of dense output included
                "width", "controlled",
                "rates", "trial", "absolute", "counters", "current",
            )
        ),
        *(
            (name, np.float64)
            for name in (
                "size",  # of the step
                "relative",  # the relative tolerance
                "longest",  # an explicit step times the rate of what dies away, beyond which it would grow
                "fastest",  # about the largest rate (1/s) at which something changes by itself, at the end of the step
                "solved_from", "solved_size",  # of the last step whose equations were solved
            )
        ),
    ]
)  # fmt: skip
"""What an implicit step reads and writes."""
