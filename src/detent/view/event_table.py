"""The events of a run as a table for a terminal."""

from __future__ import annotations

import sys
from typing import Any, Final

from detent.errors import ValueProblem
from detent.results.event import Event, EventLog

SHOWN: Final = 20
"""Rows, if nothing is said."""
MOST_DETAILS: Final = 2
WIDE: Final = 200
"""Columns, where what is printed goes to a file or another program."""


def read_most(text: str) -> int | None:
    """How many events are to be shown: a number, or ``all``.

    >>> read_most("12"), read_most("all")
    (12, None)
    """
    if text == "all":
        return None
    if not text.isdecimal():
        raise ValueProblem(f"--events is {text!r}; give a whole number, or 'all'")
    return int(text)


def event_table(events: EventLog, most: int | None = SHOWN) -> Any:
    """A rich table of at most this many events: the first, and the last quarter; what is between is counted.

    >>> from detent.results import sample_run
    >>> print_events(sample_run().events)
      t   kind     name    from     to       details
     ────────────────────────────────────────────────────
      1   impact   floor   flight   flight   impulse 7.5
    """
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, show_edge=False)
    table.add_column("t", justify="right", no_wrap=True)
    for name in ("kind", "name", "from", "to", "details"):
        table.add_column(name, overflow="fold")
    first, cut, last = _split(events, most)
    for event in first:
        table.add_row(*(Text(cell, _style(event.kind)) for cell in _cells(event)))
    if cut:
        table.add_row("...", Text(f"{cut} more", "dim"))
    for event in last:
        table.add_row(*(Text(cell, _style(event.kind)) for cell in _cells(event)))
    return table


def print_events(events: EventLog, most: int | None = SHOWN) -> None:
    """Print the table; nothing where there are no events."""
    from rich.console import Console

    if len(events) == 0 or most == 0:
        return
    console = Console(file=sys.stdout, highlight=False)
    if not console.is_terminal:
        console = Console(file=sys.stdout, highlight=False, width=WIDE)
    with console.capture() as captured:
        console.print(event_table(events, most))
    print("\n".join(line.rstrip() for line in captured.get().splitlines()))


def _split(events: EventLog, most: int | None) -> tuple[EventLog, int, EventLog]:
    """The events that are shown first, how many are left out, and those that are shown last."""
    if most is None or len(events) <= most:
        return events, 0, EventLog()
    last = most // 4
    return events[: most - last], len(events) - most, events[len(events) - last :]


def _cells(event: Event) -> list[str]:
    details = [_detail(name, value) for name, value in event.details.items() if value != 0]
    more = ["..."] if len(details) > MOST_DETAILS else []
    told = ", ".join(details[:MOST_DETAILS] + more)
    return [f"{event.time:.12g}", event.kind, event.name, event.source, event.target, told]


def _detail(name: str, value: float | str) -> str:
    return f"{name} {value}" if isinstance(value, str) else f"{name} {value:.6g}"


def _style(kind: str) -> str:
    return {"impact": "red", "zeno": "magenta", "transition": "", "input": "blue"}.get(kind, "dim")
