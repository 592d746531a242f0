"""Live runs: what hands do, what changes under way, and that all of it can be done again to the same bits."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest
from sympy import sqrt

import detent
from detent.simulation.live import Live

PERIOD = 1e-3


def bead(mass: float = 1.0, stiffness: float = 200.0, damping: float = 2.0, spring: float = 0.0) -> tuple[Any, Any]:
    system = detent.System("bead")
    x = system.coordinates("x")
    anchored = system.parameters(spring=spring)
    body = system.particle("bead", system.origin.offset("bead", x * system.ground.x), mass=mass)
    system.spring("anchor", x, stiffness=anchored)
    return system, detent.couple("hand", body, stiffness=stiffness, damping=damping)


def simulated(model: Any, **options: Any) -> Live:
    return detent.Live(model, clock=detent.SimulatedClock(), **options)


# -- the same bits --------------------------------------------------------------------------------


def assert_replayed(live: Live) -> detent.Run:
    run = live.recording.replay()
    assert run.final.values.tobytes() == live.state.values.tobytes()
    assert run.final.time == live.time
    return run


@pytest.mark.parametrize("name", ["pendulum", "kneed-walker", "conveyor-pendulum", "disk-on-ramp-contact", "latch"])
def test_a_live_run_of_the_gallery_is_replayed_to_the_same_bits(name: str) -> None:
    example = detent.example(name)
    live = simulated(example.automaton or example.system)
    live.advance(2)
    run = assert_replayed(live)
    assert live.timing.counts.steps == 2000
    assert live.mode == run.mode


@pytest.mark.parametrize("e", [0.3, 0.5, 0.9])
def test_bounces_pile_up_at_the_time_of_their_series_and_little_of_it_is_cut_off(e: float) -> None:
    """From a height h they end after sqrt(2 h/g) (1 + e)/(1 - e); flights of 1e-4 of a period and less are left out."""
    system = detent.System("ball")
    y = system.coordinates(y=0.01)
    ball = system.particle("ball", system.origin.offset("ball", y * system.ground.y), mass=1)
    system.gravity(-9.81 * system.ground.y)
    system.contact("ball|floor", ball.point(), system.ground.line(), impact=detent.Poisson(e))
    live = simulated(system)
    live.advance(0.9)
    (rests,) = assert_replayed(live).events.of_kind("zeno")
    lost, series = rests.details["lost time"], (2 * 0.01 / 9.81) ** 0.5 * (1 + e) / (1 - e)
    assert 0.0 < lost <= 1e-4 * PERIOD / (1 - e)
    assert rests.details["accumulates at"] == pytest.approx(series, rel=64 * 2.3e-16)
    assert rests.time + lost == rests.details["accumulates at"]
    usual = detent.simulate(system, until=0.9).events.of_kind("zeno")[0]
    assert usual.details["lost time"] < 1e-3 * lost


def test_a_block_rocks_through_few_flights_in_the_period_in_which_it_comes_to_rest() -> None:
    """Housner's block: its flights shrink by 31/34, so that some thirty are left of those within a period, not 172."""
    live = simulated(detent.example("rocking-block").system)
    live.advance(10.5)
    times = [event.time for event in assert_replayed(live).events.of_kind("impact")]
    periods, counts = np.unique(np.floor(np.array(times) / PERIOD), return_counts=True)
    assert periods[counts.argmax()] == 10221
    assert 20 <= counts.max() <= 40
    intervals = np.diff(times)[-20:]
    np.testing.assert_allclose(intervals[1:] / intervals[:-1], 31 / 34, rtol=1e-4)


def test_what_hands_did_is_replayed_to_the_same_bits() -> None:
    system, coupler = bead(spring=30.0)
    live = simulated(system, couplers=[coupler])
    live.advance(0.1)
    live.grab(coupler)
    for number in range(10):
        live.move(coupler, (0.02 * number, 0.0, 0.0))
        live.advance(0.05)
    live.let_go(coupler)
    live.advance(0.2)
    run = assert_replayed(live)
    assert run.inputs["hand_grip"].max() == 1.0
    assert run.inputs["hand_x"].max() > 0.1
    assert run.audit.energy_balance < 1e-6


def test_constraints_and_parameters_that_change_under_way_are_replayed_to_the_same_bits() -> None:
    system = detent.System("bead on the plane")
    x, y = system.coordinates("x", "y")
    g = system.parameters(g=9.81)
    system.particle("bead", system.origin.offset("bead", x * system.ground.x + y * system.ground.y), mass=1)
    system.gravity(-g * system.ground.y)
    live = simulated(system, start={"x_rate": 1})
    live.advance(0.3)
    live.constrain("slide", y - live.state.y + (x - live.state.x) / 2)
    live.advance(0.3)
    live.set(g=1.6)
    live.advance(0.3)
    live.release("slide")
    live.advance(0.3)
    run = assert_replayed(live)
    assert [event.name for event in run.events] == ["constrain slide", "g = 1.6", "release slide"]
    assert run.audit.energy_balance < 1e-9


def test_a_fence_drawn_under_way_is_ridden_from_the_next_contact_on_and_replayed() -> None:
    system = detent.System("disk over a fence")
    x, y = system.coordinates(x=0, y=1)
    turn = system.coordinates("turn")
    center = system.origin.offset("center", x * system.ground.x + y * system.ground.y)
    disk = system.body("disk", center, system.ground.rotated("disk", turn), 1, 0.005)
    system.gravity(-9.81 * system.ground.y)
    live = simulated(system)
    live.advance(0.1)
    fence = system.ground.track((-1, 0.5), (0, 0.2), (1, 0.0), (2, 0.1), (3, 0.5))
    live.contact("disk|fence", disk.circle(0.1), fence, impact=detent.Plastic())
    live.advance(1.0)
    run = assert_replayed(live)
    assert "disk|fence" in live.mode
    assert min(abs(run.gaps[place][-1]) for place in run.gaps) < 1e-9
    assert live.timing.counts.steps == 1100


# -- hands ----------------------------------------------------------------------------------------


def test_the_point_comes_to_where_the_hand_holds_it_and_the_force_balances_the_spring() -> None:
    system, coupler = bead(stiffness=170.0, damping=20.0, spring=30.0)
    live = simulated(system, couplers=[coupler])
    live.grab(coupler, (0.1, 0, 0))
    live.advance(5)
    at = 170.0 * 0.1 / 200.0  # springs in series
    assert live.state.x == pytest.approx(at, abs=1e-9)
    assert live.force(coupler) == pytest.approx([-30.0 * at, 0.0, 0.0], abs=1e-7)


def test_a_hand_that_has_let_go_feels_nothing_and_the_bead_goes_on() -> None:
    system, coupler = bead()
    live = simulated(system, couplers=[coupler])
    live.grab(coupler, (0.1, 0, 0))
    live.advance(0.05)
    live.let_go(coupler)
    live.advance(PERIOD)
    speed = live.state.x_rate
    assert speed > 0
    live.advance(1)
    assert live.state.x_rate == speed
    assert live.force(coupler).tolist() == [0.0, 0.0, 0.0]


def test_seldom_words_of_a_hand_are_held_and_filtered_to_first_order() -> None:
    system, coupler = bead()
    live = simulated(system, couplers=[coupler], filter=0.05)
    live.grab(coupler, (0, 0, 0))
    live.advance(PERIOD)
    live.move(coupler, (1.0, 0, 0))
    live.advance(0.1)
    run = live.recording.replay()
    hand = np.unique(run.inputs["hand_x"])
    expected = 1 - np.exp(-PERIOD / 0.05 * np.arange(101))  # of a step, sampled: e^(-t/0.05) exactly
    assert hand == pytest.approx(expected, abs=1e-12)


def test_a_hand_takes_hold_of_a_walker_under_way() -> None:
    example = detent.example("kneed-walker")
    hip = next(iter(example.system.points.values()))
    coupler = detent.couple("hand", hip, stiffness=50, damping=1)
    live = simulated(example.automaton, couplers=[coupler])
    live.advance(0.2)
    live.grab(coupler)
    live.advance(0.3)
    assert_replayed(live)


# -- passivity ------------------------------------------------------------------------------------


def least_put_in(stiffness: float, damping: float, device_damping: float, mass: float, seed: int) -> float:
    """The least that an arm has ever put into a device that holds a bead at rest, J."""
    system, coupler = bead(mass=mass, stiffness=stiffness, damping=damping)
    hand = detent.SimulatedHand(PERIOD, device_damping=device_damping, device_mass=0.05)
    live = simulated(system, couplers=[coupler], hands={"hand": hand})
    wishes, least = np.random.default_rng(seed).normal(size=40), 0.0
    for wish in wishes:
        hand.wanted = 0.05 * wish
        for _ in range(25):
            live.advance(PERIOD)
            least = min(least, hand.put_in)
    return least


@pytest.mark.parametrize("mass", [0.2, 1.0, 1e4])
@pytest.mark.parametrize(("stiffness", "damping"), [(1000.0, 0.5), (3000.0, 1.0), (200.0, 2.0)])
def test_an_arm_never_gets_more_out_of_a_passive_device_than_it_put_in(
    stiffness: float, damping: float, mass: float
) -> None:
    device = 1.001 * detent.least_damping(stiffness, damping, PERIOD)
    assert least_put_in(stiffness, damping, device, mass, seed=1) > -1e-12


def test_a_stiff_wall_on_a_device_with_too_little_damping_gives_energy_away() -> None:
    """Without the check: a held spring gives T/2 too late, and a light arm hardly damps it."""
    stiffness, period, mass, damping = 20000.0, PERIOD, 0.1, 0.5
    hand = detent.SimulatedHand(
        period, mass=0.02, arm_damping=0.1, stiffness=1.0, device_mass=mass, device_damping=damping
    )
    hand.velocity = 0.1
    assert damping < detent.least_damping(stiffness, 0.0, period)
    for _ in range(500):
        hand.feel([-stiffness * hand.position()[0], 0.0, 0.0])
    assert hand.put_in < -mass * 0.1**2 / 2  # more than what the device itself had at first


def test_the_bound_on_damping_is_that_of_colgate_and_schenkel_at_every_frequency() -> None:
    angle = np.linspace(1e-4, np.pi, 20001)
    for stiffness, damping, delay in [(1000.0, 2.0, 0), (500.0, -1.0, 0), (800.0, 3.0, 2), (0.0, 4.0, 1)]:
        z = np.exp(1j * angle)
        impedance = (stiffness + damping * (z - 1) / (PERIOD * z)) * z**-delay
        needed = PERIOD / 2 / (1 - np.cos(angle)) * np.real((1 - 1 / z) * impedance)
        bound = detent.least_damping(stiffness, damping, PERIOD, delay * PERIOD)
        assert needed.max() <= bound * (1 + 1e-6)
        if delay == 0 and damping >= 0:
            assert needed.max() == pytest.approx(bound, rel=1e-6)


# -- threads --------------------------------------------------------------------------------------


def wait_for(live: Live, steps: int) -> None:
    while live.is_running and live.timing.counts.steps < steps:
        time.sleep(0.001)


def test_a_run_in_a_thread_of_its_own_is_steered_from_another_and_replayed_to_the_same_bits() -> None:
    system = detent.System("bead on the plane")
    x, y = system.coordinates("x", "y")
    body = system.particle("bead", system.origin.offset("bead", x * system.ground.x + y * system.ground.y), mass=1)
    coupler = detent.couple("hand", body, damping=10)
    live = detent.Live(system, couplers=[coupler])
    live.start(beside_idle=True)
    wait_for(live, 5)
    live.grab(coupler)
    live.move(coupler, (0.3, 0.1, 0.0))
    live.latch("line", y)
    wait_for(live, live.timing.counts.steps + 20)
    live.set(hand_stiffness=50)
    live.release("line")
    wait_for(live, live.timing.counts.steps + 20)
    live.stop()
    assert live.timing.idle_missed is not None
    assert_replayed(live)
    live.advance(0.01)
    assert_replayed(live)


def test_a_live_run_that_cannot_go_on_says_so_when_it_is_stopped() -> None:
    system = detent.System("leaves the domain of its potential")
    x = system.coordinates(x=0.01)
    system.particle("bead", system.origin.offset("bead", x * system.ground.x), mass=1)
    system.potential("pull", sqrt(x))
    live = detent.Live(system)
    live.start()
    while live.is_running:
        time.sleep(0.001)
    with pytest.raises(detent.SimulationError, match="could not go on"):
        live.stop()


def test_a_hand_holds_a_body_on_a_floor() -> None:
    """A hand pushes a block down: the floor bears weight and push; the coupler's damper is a velocity in a force."""
    system = detent.System("block")
    x, y = system.coordinates(x=0, y=0.05)
    ground = system.ground
    block = system.particle("block", system.origin.offset("block", x * ground.x + y * ground.y), mass=2)
    system.gravity(-9.81 * ground.y)
    floor = system.contact("block|floor", block.circle(0.05), ground.line(), friction=detent.Coulomb(0.5))
    hand = detent.couple("hand", block, stiffness=100, damping=5)
    live = detent.Live(system, couplers=[hand], clock=detent.SimulatedClock())
    live.grab(hand)
    live.move(hand, (0, -0.05, 0))
    live.advance(1.5)
    assert live.force(hand)[1] == pytest.approx(100 * 0.1, rel=1e-9)  # the floor holds it 0.1 m above the hand
    run = live.recording.replay()
    assert run.final.values.tobytes() == live.state.values.tobytes()
    assert run.value(floor.normal_force())[-1] == pytest.approx(2 * 9.81 + 10, rel=1e-9)


def test_a_flight_within_a_step_takes_no_more_evaluations_than_one_across_steps() -> None:
    """What an impact throws open moves at once: it needs no search for where it leaves what it was held to."""
    live = simulated(detent.example("rocking-block").system)
    counters = live._paced.context.solver._memory.counters
    live.advance(10.221)
    before = int(counters["evaluations"][0])
    live.advance(0.001)
    # A bounce is a trial of four, two or three places near its end, and the rate after it: at most 16 before this.
    assert int(counters["evaluations"][0]) - before <= 16 * 60


@pytest.mark.parametrize("steps", [1, 7, 2000])
def test_who_looks_between_two_steps_does_not_matter_where_forces_are_shared(steps: int) -> None:
    """A ball rolls in a groove: its forces are not unique, and the kernel now and then chooses other dependent speeds.

    Calls that end where it has just found that it must are no reason to choose otherwise than a kernel that goes on.
    """
    system = detent.example("v-groove").system
    coupler = detent.couple("hand", system.bodies["ball"], stiffness=400, damping=28)
    live = detent.Live(system, couplers=[coupler], clock=detent.SimulatedClock())

    def advance(count: int) -> None:
        for first in range(0, count, steps):
            live.advance(0.001 * min(steps, count - first))

    advance(1400)
    place = [live.state[name] for name in ("ball_x", "ball_y", "ball_z")]
    live.grab(coupler)
    advance(400)
    live.move(coupler, [each + 0.05 for each in place])
    advance(600)
    live.let_go(coupler)
    advance(1000)
    assert live.recording.replay().final.values.tobytes() == live.state.values.tobytes()


def test_a_run_stands_where_it_did_when_a_contact_comes_under_way() -> None:
    system = detent.System("disk")
    x, y, turn = system.coordinates(x=0, y=1, turn=0)
    center = system.origin.offset("center", x * system.ground.x + y * system.ground.y)
    disk = system.body("disk", center, system.ground.rotated("disk", turn), 1, 0.005)
    system.gravity(-9.81 * system.ground.y)
    live = detent.Live(system, clock=detent.SimulatedClock())
    live.advance(0.1)
    before = live.time, live.state.y, live.state.y_rate
    live.contact("disk|fence", disk.circle(0.1), system.ground.track((-1, 0.5), (1, 0)), impact=detent.Plastic())
    assert (live.time, live.state.y, live.state.y_rate) == before


@pytest.mark.parametrize("pieces", [(0.9,), (0.001, 0.899), (0.1,) * 9])
def test_a_contact_that_comes_under_way_holds_for_as_long_as_it_does(pieces: tuple[float, ...]) -> None:
    """The disk falls onto a track whose end it slides over: all of it by modes that nobody had built before."""
    system = detent.System("disk over a track")
    x, y, turn = system.coordinates(x=0, y=1, turn=0)
    center = system.origin.offset("center", x * system.ground.x + y * system.ground.y)
    disk = system.body("disk", center, system.ground.rotated("disk", turn), 1, 0.005)
    system.gravity(-9.81 * system.ground.y)
    live = simulated(system)
    live.advance(0.1)
    track = system.ground.track((-1, 0.5), (1, 0))
    live.contact("disk|track", disk.circle(0.1), track, impact=detent.Plastic())
    for piece in pieces:
        live.advance(piece)
    assert live.timing.counts.steps == 1000
    assert live.mode == "disk|track piece 1: slip"
    along, gap = np.array([2.0, -0.5]) / np.sqrt(4.25), (0.5 * (live.state.x + 1) + 2 * (live.state.y - 0.5))
    assert gap / np.sqrt(4.25) - 0.1 == pytest.approx(0, abs=1e-14)
    speed = along @ (live.state.x_rate, live.state.y_rate)  # it strikes with g t, and keeps what is along
    assert speed == pytest.approx(9.81 * live.time * 0.5 / np.sqrt(4.25), rel=1e-12)
    live.advance(0.5)
    assert live.mode == "free"
    assert live.state.x > 1.0
    assert_replayed(live)
