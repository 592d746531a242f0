"""What the page says: pieces of HTML in which no text of a model is taken for markup.

viser's Markdown is a program to the browser; names in models and files may come from anyone, so they are escaped.
"""

from __future__ import annotations

import base64
import html
from typing import Final

import numpy as np

from detent.model.contact import ContactStatus
from detent.results.event import Event
from detent.results.run import Run

LONGEST: Final = 20_000
"""Characters of a text; of a longer one its beginning is shown."""
_PLAIN: Final = "margin:0;font:12px/1.45 ui-monospace,monospace;white-space:pre-wrap;overflow-wrap:anywhere"
_TABLE: Final = "margin:.4em .75em;font-size:12px;border-spacing:.8em .2em;text-align:left"
_BOX: Final = "margin:.4em .75em;padding:.5em .7em;border-radius:4px;"


def plain(text: str) -> str:
    """A text as it is, in a type of equal widths.

    >>> "&lt;b&gt;" in plain("<b>")
    True
    """
    cut = text if len(text) <= LONGEST else text[:LONGEST] + "\n..."
    return f'<pre style="{_PLAIN};margin:.4em .75em">{html.escape(cut)}</pre>'


def error(text: str | None) -> str:
    """What is wrong."""
    if not text:
        return ""
    return (
        f'<div role="alert" style="{_BOX}background:#fdecea;border:1px solid #e0a39c;color:#7a1f16">'
        f'<pre style="{_PLAIN}">{html.escape(text[:LONGEST])}</pre></div>'
    )


def note(text: str | None) -> str:
    """Something to know, in small type."""
    return f'<div style="margin:.3em .75em;font-size:13px;color:#555">{html.escape(text)}</div>' if text else ""


def clock(time: float, mode: str, colour: str) -> str:
    """What time it is and which mode the run is in."""
    return (
        f'<div style="margin:.4em .75em;font-size:14px"><span data-role="time">t = {time:.6f} s</span>'
        f'&ensp;<span data-role="mode" style="background:{colour};border-radius:4px;padding:.1em .5em">'
        f"{html.escape(mode)}</span></div>"
    )


def live_standing(time: float, mode: str, held: str, failure: str | None) -> str:
    """Where a live run stands, what a hand feels, and why it goes on no longer."""
    hand = f'<div data-role="hand">the hand on {html.escape(held)}</div>' if held else ""
    return (
        f'<div style="margin:.4em .75em;font-size:14px"><span data-role="live">t = {time:.3f} s</span>'
        f'&ensp;<span data-role="live-mode">{html.escape(mode)}</span>{hand}</div>{error(failure)}'
    )


def picture(svg: str, told: str) -> str:
    """A picture, whole and below that as large as it is, to be scrolled; as an image nothing in it is run."""
    data = base64.b64encode(svg.encode("utf-8")).decode("ascii")
    image = f'<img alt="{html.escape(told)}" src="data:image/svg+xml;base64,{data}" style='
    return (
        f'{image}"width:100%;background:#fff"><div style="overflow:auto;max-height:60vh;border-top:1px solid #ddd">'
        f'{image}"max-width:none;background:#fff"></div>'
    )


def event_line(number: int, event: Event) -> str:
    """An event on a line of a list."""
    modes = "" if event.source == event.target else f": {event.source} \N{RIGHTWARDS ARROW} {event.target}"
    return f"{number}.  {event.time:.6g} s  {event.kind} {event.name}{modes}"[:200]


def contacts(run: Run, time: float) -> str:
    """A table of what contacts do at a time (s)."""
    courses = [course for contact in run.contacts.values() for course in contact.values()]
    if not courses:
        return note("this run has no contacts")
    node = max(int(np.searchsorted(run.t, time, side="right")) - 1, 0)
    rows = "".join(
        f"<tr><td>{html.escape(course.place)}</td>"
        f"<td>{ContactStatus(int(course.status[node])).name.lower()}</td>"
        f"<td>{_number(float(course.gap[node]))}</td><td>{_number(float(course.normal[node]))}</td>"
        f"<td>{_number(float(np.linalg.norm(course.friction[node])))}</td></tr>"
        for course in courses
    )
    head = "<tr><th>place</th><th>status</th><th>gap, m</th><th>normal, N</th><th>friction, N</th></tr>"
    return (
        f'<table style="margin:.4em .75em;font-size:12px;border-spacing:.8em .2em;text-align:left">{head}{rows}</table>'
    )


def _number(value: float) -> str:
    return "unknown" if np.isnan(value) else f"{value:.4g}"
