"""A capsule comes down on one that is held: they touch in one place, and which is named first is no matter.

Axes that are not parallel have one shortest way between them, so that two such capsules never touch in two places. The
capsule goes from side to end as it tips over, and off the other one's end as it slides.
"""

from __future__ import annotations

import numpy as np
import pytest

import detent

UNTIL = 0.9


def crossed(seed: int, exchanged: bool) -> detent.System:
    """A capsule above one that lies, turned against it and off its middle, with friction and spin."""
    random = np.random.default_rng([seed, 67])
    system = detent.System("crossed")
    lies = system.ground.rotated("lies", float(random.uniform(1.2, 1.9)), about="y")
    joint = system.free("rod", system.origin, system.ground)
    mass, radius, length = (float(value) for value in random.uniform((0.5, 0.1, 0.6), (2.0, 0.2, 1.2)))
    across = mass * (length / 2 + radius) ** 2 / 3
    rod = system.body("rod", joint.point, joint.frame, mass, (across, across, mass * radius**2 / 2))
    system.gravity(-9.81 * system.ground.z)
    heading, tip = random.uniform(0.4, 2.7), random.uniform(1.2, 1.9)
    c, s = np.cos([heading / 2, tip / 2]), np.sin([heading / 2, tip / 2])
    turned = {"qw": c[0] * c[1], "qx": -s[0] * s[1], "qy": c[0] * s[1], "qz": s[0] * c[1]}
    place = {"x": random.uniform(-0.3, 0.3), "y": random.uniform(-0.2, 0.2), "z": 1.2}
    speeds = {name: random.uniform(-1, 1) for name in ("x_rate", "y_rate", "wx", "wy", "wz")}
    system.start(**{f"rod_{name}": float(value) for name, value in (turned | place | speeds).items()})
    shapes = [rod.capsule(radius, length), lies.capsule(0.15, 0.8)]
    first, second = reversed(shapes) if exchanged else shapes
    friction = detent.Coulomb(float(random.choice([0.1, 0.5, 1.0])))
    system.contact("rod|bar", first, second, friction=friction)
    return system


def check(seed: int) -> set[str]:
    """The places where it was touched."""
    runs = [detent.simulate(crossed(seed, exchanged), until=UNTIL, rtol=1e-10) for exchanged in (False, True)]
    touched = set[str]()
    for run in runs:
        places = run.contacts["rod|bar"]
        closed = np.array([places[name].status >= detent.ContactStatus.SLIP for name in places])
        events = np.isin(run.time, [event.time for event in run.events])
        assert (closed.sum(axis=0)[~events] <= 1).all()
        touched |= {name for name, there in zip(places, closed, strict=True) if there.any()}
    one, other = (np.array([run.final[f"rod_{name}"] for name in ("x", "y", "z", "wx", "wy", "wz")]) for run in runs)
    assert one == pytest.approx(other, abs=1e-6)
    return touched


def test_crossed_capsules_touch_in_one_place_whichever_is_first() -> None:
    assert check(6) == {"end 2 on side", "side under end 2"}


@pytest.mark.slow
def test_many_crossed_capsules_touch_in_one_place_whichever_is_first() -> None:
    touched = set[str]().union(*(check(seed) for seed in range(100)))
    assert len(touched) == 9
