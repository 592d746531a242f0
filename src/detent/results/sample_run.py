"""A run known in closed form, for examples and tests."""

from __future__ import annotations

import numpy as np

from detent.results.audit import Audit, audit_energy
from detent.results.event import Event, EventLog
from detent.results.layout import StateLayout
from detent.results.outcome import Outcome
from detent.results.run import Run
from detent.results.timing import ModeTiming, Timing
from detent.results.trajectory import Trajectory


def sample_run() -> Run:
    """A stone of 1 kg thrown up from the floor at 5 m/s with g = 10 m/s^2, bouncing once with half its speed.

    It flies y = 5 t - 5 t^2 until it strikes at t = 1 s, then rises from the floor at 2.5 m/s and is at its
    highest, y = 0.3125 m, at t = 1.25 s. The impact takes (5^2 - 2.5^2)/2 = 9.375 J.

    >>> sample_run().at(0.5).y
    1.25
    """
    gravity = 10.0
    time = np.array([0.0, 1.0, 1.0, 1.25])
    height = np.array([0.0, 0.0, 0.0, 0.3125])
    speed = np.array([5.0, -5.0, 2.5, 0.0])
    work = np.array([0.0, 0.0, -9.375, -9.375])
    state = np.stack([height, speed, work], axis=1)
    rate = np.stack([speed, np.full(4, -gravity), np.zeros(4)], axis=1)
    kinetic, potential = speed**2 / 2, gravity * height
    balance, scale = audit_energy(kinetic, potential, work)
    return Run(
        name="thrown-stone",
        parameters={"m": 1.0, "g": gravity},
        start={"y": 0.0, "v": 5.0},
        until=1.25,
        method="rk4",
        step=1.0,
        outcome=Outcome.COMPLETED,
        trajectory=Trajectory(StateLayout(("y",), ("v",)), time, state, rate, np.zeros((3, 0, 3))),
        mode="flight",
        events=EventLog([Event(1.0, "impact", "floor", "flight", "flight", {"impulse": 7.5})]),
        kinetic=kinetic,
        potential=potential,
        audit=Audit(balance, 0.0, 0.0, 0.0, scale),
        timing=Timing(0.001, 2, 0, 8, (ModeTiming("flight", 0.5, 0.6, None),)),
    )
