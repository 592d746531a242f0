"""The automaton with the present mode lit, and the equations of that mode."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import Any, final

from detent.errors import DetentError
from detent.gallery.example import Example
from detent.results.run import Run
from detent.studio import words


@final
class ModePanel:
    """A piece of the page that depends on the mode alone: made by another thread, once for each mode."""

    def __init__(self, gui: Any, container: Any, make: Callable[[str], str]) -> None:
        with container:
            self._html = gui.add_html("")
        self._make = make
        self._made: dict[str, Future[str]] = {}
        self._shown: tuple[str, bool] | None = None

    def forget(self) -> None:
        """Another run is shown from here on."""
        for each in self._made.values():
            each.cancel()
        self._made, self._shown = {}, None

    def show(self, mode: str, workers: ThreadPoolExecutor) -> None:
        """Show a mode, as soon as what is to be shown is there."""
        if mode not in self._made:
            self._made[mode] = workers.submit(self._text, mode)
        made = self._made[mode]
        state = (mode, made.done())
        if state != self._shown:
            self._shown = state
            self._html.content = made.result() if made.done() else words.note("one moment ...")

    def wait(self) -> None:
        """Come back when all that is being made is there."""
        wait(list(self._made.values()))

    def clear(self) -> None:
        """Show nothing."""
        self.forget()
        self._html.content = ""

    def _text(self, mode: str) -> str:
        try:
            return self._make(mode)
        except DetentError as error:
            return words.note(str(error))
        except Exception as error:  # in another thread nobody else would say so
            return words.error(f"{type(error).__name__}: {error}")


def automaton_picture(example: Example, run: Run, mode: str) -> str:
    """The automaton as the run visited it, with a mode lit."""
    from detent.view.automaton_graph import draw_automaton
    from detent.view.files import svg_text

    shown = example.automaton or (example.system if example.system.contacts else None)
    if shown is None:
        return words.note("this model has no automaton: its constraints do not change by themselves")
    return words.picture(svg_text(draw_automaton(shown, None, run).figure(lit=mode)), f"the automaton in mode {mode}")


def equations_text(example: Example, mode: str) -> str:
    """The equations of motion in a mode."""
    from detent.simulation.equations import equations

    return words.plain(equations(example, mode).text())
