"""What can be opened in the studio: the gallery, and the model files and saved runs of one folder.

A page names one of these and no file of its own choice: opening a model file runs it.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final, final

from detent.errors import UnknownNameError
from detent.gallery.example import NAMES

MODEL, RUN = ".py", ".nc"
MOST_FILES: Final = 200
LARGEST_MODEL: Final = 2**20
"""A larger Python file is not looked into, bytes."""


@final
@dataclass(frozen=True)
class ExampleChoices:
    """The names of examples, and files by their names.

    >>> "pendulum" in ExampleChoices().names
    True
    """

    files: tuple[Path, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """All that can be opened: files first, for they are the user's own."""
        return (*(path.name for path in self.files), *NAMES)

    def file(self, name: str) -> Path | None:
        """The file of that name; None for an example."""
        for path in self.files:
            if path.name == name:
                return path
        if name not in NAMES:
            raise UnknownNameError(name, self.names, what="model")
        return None

    def with_file(self, path: Path) -> ExampleChoices:
        """The same with one file more; one of the same name gives way to it."""
        others = tuple(other for other in self.files if other.name != path.name)
        return ExampleChoices((path.resolve(), *others))


def choices_in(folder: Path) -> ExampleChoices:
    """The gallery, with the folder's saved runs and the Python files in it that speak of detent.

    >>> choices_in(Path("no such folder")).files
    ()
    """
    if not folder.is_dir():
        return ExampleChoices()
    found = [path.resolve() for path in sorted(folder.iterdir()) if path.is_file() and _is_ours(path)]
    return ExampleChoices(tuple(found[:MOST_FILES]))


def _is_ours(path: Path) -> bool:
    if path.suffix == RUN:
        return True
    try:
        return path.suffix == MODEL and path.stat().st_size <= LARGEST_MODEL and b"detent" in path.read_bytes()
    except OSError:
        return False
