"""Rods that seize without a collision while other things touch: by closed form, or as they do alone.

The tip of a rod slides over a block that lies on a floor. A push on the tip along the normal and along the block moves
it against the block by W, that of the rod with what the block gives: nothing where friction holds it, 1/M along the
floor where that is smooth. Where mu > W_nn/|W_nt| the tip seizes, with P = -W^-1 v. A block that friction cannot hold
is dragged along, against it: then tip and block seize together.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from sympy import Piecewise, Rational

import detent
from detent.gallery.painleve_rod import yielding
from tests.physics.test_nothing_is_silent import boundary

G = 9.81
ROUGH = 0.001
"""s: when the block becomes rough."""
KINDS = ("floor", "held block", "smooth block", "loose block")
LOOSE = 0.2
"""How rough the floor is below a block that friction may not hold."""


def rod(system: detent.System, angle: float, slip: float, turn: float = 0.0) -> tuple[Any, Any]:
    """A uniform rod of 1 kg and 1 m, and its tip."""
    x, y, lean = system.coordinates("x", "y", "lean")
    system.start(x=0, y=0, lean=angle, x_rate=slip, lean_rate=turn)
    frame = system.ground.rotated("rod", lean)
    tip = system.origin.offset("tip", x * system.ground.x + y * system.ground.y)
    body = system.body("rod", tip.offset("middle", frame.x / 2), frame, 1, Rational(1, 12))
    return body, body.point(at=(-Rational(1, 2), 0))


def on_a_block(kind: str, angle: float, slip: float, friction: float, mass: float) -> detent.System:
    system = detent.System(f"rod on {kind}")
    _, tip = rod(system, angle, slip)
    system.gravity(-G * system.ground.y)
    law = detent.Coulomb(Piecewise((friction, system.time > ROUGH), (0, True)))
    if kind == "floor":
        system.contact("tip|block", tip, system.ground.line(), friction=law)
        return system
    along, above = system.coordinates(along=0, above=0)
    place = system.origin.offset("block", along * system.ground.x + above * system.ground.y)
    block = system.particle("block", place, mass=mass)
    held = {"held block": detent.Coulomb(5.0), "smooth block": None, "loose block": detent.Coulomb(LOOSE)}[kind]
    system.contact("tip|block", tip, block.line(), friction=law)
    system.contact("block|floor", block.point(at=(0, -0.5)), system.ground.line(at=(0, -0.5)), friction=held)
    return system


def seized(kind: str, lean: float, mass: float, slip: float) -> tuple[np.ndarray, np.ndarray]:
    """The impulses of the tip and of the block below, each (normal, friction): then the tip slips no more."""
    normal, across, along = yielding(lean, 1.0)
    for drags in (0, 1, -1) if kind == "loose block" else (0,):
        free = kind == "smooth block" or drags != 0
        # Unknowns: the impulse on the tip, and how fast the block is afterwards.
        equations = [[normal, across, 0], [across, along, -1], [drags * LOOSE if free else 0, float(free), mass]]
        *push, speed = np.linalg.solve(equations, [0, -slip, 0])
        below = -drags * LOOSE * push[0] if free else push[1]
        if kind != "loose block" or (speed * drags > 0 if drags else abs(below) <= LOOSE * push[0]):
            return np.array(push), np.array([push[0], below])
    raise AssertionError("no motion of the block")


def check(seed: int, kind: str) -> bool:
    """Whether a rod seized."""
    random = np.random.default_rng([seed, KINDS.index(kind), 7187])
    angle, slip = random.uniform(0.8, 1.3), random.uniform(-2.0, -0.5)
    friction, mass = random.uniform(1.0, 3.0), random.uniform(0.5, 5.0)
    system = on_a_block(kind, angle, slip, friction, mass)
    simulation = detent.Simulation(system, rtol=1e-12)
    simulation.advance(ROUGH + 1e-4)
    run = simulation.result()
    lean = run.at(ROUGH).lean
    normal, across, _ = yielding(lean, 1.0)
    seizes = friction > normal / abs(across)
    told = [event for event in run.events if "without collision" in event.name]
    assert bool(told) == seizes, (seed, kind)
    if not seizes:
        return False
    number = int(np.searchsorted(run.time, told[0].time))
    slip = run["x_rate"][number] - (run["along_rate"][number] if kind != "floor" else 0.0)
    expected, below = seized(kind, lean, mass, slip)
    found = [told[0].details[f"impulse of tip|block.{row}"] for row in ("normal", "friction")]
    assert found == pytest.approx(expected, rel=1e-10), (seed, kind)
    assert told[0].details["coefficient"] == pytest.approx(friction)
    assert told[0].details["angle"] == pytest.approx(math.atan2(abs(across), normal), rel=1e-11)
    # What friction below takes it takes at half the speed that the block gets, in the mean.
    drag = 0.5 * below[1] * (below[1] - expected[1]) / mass if kind != "floor" else 0.0
    assert told[0].details["energy"] == pytest.approx(0.5 * slip * expected[1] + drag, rel=1e-9)
    if kind != "floor":
        under = [told[0].details[f"impulse of block|floor.{row}"] for row in ("normal", "friction")]
        assert under == pytest.approx(below, rel=1e-9, abs=1e-12), (seed, kind)
    assert run.audit.smallest_gap is not None
    assert run.audit.smallest_gap > -1e-12
    return True


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(4))
def test_a_rod_on_a_block_seizes_with_the_impulse_of_its_closed_form(seed: int, kind: str) -> None:
    check(seed, kind)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_many_rods_on_blocks_seize(kind: str) -> None:
    assert sum(check(seed, kind) for seed in range(300)) > 50


@pytest.mark.parametrize("beside", ["rests", "slides"])
@pytest.mark.parametrize("friction", [1.7, 2.0])
def test_a_slide_into_the_paradox_does_not_feel_a_box_elsewhere(friction: float, beside: str) -> None:
    """The steps end near the boundary, with whatever else touches."""
    runs = []
    for word in ("alone", beside):
        system = detent.System(f"rod, {word}")
        _, tip = rod(system, boundary(friction) - 0.1, -30.0, 1.0)
        system.gravity(-G * system.ground.y)
        system.contact("tip|floor", tip, system.ground.line(), friction=detent.Coulomb(friction))
        if word != "alone":
            joint = system.planar("box", system.origin, system.ground)
            box = system.body("box", joint.point, joint.frame, mass=2, inertia=0.1)
            system.start(box_x=5, box_y=0.25, box_x_rate=1.0 if word == "slides" else 0.0)
            corners = box.polygon((-0.5, -0.25), (0.5, -0.25), (0.5, 0.25), (-0.5, 0.25))
            system.contact("box|floor", corners, system.ground.line(), friction=detent.Coulomb(0.4))
        runs.append(detent.simulate(system, until=0.1, rtol=1e-12))
    alone, among = (next(event for event in run.events if "without collision" in event.name) for run in runs)
    assert among.time == pytest.approx(alone.time, abs=1e-9)
    assert among.name == alone.name
    one, other = (run.final for run in runs)
    assert other.lean_rate == pytest.approx(one.lean_rate, rel=1e-7)
    assert other.x_rate == pytest.approx(one.x_rate, rel=1e-7)
