"""A capsule on a cylinder: its ends and its side on the cylinder's side, flat ends and rims.

Nearest points of rims are followed. A capsule that lies across a flat end touches its rim twice, and leaves it by
rolling over its edge.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

import detent
from tests.physics.flying_solids import Pair, along, capsule_to_cylinder, energy, random_flights, two_solids

G = 9.81


@pytest.fixture(scope="module")
def system() -> detent.System:
    return two_solids(
        lambda one, other, r, s, R, L: (one.capsule(r, s), other.cylinder(R, L)), 0.6, r=0.1, s=1.0, R=0.5, L=0.5
    )


def fly(system: detent.System, seed: int) -> str | None:
    """Where a capsule and a cylinder that fly at one another met first; when is as SciPy says, and nothing overlaps."""
    random = np.random.default_rng([seed, 43])
    r, s, R, L = (float(value) for value in random.uniform((0.03, 0.2, 0.15, 0.1), (0.3, 1.6, 0.7, 1.0)))
    pair = Pair(*random_flights(random), capsule_to_cylinder(r, s, R, L))
    if pair.apart(0.0) < 0.05:
        return None
    start = pair.one.start("one") | pair.other.start("other")
    parameters = {"r": r, "s": s, "R": R, "L": L}
    run = detent.simulate(system, until=2, start=start, parameters=parameters, rtol=1e-10)
    struck = run.events.of_kind("impact")
    if pair.meets is None:
        assert not struck or struck[0].time > 2 - 1e-9 or pair.apart(struck[0].time) < 1e-7
        return None
    assert struck[0].time == pytest.approx(pair.meets, abs=1e-8)
    nodes = list(zip(along(run, "one"), along(run, "other"), strict=True))
    apart = [pair.distance(*both) for both in nodes[:: 1 + len(nodes) // 150]]
    assert min(apart) > -1e-8
    assert np.diff(energy(run)).max() < 1e-9
    return struck[0].name.split(":")[0].removeprefix("one|other ")


@pytest.mark.slow
def test_thousands_of_capsules_meet_cylinders_when_their_distance_says(system: detent.System) -> None:
    met = [fly(system, seed) for seed in range(2000)]
    places = {name for name in met if name is not None}
    assert sum(name is not None for name in met) > 1000
    assert places == set(system.contacts["one|other"].features)


# -- on a drum that stands --------------------------------------------------------------------------------------------

R, H, r, M = 0.5, 0.5, 0.1, 1.5
"""Of the drum the radius and half its length, of the rod the radius and its mass."""
ACROSS, LENGTH = 0.25, 2.0


@pytest.fixture(scope="module")
def drum() -> detent.System:
    """A rod, along x of its frame, above a cylinder that stands."""
    system = detent.System("rod on a drum")
    joint = system.free("rod", system.origin, system.ground)
    rod = system.body("rod", joint.point, joint.frame, M, (0.01, ACROSS, ACROSS))
    system.gravity(-G * system.ground.z)
    mu, e = system.parameters(mu=0.4, e=0)
    shapes = rod.capsule(r, LENGTH, along="x"), system.ground.cylinder(R, 2 * H)
    system.contact("rod|drum", *shapes, friction=detent.Coulomb(mu), impact=detent.Poisson(e))
    return system


def test_a_rod_across_a_drum_rests_on_two_points_of_its_rim(drum: detent.System) -> None:
    x, y = 0.1, 0.3
    run = detent.simulate(drum, until=10, start={"rod_x": x, "rod_y": y, "rod_z": H + r})
    places = run.contacts["rod|drum"]
    chord = math.sqrt(R**2 - y**2)
    for name, sign in (("side near end 1 under rim 2", -1), ("side near end 2 under rim 2", 1)):
        assert places[name].normal[-1] == pytest.approx(M * G * (1 + sign * x / chord) / 2, rel=1e-9)
        np.testing.assert_allclose(places[name].point[-1], [sign * chord, y, H], atol=1e-12)
    for name in ("rod_x", "rod_y", "rod_z", "rod_qw"):
        assert run[name][-1] == pytest.approx(run[name][0], abs=1e-9)


def test_a_rod_beyond_its_balance_tips_over_the_rim(drum: detent.System) -> None:
    """Its middle is outside of both points: it turns about the outer one, which carries part of its weight."""
    x = 0.6
    run = detent.simulate(drum, until=0.2, start={"rod_x": x, "rod_z": H + r}, parameters={"mu": 50})
    place = run.contacts["rod|drum"]["side near end 2 under rim 2"]
    about = ACROSS + M * ((x - R) ** 2 + r**2)  # the middle of the rod is r above the point; it does not slip at first
    assert place.normal[0] == pytest.approx(M * G * (1 - M * (x - R) ** 2 / about), rel=1e-9)


def test_a_rod_lands_across_a_drum_when_it_has_fallen_so_far(drum: detent.System) -> None:
    run = detent.simulate(drum, until=1, start={"rod_z": H + r + 0.5, "rod_y": 0.2})
    assert run.events[0].time == pytest.approx(math.sqrt(2 * 0.5 / G), abs=1e-12)
    assert run.events[0].name.count("open -> ") == 2
    assert run.rod_z[-1] == pytest.approx(H + r, abs=1e-12)


def test_a_rod_may_be_exactly_above_the_axis_or_across_it_in_flight(drum: detent.System) -> None:
    """Where all points of a rim are equally near, or two become one, nothing has to be known of them."""
    upright = {"rod_qw": math.sqrt(0.5), "rod_qy": math.sqrt(0.5)}
    stands = detent.simulate(drum, until=0.6, start={"rod_z": H + LENGTH / 2 + r + 0.3, **upright})
    assert stands.events[0].time == pytest.approx(math.sqrt(0.6 / G), abs=1e-9)
    crosses = {"rod_z": H + 2.5, "rod_y": -1.0, "rod_y_rate": 3.0}
    passes = detent.simulate(drum, until=0.5, start=crosses)
    assert passes.final.rod_y == pytest.approx(0.5, abs=1e-9)
    assert len(passes.events) == 0


@pytest.mark.parametrize("radius", [0.0, 0.2])
def test_what_is_exactly_above_the_axis_of_a_cylinder_falls_onto_it(radius: float) -> None:
    system = detent.System("ball on a drum")
    joint = system.free("ball", system.origin, system.ground)
    ball = system.body("ball", joint.point, joint.frame, 1, (0.1, 0.1, 0.1))
    system.gravity(-G * system.ground.z)
    shape = ball.sphere(radius) if radius else ball.point()
    system.contact("ball|drum", shape, system.ground.cylinder(R, 2 * H))
    run = detent.simulate(system, until=1, start={"ball_z": H + radius + 0.3})
    assert run.events[0].time == pytest.approx(math.sqrt(0.6 / G), abs=1e-12)
    assert run.ball_z[-1] == pytest.approx(H + radius, abs=1e-12)


def thrown(drum: detent.System, seed: int) -> str:
    """The outcome of a rod that is thrown onto the drum: no energy is gained, and nothing overlaps."""
    random = np.random.default_rng([seed, 47])
    turned = random.normal(size=4)
    turned /= np.linalg.norm(turned)
    speeds = dict(zip(("x_rate", "y_rate", "z_rate", "wx", "wy", "wz"), random.uniform(-1.5, 1.5, 6), strict=True))
    place = {"x": random.uniform(-0.5, 0.5), "y": random.uniform(-0.5, 0.5), "z": 2.2}
    start = {f"rod_{name}": float(value) for name, value in (place | speeds).items()}
    start |= dict(zip(("rod_qw", "rod_qx", "rod_qy", "rod_qz"), map(float, turned), strict=True))
    parameters = {"mu": float(random.choice([0.1, 0.4, 1.0])), "e": float(random.choice([0.0, 0.5]))}
    run = detent.simulate(drum, until=1.2, start=start, parameters=parameters, check=False)
    distance = capsule_to_cylinder(r, LENGTH, R, 2 * H)
    still = (np.zeros(3), np.eye(3))
    for place, axes in along(run, "rod")[::3]:
        assert distance((place, axes[:, [1, 2, 0]]), still) > -1e-8
    height = 0.5 * M * sum(run[f"rod_{name}_rate"] ** 2 for name in "xyz") + M * G * run.rod_z
    turning = sum(J * run[f"rod_w{name}"] ** 2 for J, name in zip((0.01, ACROSS, ACROSS), "xyz", strict=True))
    assert np.diff(height + 0.5 * turning).max() < 1e-7
    return str(run.outcome.word)


def test_rods_that_are_thrown_onto_a_drum_gain_no_energy_and_do_not_overlap_it(drum: detent.System) -> None:
    assert [thrown(drum, seed) for seed in (0, 55, 119)] == ["completed"] * 3


@pytest.mark.slow
def test_many_rods_that_are_thrown_onto_a_drum(drum: detent.System) -> None:
    outcomes = [thrown(drum, seed) for seed in range(500)]
    assert outcomes.count("completed") > 490


@pytest.mark.slow
def test_a_cylinder_rolls_down_two_rails() -> None:
    """With J = k m R^2 about its axis its middle gains g sin(tilt)/(1 + k), carried by both rails alike."""
    tilt, m, k = 0.2, 3.0, 0.5
    system = detent.System("rails")
    joint = system.free("roller", system.origin, system.ground)
    across = m * (3 * R**2 + 1) / 12
    roller = system.body("roller", joint.point, joint.frame, m, (across, k * m * R**2, across))
    system.gravity(G * math.sin(tilt) * system.ground.x - G * math.cos(tilt) * system.ground.z)
    for name, y in (("left", 0.3), ("right", -0.3)):
        rail = system.ground.capsule(r, 20, along="x", at=(0, y, 0))
        shape = roller.cylinder(R, 1, along="y")
        system.contact(f"roller|{name}", shape, rail, friction=detent.Coulomb(0.5))
    system.start(roller_z=R + r)
    run = detent.simulate(system, until=1.5)
    assert run.roller_x[-1] == pytest.approx(0.5 * G * math.sin(tilt) / (1 + k) * 1.5**2, rel=1e-9)
    for name in ("left", "right"):
        assert run.contacts[f"roller|{name}"]["side on side"].normal[-1] == pytest.approx(
            m * G * math.cos(tilt) / 2, rel=1e-9
        )
