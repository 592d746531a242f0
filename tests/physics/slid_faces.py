"""Planks and polygons that fall on curves, slide, rock and come to rest there: what holds all along.

They are those of :mod:`tests.physics.thrown_faces`, under gravity, and the run goes on after they have met the curve.
No point of the curve may be in what lies on it, by the distances of that file, and energy may not grow.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

import detent
from tests.physics.thrown_faces import FaceAnswer, FaceThrow, random_face_throw

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


def slid(make: Callable[[], detent.System], throw: FaceThrow, rtol: float, until: float, **settings: Any) -> str:
    """right, refused: why, endless: what happened last, or wrong: how."""
    simulation, began, told = detent.Simulation(make(), rtol=rtol, **settings), time.process_time(), "right"
    try:
        for end in np.linspace(0.0, until, PARTS + 1)[1:]:
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


def slide_verdict(seed: int, rtol: float) -> str:
    """The verdict of a random slide; skipped where there is none."""
    throw = random_slide(seed)
    if throw is None:
        return "skipped"
    return slid(lambda: slide_system(throw, seed), throw, rtol, throw.until + LONGER)
