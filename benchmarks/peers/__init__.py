"""The engines that detent is measured against: most on the same chain, others on a walker, a ball and a cube.

The chain: ``links`` uniform rods in the x-y plane, joined end to end by frictionless revolute joints about z, the
first to a fixed point. Gravity acts along -y. The coordinates q are the relative joint angles (rad), all zero when
the chain hangs straight down; the speeds are their rates (rad/s). Forward dynamics is M(q) q'' = f(q, q'), solved.

One module per peer, each with one class that keeps the interface :class:`Peer`.
"""

from __future__ import annotations

import importlib
from types import ModuleType
from typing import ClassVar, Protocol, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..timing import Batch

LENGTH = 1.0
"""Length of a rod, m."""

MASS = 1.0
"""Mass of a rod, kg."""

INERTIA = MASS * LENGTH**2 / 12.0
"""Moment of inertia of a uniform thin rod about an axis across it through its centre, kg m^2."""

GRAVITY = 9.81
"""Gravitational acceleration, m/s^2, along -y."""


class Peer(Protocol):
    """The chain in another engine: its accelerations, to check, and its time per evaluation, to compare.

    >>> from benchmarks.peers.sympy_chain import SympyChain
    >>> peer: Peer = SympyChain.build(links=2)
    >>> peer.name
    'SymPy'
    """

    name: ClassVar[str]

    @property
    def version(self) -> str:
        """Version of the engine, as it gives it."""
        ...

    @property
    def links(self) -> int:
        """Number of rods."""
        ...

    @classmethod
    def build(cls, links: int) -> Self:
        """The chain of that many rods; :class:`PeerMissing` if the engine is not installed."""
        ...

    def accelerations(self, q: ArrayLike, qdot: ArrayLike) -> NDArray[np.float64]:
        """Joint accelerations q'' (rad/s^2) at joint angles ``q`` (rad) and rates ``qdot`` (rad/s)."""
        ...

    def ways(self, q: ArrayLike, qdot: ArrayLike) -> dict[str, Batch]:
        """Each way of calling the engine that may be its fastest, ready for :func:`~benchmarks.timing.interleaved`."""
        ...

    def time_per_evaluation(self, q: ArrayLike, qdot: ArrayLike, budget_s: float) -> float:
        """Seconds per evaluation of forward dynamics, solve included, by the fastest of :meth:`ways`."""
        ...


class PeerMissing(ImportError):
    """A peer's package is not installed, so there is nothing to compare with.

    >>> print(PeerMissing("mujoco"))
    the package 'mujoco' is not installed; run "pip install 'detent[bench]'", or leave this peer out.
    >>> print(PeerMissing("siconos", install="Debian's package python3-siconos"))
    the package 'siconos' is not installed; install Debian's package python3-siconos, or leave this peer out.
    """

    def __init__(self, package: str, install: str = "pip install 'detent[bench]'") -> None:
        self.package = package
        self.install = install
        """What installs it, as a command or in words."""
        what = f'run "{install}"' if install.startswith("pip") else f"install {install}"
        super().__init__(f"the package '{package}' is not installed; {what}, or leave this peer out.")


def peer_module(module: str, package: str) -> ModuleType:
    """Imports the ``module`` that ``package`` installs, or says which package is missing.

    The import waits until a peer is built, so that a peer which is not installed costs only itself.

    >>> peer_module("math", package="python").sqrt(4.0)
    2.0
    """
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        # An engine that is there but lacks something of its own is broken, not missing: its own error says more.
        if error.name != module:
            raise
        raise PeerMissing(package) from error


def checked_links(links: int) -> int:
    """The number of rods, if a chain can have it.

    >>> checked_links(7)
    7
    >>> checked_links(0)
    Traceback (most recent call last):
    ValueError: a chain of 0 links was found, at least 1 was expected; give the number of rods
    """
    if links < 1:
        raise ValueError(f"a chain of {links} links was found, at least 1 was expected; give the number of rods")
    return links


def checked_state(q: ArrayLike, qdot: ArrayLike, links: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Own copies of angles (rad) and rates (rad/s), if there is one of each per joint.

    >>> checked_state([0, 1], [0.5, 0.0], links=2)
    (array([0., 1.]), array([0.5, 0. ]))
    >>> checked_state([0, 1], [0.5], links=2)
    Traceback (most recent call last):
    ValueError: qdot of shape (1,) was found, (2,) was expected; give one value per joint
    """
    angles, rates = np.array(q, dtype=np.float64), np.array(qdot, dtype=np.float64)
    for name, values in (("q", angles), ("qdot", rates)):
        if values.shape != (links,):
            raise ValueError(
                f"{name} of shape {values.shape} was found, ({links},) was expected; give one value per joint"
            )
    return angles, rates
