"""Sticking that ends where nothing pulls yet: what holds is just used up, and the acceleration begins at zero.

Static and kinetic friction alike, a clutch that lets go, a pawl that lifts off its tooth: at that instant position,
speed and acceleration relative to what held are all zero, and only the next derivative tells where the motion goes.
Every answer is a closed form, or SciPy's integrator between closed forms.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
import sympy
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import detent
from tests.unit.hybrid.models import EXACT, taken

GRAVITY = 9.81
CLOSE = 1e-9
"""A thousand steps, each off by the whole of the tolerance 1e-12."""


def assert_events(run: detent.Run, expected: list[tuple[str, float]], tolerance: float = CLOSE) -> None:
    assert [name for name, _ in taken(run)] == [name for name, _ in expected]
    np.testing.assert_allclose([t for _, t in taken(run)], [t for _, t in expected], rtol=0, atol=tolerance)


def first_zero(function: Callable[[float], float], after: float, until: float) -> float | None:
    """The first zero after a time at which the function itself may be zero; it is looked for in 4000 places."""
    times = np.linspace(after, until, 4001)[1:]
    values = [function(float(t)) for t in times]
    for a, b, left, right in zip(times, times[1:], values, values[1:], strict=False):
        if left * right < 0:
            return float(brentq(function, a, b, xtol=1e-15))
    return None


# -- a block that begins to slide ------------------------------------------------------------------------


@dataclass(frozen=True)
class Block:
    """A block on a level floor under a load; friction holds it up to mu N and brakes it with mu N."""

    mass: float
    mu: float
    load: Callable[[Any], Any]
    """Of the time, N."""
    says_where: bool = False
    """Whether the sliding mode requires that it slides the way it says."""

    @property
    def grip(self) -> float:
        return self.mu * self.mass * GRAVITY

    def run(self, until: float, **settings: Any) -> detent.Run:
        return detent.simulate(self.automaton(), until, **(EXACT | settings))

    def automaton(self) -> detent.Automaton:
        system = detent.System("block")
        x, lift = system.coordinates("x", "lift")
        place = system.origin.offset("block", x * system.ground.x + lift * system.ground.y)
        block = system.particle("block", place, mass=self.mass)
        system.gravity(-GRAVITY * system.ground.y)
        system.force("load", block, self.load(system.time) * system.ground.x)
        system.constrain(detent.holonomic("floor", lift), active=False)
        system.constrain(detent.motion("hold", x.rate), active=False)
        normal, needed = system.reaction("floor"), system.reaction("hold")
        side = system.discrete("side", 1)
        system.force("friction", block, -self.mu * side * normal * system.ground.x, active=False)
        automaton = detent.Automaton(system)
        where = side * x.rate >= 0 if self.says_where else None
        sticks = automaton.mode("sticks", ["floor", "hold"])
        slides = automaton.mode("slides", ["floor"], loads=["friction"], where=where)
        automaton.transition("slips forward", sticks, slides, when=needed <= -self.mu * normal, reset={side: 1})
        automaton.transition("slips back", sticks, slides, when=needed >= self.mu * normal, reset={side: -1})
        within = [needed <= self.mu * normal, needed >= -self.mu * normal]
        automaton.transition("grips", slides, sticks, when=side * x.rate <= 0, condition_after=within)
        automaton.transition("turns", slides, slides, when=side * x.rate <= 0, reset={side: -side})
        return automaton


@pytest.mark.parametrize("says_where", [False, True])
@pytest.mark.parametrize(("mass", "mu", "rise"), [(1, 0.5, 2.0), (3.0, 0.1, 0.7), (0.2, 0.9, 5.0), (10, 0.31, 17.3)])
@pytest.mark.parametrize("method", ["dop853", pytest.param("dopri5", marks=pytest.mark.slow)])
def test_a_block_begins_to_slide_where_a_growing_load_reaches_its_friction(
    mass: float, mu: float, rise: float, says_where: bool, method: str
) -> None:
    """F = k t: it slips at mu m g/k and moves by k (t - t0)^3/(6 m) from there."""
    block = Block(mass, mu, lambda t: rise * t, says_where)
    slips = block.grip / rise
    run = block.run(slips + 2, method=method)
    assert_events(run, [("slips forward", slips)])
    assert run.final.x == pytest.approx(rise * 2**3 / (6 * mass), rel=CLOSE)
    assert run.final.x_rate == pytest.approx(rise * 2**2 / (2 * mass), rel=CLOSE)


@pytest.mark.parametrize("power", [2, 3, 4])
def test_a_block_begins_to_slide_however_the_load_came_there(power: int) -> None:
    """F = t^n at t0 = (mu m g)^(1/n), then m x' = (t^(n+1) - t0^(n+1))/(n + 1) - mu m g (t - t0)."""
    block = Block(1.0, 0.4, lambda t: t**power)
    slips, until = block.grip ** (1 / power), block.grip ** (1 / power) + 1
    run = block.run(until)
    assert_events(run, [("slips forward", slips)])
    speed = (until ** (power + 1) - slips ** (power + 1)) / (power + 1) - block.grip * (until - slips)
    assert run.final.x_rate == pytest.approx(speed, rel=CLOSE)


@pytest.mark.parametrize("says_where", [False, True])
@pytest.mark.parametrize("excess", [1.02, 1.1, 1.3, 1.5])
def test_a_block_sticks_and_slips_to_and_fro_under_a_load_that_waves(excess: float, says_where: bool) -> None:
    """F = A sin(w t), A = excess mu m g: every half period alike, each speed the integral of F - mu m g."""
    mass, mu, rate = 2.0, 0.3, 1.7
    grip = mu * mass * GRAVITY
    size = excess * grip
    block = Block(mass, mu, lambda t: size * sympy.sin(rate * t), says_where)
    slips = math.asin(grip / size) / rate

    def speed(t: float) -> float:
        return size * (math.cos(rate * slips) - math.cos(rate * t)) / rate - grip * (t - slips)

    grips = first_zero(speed, slips, slips + math.pi / rate)
    assert grips is not None  # it stops before the load has turned round
    assert abs(size * math.sin(rate * grips)) < grip
    half, names = math.pi / rate, ("slips forward", "slips back")
    expected = [pair for n in range(4) for pair in ((names[n % 2], slips + n * half), ("grips", grips + n * half))]
    run = block.run((grips + slips + 7 * half) / 2)  # between the last grip and the next slip
    # The speed where it stops falls with what friction is stronger by than the load; an error moves the stop by that.
    steepness = (grip - size * math.sin(rate * grips)) / mass
    assert_events(run, expected, CLOSE * max(1.0, 1 / steepness))


@pytest.mark.parametrize("says_where", [False, True])
@pytest.mark.parametrize("excess", [1e-12, 1e-9, 1e-5, 1e-3])
@pytest.mark.filterwarnings("ignore:the energy balance")  # 1e-36 J move where the load is ahead by 1e-12
def test_a_load_that_hardly_overcomes_friction_hardly_moves_a_block(excess: float, says_where: bool) -> None:
    """It slips while F = A sin(w t) is ahead of friction, then for less than as long; A - mu m g bounds how fast."""
    mass, mu, rate = 9.3, 0.13, 3.6
    grip = mu * mass * GRAVITY
    block = Block(mass, mu, lambda t: grip * (1 + excess) * sympy.sin(rate * t), says_where)
    run = block.run(3 * math.pi / rate)
    assert [name for name, _ in taken(run)] == [
        "slips forward",
        "grips",
        "slips back",
        "grips",
        "slips forward",
        "grips",
    ]
    ahead = 2 * math.acos(1 / (1 + excess)) / rate
    slip = excess * mu * GRAVITY * (2 * ahead) ** 2 / 2
    assert np.max(np.abs(run.x)) <= 3 * slip + CLOSE
    first, second = (t for _, t in taken(run)[:2])
    assert second - first <= 2 * ahead + 1e-4  # to lose 1e-13 m/s, the tolerance, where 0.13 g w t^2/2 is lost: 4e-7 s


def push_and_pull(turns: float, size: float, since: float) -> detent.Automaton:
    """A mass that k s (2 a - s) pushes and then pulls, s after a time; stopped where it comes to a standstill."""
    system = detent.System("push and pull")
    x = system.coordinates("x")
    mass = system.particle("mass", system.origin.offset("mass", x * system.ground.x), mass=1)
    passed = system.time - since
    system.force("push", mass, size * passed * (2 * turns - passed) * system.ground.x, active=False)
    system.constrain(detent.motion("hold", x.rate), active=False)
    automaton = detent.Automaton(system)
    if since > 0:
        automaton.mode("held", ["hold"])
    free, stopped = automaton.mode("free", loads=["push"]), automaton.mode("stopped", ["hold"])
    if since > 0:
        automaton.transition("let go", "held", free, when=system.time >= since)
    automaton.transition("stops", free, stopped, when=x.rate <= 0, reset=detent.Impact())
    return automaton


@pytest.mark.parametrize("turns", [1e-6, 1e-4, 1e-2, 0.1])
@pytest.mark.parametrize("size", [1e-3, 1e3])
def test_what_is_let_go_without_speed_and_acceleration_stops_where_it_comes_to_a_standstill(
    turns: float, size: float
) -> None:
    """x' = k (a s^2 - s^3/3): back at zero after 3 a, also where it never was faster than the tolerance."""
    since = 1 / 3
    run = detent.simulate(push_and_pull(turns, size, since), since + 5 * turns + 1, **EXACT)
    assert_events(run, [("let go", since), ("stops", since + 3 * turns)])
    assert run.final.x_rate == 0


@pytest.mark.parametrize(("turns", "step"), [(0.01, 0.05), (0.05, 0.2), (0.02, 0.2), (0.001, 0.05)])
@pytest.mark.filterwarnings("ignore:the energy balance")  # the steps are long on purpose
def test_a_run_that_starts_so_stops_there_however_long_its_first_step(turns: float, step: float) -> None:
    """The cubic is the method's own: it is exact, and the zero lies within the first step."""
    run = detent.simulate(push_and_pull(turns, 1.0, 0.0), 1, method="rk4", step=step)
    assert_events(run, [("stops", 3 * turns)], 1e-14)


# -- a slope that tilts ----------------------------------------------------------------------------------


@pytest.mark.parametrize(("mu", "rate"), [(0.2, 0.05), (0.5, 0.1), (0.3, 0.02), (0.9, 0.3), (0.05, 0.01)])
def test_a_block_slips_on_a_slowly_tilting_plane_where_the_slope_reaches_its_friction(mu: float, rate: float) -> None:
    """The weight turns by w t: tan(w t0) = mu; then u = g/w ((cos w t0 - cos w t) - mu (sin w t - sin w t0))."""
    system = detent.System("tilting")
    x, lift = system.coordinates("x", "lift")
    block = system.particle("block", system.origin.offset("b", x * system.ground.x + lift * system.ground.y), mass=1)
    tilt = rate * system.time
    weight = GRAVITY * (sympy.sin(tilt) * system.ground.x - sympy.cos(tilt) * system.ground.y)
    system.force("weight", block, weight)
    automaton = slipping(system, system.ground, x, lift, mu)
    slips, after = math.atan(mu) / rate, 1.0
    until = slips + after
    run = detent.simulate(automaton, until, **EXACT)
    assert_events(run, [("slips", slips)])
    fallen = (math.cos(rate * slips) - math.cos(rate * until)) - mu * (math.sin(rate * until) - math.sin(rate * slips))
    # 1 - cos and sin of nearly equal angles: what the difference of terms g/w leaves of the digits.
    assert run.final.x_rate == pytest.approx(GRAVITY / rate * fallen, abs=CLOSE + 1e-15 * GRAVITY / rate)


def slipping(system: detent.System, plane: Any, x: Any, lift: Any, mu: float) -> detent.Automaton:
    """The block sticks to a plane until friction is used up, then slides towards larger x."""
    system.constrain(detent.holonomic("line", lift), active=False)
    system.constrain(detent.motion("hold", x.rate), active=False)
    normal, needed = system.reaction("line"), system.reaction("hold")
    system.force("friction", system.bodies["block"], -mu * normal * plane.x, active=False)
    automaton = detent.Automaton(system)
    sticks = automaton.mode("sticks", ["line", "hold"])
    slides = automaton.mode("slides", ["line"], loads=["friction"])
    automaton.transition("slips", sticks, slides, when=needed <= -mu * normal)
    automaton.transition("grips", slides, sticks, when=x.rate <= 0)
    return automaton


@pytest.mark.parametrize(("mu", "rate"), [(0.2, 0.05), (0.5, 0.1), (0.3, 0.5), (0.9, 0.3)])
def test_a_block_slips_on_a_plane_that_turns_under_it(mu: float, rate: float) -> None:
    """With the plane itself turning: x'' = w^2 x + g sin(w t) - mu N, N = g cos(w t) - 2 w x', by SciPy from rest."""
    system = detent.System("turning plane")
    x, lift = system.coordinates("x", "lift")
    plane = system.ground.rotated("plane", -rate * system.time)
    system.particle("block", system.origin.offset("b", x * plane.x + lift * plane.y), mass=1)
    system.gravity(-GRAVITY * system.ground.y)
    automaton = slipping(system, plane, x, lift, mu)
    slips = math.atan(mu) / rate
    run = detent.simulate(automaton, slips + 1, **EXACT)
    assert_events(run, [("slips", slips)])

    def motion(t: float, state: Any) -> list[float]:
        normal = GRAVITY * math.cos(rate * t) - 2 * rate * state[1]
        return [state[1], rate**2 * state[0] + GRAVITY * math.sin(rate * t) - mu * normal]

    known = solve_ivp(motion, (slips, slips + 1), [0.0, 0.0], method="DOP853", rtol=1e-12, atol=1e-14).y[:, -1]
    np.testing.assert_allclose([run.final.x, run.final.x_rate], known, rtol=0, atol=CLOSE)


# -- one-way clutches and ratchets -----------------------------------------------------------------------


@dataclass(frozen=True)
class Wheel:
    """A wheel of inertia 1 driven by A cos(w t) - B, with what it has turned after it was let go at rest."""

    push: float
    rate: float
    back: float

    def drive(self, t: Any) -> Any:
        return self.push * sympy.cos(self.rate * t) - self.back

    @property
    def let_go(self) -> float:
        """When the drive turns forward again: A cos(w t) = B, growing."""
        return (2 * math.pi - math.acos(self.back / self.push)) / self.rate

    def speed(self, t: float, since: float) -> float:
        return self.push / self.rate * (math.sin(self.rate * t) - math.sin(self.rate * since)) - self.back * (t - since)

    def turned(self, t: float, since: float, speed: float = 0.0) -> float:
        grown = (math.cos(self.rate * since) - math.cos(self.rate * t)) / self.rate**2
        passed = t - since
        return (
            speed * passed
            + self.push * (grown - math.sin(self.rate * since) * passed / self.rate)
            - self.back * passed**2 / 2
        )

    def system(self) -> tuple[detent.System, Any]:
        system = detent.System("wheel")
        angle = system.coordinates("angle")
        wheel = system.ground.rotated("wheel", angle)
        body = system.body("wheel", center=system.origin, frame=wheel, mass=1, inertia=1)
        system.torque("drive", body, self.drive(system.time) * system.ground.z)
        return system, angle


WHEELS = [
    Wheel(*given) for given in ((2.0, 1.0, 0.5), (1.0, 3.0, 0.7), (5.0, 2.0, 0.4), (1.0, 0.6, 0.9), (3.0, 5.0, 1.1))
]


@pytest.mark.parametrize("wheel", WHEELS, ids=str)
@pytest.mark.parametrize("says_where", [False, True])
def test_a_one_way_clutch_lets_go_where_the_drive_turns_forward(wheel: Wheel, says_where: bool) -> None:
    """Held while the drive is backward; let go at no torque; caught where the integral of the drive is back at zero."""
    system, angle = wheel.system()
    system.constrain(detent.motion("clutch", angle.rate), active=False)
    automaton = detent.Automaton(system)
    free = automaton.mode("free", where=angle.rate >= 0 if says_where else None)
    held = automaton.mode("held", ["clutch"])
    automaton.transition("catches", free, held, when=angle.rate <= 0)
    automaton.transition("lets go", held, free, when=system.reaction("clutch") <= 0)
    period = 2 * math.pi / wheel.rate
    first = first_zero(lambda t: wheel.speed(t, 0.0), 0.0, period)
    caught = first_zero(lambda t: wheel.speed(t, wheel.let_go), wheel.let_go, wheel.let_go + period)
    assert first is not None
    assert caught is not None
    again = [pair for n in range(3)
             for pair in (("lets go", wheel.let_go + n * period), ("catches", caught + n * period))]  # fmt: skip
    expected = [("catches", first), *again]
    run = detent.simulate(automaton, wheel.let_go + 3 * period - 1e-3, **EXACT)
    assert_events(run, expected, CLOSE * max(1.0, 1 / (wheel.back * 0.1)))
    turned = wheel.turned(first, 0.0) + 3 * wheel.turned(caught, wheel.let_go)
    assert run.final.angle == pytest.approx(turned, abs=1e-8)


def ratchet(wheel: Wheel, pitch: float) -> detent.Automaton:
    """A pawl falls behind every tooth that passes; it stops the wheel dead there, and lifts when nothing holds it."""
    system, angle = wheel.system()
    tooth = system.discrete("tooth", 0)
    system.constrain(detent.holonomic("pawl", angle - tooth * pitch), active=False)
    automaton = detent.Automaton(system)
    free, held = automaton.mode("free"), automaton.mode("held", ["pawl"])
    automaton.transition("clicks", free, free, when=angle - (tooth + 1) * pitch >= 0, reset={tooth: tooth + 1})
    automaton.transition("falls back", free, held, when=angle - tooth * pitch <= 0, reset=detent.Impact())
    automaton.transition("lifts", held, free, when=system.reaction("pawl") <= 0)
    return automaton


def ratchet_events(wheel: Wheel, pitch: float, until: float) -> list[tuple[str, float]]:
    """From closed form to closed form: forward over teeth, back onto the last, held until the drive turns."""
    events: list[tuple[str, float]] = []
    since, at, speed, tooth = 0.0, 0.0, 0.0, 0
    while since < until:
        end = since + 2 * math.pi / wheel.rate + 1

        def above(t: float, place: float, since: float = since, at: float = at, speed: float = speed) -> float:
            return at + wheel.turned(t, since, speed) - place

        clicks = first_zero(lambda t: above(t, (tooth + 1) * pitch), since, end)  # noqa: B023
        back = first_zero(lambda t: above(t, tooth * pitch), since, end)  # noqa: B023
        if clicks is not None and (back is None or clicks < back):
            speed, at, since, tooth = speed + wheel.speed(clicks, since), (tooth + 1) * pitch, clicks, tooth + 1
            events.append(("clicks", clicks))
            continue
        assert back is not None
        events.append(("falls back", back))
        at, speed = tooth * pitch, 0.0
        if wheel.push * math.cos(wheel.rate * back) > wheel.back:
            events.append(("lifts", back))  # the drive is forward already: the tooth only stops it
            since = back
            continue
        turns = math.ceil((back - wheel.let_go) * wheel.rate / (2 * math.pi))
        since = wheel.let_go + turns * 2 * math.pi / wheel.rate
        events.append(("lifts", since))
    return [event for event in events if event[1] < until]


@pytest.mark.parametrize(
    "pitch", [0.7, 0.11, *(pytest.param(p, marks=pytest.mark.slow) for p in (0.31, 0.2, 1.1, 2.3))]
)
@pytest.mark.parametrize("wheel", WHEELS, ids=str)
def test_a_pawl_lifts_off_its_tooth_where_the_drive_turns_forward(wheel: Wheel, pitch: float) -> None:
    until = 4 * 2 * math.pi / wheel.rate
    expected = ratchet_events(wheel, pitch, until)
    assert len([name for name, _ in expected if name == "lifts"]) >= 1
    run = detent.simulate(ratchet(wheel, pitch), until, **EXACT)
    assert_events(run, expected, 1e-8)  # a tooth may be passed slowly: a tenth of the usual speed, or faster
