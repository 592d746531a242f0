"""Balls in a row that take their speed from one another: their impacts end, or pile up at one instant without end.

Nothing pulls, so that every flight is straight: two gaps and two speeds of approach, changed by impact after impact,
are the whole motion. With equal masses impacts are without end below a restitution of 7 - 4 sqrt(3) (Bernu and Mazighi
1990; McNamara and Young 1992). Where they are, all balls go on together with the momentum that there was.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

import detent

ENDLESS = 7 - 4 * math.sqrt(3)


def known(masses: np.ndarray, bounce: np.ndarray, place: np.ndarray, speed: np.ndarray) -> tuple[float, np.ndarray]:
    """When the last impact is, and the speeds after it; balls whose next flight is below rounding go on as one."""
    time, speed, gaps = 0.0, speed.copy(), np.diff(place)
    while True:
        nearing = -np.diff(speed)
        meets = [gap / rate if rate > 0 else math.inf for gap, rate in zip(gaps, nearing, strict=True)]
        k = int(np.argmin(meets))
        if meets[k] == math.inf:
            return time, speed
        if time > 0 and meets[k] < 1e-20:
            return time, np.full(len(masses), masses @ speed / masses.sum())
        time += meets[k]
        gaps = gaps - nearing * meets[k]
        gaps[k] = 0.0
        impulse = (1 + bounce[k]) * nearing[k] / (1 / masses[k] + 1 / masses[k + 1])
        speed[k] -= impulse / masses[k]
        speed[k + 1] += impulse / masses[k + 1]


def row_of_balls(masses: np.ndarray, bounce: np.ndarray, place: np.ndarray, speed: np.ndarray) -> detent.System:
    system = detent.System("row")
    balls = []
    for n, mass in enumerate(masses):
        x = system.coordinates(f"x{n}")
        balls.append(system.particle(f"ball {n}", system.origin.offset(f"ball {n}", x * system.ground.y), mass))
        system.start(**{f"x{n}": place[n], f"x{n}_rate": speed[n]})
    for n, restitution in enumerate(bounce):
        law = detent.Poisson(restitution)
        system.contact(f"{n}|{n + 1}", balls[n + 1].point(), balls[n].line(), impact=law)
    return system


def compare(masses: np.ndarray, bounce: np.ndarray, place: np.ndarray, speed: np.ndarray) -> detent.Run:
    """Near the limit speeds are as small as 1e-10 m/s where gaps are lost in rounding: places tell more than times."""
    time, after = known(masses, bounce, place, speed)
    run = detent.simulate(row_of_balls(masses, bounce, place, speed), until=time + 1)
    found = [run[f"x{n}_rate"][-1] for n in range(len(masses))]
    assert found == pytest.approx(after, abs=1e-9)
    middle = sum(masses[n] * run[f"x{n}"][-1] for n in range(len(masses)))
    assert middle == pytest.approx(masses @ (place + (time + 1) * speed), abs=1e-12)
    assert run.audit.energy_balance == pytest.approx(0, abs=1e-12)
    assert run.audit.smallest_gap > -1e-13 * (1 + time)
    return run


@pytest.mark.parametrize("restitution", [0.01, 0.05, 0.99 * ENDLESS])
def test_three_equal_balls_go_on_together(restitution: float) -> None:
    place, speed = np.array([0, 0.5, 0.9]), np.array([1.0, 0.0, -1.0])
    run = compare(np.ones(3), np.full(2, restitution), place, speed)
    assert run.contacts["0|1"].status[-1] == run.contacts["1|2"].status[-1] == detent.ContactStatus.SLIP


def test_a_column_that_collapses_comes_to_rest_on_the_floor() -> None:
    """By 60 digits all impacts are over at 0.291673046809235 s; the balls sank into one another from there on."""
    bounce, pull = (0.43226805, 0.24481341, 0.27440367), 16.23950498831732
    system = detent.System("column")
    system.gravity(-pull * system.ground.y)
    below = system.ground.line()
    starts = zip((0.44200194, 0.54612579, 0.99516232), (-1.35176653, 1.95293494, -1.40409387), strict=True)
    for n, (place, speed) in enumerate(starts):
        height = system.coordinates(f"z{n}")
        center = system.origin.offset(f"ball {n}", height * system.ground.y)
        ball = system.particle(f"ball {n}", center, (0.37048146, 0.20887817, 1.27157861)[n])
        system.start(**{f"z{n}": place, f"z{n}_rate": speed})
        system.contact(f"ball {n}", ball.point(), below, impact=detent.Poisson(bounce[n]))
        below = ball.line()
    run = detent.simulate(system, until=1)
    assert run.events[-1].time == pytest.approx(0.291673046809235, abs=1e-12)
    assert [run[f"z{n}"][-1] for n in range(3)] == pytest.approx([0, 0, 0], abs=1e-14)
    assert run.contacts["ball 0"].normal[-1] == pytest.approx(pull * (0.37048146 + 0.20887817 + 1.27157861), rel=1e-12)


def test_three_equal_balls_part_where_they_give_back_enough() -> None:
    place, speed = np.array([0, 0.5, 0.9]), np.array([1.0, 0.0, -1.0])
    run = compare(np.ones(3), np.full(2, 1.05 * ENDLESS), place, speed)
    assert run.contacts["0|1"].status[-1] == run.contacts["1|2"].status[-1] == detent.ContactStatus.OPEN


def random_row(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    random = np.random.default_rng([11, seed])
    return (
        10 ** random.uniform(-0.5, 0.5, 3),
        random.uniform(0, 0.3, 2),
        np.cumsum(random.uniform(0.2, 1, 3)),
        np.sort(random.uniform(-1, 1, 3))[::-1],
    )


@pytest.mark.parametrize("seed", range(2))
def test_random_rows_of_balls(seed: int) -> None:
    compare(*random_row(seed))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2, 200))
def test_many_random_rows_of_balls(seed: int) -> None:
    compare(*random_row(seed))
