"""Random runs whose events are known, and the count of what a run did with them.

One seed is one run: a motion in closed form, one to three guards with known zeros, a method and a tolerance. To see
what a seed holds and what became of it::

    python -m tests.physics.random_guards 4711
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, fields
from itertools import pairwise
from typing import Any

import numpy as np

import detent
from tests.physics import known_pieces, known_polynomials, known_waves
from tests.physics.known_guards import Draw, KnownGuard, Place, Unfit, bisected
from tests.physics.known_motions import ROUNDING, Argument, Motion, Settings, arguments, random_motion

KINDS: dict[str, Callable[[Draw], KnownGuard]] = {
    "factored": known_polynomials.factored,
    "composed": known_polynomials.composed,
    "expanded": known_polynomials.expanded,
    "expanded multiple": known_polynomials.expanded_multiple,
    "of several": known_polynomials.of_several,
    "wave": known_waves.wave,
    "wave product": known_waves.wave_product,
    "wave beat": known_waves.wave_beat,
    "wave sum": known_waves.wave_sum,
    "chase": known_waves.chase,
    "behind": known_pieces.behind,
    "spline": known_pieces.spline,
    "pieces": known_pieces.pieces,
    "extremes": known_pieces.extremes,
    "close": known_polynomials.factored,
    "flat": known_pieces.flat,
}
"""Kinds of guards, in turn by the seed; ``close`` has its roots close together, near the start or near the end."""
STRICT = 1e-10
"""How well the time of an event must be right, s, where nothing but rounding stands in the way."""
APART = 16
"""Zeros are drawn at least this many times as far apart as their times can be known."""


@dataclass(frozen=True)
class Crossing:
    """A time at which the argument passes a place of its guard; ``sense`` is the sign that the guard changes to."""

    time: float
    place: Place
    argument: Argument
    sense: int = 0

    def known_to(self, error: float) -> float:
        """How well its time can be known if the state errs by so much: the distances over the rate, and rounding."""
        rate = abs(self.argument.rate(self.time))
        moved = self.place.noise + self.place.moves * error + self.argument.noise(self.time, error)
        return moved / max(rate, 1e-300) + 64 * ROUNDING * self.time


@dataclass(frozen=True)
class Watched:
    """A guard of a case, with its direction and the events it must have."""

    name: str
    kind: str
    guard: KnownGuard
    direction: str
    events: tuple[Crossing, ...]


@dataclass(frozen=True)
class Case:
    """One run with known events."""

    seed: int
    motion: Motion
    until: float
    settings: Settings
    watched: tuple[Watched, ...]

    def simulate(self) -> tuple[detent.Run, str]:
        """The run, and why it stopped early, if it did."""
        system = detent.System("random guards")
        x, y = system.coordinates(x=self.motion.position(0.0), y=float(known_polynomials.DRIFT_START))
        system.start(x_rate=self.motion.speed(0.0), y_rate=float(known_polynomials.DRIFT_SPEED))
        system.particle("mass", system.origin.offset("mass", x * system.ground.x + y * system.ground.y), mass=1)
        self.motion.load(system, x)
        symbols = {"t": system.time, "x": x, "y": y, "x_rate": x.rate}
        automaton = detent.Automaton(system)
        mode = automaton.mode("moving")
        for watched in self.watched:
            when = watched.guard.expression(symbols)
            automaton.transition(watched.name, mode, mode, when=when, direction=watched.direction)
        run = detent.simulate(automaton, self.until, check=False, most_steps=5_000, **self.settings.keywords())
        return run, "" if run.outcome.word == "completed" else str(run.outcome)


# -- drawing a case --------------------------------------------------------------------------------------


def drawn(seed: int) -> Case:
    """The case of a seed: the first draw whose answer rounding does not leave open."""
    random = np.random.default_rng([seed, 9])
    kind = list(KINDS)[seed % len(KINDS)]
    for _ in range(1000):
        try:
            return _drawn(seed, kind, random)
        except Unfit:
            continue
    raise AssertionError(f"seed {seed}: a thousand draws of the kind '{kind}' were unfit")


def _drawn(seed: int, kind: str, random: np.random.Generator) -> Case:
    motion, until = random_motion(random), float(random.uniform(0.5, 6))
    settings = _random_settings(random, motion, until)
    error = motion.error(settings, until)
    kinds = [kind, *random.choice(list(KINDS), size=int(random.choice([0, 0, 0, 1, 2])))]
    watched = []
    for number, each in enumerate(kinds):
        guard = _random_guard(str(each), random, motion, until)
        direction = str(random.choice(["falling", "rising", "either"]))
        events = tuple(
            crossing for crossing in crossings(guard, until, error)
            if crossing.sense in {"falling": (-1,), "rising": (1,), "either": (-1, 1)}[direction]
        )  # fmt: skip
        watched.append(Watched(f"guard {number}", str(each), guard, direction, events))
    return Case(seed, motion, until, settings, tuple(watched))


def _random_settings(random: np.random.Generator, motion: Motion, until: float) -> Settings:
    method = str(random.choice(["dop853", "dopri5", "rk4"]))
    rtol = float(10 ** random.uniform(-12, -6))
    steps = int(random.integers(1, 40) if motion.exact else random.integers(200, 800))
    return Settings(method, rtol, until / steps if method == "rk4" else None)


def _random_guard(kind: str, random: np.random.Generator, motion: Motion, until: float) -> KnownGuard:
    choices = arguments(motion, until)
    argument = choices[random.integers(len(choices))]
    times = _random_times(kind, random, until)
    places = tuple(dict.fromkeys(argument.value(t) for t in times))
    return KINDS[kind](Draw(random, argument, motion, until, places))


def _random_times(kind: str, random: np.random.Generator, until: float) -> list[float]:
    """Where zeros shall be: spread out, in close pairs and clusters, close to the start or to the end."""
    spread = random.uniform(0, until, int(random.integers(1, 5))).tolist()
    layouts = ["spread", "pair", "cluster", "start", "end", "zero at the start"]
    chances = [0.0, 0.3, 0.2, 0.2, 0.2, 0.1] if kind == "close" else [0.7, 0.1, 0.05, 0.05, 0.05, 0.05]
    layout = random.choice(layouts, p=chances)
    if layout == "pair":
        return [*spread, spread[0] + 10 ** random.uniform(-9, -3)]
    if layout == "cluster":
        gap = 10 ** random.uniform(-8, -2)
        return [spread[0] + gap * k * random.uniform(0.8, 1.2) for k in range(int(random.integers(3, 6)))]
    if layout == "start":
        return [10 ** random.uniform(-12, -6), *spread]
    if layout == "end":
        return [until - 10 ** random.uniform(-12, -6), *spread]
    return [0.0, *spread] if layout == "zero at the start" else spread


def crossings(guard: KnownGuard, until: float, error: float) -> list[Crossing]:
    """Where the guard changes its sign, from the places that its argument passes and its sign between them."""
    argument = guard.argument
    passed = [
        Crossing(bisected(lambda t, place=place: argument.value(t) - place.at, a, b), place, argument)
        for a, b in pairwise([0.0, *argument.turns, until])
        for place in guard.places
        if min(argument.value(a), argument.value(b)) < place.at < max(argument.value(a), argument.value(b))
    ]
    passed.sort(key=lambda crossing: crossing.time)
    _check_apart(guard, passed, until, error)
    times = [0.0, *(crossing.time for crossing in passed), until]
    values = [guard.value(argument.value((a + b) / 2)) for a, b in pairwise(times)]
    if any(value == 0 for value in values):
        raise Unfit
    signs = [1 if value > 0 else -1 for value in values]
    return [
        Crossing(crossing.time, crossing.place, argument, after)
        for crossing, (before, after) in zip(passed, pairwise(signs), strict=True)
        if before != after
    ]


def _check_apart(guard: KnownGuard, passed: Sequence[Crossing], until: float, error: float) -> None:
    """No two zeros, and no zero and a turn, the start or the end, so close that rounding or error decides."""
    argument = guard.argument
    for t in (0.0, *argument.turns, until):
        away = [(abs(argument.value(t) - place.at), place) for place in guard.places]
        at_start = [distance == 0 and t == 0 for distance, _ in away]
        margin = argument.noise(t, error)
        if any(d < APART * (p.noise + margin) and not starts for (d, p), starts in zip(away, at_start, strict=True)):
            raise Unfit
    widths = [(0.0, 0.0), *((crossing.time, crossing.known_to(error)) for crossing in passed), (until, 0.0)]
    if any(later - sooner < APART * (one + two) for (sooner, one), (later, two) in pairwise(widths)):
        raise Unfit


# -- counting what a run did -----------------------------------------------------------------------------


@dataclass
class Score:
    """What became of known events. All but ``runs`` and ``events`` must stay zero."""

    runs: int = 0
    events: int = 0
    missed: int = 0
    spurious: int = 0
    doubled: int = 0
    refused: int = 0
    mistimed: int = 0
    inaccurate: int = 0
    """Runs whose state errs more than was allowed for when their zeros were drawn apart."""
    seeds: list[str] = field(default_factory=list)

    def __iadd__(self, other: Score) -> Score:
        for each in fields(self):
            setattr(self, each.name, getattr(self, each.name) + getattr(other, each.name))
        return self

    @property
    def wrong(self) -> dict[str, int]:
        """The columns that must be zero, where they are not."""
        names = ("missed", "spurious", "doubled", "refused", "mistimed", "inaccurate")
        return {name: getattr(self, name) for name in names if getattr(self, name)}

    def __str__(self) -> str:
        head = ", ".join(f"{each.name} {getattr(self, each.name)}" for each in fields(self) if each.name != "seeds")
        replay = "\nreplay one with: python -m tests.physics.random_guards SEED\n" if self.seeds else ""
        return head + replay + "\n".join(self.seeds[:40])


def scored(case: Case) -> Score:
    """Run a case and compare its events with those it must have."""
    score = Score(runs=1, events=sum(len(watched.events) for watched in case.watched))
    run, stopped = case.simulate()
    error = 0.0 if case.motion.exact else 2 * measured_error(case.motion, run)
    if stopped:
        score.refused = 1
    elif error > case.motion.error(case.settings, case.until):
        score.inaccurate = 1
    else:
        for watched in case.watched:
            found = [event.time for event in run.events.named(watched.name) if event.kind == "transition"]
            compare(score, watched.events, found, error)
    if score.wrong:
        kinds = ", ".join(watched.kind for watched in case.watched)
        score.seeds.append(f"  seed {case.seed} ({kinds}): {score.wrong} {stopped}".rstrip())
    return score


def compare(score: Score, expected: Sequence[Crossing], found: Iterable[float], error: float) -> None:
    """Every time that was found belongs to the nearest that was expected, if that is near at all."""
    allowed = [max(STRICT, crossing.known_to(error)) for crossing in expected]
    taken: list[list[float]] = [[] for _ in expected]
    for time in found:
        distances = [abs(time - crossing.time) for crossing in expected]
        nearest = int(np.argmin(distances)) if distances else -1
        if nearest < 0 or distances[nearest] > max(1e-6, 4 * allowed[nearest]):
            score.spurious += 1
        else:
            taken[nearest].append(distances[nearest])
    for distances, tolerance in zip(taken, allowed, strict=True):
        score.missed += not distances
        score.doubled += max(0, len(distances) - 1)
        score.mistimed += len(distances) == 1 and distances[0] > tolerance


def measured_error(motion: Motion, run: detent.Run) -> float:
    """How far the run's own motion is from the closed form, at its nodes and between them."""
    times = np.linspace(0.0, float(run.t[-1]), 401)
    seen = run.at(times)
    position, speed = (np.array([known(t) for t in times.tolist()]) for known in (motion.position, motion.speed))
    return float(max(np.max(np.abs(seen.x - position)), np.max(np.abs(seen.x_rate - speed))))


def score_of(seeds: Iterable[int]) -> Score:
    """The sum over many seeds."""
    total = Score()
    for seed in seeds:
        total += scored(drawn(seed))
    return total


def described(case: Case) -> str:
    """A case in words: its motion, its guards, and the times at which they must fire and did."""
    import sympy

    run, stopped = case.simulate()
    symbols: dict[str, Any] = {name: sympy.Symbol(name) for name in ("t", "x", "y", "x_rate")}
    lines = [f"seed {case.seed}: {case.motion}, until {case.until!r}, {case.settings}", stopped]
    for watched in case.watched:
        lines += [f"{watched.name}, {watched.kind}, {watched.direction}: {watched.guard.expression(symbols)}"]
        lines += [f"  must fire at {[crossing.time for crossing in watched.events]}"]
        lines += [f"  known to     {[float(f'{crossing.known_to(0.0):.2g}') for crossing in watched.events]}"]
        lines += [f"  fired at     {[event.time for event in run.events.named(watched.name)]}"]
    return "\n".join([*lines, str(scored(case))])


if __name__ == "__main__":
    for given in sys.argv[1:]:
        print(described(drawn(int(given))))
