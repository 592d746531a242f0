"""A run as one page of HTML that plays it, with its events and its curves, and fetches nothing.

Written by hand rather than with a viewer of scenes, as it must also show curves and jump to events: the static page of
viser 1.1 has neither, and takes 1.0 MB for 10 bodies in 300 frames where this one takes 0.5 MB, curves and traces
included.
"""

from __future__ import annotations

import base64
import html
import json
import math
from collections.abc import Sequence
from importlib.resources import files
from typing import Any, Final, final

import numpy as np

from detent.hybrid.automaton import system_of
from detent.jit.arrays import FloatArray
from detent.model.solid import Solid
from detent.results.event import Event
from detent.results.run import Run
from detent.results.visits import visits
from detent.view.colours import CURVES, FORCE, TRACES, body_colours
from detent.view.curves import Curves, curves
from detent.view.mode_colours import mode_colours
from detent.view.panels import panels_of
from detent.view.piece import Piece
from detent.view.scene import Scene
from detent.view.time_marks import thinned

MOST_EVENTS: Final = 1000
"""That are listed; the last of them is the last of all."""
MOST_CURVES: Final = 10
"""In one panel."""
MOST_POINTS: Final = 1000
"""Of a curve, besides those at its breaks."""


def event_times(run: Run) -> FloatArray:
    """When the events are that a page lists, each time once, where the run has a state then."""
    times = np.unique([event.time for event in _listed(run)])
    if run.trajectory.dense is None:
        return np.intersect1d(times, run.t)
    inside: FloatArray = times[(times >= run.t[0]) & (times <= run.t[-1])]
    return inside


def animation_page(run: Run, scene: Scene, fps: float, speed: float) -> str:
    """The whole page.

    >>> import detent
    >>> from detent.view.scene import scene_of
    >>> run = detent.example("pendulum").simulate(until=1)
    >>> page = animation_page(run, scene_of(run, np.linspace(0, 1, 31)), 30, 1)
    >>> page.splitlines()[0], "//" in page.split('id="data"')[0]
    ('<!DOCTYPE html>', False)
    """
    folder = files("detent.view") / "page"
    template, style, script = (
        (folder / f"player.{kind}").read_text(encoding="utf-8") for kind in ("html", "css", "js")
    )
    data = json.dumps(_data(run, scene, fps, speed), ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    parts = {
        "title": html.escape(run.name), "style": style.strip(), "script": script.strip(),
        # In a script element only a closing tag or a comment could end the data, so no letter of these is left in it.
        "data": data.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026"),
    }  # fmt: skip
    pieces = template.split("@")  # text and names of parts in turn
    return "".join(parts.get(piece, f"@{piece}") if number % 2 else piece for number, piece in enumerate(pieces))


@final
class _Store:
    """What a page holds of numbers and of faces, each once however often it is drawn."""

    def __init__(self) -> None:
        self.kept: dict[str, int] = {}

    def __call__(self, values: FloatArray, kind: str = "f4") -> int:
        """Keep numbers, little-endian in base 64, and return their place in the store."""
        plain = np.ascontiguousarray(values, dtype=f"<{kind}")
        return self._place({"kind": kind, "bytes": base64.b64encode(plain.tobytes()).decode("ascii")})

    def solid(self, solid: Solid) -> int:
        places = self(np.array(solid.places))
        return self._place({"places": places, "faces": solid.faces, "tones": solid.tones})

    def _place(self, thing: dict[str, Any]) -> int:
        return self.kept.setdefault(json.dumps(thing, separators=(",", ":")), len(self.kept))

    def things(self) -> list[Any]:
        return [json.loads(text) for text in self.kept]


def _data(run: Run, scene: Scene, fps: float, speed: float) -> dict[str, Any]:
    store = _Store()
    return {**_shown(run, scene, fps, speed, store), "curves": _curves(run, store), "store": store.things()}


def _shown(run: Run, scene: Scene, fps: float, speed: float, store: _Store) -> dict[str, Any]:
    first, last = float(scene.times[0]), float(scene.times[-1])
    colours = body_colours(piece.name for piece in scene.pieces)
    shades = mode_colours(visit.mode for visit in visits(run))
    shades = shades if len(shades) > 1 else dict.fromkeys(shades, "#ffffff")
    touches = scene.touches
    return {
        "name": scene.name,
        "times": store(scene.times, "f8"),
        "digits": max(0, min(6, math.ceil(-math.log10(speed / fps)) + 1)),
        "speed": speed,
        "planar": scene.planar,
        "size": scene.size,
        "camera": {
            "middle": scene.camera.middle.tolist(), "axes": scene.camera.axes.tolist(), "width": scene.camera.width,
            "height": scene.camera.height, "upwards": scene.camera.upwards.tolist(),
        },
        "points": {name: store(places) for name, places in scene.points.items()},
        "rods": scene.rods,
        "hinges": scene.hinges,
        "masses": scene.masses,
        "pieces": [_piece(piece, colours[piece.name], store) for piece in scene.pieces],
        "traces": [
            {"name": trace.name, "times": store(trace.times, "f8"), "places": store(trace.places), "colour": colour}
            for trace, colour in zip(scene.traces, _again(TRACES, len(scene.traces)), strict=True)
        ],
        "touches": None if touches is None else {
            "names": touches.names, "points": store(touches.points), "forces": store(touches.forces),
            "touching": "".join("01"[touch] for touch in touches.touching.ravel().astype(int)),
            "largest": touches.largest,
        },
        "force_colour": FORCE,
        "modes": [
            {"mode": visit.mode, "start": visit.start, "end": visit.end, "colour": shades[visit.mode]}
            for visit in visits(run)
        ],
        "events": [{"time": event.time, "text": _told(event)} for event in _listed(run)],
        "event_words": _event_words(run),
        "marks": thinned([event.time for event in _listed(run)], first, last),
    }  # fmt: skip


def _piece(piece: Piece, colour: str, store: _Store) -> dict[str, Any]:
    from scipy.spatial.transform import Rotation

    solid = piece.solid
    return {
        "name": piece.name, "kind": piece.kind, "colour": colour,
        "places": store(piece.places),
        "turns": store(Rotation.from_matrix(piece.turns).as_quat()[:, [3, 0, 1, 2]]),
        "lines": [store(line) for line in piece.lines],
        "solid": None if solid is None else store.solid(solid),
        "since": None if piece.since is None or piece.since == -math.inf else piece.since,
        "until": None if piece.until == math.inf else piece.until,
    }  # fmt: skip


def _again(colours: Sequence[str], count: int) -> list[str]:
    return [colours[number % len(colours)] for number in range(count)]


# -- events and curves -------------------------------------------------------------------------


def _listed(run: Run) -> list[Event]:
    """The events of a run, the first thousand of them at most."""
    return [event for event in run.events[:MOST_EVENTS] if event.kind != "start"]


def _told(event: Event) -> str:
    modes = "" if event.source == event.target else f": {event.source} \N{RIGHTWARDS ARROW} {event.target}"
    return f"{event.time:.9g} s  {event.kind} {event.name}{modes}"


def _event_words(run: Run) -> str:
    count, listed = len(run.events), len(_listed(run))
    words = "1 event" if listed == 1 else f"{listed} events"
    return words if count <= MOST_EVENTS else f"the first {listed} of {count} events"


def _curves(run: Run, store: _Store) -> dict[str, Any]:
    chosen = panels_of(run, None)
    drawn = curves(run, system_of(run.model))
    kept = _kept(drawn)
    panels = [
        {
            "heading": heading if len(names) <= MOST_CURVES else f"{heading} (first {MOST_CURVES} of {len(names)})",
            "curves": [
                {"name": name, "values": store(drawn.values[name][kept]), "colour": CURVES[number]}
                for number, name in enumerate(names[:MOST_CURVES])
            ],
        }
        for heading, names in chosen.by_size(drawn.values)
    ]
    return {"time": store(drawn.time[kept], "f8"), "panels": panels}


def _kept(drawn: Curves) -> Any:
    """Which points of curves are drawn: every so many of a long one, and all at which it breaks."""
    count = len(drawn.time)
    if count <= MOST_POINTS:
        return slice(None)
    every = np.arange(0, count, -(-count // MOST_POINTS))
    breaks = np.flatnonzero(np.isnan(drawn.states).any(axis=1))[:MOST_POINTS]
    near = np.concatenate([breaks - 1, breaks, breaks + 1])
    return np.unique(np.clip(np.concatenate([every, near, [count - 1]]), 0, count - 1))
