"""Hands: what takes hold of a body in a live run. Position in, force out."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Final, final

import numpy as np

from detent.errors import ValueProblem
from detent.jit.arrays import FloatArray

ARM_MASS: Final = 0.554
ARM_DAMPING: Final = 6.45
ARM_STIFFNESS: Final = 135.0
"""Of an arm that holds a device, kg, N s/m and N/m, as one trial of one participant gave them: F. E. van Beek, W. M.
Bergmann Tiest, W. Mugge and A. M. L. Kappers (2015), Haptic perception of force magnitude and its relation to postural
arm dynamics in 3D, Scientific Reports 5, 18004 (doi:10.1038/srep18004), caption of Figure 3."""


class Hand(ABC):
    """A haptic device, or something that stands for one.

    Give it to :class:`detent.Live` as one of its ``hands``. ``position`` is asked for before each step in which the
    hand is served, ``feel`` is told the force that the hand feels from then on. A device that displays this force says
    in ``damping`` what damping it has of its own (N s/m), and in ``delay`` how long it takes from the reading of a
    position to the display of its force, beyond one period (s): a coupler for which that is too little is refused.

    >>> class Still(Hand):
    ...     damping = 5.0
    ...     def position(self):
    ...         return 0.1, 0.0, 0.0
    ...     def feel(self, force):
    ...         self.felt = force
    >>> Still().position()
    (0.1, 0.0, 0.0)
    """

    damping: float = 0.0
    delay: float = 0.0

    @abstractmethod
    def position(self) -> Sequence[float]:
        """Where it is along the ground's axes (m)."""

    @abstractmethod
    def feel(self, force: FloatArray) -> None:
        """The force on the hand, along the same axes (N), held until it is told the next."""


@final
class SimulatedHand(Hand):
    """An arm that moves a device: mass, damper and spring to where it wants to be, along one axis.

        (m + m_device) x'' + (b + b_device) x' + k (x - wanted) = F

    F is what is displayed, held for a period. The motion within a period is exact. The arm's values are by default
    those of one trial of van Beek and others (2015): 0.554 kg, 6.45 N s/m, 135 N/m.

    >>> hand = SimulatedHand(period=1e-3, wanted=0.1)
    >>> for _ in range(2000):
    ...     hand.feel([0.0, 0.0, 0.0])
    >>> round(hand.position()[0], 6)
    0.1
    """

    def __init__(
        self, period: float, *, wanted: float = 0.0, at: Sequence[float] = (0.0, 0.0, 0.0), axis: int = 0,
        mass: float = ARM_MASS, arm_damping: float = ARM_DAMPING, stiffness: float = ARM_STIFFNESS,
        device_mass: float = 0.1, device_damping: float = 3.0, delay: float = 0.0,
    ) -> None:  # fmt: skip
        if not (period > 0.0 and mass + device_mass > 0.0 and arm_damping + device_damping > 0.0 and stiffness > 0.0):
            raise ValueProblem("a simulated hand needs a period, a mass, a damping and a stiffness greater than zero")
        self.wanted, self._axis, self._at = wanted, axis, list(map(float, at))
        self.damping, self.delay, self._device_mass = device_damping, delay, device_mass
        self._mass, self._loss, self._stiffness = mass + device_mass, arm_damping + device_damping, stiffness
        self.velocity = 0.0
        self.put_in = 0.0
        """The work that the arm has done on the device so far, J; below zero it has got out more than it put in."""
        self._motion = _exponential(self._mass, self._loss, stiffness, period)

    def position(self) -> Sequence[float]:
        return tuple(self._at)

    def feel(self, force: Sequence[float] | FloatArray) -> None:
        x, v, felt = self._at[self._axis], self.velocity, float(force[self._axis])
        rest = self.wanted + felt / self._stiffness
        moved = self._motion @ np.array([x - rest, v])
        after, speed = rest + float(moved[0]), float(moved[1])
        # What spring and mass give up beyond the displayed force's share is lost in the dampers: that is exact, for
        # force and rest stand still for the period.
        stored = self._mass * (speed**2 - v**2) / 2
        stored += self._stiffness * ((after - self.wanted) ** 2 - (x - self.wanted) ** 2) / 2
        squared = (felt * (after - x) - stored) / self._loss
        self.put_in += self._device_mass * (speed**2 - v**2) / 2 + self.damping * squared - felt * (after - x)
        self._at[self._axis], self.velocity = after, speed


def _exponential(mass: float, loss: float, stiffness: float, period: float) -> FloatArray:
    """exp(A T) of x'' = -(k x + b x')/m, by its closed form."""
    half, squared = loss / (2 * mass), stiffness / mass
    inside = half**2 - squared
    root = math.sqrt(abs(inside))
    if inside < 0.0:
        c, s = math.cos(root * period), math.sin(root * period) / root
    elif inside > 0.0:
        c, s = math.cosh(root * period), math.sinh(root * period) / root
    else:
        c, s = 1.0, period
    fades = math.exp(-half * period)
    return fades * np.array([[c + half * s, s], [-squared * s, c - half * s]])
