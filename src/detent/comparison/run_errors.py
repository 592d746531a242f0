"""How far a run is from a reference run: its positions, speeds and energy over time, and the times of its events."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import Final, final

import numpy as np

from detent.jit.arrays import FloatArray
from detent.results.event import EventLog
from detent.results.run import Run

INSTANTS: Final = 1001
"""At so many equally spaced times two runs are compared."""
HAPPENINGS: Final = ("transition", "impact", "zeno")
"""The kinds of events that belong to the motion; others tell what a formulation chose."""


@final
@dataclass(frozen=True, eq=False)
class RunErrors:
    """The errors of a run against a reference, as far as both go.

    ``position`` is the largest difference of a coordinate or signal, ``velocity`` that of a speed, each in its own
    unit, at the instants ``time``; NaN between an event of the reference and the same event of the run, for speeds
    jump there and who jumps a little later is not wrong by the jump. ``energy`` (J) is what the run gained or lost by
    itself, |E - E(0) - W|, at its own nodes ``node``; ``overlap`` (m) is how deep shapes were in one another there.
    """

    time: FloatArray
    position: FloatArray
    velocity: FloatArray
    node: FloatArray
    energy: FloatArray
    overlap: FloatArray | None
    event_time: FloatArray
    """When the reference has the events that both have, s, ..."""
    event_error: FloatArray
    """... and how much earlier or later the run has them."""
    events_expected: int
    """How many events the reference has."""
    events_found: int
    """How many the run has."""


def run_errors(run: Run, reference: Run) -> RunErrors:
    """Compare a run with a reference.

    >>> from detent.results import sample_run
    >>> same = run_errors(sample_run(), sample_run())
    >>> float(same.position.max()), same.event_error.tolist()
    (0.0, [0.0])
    """
    time = np.linspace(0.0, min(run.t[-1], reference.t[-1]), INSTANTS)
    layout = reference.layout
    own = [run.layout.column(name) for name in layout.names]  # it may carry multipliers as well
    difference = np.abs(run.trajectory.at(time)[:, own] - reference.trajectory.at(time))
    places = [layout.column(name) for name in (*layout.coordinates, *layout.signals)]
    speeds = [layout.column(name) for name in layout.speeds]
    known, found = matched(reference.events, run.events)
    apart = (time[:, None] >= np.minimum(known, found)) & (time[:, None] <= np.maximum(known, found))
    velocity = np.where((apart & (known != found)).any(axis=1), np.nan, difference[:, speeds].max(axis=1, initial=0.0))
    energy = run["energy"] - run["work"]
    return RunErrors(
        time=time,
        position=difference[:, places].max(axis=1, initial=0.0),
        velocity=velocity,
        node=run.t,
        energy=np.abs(energy - energy[0]),
        overlap=_overlap(run),
        event_time=known,
        event_error=np.abs(found - known),
        events_expected=len(happenings(reference.events)),
        events_found=len(happenings(run.events)),
    )


def happenings(events: EventLog) -> dict[tuple[str, str, int], float]:
    """When each event of the motion happened, by kind, name and how often it had happened before."""
    counts: dict[tuple[str, str], int] = defaultdict(int)
    times = {}
    for event in events:
        if event.kind in HAPPENINGS:
            key = event.kind, event.name
            times[*key, counts[key]] = event.time
            counts[key] += 1
    return times


def matched(known: EventLog, found: EventLog) -> tuple[FloatArray, FloatArray]:
    """The times of the events that are in both: of one kind and name, in their order.

    >>> from detent.results.event import Event
    >>> first = EventLog([Event(0.5, "impact", "floor", "", ""), Event(0.9, "impact", "floor", "", "")])
    >>> [times.tolist() for times in matched(first, EventLog([Event(0.6, "impact", "floor", "", "")]))]
    [[0.5], [0.6]]
    """
    earlier, later = happenings(known), happenings(found)
    both = [key for key in earlier if key in later]
    return np.array([earlier[key] for key in both]), np.array([later[key] for key in both])


def _overlap(run: Run) -> FloatArray | None:
    """How deep shapes are in one another at the nodes.

    What is below the smallest gap of the audit is no overlap: it is behind a face with one side.
    """
    smallest = run.audit.smallest_gap
    if smallest is None or not run.gaps:
        return None
    gaps = np.stack(list(run.gaps.values()), axis=1)
    deep: FloatArray = np.where(gaps >= smallest, np.maximum(-gaps, 0.0), 0.0).max(axis=1)
    return deep
