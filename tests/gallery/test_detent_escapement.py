"""The detent escapement against its closed form: every mode is linear, so only the roots are found numerically."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest
from scipy.optimize import brentq, fsolve

import detent
from tests.physics.bounds import accumulated

ORDER = (
    "detent lifts", "wheel drops", "detent let go, wheel dropping", "wheel drives, detent returning",
    "detent banks, wheel driving", "wheel leaves, detent banked", "wheel locks, detent banked",
)  # fmt: skip
"""The events of a swing to and fro, for the example's own dimensions."""

Course = Callable[[float], tuple[float, float]]
"""The value and the rate of an angle at a time from now."""


def happened(run: detent.Run) -> list[detent.Event]:
    """The events that are no remarks: when the detent is back, the balance is past the place where it lifts."""
    return [event for event in run.events if event.kind != "remark"]


@dataclass(frozen=True)
class Escapement:
    """The example's own dimensions, as numbers."""

    inertia: float = 7e-3 * 0.013**2
    frequency: float = 2 * math.pi / 0.5
    quality: float = 300.0
    torque: float = 1.2e-4
    wheel_inertia: float = 3e-4 * 0.007**2 / 2
    lead: float = 0.00315 / 0.007
    detent_inertia: float = 6e-5 * 0.012**2 / 3
    lift: float = 0.0018 / 0.012
    detent_stiffness: float = 4e-4
    preload: float = 0.05
    unlock: float = -0.45
    let_go: float = -0.15
    leave: float = 0.4
    depth: float = 0.02
    pallet: float = 0.2
    pitch: float = 2 * math.pi / 15

    @property
    def stiffness(self) -> float:
        return self.inertia * self.frequency**2

    @property
    def damping(self) -> float:
        return self.inertia * self.frequency / self.quality

    def swing(self, angle: float, rate: float) -> Course:
        """The balance alone."""
        return oscillation(self.inertia, self.damping, self.stiffness, 0.0, angle, rate)

    def lifting(self, angle: float, rate: float) -> Course:
        """The balance with the detent on it."""
        inertia = self.inertia + self.lift**2 * self.detent_inertia
        stiffness = self.stiffness + self.lift**2 * self.detent_stiffness
        held = self.lift * self.detent_stiffness * (self.lift * self.unlock - self.preload)
        return oscillation(inertia, self.damping, stiffness, held / stiffness, angle, rate)

    def driven(self, angle: float, rate: float) -> Course:
        """The balance with a tooth of the wheel on it."""
        inertia = self.inertia + self.lead**2 * self.wheel_inertia
        return oscillation(inertia, self.damping, self.stiffness, self.lead * self.torque / self.stiffness, angle, rate)

    def returning(self, angle: float, rate: float) -> Course:
        """The detent alone."""
        return oscillation(self.detent_inertia, 0.0, self.detent_stiffness, -self.preload, angle, rate)

    def cycle(self, angle: float, rate: float) -> tuple[list[float], float, float]:
        """From any state of the free balance to the next lock: the times of the events, and the balance then."""
        free = self.swing(angle, rate)
        lifts = first(lambda t: free(t)[0] - self.unlock, 1e-3)
        angle, rate = free(lifts)
        kept = self.inertia / (self.inertia + self.lift**2 * self.detent_inertia)  # the detent is struck
        lifting = self.lifting(angle, rate * kept)
        drops = lifts + first(lambda t: lifting(t)[0] - self.unlock - self.depth / self.lift, 1e-5)
        lets_go = lifts + first(lambda t: lifting(t)[0] - self.let_go, 1e-5)
        angle, rate = lifting(lets_go - lifts)
        detent = self.returning(self.lift * (angle - self.unlock), self.lift * rate)
        banks = lets_go + first(lambda t: -detent(t)[0], 1e-5)
        free, faster = self.swing(angle, rate), self.torque / self.wheel_inertia
        gap = first(lambda t: faster * (t + lets_go - drops) ** 2 / 2 - self.pallet - self.lead * free(t)[0], 1e-5)
        drives, (angle, rate) = lets_go + gap, free(gap)
        wheel_part = self.lead * self.wheel_inertia
        rate += wheel_part * (faster * (drives - drops) - self.lead * rate) / (self.inertia + self.lead * wheel_part)
        driven = self.driven(angle, rate)
        leaves = drives + first(lambda t: driven(t)[0] - self.leave, 1e-5)
        angle, rate = driven(leaves - drives)
        left, wheel_rate = self.pitch - self.pallet - self.lead * angle, self.lead * rate
        locks = leaves + (math.sqrt(wheel_rate**2 + 2 * faster * left) - wheel_rate) / faster
        return [lifts, drops, lets_go, drives, banks, leaves, locks], *self.swing(angle, rate)(locks - leaves)


def oscillation(inertia: float, damping: float, stiffness: float, middle: float, angle: float, rate: float) -> Course:
    """inertia x'' + damping x' + stiffness (x - middle) = 0."""
    decay = damping / (2 * inertia)
    frequency = math.sqrt(stiffness / inertia - decay**2)
    away = angle - middle

    def course(t: float) -> tuple[float, float]:
        fading, cosine, sine = math.exp(-decay * t), math.cos(frequency * t), math.sin(frequency * t) / frequency
        value = middle + fading * (away * cosine + (rate + decay * away) * sine)
        return value, fading * (rate * cosine - (stiffness / inertia * away + decay * rate) * sine)

    return course


def first(gap: Callable[[float], float], stride: float) -> float:
    """When a gap first rises through zero; no gap here rises and falls again within a stride."""
    t = 0.0
    while not gap(t) < 0 <= gap(t + stride):
        t += stride
        assert t < 1.0
    return float(brentq(gap, t, t + stride, xtol=1e-16, rtol=1e-14))


@pytest.fixture(scope="module")
def example() -> detent.Example:
    return detent.example("detent-escapement")


@pytest.fixture(scope="module")
def steady() -> tuple[float, float, float]:
    """Angle and rate of the balance at the lock of the limit cycle, and its period."""
    escapement = Escapement()
    found = fsolve(lambda lock: np.array(escapement.cycle(*lock)[1:]) - lock, [0.46, 51.7], xtol=1e-13)
    angle, rate = map(float, found)
    return angle, rate, escapement.cycle(angle, rate)[0][-1]


@pytest.mark.parametrize("embedding", ["symbolic", "numeric", "live"])
def test_every_event_comes_when_the_closed_form_says(example: detent.Example, embedding: str) -> None:
    run = example.simulate(rtol=1e-11, embedding=embedding)
    escapement, angle, rate, began = Escapement(), -4.0, 0.0, 0.0
    expected: list[float] = []
    for _ in range(10):
        times, angle, rate = escapement.cycle(angle, rate)
        expected += [began + time for time in times]
        began += times[-1]
    assert [event.name for event in happened(run)] == list(ORDER) * 10
    # A relative error of the state shifts an event by that part of the swing, amplitude over rate.
    shift = accumulated(run) / escapement.frequency
    np.testing.assert_allclose([event.time for event in happened(run)], expected, rtol=0, atol=shift)


def test_the_limit_cycle_repeats(example: detent.Example, steady: tuple[float, float, float]) -> None:
    angle, rate, period = steady
    run = example.simulate(until=10.1 * period, start={"balance": angle, "balance_rate": rate}, rtol=1e-12)
    locks = [event.time for event in happened(run) if event.name.startswith("wheel locks")]
    np.testing.assert_allclose(np.diff([0.0, *locks]), period, rtol=0, atol=accumulated(run))
    last = int(np.flatnonzero(run.t == locks[-1])[-1])
    amplitude = math.hypot(angle, rate / Escapement().frequency)
    assert math.hypot(run.balance[last] - angle, run.balance_rate[last] - rate) < amplitude * accumulated(run)
    # What the example says of itself; a day is 86400 s by a balance of 0.5 s.
    assert amplitude == pytest.approx(4.14, abs=0.005)
    assert period == pytest.approx(0.500023672, abs=1e-9)
    assert 86400 * (period / 0.5 - 1) == pytest.approx(4.1, abs=0.05)


def test_in_steady_going_the_train_pays_for_air_and_impacts(
    example: detent.Example, steady: tuple[float, float, float]
) -> None:
    angle, rate, period = steady
    run = example.simulate(until=1.02 * period, start={"balance": angle, "balance_rate": rate}, rtol=1e-12)
    escapement, end = Escapement(), int(np.flatnonzero(run.t == happened(run)[6].time)[-1])
    given = escapement.torque * escapement.pitch
    assert run.energy[end] - run.energy[0] == pytest.approx(0, abs=1e-8 * given)
    # Beginning with the energy E the air takes E (1 - exp(-2 pi/quality)) from a free swing. The balance is free but
    # for 18 of 500 ms, in which its speed is highest, and then its energy is another by 2 pi/quality at most.
    air = given + sum(event.details["energy"] for event in happened(run) if event.kind == "impact")
    energy = (escapement.stiffness * angle**2 + escapement.inertia * rate**2) / 2
    fading = 2 * math.pi / escapement.quality
    assert air == pytest.approx(energy * -math.expm1(-fading), rel=2 * 0.018 / 0.5 * fading)


def test_the_wheel_moves_one_tooth_for_each_swing_to_and_fro(example: detent.Example) -> None:
    run = example.simulate(until=10, rtol=1e-9)
    assert run.final.wheel == pytest.approx(20 * 2 * math.pi / 15, abs=1e-9)
    lifts = [event.time for event in happened(run) if event.name == "detent lifts"]
    assert len(lifts) == 20
    for time in lifts:
        assert run.balance_rate[np.flatnonzero(run.t == time)[0]] > 0


def test_the_free_swing_is_that_of_the_balance_alone(example: detent.Example) -> None:
    run = example.simulate(until=1.2, rtol=1e-12)
    lock, lift = happened(run)[6], happened(run)[7]
    assert (lock.name, lift.name) == (ORDER[6], ORDER[0])
    place = int(np.flatnonzero(run.t == lock.time)[-1])
    swing = Escapement().swing(run.balance[place], run.balance_rate[place])
    assert swing(lift.time - lock.time)[0] == pytest.approx(-0.45, abs=4 * accumulated(run))


def test_every_contact_only_pushes(example: detent.Example) -> None:
    run = example.simulate(until=2, rtol=1e-9)
    for name in ("lock", "banking", "discharge", "drive"):
        assert np.nanmin(run.reactions[name]) > 0
    # Locked, the detent bears the whole torque; banked, the preload of its spring.
    assert np.nanmax(run.reactions["lock"]) == pytest.approx(1.2e-4, rel=1e-12)
    assert np.nanmax(run.reactions["banking"]) == pytest.approx(4e-4 * 0.05, rel=1e-12)


def test_a_chronometer_does_not_start_by_itself(example: detent.Example) -> None:
    run = example.simulate(until=3, start={"balance": -0.44})
    assert len(happened(run)) == 0
    assert run.final.wheel == 0


def test_a_balance_that_turns_back_gives_the_detent_back(example: detent.Example) -> None:
    # A detent a hundred times stiffer: the balance cannot lift it clear of the tooth.
    stiff = {"detent_stiffness": 0.04}
    run = example.simulate(until=0.1, start={"balance": -0.5}, parameters=stiff, rtol=1e-10)
    assert [event.name for event in happened(run)][:2] == ["detent lifts", "detent falls back, wheel locked"]
    assert run.final.wheel == 0
    assert run.audit.energy_balance < 1e-8


def test_a_detent_that_comes_late_lets_teeth_pass(example: detent.Example) -> None:
    # A spring a hundred times weaker: the detent is still away when the next tooth comes.
    run = example.simulate(until=0.2, parameters={"detent_stiffness": 4e-6}, rtol=1e-9)
    assert any(event.name == "wheel trips, detent returning" for event in happened(run))
    assert run.final.wheel > 2 * math.pi / 15
