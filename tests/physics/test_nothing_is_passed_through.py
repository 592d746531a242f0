"""What is in the way is met: hills, thin walls, rough ground and waves, however long the step that crosses them.

A free flight is integrated exactly in one step of any length, so nothing but the search for events itself can notice
what stands in its way. The answers come from the parabola in closed form.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
import sympy
from scipy.interpolate import CubicSpline, PPoly

import detent
from tests.physics.known_guards import bisected, isolated
from tests.unit.hybrid.models import oscillator

GRAVITY = 9.81
LEVEL = 10 / math.sqrt(2)
"""10 m/s at 45 degrees."""
METHODS = ("dop853", "dopri5", "rk4")
TOLERANCES = (1e-3, 1e-6, 1e-9, 1e-12)


@dataclass(frozen=True)
class Shot:
    """A stone thrown from (0, height), in closed form and as a model."""

    across: float = LEVEL
    up: float = LEVEL
    height: float = 0.01

    def x(self, t: float) -> float:
        return self.across * t

    def y(self, t: float) -> float:
        return self.height + self.up * t - GRAVITY * t * t / 2

    def crossings(self, guard: Callable[[Any, Any], Any], until: float, **settings: Any) -> list[float]:
        """When a guard of x and y changes its sign, as detent finds it."""
        system = detent.System("shot")
        x, y = system.coordinates("x", y=self.height)
        system.start(x_rate=self.across, y_rate=self.up)
        system.particle("stone", system.origin.offset("stone", x * system.ground.x + y * system.ground.y), mass=1)
        system.gravity(-GRAVITY * system.ground.y)
        automaton = detent.Automaton(system)
        flight = automaton.mode("flight")
        automaton.transition("meets", flight, flight, when=guard(x, y))
        return [event.time for event in detent.simulate(automaton, until, **settings).events]

    def over(
        self,
        ground: Callable[[float], float],
        slope: Callable[[float], float],
        bounds: tuple[float, float],
        until: float,
    ) -> list[float]:
        """When y - ground(x) is zero, given the ground's slope and bounds of its slope and of its bend."""
        steepest, bent = bounds
        fastest = abs(self.up) + GRAVITY * until
        return isolated(
            lambda t: self.y(t) - ground(self.x(t)),
            lambda t: self.up - GRAVITY * t - slope(self.x(t)) * self.across,
            (fastest + steepest * self.across, GRAVITY + bent * self.across**2),
            0.0,
            until,
        )


def settings_of(method: str, rtol: float, until: float) -> dict[str, Any]:
    """One step of rk4 over the whole flight; the others choose their steps."""
    return {"method": method, "step": until} if method == "rk4" else {"method": method, "rtol": rtol}


def every_way(until: float) -> list[dict[str, Any]]:
    """All methods at all tolerances."""
    ways = [(method, rtol) for method in METHODS for rtol in TOLERANCES if method != "rk4" or rtol == 1e-9]
    return [settings_of(method, rtol, until) for method, rtol in ways]


def assert_met(
    shot: Shot, guard: Callable[[Any, Any], Any], expected: list[float], until: float, tolerance: float = 1e-10
) -> None:
    for settings in every_way(until):
        found = shot.crossings(guard, until, **settings)
        assert len(found) == len(expected), f"{settings}: found {found[:6]}, expected {expected[:6]}"
        np.testing.assert_allclose(found, expected, rtol=0, atol=tolerance, err_msg=str(settings))


# -- hills -----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Hill:
    """height exp(-((x - center)/width)^2): steepest height sqrt(2/e)/width, bent most 2 height/width^2 at the top."""

    height: float
    center: float
    width: float

    def expression(self, x: Any) -> Any:
        return self.height * sympy.exp(-(((x - self.center) / self.width) ** 2))

    def value(self, x: float) -> float:
        return self.height * math.exp(-(((x - self.center) / self.width) ** 2))

    def slope(self, x: float) -> float:
        return -2 * (x - self.center) / self.width**2 * self.value(x)

    @property
    def bounds(self) -> tuple[float, float]:
        return self.height * math.sqrt(2 / math.e) / self.width, 2 * self.height / self.width**2

    def met_by(self, shot: Shot, until: float) -> list[float]:
        return shot.over(self.value, self.slope, self.bounds, until)


@pytest.mark.parametrize("width", [0.7, 0.1, 0.01])
def test_a_shot_meets_the_hill_in_its_way(width: float) -> None:
    shot, hill = Shot(), Hill(3.0, 6.0, width)
    expected = hill.met_by(shot, 1.2)
    assert len(expected) == 2
    assert_met(shot, lambda x, y: y - hill.expression(x), expected, 1.2)


def test_a_shot_flies_over_a_hill_that_it_clears() -> None:
    """2.4 m high at x = 6, where the shot is 2.478 m high; it lands behind it, at a known time."""
    shot, hill = Shot(), Hill(2.4, 6.0, 0.7)
    lands = (LEVEL + math.sqrt(LEVEL**2 + 2 * GRAVITY * shot.height)) / GRAVITY
    (expected,) = hill.met_by(shot, 1.6)
    assert expected == pytest.approx(lands, abs=1e-9)  # the hill's foot is 1e-16 of a metre high there
    assert_met(shot, lambda x, y: y - hill.expression(x), [expected], 1.6)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(60))
def test_random_shots_meet_random_hills(seed: int) -> None:
    random = np.random.default_rng(seed)
    speed, angle = random.uniform(5, 20), random.uniform(0.3, 1.3)
    shot = Shot(speed * math.cos(angle), speed * math.sin(angle))
    until = 2 * shot.up / GRAVITY
    passes = random.uniform(0.1, 0.9) * until
    hill = Hill(shot.y(passes) * random.uniform(1.05, 3), shot.x(passes), 10 ** random.uniform(-3, 0))
    expected = [t for t in hill.met_by(shot, until) if t < until]
    assert_met(shot, lambda x, y: y - hill.expression(x), expected, until)


# -- walls -----------------------------------------------------------------------------------------------


def wall_times(half: float) -> list[float]:
    return [(6 - half) / LEVEL, (6 + half) / LEVEL]


WALLS: dict[str, Callable[[Any, Any, float], Any]] = {
    "Max and Abs": lambda x, y, half: sympy.Max(y - 4, sympy.Abs(x - 6) - half),
    "Piecewise": lambda x, y, half: y - sympy.Piecewise((0, x < 6 - half), (4, x < 6 + half), (0, True)),
    "Min": lambda x, y, half: sympy.Max(y - 4, -sympy.Min(x - (6 - half), (6 + half) - x)),
    "square root": lambda x, y, half: sympy.sqrt((x - 6) ** 2 + sympy.Max(0, y - 4) ** 2) - half,
}


@pytest.mark.parametrize("half", [0.05, 5e-3, 1e-6])
@pytest.mark.parametrize("wall", WALLS)
def test_a_shot_meets_both_faces_of_a_thin_wall(wall: str, half: float) -> None:
    assert Shot().y(6 / LEVEL) < 4
    assert_met(Shot(), lambda x, y: WALLS[wall](x, y, sympy.Float(half)), wall_times(half), 1.2)


def test_a_shot_meets_steps_that_the_ground_jumps_by() -> None:
    """The ground is 1 m high to x = 2, then 2.6 m to x = 5, then 0.5 m; the shot starts below the first."""
    shot = Shot()
    heights = [1.0, 2.6, 0.5]

    def guard(x: Any, y: Any) -> Any:
        return y - sympy.Piecewise((heights[0], x < 2), (heights[1], x < 5), (heights[2], True))

    up, down = (math.sqrt(LEVEL**2 - 2 * GRAVITY * (h - shot.height)) for h in (1.0, 0.5))
    expected = [(LEVEL - up) / GRAVITY, 2 / LEVEL, 5 / LEVEL, (LEVEL + down) / GRAVITY]
    assert shot.y(2 / LEVEL) > 1
    assert max(shot.y(t) for t in np.linspace(2 / LEVEL, 5 / LEVEL, 100)) < 2.6
    assert_met(shot, guard, expected, 1.4)


def test_a_post_in_a_flight_of_seven_kilometres_is_met() -> None:
    shot = Shot(across=10.0, up=0.0, height=0.0)
    found = shot.crossings(lambda x, y: sympy.Abs(x - 7000.5) - 0.5, 1000.0)
    assert found == pytest.approx([700.0, 700.1], abs=1e-10)


def test_a_round_post_is_met_at_the_roots_of_a_quartic() -> None:
    shot, (a, b, r) = Shot(), (5.0, 2.53, 0.05)
    path = np.poly1d([-GRAVITY / 2, LEVEL, shot.height - b])
    quartic = np.poly1d([LEVEL, -a]) ** 2 + path**2 - r**2
    near = sorted(root.real for root in quartic.roots if abs(root.imag) < 1e-9)
    expected = [bisected(quartic, t - 1e-6, t + 1e-6) for t in near]
    assert len(expected) == 2
    assert_met(shot, lambda x, y: sympy.sqrt((x - a) ** 2 + (y - b) ** 2) - r, expected, 1.4)


# -- rough ground and waves ------------------------------------------------------------------------------


def over_spline(shot: Shot, knots: np.ndarray, heights: np.ndarray) -> list[float]:
    """Ground minus path is a cubic of x on every interval; its roots, over the speed across, are the times."""
    terrain = CubicSpline(knots, heights)
    slope, bend = shot.up / shot.across, -GRAVITY / shot.across**2 / 2
    coefficients = terrain.c.copy()
    left = knots[:-1]
    coefficients[1] -= bend
    coefficients[2] -= slope + 2 * bend * left
    coefficients[3] -= shot.height + slope * left + bend * left**2
    return sorted(float(x) / shot.across for x in PPoly(coefficients, knots).roots(extrapolate=False) if x > 0)


def assert_met_over_spline(shot: Shot, seed: int, roughness: float) -> None:
    random, knots = np.random.default_rng(seed), np.linspace(0, 10, 401)
    heights = roughness * random.normal(size=401) + shot.height - 5 * roughness * (knots < 0.1)
    expected = over_spline(shot, knots, heights)
    ground = detent.tabulated("ground", knots.tolist(), heights.tolist())
    assert_met(shot, lambda x, y: y - ground(x), expected, 10 / shot.across)


def test_every_crossing_of_a_terrain_of_400_knots_is_found() -> None:
    assert_met_over_spline(Shot(across=8.0, up=2.0, height=1.0), seed=1, roughness=0.3)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10, 40))
def test_every_crossing_of_random_terrains_is_found(seed: int) -> None:
    random = np.random.default_rng(seed)
    shot = Shot(random.uniform(2, 10), random.uniform(-2, 5), 1.0)
    assert_met_over_spline(shot, seed, 10 ** random.uniform(-2, 0))


@pytest.mark.parametrize("waves", [20, 200])
def test_a_stone_that_falls_into_a_sea_meets_every_wave(waves: int) -> None:
    shot = Shot()
    expected = shot.over(
        lambda x: 1 + math.sin(waves * x), lambda x: waves * math.cos(waves * x), (waves, waves**2), 1.4
    )
    assert len(expected) > waves // 4
    assert_met(shot, lambda x, y: y - 1 - sympy.sin(waves * x), expected, 1.4)


def test_what_is_kept_of_a_run_does_not_change_what_is_met() -> None:
    """With ``times`` only the states asked for are kept; the search needs what lies between all the same."""
    shot, hill = Shot(), Hill(3.0, 6.0, 0.7)
    found = shot.crossings(lambda x, y: y - hill.expression(x), 1.2, times=[0.0, 1.2])
    assert found == pytest.approx(hill.met_by(shot, 1.2), abs=1e-10)


# -- a run agrees with its own motion ---------------------------------------------------------------------


BAND = 16 * 2.0**-52
"""What counts as zero for x = cos t, which is at most 1."""


def signs_between_events(depth: float, method: str, rtol: float) -> list[set[int]]:
    """The signs of x + 1 - depth on the run's own motion between its events; x = cos t is lowest at pi and 3 pi."""
    _, x, automaton, mode = oscillator()
    level = -1 + depth
    automaton.transition("passes", mode, mode, when=x - sympy.Float(level))
    run = detent.simulate(automaton, until=14, method=method, rtol=rtol)
    fine = [np.linspace(0, 14, 4001)]
    fine += [turn + np.linspace(-1, 1, 2001) * width for turn in (math.pi, 3 * math.pi) for width in (0.1, 1e-3, 1e-5)]
    times = np.unique(np.concatenate(fine))
    distance = run.at(times).x - level
    signs = np.where(distance > BAND, 1, np.where(distance < -BAND, -1, 0))
    between = np.searchsorted([event.time for event in run.events], times, side="right")
    return [set(signs[between == part].tolist()) - {0} for part in range(len(run.events) + 1)]


def assert_one_sign_between_events(depth: float, method: str, rtol: float) -> None:
    signs = signs_between_events(depth, method, rtol)
    assert all(len(each) <= 1 for each in signs), f"depth {depth}, {method}, rtol {rtol}: {signs}"


DEPTHS = [sign * 10.0**power * (1 + 0.037 * k) for power in range(-14, -2) for sign in (1, -1) for k in range(4)]


@pytest.mark.parametrize("method", ["dop853", "dopri5"])
@pytest.mark.parametrize("rtol", [1e-6, 1e-9, 1e-11])
def test_a_guard_that_is_nearly_grazed_keeps_its_sign_between_events_on_the_run_itself(
    method: str, rtol: float
) -> None:
    for depth in DEPTHS[::6]:
        assert_one_sign_between_events(depth, method, rtol)


@pytest.mark.slow
@pytest.mark.parametrize("method", ["dop853", "dopri5"])
@pytest.mark.parametrize("rtol", [1e-6, 1e-9, 1e-11])
@pytest.mark.parametrize("first", range(6))
def test_all_guards_that_are_nearly_grazed_keep_their_sign_between_events_on_the_run_itself(
    method: str, rtol: float, first: int
) -> None:
    for depth in DEPTHS[first::6]:
        assert_one_sign_between_events(depth, method, rtol)
