"""The part of the page in which a model is chosen, set and run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, final

from detent.errors import UnknownNameError
from detent.studio import words
from detent.studio.session import Session
from detent.studio.settings import UNTIL, Setting
from detent.studio.transport import Ask

NOTHING: Final = "choose a model ..."


@final
class ModelPanel:
    """Shows a session; what the page asks for is done by the functions given."""

    def __init__(
        self, gui: Any, ask: Ask, session: Session,
        open_model: Callable[[str], None], run: Callable[[], None], cancel: Callable[[], None],
    ) -> None:  # fmt: skip
        self._gui, self._session = gui, session
        self._choice = gui.add_dropdown("model", (NOTHING, *session.choices.names))
        self._run = gui.add_button("Run", disabled=True)
        self._cancel = gui.add_button("Cancel", visible=False)
        self._progress = gui.add_progress_bar(0.0, visible=False)
        self._error = gui.add_html("")
        self._title = gui.add_html("")
        self._folders: list[Any] = []
        self._inputs: dict[str, Any] = {}

        def chosen(event: Any) -> None:
            name = self._choice.value
            if event.client_id is not None and name != NOTHING:
                ask("open", lambda: open_model(name))

        self._choice.on_update(chosen)
        self._run.on_click(lambda _: ask("run", run))
        self._cancel.on_click(lambda _: ask("cancel", cancel))

    @property
    def texts(self) -> dict[str, str]:
        """What stands in the inputs, by name."""
        return {name: str(handle.value) for name, handle in self._inputs.items()}

    def give(self, values: Mapping[str, float]) -> None:
        """Put values into inputs, by name."""
        for name, value in values.items():
            if name not in self._inputs:
                raise UnknownNameError(name, self._inputs)
            self._inputs[name].value = repr(value)

    def show_model(self) -> None:
        """Make the inputs of what is open."""
        session = self._session
        self._choice.options = (NOTHING, *session.choices.names)
        self._choice.value = session.name if session.name in session.choices.names else NOTHING
        for folder in self._folders:
            folder.remove()
        self._folders, self._inputs = [], {}
        settings = session.settings
        if settings is not None:
            texts = settings.texts(session.run)
            self._folders.append(folder := self._gui.add_folder(None))
            with folder:
                self._inputs[UNTIL] = self._gui.add_text("run until, s", texts[UNTIL])
            self._add_folder("Parameters", [one for one in settings if one.kind == "parameters"], texts)
            self._add_folder("Start values", [one for one in settings if one.kind == "start"], texts)
        self.show_state()

    def _add_folder(self, label: str, settings: list[Setting], texts: Mapping[str, str]) -> None:
        if not settings:
            return
        self._folders.append(folder := self._gui.add_folder(label))
        with folder:
            for one in settings:
                unit = f", {one.unit}" if one.unit else ""
                self._inputs[one.name] = self._gui.add_text(f"{one.name}{unit}", texts[one.name])

    def show_state(self) -> None:
        """Say how far the work is and what is wrong."""
        session = self._session
        _set(self._run, "disabled", session.example is None or session.is_busy)
        _set(self._cancel, "visible", session.is_busy)
        _set(self._progress, "visible", session.is_busy)
        self._progress.value = round(100.0 * session.progress, 1)
        _set(self._error, "content", words.error(session.error))
        _set(self._title, "content", self._heading())

    def _heading(self) -> str:
        session = self._session
        if session.is_busy:
            return words.note(f"{session.name} is running")
        if session.note is not None:
            return words.note(session.note)
        if session.run is None:
            return ""
        return words.note(f"{session.run.outcome.word} at t = {session.run.t[-1]:.6g} s")


def _set(handle: Any, name: str, value: Any) -> None:
    """Set a property where it changes: each time is a message to the page."""
    if getattr(handle, name) != value:
        setattr(handle, name, value)
