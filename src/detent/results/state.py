"""The state of a system at one time or at several."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np

from detent.jit.arrays import FloatArray
from detent.results.arrays import read_only
from detent.results.by_name import ByName, name_of
from detent.results.layout import StateLayout


@final
@dataclass(frozen=True, eq=False, repr=False)
class State(ByName):
    """Coordinates, speeds, signals and work by name, at one time (floats) or at many (arrays).

    >>> state = State(StateLayout(("q1",), ("u1",)), 2.0, [0.5, -1.0, 0.0])
    >>> state.q1, state["u1"], state.time
    (0.5, -1.0, 2.0)
    >>> state
    State(time=2, q1=0.5, u1=-1, work=0)
    """

    layout: StateLayout
    time: Any
    values: FloatArray

    def __post_init__(self) -> None:
        shape = np.shape(self.time)
        time = read_only(self.time, shape, "the time") if shape else float(self.time)
        object.__setattr__(self, "time", time)
        object.__setattr__(self, "values", read_only(self.values, (*shape, self.layout.width), "the state"))

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all quantities, in the order of the state."""
        return self.layout.names

    def __getitem__(self, key: Any) -> Any:
        column = self.values[..., self.layout.column(name_of(key))]
        return float(column) if column.ndim == 0 else column

    def as_dict(self) -> dict[str, Any]:
        """Coordinates, speeds and signals by name: what a start takes. The work done so far is not part of it.

        >>> State(StateLayout(("q1",), ("u1",)), 2.0, [0.5, -1.0, 0.0]).as_dict()
        {'q1': 0.5, 'u1': -1.0}
        """
        return {name: self[name] for name in self.names[:-1]}

    def __repr__(self) -> str:
        if np.ndim(self.time):
            return f"State({np.size(self.time)} times, {', '.join(self.names)})"
        values = ", ".join(f"{name}={self[name]:.9g}" for name in self.names)
        return f"State(time={self.time:.9g}, {values})"
