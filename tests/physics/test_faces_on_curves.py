"""Straight faces on parametric curves, and other pairs of kinds: beside the closed forms of the same scene."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import sympy

import detent
from detent.contact.bumps import bumps_of
from detent.contact.pairs import PAIRS
from detent.contact.refusals import why_not
from tests.physics.contact_scenes import G

S = sympy.Symbol("s")
HALF = (0.3, 0.2)
HIGH = 5
"""So many bounces rise by more than the rounding of a gap: the instants of lower ones are known less well."""
CORNERS = [(-0.3, -0.2), (0.3, -0.2), (0.3, 0.2), (-0.3, 0.2)]
Make = Callable[[Any], detent.Shape]


def box_on(shape: Make, face: Make, restitution: float = 0.3, **start: float) -> detent.System:
    system = detent.System("box")
    joint = system.planar("box", system.origin, system.ground)
    body = system.body("box", joint.point, joint.frame, 1, 0.05)
    system.gravity(-G * system.ground.y)
    system.start(**start)
    laws: dict[str, Any] = {"friction": detent.Coulomb(0.3), "impact": detent.Poisson(restitution)}
    system.contact("box|ground", face(body), shape(system.ground), **laws)
    return system


FACES: dict[str, Make] = {
    "polygon": lambda body: body.polygon(*CORNERS),
    "segment": lambda body: body.segment((0.3, -0.2), (-0.3, -0.2)),
    "track": lambda body: body.track((0.3, -0.2), (-0.3, -0.2), (-0.3, 0.2)),
}
SAME: dict[str, tuple[Make, Make]] = {
    "ring": (
        lambda ground: ground.circle(1.0),
        lambda ground: ground.curve(S, sympy.cos(S), sympy.sin(S), (0, 2 * math.pi), closed=True),
    ),
    "arc": (
        lambda ground: ground.arc(1.0, 0.3, 2.8),
        lambda ground: ground.curve(S, sympy.cos(S), -sympy.sin(S), (-2.8, -0.3)),
    ),
}


@pytest.mark.parametrize(("curve", "face"), [("ring", "polygon"), ("arc", "segment"), ("arc", "track")])
def test_a_face_on_a_circle_drawn_as_a_curve_moves_as_on_a_circle(curve: str, face: str) -> None:
    start = {"box_x": 0.1, "box_y": 1.5, "box_angle": 0.3, "box_angle_rate": 0.5}
    systems = [box_on(shape, FACES[face], 0.0, **start) for shape in SAME[curve]]  # bounces would end by rounding
    expected, run = (detent.simulate(system, until=1.0, rtol=1e-11) for system in systems)
    assert len(run.events) == len(expected.events)
    assert run.events.times[:HIGH] == pytest.approx(expected.events.times[:HIGH], abs=1e-11)
    steps = max(len(run.t), len(expected.t))  # each of which may err by the tolerance, in either run
    for name in ("box_x", "box_y", "box_angle"):
        assert run[name][-1] == pytest.approx(expected[name][-1], abs=2 * steps * 1e-11)
    assert any("edge" in event.name or "side" in event.name for event in run.events)


def hilly(ground: Any) -> detent.Shape:
    shape: detent.Shape = ground.curve(S, S, 0.3 * sympy.cos(2 * S), (-6, 9))
    return shape


def deepest(run: detent.Run) -> float:
    """How deep points of the hills are in the box at most, all along a run; negative."""
    along = np.linspace(-6, 9, 60001)
    height, worst = 0.3 * np.cos(2 * along), np.inf
    for time in np.linspace(0, run.t[-1], 401):
        at = run.at(time)
        near = np.abs(along - at.box_x) < 0.5
        x, y, c, s = along[near] - at.box_x, height[near] - at.box_y, math.cos(at.box_angle), math.sin(at.box_angle)
        inside = np.maximum(np.abs(c * x + s * y) - HALF[0], np.abs(c * y - s * x) - HALF[1])
        worst = min(worst, float(inside.min(initial=np.inf)))
    return worst


def check_tumbles(seed: int, until: float = 1.5) -> None:
    random = np.random.default_rng(seed)
    start = {
        "box_x": random.uniform(-1, 1), "box_y": random.uniform(1.0, 1.6), "box_angle": random.uniform(-3, 3),
        "box_angle_rate": random.uniform(-9, 9), "box_x_rate": random.uniform(-2, 2),
    }  # fmt: skip
    run = detent.simulate(box_on(hilly, FACES["polygon"], **{k: float(v) for k, v in start.items()}), until=until)
    assert deepest(run) > -1e-6, seed
    assert run.audit.smallest_gap is not None
    assert run.audit.smallest_gap > -1e-7, seed
    assert run.audit.largest_cone_excess <= 1e-9
    assert np.diff(run.energy).max() <= 1e-6 * run.audit.energy_scale, seed


def test_a_box_that_tumbles_over_hills_is_never_inside_them() -> None:
    check_tumbles(2, until=0.8)
    check_tumbles(142, until=0.65)  # it slides off the end of a bump, onto its corner


def test_a_bump_ends_where_it_hardly_bends() -> None:
    bumps = bumps_of(hilly(detent.System("hills").ground))
    assert bumps is not None
    for bump in bumps[1:-1]:  # the others end with the curve
        for end in (bump.lowest, bump.highest):  # it turns by d atan(-0.6 sin 2s), most on its top
            bends = 1.2 * math.cos(2 * end) / (1 + 0.36 * math.sin(2 * end) ** 2)
            assert bends == pytest.approx(1e-3 * 1.2, rel=1e-5)
        assert bump.turning == pytest.approx(2 * math.atan(0.6 * abs(math.sin(2 * bump.lowest))), abs=1e-4)


def test_a_body_with_one_dent_rolls_across_it_and_from_bump_to_bump() -> None:
    """A limacon, which turns by more than once around between the ends of its dent. Rolling keeps energy but where it
    comes down on the far side of the dent, and its centre is as high as its outline reaches below that."""
    system = detent.System("limacon")
    joint = system.planar("body", system.origin, system.ground)
    body = system.body("body", joint.point, joint.frame, 1, 0.2)
    system.gravity(-G * system.ground.y)
    system.start(body_y=0.75, body_x_rate=3.0, body_angle=0.3, body_angle_rate=-6.0)
    out = 0.5 * (1 + 0.55 * sympy.cos(S))
    outline = body.curve(S, out * sympy.cos(S), out * sympy.sin(S), (0, 2 * math.pi), closed=True)
    contact = system.contact("body|floor", outline, system.ground.line(), friction=detent.Coulomb(0.8))
    assert contact.features == ("bump 1", "bump 2", "bump 3")
    run = detent.simulate(system, until=2.0)
    assert [event.kind for event in run.events].count("impact") == 2
    lost = [run.energy[np.searchsorted(run.t, event.time, side="left")] for event in run.events.of_kind("impact")]
    after = run.energy[run.t > run.events.of_kind("impact")[-1].time]
    assert np.ptp(after) < 1e-6 * run.audit.energy_scale
    assert lost[0] > lost[1] > after[0]
    along = np.linspace(0, 2 * math.pi, 20001)
    reach = 0.5 * (1 + 0.55 * np.cos(along))
    touches = run.t > run.events.of_kind("impact")[0].time
    for angle, height in zip(run.body_angle[touches][::7], run.body_y[touches][::7], strict=True):
        assert height == pytest.approx(float(-(reach * np.sin(along + angle)).min()), abs=1e-7)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(100, 160, 20))
def test_many_boxes_that_tumble_over_hills_are_never_inside_them(first: int) -> None:
    for seed in range(first, first + 20):
        check_tumbles(seed)


def test_a_face_on_a_curve_with_parameters_is_refused_where_its_bumps_are_not_known() -> None:
    system = detent.System("box")
    a = system.parameters(a=0.3)
    joint = system.planar("box", system.origin, system.ground)
    body = system.body("box", joint.point, joint.frame, 1, 0.05)
    with pytest.raises(detent.DetentError, match=r"contact 'box\|hill': how a face with ends lies on this curve"):
        system.contact("box|hill", FACES["polygon"](body), system.ground.curve(S, S, -a * S**2, (-1, 1)))


def test_a_circle_drawn_as_a_curve_in_a_ring_moves_as_a_circle_and_one_with_ends_is_refused() -> None:
    def run(shape: Make) -> detent.Run:
        start = {"box_x": 0.4, "box_y": -0.2, "box_angle_rate": 1.0}
        ring: Make = lambda ground: ground.arc(2.0, 0, 2 * math.pi, inside=True)  # noqa: E731
        return detent.simulate(box_on(ring, shape, **start), until=1.5, rtol=1e-11)

    round_curve: Make = lambda body: body.curve(  # noqa: E731
        S, 0.5 * sympy.cos(S), 0.5 * sympy.sin(S), (0, 2 * math.pi), closed=True
    )
    expected, found = run(lambda body: body.circle(0.5)), run(round_curve)
    assert found.events.times[:HIGH] == pytest.approx(expected.events.times[:HIGH], abs=1e-10)
    assert found["box_x"][-1] == pytest.approx(expected["box_x"][-1], abs=1e-10)
    with pytest.raises(detent.DetentError, match="how a curve with ends lies in a hollow is not known"):
        run(lambda body: body.curve(S, S, S**2, (-0.1, 0.1)))


# -- in space ------------------------------------------------------------------------------------------


def test_a_capsule_that_falls_across_another_meets_it_where_their_axes_cross() -> None:
    system = detent.System("capsules")
    joint = system.free("rod", system.origin, system.ground)
    body = system.body("rod", joint.point, joint.frame, 1, (0.1, 0.1, 0.01))
    system.gravity(-G * system.ground.z)
    angle = 0.5
    turned = system.ground.rotated("turned", angle, "z")
    system.start(rod_z=1.0, rod_x=0.05, rod_qw=math.cos(math.pi / 4), rod_qx=math.sin(math.pi / 4))  # along y
    law = detent.Poisson(1)
    system.contact("rod|bar", body.capsule(0.1, 1.0), turned.capsule(0.2, 2.0, along="x"), impact=law)
    run = detent.simulate(system, until=0.5)
    first = run.events.of_kind("impact")[0]
    assert first.name == "rod|bar side on side: bounce"
    assert first.time == pytest.approx(math.sqrt(2 * (1.0 - 0.3) / G), rel=1e-12)
    touches = run.contacts["rod|bar"]["side on side"].point[run.t == first.time][0]
    assert touches == pytest.approx([0.05, 0.05 * math.tan(angle), 0.2], abs=1e-9)


def test_a_ball_drawn_as_a_surface_rolls_on_a_plane_as_a_ball() -> None:
    def run(drawn: bool) -> detent.Run:
        system = detent.System("ball")
        joint = system.free("ball", system.origin, system.ground)
        body = system.body("ball", joint.point, joint.frame, 2, (0.2, 0.2, 0.2))
        system.gravity(-G * system.ground.z)
        system.start(ball_z=0.5, ball_x_rate=1.0, ball_wx=0.5)
        a, b = sympy.symbols("a b")
        round_one = body.surface(  # its poles are ahead and behind, off the way on which it rolls
            (a, b), 0.5 * sympy.sin(b) * sympy.cos(a), 0.5 * sympy.cos(b), 0.5 * sympy.sin(b) * sympy.sin(a),
            ((0, 2 * math.pi), (0.4, math.pi - 0.4)), closed=(True, False),
        )  # fmt: skip
        shape = round_one if drawn else body.sphere(0.5)
        system.contact("ball|floor", shape, system.ground.plane(), friction=detent.Coulomb(0.3))
        return detent.simulate(system, until=1.0, rtol=1e-11)

    drawn, ball = run(True), run(False)
    rolls, expected = (
        each.events.of_kind("transition")[-1].time for each in (drawn, ball)
    )  # after rounding at the start
    assert rolls == pytest.approx(expected, abs=1e-9)
    for name in ("ball_x", "ball_y"):
        assert drawn[name][-1] == pytest.approx(ball[name][-1], abs=1e-9)


# -- the table -----------------------------------------------------------------------------------------


def test_every_pair_of_kinds_has_a_program_or_a_reason() -> None:
    plane = ("point", "circle", "line", "segment", "arc", "track", "polygon", "curve")
    space = ("point", "sphere", "hollow sphere", "plane", "capsule", "cylinder", "rim", "box", "surface")
    for kinds in (plane, space):
        for first, second in itertools.combinations_with_replacement(kinds, 2):
            assert frozenset((first, second)) in PAIRS or why_not(first, second)
    missing = [pair for pair in itertools.combinations_with_replacement(plane, 2) if frozenset(pair) not in PAIRS]
    assert missing == [("point", "point"), ("line", "line")]
