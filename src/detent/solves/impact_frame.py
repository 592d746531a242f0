"""Where the impact kernel finds what it needs: the words of its context."""

from __future__ import annotations

from typing import Final

UNSOLVED: Final = 0
"""The cell that gives q', f, s', power, its factors of u', and M (:class:`detent.solves.mass_solve.MassSolve`)."""
CONSTRAINTS: Final = 1
"""The cell that gives B row by row, C, and more that is not needed here."""
RESTITUTION: Final = 2
"""The cell that gives the restitution of each row; 0 where all of it is plastic."""
COORDINATES: Final = 3
SPEEDS: Final = 4
SIGNALS: Final = 5
ROWS: Final = 6
GIVEN: Final = 7
"""Where M and f are put, then the constraints, the restitutions, the equations, their right-hand side, the pivots,
by how much each equation and unknown is scaled, and the ways in which rows may exchange impulses."""
ROWS_GIVEN: Final = 8
RESTITUTIONS: Final = 9
MATRIX: Final = 10
RIGHT: Final = 11
CHOSEN: Final = 12
SCALES: Final = 13
EXCHANGES: Final = 14
IMPULSES: Final = 15
"""Where the impulses are left."""
CONTRADICTION: Final = 31
"""The status of an impact against rows that contradict one another."""
NO_RESTITUTION: Final = 32
"""The status of an impact with a restitution that is not between 0 and 1."""
GAIN: Final = 33
"""The status of an impact that would gain energy, though nothing it strikes moves."""
