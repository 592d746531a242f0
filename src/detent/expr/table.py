"""A tabulated function: a cubic spline through measured or drawn points."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from detent.errors import ExpressionError
from detent.expr.table_value import table_value

if TYPE_CHECKING:
    import numpy as np

Beyond: TypeAlias = Literal["linear", "hold", "periodic"]

BEYOND_CODES: Final[dict[str, int]] = {"linear": 0, "hold": 1, "periodic": 2}
KNOTS_AT: Final = 2
"""Offset of the knots in :attr:`Table.data`; before them stand the interval count and the code of ``beyond``."""


class Table:
    """A function given by points, made smooth by a cubic spline (twice continuously differentiable).

    ``beyond`` says what happens outside the points: ``"linear"`` goes on along the end tangent,
    ``"hold"`` keeps the end value, ``"periodic"`` repeats (first and last value must agree; a cam).
    Use it in a model through :func:`detent.tabulated`.

    >>> profile = Table("profile", [0, 1, 2, 3], [0, 1, 4, 9])
    >>> round(profile(1.5), 12), round(profile(1.5, order=1), 12), round(profile(4.0), 12)
    (2.25, 3.0, 15.0)
    """

    names: Final[tuple[str, ...]] = ()
    """Of run-time values that it depends on."""

    def __init__(self, name: str, at: Sequence[float], values: Sequence[float], beyond: Beyond = "linear") -> None:
        self.name = name
        self.beyond = beyond
        self.data = spline_numbers(name, at, values, beyond)
        """Interval count, code of ``beyond``, knots, then four coefficients (cubic first) per interval."""
        self.data.setflags(write=False)
        import hashlib  # slow to import

        self.key = hashlib.sha256(self.data.tobytes()).hexdigest()

    def __call__(self, x: float, order: int = 0) -> float:
        """The value at x, or the derivative of the given order."""
        return float(table_value(self.data, float(x), order))

    def value(self, arguments: Sequence[float], order: int) -> float:
        """The same of the only one of ``arguments``."""
        return self(arguments[0], order)

    def __repr__(self) -> str:
        return f"Table({self.name!r}, {int(self.data[0]) + 1} points, beyond={self.beyond!r})"


def spline_numbers(name: str, at: Sequence[float], values: Sequence[float], beyond: Beyond) -> np.ndarray:
    """The numbers by which :func:`detent.expr.table_value.table_value` knows a spline: :attr:`Table.data`."""
    import numpy as np  # both are slow to import and needed only by models with tables
    from scipy.interpolate import CubicSpline

    knots, heights = np.asarray(at, float), np.asarray(values, float)
    _check(name, knots, heights, beyond)
    spline = CubicSpline(knots, heights, bc_type="periodic" if beyond == "periodic" else "not-a-knot")
    head = np.array([float(len(knots) - 1), float(BEYOND_CODES[beyond])])
    return np.concatenate([head, knots, np.ascontiguousarray(spline.c.T).ravel()])


def _check(name: str, knots: np.ndarray, heights: np.ndarray, beyond: str) -> None:
    import numpy as np

    if beyond not in BEYOND_CODES:
        raise ExpressionError(f"table '{name}': beyond is {beyond!r}; use one of {', '.join(BEYOND_CODES)}")
    if knots.ndim != 1 or knots.shape != heights.shape or len(knots) < 4:
        raise ExpressionError(
            f"table '{name}': found {knots.size} positions and {heights.size} values; "
            "give the same number of each, at least four"
        )
    if not (np.isfinite(knots).all() and np.isfinite(heights).all()):
        raise ExpressionError(f"table '{name}': a position or value is not finite; remove or mend that point")
    if not (np.diff(knots) > 0).all():
        raise ExpressionError(f"table '{name}': the positions do not increase; sort the points and remove doubles")
    if beyond == "periodic" and heights[0] != heights[-1]:
        raise ExpressionError(
            f"table '{name}' is periodic, but its first value {heights[0]!r} differs from its last {heights[-1]!r}; "
            "close the curve"
        )
