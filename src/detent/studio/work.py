"""A run that is made in a thread of its own, while the page goes on."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any, Final, final

from detent.errors import DetentError, SimulationError
from detent.gallery.example import Example
from detent.results.outcome import Outcome
from detent.results.run import Run
from detent.simulation.options import Options, as_number
from detent.simulation.simulation import Simulation

AGAIN: Final = 0.02
"""Seconds after which a run that was asked to stop, and did not hear it between two advances, is asked again."""
MOST_SECONDS: Final = 1e6
"""Of simulated time that a page may ask for."""


@final
class Work:
    """A run of an example with some options changed, begun when this is made.

    >>> import detent
    >>> work = Work(detent.example("pendulum"), {"until": 1})
    >>> work.wait()
    >>> work.run
    <Run 'pendulum': completed at t = 1, ...>
    >>> work.error
    """

    def __init__(self, example: Example, changes: Mapping[str, Any]) -> None:
        arguments = {"until": example.until, "name": example.name, **example.settings, **changes}
        self._model = example.automaton or example.system
        self.until = as_number(arguments.pop("until"))
        self._script = arguments.pop("script", None)
        self._arguments = arguments
        self._simulation: Simulation | None = None
        self._cancelled = threading.Event()
        self.run: Run | None = None
        """What there is when it is done; of a run that could not go on, what it has up to there."""
        self.error: str | None = None
        """Why there is no run, or why it does not go to its end."""
        self._thread = threading.Thread(target=self._work, name="detent-studio-run", daemon=True)
        self._thread.start()

    @property
    def is_done(self) -> bool:
        """Whether there is nothing to wait for."""
        return not self._thread.is_alive()

    @property
    def was_cancelled(self) -> bool:
        """Whether it was asked to stop."""
        return self._cancelled.is_set()

    @property
    def progress(self) -> float:
        """How much of it is done, from 0 to 1; 0 while its equations are derived."""
        simulation = self._simulation
        if simulation is None or not self.until > 0:
            return 0.0
        return min(max(simulation.time / self.until, 0.0), 1.0)

    def wait(self, seconds: float | None = None) -> None:
        """Come back when it is done, or after so many seconds."""
        self._thread.join(seconds)

    def cancel(self) -> None:
        """Have it end at its next step, and wait for that; equations that are being derived are finished first."""
        self._cancelled.set()
        while not self.is_done:
            simulation = self._simulation
            if simulation is not None:
                simulation.stop()
            self.wait(AGAIN)

    def _work(self) -> None:
        try:
            if not 0 <= self.until <= MOST_SECONDS:
                raise DetentError(f"a run ends at t = {self.until:g}; give a time from 0 to {MOST_SECONDS:g} s")
            self.run = self._simulated()
        except SimulationError as error:
            self.error, self.run = str(error), error.run
        except DetentError as error:
            self.error = str(error)
        except Exception as error:  # of a user's own script: the page says it, the studio goes on
            self.error = f"{type(error).__name__}: {error}"
        if self.was_cancelled:
            self.error = self._cancelled_words()

    def _simulated(self) -> Run | None:
        simulation = self._simulation = Simulation(self._model, options=Options.of(None, self._arguments))
        if self.was_cancelled:
            return None
        if self._script is not None:
            self._script(simulation, self.until)
        simulation.advance(max(self.until, simulation.time))
        return simulation.result(self.until)

    def _cancelled_words(self) -> str:
        run = self.run
        if run is None or run.outcome is Outcome.COMPLETED:
            return "cancelled before it began" if run is None else "it was done before it could be cancelled"
        return f"cancelled at t = {run.t[-1]:.6g} s of {self.until:.6g} s; what there is up to there is shown"
