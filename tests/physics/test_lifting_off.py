"""A contact that was held and lets go: it lifts off, or begins to slip, once, at the instant of the closed form.

Blocks lie on tilted planes. What presses one falls as N0 - k t, what drags it along grows as j t: it sticks until
j t = mu (N0 - k t), slips with an acceleration that grows from zero, and lifts off with one that grows from zero where
N0 = k t. Neither gap nor slip has a rate or a second derivative there: rounding, or what a formulation holds a contact
to, is all that they have. Blocks may do this at the same instant, and where others have only just let go.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest
import sympy

import detent

FORMULATIONS = ["embedded", "projection", "corrected", "multipliers"]
UNTIL = 1.0
WITHIN = 1e3
"""Times the tolerance of the integration: what steps err by may have grown. A contact that is held on, or closed again,
is far outside of it."""


@dataclass(frozen=True)
class Block:
    """One of them, by its law."""

    mass: float
    tilt: float
    place: tuple[float, float]
    friction: float
    pressed: float
    relief: float
    drag: float

    @property
    def breaks(self) -> float:
        return self.friction * self.pressed / (self.drag + self.friction * self.relief)

    @property
    def lifts(self) -> float:
        return self.pressed / self.relief

    def along(self, time: float) -> float:
        """How far it has gone along its plane."""
        gains, lasts = (self.drag + self.friction * self.relief) / self.mass, min(time, self.lifts) - self.breaks
        if lasts <= 0.0:
            return 0.0
        way, speed = gains * lasts**3 / 6, gains * lasts**2 / 2
        flown = max(0.0, time - self.lifts)
        pull = self.drag / self.mass
        return way + speed * flown + pull * (self.lifts * flown**2 / 2 + flown**3 / 6)

    def above(self, time: float) -> float:
        """How far it is above its plane."""
        return self.relief / self.mass * max(0.0, time - self.lifts) ** 3 / 6


def blocks(seed: int) -> list[Block]:
    """One to three blocks; the last ones may be exactly, or very nearly, like the first."""
    random = np.random.default_rng(seed)
    pressed = random.uniform(1, 20)
    first = Block(
        mass=random.uniform(0.1, 5), tilt=random.uniform(-3, 3), place=tuple(random.uniform(-3, 3, 2)),
        friction=random.uniform(0.1, 1), pressed=pressed, relief=pressed / random.uniform(0.3, 0.8),
        drag=pressed * random.uniform(0.2, 3),
    )  # fmt: skip
    others = []
    for _ in range(random.integers(0, 3)):
        later = random.choice([1.0, 1.0, 1 + 1e-9, 1 + 1e-6, random.uniform(0.8, 1.2)])
        place = tuple(random.uniform(-3, 3, 2))
        mass, tilt = random.uniform(0.1, 5), random.uniform(-3, 3)
        others.append(replace(first, mass=mass, tilt=tilt, place=place, pressed=first.pressed * later))
    return [first, *others]


def model(given: list[Block]) -> detent.System:
    system = detent.System("blocks")
    for number, block in enumerate(given):
        x, y = system.coordinates(f"x{number}", f"y{number}")
        (px, py), ground = block.place, system.ground
        along = (float(np.cos(block.tilt)), float(np.sin(block.tilt)))
        plane = ground.rotated(f"plane {number}", sympy.Float(block.tilt, 17))
        seat = system.origin.offset(f"seat {number}", px * ground.x + py * ground.y)
        middle = system.origin.offset(f"middle {number}", x * ground.x + y * ground.y)
        body = system.particle(f"block {number}", middle, block.mass)
        tangential, normal = block.drag * system.time, block.relief * system.time - block.pressed
        force = [tangential * along[0] - normal * along[1], tangential * along[1] + normal * along[0]]
        system.force(f"push {number}", middle, force[0] * ground.x + force[1] * ground.y)
        system.contact(f"contact {number}", body.point(), plane.line(at=seat), friction=detent.Coulomb(block.friction))
        system.start(**{f"x{number}": px, f"y{number}": py})
    return system


def check(seed: int, formulation: str) -> None:
    given, random = blocks(seed), np.random.default_rng([seed, 1])
    rtol = float(10 ** random.uniform(-11, -6))
    run = detent.simulate(model(given), until=UNTIL, rtol=rtol, formulation=formulation)
    for number, block in enumerate(given):
        name = f"contact {number}: "
        told = [(part, event.time) for event in run.events for part in event.name.split(", ") if part.startswith(name)]
        assert [part for part, _ in told] == [f"{name}stick -> slip", f"{name}slip -> open"], (seed, told)
        assert np.allclose([time for _, time in told], [block.breaks, block.lifts], rtol=0, atol=WITHIN * rtol)
        moved = run.final[f"x{number}"] - block.place[0], run.final[f"y{number}"] - block.place[1]
        cosine, sine = np.cos(block.tilt), np.sin(block.tilt)
        along, above = cosine * moved[0] + sine * moved[1], cosine * moved[1] - sine * moved[0]
        there = block.along(UNTIL), block.above(UNTIL)
        assert np.allclose((along, above), there, rtol=WITHIN * rtol, atol=WITHIN * rtol), (seed, rtol, along, above)


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("seed", range(3))
def test_a_contact_lets_go_once_at_its_instant(seed: int, formulation: str) -> None:
    check(seed, formulation)


@pytest.mark.slow
@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("seeds", [range(start, start + 25) for start in range(100, 400, 25)])
def test_contacts_let_go_once_at_their_instants(seeds: range, formulation: str) -> None:
    for seed in seeds:
        check(seed, formulation)


@pytest.mark.parametrize("rtol", [1e-7, 1e-8, 1e-10])
@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_the_woodpecker_comes_down_the_same_way_however_its_contacts_are_held(formulation: str, rtol: float) -> None:
    """Its edges lift off seven times in a second, and slip before they do; the place is that of rtol 1e-12."""
    run = detent.example("woodpecker").simulate(until=1.0, rtol=rtol, formulation=formulation)
    assert run.final["y"] == pytest.approx(-0.1226916168977, abs=10 * rtol)
    assert len([event for event in run.events if event.name == "lower|pole: slip -> open"]) == 7
    assert run.audit.smallest_gap > -1e-14
