"""The chain whose tip comes to a line: it stays there, the impact costs what it must, nothing jumps at the end."""

from __future__ import annotations

import numpy as np
import pytest

import detent
from detent.gallery.tip_on_a_line import tip_height
from tests.physics.multipliers import Multipliers


def heights(run: detent.Run, links: int) -> np.ndarray:
    angles = zip(*(run[f"q{number}"] for number in range(1, links + 1)), strict=True)
    return np.array([tip_height(list(row), 1.0) for row in angles])


@pytest.mark.parametrize("embedding", ["symbolic", "numeric", "live"])
@pytest.mark.parametrize("links", [2, 3, 7])
def test_the_tip_stays_on_the_line_while_it_is_there(links: int, embedding: str) -> None:
    run = detent.example("tip-on-a-line", links=links).simulate(rtol=1e-10, embedding=embedding)
    changes = run.events.of_kind("transition")
    assert [(event.time, event.target) for event in changes] == [(0.4, "line"), (1.4, "free")]
    found, bound = heights(run, links), ~np.isnan(run.reactions["line"])
    assert run.t[bound].min() == 0.4
    assert run.t[bound].max() == 1.4
    assert np.ptp(found[bound]) < 1e-13 * links
    assert np.ptp(found[~bound]) > 0.1
    assert run.audit.position_residual < 1e-12
    assert run.audit.velocity_residual < 1e-12
    assert run.audit.energy_balance < 1e-8


def test_the_impact_loses_what_the_impulse_says() -> None:
    example = detent.example("tip-on-a-line", links=3)
    run = example.simulate(rtol=1e-12)
    hit = run.events.of_kind("transition")[0]
    before, after = (np.flatnonzero(run.t == 0.4)[place] for place in (0, -1))
    speeds = [f"u{number}" for number in (1, 2, 3)]
    names = [*(f"q{number}" for number in (1, 2, 3)), *speeds]
    state = {name: run[name][before] for name in names}
    tip = example.system.points["joint3"]
    other = Multipliers(example.system, [detent.holonomic("line", tip.along(example.system.ground.y))])
    mass, _, _, rows = other.parts(state)
    u = np.array([state[name] for name in speeds])
    against, give = float(rows[0] @ u), float(rows[0] @ np.linalg.solve(mass, rows[0]))
    assert abs(against) > 0.1
    assert hit.details["impulse of line"] == pytest.approx(-against / give, rel=1e-12)
    assert hit.details["energy"] == pytest.approx(-(against**2) / (2 * give), rel=1e-10)
    after_u = u - np.linalg.solve(mass, rows[0]) * against / give
    np.testing.assert_allclose([run[name][after] for name in speeds], after_u, rtol=0, atol=1e-12)
    lost = run.energy[after] - run.energy[before]
    assert lost == pytest.approx(hit.details["energy"], rel=1e-9)


def test_nothing_jumps_when_the_line_goes() -> None:
    run = detent.example("tip-on-a-line").simulate(rtol=1e-10)
    before, after = (run.trajectory.state[np.flatnonzero(run.t == 1.4)[place]] for place in (0, -1))
    np.testing.assert_array_equal(before, after)


def test_a_short_run_ends_before_the_line_comes() -> None:
    assert len(detent.example("tip-on-a-line").simulate(until=0.2).events) == 0
    assert detent.example("tip-on-a-line").simulate(until=0.6).mode == "line"


def test_a_line_that_goes_before_it_comes_is_refused() -> None:
    with pytest.raises(detent.ValueProblem, match=r"on = 2\.0 and goes at off = 1\.4; make it come first"):
        detent.example("tip-on-a-line").simulate(parameters={"on": 2})
