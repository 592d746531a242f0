"""Disks inside, outside and on top of random curves: nothing passes through, and runs end only where they must.

The law is geometry: the disk's centre stays as far from the curve as its radius, and while it touches it is exactly as
far. The curve is looked at where the library does not, by NumPy; the distance of what touches is SciPy's minimum. Where
a run ends it must be true that the disk touches in two places, or lies in the curve as closely as that bends.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
import sympy
from scipy.optimize import minimize_scalar

import detent

G, UNTIL = 9.81, 1.5
COUNT = 6000
CLOSE = 2e-3
"""Where a run ends, the disk is no farther than this from touching a second time, in m."""
PERIOD = 1e-3
"""Live runs that end tell the state at the end of the last whole step, in s."""
TIGHT = 0.95
"""Or the bend is at least this part of what would hold the disk all around."""
s = sympy.Symbol("s")
Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Case:
    """A curve, and a disk in front of it."""

    x: Any
    y: Any
    between: tuple[float, float]
    closed: bool
    inside: bool
    radius: float
    start: dict[str, float]
    restitution: float

    def system(self) -> detent.System:
        system = detent.System("disk and curve")
        x, y = system.coordinates("x", "y")
        center = system.origin.offset("center", x * system.ground.x + y * system.ground.y)
        disk = system.particle("disk", center, 1)
        system.gravity(-G * system.ground.y)
        curve = system.ground.curve(s, self.x, self.y, self.between, closed=self.closed, inside=self.inside)
        system.contact("disk|curve", disk.circle(self.radius), curve, impact=detent.Poisson(self.restitution))
        return system


@dataclass(frozen=True)
class Looked:
    """A curve as it is looked at here."""

    along: Array
    points: Array
    tight: Array
    """The radius of the disk times the curvature towards it."""
    place: Any

    def distances(self, center: Array) -> Array:
        found: Array = np.hypot(*(self.points - center[:, None]))
        return found

    def distance(self, center: Array) -> float:
        """The distance from the curve, exactly."""
        squares, best = self.distances(center) ** 2, math.inf
        least = (squares <= np.roll(squares, 1)) & (squares <= np.roll(squares, -1)) & (squares < squares.min() + 1e-3)
        width = self.along[1] - self.along[0]
        for at in self.along[least | (squares == squares.min())]:
            bounds = np.clip([at - width, at + width], self.along[0], self.along[-1])
            squared = lambda u: float(((self.place(u) - center) ** 2).sum())  # noqa: E731
            found = minimize_scalar(squared, bounds=bounds, method="bounded", options={"xatol": 1e-13})
            best = min(best, math.sqrt(found.fun))
        return best


def looked_at(case: Case) -> Looked:
    functions = [sympy.lambdify(s, [sympy.diff(part, s, k) + 0 * s for part in (case.x, case.y)]) for k in range(3)]
    along = np.linspace(*case.between, COUNT)
    points, (a, b), (c, d) = (np.array(np.broadcast_arrays(*f(along), along)[:2]) for f in functions)
    bend = (a * d - b * c) / np.hypot(a, b) ** 3
    left = 1.0 if not case.closed or case.inside == bool(np.sum(points[0] * b) > 0) else -1.0
    return Looked(along, points, case.radius * left * bend, lambda u: np.array(functions[0](u), dtype=float))


def random_case(seed: int) -> Case:
    """A wavy outline from outside or inside, waves that may overhang or have loops, or a lobe of Lissajous's eight."""
    rng = np.random.default_rng([31, seed])
    kind, radius, restitution = int(rng.integers(4)), rng.uniform(0.05, 0.2), float(rng.choice([0.0, 0.6]))
    turn = float(rng.uniform(0, 6))
    start = {"x_rate": rng.uniform(-2, 2), "y_rate": rng.uniform(-1, 1)}
    if kind < 2:
        waves = sum(rng.uniform(-0.25, 0.25) / k**1.3 * sympy.cos(k * s + rng.uniform(0, 6)) for k in range(2, 6))
        out, between = 1 + waves, (0.0, 2 * math.pi)
        x, y = out * sympy.cos(s), rng.uniform(0.7, 1.3) * out * sympy.sin(s)
        place = (rng.uniform(-0.2, 0.2), rng.uniform(-0.2, 0.2)) if kind == 1 else (rng.uniform(-1, 1), 2.5)
        return Case(x, y, between, True, kind == 1, radius, {**start, "x": place[0], "y": place[1]}, restitution)
    if kind == 2:
        number, forth, up = rng.uniform(2, 5), rng.uniform(0, 1.6), rng.uniform(0.05, 0.3)
        x = s + forth / number * sympy.sin(number * s + turn)
        y = up * sympy.cos(number * s + turn) + rng.uniform(0, 0.3) * s**2
        between = (-rng.uniform(1.5, 3), rng.uniform(1.5, 3))
        return Case(x, y, between, False, False, radius, {**start, "x": rng.uniform(-1, 1), "y": 2.5}, restitution)
    lean = rng.uniform(-0.5, 0.5)
    across, up = rng.uniform(0.8, 1.6) * sympy.sin(s), -rng.uniform(0.8, 1.6) / 2 * sympy.sin(2 * s)
    x, y = across * math.cos(lean) - up * math.sin(lean), across * math.sin(lean) + up * math.cos(lean)
    middle = np.array([complex(x.subs(s, u) + 1j * y.subs(s, u)) for u in (0.0, math.pi / 2)]) @ [0.35, 0.65]
    start |= {"x": middle.real, "y": middle.imag}
    return Case(x, y, (0.0, math.pi), False, False, radius, start, restitution)


def must_end(case: Case, curve: Looked, center: Array, moved: float) -> bool:
    """Whether a disk there touches in two places, or may after it has moved so far, or the curve bends around it."""
    distances = curve.distances(center)
    touching = distances < case.radius + CLOSE + moved
    pieces = int((touching & ~np.roll(touching, 1)).sum())
    if not case.closed:
        pieces += int(touching[0] and touching[-1])
    return pieces > 1 or bool(curve.tight[touching].max(initial=0.0) > TIGHT)


def went(case: Case, live: bool) -> tuple[list[Array], list[Array], float | None]:
    """Where the centre was, where it was while touching, and how far it moved from the last place until the run ended;
    None where that was not before its time."""
    if live:
        run = detent.Live(case.system(), clock=detent.SimulatedClock(), start=case.start)
        places = [np.array([case.start["x"], case.start["y"]])]
        try:
            for _ in range(300):
                run.advance(UNTIL / 300)
                places.append(np.array([run.state.x, run.state.y]))
        except detent.SimulationError as error:
            if "cannot be followed" not in str(error):
                raise
            places.append(np.array([run.state.x, run.state.y]))
            return places, [], PERIOD * math.hypot(run.state.x_rate, run.state.y_rate)
        return places, [], None
    simulation, moved = detent.Simulation(case.system(), rtol=1e-9, start=case.start), None
    try:
        simulation.advance(UNTIL)
    except detent.SimulationError as error:
        if "cannot be followed" not in str(error):
            raise
        moved = 0.0
    result = simulation.result()
    times = np.linspace(0, result.time[-1], 601)
    seen = result.at(times)
    places = [np.array(each) for each in zip(seen.x, seen.y, strict=True)] + [np.array([result.x[-1], result.y[-1]])]
    contact = result.contacts["disk|curve"]
    statuses = [contact.status] if case.closed else [contact[name].status for name in ("side", "start", "end")]
    touching = np.flatnonzero(np.max(statuses, axis=0) > 0)[::10]
    touches = [np.array([result.x[k], result.y[k]]) for k in touching]
    return places, touches, moved


def check(seed: int) -> list[str]:
    """What became of a disk, by adaptive steps and live."""
    case, told = random_case(seed), []
    curve = looked_at(case)
    center = np.array([case.start["x"], case.start["y"]])
    if curve.distance(center) < case.radius + 0.01:
        return ["skipped"]
    step = float(np.hypot(*np.diff(curve.points, axis=1)).max())
    for live in (False, True):
        try:
            places, touches, moved = went(case, live)
        except detent.DetentError as error:
            if "equally near" in str(error) or "there is none to follow" in str(error):
                return ["skipped"]
            raise
        # Between points that are looked at the curve is nearer by no more than this.
        off = step**2 / 8 / case.radius * (1 + float(np.abs(curve.tight).max())) + 1e-7
        nearest = min(float(curve.distances(center).min()) for center in places)
        assert nearest > case.radius - off, f"{seed} {live}: {nearest - case.radius}"
        for center in touches:
            assert curve.distance(center) == pytest.approx(case.radius, abs=1e-9), f"{seed}"
        if moved is None:
            told.append("right")
        else:
            told.append("true end" if must_end(case, curve, places[-1], moved) else "UNTRUE end")
    return told


@pytest.mark.parametrize(
    ("seed", "told"),
    [(1, "right"), (3, "right"), (8, "true end"), (16, "true end"), (37, "true end"), (72, "true end")],
)
def test_nothing_passes_through_a_curve(seed: int, told: str) -> None:
    assert check(seed) == [told, told]


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 400, 50))
def test_nothing_passes_through_hundreds_of_curves(first: int) -> None:
    told = [each for seed in range(first, first + 50) for each in check(seed)]
    print({each: told.count(each) for each in sorted(set(told))})
    assert "UNTRUE end" not in told
    assert told.count("right") > 60
