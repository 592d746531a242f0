"""Rolling resistance where the forces of contacts are not unique: carts, a disk in a groove, a tripod of balls."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import detent

G = 9.81
EXACT = {"rtol": 1e-12, "atol": 1e-14}


def named(run: detent.Run) -> list[str]:
    return [event.name for event in run.events.of_kind("transition")]


@dataclass(frozen=True)
class Cart:
    """A chassis on wheels, all with the same resistance, that a force pulls which grows with the time.

    Whatever each wheel carries, together they carry the weight: the cart is held up to a pull of rho W/r, and braked by
    as much while it rolls.
    """

    wheels: tuple[float, ...] = (-1.0, 1.0)
    """Where they are along the chassis."""
    rho: float = 0.02
    radius: float = 0.3
    chassis: float = 5.0
    wheel: float = 1.0
    inertia: float = 0.045
    speed: float = 0.0
    rate: float = 0.0
    tilt: float = 0.0

    @property
    def weight(self) -> float:
        return (self.chassis + len(self.wheels) * self.wheel) * G

    @property
    def moved(self) -> float:
        """What a pull moves, with the turning of the wheels."""
        return self.weight / G + len(self.wheels) * self.inertia / self.radius**2

    @property
    def holds(self) -> float:
        return self.rho * self.weight * math.cos(self.tilt) / self.radius

    def system(self) -> detent.System:
        system = detent.System("cart")
        x, y, pitch = system.coordinates("x", "y", "pitch")
        road = system.ground.rotated("road", -self.tilt)
        frame = road.rotated("chassis", pitch)
        centre = system.origin.offset("centre", x * road.x + y * road.y)
        chassis = system.body("chassis", centre, frame, self.chassis, 1)
        system.gravity(-G * system.ground.y)
        system.force("pull", chassis, self.rate * system.time * road.x)
        turning = {}
        for number, place in enumerate(self.wheels):
            angle = system.coordinates(f"angle_{number}")
            hub = centre.offset(f"hub {number}", place * frame.x - 0.2 * frame.y)
            body = system.body(
                f"wheel {number}", hub, frame.rotated(f"wheel {number}", angle), self.wheel, self.inertia
            )
            law = detent.Coulomb(0.8, rolling=self.rho)
            system.contact(f"wheel {number}|road", body.circle(self.radius), road.line(), friction=law)
            turning[f"angle_{number}_rate"] = -self.speed / self.radius
        system.start(y=self.radius + 0.2, x_rate=self.speed, **turning)
        return system


@pytest.mark.parametrize("wheels", [(-1.0, 1.0), (-1.0, 0.2, 1.0)])
def test_a_cart_slows_stops_and_stays_for_good(wheels: tuple[float, ...]) -> None:
    cart = Cart(wheels, speed=1.0)
    run = detent.simulate(cart.system(), until=1e6, **EXACT)
    slows = cart.holds / cart.moved
    assert named(run) == [", ".join(f"wheel {number}|road: roll -> rest" for number in range(len(wheels)))]
    assert run.events.of_kind("transition")[0].time == pytest.approx(1 / slows, rel=1e-11)
    stays = run.t > 1 / slows + 1e-6
    assert np.ptp(run["x"][stays]) == np.ptp(run["angle_0"][stays]) == 0.0
    assert run["x"][-1] == pytest.approx(1 / (2 * slows), rel=1e-11)
    assert len(run.events.of_kind("shared")) == 1
    assert run.audit.largest_cone_excess <= 1e-12
    rolls = run.t < 1 / slows - 1e-6
    moments = sum(run.contacts[f"wheel {number}|road"].rolling for number in range(len(wheels)))
    assert moments[rolls] == pytest.approx(cart.rho * cart.weight, rel=1e-11)
    assert moments[-1] == pytest.approx(0.0, abs=1e-9)


def check_pulled(cart: Cart) -> None:
    """A cart at rest that is pulled more and more: when it begins to roll, and how far it comes in a second more."""
    begins = cart.holds / cart.rate
    run = detent.simulate(cart.system(), until=begins + 1, **EXACT)
    told = run.events.of_kind("transition")
    assert len(told) == 1, cart
    # Forces within 1e-8 of the edges of all cones, by the largest of them, are at them. When a part p of the time is
    # left all wheels together are p W from their edges: p is at most 1e-8 for each of them, were one to carry all of W.
    assert told[0].time == pytest.approx(begins, rel=1e-8 * len(cart.wheels)), cart
    assert run["x"][-1] == pytest.approx(cart.rate / (6 * cart.moved), rel=1e-6), cart
    held = run.t < told[0].time
    assert np.ptp(run["x"][held]) == 0.0
    contacts = [run.contacts[f"wheel {number}|road"] for number in range(len(cart.wheels))]
    assert sum(contact.normal for contact in contacts) == pytest.approx(cart.weight, rel=1e-10)
    moments = sum(contact.rolling for contact in contacts)
    assert moments[held] == pytest.approx(cart.rate * run.t[held] * cart.radius, rel=1e-8, abs=1e-9), cart
    assert run.audit.largest_cone_excess <= 1e-9


def random_cart(seed: int) -> Cart:
    random = np.random.default_rng(seed)
    radius = float(random.uniform(0.1, 0.5))
    mass = float(random.uniform(0.2, 2.0))
    inner = random.uniform(-0.5, 0.5, int(random.integers(0, 3))).tolist()
    return Cart(
        wheels=(-float(random.uniform(0.5, 1.5)), *sorted(inner), float(random.uniform(0.5, 1.5))),
        rho=float(10 ** random.uniform(-3, -1.2)) * radius,
        radius=radius,
        chassis=float(random.uniform(1, 20)),
        wheel=mass,
        inertia=mass * radius**2 * float(random.uniform(0.3, 0.9)),
        rate=float(10 ** random.uniform(-1, 1)),
    )


@pytest.mark.parametrize("wheels", [(-1.0, 1.0), (-1.0, 0.2, 1.0)])
def test_a_cart_at_rest_begins_to_roll_when_its_pull_passes_the_resistance_of_all_wheels(
    wheels: tuple[float, ...]
) -> None:  # fmt: skip
    check_pulled(Cart(wheels, rate=1.0))


@pytest.mark.parametrize(("excess", "moves"), [(0.999, False), (1.001, True)])
def test_a_cart_on_a_slope_stays_up_to_resistance_over_radius(excess: float, moves: bool) -> None:
    cart = Cart(tilt=math.atan(excess * 0.02 / 0.3))
    run = detent.simulate(cart.system(), until=1e4 if not moves else 1)
    assert (run["x"][-1] != 0) == moves


def test_a_disk_in_a_groove_turns_when_its_torque_passes_friction_and_resistance_at_both_faces() -> None:
    # both faces rub and resist with all they have: (N_1 + N_2) (mu r + rho), N_1 + N_2 = W/(cos(b) (1 + mu^2))
    mu, rho, r, half, rate, mass = 0.3, 0.02, 0.5, math.pi / 4, 1.0, 1.0
    system = detent.System("groove")
    joint = system.planar("disk", system.origin, system.ground)
    body = system.body("disk", joint.point, joint.frame, mass, 1 / 8)
    system.gravity(-G * system.ground.y)
    system.torque("drive", body, rate * system.time * system.ground.z)
    system.start(disk_y=r / math.cos(half))
    for name, angle in (("left", -half), ("right", half)):
        law = detent.Coulomb(mu, rolling=rho)
        system.contact(f"disk|{name}", body.circle(r), system.ground.rotated(name, angle).line(), friction=law)
    limit = mass * G / (math.cos(half) * (1 + mu**2)) * (mu * r + rho)
    run = detent.simulate(system, until=limit / rate + 0.5, **EXACT)
    assert named(run) == ["disk|left: rest -> slip and turn, disk|right: rest -> slip and turn"]
    # forces within 1e-8 of the edges of all cones are at them, which is 1e-7 of the torque
    assert run.events.of_kind("transition")[0].time == pytest.approx(limit / rate, rel=1e-6)
    assert run["disk_angle_rate"][-1] == pytest.approx(rate * 0.5**2 / 2 / (1 / 8), rel=1e-6)
    assert run.audit.largest_cone_excess <= 1e-9


def test_a_tripod_on_balls_is_held_and_braked_in_space() -> None:
    # a plate that slides level on three balls, each of which turns as it likes: normal forces are not unique
    rho, r, mass, ball, inertia, rate, angle = 0.01, 0.2, 4.0, 0.5, 0.008, 0.8, 0.6
    system = detent.System("tripod")
    x, y, z = system.coordinates("x", "y", "z")
    centre = system.origin.offset("centre", x * system.ground.x + y * system.ground.y + z * system.ground.z)
    plate = system.body("plate", centre, system.ground, mass, (1, 1, 1))
    system.gravity(-G * system.ground.z)
    way: Any = math.cos(angle) * system.ground.x + math.sin(angle) * system.ground.y
    system.force("pull", plate, rate * system.time * way)
    for number, place in enumerate(((1, 0), (-0.5, 0.8), (-0.5, -0.9))):
        hub = centre.offset(f"hub {number}", place[0] * system.ground.x + place[1] * system.ground.y)
        joint = system.ball(f"ball_{number}", hub, system.ground)
        body = system.body(f"ball {number}", joint.point, joint.frame, ball, (inertia,) * 3)
        law = detent.Coulomb(0.6, rolling=rho, spinning=0.001)
        system.contact(f"ball {number}|floor", body.sphere(r), system.ground.plane(), friction=law)
    system.start(z=r)
    weight, moved = (mass + 3 * ball) * G, mass + 3 * ball + 3 * inertia / r**2
    begins = rho * weight / r / rate
    run = detent.simulate(system, until=begins + 1)
    assert named(run) == [", ".join(f"ball {number}|floor: rest -> roll" for number in range(3))]
    assert run.events.of_kind("transition")[0].time == pytest.approx(begins, rel=1e-7)
    way_gone = rate / (6 * moved)
    expected = [way_gone * math.cos(angle), way_gone * math.sin(angle)]
    assert [run["x"][-1], run["y"][-1]] == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize("seed", [*range(3), 217])
def test_random_carts_begin_to_roll_when_their_pull_passes_the_resistance(seed: int) -> None:
    check_pulled(random_cart(seed))


@pytest.mark.slow
@pytest.mark.parametrize("first", range(100, 300, 50))
def test_hundreds_of_random_carts_begin_to_roll_when_their_pull_passes_the_resistance(first: int) -> None:
    for seed in range(first, first + 50):
        check_pulled(random_cart(seed))


def test_a_cart_with_unequal_wheels_is_held_where_no_split_by_rows_alone_would_hold_it() -> None:
    # the rear wheel alone could not take its half of the pull, the front one takes the rest
    cart = dataclasses.replace(Cart(), rate=1.0)
    system = cart.system()
    run = detent.simulate(system, until=0.9 * cart.holds, **EXACT)
    assert named(run) == []
    assert (run["x"] == 0).all()


@pytest.mark.parametrize("tilt", [0.0, 0.3, 1.1])
@pytest.mark.parametrize("law", [detent.Coulomb(0.4, rolling=0.03), detent.Coulomb(0, rolling=0.03)])
def test_a_disk_that_a_constraint_holds_beside_a_wall_needs_no_force_of_the_wall(
    tilt: float, law: detent.Coulomb
) -> None:
    """What the wall presses is up to the constraint: that is forces that are not unique, and the wall's are zero."""
    system = detent.System("held disk")
    wall = system.ground.rotated("wall", tilt)
    joint = system.planar("disk", system.origin, wall)
    disk = system.body("disk", joint.point, joint.frame, 1, 0.05)
    system.gravity(-9.81 * system.ground.y)
    system.start(disk_x=-0.3, disk_y_rate=1.0, disk_angle_rate=3.0)
    system.contact("disk|wall", disk.circle(0.3), wall.line(along="y"), friction=law)
    system.constrain(detent.motion("held", system["disk_x_rate"]))
    run = detent.simulate(system, until=0.15)
    (told,) = run.events
    assert (told.time, told.kind) == (0.0, "shared")
    assert run.mode == "held, disk|wall: slip and turn"
    assert run.disk_angle_rate == pytest.approx(3.0, abs=1e-12)
    assert run.disk_y_rate == pytest.approx(1 - 9.81 * math.cos(tilt) * run.time, abs=1e-12)
    assert run.contacts["disk|wall"].normal == pytest.approx(0.0, abs=1e-12)
