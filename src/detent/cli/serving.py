"""A studio that is open while a command lasts."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from detent.studio.studio import Studio


HOST_HELP: Final = (
    "Let others in by this address of this machine. Whoever reaches it can run the models and the Python files of the "
    "folder, and read its saved runs: there is no password."
)


def warn_of_others(host: str, studio: Studio) -> None:
    """Say what it means that other machines reach a studio, if they do."""
    from detent.studio.gate import is_own

    if not is_own(host):
        print(
            f"detent: whoever reaches {host} can now run models and Python files of {studio.folder} here; "
            "there is no password",
            file=sys.stderr,
        )


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
        with studio, contextlib.suppress(KeyboardInterrupt):  # from the first word on: whoever reads it may end it
            begin(studio)
            print(f"the studio is at {studio.address} (Ctrl-C closes it)", file=sys.stderr, flush=True)
            if browser:
                webbrowser.open(studio.address)
            studio.wait_closed()
    finally:
        signal.signal(signal.SIGTERM, before)
