"""The ball at the corner of a path: it rolls about it, slips, leaves and lands as the closed forms say."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest

from detent.gallery.ball_on_path import build, flight, lands, leaves_at, rolls_until, slides, while_it_slips
from detent.gallery.example import Example
from tests.gallery.contact_models import HAPPENS
from tests.physics.bounds import accumulated

G, WAY, BEND = 9.81, 0.5, 0.5
LEVEL, CORNER, SLOPE = "ball|path piece 1", "ball|path corner 1", "ball|path piece 2"
TO_THE_BEND = [f"{SLOPE}: roll -> open, ball|path piece 3: open -> roll"]
TO_THE_LEVEL = ["ball|path piece 4: open -> roll, ball|path piece 3: roll -> open"]


def integral(of: Callable[[float], float], start: float, end: float) -> float:
    """By Gauss and Legendre: what is integrated is smooth."""
    places, weights = np.polynomial.legendre.leggauss(40)
    half = (end - start) / 2
    return half * sum(w * of(start + half * (1 + x)) for x, w in zip(places, weights, strict=True))


@dataclass
class Expected:
    """What a ball does until it rolls on the slope: the names of events, their times, and its speed then."""

    names: list[str]
    times: list[float]
    along: float
    """Its speed (m/s) there."""
    place: float
    """How far (m) from the corner that is, along the slope."""


def expected(r: float, mu: float, down: float, w: float) -> Expected:
    """For a ball that comes with w = v^2/(g r)."""
    unit, time = math.sqrt(G * r), WAY / math.sqrt(G * r * w)
    if w >= 1:
        return in_flight([f"{LEVEL}: roll -> open"], [time], r, mu, down, 0.0, unit * math.sqrt(w), unit * math.sqrt(w))

    def rolling(phi: float) -> float:
        return w + 10 / 7 * (1 - math.cos(phi))

    names, times = [f"{LEVEL}: roll -> open, {CORNER}: open -> roll"], [time]
    begins = min(down, rolls_until(w, mu))
    times.append(time + integral(lambda phi: r / unit / math.sqrt(rolling(phi)), 0.0, begins))
    surface = unit * math.sqrt(rolling(begins))
    if begins == down:
        return Expected([*names, f"{CORNER}: roll -> open, {SLOPE}: open -> roll"], times, surface, 0.0)

    def slipping(phi: float) -> float:
        return while_it_slips(phi, begins, rolling(begins), mu)

    names.append(f"{CORNER}: roll -> slip")
    ends = min(down, leaves_at(begins, rolling(begins), mu))
    times.append(times[-1] + integral(lambda phi: r / unit / math.sqrt(slipping(phi)), begins, ends))
    surface += integral(lambda phi: 5 / 2 * mu * unit * (math.cos(phi) - slipping(phi)) / math.sqrt(slipping(phi)),
                        begins, ends)  # fmt: skip
    speed = unit * math.sqrt(slipping(ends))
    if ends == down:
        names.append(f"{CORNER}: slip -> open, {SLOPE}: open -> slip")
        return on_the_slope(names, times, mu, down, speed, surface, 0.0)
    return in_flight([*names, f"{CORNER}: slip -> open"], times, r, mu, down, ends, speed, surface)


def in_flight(
    names: list[str], times: list[float], r: float, mu: float, down: float, phi: float, speed: float, surface: float
) -> Expected:
    takes = flight(phi, speed, down, r)
    place = r * math.sin(phi - down) + speed * math.cos(down - phi) * takes + G * math.sin(down) * takes**2 / 2
    along = speed * math.cos(down - phi) + G * math.sin(down) * takes
    across = G * math.cos(down) * takes - speed * math.sin(down - phi)
    along, surface = lands(along, across, surface, mu)
    rolls = math.isclose(along, surface, rel_tol=1e-12)
    names, times = [*names, f"{SLOPE}: open -> {'roll' if rolls else 'slip'}"], [*times, times[-1] + takes]
    return (
        Expected(names, times, along, place) if rolls else on_the_slope(names, times, mu, down, along, surface, place)
    )


def on_the_slope(
    names: list[str], times: list[float], mu: float, down: float, along: float, surface: float, place: float
) -> Expected:
    takes, rubs = slides(along, surface, down, mu), math.copysign(mu * G * math.cos(down), along - surface)
    pull = G * math.sin(down) - rubs
    place += along * takes + pull * takes**2 / 2
    return Expected([*names, f"{SLOPE}: slip -> roll"], [*times, times[-1] + takes], along + pull * takes, place)


def parts(name: str) -> list[str]:
    """What each piece does, in any order."""
    return sorted(name.split(", "))


def check(example: Example, r: float, mu: float, down: float, fall: float, w: float) -> None:
    """That a ball does what the closed forms say, and nothing besides."""
    wanted, v = expected(r, mu, down, w), math.sqrt(G * r * w)
    rest, pull = fall - wanted.place, 5 / 7 * G * math.sin(down)
    foot = wanted.times[-1] + (math.sqrt(wanted.along**2 + 2 * pull * rest) - wanted.along) / pull
    lost = rest * math.sin(down) + (BEND - r) * (1 - math.cos(down))
    start = {"ball_x_rate": v, "ball_angle_rate": -v / r}
    parameters = {"r": r, "mu": mu, "down": down, "fall": fall}
    run = example.simulate(until=foot + 0.5, start=start, parameters=parameters, rtol=1e-12, atol=1e-14)
    happened = [event for event in run.events if event.kind in HAPPENS]
    assert [parts(event.name) for event in happened] == list(map(parts, [*wanted.names, *TO_THE_BEND, *TO_THE_LEVEL]))
    assert [event.time for event in happened[:-1]] == pytest.approx([*wanted.times, foot], abs=1e-9)
    assert run.final.ball_x_rate == pytest.approx(math.sqrt(wanted.along**2 + 10 / 7 * G * lost), abs=1e-9)
    assert run.audit.smallest_gap is not None
    assert run.audit.smallest_gap > -1e-11
    assert run.mode == "ball|path piece 4: roll"


@pytest.fixture(scope="module")
def example() -> Example:
    """One path for many balls: its modes are derived once."""
    return build()


def check_one(example: Example, seed: int) -> None:
    random = np.random.default_rng(seed)
    w = random.uniform(0.05, 1) if seed % 3 else random.uniform(1, 2)
    check(example, random.uniform(0.05, 0.2), random.uniform(0.5, 1), random.uniform(0.3, 0.9), 6.0, w)


def test_a_slow_ball_rolls_about_the_corner_slips_leaves_and_lands(example: Example) -> None:
    check(example, 0.1, 0.5, math.pi / 4, 1.5, 0.8**2 / (G * 0.1))


def test_a_fast_ball_leaves_at_the_corner(example: Example) -> None:
    check(example, 0.1, 0.5, math.pi / 4, 3.0, 1.5)


def test_where_the_path_bends_little_a_slow_ball_never_leaves_it(example: Example) -> None:
    check(example, 0.2, 0.9, 0.2, 1.5, 0.3)


def test_energy_is_lost_by_slip_and_in_the_landing_alone(example: Example) -> None:
    run = example.simulate()
    assert run.audit.energy_balance < accumulated(run)
    landing = run.events.of_kind("impact")[0]
    assert landing.details["energy"] < -1e-3


@pytest.mark.parametrize("seed", range(20))
def test_any_ball_does_what_the_closed_forms_say(example: Example, seed: int) -> None:
    check_one(example, seed)


@pytest.mark.slow
def test_any_of_500_balls_does_what_the_closed_forms_say(example: Example) -> None:
    for seed in range(100, 600):
        check_one(example, seed)
