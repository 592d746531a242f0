"""Slabs on four feet or more, pushed harder and harder off their middle: they hold up to the limit, and then slide.

How feet share the weight is not unique. What the slab can be pushed with at most is a problem of its own, over all ways
to share it: a linear one, with pyramids of many faces inside and around the cones of friction.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import linprog

import detent

G = 9.81
FACES = 128


@dataclass(frozen=True)
class Slab:
    """A slab of half sizes a and b, its middle h above its feet, pushed by rate * t in a direction, at a point."""

    mass: float
    friction: float
    size: tuple[float, float, float]
    feet: NDArray[np.float64]
    point: NDArray[np.float64]
    way: NDArray[np.float64]
    rate: float

    def system(self) -> detent.System:
        a, b, h = self.size
        system = detent.System("slab")
        joint = system.free("slab", system.origin, system.ground)
        inertia = tuple(self.mass / 3 * each for each in (b * b + h * h, a * a + h * h, a * a + b * b))
        slab = system.body("slab", joint.point, joint.frame, mass=self.mass, inertia=inertia)
        system.gravity(-G * system.ground.z)
        system.start(slab_z=h)
        x, y, z = (getattr(slab.frame, axis) for axis in "xyz")
        place = joint.point.offset("pushed", self.point[0] * x + self.point[1] * y + self.point[2] * z)
        system.force("push", place, self.rate * system.time * (self.way[0] * x + self.way[1] * y))
        for number, foot in enumerate(self.feet, 1):
            shape = slab.point(at=(*foot.tolist(), -h))
            system.contact(f"foot {number}", shape, system.ground.plane(), friction=detent.Coulomb(self.friction))
        return system

    def most(self, inside: bool) -> float:
        """The largest push that feet can hold, with pyramids inside the cones, or around them."""
        angles = 2 * math.pi * np.arange(FACES) / FACES
        mu = self.friction if inside else self.friction / math.cos(math.pi / FACES)
        columns = []
        for foot in self.feet:
            arm = np.array([*foot, -self.size[2]])
            for angle in angles:
                force = np.array([mu * math.cos(angle), mu * math.sin(angle), 1])
                columns.append([*force, *np.cross(arm, force)])
        push = np.array([*self.way, 0])
        columns.append([*push, *np.cross(self.point, push)])
        cost = np.zeros(len(columns))
        cost[-1] = -1
        weight = [0, 0, self.mass * G, 0, 0, 0]
        found = linprog(cost, A_eq=np.array(columns).T, b_eq=weight, method="highs")
        assert found.success
        return float(found.x[-1])


def random_slab(seed: int) -> Slab:
    random = np.random.default_rng([seed, 90210])
    a, b, h = random.uniform((0.1, 0.1, 0.01), (0.4, 0.4, 0.05))
    corners = np.array([[a, b], [-a, b], [-a, -b], [a, -b]]) * random.uniform(0.6, 1, (4, 1))
    more = random.uniform(-0.8, 0.8, (random.integers(0, 3), 2)) * (a, b)
    angle = random.uniform(0, 2 * math.pi)
    return Slab(
        float(random.uniform(0.3, 5)), float(random.uniform(0.1, 0.6)), (float(a), float(b), float(h)),
        np.concatenate([corners, more]), random.uniform(-1, 1, 3) * (a, b, h / 2),
        np.array([math.cos(angle), math.sin(angle)]), float(random.uniform(1, 20)),
    )  # fmt: skip


def check(seed: int) -> None:
    slab = random_slab(seed)
    least, most = (slab.most(inside) / slab.rate for inside in (True, False))
    run = detent.simulate(slab.system(), until=most + 0.2, most_steps=2000)
    begins = [event for event in run.events if "stick -> slip" in event.name]
    assert least * (1 - 1e-9) <= begins[0].time <= most * (1 + 1e-9), seed
    after = [event for event in run.events if event.kind != "shared" and event.time > begins[0].time]
    changes = [event for event in after if not event.name.endswith("slip turns")]
    assert len(changes) <= len(slab.feet), (seed, [event.name for event in changes])
    assert run.audit.largest_cone_excess is not None
    assert run.audit.largest_cone_excess < 1e-6, seed
    assert run.audit.energy_balance < 1e-8, seed
    kept_the_laws(slab, run, seed)


def kept_the_laws(slab: Slab, run: detent.Run, seed: int) -> None:
    """Newton's law by the forces that are told, and friction against slip."""
    forces = np.zeros((len(run.time), 3))
    for contact in run.contacts.values():
        forces += contact.force
        slip = np.linalg.norm(contact.slip, axis=1)
        power = (contact.friction * contact.slip).sum(axis=1) + slab.friction * contact.normal * slip
        slides = (contact.status == 1) & (slip > 1e-6)
        assert np.abs(power[slides] / slip[slides]).max(initial=0) < 1e-6 * slab.mass * G, seed
        assert contact.normal.min() > -1e-9 * slab.mass * G, seed
    system = run.model if isinstance(run.model, detent.System) else run.model.system
    moved = np.array(run.value(system.bodies["slab"].center.acceleration())).reshape(len(run.time), 3) * slab.mass
    frame = system.bodies["slab"].frame
    way = slab.way[0] * frame.x + slab.way[1] * frame.y
    pushed = slab.rate * run.time[:, None] * np.array(run.value(way)).reshape(len(run.time), 3)
    assert moved == pytest.approx(forces + pushed - [0, 0, slab.mass * G], abs=1e-7 * slab.mass * G), seed


@pytest.mark.parametrize("seed", range(4))
def test_a_slab_that_is_pushed_slides_from_the_limit_on(seed: int) -> None:
    check(seed)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(100, 400, 25))
def test_hundreds_of_slabs_that_are_pushed(first: int) -> None:
    for seed in range(first, first + 25):
        check(seed)


@pytest.mark.parametrize(("mass", "friction", "force", "lasts"), [(0.671, 0.379, 30.691, 1.184), (1.2, 0.4, 34, 1.75)])
def test_a_box_in_a_gripper_whose_force_fades_slips_straight_down(
    mass: float, friction: float, force: float, lasts: float
) -> None:
    """It slips where 2 mu F = m g; nothing turns it, for all is alike on both sides, in front and behind."""
    system = detent.System("gripper")
    x, z = system.ground.x, system.ground.z
    joint = system.free("box", system.origin, system.ground)
    a, b, c = 0.14, 0.16, 0.08
    inertia = tuple(mass / 12 * each for each in (b * b + c * c, a * a + c * c, a * a + b * b))
    box = system.body("box", joint.point, joint.frame, mass=mass, inertia=inertia)
    system.gravity(-G * z)
    for name, side in (("left", -1), ("right", 1)):
        place = system.coordinates(name)
        pad = system.body(
            f"{name} pad", system.origin.offset(f"{name} middle", place * x), system.ground, 0.1, (1e-4,) * 3
        )
        system.start(**{name: side * (a / 2 + 0.005)})
        system.force(f"{name} squeeze", pad, -side * force * (1 - system.time / lasts) * x)
        shapes = box.box(a, b, c), pad.box(0.01, 0.06, 0.06)
        system.contact(f"box|{name}", *shapes, friction=detent.Coulomb(friction))
    slips = lasts * (1 - mass * G / (2 * friction * force))
    run = detent.simulate(system, until=min(0.95 * lasts, slips + 0.1), most_steps=1000)
    (event,) = run.events.of_kind("transition")
    assert event.time == pytest.approx(slips, abs=1e-12)
    assert event.name.count("stick -> slip") == 8
    fallen = mass * G * (run.final.time - slips) ** 3 / (6 * mass * (lasts - slips))  # 2 mu F falls straight to zero
    assert run.final.box_z == pytest.approx(-fallen, rel=1e-8)
    assert max(abs(run.final[name]) for name in ("box_x", "box_y", "box_wx", "box_wy", "box_wz")) < 1e-12
