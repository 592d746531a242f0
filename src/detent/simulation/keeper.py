"""Takes what a solver delivers: nodes to the recorder, transitions to the history."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, final

import numpy as np

from detent.integrate.chunk import Chunk
from detent.integrate.event_frame import LOG_TARGET
from detent.integrate.event_memory import Log
from detent.results.outcome import Outcome
from detent.simulation.diagnosis import opened
from detent.simulation.history import Batch
from detent.simulation.improver import Improver
from detent.simulation.keeping import in_words
from detent.simulation.mode import Embedded, Mode
from detent.simulation.record import Record
from detent.simulation.stiffness import StiffnessWatch

if TYPE_CHECKING:
    from detent.simulation.simulation import Simulation

OPENING, OPENED = 1e-10, 1e-6
"""A row that was dropped is looked at again when it is violated by the first, relative to the state; by the second, the
motion has left what the constraints allow."""


@final
class Keeper:
    """Keeps the pieces of a trajectory as they come, and looks after the modes they belong to."""

    def __init__(self, simulation: Simulation, record: Record, improver: Improver) -> None:
        self.simulation = simulation
        self._record, self._recorder, self._improver = record, record.recorder, improver
        self._stiffness = StiffnessWatch(simulation)
        self._steps = 0
        """Steps kept so far, by which the kernel's other choices of independent speeds find their place."""

    def keep(self, chunk: Chunk) -> None:
        """Take a piece of trajectory, with the transitions in it."""
        following = self.simulation.following
        log = None if following is None else following.take_log(len(chunk))
        if following is not None:
            following.take_notes()
        if following is None or log is None or len(log) == 0:
            self._keep_steps(chunk)
            if following is not None:
                for event in following.remarks_before(float(chunk.time[-1])) if following.has_remarks else ():
                    self.simulation.history.add_event(event)
                following.look_ahead()
        elif self._recorder.takes_jumps and not following.watches:
            entered = log.targets
            nodes_by_mode = following.nodes_by_mode(log, entered, len(chunk))
            before = self._recorder.count
            self._recorder.keep(chunk, log)
            self._follow(log, entered, before)
            for mode, nodes in nodes_by_mode.items():
                self._note_steps(mode, nodes)
            self._look_after(chunk)
        else:
            self._keep_pieces(chunk, log)

    def _keep_pieces(self, chunk: Chunk, log: Log) -> None:
        """Take a piece of trajectory with transitions in it one excursion after another."""
        first = 0
        for row in log.instants.tolist():
            if row > first:
                self._keep_steps(chunk.part(first, row))
            bounds = np.searchsorted(log.rows, [row, row + 1])
            part = log.part(int(bounds[0]), int(bounds[1]))
            self._follow(part, part.targets, self._recorder.count - row)
            self._recorder.mark()
            first = row
        self._keep_steps(chunk.part(first, len(chunk)))

    def _follow(self, log: Log, entered: set[int], nodes: int) -> None:
        """Transitions were taken: another mode runs from here on. So many nodes came before those of the log."""
        simulation, following = self.simulation, self.simulation.following
        assert following is not None
        last = int(log.words[-1, LOG_TARGET])
        modes = following.enter(entered, last)
        remarks = following.remarks_until(log) if following.has_remarks else []
        simulation.history.add_later(Batch(log, simulation.values.vector.copy(), modes, nodes, remarks))
        simulation.stand_in(modes[last], following.current.constraints)
        following.look_ahead()

    def _keep_steps(self, chunk: Chunk) -> None:
        first, before = 0, self._steps
        self._steps += len(chunk)
        for steps, now, mode in self.simulation.choices.until(self._steps):
            if steps - before > first:
                self._keep_part(chunk.part(first, steps - before))
                first = steps - before
            self._turn_to(mode, now)
        self._keep_part(chunk.part(first, len(chunk)))

    def _keep_part(self, chunk: Chunk) -> None:
        """Take steps that were all taken with the same equations."""
        self._note_steps(self.simulation.current, len(chunk))
        self._recorder.keep(chunk)
        embedded = self.simulation.current.embedded
        if embedded is not None and embedded.drops:
            self._watch(embedded, chunk)
        self._look_after(chunk)

    def catch_up(self) -> None:
        """The kernel has come back: it may have chosen again after its last step."""
        for _, now, mode in self.simulation.choices.until(self._steps + 1):
            self._turn_to(mode, now)

    def _turn_to(self, mode: Mode, now: float) -> None:
        """The kernel has chosen other independent speeds; the next steps belong to that."""
        simulation = self.simulation
        event = simulation.choices.event(now, simulation.current, mode)
        if event is not None:
            simulation.history.add_event(event)
        simulation.stand_in_split(mode, self._recorder.count)
        self._recorder.mark()

    def _note_steps(self, mode: Mode, steps: int) -> None:
        if mode.ready_seconds is None:
            mode.ready_seconds = time.perf_counter() - mode.needed
        self._improver.note_steps(mode, steps)

    def _look_after(self, chunk: Chunk) -> None:
        simulation = self.simulation
        steps, now = simulation.solver.steps, float(chunk.time[-1])
        if steps > simulation.most_steps:
            simulation.outcome = Outcome.TOO_MANY_STEPS
            spent = f"at t = {simulation.time:.9g} after {steps} steps"
            simulation.message = f"{spent}: {simulation.outcome.advice}"
            simulation.solver.stop()
        if steps >= self._stiffness.next_look:
            self._stiffness.look(chunk)
        if not self._record.keeps_all:
            self._record.tend(now)
        if self._record.nbytes > simulation.most_bytes:
            simulation.outcome = Outcome.RECORD_FULL
            kept = f"{in_words(self._record.nbytes)} of at most {in_words(simulation.most_bytes)}"
            simulation.message = f"at t = {now:.9g} it keeps {kept}: {simulation.outcome.advice}"
            simulation.solver.stop()
        if simulation.progress is not None:
            simulation.progress.show(now)

    def _watch(self, embedded: Embedded, chunk: Chunk) -> None:
        """See that rows which were dropped still follow from the others; choose again, or stop, where they do not."""
        name, violation = embedded.violation(
            float(chunk.time[-1]), chunk.state[-1], self.simulation.history.segments.values.rows[-1]
        )
        if violation > OPENED:
            self.simulation.outcome, self.simulation.message = opened(float(chunk.time[-1]), name, violation)
            self.simulation.solver.stop()
        elif violation > OPENING:
            embedded.solve.flag[0] = 1
            self.simulation.solver.stop()
