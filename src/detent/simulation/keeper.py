"""Takes what a solver delivers: nodes to the recorder, transitions to the history."""

from __future__ import annotations

from typing import TYPE_CHECKING, final

import numpy as np

from detent.events.event_memory import Log
from detent.formulation.running import Instant, Running, Turn
from detent.results.outcome import Outcome
from detent.simulation.history import Batch
from detent.simulation.improver import Improver
from detent.simulation.keeping import in_words
from detent.simulation.record import Record
from detent.simulation.stiffness import StiffnessWatch
from detent.stepping.chunk import Chunk

if TYPE_CHECKING:
    from detent.simulation.simulation import Simulation


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
                self._improver.note_steps(mode, nodes)
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
        last = int(log.entries["target"][-1])
        modes = following.enter(entered, last)
        remarks = following.remarks_until(log) if following.has_remarks else []
        simulation.history.add_later(Batch(log, simulation.values.vector.copy(), modes, nodes, remarks))
        simulation.stand_in(modes[last], following.current.constraints)
        following.look_ahead()

    def _keep_steps(self, chunk: Chunk) -> None:
        first, before = 0, self._steps
        self._steps += len(chunk)
        for turn in self.simulation.formulation.turns(self._steps):
            if turn.steps - before > first:
                self._keep_part(chunk.part(first, turn.steps - before))
                first = turn.steps - before
            self._turn_to(turn)
        self._keep_part(chunk.part(first, len(chunk)))

    def _keep_part(self, chunk: Chunk) -> None:
        """Take steps that were all taken with the same equations."""
        self._improver.note_steps(self.simulation.current, len(chunk))
        self._recorder.keep(chunk)
        running = self.simulation.current.running
        if running.is_watched:
            self._watch(running, chunk)
        self._look_after(chunk)

    def catch_up(self) -> None:
        """The kernel has come back: it may have chosen again after its last step."""
        for turn in self.simulation.formulation.turns(self._steps + 1):
            self._turn_to(turn)

    def _turn_to(self, turn: Turn) -> None:
        """The kernel has turned to something equal by itself; the next steps belong to that."""
        simulation = self.simulation
        simulation.tell(simulation.current, turn.running, turn.time)
        simulation.stand_in_other(turn.running, self._recorder.count)
        self._recorder.mark()

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
        self._record.tend(now)
        if self._record.nbytes > simulation.most_bytes:
            simulation.outcome = Outcome.RECORD_FULL
            kept = f"{in_words(self._record.nbytes)} of at most {in_words(simulation.most_bytes)}"
            simulation.message = f"at t = {now:.9g} it keeps {kept}: {simulation.outcome.advice}"
            simulation.solver.stop()
        if simulation.progress is not None:
            simulation.progress.show(now)

    def _watch(self, running: Running, chunk: Chunk) -> None:
        """Have the last step of a piece looked at: the loop is called back, or the run ends, where that is needed."""
        values = self.simulation.history.segments.values.rows[-1]
        verdict = running.look(Instant(float(chunk.time[-1]), chunk.state[-1], values))
        if verdict.outcome is not Outcome.COMPLETED:
            self.simulation.outcome, self.simulation.message = verdict.outcome, verdict.message
        if verdict.calls:
            self.simulation.solver.stop()
