"""A run for a command: what it remarks goes to standard error."""

from __future__ import annotations

import contextlib
import sys
import warnings
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from detent.errors import DetentError, DetentWarning, SimulationError

if TYPE_CHECKING:
    from detent.gallery.example import Example
    from detent.results.run import Run


def simulated(example: Example, changes: dict[str, Any], quiet: bool) -> tuple[Run, DetentError | None]:
    """The run of an example with some options changed, and what ended it before its time."""
    try:
        with remarks_at_once():
            return example.simulate(**changes, progress=False if quiet else None), None
    except SimulationError as error:
        if error.run is None:
            raise
        return error.run, error


@contextlib.contextmanager
def remarks_at_once() -> Iterator[None]:
    """What a run remarks goes to standard error while it runs, in words alone."""

    def show(message: Warning | str, category: type[Warning], *where: Any, **more: Any) -> None:
        print(f"detent: {message}", file=sys.stderr, flush=True)

    with warnings.catch_warnings():
        warnings.simplefilter("always", DetentWarning)
        warnings.showwarning = show
        yield
