"""Crates that lie flat stay so, whatever they slide over, until they tip at the very instant, or stop."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

import detent
from tests.physics.laid_crates import SUPPORTS, LaidCrate, random_crate

KNOWN = 1e-9
"""m, s, rad: the tolerance of the integration is 1e-10 of quantities of size one."""
SHARED = 1e-6
"""s: where more than two places carry, their forces are centred to 1e-8 of the largest; crates here are no slower than
0.1 m/s, and not larger than some metres."""


def is_shared(crate: LaidCrate) -> bool:
    """Whether it lies on two supports when it tips."""
    time, tips = crate.ends
    at = crate.place_at(time)
    left, right = at + crate.corners[0, 0], at + crate.corners[1, 0]
    return tips and sum(max(left, a) < min(right, b) + KNOWN for a, b in crate.supports) > 1


def check(seed: int, kind: str) -> None:
    crate = random_crate(seed, kind)
    (time, tips), known = crate.ends, SHARED if is_shared(crate) else KNOWN
    run = detent.simulate(crate.system(), until=1.02 * time, rtol=1e-10)
    flat = run.time < time - known
    assert np.abs(crate.height_of(run)[flat] - crate.height).max() < KNOWN, (seed, kind)
    assert np.abs(crate.leaning(run)[flat]).max() < KNOWN, (seed, kind)
    way = np.array([crate.place_at(each) for each in run.time[flat]])
    assert np.abs(crate.along_of(run)[flat] - way).max() < KNOWN, (seed, kind)
    told = [event for event in run.events if 0 < event.time < time - known]
    assert not {"impact", "remark", "zeno"} & {event.kind for event in told}, (seed, kind)
    ends = [event.time for event in run.events.of_kind("transition") if event.time >= time - known]
    assert ends, (seed, kind)
    assert abs(ends[0] - time) < known, (seed, kind, ends[0], time)
    assert (abs(crate.leaning(run)[-1]) > KNOWN) == tips, (seed, kind)
    assert run.audit.smallest_gap is not None, (seed, kind)
    assert run.audit.smallest_gap > -KNOWN * crate.unit, (seed, kind)


@pytest.mark.parametrize("kind", SUPPORTS)
@pytest.mark.parametrize("seed", range(2))
def test_a_crate_lies_flat_until_it_tips_or_stops(seed: int, kind: str) -> None:
    check(seed, kind)


@pytest.mark.parametrize(("seed", "kind"), [(6, "two segments"), (34, "two segments"), (15, "two polygons")])
def test_a_crate_crosses_a_gap_between_supports_of_one_height(seed: int, kind: str) -> None:
    """The corner of the second one was a wall of no height, into which it ran."""
    check(seed, kind)


@pytest.mark.parametrize(
    ("seed", "kind"), [(33, "track"), (9, "two polygons"), (39, "polygon"), (3, "corners of a track")]
)
@pytest.mark.parametrize("embedding", ["symbolic", "numeric"])
def test_a_crate_in_mm_tips(seed: int, kind: str, embedding: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """By numbers its turning depends there: by a lever that is none where it tips, of the place or of its force."""
    monkeypatch.setattr(detent, "simulate", partial(detent.simulate, embedding=embedding))
    check(seed, kind)


@pytest.mark.parametrize(("seed", "kind"), [(128, "two segments"), (137, "two polygons")])
def test_what_lets_go_a_little_too_early_and_is_pressed_together_again_lets_go(seed: int, kind: str) -> None:
    """That shared forces give way is known to 1e-8: what was pressed together again was held for good."""
    check(seed, kind)


@pytest.mark.parametrize(("seed", "kind"), [(126, "two segments"), (167, "two segments"), (78, "two polygons")])
def test_a_step_within_which_two_places_come_together_is_made_short(seed: int, kind: str) -> None:
    """Where a guard was looked for, a corner was above the end of its support: their rows were one."""
    check(seed, kind)


@pytest.mark.slow
@pytest.mark.parametrize("kind", SUPPORTS)
def test_many_crates_lie_flat_until_they_tip_or_stop(kind: str) -> None:
    for seed in range(200):
        check(seed, kind)
