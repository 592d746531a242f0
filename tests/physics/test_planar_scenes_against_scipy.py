"""Random ladders, polygons, stacks, wedges and planks do what a second method of their own says, event by event."""

from __future__ import annotations

import numpy as np
import pytest

import detent
from tests.physics.planar_impacts import OPEN
from tests.physics.planar_reference import Reference, Segment
from tests.physics.planar_scenes import FAMILIES, Scene, state_of, system_of

RTOL = 1e-11
WITHIN = 1e-7
"""What errors of both methods may have grown to, through some tens of events."""
SHORT = 1e-5
"""A part of the motion that lasts no longer, s, is not looked at between its ends."""
BEGINS = 1e-6
"""At the start rounding tells which contacts touch: what happens before this, s, is not compared."""


def compare(scene: Scene, run: detent.Run, segments: list[Segment], ends: bool) -> None:
    """Statuses in the middle of all that lasts, the instants of all that changes, and the last state."""
    places = [touch.place or touch.name for touch in scene.touches]
    smooth = [touch.mu == 0.0 for touch in scene.touches]
    for segment in segments:
        for part in (0.1, 0.5, 0.9) if segment.end - segment.start > SHORT else ():
            at = segment.start + part * (min(segment.end, run.time[-1]) - segment.start)
            node = int(np.searchsorted(run.time, at))
            found = [int(run.contacts[place].status[node]) for place in places]
            for place, free, is_so, expected in zip(places, smooth, found, segment.statuses, strict=True):
                assert is_so == expected or (free and OPEN not in (is_so, expected)), (place, at, found, segment)
    times = np.array([event.time for event in run.events if event.kind in ("transition", "impact", "zeno")])
    for segment in segments[1:]:
        if segment.start > BEGINS:
            assert np.abs(times - segment.start).min() < WITHIN, segment
    if ends:
        expected = segments[-1].final
        np.testing.assert_allclose(state_of(run, scene), expected, rtol=0, atol=WITHIN * (1 + np.abs(expected).max()))


def check(name: str, seed: int) -> str:
    """``right``, ``refused`` where a law would gain energy, or ``none`` where the reference has no answer."""
    scene, until = FAMILIES[name](np.random.default_rng([seed, 41]))
    segments, why = Reference(scene).run(until)
    if not segments or segments[-1].end < 1e-3:
        return "none"
    end = segments[-1].end if not why else segments[-1].end * (1 - 1e-9)
    run = detent.simulate(system_of(scene), until=end, rtol=RTOL, check=False)
    if run.time[-1] < end:
        assert "would gain energy by its law" in run.message
        assert {touch.law for touch in scene.touches} == {"Newton"}
        return "refused"
    compare(scene, run, segments, not why)
    assert run.audit.largest_cone_excess is not None
    assert run.audit.largest_cone_excess < WITHIN
    return "right"


@pytest.mark.parametrize("name", FAMILIES)
def test_a_random_scene_does_what_scipy_follows(name: str) -> None:
    assert check(name, 1) != "refused"


@pytest.mark.slow
@pytest.mark.parametrize("first", range(100, 300, 25))
@pytest.mark.parametrize("name", FAMILIES)
def test_hundreds_of_random_scenes_do_what_scipy_follows(name: str, first: int) -> None:
    done = [check(name, seed) for seed in range(first, first + 25)]
    assert done.count("right") > 20
