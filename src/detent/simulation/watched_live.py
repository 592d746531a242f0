"""A live run that is let go on for a while, to see how well it keeps time."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final

from detent.errors import SimulationError

if TYPE_CHECKING:
    from detent.simulation.live import Live

LOOK_SECONDS: Final = 0.1


def watched(live: Live, seconds: float) -> SimulationError | None:
    """Let a live run go on for so many seconds of the clock beside an idle loop; why it ended before, if it did."""
    live.start(beside_idle=True)
    try:
        end = time.monotonic() + seconds
        while live.is_running and time.monotonic() < end:
            time.sleep(min(LOOK_SECONDS, max(0.0, end - time.monotonic())))
    finally:
        failure: SimulationError | None = None
        try:
            live.stop()
        except SimulationError as error:
            failure = error
    return failure
