"""Solids that lie flat on boxes and rails stay so until their middle has passed what carries them; or stay where they
are, where friction holds them."""

from __future__ import annotations

import numpy as np
import pytest

import detent
from tests.physics.laid_solids import DRAWN, RESTING, random_solid, resting_solid

KNOWN = 1e-9
"""m, s, rad: the tolerance of the integration is 1e-10 of quantities of size one."""
SHARED = 2e-6
"""s: where more than three points carry a box, forces within 1e-8 of the edge of what is possible are at it; a point
that is to carry the last of them has a small part of what it would be by how far the middle is from the line."""
UNMENDED = {
    ("box on a box", 107), ("box on a box", 277), ("box on a box", 351), ("box on a box", 485),
    ("rod in a trough", 116),
}  # fmt: skip
"""A remark or an impact of rounding is told; a guard is not a number where all edges of equal boxes become one; or a
mode is refused whose rows follow from one another at that instant, and a little later no more."""
STILL = 1e-11
"""m: rounding of the weight along a support, 1e-16 of it, has moved what rests by less after 10 s."""
QUICK = [kind for kind in DRAWN if kind != "box on rails"]
"""A box on two rails has 144 places at which it may touch, which take long to compile."""


def check(kind: str, seed: int) -> None:
    solid = random_solid(kind, seed)
    tips = solid.tips()
    run = solid.run(1.02 * tips, rtol=1e-10)
    flat = run.time < tips - KNOWN
    assert np.abs(solid.height_of(run)[flat] - solid.place[2]).max() < KNOWN, seed
    assert np.abs(solid.leaning(run)[flat]).max() < KNOWN, seed
    assert solid.astray(run)[flat].max() < KNOWN, seed
    told = [event.kind for event in run.events if 0 < event.time < tips - KNOWN]
    assert not {"impact", "remark", "zeno"} & set(told), seed
    after = run.time > tips  # something else may carry it soon
    leans, sinks = np.abs(solid.leaning(run)[after]), solid.place[2] - solid.height_of(run)[after]
    assert leans.max(initial=0.0) > KNOWN or sinks.max(initial=0.0) > KNOWN, seed
    leaves = [event.time for event in run.events.of_kind("transition") if "slip -> open" in event.name]
    known = SHARED if kind in ("box on a box", "box on rails") else KNOWN
    assert any(abs(time - tips) < known for time in leaves), (seed, leaves, tips)
    assert run.audit.smallest_gap is not None, seed
    assert run.audit.smallest_gap > -KNOWN, seed


def check_rest(kind: str, seed: int) -> None:
    run = resting_solid(kind, seed).run(10.0, rtol=1e-10)
    at = np.stack([run[f"solid_{name}"] for name in ("x", "y", "z", "qw", "qx", "qy", "qz")], axis=1)
    assert np.abs(at - at[0]).max() < STILL, seed
    assert not [event.name for event in run.events if event.time > 0], seed
    assert run.audit.smallest_gap is not None, seed
    assert run.audit.smallest_gap > -KNOWN, seed


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("kind", QUICK)
def test_a_solid_lies_flat_until_its_middle_passes_what_carries_it(kind: str, seed: int) -> None:
    check(kind, seed)


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("kind", QUICK)
def test_a_solid_that_friction_holds_stays(kind: str, seed: int) -> None:
    check_rest(kind, seed)


def test_a_guard_that_is_no_number_is_not_told_as_friction_where_there_is_none() -> None:
    with pytest.raises(detent.SimulationError, match="the guard of transition 'solid") as told:
        random_solid("box on a box", 485).run(1.0, rtol=1e-10)
    assert "friction" not in str(told.value)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(100, 500, 50))
@pytest.mark.parametrize("kind", DRAWN)
def test_many_solids_lie_flat_until_their_middle_passes_what_carries_them(kind: str, first: int) -> None:
    for seed in range(first, first + 50):
        if (kind, seed) not in UNMENDED:
            check(kind, seed)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(100, 300, 50))
@pytest.mark.parametrize("kind", RESTING)
def test_many_solids_that_friction_holds_stay(kind: str, first: int) -> None:
    for seed in range(first, first + 50):
        check_rest(kind, seed)
