"""Points and disks stick, slip and roll on lines that shake, turn and run, as a second method says, event by event.

Friction depends on the time and on the slip, and is more at rest. For a while something pushes, by the mode of an
automaton or from outside; from outside the law may be another one afterwards.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import detent
from tests.physics.shaken_tables import HELD, OPEN, Known, Rider, Unsure, followed, place_of, random_rider, system_of

UNTIL = 2.0
WITHIN = 1e-8
"""SciPy's dense output is exact to some 1e-11; where slip begins or ends slowly an instant is off by more than that."""


def simulated(riders: list[Rider], changes: tuple[float, float], until: float, by_mode: bool) -> detent.Run:
    system = system_of(riders, by_mode)
    if by_mode:
        automaton, pushes = detent.Automaton(system), [f"push {k}" for k in range(len(riders))]
        before, pushed, after = (
            automaton.mode("before"),
            automaton.mode("pushed", loads=pushes),
            automaton.mode("after"),
        )
        automaton.transition("begins", before, pushed, when=system.time >= changes[0])
        automaton.transition("ends", pushed, after, when=system.time >= changes[1])
        return detent.simulate(automaton, until=until, rtol=1e-11)
    simulation = detent.Simulation(system, rtol=1e-11)
    simulation.advance(min(changes[0], until))
    if changes[0] < until:
        simulation.set(part=1.0)
        simulation.advance(min(changes[1], until))
    if changes[1] < until:
        simulation.set(part=0.0)
        for k, rider in enumerate(riders):
            if rider.later != rider.law:
                simulation.contact(f"r{k}", friction=rider.later.of(system))
        simulation.advance(until)
    return simulation.result()


def drawn(seed: int) -> tuple[list[Rider], tuple[float, float], bool]:
    """Riders, when something pushes them, and whether modes do."""
    random = np.random.default_rng([seed, 78])
    by_mode = bool(random.integers(2))
    riders = [random_rider(random) for _ in range(int(random.integers(1, 4)))]
    if by_mode:
        riders = [replace(rider, later=rider.law) for rider in riders]
    first = float(random.uniform(0.2, 0.9))
    return riders, (first, first + float(random.uniform(0.2, 0.6))), by_mode


def check(seed: int) -> str:
    """``right``, or ``unsure`` where the second method cannot tell."""
    riders, changes, by_mode = drawn(seed)
    try:
        known = [followed(rider, changes, UNTIL) for rider in riders]
    except Unsure:
        return "unsure"
    until = min(each.until for each in known)
    if until < UNTIL:  # what opens flies off: up to there
        until *= 1 - 1e-6
        known = [replace_until(rider, changes, until) for rider in riders]
    run = simulated(riders, changes, until, by_mode)
    for k, (rider, expected) in enumerate(zip(riders, known, strict=True)):
        compare(run, k, rider, expected, until, seed)
    assert run.audit.largest_cone_excess is not None
    assert run.audit.largest_cone_excess < 1e-8, seed
    return "right"


def replace_until(rider: Rider, changes: tuple[float, float], until: float) -> Known:
    first, second = (min(each, until) for each in changes)
    return followed(rider, (first, second), until)


def in_all(told: list[tuple[float, str]]) -> list[tuple[float, str]]:
    """What changes in all at each instant: a push that ends and a law that changes are settled one after the other."""
    found: list[tuple[float, str]] = []
    for time, word in told:
        if found and found[-1][0] == time:
            found.pop()
            if found and found[-1][1] == word:
                continue
        found.append((time, word))
    return found


def compare(run: detent.Run, k: int, rider: Rider, expected: Known, until: float, seed: int) -> None:
    """Every change of its status, in the same order at the same times, and where it is in the end."""
    told = [(event.time, part.split(" -> ")[-1]) for event in run.events if event.kind == "transition"
            for part in event.name.split(", ") if part.startswith(f"r{k}: ")]  # fmt: skip
    told = in_all(told)
    words = {HELD: ("stick", "roll"), "slips": ("slip",), "turns": (f"r{k}: slip turns",), OPEN: ("open",)}
    assert len(told) == len(expected.told), (seed, k, told, expected.told)
    for (time, word), (when, means) in zip(told, expected.told, strict=True):
        assert word in words[means], (seed, k, told, expected.told)
        assert time == pytest.approx(when, abs=WITHIN), (seed, k, told, expected.told)
    place = [run.final[f"r{k}_x"], run.final[f"r{k}_y"]]
    assert place == pytest.approx(place_of(rider, until, expected.state), abs=WITHIN), (seed, k)
    if rider.radius:
        assert run.final[f"r{k}_angle_rate"] == pytest.approx(expected.state[2], abs=10 * WITHIN), (seed, k)


@pytest.mark.parametrize("seed", [1, 2, 5])
def test_riders_on_shaken_tables_do_what_scipy_follows(seed: int) -> None:
    assert check(seed) == "right"


@pytest.mark.slow
@pytest.mark.parametrize("first", range(100, 600, 25))
def test_hundreds_of_riders_on_shaken_tables_do_what_scipy_follows(first: int) -> None:
    assert [check(seed) for seed in range(first, first + 25)].count("right") > 20


def test_what_is_passed_within_an_instant_has_no_part_in_the_audit() -> None:
    """A push that begins between two steps breaks what stuck: no time passes while it sticks and is pushed."""
    system = detent.System("block")
    x, y = system.coordinates("x", "y")
    block = system.particle("block", system.origin.offset("block", x * system.ground.x + y * system.ground.y), mass=1)
    system.gravity(-10 * system.ground.y)
    push = system.parameters(push=0)
    system.force("push", block, push * system.ground.x)
    system.contact("block|floor", block.point(), system.ground.line(), friction=detent.Coulomb(0.5))
    simulation = detent.Simulation(system)
    simulation.advance(1)
    simulation.set(push=9.0)
    simulation.advance(2)
    run = simulation.result()
    assert run.final.x == pytest.approx((9 - 5) / 2, rel=1e-12)
    assert run.audit.largest_cone_excess == pytest.approx(0.0, abs=1e-14)
