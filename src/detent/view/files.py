"""Files of pictures and texts: checked before the work, written whole or not at all, the same bytes each time."""

from __future__ import annotations

import io
import os
from pathlib import Path
from typing import IO, Any, Final

from detent.errors import ValueProblem
from detent.results.extras import require
from detent.results.whole_file import write_whole

PICTURES: Final = (".png", ".svg", ".pdf")

_METADATA: Final[dict[str, dict[str, Any]]] = {
    ".png": {"Software": None},
    ".svg": {"Date": None},
    ".pdf": {"CreationDate": None},
}
"""What would differ between two pictures of the same thing is left out."""


def check_ending(path: str | os.PathLike[str], endings: tuple[str, ...] = PICTURES, what: str = "pictures") -> None:
    """Refuse a file ending that cannot be written.

    >>> check_ending("run.gif")
    Traceback (most recent call last):
        ...
    detent.errors.ValueProblem: 'run.gif' ends in '.gif'; pictures are written as .png, .svg, .pdf
    """
    ending = Path(path).suffix.lower()
    if ending not in endings:
        raise ValueProblem(f"'{path}' ends in '{ending}'; {what} are written as {', '.join(endings)}")


def new_figure(purpose: str, **settings: Any) -> Any:
    """A matplotlib figure that belongs to no window, and shows itself in a notebook; needs the extra ``plot``."""
    require("matplotlib.figure", purpose, extra="plot")
    from detent.view.shown_figure import ShownFigure

    return ShownFigure(**settings)


def write_picture(figure: Any, path: str | os.PathLike[str]) -> None:
    """Write a figure in the format that the ending says."""
    write_whole(path, lambda file: _draw(figure, file, Path(path).suffix.lower()))


def svg_text(figure: Any) -> str:
    """A figure as the text of an SVG file."""
    file = io.BytesIO()
    _draw(figure, file, ".svg")
    return file.getvalue().decode("utf-8")


def _draw(figure: Any, file: IO[bytes], ending: str) -> None:
    import matplotlib

    with matplotlib.rc_context({"svg.hashsalt": "detent"}):
        figure.savefig(file, format=ending[1:], dpi=130, metadata=_METADATA[ending])


def write_text(text: str, path: str | os.PathLike[str]) -> None:
    """Write a text, in UTF-8."""
    write_whole(path, lambda file: file.write(text.encode("utf-8")))
