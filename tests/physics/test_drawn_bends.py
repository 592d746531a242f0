"""Disks that fall onto fences drawn with bends of all kinds, from far above: nothing passes through them.

The law is geometry: the disk's centre stays as far from the curve as its radius. The curve is SciPy's spline through
the same points, looked at where it was not looked at before. Bends may be tighter than the fall is high, so that the
nearest point is lost, and another one is to be followed. Where a bend is tighter than the disk, which then touches it
in two places, the run may end and say so; elsewhere it does not.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.interpolate import CubicSpline

import detent

RADIUS, G, UNTIL = 0.1, 9.81, 2.0
ALONG = np.linspace(0.0, 1.0, 4001)


def drawing(seed: int) -> tuple[list[tuple[float, float]], dict[str, float]]:
    """A bowl, waves or a rough bowl, and a disk somewhere above."""
    rng = np.random.default_rng(seed)
    half, count = rng.uniform(0.3, 1.5), int(rng.integers(4, 10))
    x = np.linspace(-half, half, count) + rng.uniform(-0.1, 0.1, count) * half / count
    kind = rng.integers(3)
    if kind == 1:
        y = rng.uniform(0.05, 0.4) * half * np.sin(rng.uniform(1, 2) * math.pi * x / half + rng.uniform(0, 6))
    else:
        y = rng.uniform(0.2, 2.0) * half * (x / half) ** 2
        y += (kind == 2) * rng.uniform(-0.1, 0.1, count) * half / count
    above = float(y.max()) + RADIUS + rng.uniform(0.02, 2)
    start = {"x": rng.uniform(-1.2, 1.2) * half, "y": above, "x_rate": rng.uniform(-1.5, 1.5)}
    return list(zip(x.tolist(), y.tolist(), strict=True)), start


def spline(points: list[tuple[float, float]]) -> Any:
    """The curve through points, by how far along their polygon it is."""
    places = np.array(points)
    lengths = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(places, axis=0).T))])
    return CubicSpline(lengths / lengths[-1], places)


def sharpest(curve: Any) -> float:
    """The largest curvature towards the disk's side, times its radius."""
    (x, y), (a, b) = curve(ALONG, 1).T, curve(ALONG, 2).T
    return RADIUS * float(((x * b - y * a) / np.hypot(x, y) ** 3).max())


def fallen(points: list[tuple[float, float]], start: dict[str, float], live: bool) -> np.ndarray:
    """Where the disk's centre is, at many times."""
    system = detent.System("disk over a fence")
    x, y = system.coordinates("x", "y")
    center = system.origin.offset("center", x * system.ground.x + y * system.ground.y)
    disk = system.particle("disk", center, mass=2)
    system.gravity(-G * system.ground.y)
    fence = system.ground.drawing("fence")
    system.contact("disk|fence", disk.circle(RADIUS), fence, impact=detent.Plastic())
    if live:
        run: Any = detent.Live(system, clock=detent.SimulatedClock(), start=start)
        run.draw("fence", points)
        places = []
        for _ in range(200):
            run.advance(UNTIL / 200)
            places.append((run.state.x, run.state.y))
        return np.array(places)
    run = detent.Simulation(system, embedding="symbolic", rtol=1e-8, start=start)
    run.draw("fence", points)
    run.advance(UNTIL)
    found = run.result().at(np.linspace(0.0, UNTIL, 801))
    return np.stack([found.x, found.y], axis=1)


def check(seed: int) -> list[str]:
    """What became of a drawing, by adaptive steps and live."""
    points, start = drawing(seed)
    curve, told = spline(points), []
    places = curve(ALONG)
    # Between two of the places that are looked at the curve is off their polygon by no more than this.
    off = float(np.linalg.norm(curve(ALONG, 2), axis=1).max()) / 8 / 4000**2 + 1e-9
    apart = float(np.hypot(*np.diff(places, axis=0).T).max())
    for live in (False, True):
        try:
            centers = fallen(points, start, live)
        except detent.DetentError as error:
            if "cannot be followed" not in str(error):
                pytest.fail(f"{seed}: {error}")
            told.append("refused: sharp" if sharpest(curve) > 0.95 else "refused")
            continue
        nearest = min(float(np.hypot(*(places - center).T).min()) for center in centers)
        assert nearest > RADIUS - off - apart**2, f"{seed}: {nearest}"
        told.append("right")
    return told


@pytest.mark.parametrize("seed", [0, 2, 16, 33, 46, 102])
def test_nothing_passes_through_what_is_drawn(seed: int) -> None:
    assert "refused" not in check(seed)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 1000, 50))
def test_nothing_passes_through_a_thousand_drawings(first: int) -> None:
    told = [each for seed in range(first, first + 50) for each in check(seed)]
    print({each: told.count(each) for each in sorted(set(told))})
    assert "refused" not in told
    assert told.count("right") > 75
