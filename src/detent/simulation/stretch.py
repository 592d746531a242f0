"""A stretch of a run with the same contacts: all that runs it."""

from __future__ import annotations

from typing import TYPE_CHECKING, final

from detent.hybrid.automaton import Automaton
from detent.model.system import System
from detent.results.run import Run
from detent.simulation.assembly import assembled
from detent.simulation.context import prepared
from detent.simulation.director import Director
from detent.simulation.loop import Loop
from detent.simulation.mode_maker import ModeMaker
from detent.simulation.options import Options
from detent.simulation.standing import Standing
from detent.simulation.switching import Switching
from detent.simulation.system_director import SystemDirector
from detent.simulation.undisturbed import uncollected

if TYPE_CHECKING:
    from detent.simulation.checkpoint import Checkpoint
    from detent.simulation.junction import Junction


@final
class Stretch:
    """Begins at the start of a run, where a checkpoint was written, or where a stretch with other contacts ended."""

    @uncollected()
    def __init__(
        self, model: System | Automaton, options: Options, checkpoint: Checkpoint | None = None,
        junction: Junction | None = None,
    ) -> None:  # fmt: skip
        self.model = model
        self.context = context = prepared(model, options)
        maker = ModeMaker(context)
        self.standing = Standing(maker.free())
        switching = Switching(context, self.standing, maker)
        if checkpoint is None and junction is None:
            switching.first_inputs()
        given = context, self.standing, maker, switching, checkpoint, junction
        self.director: Director
        if context.automaton is None:
            self.director = SystemDirector(*given)
        else:
            from detent.simulation.automaton_director import AutomatonDirector  # a system does without all of it

            self.director = AutomatonDirector(*given)
        self.loop = Loop(context, self.standing, switching, self.director)
        if checkpoint is not None:
            self.loop.go_on(checkpoint)
        elif junction is None:
            self.loop.begin()
        else:
            self._join(junction)

    def _join(self, before: Junction) -> None:
        from detent.hybrid.status_automaton import StatusAutomaton
        from detent.simulation.automaton_director import AutomatonDirector
        from detent.simulation.junction import event_of

        assert isinstance(self.director, AutomatonDirector)
        automaton, junction = self.context.automaton, self.director.junction
        assert isinstance(automaton, StatusAutomaton)
        assert junction is not None
        mode, gain = self.director.current, float(junction.state[-1] - before.state[-1])
        self.context.history.add_event(event_of(junction, automaton, mode, gain))
        self.loop.join(junction)

    def run(self, until: float, wall_seconds: float | None = None) -> Run:
        """What there is of it so far."""
        return assembled(self.context, self.standing, self.director, self.loop.started, until, wall_seconds)
