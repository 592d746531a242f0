"""The chain in SymPy: KanesMethod, lambdify with common subexpressions removed, and a dense solve in NumPy."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar, Self, final

import numpy as np
import sympy
from numpy.typing import ArrayLike, NDArray
from sympy.physics import mechanics

from ..timing import Batch, interleaved
from . import GRAVITY, LENGTH, MASS, checked_links, checked_state


@final
@dataclass(frozen=True)
class SympyChain:
    """The chain by Kane's method in SymPy; ``derivation_s`` is the time (s) from nothing to a function to call.

    The generated function is scalar code on the standard library's ``math``, called with plain floats: for a few
    links that takes 0.4 to 0.7 of the time of the array code that lambdify writes for NumPy.

    >>> chain = SympyChain.build(links=1)
    >>> chain.accelerations([np.pi / 2], [0.0])  # a level rod starts to fall with (3/2) g / length
    array([-14.715])
    >>> chain.derivation_s > 0.0
    True
    """

    name: ClassVar[str] = "SymPy"
    version: str
    links: int
    derivation_s: float
    _mass_and_forcing: Callable[[Sequence[float], Sequence[float]], list[float]]

    @classmethod
    def build(cls, links: int) -> Self:
        """The chain of that many rods, derived now: seconds for 7 links, and steeply more for longer chains.

        >>> SympyChain.build(links=2).links
        2
        """
        start = time.perf_counter()
        mass_and_forcing = _derive(checked_links(links))
        return cls(sympy.__version__, links, time.perf_counter() - start, mass_and_forcing)

    def accelerations(self, q: ArrayLike, qdot: ArrayLike) -> NDArray[np.float64]:
        """Joint accelerations (rad/s^2) at angles ``q`` (rad) and rates ``qdot`` (rad/s).

        >>> bool(np.allclose(SympyChain.build(links=2).accelerations([0.0, 0.0], [0.0, 0.0]), 0.0))
        True
        """
        return self._solve(*checked_state(q, qdot, self.links))

    def ways(self, q: ArrayLike, qdot: ArrayLike) -> dict[str, Batch]:
        """The generated function and ``numpy.linalg.solve``, once per call.

        >>> list(SympyChain.build(links=1).ways([0.1], [0.0]))
        ['lambdify and solve']
        """
        return {"lambdify and solve": Batch(partial(self._solve, *checked_state(q, qdot, self.links)), 1)}

    def time_per_evaluation(self, q: ArrayLike, qdot: ArrayLike, budget_s: float) -> float:
        """Seconds per evaluation, from arrays of angles and rates to an array of accelerations.

        >>> 0.0 < SympyChain.build(links=1).time_per_evaluation([0.1], [0.0], budget_s=0.02) < 1e-3
        True
        """
        return min(interleaved(self.ways(q, qdot), budget_s).values())

    def _solve(self, angles: NDArray[np.float64], rates: NDArray[np.float64]) -> NDArray[np.float64]:
        # Scalar code is much faster on Python floats than on NumPy's scalars, hence the two lists.
        values = np.array(self._mass_and_forcing(angles.tolist(), rates.tolist()))
        size = self.links * self.links
        return np.linalg.solve(values[:size].reshape(self.links, self.links), values[size:])


def _derive(links: int) -> Callable[[Sequence[float], Sequence[float]], list[float]]:
    """M(q), row after row, and then f(q, q') of the chain, as one generated function."""
    q = mechanics.dynamicsymbols(f"q:{links}")
    u = mechanics.dynamicsymbols(f"u:{links}")
    ground = mechanics.ReferenceFrame("ground")
    bodies, loads = _rods(ground, q, u)
    rates = [angle.diff() - speed for angle, speed in zip(q, u, strict=True)]
    kane = mechanics.KanesMethod(ground, q, u, rates)
    kane.kanes_equations(bodies, loads)
    function: Callable[[Sequence[float], Sequence[float]], list[float]] = sympy.lambdify(
        [q, u], [*kane.mass_matrix, *kane.forcing], modules="math", cse=True
    )
    return function


def _rods(
    ground: mechanics.ReferenceFrame, q: Sequence[sympy.Expr], u: Sequence[sympy.Expr]
) -> tuple[list[mechanics.RigidBody], list[tuple[mechanics.Point, mechanics.Vector]]]:
    """The rods and the weights of the chain, each rod's frame turned from the ground by the sum of its angles.

    Turning each frame from the one before gives equal equations but takes SymPy longer to derive.
    """
    joint = mechanics.Point("joint 0")
    joint.set_vel(ground, 0)
    length, mass = sympy.nsimplify(LENGTH), sympy.nsimplify(MASS)
    bodies, loads = [], []
    for number in range(1, len(q) + 1):
        frame = ground.orientnew(f"rod {number}", "Axis", [sum(q[:number]), ground.z])
        frame.set_ang_vel(ground, sum(u[:number]) * ground.z)
        centre = joint.locatenew(f"centre {number}", -length / 2 * frame.y)
        centre.v2pt_theory(joint, ground, frame)
        inertia = mechanics.inertia(frame, 0, 0, mass * length**2 / 12)
        bodies.append(mechanics.RigidBody(f"rod {number}", centre, frame, mass, (inertia, centre)))
        loads.append((centre, -mass * GRAVITY * ground.y))
        tip = joint.locatenew(f"joint {number}", -length * frame.y)
        tip.v2pt_theory(joint, ground, frame)
        joint = tip
    return bodies, loads
