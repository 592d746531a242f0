"""What it costs to show a run in the browser: the processor time of the server, with a reader in another process."""

from __future__ import annotations

import subprocess
import sys
import time
from typing import Final

import detent
from detent.errors import MissingExtraError
from detent.studio.studio import Studio

from .runner import Row

TITLE = "the studio: processor time of its server"

BODIES: Final = 100
FRAMES: Final = 300
FRAMES_IF_QUICK: Final = 3
A_SECOND: Final = 30
LIMIT: Final = 5.0
"""Percent of a core."""

_READER: Final = """
import sys
from websockets.sync.client import connect
port, protocol = sys.argv[1:]
own = f"http://127.0.0.1:{port}"
with connect(f"ws://127.0.0.1:{port}", subprotocols=[protocol], origin=own, max_size=None) as page:
    page.recv()
    print("here", flush=True)
    for _ in page:
        pass
"""


def run(quick: bool) -> list[Row]:
    """One row: a chain that plays, by the processor time of each frame.

    >>> [row.unit for row in run(quick=True)]
    ['%']
    """
    example = detent.example("chain", links=3 if quick else BODIES)
    result = example.simulate(until=4)
    try:
        studio = Studio(port=0)
    except MissingExtraError as missing:
        return [Row("a playing run", "%", note=str(missing))]
    with studio:
        studio.show(example, result)
        studio.settle()
        studio.settle_words()
        each = _seconds_of_a_frame(studio, FRAMES_IF_QUICK if quick else FRAMES)
    return [
        Row.within(
            LIMIT, f"a playing run of {len(example.system.bodies)} bodies at {A_SECOND} Hz, of a core", unit="%",
            ours=100 * each * A_SECOND, note=f"processor time {1e3 * each:.3g} ms a frame, curves included",
        )
    ]  # fmt: skip


def _seconds_of_a_frame(studio: Studio, frames: int) -> float:
    """Processor time of this process for each frame that is shown to a page, while it plays."""
    from viser import __version__

    arguments = [sys.executable, "-c", _READER, str(studio.port), f"viser-v{__version__}"]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True) as reader:
        try:
            assert reader.stdout is not None
            reader.stdout.readline()
            studio.play()
            while studio.frames_shown < 10:
                time.sleep(0.05)
            before, began = studio.frames_shown, time.process_time()
            while studio.frames_shown < before + frames:
                time.sleep(0.05)
            return (time.process_time() - began) / (studio.frames_shown - before)
        finally:
            reader.kill()
