"""Straight faces meet a curve where it is flat: in tails, on flat tops, beside sharp bumps, at the ends of bumps.

The point that is parallel to a face goes there as fast as the curve is flat. The instants of first touch come from
:mod:`tests.physics.thrown_faces`, which knows nothing of the library.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sympy

import detent
from detent.contact.bumps import bumps_of, left_out_of
from tests.physics.thrown_faces import WAYS, FaceAnswer, face_verdict, random_face_throw, s


def told(seed: int, ways: tuple[str, ...] = tuple(WAYS)) -> list[str]:
    throw = random_face_throw(seed)
    answer = FaceAnswer(throw).first()
    return [face_verdict(throw, way, answer) for way in ways]


@pytest.mark.parametrize(
    ("seed", "way"),
    [
        (11, "usual"),  # a plank was passed through beside the ridge of a roof, which bends a thousandth as much there
        (32, "loose"),  # a half-plane on a tail
        (17, "tight"),  # and on a limacon with a flat
        (36, "rk4"),  # a polygon beside a tail, where its parallel points go fast: steps of fixed size were stopped
    ],
)
def test_a_face_meets_a_curve_where_it_is_flat_when_geometry_says(seed: int, way: str) -> None:
    assert told(seed, (way,)) == ["right"]


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 400, 20))
def test_hundreds_of_faces_meet_curves_where_they_are_flat_when_geometry_says(first: int) -> None:
    verdicts = {
        (seed, way): each for seed in range(first, first + 20) for way, each in zip(WAYS, told(seed), strict=True)
    }
    counts = Counter(each.split(":")[0] for each in verdicts.values())
    print(first, dict(counts))
    assert not {where: each for where, each in verdicts.items() if each.startswith("wrong")}
    assert counts["refused"] == 0
    assert counts["right"] > counts["skipped"]


def plank(height: Any, rtol: float, **start: float) -> detent.Simulation:
    system = detent.System("plank")
    joint = system.planar("plank", system.origin, system.ground)
    body = system.body("plank", joint.point, joint.frame, mass=1, inertia=0.3)
    system.start(**start)
    face = body.segment((2, 0), (-2, 0))
    system.contact("plank|hill", face, system.ground.curve(s, s, height, (-1, 1)), impact=detent.Poisson(1))
    return detent.Simulation(system, rtol=rtol)


@pytest.mark.parametrize("rtol", [1e-3, 1e-12])
@pytest.mark.parametrize("power", [4, 6])
def test_a_face_turns_over_a_flat_top(power: int, rtol: float) -> None:
    """It is parallel to y = -s^n where n s^(n - 1) = -tan(angle): on the top that goes infinitely fast. There the curve
    is seen as its cap, which is raised by a (1 - t^2)^3 and so at most turned by 96/(25 sqrt(5)) a over its half."""
    simulation = plank(-(s**power), rtol, plank_y=0.5, plank_angle=-0.3, plank_angle_rate=0.5)
    simulation.advance(1.5)
    run = simulation.result()
    assert len(run.events) == 0
    point = run["s of plank|hill side on side"]
    bumps = bumps_of(detent.System("hill").ground.curve(s, s, -(s**power), (-1, 1)))
    assert bumps is not None
    ((start, end, _, raised),) = bumps[0].caps
    assert 0 < raised < 1e-9 * 4  # the curve is shorter than 4
    outside = (point < start) | (point > end)
    found, expected = power * point ** (power - 1), -np.tan(run.plank_angle)
    np.testing.assert_allclose(found[outside], expected[outside], atol=1e-12)
    turned = 96 / (25 * np.sqrt(5)) * raised / (0.5 * (end - start))
    np.testing.assert_allclose(found, expected, atol=1.01 * turned)
    assert point[0] > 0.4 > -0.4 > point[-1]


def test_a_run_that_goes_on_from_a_checkpoint_in_the_flat_of_a_curve_is_the_same(tmp_path: Path) -> None:
    simulation = plank(-(s**4), 1e-9, plank_y=0.5, plank_angle=-0.01, plank_angle_rate=0.5)
    simulation.advance(0.0199)
    simulation.checkpoint(tmp_path / "plank.json")
    other = detent.resume(simulation.system, tmp_path / "plank.json")
    for each in (simulation, other):
        each.advance(1.0)
    nodes = [each.result().t for each in (simulation, other)]
    assert nodes[1].tolist() == nodes[0][nodes[0] >= nodes[1][0]].tolist()
    assert other.state.values.tolist() == simulation.state.values.tolist()


def test_a_gentle_hill_beside_a_sharp_one_and_the_tails_of_a_bump_are_bumps() -> None:
    """What is left out of bumps is no deeper than 1e-9 of a curve, however much sharper the curve is elsewhere."""
    ground = detent.System("hills").ground
    bumps = bumps_of(ground.curve(s, s, 0.1 * sympy.exp(-((s / 0.01) ** 2)) + sympy.cos((s - 5) / 50), (-1, 11)))
    assert bumps is not None
    assert any(bump.lowest < 3 and bump.highest > 9 for bump in bumps)  # it bends by 1/2500, the other by 2000
    roof = bumps_of(ground.curve(s, s, -sympy.sqrt(0.01 + s**2), (-10, 10)))
    assert roof is not None
    assert [(bump.lowest, bump.highest) for bump in roof] == [(-10, 10)]


def test_what_is_left_out_of_bumps_has_a_width_and_turns() -> None:
    """Of this one the last of all points that are looked at is straight, and nothing besides."""
    curve = detent.System("hill").ground.curve(s, s, 0.413164362396055 * sympy.exp(-2.74320592465767 * s**2), (-3, 3))
    assert len(left_out_of(curve)) == 2
    for part in left_out_of(curve):
        assert part.start < part.end
        assert 0 < part.turning < 1e-6


@pytest.mark.parametrize("rtol", [1e-3, 1e-9, 1e-12])
@pytest.mark.parametrize("power", [4, 6])
def test_a_plank_that_comes_down_level_on_a_flat_top_lies_there(power: int, rtol: float) -> None:
    """Its middle is above the top: it stays; friction or not."""
    system = on_top(-(s**power), 0.0)
    run = detent.simulate(system, until=1.0, rtol=rtol)
    first = run.events[0].time
    assert first == pytest.approx(np.sqrt(2 * 0.5 / 10), abs=1e-8)  # the top is raised by 1e-9 of the curve
    lies = run.t > first
    np.testing.assert_allclose(run.plank_angle[lies], 0.0, atol=max(1e-9, 1e-2 * rtol))
    np.testing.assert_allclose(run.plank_y[lies], 0.0, atol=1e-8)
    assert [event.kind for event in run.events] == ["impact"]


@pytest.mark.parametrize("rtol", [1e-6, 1e-9, 1e-12])
@pytest.mark.parametrize("power", [4, 6])
def test_a_plank_that_turns_over_a_flat_top_while_it_lies_on_it_keeps_its_energy(power: int, rtol: float) -> None:
    """What presses on it there has no bound on y = -x^n, and is large on its cap."""
    run = detent.simulate(on_top(-(s**power), 0.1), until=2.0, rtol=rtol)
    after = run.t > run.events[0].time
    point = run["s of plank|hill side on side"][after]
    assert (np.diff(np.sign(point)) != 0).sum() >= 2  # it goes over the top and comes back
    assert np.ptp(run.energy[after]) <= 1e3 * rtol * run.audit.energy_scale
    assert run.audit.smallest_gap is not None
    assert run.audit.smallest_gap > -max(1e-9, 10 * rtol)


def on_top(height: Any, aside: float) -> detent.System:
    """A plank that falls level, its middle aside of the top of a curve."""
    system = detent.System("plank")
    joint = system.planar("plank", system.origin, system.ground)
    body = system.body("plank", joint.point, joint.frame, mass=1, inertia=0.3)
    system.gravity(-10 * system.ground.y)
    system.start(plank_x=aside, plank_y=0.5)
    system.contact("plank|hill", body.segment((2, 0), (-2, 0)), system.ground.curve(s, s, height, (-1, 1)))
    return system


@pytest.mark.parametrize("rtol", [1e-3, 1e-9])
@pytest.mark.parametrize("at", [1.0, 2.0])
@pytest.mark.parametrize("friction", [0.0, 0.8])
def test_a_plank_on_a_tail_lies_and_slides_as_on_an_incline(friction: float, at: float, rtol: float) -> None:
    """y = -(1/20) log cosh 10 x falls by 1 in 2, but for exp(-20 x): it slides by g sin b, or stays.

    Where one end comes down first the other one follows, and as it is slender both hold: it does not rock.
    """
    system = detent.System("plank")
    joint = system.planar("plank", system.origin, system.ground)
    body = system.body("plank", joint.point, joint.frame, mass=1, inertia=0.01)
    system.gravity(-10 * system.ground.y)
    height, angle, over = -sympy.log(sympy.cosh(10 * s)) / 20, -float(np.arctan(0.5)), 0.1
    down = float(height.subs(s, at))
    system.start(plank_x=at - over * np.sin(angle), plank_y=down + over * np.cos(angle), plank_angle=angle)
    law = None if friction == 0.0 else detent.Coulomb(friction)
    system.contact("plank|roof", body.segment((0.2, 0), (-0.2, 0)), system.ground.curve(s, s, height, (-3, 9)), law)
    run = detent.simulate(system, until=1.0, rtol=rtol)
    straight = 0.5 * 20 * np.exp(-20 * (at - 0.2))  # how much it still bends there, at most
    slides = 10 * np.sin(-angle) * np.cos(angle) * (1.0 if friction == 0.0 else run.events[0].time)
    expected = slides if friction == 0.0 else 0.0
    assert run.plank_x_rate[-1] == pytest.approx(expected, abs=max(10 * straight, 10 * rtol, 1e-7))
    assert run.plank_angle[-1] == pytest.approx(angle, abs=max(10 * straight, 1e-7))
    assert len(run.events) <= 8


def test_a_plank_that_begins_parallel_to_a_tail_is_followed_from_there() -> None:
    """It falls onto a roof whose slope at 8 is its own: by what it is above the roof there."""
    system = detent.System("plank")
    joint = system.planar("plank", system.origin, system.ground)
    body = system.body("plank", joint.point, joint.frame, mass=1, inertia=0.3)
    system.gravity(-10 * system.ground.y)
    at, over = 8.0, 0.2
    height = float(-np.sqrt(0.01 + at**2))
    system.start(plank_x=at, plank_y=height + over, plank_angle=float(np.arctan(at / height)))
    roof = system.ground.curve(s, s, -sympy.sqrt(0.01 + s**2), (-10, 10))
    system.contact("plank|roof", body.segment((1, 0), (-1, 0)), roof)
    run = detent.simulate(system, until=0.25)
    assert run.events[0].time == pytest.approx(float(np.sqrt(2 * over / 10)), abs=1e-12)
