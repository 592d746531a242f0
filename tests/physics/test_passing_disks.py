"""Disks that slide over an end, a corner or a bend stay on it as long as they are pressed, and then fly."""

from __future__ import annotations

import pytest

import detent
from tests.physics.passing_disks import PASSED, random_disk

KNOWN = 1e-9
"""m, s: the tolerance of the integration is 1e-10 of quantities of size one."""


def check(seed: int, kind: str) -> None:
    disk = random_disk(seed, kind)
    run = detent.simulate(disk.system(), until=disk.until, rtol=1e-10)
    assert disk.off(run).max() < KNOWN, (seed, kind)
    assert not {"impact", "remark", "zeno"} & {event.kind for event in run.events if event.time > 0}, (seed, kind)
    times = [event.time for event in run.events.of_kind("transition")]
    for instant in (disk.arrives, disk.ends):
        assert any(abs(time - instant) < KNOWN for time in times), (seed, kind, instant, times)
    assert run.audit.smallest_gap is not None, (seed, kind)
    assert run.audit.smallest_gap > -KNOWN * disk.unit, (seed, kind)


@pytest.mark.parametrize("kind", PASSED)
@pytest.mark.parametrize("seed", range(3))
def test_a_disk_leaves_what_it_slides_over_where_it_is_pressed_no_more(seed: int, kind: str) -> None:
    check(seed, kind)


@pytest.mark.slow
@pytest.mark.parametrize("kind", PASSED)
def test_many_disks_leave_what_they_slide_over_where_they_are_pressed_no_more(kind: str) -> None:
    for seed in range(100, 300):
        check(seed, kind)
