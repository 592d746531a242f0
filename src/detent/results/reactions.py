"""The reactions of constraints that come and go, each kept where its constraint was active."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from detent.jit.arrays import FloatArray


@final
class Reactions(Mapping[str, FloatArray]):
    """One array by name, over all nodes of a run, NaN where the constraint was not active; made when it is asked for.

    ``pieces`` are (names, nodes, values) with a row of values for each of the nodes: a run in which thousands of
    constraints come and go keeps each one only where it was.

    >>> reactions = Reactions(3, [(("floor",), slice(1, 3), np.array([[2.0], [4.0]]))])
    >>> reactions["floor"].tolist()
    [nan, 2.0, 4.0]
    """

    def __init__(
        self, nodes: int, pieces: Sequence[tuple[tuple[str, ...], slice | NDArray[Any], FloatArray]] = ()
    ) -> None:
        self._nodes = nodes
        self._pieces: dict[str, list[tuple[slice | NDArray[Any], FloatArray]]] = {}
        for names, places, values in pieces:
            for column, name in enumerate(names):
                self._pieces.setdefault(name, []).append((places, values[:, column]))
        self._made: dict[str, FloatArray] = {}

    def __getitem__(self, name: str) -> FloatArray:
        if name not in self._made:
            made = np.full(self._nodes, np.nan)
            for places, values in self._pieces[name]:
                made[places] = values
            made.flags.writeable = False
            self._made[name] = made
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._pieces)

    def __len__(self) -> int:
        return len(self._pieces)

    def __contains__(self, name: object) -> bool:
        return name in self._pieces
