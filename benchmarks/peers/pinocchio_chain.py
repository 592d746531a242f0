"""The chain in Pinocchio: the articulated-body algorithm ``aba``, whose cost grows linearly with the links."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from types import ModuleType
from typing import Any, ClassVar, Self, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..timing import Batch, interleaved
from . import GRAVITY, INERTIA, LENGTH, MASS, checked_links, checked_state, peer_module

STATES = 200
"""States per batched call. The call then costs below 1 % of the shortest chain, and 50 links still fit the cache."""


@final
@dataclass(frozen=True)
class PinocchioChain:
    """The chain as a Pinocchio model of revolute joints about z with one rod each.

    Three ways are offered. ``aba, local`` and ``aba, world`` are ``pinocchio.aba`` called from Python once per
    evaluation, in its two conventions; each call spends some 0.4 to 0.5 microseconds on arguments and result.
    ``aba, batched`` is ``pinocchio.abaInParallel`` with one thread over many equal states, which loops in C++: the
    same ``aba``, world convention, bit for bit, without a Python call per evaluation. So the call's cost need not
    be estimated and subtracted, and both numbers are there to be seen. A Pinocchio that was built without OpenMP
    has no batched way.

    >>> chain = PinocchioChain.build(links=1)
    >>> chain.accelerations([np.pi / 2], [0.0])  # a level rod starts to fall with (3/2) g / length
    array([-14.715])
    """

    name: ClassVar[str] = "Pinocchio"
    version: str
    links: int
    _engine: ModuleType
    _model: Any

    @classmethod
    def build(cls, links: int) -> Self:
        """The chain of that many rods; :class:`PeerMissing` without the package ``pin``.

        (The package named ``pinocchio`` on the package index is something else.)

        >>> PinocchioChain.build(links=2).links
        2
        """
        engine = peer_module("pinocchio", package="pin")
        model = _model_of_chain(engine, checked_links(links))
        return cls(engine.__version__, links, engine, model)

    def accelerations(self, q: ArrayLike, qdot: ArrayLike) -> NDArray[np.float64]:
        """Joint accelerations (rad/s^2) at angles ``q`` (rad) and rates ``qdot`` (rad/s).

        >>> PinocchioChain.build(links=2).accelerations([0.0, 0.0], [0.0, 0.0])
        array([0., 0.])
        """
        angles, rates = checked_state(q, qdot, self.links)
        result = self._engine.aba(self._model, self._model.createData(), angles, rates, np.zeros(self.links))
        return np.array(result, dtype=np.float64)

    def ways(self, q: ArrayLike, qdot: ArrayLike) -> dict[str, Batch]:
        """``aba`` at the state (``q``, ``qdot``): called from Python in both conventions, and batched.

        >>> list(PinocchioChain.build(links=2).ways([0.1, 0.2], [0.0, 0.0]))[:2]
        ['aba, local', 'aba, world']
        """
        angles, rates = checked_state(q, qdot, self.links)
        call = partial(self._engine.aba, self._model, self._model.createData(), angles, rates, np.zeros(self.links))
        ways = {
            "aba, local": Batch(call, 1),
            "aba, world": Batch(partial(call, self._engine.Convention.WORLD), 1),
        }
        if hasattr(self._engine, "abaInParallel"):
            ways["aba, batched"] = self._batched(angles, rates)
        return ways

    def time_per_evaluation(self, q: ArrayLike, qdot: ArrayLike, budget_s: float) -> float:
        """Seconds per evaluation by the fastest of the three ways; nothing is subtracted.

        >>> 0.0 < PinocchioChain.build(links=2).time_per_evaluation([0.1, 0.2], [0.0, 0.0], budget_s=0.02) < 1e-3
        True
        """
        return min(interleaved(self.ways(q, qdot), budget_s).values())

    def _batched(self, angles: NDArray[np.float64], rates: NDArray[np.float64]) -> Batch:
        # One state per column, and Fortran order, is what Eigen reads without copying.
        columns = np.ones(STATES)
        states = [np.asfortranarray(np.outer(values, columns)) for values in (angles, rates, np.zeros(self.links))]
        result = np.zeros((self.links, STATES), order="F")
        pool = self._engine.ModelPool(self._model, 1)
        return Batch(partial(self._engine.abaInParallel, 1, pool, *states, result), STATES)


def _model_of_chain(engine: ModuleType, links: int) -> Any:
    model = engine.Model()
    model.gravity.linear = np.array([0.0, -GRAVITY, 0.0])
    rod = engine.Inertia(MASS, np.array([0.0, -LENGTH / 2.0, 0.0]), np.diag([INERTIA, 0.0, INERTIA]))
    parent, joint_at = 0, 0.0
    for number in range(links):
        place = engine.SE3(np.eye(3), np.array([0.0, joint_at, 0.0]))
        parent = model.addJoint(parent, engine.JointModelRZ(), place, f"joint {number}")
        model.appendBodyToJoint(parent, rod, engine.SE3.Identity())
        joint_at = -LENGTH
    return model
