"""What was done to a live run, so that it can be done again."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, final

from detent.errors import SimulationError
from detent.hybrid.automaton import Automaton
from detent.jit.arrays import FloatArray
from detent.model.coupler import Coupler
from detent.model.system import System
from detent.results.run import Run
from detent.simulation.options import Options

if TYPE_CHECKING:
    from detent.simulation.paced_run import PacedRun


@final
@dataclass(frozen=True, eq=False)
class RecordedChange:
    """Something that was done to the simulation between two steps: a method of it by name, and what it was given."""

    kind: str
    arguments: tuple[Any, ...] = ()
    keywords: dict[str, Any] = field(default_factory=dict)


@final
@dataclass(frozen=True, eq=False)
class Recording:
    """All that was done to a live run, each with the number of the step before which it was done.

    It knows the model, and is replayed with it as it was at the start: on a clock that never waits, to the same bits.

    >>> import detent
    >>> live = detent.Live(detent.example("pendulum").system, clock=detent.SimulatedClock())
    >>> live.advance(0.1)
    >>> live.recording.replay().final.angle == live.state.angle
    True
    """

    model: System | Automaton
    period: float
    couplers: tuple[Coupler, ...]
    lags: tuple[float, ...]
    options: Options
    steps: int
    """Steps that were taken."""
    samples: FloatArray
    """Where hands were: the number of a step, then for each hand whether it held on, and its place."""
    changes: tuple[tuple[int, RecordedChange], ...]
    failure: str | None = None
    """Why the live run could not go on, if it could not."""

    def __repr__(self) -> str:
        name = self.model.system.name if isinstance(self.model, Automaton) else self.model.name
        ended = "" if self.failure is None else ", up to where it failed"
        return f"<recording of '{name}': {self.steps} steps, {len(self.changes)} changes{ended}>"

    def replay(self) -> Run:
        """The run again, with everything that a run keeps.

        Of a live run that could not go on it is the run up to there, which may be within a period: with its outcome,
        and with the words that the live run raised as its message.

        >>> import detent
        >>> system = detent.System("bead")
        >>> x = system.coordinates("x")
        >>> bead = system.particle("bead", system.origin.offset("bead", x*system.ground.x), mass=1)
        >>> coupler = detent.couple("hand", bead)
        >>> live = detent.Live(system, couplers=[coupler], clock=detent.SimulatedClock())
        >>> live.grab(coupler, (0.1, 0, 0))
        >>> live.advance(0.5)
        >>> run = live.recording.replay()
        >>> run.final.x == live.state.x
        True
        """
        from detent.simulation.paced_run import PacedRun
        from detent.stepping.servo_clock import SimulatedClock

        paced = PacedRun(self.model, self.period, self.couplers, self.lags, SimulatedClock(), self.options, keeps=True)
        try:
            self._go_through(paced)
        except SimulationError:
            if self.failure is None:
                raise
        return paced.simulation.result()

    def _go_through(self, paced: PacedRun) -> None:
        """Do all that was done, each before its step, and take the steps; the last may be one that fails."""
        rows = [(int(row[0]), row[1:]) for row in self.samples]
        done: list[tuple[int, int, Any]] = [(step, 0, change) for step, change in self.changes]
        done += [(step, 1, sample) for step, sample in rows]
        for step, kind, what in sorted(done, key=lambda each: each[:2]):  # sorting keeps the order of equals
            paced.take_steps(step)
            if kind == 0:
                paced.make(what)
            else:
                paced.servo.post(what)
        paced.take_steps(self.steps if self.failure is None else self.steps + 1)
