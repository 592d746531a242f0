"""A studio that is open while a command lasts."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from detent.studio.studio import Studio


def check_viser() -> None:
    """Find out before the work starts whether its run can be shown."""
    from detent.studio.server import required_viser

    required_viser()


def new_studio(host: str = "127.0.0.1", port: int | None = None, folder: Path = Path(".")) -> Studio:
    from detent.studio.studio import Studio

    return Studio(host, port, folder)


def serve(studio: Studio, begin: Callable[[Studio], None], browser: bool) -> None:
    """Keep a studio open until it is interrupted, or the process is asked to end; leave nothing behind."""
    import signal
    import webbrowser

    def end(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, end)
    try:
        with studio:
            begin(studio)
            print(f"the studio is at {studio.address} (Ctrl-C closes it)", file=sys.stderr, flush=True)
            if browser:
                webbrowser.open(studio.address)
            with contextlib.suppress(KeyboardInterrupt):
                studio.wait_closed()
    finally:
        signal.signal(signal.SIGTERM, before)
