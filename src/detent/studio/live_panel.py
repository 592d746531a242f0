"""The part of the page by which a live run is taken hold of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, Protocol, final

from detent.studio import words
from detent.studio.transport import Ask

LIVE, RESTART, REPLAY, END = "Go live", "Restart", "Replay", "End"
PAUSE, GO_ON = "Pause", "Go on"
DRAW, DONE = "Draw", "Done"
FENCE, PATH = "fence", "path"
NOTHING: Final = "\N{EM DASH}"


class LiveActions(Protocol):
    """What the panel asks for; each is done by the thread that owns the page."""

    def begin(self) -> None: ...

    def end(self) -> None: ...

    def restart(self) -> None: ...

    def toggle(self) -> None: ...

    def grab(self, body: str) -> None: ...

    def let_go(self) -> None: ...

    def latch(self, text: str) -> None: ...

    def release(self, name: str) -> None: ...

    def set_parameters(self) -> None: ...

    def draw(self) -> None: ...

    def finish_drawing(self, kind: str, body: str, friction: str) -> None: ...

    def show_paths(self, shown: bool) -> None: ...

    def replay(self) -> None: ...


@final
class LivePanel:
    """Buttons and fields of a live run; without one, the button that begins it."""

    def __init__(self, gui: Any, ask: Ask, actions: LiveActions) -> None:
        self._gui, self._ask, self._actions = gui, ask, actions
        self._begin = gui.add_button(LIVE, disabled=True)
        self._begin.on_click(lambda _: ask("live", actions.begin))
        self._folder: Any = None
        self._status: Any = None
        self._time: Any = None
        self._pause: Any = None
        self._body: Any = None
        self._held: Any = None
        self._draw: Any = None
        self._drawing: Any = None

    def offer(self, possible: bool) -> None:
        """Let a live run be begun, or not."""
        if self._begin.disabled == possible:
            self._begin.disabled = not possible

    def open(self, bodies: Sequence[str]) -> None:
        """Show what can be done to a live run."""
        gui, ask, actions = self._gui, self._ask, self._actions
        self.close()
        self._begin.visible = False
        self._folder = gui.add_folder("Live", order=self._begin.order)
        with self._folder:
            self._status = gui.add_html("")
            self._pause = gui.add_button(PAUSE)
            ending = gui.add_button_group("then", (RESTART, REPLAY, END))
            self._body = gui.add_dropdown("body", tuple(bodies) or (NOTHING,))
            hands = gui.add_button_group("hand", ("Grab", "Let go"))
            setting = gui.add_button("Set parameters")
            paths = gui.add_checkbox("paths", False)
            with gui.add_folder("Latch", expand_by_default=False):
                text = gui.add_text("what to hold", "")
                latch = gui.add_button("Latch")
                self._held = gui.add_dropdown("latched or drawn", (NOTHING,))
                release = gui.add_button("Release")
            with gui.add_folder("Draw"):
                kind = gui.add_dropdown("what", (FENCE, PATH))
                friction = gui.add_text("friction", "0")
                self._draw = gui.add_button(DRAW)
                self._drawing = gui.add_html("")
            with gui.add_folder("Time", expand_by_default=False):
                self._time = gui.add_html("")
        self._pause.on_click(lambda _: ask("pause", actions.toggle))
        then = {RESTART: actions.restart, REPLAY: actions.replay, END: actions.end}
        ending.on_click(lambda _: ask("then", then[ending.value]))
        hands.on_click(lambda _: ask("hands", lambda: self._hands(hands.value)))
        paths.on_update(lambda _: ask("paths", lambda: actions.show_paths(bool(paths.value))))
        setting.on_click(lambda _: ask("set", actions.set_parameters))
        latch.on_click(lambda _: ask("latch", lambda: actions.latch(str(text.value))))
        release.on_click(lambda _: ask("release", lambda: self._release()))
        self._draw.on_click(lambda _: ask("draw", lambda: self._drawn(kind.value, str(friction.value))))

    def close(self) -> None:
        """Show the button that begins a live run, and nothing else."""
        if self._folder is not None:
            self._folder.remove()
            self._folder = None
        self._begin.visible = True

    def _hands(self, what: str) -> None:
        if what == "Grab":
            self._actions.grab(self._body.value)
        else:
            self._actions.let_go()

    def _release(self) -> None:
        name = str(self._held.value).partition(": ")[0]
        if name != NOTHING:
            self._actions.release(name)

    def _drawn(self, kind: str, friction: str) -> None:
        if self._draw.label == DRAW:
            self._actions.draw()
        else:
            self._actions.finish_drawing(kind, self._body.value, friction)

    # -- what is shown -----------------------------------------------------------------------------

    def show_drawing(self, places: int | None) -> None:
        """Say how many places are drawn; None while nothing is."""
        self._draw.label = DRAW if places is None else DONE
        said = "" if places is None else words.note(f"{places} places; click in the scene, then {DONE}")
        self._drawing.content = said

    def show_holds(self, latches: dict[str, str], drawn: Sequence[str]) -> None:
        """List what can be released."""
        self._held.options = (*drawn, *(f"{name}: {text}" for name, text in latches.items())) or (NOTHING,)
        self._held.value = self._held.options[-1]

    def show_status(self, html: str, running: bool) -> None:
        """Say where it stands."""
        if self._status.content != html:
            self._status.content = html
        label = PAUSE if running else GO_ON
        if self._pause.label != label:
            self._pause.label = label

    def show_time(self, html: str) -> None:
        """Say how well it keeps time."""
        self._time.content = html
