"""The chain of :mod:`benchmarks.peers` in detent."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Final, Self, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from detent.formulation.compiled import CompiledSystem, compile_system
from detent.jit.program import Program
from detent.model.system import System

from .peers import GRAVITY, INERTIA, LENGTH, MASS, checked_links, checked_state
from .timing import Batch

ANGLES_PER_BATCH: Final = 4000
"""States per batched call times links: the call costs little even for a short chain, and all states fit the cache."""


def chain_system(links: int) -> System:
    """The model as a user writes it, with mass, length, inertia and gravity as parameters.

    >>> len(chain_system(3).bodies)
    3
    """
    system = System(f"chain of {checked_links(links)}")
    mass, length, inertia, g = system.parameters(mass=MASS, length=LENGTH, inertia=INERTIA, g=GRAVITY)
    joint, frame = system.origin, system.ground
    for number in range(1, links + 1):
        frame = system.revolute(f"q{number}", joint, frame).frame
        center = joint.offset(f"center{number}", -length / 2 * frame.y)
        system.body(f"rod{number}", center, frame, mass, inertia)
        joint = joint.offset(f"joint{number}", -length * frame.y)
    system.gravity(-g * system.ground.y)
    return system


def parameter_values(compiled: CompiledSystem) -> NDArray[np.float64]:
    """The values of the parameters in the order in which the programs read them.

    >>> parameter_values(compile_system(chain_system(2))).tolist()[0]
    1.0
    """
    return np.array([float(value) for value in compiled.equations.system.parameter_values.values()])


def random_states(links: int, count: int) -> NDArray[np.float64]:
    """States (angles, then rates) all over the circle and at moderate speed, the same ones in every run.

    >>> random_states(2, count=3).shape
    (3, 4)
    """
    random = np.random.default_rng(links)
    angles, rates = random.uniform(-np.pi, np.pi, (count, links)), random.uniform(-1.0, 1.0, (count, links))
    return np.hstack([angles, rates])


@final
@dataclass(frozen=True)
class DetentChain:
    """The accelerations of the chain as machine code.

    >>> chain = DetentChain.build(links=1)
    >>> chain.accelerations([np.pi / 2], [0.0]).round(9)  # a level rod starts to fall with (3/2) g / length
    array([-14.715])
    """

    links: int
    _program: Program
    _values: NDArray[np.float64]

    @classmethod
    def build(cls, links: int) -> Self:
        """The chain of that many rods, compiled.

        >>> DetentChain.build(links=2).links
        2
        """
        compiled = compile_system(chain_system(links))
        program = compiled.program(compiled.equations.accelerations)
        program.compile()
        return cls(links, program, parameter_values(compiled))

    def accelerations(self, q: ArrayLike, qdot: ArrayLike) -> NDArray[np.float64]:
        """Joint accelerations (rad/s^2) at angles ``q`` (rad) and rates ``qdot`` (rad/s).

        >>> np.abs(DetentChain.build(links=2).accelerations([0.0, 0.0], [0.0, 0.0]))
        array([0., 0.])
        """
        return self._program(0.0, np.concatenate(checked_state(q, qdot, self.links)), self._values)

    def batch(self) -> Batch:
        """All accelerations at many different states, in a compiled loop.

        >>> DetentChain.build(links=2).batch().evaluations
        2000
        """
        count = max(1, ANGLES_PER_BATCH // self.links)
        states = random_states(self.links, count)
        return Batch(partial(self._program.over, np.zeros(count), states, self._values), count)
