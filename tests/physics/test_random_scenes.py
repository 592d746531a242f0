"""Random scenes of disks, boxes and triangles on slopes: they run to the end, nothing gains energy or overlaps."""

from __future__ import annotations

import math

import numpy as np
import pytest

import detent
from tests.physics.outlines import Outline, apart

RTOL = 1e-9
CORNERS = (99, 422, 480, 654, 813, 859, 975, 988, 995)
"""Scenes in which corners run into corners, or let go of them: bodies slid into one another, or a run stopped."""


def scene(seed: int) -> detent.System:
    """One or two bodies above a slope, all with the same laws."""
    return drawn(seed)[0]


def drawn(seed: int) -> tuple[detent.System, list[Outline]]:
    """The scene of a seed, and the outlines of its bodies."""
    random = np.random.default_rng(seed)
    system = detent.System(f"scene {seed}")
    system.gravity(-9.81 * system.ground.y)
    friction, restitution = float(random.choice([0.0, 0.1, 0.3, 0.8])), float(random.choice([0.0, 0.0, 0.3, 0.7]))
    laws = {"friction": detent.Coulomb(friction) if friction else None, "impact": detent.Poisson(restitution)}
    slope = system.ground.rotated("slope", float(random.choice([0.0, 0.2, -0.4])))
    shapes: list[detent.Shape] = []
    outlines: list[Outline] = []
    for number in range(int(random.integers(1, 3))):
        name = f"body {number}"
        joint = system.planar(f"b{number}", system.origin, system.ground)
        size = float(random.uniform(0.3, 0.7))
        body = system.body(name, joint.point, joint.frame, 1, 0.4 * size**2)
        corners = [(size * math.cos(angle), size * math.sin(angle)) for angle in (0.4, 2.2, 3.6, 5.4)]
        kind = random.choice(["disk", "box", "triangle"])
        corners = corners[: 3 if kind == "triangle" else 4]
        shape = body.circle(size) if kind == "disk" else body.polygon(*corners)
        outlines.append(Outline(((0.0, 0.0),), size) if kind == "disk" else Outline(tuple(corners)))
        start = {
            "x": random.uniform(-0.3, 0.3), "y": 1.2 + 2.0 * number,
            "angle": random.choice([0.0, random.uniform(-3, 3)]),
            "x_rate": random.uniform(-2, 2), "angle_rate": random.choice([0.0, random.uniform(-4, 4)]),
        }  # fmt: skip
        system.start(**{f"b{number}_{key}": float(value) for key, value in start.items()})
        system.contact(f"{name}|slope", shape, slope.line(), **laws)  # type: ignore[arg-type]
        for other, before in enumerate(shapes):
            system.contact(f"body {other}|{name}", before, shape, **laws)  # type: ignore[arg-type]
        shapes.append(shape)
    return system, outlines


def largest_place(run: detent.Run) -> float:
    """How far from the origin any body has been, m."""
    return max(float(np.abs(run[name]).max()) for name in run.names if name.endswith(("_x", "_y")))


def check(seed: int) -> None:
    system, outlines = drawn(seed)
    run = detent.simulate(system, until=2.5, rtol=RTOL, most_bytes=50_000_000)
    assert max([0.0, *(float(event.details.get("energy", 0.0)) for event in run.events.of_kind("impact"))]) < 1e-9
    assert run.audit.energy_balance < 1e-7
    assert run.audit.smallest_gap is not None
    # At nodes what is closed has no gap to rounding; between them the interpolation is as exact as the steps are.
    assert run.audit.smallest_gap > -RTOL * (1 + largest_place(run))
    if len(outlines) == 2:  # whatever the places of contact know of: no body is inside the other
        placed = [outline.placed(run, f"b{number}") for number, outline in enumerate(outlines)]
        assert apart(*outlines, *placed).min() > -RTOL * (1 + largest_place(run))
    assert run.audit.largest_cone_excess is not None
    assert run.audit.largest_cone_excess < 1e-9


@pytest.mark.parametrize("seed", [*range(4), 859, 988])
def test_a_random_scene_keeps_the_laws_of_contact(seed: int) -> None:
    check(seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [*range(4, 206), *CORNERS])
def test_many_random_scenes_keep_the_laws_of_contact(seed: int) -> None:
    check(seed)
