"""A moment of a run, as a reset written in Python sees it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol

import numpy as np

from detent.errors import UnknownNameError


class Mechanics(Protocol):
    """What a moment asks the system for: the mass matrix, and rows of constraints."""

    def mass(self) -> np.ndarray: ...
    def rows(self, names: Sequence[str]) -> tuple[np.ndarray, np.ndarray]: ...


class Moment(Mapping[str, float]):
    """The state just before a transition, by name, and what an impulse would do there.

    ``moment["q1"]`` is a coordinate, speed, signal, parameter, input or discrete state; ``moment.time`` the time in s.
    A reset function returns a mapping from names to the values after.

    >>> import detent
    >>> system = detent.System("ball")
    >>> height = system.coordinates(height=1)
    >>> ball = system.particle("ball", system.origin.offset("ball", height*system.ground.y), mass=2)
    >>> system.gravity(-9.81*system.ground.y)
    >>> floor = system.constrain(detent.holonomic("floor", height), active=False)
    >>> automaton = detent.Automaton(system)
    >>> flight = automaton.mode("flight")
    >>> def bounce(moment):
    ...     return moment.after({"floor": -1.5*moment.velocity("floor")/moment.response(["floor"])[0, 0]})
    >>> strike = automaton.transition("strike", flight, flight, when=height <= 0, reset=bounce, kind="impact")
    >>> run = detent.simulate(automaton, until=0.5)
    >>> round(run.events[0].time, 6), round(float(run.height_rate[-1] + 9.81*(0.5 - run.events[0].time)), 6)
    (0.451524, 2.214723)
    """

    def __init__(self, time: float, values: Mapping[str, float], speeds: Sequence[str], mechanics: Mechanics) -> None:
        self.time = time
        self._values, self._speeds, self._mechanics = dict(values), list(speeds), mechanics

    def __getitem__(self, name: str) -> float:
        key = str(name)
        if key not in self._values:
            raise UnknownNameError(key, self._values)
        return self._values[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def velocity(self, row: str) -> float:
        """B u + C of a constraint's row: how fast it would be violated."""
        B, C = self._mechanics.rows([row])
        return float((B @ self._u() + C)[0])

    def response(self, rows: Sequence[str]) -> np.ndarray:
        """B M^-1 B^T: how the velocities of some rows change per unit of impulse along each of them."""
        B, _ = self._mechanics.rows(rows)
        result: np.ndarray = B @ np.linalg.solve(self._mechanics.mass(), B.T)
        return result

    def after(self, impulses: Mapping[str, float]) -> dict[str, float]:
        """The speeds after impulses (N s or N m s) along rows of constraints: M (u+ - u-) = B^T P."""
        B, _ = self._mechanics.rows(list(impulses))
        u = self._u() + np.linalg.solve(self._mechanics.mass(), B.T @ np.array(list(impulses.values())))
        return dict(zip(self._speeds, u.tolist(), strict=True))

    def _u(self) -> np.ndarray:
        return np.array([self._values[name] for name in self._speeds])
