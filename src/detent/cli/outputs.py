"""The files and pictures that a command is to write: whether they can be is found out before the work starts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from detent.errors import ValueProblem

if TYPE_CHECKING:
    from detent.gallery.example import Example
    from detent.view.run_pictures import RunPicture


def check_outputs(files: Sequence[Path | None], pictures: Mapping[str, Path] | None = None) -> None:
    """Find out before the work starts whether its results can be written; pictures go by their options."""
    wanted = pictures or {}
    for path in (*files, *wanted.values()):
        if path is not None and not path.resolve().parent.is_dir():
            raise ValueProblem(f"{path} cannot be written: there is no folder {path.resolve().parent}; create it first")
        if path is not None and path.is_dir():
            raise ValueProblem(f"{path} cannot be written: it is a folder; give the name of a file")
    for option, path in wanted.items():
        from detent.view.run_pictures import RUN_PICTURES

        RUN_PICTURES[option].check_file(path)


def check_asked(of: list[str] | None, against: str | None, plot: Path | None, table: Path | None) -> None:
    """That what is chosen is also shown."""
    if of and plot is None and table is None:
        raise ValueProblem("--of says what to draw or write, which needs --plot or --csv; add one, or leave --of out")
    if against is not None and (plot is None or not of):
        raise ValueProblem("--against needs --plot and at least one --of: what is to be drawn against it; add them")


def checked_pictures(example: Example, wanted: dict[str, Path]) -> list[tuple[RunPicture, Path]]:
    """The pictures that are wanted, by their options; each finds out before the run whether it can show it."""
    if not wanted:
        return []
    from detent.view.run_pictures import RUN_PICTURES

    pictures = [(RUN_PICTURES[option], path) for option, path in wanted.items()]
    for picture, _ in pictures:
        if picture.check is not None:
            picture.check(example.system)
    return pictures
