"""A watch as kernels see it: its fields, and its tape walked with intervals."""

from __future__ import annotations

from typing import Any, Final

from detent.events.watch_frame import CERTIFICATE, WATCH
from detent.jit.intrinsics import call, inlined, place_of, record_reader

as_watch: Final = record_reader(WATCH)
as_certificate: Final = record_reader(CERTIFICATE)


@inlined
def walk(watch: Any, order: int) -> None:
    """Bounds of all that is in the watch's tape, from those of its inputs, by a library of their own."""
    call(watch.walk, place_of(watch), 0.0, order, 0, 0)
