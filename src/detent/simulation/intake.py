"""Takes what a solver delivers: nodes to the record, with the modes that they belong to."""

from __future__ import annotations

from typing import TYPE_CHECKING, final

from detent.formulation.running import Instant, Running
from detent.results.outcome import Outcome
from detent.simulation.keeping import in_words
from detent.simulation.stiffness import StiffnessWatch

if TYPE_CHECKING:
    from detent.simulation.context import Context
    from detent.simulation.faster_code import FasterCode
    from detent.simulation.progress import Progress
    from detent.simulation.running_mode import RunningMode
    from detent.simulation.standing import Standing
    from detent.simulation.switching import Switching
    from detent.stepping.trajectory_piece import TrajectoryPiece


@final
class Intake:
    """Keeps the pieces of a trajectory as they come, and looks after the run that they belong to."""

    def __init__(self, context: Context, standing: Standing, switching: Switching, code: FasterCode) -> None:
        self._context, self._standing, self._switching, self._code = context, standing, switching, code
        self._formulation, self._solver, self._record = context.formulation, context.solver, context.record
        self.recorder = self._record.recorder
        self._stiffness = StiffnessWatch(context, standing)
        self._most_steps = context.options.steps_at_most
        self.progress: Progress | None = None
        self._steps = 0
        """Steps kept so far, by which what the kernel turned to by itself finds its place."""

    def keep_steps(self, piece: TrajectoryPiece) -> None:
        """Take steps in which no transition was taken."""
        first, before = 0, self._steps
        self._steps += len(piece)
        for turn in self._formulation.turns(self._steps):
            if turn.steps - before > first:
                self._keep_part(piece.part(first, turn.steps - before))
                first = turn.steps - before
            self._turn_to(turn.running, turn.time)
        self._keep_part(piece.part(first, len(piece)))

    def _keep_part(self, piece: TrajectoryPiece) -> None:
        """Take steps that were all taken with the same equations."""
        mode = self._standing.mode
        self._code.note_steps(mode, len(piece))
        self.recorder.keep(piece)
        if mode.running.is_watched:
            self._watch(mode.running, piece)
        self._look_after(piece)

    def note(self, piece: TrajectoryPiece, nodes_by_mode: dict[RunningMode, int]) -> None:
        """Steps were kept with transitions between them: so many in each mode."""
        for mode, nodes in nodes_by_mode.items():
            self._code.note_steps(mode, nodes)
        self._look_after(piece)

    def catch_up(self) -> None:
        """The kernel has come back: it may have turned to something else after its last step."""
        for turn in self._formulation.turns(self._steps + 1):
            self._turn_to(turn.running, turn.time)

    def let_go(self) -> None:
        """All steps so far were let go; what the kernel turned to is known by their number."""
        self._steps = self._solver.steps

    def _turn_to(self, running: Running, now: float) -> None:
        self._switching.turn_to(running, now, self.recorder.count)
        self.recorder.mark()

    # -- looking after it --------------------------------------------------------------------------

    def _look_after(self, piece: TrajectoryPiece) -> None:
        record, steps, now = self._record, self._solver.steps, float(piece.time[-1])
        if steps > self._most_steps:
            self._stop(Outcome.TOO_MANY_STEPS, f"at t = {self._solver.time:.9g} after {steps} steps")
        if steps >= self._stiffness.next_look:
            self._stiffness.look(piece)
        record.tend(now)
        if record.nbytes > record.most_bytes:
            kept = f"{in_words(record.nbytes)} of at most {in_words(record.most_bytes)}"
            self._stop(Outcome.RECORD_FULL, f"at t = {now:.9g} it keeps {kept}")
        if self.progress is not None:
            self.progress.show(now)

    def _stop(self, outcome: Outcome, where: str) -> None:
        self._standing.stop(outcome, f"{where}: {outcome.advice}")
        self._solver.stop()

    def _watch(self, running: Running, piece: TrajectoryPiece) -> None:
        """Have the last step of a piece looked at: the loop is called back, or the run ends, where that is needed."""
        values = self._context.history.segments.values.rows[-1]
        verdict = running.look(Instant(float(piece.time[-1]), piece.state[-1], values))
        if verdict.outcome is not Outcome.COMPLETED:
            self._standing.stop(verdict.outcome, verdict.message)
        if verdict.calls:
            self._solver.stop()
