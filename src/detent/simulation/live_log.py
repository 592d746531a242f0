"""A log of how well a live run keeps time: a line of JSON for each thing worth knowing, appended as it comes.

Each line is written whole, by one call of the system: whoever ends the process, and however, what stands in the file
can be read line by line.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, final

from detent.errors import DetentError, ValueProblem

if TYPE_CHECKING:
    from detent.simulation.live_timing import LiveTiming

LINE_SECONDS: Final = 1.0
"""How often a line says how it is, s of the clock."""


@final
class LiveLog:
    """Lines about one live run, at the end of a file.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     log = LiveLog(Path(folder) / "bead.jsonl")
    ...     log.put("start", {"model": "bead", "period_ms": 1.0})
    ...     line = json.loads(log.path.read_text())
    >>> line["kind"], line["model"]
    ('start', 'bead')
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self.failure: str | None = None
        """Why nothing more was written, if something went wrong."""
        self._told: dict[str, float | None] = {}
        try:
            os.close(self._opened())
        except OSError as error:
            raise ValueProblem(f"the log {self.path} cannot be written: {error.strerror}; name another file") from error

    def _opened(self) -> int:
        return os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)

    def put(self, kind: str, told: Mapping[str, Any]) -> None:
        """Append a line. Where that fails nothing more is written, and the run goes on."""
        if self.failure is not None:
            return
        now = datetime.now(UTC).isoformat(timespec="milliseconds")
        line = (json.dumps({"at": now, "kind": kind, **told}, allow_nan=False) + "\n").encode()
        try:
            file = self._opened()
            try:
                if os.write(file, line) != len(line):
                    self.failure = "the disk is full"
            finally:
                os.close(file)
        except OSError as error:
            self.failure = error.strerror or str(error)

    def look(self, kind: str, timing: LiveTiming, time: float, mode: str, **more: Any) -> None:
        """Append a line about each mode that is new, or has native code by now, then one about the time kept so far."""
        found = timing.as_json()
        for each in found.pop("modes"):
            if self._told.get(each["mode"], -1.0) != each["native_ms"]:
                self._told[each["mode"]] = each["native_ms"]
                self.put("mode", each)
        self.put(kind, {"t": time, "mode": mode, **found, **more})

    def check(self) -> None:
        """That all was written; an error says why not."""
        if self.failure is not None:
            why, self.failure = self.failure, None
            raise DetentError(
                f"the log {self.path} ends before the run does: {why}; give it room, or name another file"
            )
