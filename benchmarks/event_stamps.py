"""What the processor takes from an event to the end of the first step after it, in the thread that steps.

The stepper itself reads the clock after every step it accepts, that which ends at an event included: what follows that
step until the next one is settling contacts, entering what comes then, and a step in it.
"""

from __future__ import annotations

from typing import final

import numpy as np

from detent.simulation.simulation import Simulation

from .contact_scenes import FloatArray
from .step_stamps import StepStamps, SystemClock, ThirdWord


@final
class EventStamps:
    """The processor's time after every step of a simulation.

    >>> import detent
    >>> system = detent.System("ball")
    >>> y = system.coordinates(y=1)
    >>> ball = system.particle("ball", system.origin.offset("center", y*system.ground.y), mass=1)
    >>> system.gravity(-9.81*system.ground.y)
    >>> floor = system.contact("ball|floor", ball.point(), system.ground.line(), impact=detent.Poisson(1))
    >>> simulation = Simulation(system)
    >>> stamps = EventStamps(simulation, 1000)
    >>> simulation.advance(1)
    >>> float(stamps.after(simulation.events[0].time)) > 0
    True
    """

    def __init__(self, simulation: Simulation, room: int) -> None:
        self._stamps = StepStamps(simulation, room, SystemClock.THREAD, ThirdWord.SIMULATED_TIME)

    def _read(self) -> tuple[FloatArray, FloatArray]:
        words = self._stamps.words
        return words[:, 2].copy().view(np.float64), words[:, 0] + 1e-9 * words[:, 1]

    def after(self, time: float) -> float:
        """Processor seconds from the step that ended at a time to the end of the one after it."""
        times, seconds = self._read()
        last = int(np.searchsorted(times, time, side="right")) - 1
        if last < 0 or times[last] != time or last + 1 == len(times):
            raise ArithmeticError(f"no step ended at {time!r} before another one; give the time of an event")
        return float(seconds[last + 1] - seconds[last])
