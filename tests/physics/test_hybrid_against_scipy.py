"""Random small hybrid models, against SciPy's integrator with events and against closed forms."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import solve_ivp

import detent
from tests.unit.hybrid.models import EXACT, balls, particle, taken

FEW = settings(max_examples=40, deadline=None)
ROUNDED = st.integers(-1000, 1000).map(lambda number: number / 1000)
PART = st.integers(1, 999).map(lambda number: number / 1000)


# -- one oscillator, many guards ------------------------------------------------------------------------


@FEW
@given(
    levels=st.lists(ROUNDED.filter(lambda level: abs(level) < 0.95), min_size=1, max_size=4, unique=True),
    directions=st.lists(st.sampled_from(["falling", "rising", "either"]), min_size=4, max_size=4),
    start=ROUNDED.filter(lambda x: abs(x) > 0.05),
)
def test_levels_that_an_oscillator_passes(levels: list[float], directions: list[str], start: float) -> None:
    """x = a cos t passes a c at the times +-arccos c + 2 pi n."""
    system, x = particle(x=start)
    system.spring("spring", x, 1)
    automaton = detent.Automaton(system)
    mode = automaton.mode("swinging")
    expected = []
    for number, (level, direction) in enumerate(zip(levels, directions, strict=False)):
        automaton.transition(f"at {number}", mode, mode, when=x - level * start, direction=direction)
        first = math.acos(level)
        for time, sense in ((first, -1), (2 * math.pi - first, 1), (2 * math.pi + first, -1)):
            wanted = {"falling": -1, "rising": 1, "either": sense * math.copysign(1, start)}[direction]
            if sense * math.copysign(1, start) == wanted:
                expected.append((time, f"at {number}"))
    run = detent.simulate(automaton, 3 * math.pi, **EXACT)
    expected = sorted(expected)
    assert [name for name, _ in taken(run)] == [name for _, name in expected]
    # The slope at the level magnifies the error of x.
    slope = min((math.sin(math.acos(level)) for level in levels), default=1.0)
    tolerance = 100 * 1e-12 / slope
    np.testing.assert_allclose([t for _, t in taken(run)], [time for time, _ in expected], atol=tolerance)


# -- a mass on a spring between walls: modes, restitution, friction --------------------------------------


class Rattle:
    """A sprung, damped mass between two walls with restitution, pulled by another force on the way back than there."""

    def __init__(self, walls: tuple[float, float], restitution: float, damping: float, pulls: tuple[float, float]):
        self.walls, self.restitution, self.damping, self.pulls = walls, restitution, damping, pulls

    def detent(self, until: float) -> list[tuple[str, float]]:
        system, x = particle(x=0.0, x_rate=3.0)
        system.spring("spring", x, 2)
        system.damper("damper", x.rate, self.damping)
        mass = system.bodies["mass"]
        for name, pull in zip(("there", "back"), self.pulls, strict=True):
            system.force(name, mass, pull * system.ground.x, active=False)
        automaton = detent.Automaton(system)
        modes = {name: automaton.mode(name, loads=[name]) for name in ("there", "back")}
        for name, place in zip(("left", "right"), self.walls, strict=True):
            system.constrain(detent.holonomic(name, x - place), active=False)
            impact = detent.Impact(name, restitution=self.restitution)
            for mode, other in (("there", "back"), ("back", "there")):
                guard = x <= place if name == "left" else x >= place
                automaton.transition(f"{name} while {mode}", modes[mode], modes[other], when=guard, reset=impact)
        automaton.transition("turns back", modes["there"], modes["back"], when=x.rate <= 0)
        automaton.transition("turns again", modes["back"], modes["there"], when=x.rate >= 0)
        return taken(detent.simulate(automaton, until, **EXACT))

    def scipy(self, until: float) -> list[tuple[str, float]]:
        mode, time, state = "there", 0.0, np.array([0.0, 3.0])
        found: list[tuple[str, float]] = []
        while time < until:
            guards = self._guards(mode)
            rate = partial(self._rate, self.pulls[0 if mode == "there" else 1])
            solved = solve_ivp(rate, (time, until), state, "DOP853", events=guards, rtol=1e-13, atol=1e-14)
            hits = [(times[0], number) for number, times in enumerate(solved.t_events) if len(times)]
            if not hits:
                break
            time, number = min(hits)
            state = solved.y_events[number][0]
            name = guards[number].label
            state = np.array([state[0], -self.restitution * state[1] if "while" in name else 0.0])
            mode = "back" if mode == "there" else "there"
            found.append((name, float(time)))
            time, state = self._nudged(self.pulls[0 if mode == "there" else 1], time, state)
        return found

    def _rate(self, pull: float, _: float, state: Sequence[float]) -> list[float]:
        return [state[1], pull - 2 * state[0] - self.damping * state[1]]

    def _guards(self, mode: str) -> list[Any]:
        """What SciPy is to look for: the wall ahead, and the turning point; with their names."""
        ahead, place = ("right", self.walls[1]) if mode == "there" else ("left", self.walls[0])

        def wall(t: float, y: Sequence[float]) -> float:
            return y[0] - place

        def turn(t: float, y: Sequence[float]) -> float:
            return y[1]

        sense = 1 if mode == "there" else -1
        for guard, label, direction in (
            (wall, f"{ahead} while {mode}", sense),
            (turn, "turns back" if mode == "there" else "turns again", -sense),
        ):
            vars(guard).update(terminal=True, direction=direction, label=label)  # as SciPy reads them
        return [wall, turn]

    def _nudged(self, pull: float, time: float, state: np.ndarray) -> tuple[float, np.ndarray]:
        """A little further on, so that SciPy does not find the same event again: by the first terms of the series."""
        step = 1e-7
        first = np.array(self._rate(pull, time, state))
        second = np.array([first[1], -2 * first[0] - self.damping * first[1]])
        return time + step, state + step * first + step**2 / 2 * second


@FEW
@given(
    left=st.integers(20, 100).map(lambda n: -n / 100),
    right=st.integers(20, 100).map(lambda n: n / 100),
    restitution=st.integers(3, 9).map(lambda n: n / 10),
    damping=st.integers(0, 5).map(lambda n: n / 10),
    pulls=st.tuples(st.integers(-3, 3).map(lambda n: n / 10), st.integers(-3, 3).map(lambda n: n / 10)),
)
def test_a_mass_that_rattles_between_walls(
    left: float, right: float, restitution: float, damping: float, pulls: tuple[float, float]
) -> None:
    """Impacts at the walls and reversals in between, with a load that depends on the mode.

    The loads are too weak to press the mass against a wall, where its impacts would accumulate.
    """
    model = Rattle((left, right), restitution, damping, pulls)
    expected, found = model.scipy(2.0), model.detent(2.0)
    assert [name for name, _ in found] == [name for name, _ in expected]
    np.testing.assert_allclose([t for _, t in found], [t for _, t in expected], atol=1e-9)


# -- balls above one floor ------------------------------------------------------------------------------


def bounces(height: float, restitution: float, gravity: float, until: float) -> list[float]:
    """When a ball strikes the floor: after sqrt(2 h/g), then after 2 v/g each time."""
    time, speed, found = math.sqrt(2 * height / gravity), math.sqrt(2 * height * gravity), []
    while time < until and len(found) < 1000:
        found.append(time)
        speed *= restitution
        time += 2 * speed / gravity
    return found


def check_balls(heights: Sequence[float], restitutions: Sequence[float], until: float) -> None:
    run = detent.simulate(balls(heights, restitutions), until)
    for number, (height, restitution) in enumerate(zip(heights, restitutions, strict=True), 1):
        found = [time for name, time in taken(run) if name == f"bounce {number}"]
        # Each flight begins where the last one ended: the rounding of n of them adds up.
        np.testing.assert_allclose(
            found, bounces(height, restitution, 10.0, until), atol=16 * 2**-52 * until * max(1, len(found))
        )
    assert np.diff([time for _, time in taken(run)]).min(initial=0.0) >= 0.0
    assert run.audit.energy_balance < 1e-12


@FEW
@given(st.data())
def test_balls_bounce_as_if_each_were_alone(data: Any) -> None:
    count = data.draw(st.integers(2, 4))
    heights = [0.2 + data.draw(PART) for _ in range(count)]
    restitutions = [0.5 + data.draw(PART) / 2 for _ in range(count)]
    # Before the first of them comes to rest.
    rest = min(
        math.sqrt(0.2 * height) * (1 + 2 * restitution / (1 - restitution)) if restitution < 1 else math.inf
        for height, restitution in zip(heights, restitutions, strict=True)
    )
    check_balls(heights, restitutions, min(0.95 * rest, 4.0))


@FEW
@given(st.data())
def test_balls_that_bounce_at_one_instant_or_nearly(data: Any) -> None:
    """Equal heights, and heights that differ by next to nothing, with equal restitution: always together."""
    count = data.draw(st.integers(2, 4))
    height, restitution = 0.2 + data.draw(PART), 0.6 + 0.4 * data.draw(PART)
    gaps = [data.draw(st.sampled_from([0.0, 1e-16, 1e-15, 1e-14, 1e-13, 1e-11])) for _ in range(count)]
    rest = math.sqrt(0.2 * height) * (1 + 2 * restitution / (1 - restitution)) if restitution < 1 else math.inf
    check_balls([height * (1 + gap) for gap in gaps], [restitution] * count, min(0.9 * rest, 2.0))


@pytest.mark.parametrize("heights", [(0.8, 7.2), (0.8, 7.2, 20.0), (0.05, 0.45, 1.25, 2.45)])
def test_balls_of_commensurable_times_meet_again_and_again(heights: tuple[float, ...]) -> None:
    """Elastic balls from h and 9 h and 25 h strike together at times that are odd multiples of one another."""
    check_balls(heights, [1.0] * len(heights), 7.0)
