"""The chain in MuJoCo: composite-inertia mass matrix, sparse L^T D L factorisation, bias by recursive Newton-Euler."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from types import ModuleType
from typing import Any, ClassVar, Self, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..timing import Batch, interleaved
from . import GRAVITY, INERTIA, LENGTH, MASS, checked_links, checked_state, peer_module

STEPS = 200
"""Steps per call. The call and the reset before it then cost below 1 % of the shortest chain's steps."""

TIMESTEP = 1e-6
"""Seconds per step: so short that a chain at moderate speed has hardly moved when the next call resets it."""

ALONG_ROD = 1e-9
"""Moment of inertia about the rod's own axis, kg m^2. MuJoCo refuses zero; motion about z never meets this value."""

UNUSED_STAGES = (
    "CONSTRAINT",
    "CONTACT",
    "SPRING",
    "DAMPER",
    "ACTUATION",
    "SENSOR",
    "WARMSTART",
    "EULERDAMP",
    "AUTORESET",
)
"""Stages of a step with nothing to do on this chain. Off, they change no bit of the result and save MuJoCo time."""


@final
@dataclass(frozen=True)
class MujocoChain:
    """The chain as a MuJoCo model of nested bodies with one hinge each, and no geometry.

    Two ways are offered. ``mj_step`` runs many steps of the default (semi-implicit Euler) integrator in one call:
    each step is one forward dynamics plus the update of the state, which is a few operations per joint.
    ``mj_forward`` has no update but costs one Python call per evaluation.

    >>> chain = MujocoChain.build(links=1)
    >>> chain.accelerations([np.pi / 2], [0.0])  # a level rod starts to fall with (3/2) g / length
    array([-14.715])
    """

    name: ClassVar[str] = "MuJoCo"
    version: str
    links: int
    _engine: ModuleType
    _model: Any

    @classmethod
    def build(cls, links: int) -> Self:
        """The chain of that many rods; :class:`PeerMissing` without the package ``mujoco``.

        >>> MujocoChain.build(links=2).links
        2
        """
        engine = peer_module("mujoco", package="mujoco")
        model = _model_of_chain(engine, checked_links(links))
        return cls(engine.__version__, links, engine, model)

    def accelerations(self, q: ArrayLike, qdot: ArrayLike) -> NDArray[np.float64]:
        """Joint accelerations (rad/s^2) at angles ``q`` (rad) and rates ``qdot`` (rad/s).

        >>> MujocoChain.build(links=2).accelerations([0.0, 0.0], [0.0, 0.0])
        array([0., 0.])
        """
        data = self._data_at(*checked_state(q, qdot, self.links))
        self._engine.mj_forward(self._model, data)
        return np.array(data.qacc, dtype=np.float64)

    def ways(self, q: ArrayLike, qdot: ArrayLike) -> dict[str, Batch]:
        """``mj_step`` many times in one call from the state (``q``, ``qdot``), and ``mj_forward`` once per call.

        >>> list(MujocoChain.build(links=2).ways([0.1, 0.2], [0.0, 0.0]))
        ['mj_step', 'mj_forward']
        """
        angles, rates = checked_state(q, qdot, self.links)
        model, data, mj_step = self._model, self._data_at(angles, rates), self._engine.mj_step
        qpos, qvel = data.qpos, data.qvel

        def steps_from_state() -> None:
            qpos[:] = angles
            qvel[:] = rates
            mj_step(model, data, STEPS)

        forward = partial(self._engine.mj_forward, model, self._data_at(angles, rates))
        return {"mj_step": Batch(steps_from_state, STEPS), "mj_forward": Batch(forward, 1)}

    def time_per_evaluation(self, q: ArrayLike, qdot: ArrayLike, budget_s: float) -> float:
        """Seconds per evaluation by the faster of the two ways; nothing is subtracted.

        >>> 0.0 < MujocoChain.build(links=2).time_per_evaluation([0.1, 0.2], [0.0, 0.0], budget_s=0.02) < 1e-3
        True
        """
        return min(interleaved(self.ways(q, qdot), budget_s).values())

    def _data_at(self, angles: NDArray[np.float64], rates: NDArray[np.float64]) -> Any:
        data = self._engine.MjData(self._model)
        data.qpos[:] = angles
        data.qvel[:] = rates
        return data


def _model_of_chain(engine: ModuleType, links: int) -> Any:
    spec = engine.MjSpec()
    spec.option.gravity = [0.0, -GRAVITY, 0.0]
    spec.option.timestep = TIMESTEP
    for stage in UNUSED_STAGES:
        spec.option.disableflags |= int(getattr(engine.mjtDisableBit, f"mjDSBL_{stage}"))
    parent, joint_at = spec.worldbody, 0.0
    for _ in range(links):
        rod = parent.add_body(pos=[0.0, joint_at, 0.0])
        rod.add_joint(type=engine.mjtJoint.mjJNT_HINGE, axis=[0.0, 0.0, 1.0])
        rod.explicitinertial = True
        rod.mass = MASS
        rod.ipos = [0.0, -LENGTH / 2.0, 0.0]
        rod.inertia = [INERTIA, ALONG_ROD, INERTIA]
        parent, joint_at = rod, -LENGTH
    return spec.compile()
