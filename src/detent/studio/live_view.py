"""A live run on the page: its session, its stage and its panel, kept together."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final, final

import numpy as np

from detent.errors import DetentError
from detent.expr.text import number_from_text
from detent.gallery.example import Example
from detent.jit.arrays import FloatArray
from detent.results.run import Run
from detent.studio import words
from detent.studio.curves_panel import CurvesPanel
from detent.studio.drawing import MOST_PLACES
from detent.studio.live_panel import PATH, LivePanel
from detent.studio.live_session import LiveSession
from detent.studio.live_stage import LiveStage
from detent.studio.stage import Stage
from detent.studio.transport import Ask

LATE: Final = 4.0
"""Seconds of which curves are shown."""
SKETCH: Final = "sketch"
"""The name of a drawing that is not finished."""


@final
class LiveView:
    """Begins, shows and ends live runs.

    ``make`` gives a model of its own to a live run, the run it is to look like, what is set, and the texts of the
    fields; ``shown`` is told when a live run has taken the scene, ``ended`` when it has left it, with its replay if
    there is one.
    """

    def __init__(
        self, server: Any, stage: Stage, ask: Ask, make: Callable[[], tuple[Example, Run, Mapping[str, Any]]],
        texts: Callable[[], Mapping[str, str]], shown: Callable[[], None], ended: Callable[[Run | None], None],
    ) -> None:  # fmt: skip
        self._server, self._stage, self._ask = server, stage, ask
        self._make, self._texts, self._shown, self._ended = make, texts, shown, ended
        self.panel = LivePanel(server.gui, ask, self)
        self.rate = 1000.0
        """Steps in a second of the runs that are begun."""
        self.log: Path | None = None
        """Where they tell what time they keep."""
        self.session: LiveSession | None = None
        self._live_stage: LiveStage | None = None
        self._workers = ThreadPoolExecutor(1, thread_name_prefix="detent-studio-live")
        self._beginning: tuple[Future[LiveSession], Run] | None = None
        self._replaying: Future[Run] | None = None
        self._places: list[FloatArray] | None = None
        self._failure: str | None = None
        self._attended = False
        """Whether a page was there when it was last looked."""

    @property
    def is_busy(self) -> bool:
        """Whether something is being made that will be shown."""
        return self._beginning is not None or self._replaying is not None

    @property
    def is_live(self) -> bool:
        """Whether the scene is a live run's."""
        return self.session is not None

    @property
    def mode(self) -> str:
        """The mode that it is in."""
        return "" if self.session is None else self.session.live.mode

    # -- beginning and ending ----------------------------------------------------------------------

    def begin(self) -> None:
        """Make a live run of the model that is open."""
        if self.is_busy or self.is_live:
            return
        made, look, changes = self._make()
        size = self._stage.size
        self._beginning = (
            self._workers.submit(LiveSession, made, look.parameters, changes, size, self.rate, log=self.log),
            look,
        )

    def _begun(self, session: LiveSession, look: Run) -> None:
        self._shown()
        self.session, self._failure = session, None
        self._live_stage = LiveStage(self._server, self._stage, session, look, self._ask)
        self.panel.open(list(session.handles))
        if self._server.get_clients():  # without a page it stands still until somebody is there and lets it go on
            session.go_on()

    def end(self) -> None:
        """Leave the scene to what was shown before."""
        self._leave(None)

    def restart(self) -> None:
        """Begin again, with what stands in the fields."""
        self._leave(None)
        self.begin()

    def replay(self) -> None:
        """Leave the scene to the same run again, made from its recording."""
        if self.session is not None and self._replaying is None:
            self._failure = self.session.pause() or self._failure
            self._replaying = self._workers.submit(self.session.replay)

    def _leave(self, run: Run | None) -> None:
        if self.session is not None:
            self.session.pause()
            assert self._live_stage is not None
            self._live_stage.clear()
            self.session, self._live_stage, self._places = None, None, None
            self.panel.close()
            self._ended(run)

    def close(self) -> None:
        """End whatever goes on; nothing is shown any more."""
        self._workers.shutdown(cancel_futures=True)
        if self.session is not None:
            self.session.pause()

    # -- what the panel asks for -------------------------------------------------------------------

    def toggle(self) -> None:
        """Pause, or go on."""
        session = self._known()
        if session.live.is_running:
            self._failure = session.pause()
        else:
            session.go_on()

    def grab(self, body: str) -> None:
        """Take hold of a body."""
        self._known()
        assert self._live_stage is not None
        self._live_stage.grab(body)

    def let_go(self) -> None:
        """Let go of it."""
        self._known().let_go()

    def latch(self, text: str) -> None:
        """Hold what a text says."""
        self._known().latch(text)
        self._list_holds()

    def release(self, name: str) -> None:
        """Let go what is latched, or take a drawing away."""
        self._known().unlatch(name)
        assert self._live_stage is not None
        self._live_stage.show_drawing(name, (), finished=True)
        self._list_holds()

    def set_parameters(self) -> None:
        """Take over what stands in the fields."""
        session = self._known()
        session.set({name: text for name, text in self._texts().items() if name in session.live.parameters})

    def show_paths(self, shown: bool) -> None:
        """Show where the ends of the model were of late, or not."""
        self._known()
        assert self._live_stage is not None
        self._live_stage.show_paths(shown)

    def draw(self) -> None:
        """Take clicks in the scene for places of a drawing."""
        self._known().check_plane()
        assert self._live_stage is not None
        self._places = []
        self._live_stage.begin_drawing(self._clicked)
        self.panel.show_drawing(0)

    def _clicked(self, place: FloatArray) -> None:
        if self._places is None or self._live_stage is None or len(self._places) >= MOST_PLACES:
            return
        self._places.append(place)
        self._live_stage.show_drawing(SKETCH, self._places, finished=False)
        self.panel.show_drawing(len(self._places))

    def finish_drawing(self, kind: str, body: str, friction: str) -> None:
        """Make a fence or a path of the places."""
        session, places = self._known(), self._places
        assert self._live_stage is not None
        self._places = None
        self._live_stage.end_drawing()
        self._live_stage.show_drawing(SKETCH, (), finished=False)
        self.panel.show_drawing(None)
        if places is None:
            return
        ways = [place.tolist() for place in places]
        name = (
            session.draw_path(body, ways) if kind == PATH
            else session.draw_fence(body, ways, number_from_text(friction))
        )  # fmt: skip
        self._live_stage.show_drawing(name, session.drawn[name], finished=True)
        self._list_holds()

    def _known(self) -> LiveSession:
        if self.session is None:
            raise DetentError("no live run goes on; begin one first")
        return self.session

    def _list_holds(self) -> None:
        session = self._known()
        self.panel.show_holds(session.latches, list(session.drawn))

    # -- what is shown -----------------------------------------------------------------------------

    def tick(self) -> None:
        """Take up what has been made, and show the state after the last step."""
        if self._beginning is not None and self._beginning[0].done():
            (future, look), self._beginning = self._beginning, None
            self._begun(future.result(), look)
        if self._replaying is not None and self._replaying.done():
            done, self._replaying = self._replaying, None
            self._leave(done.result())
        attended, self._attended = self._attended, bool(self._server.get_clients())
        if self._live_stage is not None and self.session is not None:
            if attended and not self._attended:  # the last page was closed, or its browser killed
                self._live_stage.let_go()
                self._failure = self.session.pause() or self._failure
            self._display(self.session, self._live_stage.display())

    def _display(self, session: LiveSession, time: float) -> None:
        if not session.live.is_running and self._failure is None:
            self._failure = session.pause()
        held = "" if session.held is None else f"{session.held}: {float(np.linalg.norm(session.force)):.3g} N"
        told = words.live_standing(time, session.live.mode, held, self._failure)
        self.panel.show_status(told, session.live.is_running)

    def display_slowly(self, curves: CurvesPanel) -> None:
        """What is not shown at every frame: how well it keeps time, and what its coordinates did of late."""
        session = self.session
        if session is None:
            return
        self.panel.show_time(words.plain(session.timing.text()))
        names = [symbol.name for symbol in session.system.coordinate_list]
        times, values = session.course(LATE, names)
        curves.show_course(names, times, values)
