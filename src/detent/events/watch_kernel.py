"""A watch as kernels see it: its fields, and its tape walked with intervals."""

from __future__ import annotations

from typing import Any, Final

from detent.events.enclosure_frame import JET
from detent.events.watch_frame import CERTIFICATE, WATCH
from detent.jit.abi import WORD
from detent.jit.intrinsics import as_doubles, as_words, call, called, inlined, place_of, record_reader

as_watch: Final = record_reader(WATCH)
as_certificate: Final = record_reader(CERTIFICATE)


@called
def load_values(watch: Any, values: int) -> None:
    """Run-time values into their slots."""
    jets, places, numbers = as_doubles(watch.jets), as_words(watch.values), as_doubles(values)
    for k in range(watch.value_count):
        slot = JET * places[2 * k]
        jets[slot] = jets[slot + 1] = numbers[places[2 * k + 1]]
    tables, drawn = as_words(watch.tables), as_words(watch.drawn)
    for k in range(watch.drawn_count):
        tables[drawn[2 * k]] = values + WORD * drawn[2 * k + 1]


@inlined
def walk(watch: Any, order: int) -> None:
    """Bounds of all that is in the watch's tape, from those of its inputs, by a library of their own."""
    call(watch.walk, place_of(watch), 0.0, order, 0, 0)


@inlined
def drop_anchors(watch: Any) -> None:
    """Bounds at a point, whose jets are in the slots of what the tape reads, kept for :func:`walk_from_anchors`."""
    call(watch.walk_anchored, place_of(watch), 0.0, 1, 0, 0)


@inlined
def walk_from_anchors(watch: Any, width: float) -> None:
    """As :func:`walk` to the second order, over a piece of some width that begins at the point of the anchors."""
    call(watch.walk_anchored, place_of(watch), width, 2, 0, 0)
