"""The kneed walker in plain NumPy with SciPy's ``solve_ivp`` and its events: what one writes without a tool like this.

The equations are worked out by hand for this one model: M and f in closed form on Python floats, the phase's
constraints B u' = gamma beside them, and one ``numpy.linalg.solve`` of

    [M  -B^T] [u'    ]   [f    ]
    [B    0 ] [lambda] = [gamma]

for each evaluation. At an event ``solve_ivp`` ends, the impact is worked out, and it is called again.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final, final

import numpy as np
import scipy
from numpy.typing import NDArray
from scipy.integrate import solve_ivp

FloatArray = NDArray[np.float64]

HIP, THIGH, SHANK = 56.0, 10.0, 5.0
"""Masses, kg."""

TO_THIGH, TO_SHANK, UPPER, LOWER = 0.2, 0.28, 0.5, 0.5
"""Hip to the thigh's mass, knee to the shank's mass, length of thigh and of shank, m."""

SLOPE, BEND, GRAVITY = 0.35, 0.063, 9.81
TOTAL: Final = HIP + 2 * (THIGH + SHANK)
FIRST, SECOND, BOTH = THIGH * TO_THIGH + SHANK * UPPER, SHANK * TO_SHANK, SHANK * UPPER * TO_SHANK
DOWNHILL, DOWN = GRAVITY * math.sin(SLOPE), -GRAVITY * math.cos(SLOPE)

LONGEST_PHASE: Final = 10.0
"""Seconds; a phase of a walker that goes on walking is over long before."""


@dataclass(frozen=True)
class Phase:
    """Which foot stands and which knees are straight; a leg is known by the place of its thigh's angle, 2 or 4."""

    stance: int
    straight: tuple[int, ...]


@final
@dataclass
class ScipyWalker:
    """A walk by ``solve_ivp``, phase by phase; ``heel_strikes`` holds their times (s).

    >>> walker = ScipyWalker(rtol=1e-10)
    >>> walker.walk(steps=1)
    >>> round(walker.heel_strikes[0], 9)
    0.610485351
    """

    name: ClassVar[str] = "SciPy"
    version: ClassVar[str] = scipy.__version__
    rtol: float
    method: str = "DOP853"
    longest_step: float = math.inf
    time: float = 0.0
    state: FloatArray = field(default_factory=lambda: on_the_limit_cycle())
    stance: int = 2
    heel_strikes: list[float] = field(default_factory=list)

    def walk(self, steps: int) -> None:
        """So many steps.

        >>> walker = ScipyWalker(rtol=1e-6, method="RK45")
        >>> walker.walk(steps=2)
        >>> walker.stance
        2
        """
        for _ in range(steps):
            self._step()

    def _step(self) -> None:
        stance, swing = self.stance, 6 - self.stance
        self._flow(Phase(stance, (stance,)), lambda t, z: z[swing] - z[swing + 1])
        self.state = impact(self.state, Phase(stance, (stance, swing)))
        bent = self.state[stance] - BEND
        self._flow(Phase(stance, (stance, swing)), lambda t, z: z[stance] - bent)
        self._flow(Phase(stance, (swing,)), lambda t, z: height(z, swing))
        self.state = impact(self.state, Phase(swing, (swing,)))
        self.stance = swing
        self.heel_strikes.append(self.time)

    def _flow(self, phase: Phase, guard: Callable[[float, FloatArray], float]) -> None:
        event: Any = guard
        event.terminal, event.direction = True, -1.0
        found = solve_ivp(
            rates_of(phase), (self.time, self.time + LONGEST_PHASE), self.state, self.method, events=event,
            rtol=self.rtol, atol=self.rtol / 100, max_step=self.longest_step,
        )  # fmt: skip
        if found.status != 1:
            raise ArithmeticError(
                f"no event was found within {LONGEST_PHASE:g} s of t = {self.time:.6g} s, one was expected; the walker "
                "has fallen"
            )
        self.time, self.state = float(found.t_events[0][0]), found.y_events[0][0]


def on_the_limit_cycle() -> FloatArray:
    """Hip, left thigh and shank, right thigh and shank, and their rates, just after the left heel has struck.

    >>> on_the_limit_cycle().shape
    (12,)
    """
    leg, thigh, shank, leg_rate = 0.43020968776, 0.56015612705, -0.2431497007, -0.4312375183
    length = UPPER + LOWER
    hip = [-length * math.sin(leg), length * math.cos(leg)]
    hip_rates = [-length * math.cos(leg) * leg_rate, -length * math.sin(leg) * leg_rate]
    return np.array([*hip, leg, leg, thigh, shank, *hip_rates, leg_rate, leg_rate, -0.0272718748, 1.8791213773])


def height(z: FloatArray, leg: int) -> float:
    """How high a foot is above the slope, m.

    >>> abs(height(on_the_limit_cycle(), 2)) < 1e-15
    True
    """
    return float(z[1]) - UPPER * math.cos(z[leg]) - LOWER * math.cos(z[leg + 1])


def rates_of(phase: Phase) -> Callable[[float, FloatArray], FloatArray]:
    """The function that ``solve_ivp`` integrates during a phase.

    >>> rates_of(Phase(2, (2,)))(0.0, on_the_limit_cycle()).shape
    (12,)
    """
    rows = 2 + len(phase.straight)
    matrix, right = np.zeros((6 + rows, 6 + rows)), np.zeros(6 + rows)
    _constant_parts(matrix, phase)

    def rates(t: float, z: FloatArray) -> FloatArray:
        q, u = z[:6].tolist(), z[6:].tolist()
        _fill(matrix, right, q, u, phase)
        return np.concatenate([z[6:], np.linalg.solve(matrix, right)[:6]])

    return rates


def impact(z: FloatArray, phase: Phase) -> FloatArray:
    """The state after the plastic impact that begins a phase.

    >>> z = on_the_limit_cycle()
    >>> bool(np.allclose(impact(z, Phase(2, (2,))), z))  # the left foot stands already
    True
    """
    rows = 2 + len(phase.straight)
    matrix, right = np.zeros((6 + rows, 6 + rows)), np.zeros(6 + rows)
    _constant_parts(matrix, phase)
    _fill(matrix, right, z[:6].tolist(), [0.0] * 6, phase)
    right[:6], right[6:] = matrix[:6, :6] @ z[6:], 0.0
    return np.concatenate([z[:6], np.linalg.solve(matrix, right)[:6]])


def _constant_parts(matrix: FloatArray, phase: Phase) -> None:
    matrix[0, 0] = matrix[1, 1] = TOTAL
    for leg in (2, 4):
        matrix[leg, leg] = THIGH * TO_THIGH**2 + SHANK * UPPER**2
        matrix[leg + 1, leg + 1] = SHANK * TO_SHANK**2
    matrix[6, 0] = matrix[7, 1] = 1.0
    matrix[0, 6] = matrix[1, 7] = -1.0
    for row, leg in enumerate(phase.straight, 8):
        matrix[row, leg], matrix[row, leg + 1] = -1.0, 1.0
        matrix[leg, row], matrix[leg + 1, row] = 1.0, -1.0


def _fill(matrix: FloatArray, right: FloatArray, q: list[float], u: list[float], phase: Phase) -> None:
    """What depends on the state: M, f, the rows of the standing foot and gamma."""
    along, across = TOTAL * DOWNHILL, TOTAL * DOWN
    for leg in (2, 4):
        thigh, shank, thigh_rate, shank_rate = q[leg], q[leg + 1], u[leg] ** 2, u[leg + 1] ** 2
        sine, cosine, sine2, cosine2 = math.sin(thigh), math.cos(thigh), math.sin(shank), math.cos(shank)
        matrix[0, leg] = matrix[leg, 0] = FIRST * cosine
        matrix[1, leg] = matrix[leg, 1] = FIRST * sine
        matrix[0, leg + 1] = matrix[leg + 1, 0] = SECOND * cosine2
        matrix[1, leg + 1] = matrix[leg + 1, 1] = SECOND * sine2
        matrix[leg, leg + 1] = matrix[leg + 1, leg] = BOTH * (cosine * cosine2 + sine * sine2)
        along += FIRST * sine * thigh_rate + SECOND * sine2 * shank_rate
        across -= FIRST * cosine * thigh_rate + SECOND * cosine2 * shank_rate
        turning = BOTH * (sine * cosine2 - cosine * sine2)
        right[leg] = FIRST * (DOWNHILL * cosine + DOWN * sine) - turning * shank_rate
        right[leg + 1] = SECOND * (DOWNHILL * cosine2 + DOWN * sine2) + turning * thigh_rate
        if leg == phase.stance:
            matrix[6, leg], matrix[6, leg + 1] = UPPER * cosine, LOWER * cosine2
            matrix[7, leg], matrix[7, leg + 1] = UPPER * sine, LOWER * sine2
            matrix[leg : leg + 2, 6:8] = -matrix[6:8, leg : leg + 2].T
            right[6] = UPPER * sine * thigh_rate + LOWER * sine2 * shank_rate
            right[7] = -UPPER * cosine * thigh_rate - LOWER * cosine2 * shank_rate
    right[0], right[1] = along, across
