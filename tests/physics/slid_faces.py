"""Planks and polygons that fall on curves, slide, rock and come to rest there: what holds all along.

They are those of :mod:`tests.physics.thrown_faces`, under gravity, and the run goes on after they have met the curve.
No point of the curve may be in what lies on it, by the distances of that file, and energy may not grow.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import sympy
from scipy.optimize import brentq

import detent
from tests.physics.thrown_faces import FaceAnswer, FaceThrow, random_face_throw, s

GRAVITY = 5.0
LONGER = 0.4
"""So long, s, it goes on after the throw would have ended."""
PARTS = 400
"""In so many parts a run is taken, after each of which it is looked at the clock."""
ENDLESS = 20.0
"""A run that takes more processor time, s, does not end: the longest that does takes a fourth."""
LOOKS = 120
SINKS = 1e-7
"""How deep (m) it may be: 1e-9 of the length of a curve is left out where it is all but straight; and what is read
between the nodes of a run is as exact as its tolerance."""
GAINS = 1e-6


def random_slide(seed: int) -> FaceThrow | None:
    """A plank or a polygon that falls on a curve with ends; None where something else is thrown."""
    throw = random_face_throw(seed)
    return None if throw.closed or not throw.corners else replace(throw, gravity=GRAVITY)


def slide_system(throw: FaceThrow, seed: int) -> detent.System:
    """With friction or without, with restitution or without."""
    return throw.system(None if seed % 2 else detent.Coulomb(0.2), 0.0 if seed % 3 else 0.4)


def slid(
    make: Callable[[], detent.System], throw: FaceThrow, rtol: float, until: float, parts: int = PARTS, **settings: Any
) -> str:
    """right, refused: why, endless: what happened last, or wrong: how."""
    try:
        simulation = detent.Simulation(make(), rtol=rtol, **settings)
    except detent.DetentError as error:
        return f"skipped: {str(error)[:300]}"  # it would begin in the curve
    began, told = time.process_time(), "right"
    try:
        for end in np.linspace(0.0, until, parts + 1)[1:]:
            simulation.advance(float(end))
            if time.process_time() - began > ENDLESS:
                told = f"endless: at {simulation.time}, {simulation.events[-1].name}"
                break
    except detent.DetentError as error:
        told = f"refused: {str(error)[:300]}"
    run, geometry = simulation.result(), FaceAnswer(throw)
    poses = [run.at(float(t)) for t in np.linspace(0.0, run.t[-1], LOOKS)]
    deepest = min(geometry.lowest((pose.body_x, pose.body_y, pose.body_angle))[0] for pose in poses)
    if deepest < -max(SINKS, 3 * rtol):
        return f"wrong: {-deepest} deep"
    gained = float(np.diff(run.energy).max()) / run.audit.energy_scale
    return f"wrong: energy grew by {gained}" if gained > max(GAINS, 10 * rtol) else told


def at_inflection(seed: int) -> FaceThrow:
    """A polygon one of whose corners comes down beside an inflection of a curve, its edge all but parallel there."""
    rng = np.random.default_rng([101, seed])
    high, often = float(rng.uniform(0.1, 0.5)), float(rng.uniform(1.0, 3.0))
    kind = str(rng.choice(["waves", "step", "beside"]))
    y = {
        "waves": high * sympy.cos(often * s),
        "step": -high * sympy.tanh(often * s),
        "beside": high * sympy.exp(-((often * s) ** 2)),
    }[kind]
    slope = sympy.lambdify(s, sympy.diff(y, s))
    bend = sympy.lambdify(s, sympy.diff(y, s, 2))
    near = {"waves": math.pi / 2 / often, "step": 0.0, "beside": math.sqrt(0.5) / often}[kind]
    inflection = float(brentq(bend, near - 0.2 / often, near + 0.2 / often, xtol=1e-15))
    aside = inflection + float(rng.choice([1e-4, 1e-3, 3e-3])) * float(rng.uniform(-1, 1))
    off = float(rng.choice([0.0, 1e-8, 1e-7, 1e-6, 1e-5])) * float(rng.uniform(-1, 1))
    angle = math.atan(slope(inflection)) + off
    # Its right corner is beside the inflection where that is the end of a hill, its edge on the side of the hill.
    half, thick = float(rng.uniform(0.02, 0.3)), float(rng.uniform(0.02, 0.2))
    corners = ((-2 * half, 0.0), (0.0, 0.0), (0.0, thick), (-2 * half, thick))
    mass_middle = (-half, thick / 2)
    corners = tuple((x - mass_middle[0], z - mass_middle[1]) for x, z in corners)
    c, w = math.cos(angle), math.sin(angle)
    corner = np.array([aside, float(sympy.lambdify(s, y)(aside))])
    middle = corner - np.array([c * half + w * thick / 2, w * half - c * thick / 2])
    speed = float(10 ** rng.uniform(-1, 0.5))
    lasts = 0.3 * speed / GRAVITY  # so that it comes from above
    turns = float(rng.choice([0.0, 1e-7, 1e-4, 0.3])) * float(rng.uniform(-1, 1))
    velocity = speed * np.array([w, -c]) + float(rng.choice([0.0, 0.1])) * speed * np.array([c, w])
    gravity = np.array([0.0, -GRAVITY])
    begin = middle - velocity * lasts + 0.5 * gravity * lasts**2
    rates = velocity - gravity * lasts
    return FaceThrow(
        kind, s, y, (-3.0, 3.0), False, corners, (float(begin[0]), float(begin[1]), angle - turns),
        (float(rates[0]), float(rates[1]), turns / lasts), GRAVITY, lasts,
    )  # fmt: skip


def inflection_verdict(seed: int, rtol: float, **settings: Any) -> str:
    throw = at_inflection(seed)
    return slid(lambda: slide_system(throw, seed), throw, rtol, throw.until + LONGER, **settings)


def slide_verdict(seed: int, rtol: float, **settings: Any) -> str:
    """The verdict of a random slide; skipped where there is none."""
    throw = random_slide(seed)
    if throw is None:
        return "skipped"
    return slid(lambda: slide_system(throw, seed), throw, rtol, throw.until + LONGER, **settings)
