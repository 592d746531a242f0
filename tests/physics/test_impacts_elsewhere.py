"""What strikes does so by its own law, whatever slides elsewhere, and whichever coordinates tell where bodies are.

The tip of a rod falls onto a floor on which a disk slides, and nothing turns that. Where the rod is told from it both
move in all of its coordinates, and that they do not push one another is the sum of terms that cancel.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

import detent

HEIGHT, RADIUS = 0.3, 0.4


def rod_and_disk(seed: int, relative: bool, slides: bool) -> detent.System:
    """``slides``: the disk is on the floor; else there is no floor for it, and it is where it would be until then."""
    random = np.random.default_rng(seed)
    turned, lean, speed, slip, mass = (
        float(value) for value in random.uniform((0, 0.7, 0.5, -0.6, 0.2), (6, 1.2, 3, 0.6, 5))
    )
    system = detent.System("rod and disk")
    ground = system.ground
    joint = system.planar("disk", system.origin, ground)
    disk = system.body("disk", joint.point, joint.frame, 2, 0.3)
    system.start(disk_y=RADIUS, disk_angle=turned, disk_x_rate=speed)
    seat, axes = (joint.point, joint.frame) if relative else (system.origin, ground)
    rod = system.body("rod", (place := system.planar("rod", seat, axes)).point, place.frame, mass, mass / 12)
    x, y, along, angle = 5.0, HEIGHT + 0.5 * math.sin(lean), slip, lean
    c, s = 1.0, 0.0
    if relative:
        c, s, y, along, angle = math.cos(turned), math.sin(turned), y - RADIUS, along - speed, lean - turned
    system.start(rod_x=c * x + s * y, rod_y=c * y - s * x, rod_x_rate=c * along, rod_y_rate=-s * along, rod_angle=angle)
    system.force("weight", rod, -9.81 * mass * ground.y)
    if slides:
        system.force("weight of the disk", disk, -9.81 * 2 * ground.y)
        system.contact("disk|floor", disk.circle(RADIUS), ground.line())
    system.contact("tip|floor", rod.point(at=(-0.5, 0)), ground.line(), friction=detent.Coulomb(0.3))
    return system


@pytest.mark.parametrize("seed", range(12))
def test_an_impact_does_not_depend_on_what_slides_elsewhere(seed: int) -> None:
    lost = []
    for relative, slides in ((False, False), (False, True), (True, False), (True, True)):
        run = detent.simulate(rod_and_disk(seed, relative, slides), until=0.3, rtol=1e-11, atol=1e-13)
        strikes = run.events.of_kind("impact")[0]
        assert strikes.time == pytest.approx(math.sqrt(2 * HEIGHT / 9.81), abs=1e-10)
        lost.append(strikes.details["energy"])
    assert lost == pytest.approx([lost[0]] * 4, rel=1e-9)
