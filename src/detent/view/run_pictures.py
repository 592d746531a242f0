"""The pictures of a run that the command line can draw, by the name of their option."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, final

from detent.model.system import System
from detent.results.run import Run
from detent.view.animate import animate, check_animation
from detent.view.files import check_ending
from detent.view.plane import picture_plane
from detent.view.plot import plot
from detent.view.stroboscope import stroboscope


@final
@dataclass(frozen=True)
class RunPicture:
    """A kind of picture of a run.

    >>> RUN_PICTURES["strobe"].told
    'stroboscopic picture in'
    """

    told: str
    """What is said before the name of the file, when it has been written."""
    draw: Callable[[System, Run, str | os.PathLike[str], list[str] | None, str | None], Any]
    """Draws a run of the system to a file: of it what is named, against what is named, if anything is."""
    check: Callable[[System], Any] | None = None
    """Refuses a system that it cannot show, before that is run; None where it can show any."""
    check_file: Callable[[str | os.PathLike[str]], None] = check_ending
    """Refuses a file that it cannot write, before anything is run."""


def _curves(
    system: System, run: Run, path: str | os.PathLike[str], of: list[str] | None = None, against: str | None = None
) -> Any:
    return plot(run, path, of, system=system, against=against)


def _strobe(
    system: System, run: Run, path: str | os.PathLike[str], of: list[str] | None = None, against: str | None = None
) -> Any:
    return stroboscope(system, run, path)


def _animation(
    system: System, run: Run, path: str | os.PathLike[str], of: list[str] | None = None, against: str | None = None
) -> Any:
    return animate(run, path, system=system)


RUN_PICTURES: Final = {
    "plot": RunPicture("drawn in", _curves),
    "strobe": RunPicture("stroboscopic picture in", _strobe, picture_plane),
    "animate": RunPicture("animation in", _animation, check_file=check_animation),
}
