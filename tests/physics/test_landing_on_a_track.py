"""Rule 15 of docs/event_semantics.md: a mode that is entered again has other dependent speeds where it needs them.

A bead slides on a track, is thrown off, and lands on it, often near the bottom, where the speeds that depended before
cannot be solved for. On the track SciPy follows it by the one parameter of the curve; its flight is a parabola.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import detent
from detent.formulation.compiled import EMBEDDINGS, Embedding

GRAVITY = 9.81
Vector = np.ndarray


@dataclass(frozen=True)
class Track:
    """The lower part of an ellipse with half axes ``wide`` and ``high``, or the parabola y = high x^2 - wide."""

    kind: str
    wide: float
    high: float

    def at(self, p: float) -> tuple[Vector, Vector, Vector]:
        """The point at a parameter, and its two derivatives."""
        if self.kind == "parabola":
            point = (p, self.high * p**2 - self.wide)
            return np.array(point), np.array([1.0, 2 * self.high * p]), np.array([0.0, 2 * self.high])
        sine, cosine, size = math.sin(p), math.cos(p), np.array([self.wide, self.high])
        return size * (sine, -cosine), size * (cosine, sine), size * (-sine, cosine)

    def gap(self, x: Any, y: Any) -> Any:
        """Positive inside, of numbers and of symbols."""
        return (
            y + self.wide - self.high * x**2
            if self.kind == "parabola"
            else 1 - (x / self.wide) ** 2 - (y / self.high) ** 2
        )

    def slide(self, p: float, rate: float, time: float) -> tuple[float, float]:
        """The parameter and its rate after a time on the track: Lagrange's equation of one freedom."""

        def rates(_: float, now: Vector) -> list[float]:
            _, slope, bend = self.at(now[0])
            return [now[1], float(-GRAVITY * slope[1] - slope @ bend * now[1] ** 2) / float(slope @ slope)]

        solved = solve_ivp(rates, (0.0, time), [p, rate], method="DOP853", rtol=1e-13, atol=1e-13)
        return float(solved.y[0, -1]), float(solved.y[1, -1])


@dataclass(frozen=True)
class Throw:
    """A bead that slides from ``start``, is thrown off at ``leaves`` and lands at ``place`` after ``flight``."""

    track: Track
    start: tuple[float, float]
    leaves: float
    speed: Vector
    flight: float
    place: float
    slides: float
    """How long it slides after it has landed."""

    @classmethod
    def random(cls, seed: int) -> Throw:
        numbers = np.random.default_rng(seed)
        kind = ("circle", "ellipse", "parabola")[seed % 3]
        while True:
            wide = numbers.uniform(0.5, 2.0)
            track = Track(kind, wide, wide if kind == "circle" else numbers.uniform(0.4, 2.0))
            start = (numbers.uniform(-1.3, 1.3), numbers.uniform(-2.0, 2.0))
            place = numbers.choice([0.0, 1e-9, 1e-6, 1e-4, 1e-2, 0.3, 1.0]) * numbers.uniform(-1.0, 1.0)
            leaves, flight, slides = numbers.uniform([0.2, 0.15, 0.3], [0.8, 0.7, 1.0])
            here, there = track.at(track.slide(*start, leaves)[0])[0], track.at(place)[0]
            speed = (there - here) / flight + np.array([0.0, GRAVITY * flight / 2])
            made = cls(track, start, leaves, speed, flight, place, slides)
            if made._is_a_throw(here):
                return made

    def _is_a_throw(self, here: Vector) -> bool:
        """Whether it leaves the track at once, stays inside, and strikes it at an angle."""
        times = np.linspace(0.0, self.flight, 2000)[1:-1]
        x, y = here[:, None] + self.speed[:, None] * times - np.array([[0.0], [GRAVITY / 2]]) * times**2
        gaps, slope = self.track.gap(x, y), self.track.at(self.place)[1]
        falls = self.speed - np.array([0.0, GRAVITY * self.flight])
        across = abs(slope[0] * falls[1] - slope[1] * falls[0]) / np.linalg.norm(slope)
        return bool(gaps.min() > 0.0 and gaps[:20].max() > 1e-3 and across > 0.2)

    def expected(self) -> Vector:
        """x, y and their rates at the end; the plastic impact leaves the speed along the track."""
        slope = self.track.at(self.place)[1]
        falls = self.speed - np.array([0.0, GRAVITY * self.flight])
        p, rate = self.track.slide(self.place, float(falls @ slope / (slope @ slope)), self.slides)
        point, slope, _ = self.track.at(p)
        return np.concatenate([point, slope * rate])

    def automaton(self) -> detent.Automaton:
        system = detent.System("bead on a track")
        x, y = system.coordinates("x", "y")
        system.particle("bead", system.origin.offset("bead", x * system.ground.x + y * system.ground.y), mass=1)
        system.gravity(-GRAVITY * system.ground.y)
        gap = self.track.gap(x, y)
        track = system.constrain(detent.holonomic("track", gap), active=False)
        automaton = detent.Automaton(system)
        on, off = automaton.mode("on", constraints=[track]), automaton.mode("off")
        reset = {x.rate: self.speed[0], y.rate: self.speed[1]}
        automaton.transition("throw", on, off, when=system.time >= self.leaves, reset=reset)
        automaton.transition("land", off, on, when=gap <= 0, reset=detent.Impact())
        point, slope, _ = self.track.at(self.start[0])
        speed = slope * self.start[1]
        system.start(x=point[0], y=point[1], x_rate=speed[0], y_rate=speed[1])
        return automaton


def check(seed: int, embedding: Embedding) -> None:
    throw = Throw.random(seed)
    end = throw.leaves + throw.flight + throw.slides
    run = detent.simulate(throw.automaton(), end, mode="on", embedding=embedding)
    (landing,) = run.events.named("land")
    assert landing.time == pytest.approx(throw.leaves + throw.flight, abs=1e-7)
    found = [run.final.x, run.final.y, run.final.x_rate, run.final.y_rate]
    # 1e-9 a step, some hundred steps, rates of up to ten per second.
    np.testing.assert_allclose(found, throw.expected(), rtol=0, atol=1e-6)


@pytest.mark.parametrize("seed", [0, 4, 14, 35, 41])
def test_a_bead_may_land_where_its_earlier_choice_of_speeds_is_singular(seed: int) -> None:
    check(seed, EMBEDDINGS[seed // 3 % 3])


@pytest.mark.slow
def test_ninety_beads_land_anywhere_and_slide_on() -> None:
    for seed in range(90):
        check(seed, EMBEDDINGS[seed // 3 % 3])
