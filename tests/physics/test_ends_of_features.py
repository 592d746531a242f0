"""What falls exactly onto the end of a feature, or where two of them meet, lands there: it never falls between them."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import detent

G = 9.81
Make = Callable[[Any, float], detent.Shape]

FIXED: dict[str, Make] = {
    "end of a segment": lambda seat, size: seat.segment((-size, 0), (0, 0)),
    "start of a segment": lambda seat, size: seat.segment((0, 0), (size, 0)),
    "end of a track": lambda seat, size: seat.track((-2 * size, -0.3), (-size, 0), (0, 0)),
    "corner of a track": lambda seat, size: seat.track((-size, -size), (0, 0), (size, -0.3)),
    "joint of a track": lambda seat, size: seat.track((-size, 0), (0, 0), detent.Turn((0, -size), -1.0)),
    "joint of two hollows": lambda seat, size: seat.track(
        (-size, 0), (0, 0), detent.Turn((0, size), 0.5), detent.Turn((0, size), 0.4)
    ),
    "joint of straight pieces": lambda seat, size: seat.track((-size, 0), (0, 0), (size, 0)),
    "end of an arc": lambda seat, size: seat.rotated("arc", 0, "z").arc(size, math.pi / 2, 2.5),
    "corner of a polygon": lambda seat, size: seat.polygon((0, 0), (-size, 0), (-size, -size), (0, -size)),
    "tip of a polygon": lambda seat, size: seat.polygon((0, 0), (-0.4 * size, -size), (size, -size)),
}
"""Shapes by size (m), with an end or a joint at the origin and their faces upwards; the arc has its end above it."""
FALLING: dict[str, Make] = {
    "disk": lambda body, size: body.circle(size),
    "point": lambda body, size: body.point(),
    "corner": lambda body, size: body.polygon((0, 0), (0.7 * size, size), (0, 2 * size), (-size, size)),
    "end of a face": lambda body, size: body.polygon((0, 0), (size, 0), (size, size), (0, size)),
    "end of a segment": lambda body, size: body.segment((size, 0.3 * size), (0, 0)),
}
"""Shapes whose lowest point is at their body's place; that of a disk is lower by its radius."""
NARROW = ("disk", "point", "corner")
"""Those that come down to the bottom of a hollow."""


def landing(seed: int) -> tuple[detent.System, float, tuple[str, str]]:
    """A scene that is turned as a whole, with gravity: rounding makes of exact coincidence what it likes."""
    random = np.random.default_rng(seed)
    system = detent.System(f"landing {seed}")
    turned = system.ground.rotated("turned", float(random.choice([0.0, random.uniform(-3, 3)])))
    fixed = str(random.choice(list(FIXED)))
    falling = str(random.choice(NARROW if "hollows" in fixed else list(FALLING)))
    size, other, height = (float(random.uniform(*bounds)) for bounds in ((0.9, 2.0), (0.2, 0.8), (0.3, 1.0)))
    joint = system.planar("body", system.origin, turned)
    body = system.body("body", joint.point, joint.frame, 1, 0.3)
    system.gravity(-G * turned.y)
    ground = FIXED[fixed](turned, size)
    level = size if fixed == "end of an arc" else 0.0
    system.start(body_y=level + height + (other if falling == "disk" else 0.0))
    laws = {"friction": detent.Coulomb(0.4), "impact": detent.Poisson(float(random.choice([0.0, 0.5])))}
    system.contact("c", FALLING[falling](body, other), ground, **laws)  # type: ignore[arg-type]
    return system, height, (falling, fixed)


def check(seed: int) -> None:
    system, height, words = landing(seed)
    run = detent.simulate(system, until=1.2 * math.sqrt(2 * height / G))
    struck = run.events.of_kind("impact")
    assert len(struck) > 0, (seed, words)
    assert struck[0].time == pytest.approx(math.sqrt(2 * height / G), rel=1e-10), (seed, words)
    assert run.audit.smallest_gap is None or run.audit.smallest_gap > -1e-8, (seed, words)


@pytest.mark.parametrize("seed", range(8))
def test_what_falls_onto_an_end_lands_on_it(seed: int) -> None:
    check(seed)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(100, 2100, 100))
def test_whatever_falls_onto_an_end_lands_on_it(first: int) -> None:
    for seed in range(first, first + 100):
        check(seed)


@pytest.mark.parametrize("tilt", [0.0, 0.3])
def test_boxes_that_slide_on_one_floor_into_one_another_meet_corner_to_corner(tilt: float) -> None:
    """Equal masses exchange v (1 + e)/2; their lower corners are on the floor, both at the ends of the other's side."""
    system = detent.System("boxes")
    floor = system.ground.rotated("floor", tilt)
    system.gravity(-G * floor.y)
    shapes = []
    for name, x in (("a", 0.0), ("b", 2.0)):
        joint = system.planar(name, system.origin, floor)
        body = system.body(name, joint.point, joint.frame, 1, 0.2)
        shapes.append(body.polygon((-0.5, 0), (0.5, 0), (0.5, 1), (-0.5, 1), at=(0, -0.5)))
        system.start(**{f"{name}_x": x, f"{name}_y": 0.5})
        system.contact(f"{name}|floor", shapes[-1], floor.line(), impact=detent.Poisson(0))
    system.start(a_x_rate=2.0)
    system.contact("a|b", *shapes, impact=detent.Poisson(0.5))
    run = detent.simulate(system, until=1.5, impacts="simultaneous")
    struck = run.events.of_kind("impact")
    assert struck[0].time == pytest.approx(0.5, rel=1e-12)
    assert run["a_x_rate"][-1] == pytest.approx(0.5, rel=1e-9)
    assert run["b_x_rate"][-1] == pytest.approx(1.5, rel=1e-9)


def test_a_box_flush_with_the_edge_of_another_slides_inwards_freely() -> None:
    system = detent.System("flush")
    joint = system.planar("box", system.origin, system.ground)
    body = system.body("box", joint.point, joint.frame, 1, 0.1)
    system.gravity(-G * system.ground.y)
    table = system.ground.polygon((0, 0), (-3, 0), (-3, -1), (0, -1))
    crate = body.polygon((-0.5, -0.25), (0.5, -0.25), (0.5, 0.25), (-0.5, 0.25))
    system.contact("box|table", crate, table, friction=detent.Coulomb(0.2))
    system.start(box_x=-0.5, box_y=0.25, box_x_rate=-1.0)
    run = detent.simulate(system, until=2)
    assert len(run.events.of_kind("impact")) == 0
    assert run["box_x"][-1] == pytest.approx(-0.5 - 1 / (2 * 0.2 * G), rel=1e-11)
    assert run["box_y"][-1] == pytest.approx(0.25, rel=1e-12)


ENDS = {"end of a segment": 1.0, "start of a segment": -1.0, "end of a track": 1.0, "end of an arc": 1.0}
"""Which way leads out, along x."""


@pytest.mark.parametrize("angle", [0.0, 0.7])
@pytest.mark.parametrize("fixed", ENDS)
def test_what_stands_at_an_end_and_goes_out_falls_freely(fixed: str, angle: float) -> None:
    """With v^2 > g r it is clear of the end: its fall is g t^2/2. What goes in is held by the feature."""
    radius, size, speed, until = 0.3, 1.0, 4.0, 0.2
    system = detent.System("at an end")
    turned = system.ground.rotated("turned", angle)
    joint = system.planar("disk", system.origin, turned)
    disk = system.body("disk", joint.point, joint.frame, 1, 0.05)
    system.gravity(-G * turned.y)
    top = radius + (size if fixed == "end of an arc" else 0.0)
    system.start(disk_y=top)
    system.contact("c", disk.circle(radius), FIXED[fixed](turned, size), impact=detent.Plastic())
    out = detent.simulate(system, until=until, start={"disk_x_rate": ENDS[fixed] * speed})
    assert out.final.disk_y == pytest.approx(top - G * until**2 / 2, rel=1e-12)
    assert len(out.remarks) == 0
    if "arc" not in fixed:  # which is too round to hold it
        held = detent.simulate(system, until=until, start={"disk_x_rate": -ENDS[fixed] * speed})
        assert held.final.disk_y == pytest.approx(top, rel=1e-12)
