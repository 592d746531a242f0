"""What is open in the studio: a model, what was set, its run, and the work on the next one. It knows no page."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, final

from detent.errors import DetentError
from detent.gallery.example import NAMES, Example, example
from detent.gallery.model_file import example_from_file
from detent.results.load import load
from detent.results.run import Run
from detent.studio.choices import RUN, ExampleChoices
from detent.studio.settings import ExampleSettings
from detent.studio.work import Work


@final
class Session:
    """One model at a time.

    >>> session = Session(ExampleChoices())
    >>> session.open("pendulum")
    >>> session.run_again({"until": "1"})
    >>> session.wait()
    True
    >>> session.run
    <Run 'pendulum': completed at t = 1, ...>
    """

    def __init__(self, choices: ExampleChoices) -> None:
        self.choices = choices
        self.name = ""
        self.example: Example | None = None
        """What can be run again; None for a saved run whose model is not known."""
        self.settings: ExampleSettings | None = None
        self.run: Run | None = None
        self.error: str | None = None
        """What is wrong, in the words of the command line."""
        self.note: str | None = None
        self._work: Work | None = None

    def open(self, name: str, **structure: float) -> None:
        """Open an example or a file by its name; of a saved run there is then a run, of a model none yet.

        ``structure`` sets structural arguments of an example.
        """
        self.cancel()
        self.name, self.run, self.example, self.settings = name, None, None, None
        self.error = self.note = None
        try:
            path = self.choices.file(name)
            if path is None:
                self._take(example(name, **structure))
            elif path.suffix == RUN:
                self._load(path)
            else:
                self._take(_from_file(path))
        except DetentError as error:
            self.error = str(error)

    def show(self, made: Example, run: Run) -> None:
        """Open a run that was made elsewhere."""
        self.cancel()
        self.name, self.error, self.note = made.name, None, None
        self._take(made)
        self.run = run

    def run_again(self, texts: Mapping[str, str]) -> None:
        """Begin a run with some values changed; texts are read by the allow-list. What runs now is cancelled."""
        self.cancel()
        self.error = None
        if self.example is None or self.settings is None:
            self.error = f"'{self.name}' is a saved run without its model; open the model to run it"
            return
        try:
            self._work = Work(self.example, self.settings.changes(texts))
        except DetentError as error:
            self.error = str(error)

    def live_model(self, texts: Mapping[str, str]) -> tuple[Example, Run, dict[str, Any]]:
        """A model of its own for a live run, a run that it looks like, and what is set."""
        if self.example is None or self.settings is None or self.run is None:
            raise DetentError("open a model, and let it run once, before it goes live")
        path = self.choices.file(self.name) if self.name in self.choices.names else None
        if path is not None and path.suffix != RUN:
            made = _from_file(path)
        else:
            made = example(self.example.name, **self.example.structure)
        return made, self.run, self.settings.changes(texts)

    def take(self, run: Run, note: str) -> None:
        """Show a run of the same model that was made elsewhere."""
        self.run, self.note, self.error = run, note, None

    @property
    def is_busy(self) -> bool:
        """Whether a run is being made."""
        return self._work is not None

    @property
    def progress(self) -> float:
        """How much of the run that is being made is done, from 0 to 1."""
        return 1.0 if self._work is None else self._work.progress

    def take_up(self) -> bool:
        """Take the run that is done, if one is; the one before stays where there is none."""
        work = self._work
        if work is None or not work.is_done:
            return False
        self._work = None
        self.error = work.error
        self.run = work.run or self.run
        return True

    def wait(self, seconds: float | None = None) -> bool:
        """Wait for the run that is being made, or so many seconds, and take it up."""
        if self._work is not None:
            self._work.wait(seconds)
        return self.take_up()

    def cancel(self) -> None:
        """End the run that is being made; what there is of it is taken up."""
        if self._work is not None:
            self._work.cancel()
            self.take_up()

    def _take(self, made: Example) -> None:
        self.settings = ExampleSettings(made)
        self.example = made

    def _load(self, path: Path) -> None:
        run = self.run = load(path)
        self.note = f"the run '{run.name}' as it was saved; its model is not known, so it is not drawn in space"
        if run.name not in NAMES:
            return
        made = example(run.name)
        try:
            self.run = run.with_model(made.automaton or made.system)
        except DetentError:  # a model of the same name, or built with other numbers of parts
            return
        self._take(made)
        self.note = f"the run '{run.name}' as it was saved, with the model of that name from the gallery"


def _from_file(path: Path) -> Example:
    try:
        return example_from_file(path)
    except SystemExit as stop:  # a model is to be left behind; a file that ends the program leaves none
        raise DetentError(f"{path} ended the program (exit code {stop.code}); remove the call of exit") from None
