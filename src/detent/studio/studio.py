"""The studio: a session and its page, kept together by one thread that alone changes either."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any, Final, final

from detent.errors import DetentError
from detent.gallery.example import NAMES, Example, structure_of
from detent.results.run import Run
from detent.simulation.live_log import LiveLog
from detent.studio import words
from detent.studio.choices import ExampleChoices, choices_in
from detent.studio.curves_panel import CurvesPanel
from detent.studio.gate import LOOPBACK
from detent.studio.live_view import LiveView
from detent.studio.mode_panels import ModePanel, automaton_picture, equations_text
from detent.studio.model_panel import ModelPanel
from detent.studio.server import StudioServer
from detent.studio.session import Session
from detent.studio.stage import Stage
from detent.studio.transport import Transport
from detent.view.animate import page_text

TABS: Final = ("Curves", "Automaton", "Equations", "Contacts", "Summary")
TICK: Final = 1 / 30
"""Seconds between two frames while something moves."""
REST: Final = 0.2
"""Seconds between two looks while nothing does."""
LONGEST_STEP: Final = 0.25
"""Seconds that a frame may take; where it takes longer, the run is played more slowly and not in jumps."""
MOST_FRAMES: Final = 3000
"""Of a page that is shared."""
SELDOM: Final = 0.4
"""Seconds between two drawings of curves and tables while it plays."""


@final
class Studio:
    """A studio that is open until it is closed; it is where a browser finds it, at its ``address``.

    Everything that a page asks for waits, one of each kind, until the studio's own thread does it: so a page can make
    it busy, but not fill its memory.
    """

    def __init__(self, host: str = LOOPBACK, port: int | None = None, folder: Path | None = None) -> None:
        self.folder = None if folder is None else folder.resolve()
        """The folder whose model files and saved runs can be opened."""
        self.session = Session(ExampleChoices() if folder is None else choices_in(folder))
        self._server = StudioServer(host, port)
        self._workers = ThreadPoolExecutor(1, thread_name_prefix="detent-studio-words")
        self._asked: dict[str, Callable[[], None]] = {}
        self._waiting = threading.Condition()
        self._idle, self._ended = threading.Event(), threading.Event()
        self._closing = False
        self._drawn = 0.0
        self._wants_live = False
        self._build(self._server.viser)
        self._thread = threading.Thread(target=self._conduct, name="detent-studio", daemon=True)
        self._thread.start()

    @property
    def address(self) -> str:
        """Where a browser finds it."""
        return self._server.address

    def open(self, name: str, **structure: float) -> None:
        """Open an example, or a model file or saved run by its path, and run it.

        ``structure`` sets structural arguments of an example, such as ``links``.
        """
        path = Path(name)
        if path.suffix in (".py", ".nc"):
            if not path.is_file():
                raise DetentError(f"there is no file {path}; give an existing one, or an example's name")
            self.session.choices = self.session.choices.with_file(path)
            name = path.name
        self.session.choices.file(name)
        self.ask("open", partial(self._open, name, **structure))

    def open_live(self, name: str, given: Mapping[str, float], rate: float, log: Path | None = None) -> None:
        """Open an example or a model file with some values given by name, run it, and have it go live.

        ``log`` is a file to which live runs append lines about the time that they keep.
        """
        if log is not None:
            LiveLog(log)  # what cannot be written is told at once
        self._live.log = log
        known = structure_of(name) if name in NAMES else {}
        self.open(name, **{key: value for key, value in given.items() if key in known})
        self.ask("give", partial(self._give, {key: value for key, value in given.items() if key not in known}))
        self.ask("live", partial(self._live_when_run, rate))

    def show(self, made: Example, run: Run) -> None:
        """Show a run that was made elsewhere, with its example."""
        self.ask("open", partial(self._show, made, run))

    def ask(self, key: str, action: Callable[[], None]) -> None:
        """Have the studio's thread do something; what waits under the same key is then not done."""
        with self._waiting:
            self._asked.pop(key, None)
            self._asked[key] = action
            self._idle.clear()
            self._waiting.notify()

    def settle(self) -> None:
        """Come back when all that was asked for is done, and what was run is shown."""
        self._idle.wait()

    def settle_words(self) -> None:
        """Come back when the automaton and the equations of the mode that is shown are there."""
        for panel in (self._automaton, self._equations):
            panel.wait()

    def play(self) -> None:
        """Play the run that is shown, again and again."""
        self.ask("play", self._transport.play_on)

    @property
    def port(self) -> int:
        """Where it listens."""
        return self._server.port

    @property
    def frames_shown(self) -> int:
        """How many frames of runs it has shown so far."""
        return self._stage.frames_shown

    def wait_closed(self) -> None:
        """Come back when it is closed."""
        # A signal that comes just before a wait begins is answered only when the wait is over, so it must be short; and
        # one that comes while locks are taken or given back, as waiting for an event does, leaves them half done.
        while not self._ended.is_set():
            time.sleep(0.1)

    def close(self) -> None:
        """Leave nothing behind: no thread, no port, no run that goes on."""
        with self._waiting:
            self._closing = True
            self._waiting.notify()
        self._thread.join()
        self._live.close()
        self.session.cancel()
        self._server.close()
        self._workers.shutdown(cancel_futures=True)

    def __enter__(self) -> Studio:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # -- the page ----------------------------------------------------------------------------------

    def _build(self, server: Any) -> None:
        gui = server.gui
        gui.set_panel_label("detent studio")
        self._stage = Stage(server)
        self._transport = Transport(gui, self.ask, self._stage, self._share)
        self._model = ModelPanel(gui, self.ask, self.session, self._open, self._run, self._cancel)
        self._live = LiveView(
            server, self._stage, self.ask, self._live_model, lambda: self._model.texts, self._live_shown,
            self._live_ended,
        )  # fmt: skip
        side = gui.add_panel()
        tabs = {label: side.add_tab(label) for label in TABS}
        self._curves = CurvesPanel(gui, tabs["Curves"])
        self._automaton = ModePanel(gui, tabs["Automaton"], self._automaton_picture)
        self._equations = ModePanel(gui, tabs["Equations"], self._equations_text)
        with tabs["Contacts"]:
            self._contacts = gui.add_html("")
        with tabs["Summary"]:
            self._summary = gui.add_html("")
        gui.main_panel.dock_right()
        side.dock_left()
        side.set_width(440)

    def _automaton_picture(self, mode: str) -> str:
        example, run = self.session.example, self.session.run
        return "" if example is None or run is None else automaton_picture(example, run, mode)

    def _equations_text(self, mode: str) -> str:
        example = self.session.example
        return words.note("the model is not known") if example is None else equations_text(example, mode)

    def _share(self, client: Any) -> None:
        """Have the run that is shown made one page, and given to the browser that asks."""
        run = self.session.run
        if run is None or client is None:
            return

        def made() -> None:
            fps = min(30.0, MOST_FRAMES / max(float(run.t[-1] - run.t[0]), 1e-9))
            name = "".join(c if c.isalnum() or c in "-_" else "-" for c in run.name) or "run"
            client.send_file_download(f"{name}.html", page_text(run, fps).encode(), save_immediately=True)

        self._workers.submit(made).add_done_callback(self._tell_failure)

    def _tell_failure(self, done: Future[None]) -> None:
        """Show what went wrong in another thread."""
        error = None if done.cancelled() else done.exception()
        if error is not None:
            self.ask("failure", partial(self._fail, error))

    def _fail(self, error: BaseException) -> None:
        raise error

    # -- a live run --------------------------------------------------------------------------------

    def _give(self, given: Mapping[str, float]) -> None:
        """Put values into the fields, and run with them."""
        if given and self.session.example is not None:
            self._model.give(given)
            self._run()

    def _live_when_run(self, rate: float) -> None:
        self._live.rate, self._wants_live = rate, True

    def _live_model(self) -> tuple[Example, Run, dict[str, Any]]:
        return self.session.live_model(self._model.texts)

    def _live_shown(self) -> None:
        self._curves.show(None)
        self._transport.show(None)
        self._contacts.content = ""

    def _live_ended(self, run: Run | None) -> None:
        if run is not None:
            self.session.take(run, "the live run again, from its recording")
        self._show_run()
        self._model.show_state()

    # -- what is asked for -------------------------------------------------------------------------

    def _open(self, name: str, **structure: float) -> None:
        self._live.end()
        self.session.open(name, **structure)
        self._model.show_model()
        self._show_run()
        if self.session.run is None and self.session.example is not None:
            self._run()

    def _show(self, made: Example, run: Run) -> None:
        self.session.show(made, run)
        self._model.show_model()
        self._show_run()

    def _run(self) -> None:
        self._live.end()
        self.session.run_again(self._model.texts)
        self._model.show_state()

    def _cancel(self) -> None:
        self.session.cancel()
        self._model.show_state()
        self._show_run()

    def _show_run(self) -> None:
        """Show the session's run everywhere."""
        run = self.session.run
        self._stage.clear()
        try:
            if run is not None and run.model is not None:
                self._stage.show(run)
        except DetentError as error:
            self.session.error = str(error)
            self._model.show_state()
        self._automaton.clear()
        self._equations.clear()
        self._curves.show(run)
        self._summary.content = "" if run is None else words.plain(run.summary())
        self._transport.show(run)
        self._draw_slow_parts()

    # -- the thread --------------------------------------------------------------------------------

    def _conduct(self) -> None:
        before = time.perf_counter()
        while not self._closing:
            for action in self._next():
                self._do(action)
            now = time.perf_counter()
            self._do(partial(self._tick, now - before, now))
            before = now
            with self._waiting:
                if not self._asked and not self.session.is_busy and not self._live.is_busy:
                    self._idle.set()
        self._idle.set()
        self._ended.set()

    def _next(self) -> list[Callable[[], None]]:
        """What has been asked for, after a moment in which it may be."""
        moving = self._is_moving
        with self._waiting:
            if not self._asked and not self._closing:
                self._waiting.wait(TICK if moving else REST)
            found = list(self._asked.values())
            self._asked.clear()
        return found

    @property
    def _is_moving(self) -> bool:
        return self._transport.playback.is_playing or self.session.is_busy or self._live.is_busy or self._live.is_live

    def _do(self, action: Callable[[], None]) -> None:
        try:
            action()
        except DetentError as error:
            self.session.error = str(error)
            self._model.show_state()
        except Exception as error:  # the studio goes on, and says what happened where the user looks
            self.session.error = f"{type(error).__name__}: {error}"
            self._model.show_state()

    def _tick(self, seconds: float, now: float) -> None:
        if self.session.is_busy:
            if self.session.take_up():
                self._show_run()
            self._model.show_state()
        self._live.panel.offer(self.session.run is not None and self.session.example is not None)
        if self._wants_live and not self.session.is_busy:
            self._wants_live = False
            self._live.begin()
        self._live.tick()
        if self._transport.playback.is_playing:
            self._transport.playback.pass_by(min(seconds, LONGEST_STEP))
            self._transport.display()
        if now - self._drawn >= SELDOM or not self._is_moving:
            self._drawn = now
            self._draw_slow_parts()

    def _draw_slow_parts(self) -> None:
        """What is not shown at every frame."""
        run, now = self.session.run, self._transport.playback.time
        if run is None:
            return
        self._curves.go_to(now)
        mode = self._live.mode if self._live.is_live else self._transport.mode
        self._live.display_slowly(self._curves)
        self._automaton.show(mode, self._workers)
        self._equations.show(mode, self._workers)
        told = "" if self._live.is_live else words.contacts(run, now)
        if self._contacts.content != told:
            self._contacts.content = told
