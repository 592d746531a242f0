"""The buttons that play a run: play, speed, the slider of time, events to go to, and what the camera follows."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from typing import Any, Final, Protocol, final

from detent.results.event import Event
from detent.results.run import Run
from detent.results.visits import Visit
from detent.studio import words
from detent.studio.playback import SPEEDS, Playback
from detent.studio.stage import Stage
from detent.view.mode_colours import mode_colours

MOST_EVENTS: Final = 500
"""That are listed."""
SLIDER_EVERY: Final = 3
"""Frames after which the slider follows while it plays; the clock follows each."""
NOTHING, NO_EVENT = "nothing", "\N{EM DASH}"
PLAY, PAUSE = "Play", "Pause"


class Ask(Protocol):
    """Has something done by the thread that owns the page; of several things of one key that wait, the last."""

    def __call__(self, key: str, action: Callable[[], None]) -> None: ...


@final
class Transport:
    """The controls of a run that is shown on a stage."""

    def __init__(self, gui: Any, ask: Ask, stage: Stage, share: Callable[[Any], None]) -> None:
        self._gui, self._stage = gui, stage
        self.playback = Playback(0.0, 0.0)
        self._run: Run | None = None
        self._events: Sequence[Event] = ()
        self._visits: tuple[Visit, ...] = ()
        self._colours: dict[str, str] = {}
        self._frames = 0
        self._clock = gui.add_html("")
        self._button = gui.add_button(PLAY)
        self._folder = gui.add_folder(None)
        self._slider: Any = None
        self._ask = ask
        with gui.add_folder("View", expand_by_default=False):
            self._speed = gui.add_dropdown("speed", SPEEDS, initial_value="1")
            self._repeat = gui.add_checkbox("play again", False)
            self._follow = gui.add_dropdown("camera follows", (NOTHING,))
            look = gui.add_button("Look at all of it")
            self._share = gui.add_button("Share as one page")
        self._button.on_click(lambda _: ask("play", self.toggle))
        self._speed.on_update(lambda event: self._by_page(event, "speed", self._set_speed))
        self._repeat.on_update(lambda event: self._by_page(event, "repeat", self._set_speed))
        self._follow.on_update(lambda event: self._by_page(event, "follow", self._set_follow))
        look.on_click(lambda _: ask("look", stage.look))
        self._share.on_click(lambda event: ask("share", lambda: share(event.client)))

    def show(self, run: Run | None) -> None:
        """Stand at the beginning of a run."""
        self._run = run
        first, last = (0.0, 0.0) if run is None else (float(run.t[0]), float(run.t[-1]))
        self.playback = Playback(first, last)
        self._visits = () if run is None else run.modes
        self._colours = mode_colours(visit.mode for visit in self._visits)
        self._set_speed()
        self._follow.options = (NOTHING, *self._stage.points)
        self._follow.value = NOTHING
        self._list_events(run)
        self._button.visible = self._folder.visible = run is not None
        self._share.disabled = run is None or run.model is None
        self.display()

    def _list_events(self, run: Run | None) -> None:
        """Make the slider and the list of events anew, as their ends and entries change."""
        self._events = [] if run is None else [event for event in run.events[:MOST_EVENTS] if event.kind != "start"]
        self._folder.remove()
        self._folder = self._gui.add_folder(None, order=self._button.order + 0.5)
        playback = self.playback
        step = max((playback.last - playback.first) / 1000, 1e-9)
        with self._folder:
            self._slider = self._gui.add_slider(
                "time, s", playback.first, max(playback.last, playback.first + step), step, playback.first
            )
            lines = [words.event_line(number, event) for number, event in enumerate(self._events, 1)]
            choice = self._gui.add_dropdown("go to event", (NO_EVENT, *lines))
            steps = self._gui.add_button_group("event", ("previous", "next"))
            if run is not None and len(run.events) > MOST_EVENTS:
                self._gui.add_html(words.note(f"the first {MOST_EVENTS} of {len(run.events)} events are listed"))
        self._slider.on_update(lambda event: self._by_page(event, "slider", self._slid))
        choice.on_update(lambda event: self._by_page(event, "event", lambda: self._go_to_line(choice.value, lines)))
        steps.on_click(lambda event: self._ask("step", lambda: self.step(steps.value)))

    # -- what the page asks for --------------------------------------------------------------------

    def _by_page(self, event: Any, key: str, action: Callable[[], None]) -> None:
        """What is set from here calls back too, without a client."""
        if event.client_id is not None:
            self._ask(key, action)

    def toggle(self) -> None:
        """Play, or pause."""
        if self.playback.is_playing:
            self.playback.pause()
        else:
            self.playback.play()
        self.display()

    def play_on(self) -> None:
        """Play, and begin again at the end."""
        self._repeat.value = True
        self._set_speed()
        self.playback.play()
        self.display()

    def step(self, where: str) -> None:
        """Go to the next event or the one before."""
        times = [event.time for event in self._events]
        later = where == "next"
        found = [t for t in times if t > self.playback.time] if later else [t for t in times if t < self.playback.time]
        if found:
            self.go_to(min(found) if later else max(found))

    def go_to(self, time: float) -> None:
        """Stand at a time (s)."""
        self.playback.pause()
        self.playback.go_to(time)
        self.display()

    def _go_to_line(self, line: str, lines: Sequence[str]) -> None:
        if line in lines:
            self.go_to(self._events[lines.index(line)].time)

    def _slid(self) -> None:
        self.go_to(float(self._slider.value))

    def _set_speed(self) -> None:
        self.playback.speed = float(self._speed.value) if self._speed.value in SPEEDS else 1.0
        self.playback.repeats = bool(self._repeat.value)

    def _set_follow(self) -> None:
        self._stage.follow(None if self._follow.value == NOTHING else self._follow.value)

    # -- what is shown -----------------------------------------------------------------------------

    @property
    def mode(self) -> str:
        """The mode at the time that is shown; empty without a run."""
        if self._run is None:
            return ""
        before = bisect_right(self._visits, self.playback.time, key=lambda visit: visit.start)
        return self._visits[before - 1].mode if before else self._run.mode

    def display(self) -> None:
        """Show the time that it is."""
        label = PAUSE if self.playback.is_playing else PLAY
        if self._button.label != label:
            self._button.label = label
        if self._run is None:
            self._clock.content = ""
            return
        now, mode = self.playback.time, self.mode
        self._stage.go_to(now)
        self._frames += 1
        if not self.playback.is_playing or self._frames % SLIDER_EVERY == 0:
            self._slider.value = now
        self._clock.content = words.clock(now, mode, self._colours.get(mode, "#eeeeee"))
