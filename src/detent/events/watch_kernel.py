"""A watch as kernels see it: its fields, and its tape walked with intervals."""

from __future__ import annotations

from typing import Any, Final

from detent.events.enclosure_frame import JET
from detent.events.watch_frame import ANCHOR, CERTIFICATE, WATCH
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
def drop_anchors(watch: Any, clock: float) -> None:
    """Bounds at a point, whose jets are in the slots of what the tape reads, kept for :func:`walk_from_anchors`.

    ``clock`` is what the time is known to, in parts of the step.
    """
    as_doubles(watch.anchors)[ANCHOR * watch.length] = clock
    call(watch.walk_anchored, place_of(watch), 0.0, 0, 0, 0)


@inlined
def walk_from_anchors(watch: Any, width: float, order: int) -> None:
    """As :func:`walk`, over a piece of some width that begins at the point of the anchors; order 1 or 2."""
    call(watch.walk_anchored, place_of(watch), width, order, 0, 0)
