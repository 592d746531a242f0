"""Two boxes in space touch: at rest, sliding, tipping, thrown at one another, by closed forms and by NumPy."""

from __future__ import annotations

import math
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import linprog

import detent
from tests.physics.thrown_boxes import (
    Standing,
    Thrown,
    axes_of,
    on_a_fixed_box,
    separation,
    standing_along,
    thrown,
    two_boxes,
)

G = 9.81
POINTS = [f"point {number}" for number in range(1, 9)]
EDGES = {"a": 1.0, "b": 1.0, "c": 1.0, "m": 2.0, "under_a": 2.0, "under_b": 2.0, "under_c": 1.0}
CUBE, TABLE = np.array([0.5, 0.5, 0.5]), np.array([1.0, 1.0, 0.5])


def turned(angle: float) -> dict[str, float]:
    """A turn about the vertical."""
    return {"box_qw": math.cos(angle / 2), "box_qz": math.sin(angle / 2)}


def normals(run: detent.Run) -> list[float]:
    return [float(run.contacts["box|ground"][name].normal[-1]) for name in POINTS]


def lowest(run: detent.Run, half: np.ndarray, under: np.ndarray) -> float:
    """How deep the box overlaps the fixed one at any node, as a negative number."""
    fixed = Standing(np.zeros(3), np.eye(3), under)
    return min(separation(box, fixed) for box in standing_along(run, "box", half))


# -- at rest ------------------------------------------------------------------------------------------------------


def test_a_box_at_rest_on_a_box_stays_where_it_is() -> None:
    start = {"box_x": 0.3, "box_y": -0.7, "box_z": 1.0, **turned(0.4)}
    run = detent.simulate(on_a_fixed_box(0.3, 0.0), until=1e4, start=start, parameters=EDGES)
    for name in ("box_x", "box_y", "box_z", "box_qw", "box_qx", "box_qy", "box_qz"):
        assert run[name][-1] == run[name][0]
    assert sum(normals(run)) == pytest.approx(2 * G, rel=1e-12)
    assert run.audit.largest_cone_excess == 0.0


def test_an_octagon_carries_a_turned_box() -> None:
    """Two squares of the same size, one turned by 45 degrees: no corner of either is on the other."""
    start = {"box_z": 1.0, **turned(math.pi / 4)}
    run = detent.simulate(
        on_a_fixed_box(0.3, 0.0), until=10, start=start, parameters=EDGES | {"under_a": 1, "under_b": 1}
    )
    np.testing.assert_allclose(normals(run), 2 * G / 8, rtol=1e-9)
    points = np.array([run.contacts["box|ground"][name].point[-1] for name in POINTS])
    np.testing.assert_allclose(np.abs(points[:, :2]).max(axis=1), 0.5, atol=1e-12)
    np.testing.assert_allclose(np.abs(points[:, :2]).min(axis=1), math.tan(math.pi / 8) / 2, atol=1e-12)


def test_corners_on_corners_count_once() -> None:
    """Boxes of the same size, aligned: each corner of one is a corner of the other, and lies on two of its edges."""
    run = detent.simulate(
        on_a_fixed_box(0.3, 0.0), until=10, start={"box_z": 1.0}, parameters=EDGES | {"under_a": 1, "under_b": 1}
    )
    np.testing.assert_allclose(sorted(normals(run)), [0, 0, 0, 0, *[2 * G / 4] * 4], atol=1e-9)


def is_carried(box: Standing, under: Standing) -> bool:
    """Whether the middle of a box is above a point of both faces that touch, by a linear program of its own."""
    corners = box.corners[np.argsort(box.corners[:, 2])[:4]][:, :2]
    table = under.corners[np.argsort(-under.corners[:, 2])[:4]][:, :2]
    equal = np.zeros((6, 8))
    equal[:2, :4], equal[2:4, 4:] = corners.T, table.T
    equal[4, :4], equal[5, 4:] = 1, 1
    right = [*box.middle[:2], *box.middle[:2], 1, 1]
    return bool(linprog(np.zeros(8), A_eq=equal, b_eq=right, bounds=(0, 1)).status == 0)


def placed_at_random(seed: int) -> tuple[bool, bool]:
    """Whether a box that is put down somewhere on another should rest, and whether it does."""
    random = np.random.default_rng([11, seed])
    half, under = random.uniform(0.2, 1.0, 3), random.uniform(0.2, 1.0, 3)
    angle, place = random.uniform(0, 2 * math.pi), random.uniform(-1.3, 1.3, 2) * under[:2]
    axes = axes_of(math.cos(angle / 2), 0, 0, math.sin(angle / 2))
    box = Standing(np.array([*place, under[2] + half[2]]), axes, half)
    fixed = Standing(np.zeros(3), np.eye(3), under)
    start = dict(zip(("box_x", "box_y", "box_z"), box.middle.tolist(), strict=True)) | turned(angle)
    edges = dict(zip(("a", "b", "c", "under_a", "under_b", "under_c"), 2 * np.array([*half, *under]), strict=True))
    run = detent.simulate(on_a_fixed_box(0.3, 0.0), until=0.05, start=start, parameters=edges)
    return is_carried(box, fixed), bool(run["box_z"][-1] == run["box_z"][0])


@pytest.mark.parametrize("seed", range(10))
def test_a_box_rests_if_it_is_carried(seed: int) -> None:
    should, does = placed_at_random(seed)
    assert should is does


@pytest.mark.slow
def test_boxes_rest_if_they_are_carried() -> None:
    found = [placed_at_random(seed) for seed in range(300)]
    assert all(should is does for should, does in found)
    assert 50 < sum(should for should, _ in found) < 250


def test_a_stack_of_free_boxes_rests() -> None:
    system = detent.System("stack")
    shapes = []
    for name in ("lower", "upper"):
        joint = system.free(name, system.origin, system.ground)
        shapes.append(system.body(name, joint.point, joint.frame, mass=2, inertia=(0.3, 0.3, 0.3)).box(1, 1, 1))
    system.gravity(-G * system.ground.z)
    system.start(lower_z=0.5, upper_z=1.5, upper_x=0.2, upper_y=-0.3)
    law = detent.Coulomb(0.3)
    system.contact("lower|floor", shapes[0], system.ground.plane(), friction=law)
    system.contact("upper|lower", shapes[1], shapes[0], friction=law)
    run = detent.simulate(system, until=100)
    for name in ("lower_x", "lower_z", "lower_qw", "upper_x", "upper_y", "upper_z", "upper_qw"):
        assert run[name][-1] == run[name][0]
    upper, lower = run.contacts["upper|lower"], run.contacts["lower|floor"]
    assert sum(upper[name].normal[-1] for name in upper) == pytest.approx(2 * G, rel=1e-10)
    assert sum(lower[name].normal[-1] for name in lower) == pytest.approx(4 * G, rel=1e-10)


# -- sliding and tipping ------------------------------------------------------------------------------------------


def test_friction_stops_a_box_on_a_long_box() -> None:
    mu, speed = 0.3, 3.0
    start = {"box_x": -8.0, "box_z": 1.0, "box_x_rate": speed}
    run = detent.simulate(on_a_fixed_box(mu, 0.0), until=3, start=start, parameters=EDGES | {"under_a": 20.0})
    assert run["box_x"][-1] + 8 == pytest.approx(speed**2 / (2 * mu * G), abs=1e-12)
    (stops,) = run.events.of_kind("transition")
    assert stops.time == pytest.approx(speed / (mu * G), abs=1e-13)


def test_a_box_that_slides_off_tips_where_its_middle_passes_the_edge() -> None:
    start = {"box_x": 0.2, "box_z": 1.0, "box_x_rate": 0.5}
    run = detent.simulate(on_a_fixed_box(0.0, 0.0), until=3, start=start, parameters=EDGES)
    passes, *_ = run.events.of_kind("transition")
    assert passes.time == pytest.approx((1.0 - 0.7) / 0.5, abs=1e-9)  # two corners of four leave the face
    (tips,) = [event for event in run.events if event.name.count("slip -> open") == 2]
    assert tips.time == pytest.approx((1.0 - 0.2) / 0.5, abs=1e-9)
    assert run["box_z"][-1] < -1.0
    assert lowest(run, CUBE, TABLE) > -1e-9
    assert np.ptp(run["energy"]) < 1e-7


# -- impacts ------------------------------------------------------------------------------------------------------


def test_a_cube_that_lands_flush_goes_straight_up() -> None:
    start = {"box_x": 0.3, "box_y": 0.2, "box_z": 1.5, **turned(0.3)}
    run = detent.simulate(on_a_fixed_box(0.3, 0.5), until=0.4, start=start, parameters=EDGES)
    speed = math.sqrt(2 * G * 0.5)
    (hit,) = run.events.of_kind("impact")
    assert hit.time == pytest.approx(speed / G, abs=1e-12)
    after = np.searchsorted(run.time, hit.time, side="right") - 1
    assert run["box_z_rate"][after] == pytest.approx(0.5 * speed, rel=1e-12)
    assert abs(run["box_wx"][after]) + abs(run["box_wy"][after]) < 1e-12


def first_impact(run: detent.Run) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, int]:
    """The impulse of the first impact, its moment, both speeds before and after it, and the node before it."""
    hit = run.events.of_kind("impact")[0]
    before = int(np.flatnonzero(run.time == hit.time)[0])
    velocities = np.array([run[f"box_{k}_rate"] for k in "xyz"]).T[before : before + 2]
    axes = axes_of(*(float(run[f"box_q{k}"][before]) for k in "wxyz"))
    spins = np.array([run[f"box_w{k}"] for k in "xyz"]).T[before : before + 2]
    return velocities, spins, axes, np.array([float(run[f"box_{k}"][before]) for k in "xyz"]), before


@pytest.mark.parametrize("seed", range(4))
def test_an_impact_is_along_a_normal_at_a_point_of_both(seed: int) -> None:
    """Without friction: from the speeds before and after it alone, with the point from a linear program."""
    box, under, edges = thrown_at_the_fixed(seed)
    run = detent.simulate(on_a_fixed_box(0.0, 0.5), until=2, start=box.start("box"), parameters=edges)
    velocities, spins, axes, middle, _ = first_impact(run)
    a, b, c = 2 * box.half
    inertia = edges["m"] / 12 * np.array([b * b + c * c, a * a + c * c, a * a + b * b])
    push = edges["m"] * (velocities[1] - velocities[0])
    # The only point of both boxes: x in the box, x in the fixed one, with a little room for rounding.
    rows = np.vstack([axes.T, -axes.T, np.eye(3), -np.eye(3)])
    right = np.array([*(box.half + axes.T @ middle), *(box.half - axes.T @ middle), *under, *under]) + 1e-9
    ends = [linprog(sign * way, A_ub=rows, b_ub=right, bounds=(None, None)).x for way in np.eye(3) for sign in (1, -1)]
    point = np.mean(ends, axis=0)
    spread = np.ptp(ends, axis=0).max()  # how well it tells the point
    assert spread < 1e-4
    moment = axes @ (inertia * (spins[1] - spins[0]))
    np.testing.assert_allclose(np.cross(point - middle, push), moment, atol=2 * spread * np.linalg.norm(push))
    normal = push / np.linalg.norm(push)
    meets, parts = (normal @ (velocities[k] + np.cross(axes @ spins[k], point - middle)) for k in (0, 1))
    assert meets < 0
    assert parts == pytest.approx(-0.5 * meets, abs=2 * spread * np.linalg.norm(spins, axis=1).max())
    reach = box.half @ np.abs(axes.T @ normal) + under @ np.abs(normal)
    assert normal @ middle == pytest.approx(reach, abs=1e-12)  # it separates them


def thrown_at_the_fixed(seed: int) -> tuple[Thrown, np.ndarray, dict[str, float]]:
    random = np.random.default_rng([12, seed])
    half, under = random.uniform(0.15, 0.8, 3), random.uniform(0.3, 1.5, 3)
    aim = random.normal(size=3)
    aim /= np.linalg.norm(aim)
    aim[2] = abs(aim[2])
    box = thrown(random, half, float(np.linalg.norm(half) + np.linalg.norm(under)) + 0.1, aim)
    edges = dict(zip(("a", "b", "c", "under_a", "under_b", "under_c"), 2 * np.array([*half, *under]), strict=True))
    return box, under, edges | {"m": float(random.uniform(0.5, 3))}


def turns_again(run: detent.Run) -> int:
    """How often the slip of a point turns that has just turned: a change that nothing asks for."""
    told = [event for event in run.events if event.name.endswith("slip turns")]
    return sum(a.name == b.name and b.time - a.time < 1e-6 for a, b in pairwise(told))


def one_throw(seed: int, friction: float, restitution: float) -> str:
    """A box thrown at a fixed box: 'right', or what is wrong."""
    box, under, edges = thrown_at_the_fixed(seed)
    system = on_a_fixed_box(friction, restitution)
    run = detent.simulate(system, until=2, start=box.start("box"), parameters=edges, check=False, most_steps=2500)
    deep, gained = lowest(run, box.half, under), float(np.diff(run["energy"]).max())
    ends, again = str(run.outcome) == "completed", turns_again(run)
    if again:
        return f"wrong: slip turns {again} times within 1e-6 s of the time before"
    if deep < (-1e-9 if ends else -2e-6) or gained > 1e-8:  # a run that cannot keep them apart stops
        return f"wrong: overlaps by {-deep:.2g} m, gains {gained:.2g} J"
    return "right" if ends else f"stopped: {run.outcome}"


@pytest.mark.parametrize("seed", range(8))
def test_a_box_thrown_at_a_box_stays_outside(seed: int) -> None:
    assert one_throw(seed, 0.0, 0.5) == "right"


@pytest.mark.parametrize("seed", [66, 135, 1002, 1206, 1373])
def test_corners_that_come_down_one_after_the_other_come_to_rest(seed: int) -> None:
    """Without restitution: the next comes down before the last has risen by more than rounding, at shorter and shorter
    intervals, and what one strikes throws the other back."""
    assert one_throw(seed, 0.4, 0.0) == "right"


def test_edges_meet_that_nearly_lie_on_a_face() -> None:
    """By 4e-9 rad: the edges that are nearest are not those of the lowest corner, which is beside the face."""
    assert one_throw(1398, 0.0, 0.5) == "right"


def test_a_box_that_spins_about_a_corner_at_rest_sticks_there() -> None:
    """Four points share their forces; the slip of one ends, and goes on by none of the forces that are shared."""
    assert one_throw(1055, 0.4, 0.0) == "right"


def first_touch(one: Thrown, other: Thrown, until: float) -> float | None:
    """When two boxes in free flight first touch, by bisection; None if they do not."""
    times = np.linspace(0, until, 1001)
    late = next((k for k, t in enumerate(times) if separation(one.at(t), other.at(t)) <= 0), None)
    if late is None:
        return None
    low, high = times[late - 1], times[late]
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if separation(one.at(middle), other.at(middle)) > 0 else (low, middle)
    return float(high)


def one_collision(seed: int, friction: float, restitution: float) -> str:
    """Two boxes that fly at one another: 'right', or what is wrong."""
    random = np.random.default_rng([13, seed])
    halves = [random.uniform(0.15, 0.8, 3) for _ in range(2)]
    aim = random.normal(size=3)
    aim /= np.linalg.norm(aim)
    one = thrown(random, halves[0], float(sum(map(np.linalg.norm, halves))) + 0.1, aim)
    still = thrown(random, halves[1], 0.0, aim)
    other = Thrown(still.half, still.place, still.turn, 0.3 * random.normal(size=3), still.spin)
    m = random.uniform(0.5, 3, 2)
    values = {f"{name}_{k}": 2 * h for name, half in zip(("one", "other"), halves, strict=True)
              for k, h in zip("abc", half, strict=True)}  # fmt: skip
    values |= {"one_m": m[0], "other_m": m[1], "one_I": 0.1 * m[0], "other_I": 0.2 * m[1]}
    start = one.start("one") | other.start("other")
    system = two_boxes(friction, restitution)
    run = detent.simulate(system, until=2, start=start, parameters=values, check=False, most_steps=2500)
    touched = first_touch(one, other, 2.0)
    found = next((event.time for event in run.events.of_kind("impact")), None)
    if (touched is None) is not (found is None):
        return f"wrong: touches at {touched}, found at {found}"
    if touched is not None and found is not None and abs(touched - found) > 1e-9:
        return f"wrong: touches at {touched}, found {found - touched:.2g} s later"
    pairs = zip(standing_along(run, "one", halves[0]), standing_along(run, "other", halves[1]), strict=True)
    deep = min(separation(*pair) for pair in pairs)
    momentum = sum(
        mass * np.array([run[f"{name}_{k}_rate"] for k in "xyz"])
        for name, mass in zip(("one", "other"), m, strict=True)
    )
    drift, gained = np.ptp(momentum, axis=1).max(), float(np.diff(run["energy"]).max())
    if again := turns_again(run):
        return f"wrong: slip turns {again} times within 1e-6 s of the time before"
    if deep < -1e-9 or drift > 1e-9 or gained > 1e-9:  # to the tolerance of the steps, while they touch
        return f"wrong: overlaps by {-deep:.2g} m, momentum off by {drift:.2g}, gains {gained:.2g} J"
    return "right" if str(run.outcome) == "completed" else f"stopped: {run.outcome}"


@pytest.mark.parametrize("seed", range(3))
def test_boxes_that_fly_at_one_another_meet_when_they_touch(seed: int) -> None:
    assert one_collision(seed, 0.0, 0.5) == "right"


def test_without_gravity_too_a_contact_lifts_off_where_its_force_vanishes() -> None:
    """There the acceleration without a force is zero too, and all that it could be compared with in one direction."""
    assert one_collision(1000, 0.4, 0.0) == "right"


@pytest.mark.slow
@pytest.mark.parametrize(("friction", "restitution"), [(0.0, 0.5), (0.4, 0.0), (0.4, 0.5)])
def test_many_boxes_thrown_at_a_box(friction: float, restitution: float) -> None:
    told = {seed: one_throw(seed, friction, restitution) for seed in range(1000, 1400)}
    assert not {seed: word for seed, word in told.items() if word != "right"}


@pytest.mark.slow
@pytest.mark.parametrize(("friction", "restitution"), [(0.0, 0.5), (0.4, 0.0), (0.4, 0.3)])
def test_many_boxes_that_fly_at_one_another(friction: float, restitution: float) -> None:
    told = {seed: one_collision(seed, friction, restitution) for seed in range(1000, 1300)}
    assert not {seed: word for seed, word in told.items() if word != "right"}


# -- how a contact is declared ------------------------------------------------------------------------------------


def test_boxes_that_overlap_are_refused_with_their_depth() -> None:
    with pytest.raises(detent.DetentError, match=r"'box\|ground': its shapes overlap by 0\.1 m"):
        detent.simulate(on_a_fixed_box(0.3, 0.0), until=1, start={"box_z": 0.9}, parameters=EDGES)


def test_a_run_stops_where_boxes_are_nearer_than_they_may_be(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if nothing had kept them apart: they may be no nearer than a twentieth of their edges, which are 8 m."""
    monkeypatch.setattr("detent.hybrid.box_pair._DEEP", -0.05)
    system = on_a_fixed_box.__wrapped__(0.0, 0.0)
    start = {"box_z": 2.0, **turned(0.3)}
    run = detent.simulate(system, until=2, start=start, parameters=EDGES, check=False)
    assert "its boxes would pass into one another" in run.message
    assert run["box_z"][-1] == pytest.approx(1.0 + 0.05 * 8, abs=1e-6)
    assert run.time[-1] == pytest.approx(math.sqrt(2 * (1.0 - 0.05 * 8) / G), abs=1e-6)


def test_it_is_told_which_features_meet() -> None:
    """Half over an edge: two corners on the face, and two edges across its edge."""
    start = {"box_x": 0.8, "box_z": 1.0}
    run = detent.simulate(on_a_fixed_box(0.3, 0.0), until=0.1, start=start, parameters=EDGES)
    contact = run.contacts["box|ground"]
    told = {contact[name].features[-1] for name in POINTS}
    corners = {"corner -x y -z on face z", "corner -x -y -z on face z"}
    assert told == {"", *corners, "edge y -z on edge x z", "edge -y -z on edge x z"}
    assert contact["point 1"].gap[-1] == pytest.approx(0, abs=1e-15)


def test_a_mode_may_do_without_the_contact() -> None:
    system = on_a_fixed_box(0.3, 0.0)
    automaton = detent.Automaton(system)
    automaton.mode("on the table")
    automaton.mode("through it", contacts=[])
    automaton.transition("the table gives way", "on the table", "through it", when=system.time >= 0.5)
    run = detent.simulate(automaton, until=1, start={"box_z": 1.2}, parameters=EDGES)
    assert run["box_z"][-1] == pytest.approx(1 - G * 0.5**2 / 2, abs=1e-12)
    assert (run.contacts["box|ground"]["point 1"].status[[0, -1]] == [0, -1]).all()


def test_a_run_goes_on_from_a_checkpoint(tmp_path: Path) -> None:
    system = on_a_fixed_box(0.3, 0.0)
    whole = detent.Simulation(system, start={"box_x": 0.9, "box_z": 1.2, "box_x_rate": 0.2}, parameters=EDGES)
    whole.advance(0.4)
    whole.checkpoint(tmp_path / "half.json")
    rest = detent.resume(system, tmp_path / "half.json")
    whole.advance(0.8)
    rest.advance(0.8)
    assert rest.state.values.tolist() == whole.state.values.tolist()


def test_a_contact_comes_and_goes_during_a_run() -> None:
    simulation = detent.Simulation(on_a_fixed_box(0.3, 0.0), start={"box_z": 1.2}, parameters=EDGES)
    simulation.release("box|ground")
    simulation.advance(0.1)
    simulation.contact("box|ground")
    simulation.advance(0.5)
    assert simulation.state.box_z == pytest.approx(1.0, abs=1e-12)
    simulation.release("box|ground")
    simulation.advance(0.52)
    with pytest.raises(detent.DetentError, match=r"overlap by 0\.00196"):
        simulation.contact("box|ground")


def test_formulations_without_events_refuse_boxes() -> None:
    with pytest.raises(detent.DetentError, match="whose features are chosen at events"):
        detent.simulate(on_a_fixed_box(0.3, 0.0), until=1, step=1e-3, method="rk4", formulation="penalty")
