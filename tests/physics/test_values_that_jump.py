"""Values that are changed from outside: friction pushes what a jump has made slip; nothing drags it along at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import detent

G = 9.81


@dataclass(frozen=True)
class Ride:
    """A block on a belt whose speed jumps; its slip falls at mu g, the same in each interval."""

    friction: float
    start: float
    times: tuple[float, ...]
    speeds: tuple[float, ...]
    until: float

    def followed(self) -> tuple[float, float, list[float]]:
        """Where the block is at the end, how fast, and when it began to be carried, in closed form."""
        place, speed, carried = 0.0, self.start, []
        for begins, ends, belt in zip(self.times, (*self.times[1:], self.until), self.speeds, strict=True):
            slip, pull, lasts = speed - belt, self.friction * G, ends - begins
            brakes = min(lasts, abs(slip) / pull)
            if 0 < brakes < lasts:
                carried.append(begins + brakes)
            gained = -np.sign(slip) * pull
            place += speed * brakes + gained * brakes**2 / 2 + belt * (lasts - brakes)
            speed = belt if brakes < lasts else speed + gained * brakes
        return place, speed, carried


def random_ride(seed: int) -> Ride:
    random = np.random.default_rng([seed, 4711])
    times = np.concatenate([[0.0], np.cumsum(random.uniform(0.1, 0.8, 4))])
    speeds = random.normal(0, 1, 5)
    start = speeds[0] if random.random() < 0.5 else random.normal(0, 1)
    return Ride(
        float(random.uniform(0.05, 0.6)), float(start), tuple(times.tolist()), tuple(speeds.tolist()),
        float(times[-1] + random.uniform(0.1, 1)),
    )  # fmt: skip


def rider(space: bool, friction: float, moving: Callable[[detent.System], Any]) -> detent.System:
    """A particle on a belt, in the plane or in space."""
    system = detent.System("ride")
    x, y, z = system.coordinates("x", "y", "z")
    ground = system.ground
    up, aside = (ground.z, ground.y) if space else (ground.y, ground.z)
    if space:
        place = system.origin.offset("block", x * ground.x + y * ground.y + z * ground.z)
    else:
        place = system.origin.offset("block", x * ground.x + y * ground.y)
        system.particle("idle", system.origin.offset("idle", z * aside), 1)
    block = system.particle("block", place, 2)
    system.gravity(-G * up)
    belt = ground.plane(moving=(moving(system), 0)) if space else ground.line(moving=moving(system))
    system.contact("block|belt", block.point(), belt, friction=detent.Coulomb(friction))
    return system


def by_held_input(ride: Ride, space: bool) -> detent.Run:
    held = detent.Held(list(ride.times), list(ride.speeds))
    system = rider(space, ride.friction, lambda system: system.input("belt", held))
    return detent.simulate(system, until=ride.until, start={"x_rate": ride.start})


def by_parameter(ride: Ride, space: bool) -> detent.Run:
    system = rider(space, ride.friction, lambda system: system.parameters(belt=ride.speeds[0]))
    simulation = detent.Simulation(system, start={"x_rate": ride.start})
    for time, speed in zip(ride.times[1:], ride.speeds[1:], strict=True):
        simulation.advance(time)
        simulation.set(belt=speed)
    simulation.advance(ride.until)
    return simulation.result()


def by_transition(ride: Ride, space: bool) -> detent.Run:
    system = rider(space, ride.friction, lambda system: system.discrete("belt", ride.speeds[0]))
    automaton = detent.Automaton(system)
    modes = [automaton.mode(f"belt {number}") for number in range(len(ride.times))]
    for number, (time, speed) in enumerate(zip(ride.times[1:], ride.speeds[1:], strict=True)):
        automaton.transition(
            f"jump {number}", modes[number], modes[number + 1], when=system.time >= time, reset={system["belt"]: speed}
        )
    return detent.simulate(automaton, until=ride.until, start={"x_rate": ride.start})


def check(seed: int, jump: Callable[[Ride, bool], detent.Run], space: bool) -> None:
    ride = random_ride(seed)
    run = jump(ride, space)
    place, speed, carried = ride.followed()
    size = 1 + max(abs(each) for each in ride.speeds) * ride.until
    assert run.final.x == pytest.approx(place, abs=1e-9 * size), seed
    assert run.final.x_rate == pytest.approx(speed, abs=1e-9 * size), seed
    found = [event.time for event in run.events if event.name == "block|belt: slip -> stick"]
    assert found == pytest.approx(carried, abs=1e-10), seed
    contact = run.contacts["block|belt"]
    power = (contact.friction * contact.slip).reshape(len(run.time), -1).sum(axis=1)
    pull, known = ride.friction * G, 64 * np.finfo(float).eps * ride.until  # how well an instant is known
    assert power.max() <= 2 * (2 * pull) * (pull * known), seed
    assert run.audit.energy_balance < 1e-12, seed
    assert run.audit.velocity_residual < 1e-12, seed


WAYS = [by_held_input, by_parameter, by_transition]


@pytest.mark.parametrize("space", [False, True])
@pytest.mark.parametrize("jump", WAYS)
@pytest.mark.parametrize("seed", range(3))
def test_a_block_on_a_belt_whose_speed_jumps_is_pushed_by_friction_alone(
    seed: int, jump: Callable[[Ride, bool], detent.Run], space: bool
) -> None:
    check(seed, jump, space)


@pytest.mark.slow
@pytest.mark.parametrize("space", [False, True])
@pytest.mark.parametrize("jump", WAYS)
def test_hundreds_of_blocks_on_belts_whose_speed_jumps(jump: Callable[[Ride, bool], detent.Run], space: bool) -> None:
    for seed in range(100, 300):
        check(seed, jump, space)


@pytest.mark.parametrize("rule", [detent.Held([0, 9], [0.5, 0.5]), detent.Sampled(0.1, lambda time, state: 0.5)])
def test_laws_by_held_and_sampled_inputs_count_at_the_start(rule: Any) -> None:
    system = detent.System("drop")
    height = system.coordinates("height")
    ball = system.particle("ball", system.origin.offset("ball", height * system.ground.y), 1)
    system.gravity(-G * system.ground.y)
    restitution = system.input("restitution", rule)
    system.contact("ball|floor", ball.point(), system.ground.line(), impact=detent.Poisson(restitution))
    run = detent.simulate(system, until=0.01, start={"height_rate": -1})
    assert run.events[0].name == "at the start, ball|floor: bounce"
    assert run.height_rate[0] == pytest.approx(0.5, abs=1e-15)


def tilted(**values: float) -> detent.Simulation:
    """A crate on a floor that can be tilted and moved, after half a second."""
    system = detent.System("crate")
    tilt, friction, floor = system.parameters(tilt=0.3, friction=0.5, floor=0)
    frame = system.ground.rotated("slope", -tilt)
    joint = system.planar("crate", system.origin, frame)
    crate = system.body("crate", joint.point, joint.frame, mass=1, inertia=0.05)
    system.gravity(-G * system.ground.y)
    system.start(crate_y=0.1)
    corners = crate.polygon((-0.2, -0.1), (0.2, -0.1), (0.2, 0.1), (-0.2, 0.1))
    ground = frame.line(at=system.origin.offset("floor", floor * frame.y))
    system.contact("crate|floor", corners, ground, friction=detent.Coulomb(friction))
    simulation = detent.Simulation(system)
    simulation.advance(0.5)
    simulation.set(**values)
    return simulation


@pytest.mark.parametrize(("values", "pull"), [
    ({"friction": 0.1}, np.sin(0.3) - 0.1 * np.cos(0.3)),
    ({"tilt": 0.6}, np.sin(0.6) - 0.5 * np.cos(0.6)),
    ({"friction": 0.4}, 0.0),
])  # fmt: skip
def test_a_crate_slides_where_a_slope_or_its_friction_is_changed(values: dict[str, float], pull: float) -> None:
    simulation = tilted(**values)
    simulation.advance(1.5)
    run = simulation.result()
    assert run.final.crate_x == pytest.approx(G * pull / 2, abs=1e-12)
    assert len(run.events.of_kind("transition")) == (1 if pull else 0)


def test_a_crate_falls_where_the_floor_is_gone_and_one_that_is_in_it_is_told() -> None:
    simulation = tilted(tilt=0, floor=-0.05)
    simulation.advance(1)
    (lands,) = simulation.events.of_kind("impact")
    assert lands.time == pytest.approx(0.5 + np.sqrt(2 * 0.05 / G), abs=1e-10)
    risen = tilted(floor=0.02)
    with pytest.raises(detent.SimulationError, match=r"crate\|floor corner 1.*its shapes overlap by 0\.02 m"):
        risen.advance(1)
