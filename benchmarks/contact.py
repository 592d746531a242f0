"""Contact: how exact and how fast three scenes are, beside MuJoCo and Siconos; and what contact costs in the kernel.

The scenes are those of :mod:`benchmarks.contact_scenes`. Errors are against closed forms; times are those of a run from
its start to its end, without setting it up, for a second of the motion: of the processor, in the thread that steps,
because by the clock a long run is charged for more of what others do meanwhile. Ours is by the default options. Each
peer runs by its defaults, or as its own examples do, and by the best settings found for it.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, final

import numpy as np
from sympy import pi

import detent
from detent.contact_solves.kernels import SINGLE_IMPACT_KERNELS as IMPACT_LIBRARY
from detent.contact_solves.single_impact_frame import SINGLE_IMPACT, ImpactEnd, Law
from detent.jit.address import raw_address
from detent.jit.kernel_library import WORD_TYPE
from detent.simulation.simulation import Simulation

from .contact_scenes import (
    BALL,
    BOUNCES,
    CUBE,
    DISTANCE,
    HEIGHT,
    INCLINE,
    SLIDES,
    FloatArray,
    Motion,
    Scene,
    ball,
    bounce_times,
    motion_of,
    system_of,
)
from .derivation import cold_cache
from .embedding import wait_for_compiler
from .event_stamps import EventStamps
from .peers import GRAVITY, PeerMissing
from .peers.mujoco_contact import MujocoContact
from .peers.siconos_contact import SiconosContact
from .runner import LIMIT, Row, quantity
from .timing import Batch, interleaved

TITLE = "incline, bouncing ball and sliding cube beside other engines; impacts, rolling and new statuses in the kernel"

AnyPeer = MujocoContact | SiconosContact
PEERS: Final[tuple[type[Any], ...]] = (MujocoContact, SiconosContact)

LONG: Final = 1e6
"""Seconds on the slope."""

PLANE_US, SPACE_US = 5.0, 100.0
"""Microseconds for an impact: any in the plane, the median of boxes in space."""

ROLLING: Final = 3.0
"""Free steps that a step with a rolling contact may take."""

ON_A_BOX: Final = 3.0
"""Steps of a cube that slides on a plane that one of a cube on a box may take."""

ACTS_MS: Final = 0.2
"""Milliseconds of the processor until a new status vector acts."""

STEP: Final = 1e-3
ROOM: Final = 100_000
"""Steps of a run whose clock is read."""


def run(quick: bool) -> list[Row]:
    """Rows of the scenes, then of the kernel."""
    repeats = 1 if quick else 5
    rows = [stay_row()]
    for scene in (INCLINE, BALL, CUBE):
        rows += scene_rows(scene, repeats, every_setting=not quick)
    rows += impact_rows(10 if quick else 300, repeats)
    rows += [bounce_row(1_000 if quick else 20_000, repeats), rolling_row(0.1 if quick else 2.0)]
    rows += [sliding_row(0.1 if quick else 2.0)]
    runs = 1 if quick else 9
    return [*rows, status_row(runs), automaton_row(runs)]


# -- scenes ---------------------------------------------------------------------------------------


@final
@dataclass(frozen=True)
class Measure:
    """A number that is read off a motion, and its unit."""

    what: str
    unit: str
    of: Callable[[Motion], float]


MEASURES: Final = {
    INCLINE: (Measure("creep", "um/s", lambda motion: 1e6 * motion.creep()),),
    BALL: (
        Measure(f"largest error of {BOUNCES} times", "s", lambda motion: motion.bounce_errors()[0]),
        Measure(f"largest error of {BOUNCES} heights", "m", lambda motion: motion.bounce_errors()[1]),
    ),
    CUBE: (
        Measure("error of the time it stops", "s", lambda motion: abs(motion.stop_time() - SLIDES)),
        Measure("error of the distance", "m", lambda motion: abs(motion.distance() - DISTANCE)),
        Measure("lift", "mm", lambda motion: 1e3 * motion.lift()),
    ),
}


TIME: Final = Measure("time of a second", "ms", lambda motion: math.nan)
"""That one is measured, not read off."""


def stay_row() -> Row:
    """How far a cube inside the cone of friction comes in a million seconds: not at all is the limit.

    >>> stay_row().met
    True
    """
    began = time.perf_counter()
    result = detent.simulate(system_of(INCLINE), until=LONG)
    seconds = time.perf_counter() - began
    positions = motion_of(INCLINE, result).positions
    moved = float(np.linalg.norm(positions - positions[0], axis=1).max())
    note = f"in {quantity(seconds, 's')} with set-up"
    what = f"{INCLINE.name}, farthest from its start in {LONG:g} s"
    return Row(what, "m", moved, 0.0, LIMIT, need="at most", met=moved == 0.0, note=note)


def scene_rows(scene: Scene, repeats: int, every_setting: bool) -> list[Row]:
    """Errors and times of a scene, ours beside those of each peer and setting.

    >>> [row.unit for row in scene_rows(BALL, repeats=1, every_setting=False)][:3]
    ['s', 'm', 'ms']
    """
    ours, ready = _ours(scene, repeats)
    rows = []
    for kind in PEERS:
        try:
            peer = kind.build()
        except PeerMissing as missing:
            rows += [
                Row.without_peer(
                    _what(scene, measure), ours=number, unit=measure.unit, peer=kind.name, missing=missing
                )
                for measure, number in ours.items()
            ]  # fmt: skip
            continue
        for setting in peer.settings(scene)[: None if every_setting else 1]:
            motion, seconds = peer.run(scene, setting, repeats)
            theirs = {measure: measure.of(motion) for measure in MEASURES[scene]}
            theirs[TIME] = 1e3 * seconds / scene.until
            notes = dict.fromkeys(ours, setting.name)
            notes[MEASURES[scene][0]] = str(setting)
            notes[TIME] += f"; ours is set up in {quantity(1e3 * ready, 'ms')}"
            rows += [_beside(scene, measure, ours[measure], theirs[measure], peer, notes[measure]) for measure in ours]
    return rows


def _what(scene: Scene, measure: Measure) -> str:
    return f"{scene.name}, {measure.what}"


def _beside(scene: Scene, measure: Measure, ours: float, theirs: float, peer: AnyPeer, note: str) -> Row:
    """How many times less ours is; where ours is 0, no number says that."""
    what = _what(scene, measure)
    if ours == 0.0:
        return Row(what, measure.unit, ours, theirs, peer.name, peer.version, note=note)
    return Row.at_least(
        None, what, ours=ours, theirs=theirs, unit=measure.unit, peer=peer.name, peer_version=peer.version, note=note
    )


def _ours(scene: Scene, repeats: int) -> tuple[dict[Measure, float], float]:
    """Our numbers, and the seconds of setting a run up; the best of some, each of a new model."""
    best, ready = math.inf, math.inf
    for _ in range(repeats + 1):  # the first one warms
        began = time.thread_time()
        simulation = Simulation(system_of(scene))
        stands = time.thread_time()
        simulation.advance(scene.until)
        best, ready = min(best, time.thread_time() - stands), min(ready, stands - began)
    return _our_numbers(scene, simulation) | {TIME: 1e3 * best / scene.until}, ready


def _our_numbers(scene: Scene, simulation: Simulation) -> dict[Measure, float]:
    """Times of impacts and stops are those of our events; the rest is read off, as for any engine."""
    motion, events = motion_of(scene, simulation.result()), simulation.events
    numbers = {measure: measure.of(motion) for measure in MEASURES[scene]}
    if scene is BALL:
        times = np.array([event.time for event in events.of_kind("impact")])
        numbers[MEASURES[BALL][0]] = float(np.abs(times - bounce_times(BOUNCES)).max())
    if scene is CUBE:
        (stop,) = events.of_kind("transition")
        numbers[MEASURES[CUBE][0]] = abs(stop.time - SLIDES)
    return numbers


# -- impacts --------------------------------------------------------------------------------------


def impact_rows(count: int, repeats: int) -> list[Row]:
    """An impact of one contact with friction, by Poisson's law: the slowest of many rods, the median of many boxes.

    >>> [row.peer for row in impact_rows(3, repeats=1)]
    ['limit', 'limit']
    """
    numbers = np.random.default_rng(11)
    rods = 1e6 * np.array([_impact_seconds(_rod(numbers), numbers, repeats) for _ in range(count)])
    boxes = 1e6 * np.array([_impact_seconds(_box(numbers), numbers, repeats) for _ in range(count)])
    called = "called from Python, which is part of it"
    return [
        Row.within(
            PLANE_US, f"impact in the plane, slowest of {count} rods", ours=float(rods.max()), unit="us",
            note=f"median {quantity(float(np.median(rods)), 'us')}; {called}",
        ),
        Row.within(
            SPACE_US, f"impact in space, median of {count} boxes", ours=float(np.median(boxes)), unit="us",
            note=f"slowest {quantity(float(boxes.max()), 'us')}; {called}",
        ),
    ]  # fmt: skip


def _impact_seconds(W: FloatArray, numbers: np.random.Generator, repeats: int) -> float:
    """Seconds for an impact with a random velocity, friction and restitution; the best of some batches."""
    record = np.zeros(1, dtype=SINGLE_IMPACT)
    axes, before = "n12"[: len(W)], numbers.standard_normal(len(W))
    before[0] = -abs(before[0])
    for i, first in enumerate(axes):
        record[f"before_{first}"] = before[i]
        for j, second in enumerate(axes[i:], i):
            record[f"W_{first}{second}"] = W[i, j]
    record["law"], record["restitution"] = Law.POISSON, numbers.uniform()
    record["friction"] = record["static_friction"] = numbers.uniform()
    strike, address, best = IMPACT_LIBRARY.function("strike_single", WORD_TYPE), raw_address(record), math.inf
    outcome = ImpactEnd(strike(address))
    if outcome is not ImpactEnd.OK:
        raise ArithmeticError(f"an impact ended with {outcome.name}, {ImpactEnd.OK.name} was expected; see its numbers")
    for _ in range(10 * repeats):
        began = time.perf_counter()
        for _ in range(10):
            strike(address)
        best = min(best, (time.perf_counter() - began) / 10)
    return best


def _rod(numbers: np.random.Generator) -> FloatArray:
    """W = J M^-1 J^T of a uniform rod of 1 kg and 1 m at a random angle, whose lower end strikes; normal first."""
    angle = numbers.uniform(0.0, np.pi)
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[1.0 + 3.0 * c * c, -3.0 * s * c], [-3.0 * s * c, 1.0 + 3.0 * s * s]])


def _box(numbers: np.random.Generator) -> FloatArray:
    """That of a uniform box of 1 kg with random edges, turned at random, whose lowest corner strikes."""
    edges, (turned, _) = numbers.uniform(0.2, 2.0, 3), np.linalg.qr(numbers.standard_normal((3, 3)))
    corner = -0.5 * turned @ (np.sign(turned[2]) * edges)
    x, y, z = corner
    lever = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    yielding = turned @ np.diag(12.0 / ((edges**2).sum() - edges**2)) @ turned.T
    W = np.eye(3) - lever @ yielding @ lever
    return np.asarray(W[np.ix_([2, 0, 1], [2, 0, 1])])


def bounce_row(bounces: int, repeats: int) -> Row:
    """A bounce in a run, with all that belongs to it: the flight, its guard, the event, the impact, the new status.

    >>> bounce_row(100, repeats=1).unit
    'us'
    """
    period, best = 2.0 * (2.0 * HEIGHT / GRAVITY) ** 0.5, math.inf
    for _ in range(repeats):
        simulation = Simulation(ball(restitution=1.0))
        began = time.thread_time()
        simulation.advance(bounces * period)
        best = min(best, time.thread_time() - began)
        found = len(simulation.events)
        if found != bounces:
            raise ArithmeticError(f"{found} bounces were found, {bounces} were expected; find out who lost the ball")
    what = f"{BALL.name}, {bounces} bounces without loss, one with its flight"
    return Row(what, "us", 1e6 * best / bounces)


# -- rolling --------------------------------------------------------------------------------------


def rolling_row(budget_s: float) -> Row:
    """A step of RK4 of a disk that rolls down a ramp, beside one of the same disk in free flight.

    >>> rolling_row(budget_s=0.1).unit
    'us'
    """
    steps = 100
    batches = {name: Batch(_goes_on(_disk(name == "rolling"), steps), steps) for name in ("rolling", "free")}
    seconds = interleaved(batches, budget_s)
    return Row.at_most(
        ROLLING, f"disk on a ramp, step of RK4 (h = {STEP:g} s) with a rolling contact", ours=1e6 * seconds["rolling"],
        theirs=1e6 * seconds["free"], unit="us", peer="free step",
    )  # fmt: skip


def _disk(touches: bool) -> Simulation:
    """The disk, on the ramp until it rolls, or without the ramp; its code is native."""
    system = detent.System("disk")
    x, y, angle = system.coordinates("x", "y", "angle")
    ramp = system.ground.rotated("ramp", pi / 12)
    hub = system.origin.offset("hub", x * ramp.x + y * ramp.y)
    disk = system.body("disk", hub, ramp.rotated("disk", angle), 1, 0.5)
    system.gravity(-GRAVITY * system.ground.y)
    system.start(x=14, y=1, x_rate=7, angle_rate=-4)
    if touches:
        system.contact("disk|ramp", disk.circle(1), ramp.line(), friction=detent.Coulomb(0.2))
    simulation = Simulation(system, method="rk4", step=STEP)
    simulation.advance(1.0)
    wait_for_compiler()
    simulation.advance(1.1)
    if touches and simulation.mode != "disk|ramp: roll":
        raise ArithmeticError(f"the disk is in mode '{simulation.mode}', 'disk|ramp: roll' was expected")
    return simulation


def sliding_row(budget_s: float) -> Row:
    """A step of RK4 of a cube that slides on the face of a box, beside one of the same cube on a plane.

    >>> sliding_row(budget_s=0.1).unit
    'us'
    """
    steps = 100
    batches = {name: Batch(_goes_on(_sliding_cube(name == "box"), steps), steps) for name in ("box", "plane")}
    seconds = interleaved(batches, budget_s)
    return Row.at_most(
        ON_A_BOX, f"cube that slides on a box, step of RK4 (h = {STEP:g} s)", ours=1e6 * seconds["box"],
        theirs=1e6 * seconds["plane"], unit="us", peer="on a plane",
    )  # fmt: skip


def _sliding_cube(on_a_box: bool) -> Simulation:
    """A cube on a long box, or on the plane of its upper face, that slides for long; its code is native."""
    system = detent.System("cube")
    joint = system.free("cube", system.origin, system.ground)
    cube = system.body("cube", joint.point, joint.frame, mass=1, inertia=(1 / 6, 1 / 6, 1 / 6))
    system.gravity(-GRAVITY * system.ground.z)
    system.start(cube_x=-1000, cube_z=1, cube_x_rate=10)
    under = system.ground.box(4000, 2, 1) if on_a_box else system.ground.plane(at=(0, 0, 0.5))
    system.contact("cube|ground", cube.box(1, 1, 1), under, friction=detent.Coulomb(1e-3))
    simulation = Simulation(system, method="rk4", step=STEP)
    simulation.advance(0.1)
    wait_for_compiler()
    simulation.advance(0.2)
    if simulation.mode.count("slip") != 4:
        raise ArithmeticError(f"the cube is in mode '{simulation.mode}', in which four points should slip")
    return simulation


def _goes_on(simulation: Simulation, steps: int) -> Callable[[], None]:
    return lambda: simulation.advance(simulation.time + steps * STEP)


# -- a new status vector --------------------------------------------------------------------------


def status_row(runs: int) -> Row:
    """How long it takes until statuses that were never met before act: the processor's time from the event to the end
    of the first step with them, settling included, in the thread that steps.

    A box that falls on its corner meets three such; of each the best of some runs counts, and of them the slowest.

    >>> status_row(1).unit
    'ms'
    """
    return _acting_row("new status vector, ready", _falling_box, runs)


def automaton_row(runs: int) -> Row:
    """The same where the box falls in the modes of an automaton: wind that blows from t = 0.1 s to 1.2 s, then a calm
    in which a wall counts too. Statuses are met, and modes are entered by declared transitions, for the first time.

    >>> automaton_row(1).unit
    'ms'
    """
    return _acting_row("new status vector in an automaton, ready", _box_in_the_wind, runs)


def _acting_row(what: str, make: Callable[[], Any], runs: int) -> Row:
    _acting_seconds(make)  # loads kernels, which a process does once
    with cold_cache():
        found = 1e3 * np.min([_acting_seconds(make) for _ in range(runs)], axis=0)
    note = f"{', '.join(quantity(each, 'ms') for each in found)}, each the best of {runs} runs"
    return Row.within(ACTS_MS, f"{what}, slowest of {len(found)}", ours=float(found.max()), unit="ms", note=note)


def _acting_seconds(make: Callable[[], Any]) -> FloatArray:
    """The processor's time until the first step, of each status vector that a run meets."""
    simulation = Simulation(make())
    stamps, met, found = EventStamps(simulation, ROOM), {simulation.mode}, list[float]()
    simulation.advance(3.0)
    for event in simulation.events:
        if event.target not in met:
            met.add(event.target)
            found.append(stamps.after(event.time))
    return np.array(found)


def _falling_box() -> detent.System:
    system = detent.System("box")
    joint = system.planar("box", system.origin, system.ground)
    body = system.body("box", joint.point, joint.frame, 1, 0.5)
    system.gravity(-GRAVITY * system.ground.y)
    system.start(box_y=1.5, box_angle=0.3, box_x_rate=2, box_angle_rate=1)
    corners = body.polygon((-1, -0.5), (1, -0.5), (1, 0.5), (-1, 0.5))
    system.contact("box|floor", corners, system.ground.line(), friction=detent.Coulomb(0.2))
    return system


def _box_in_the_wind() -> detent.Automaton:
    system = _falling_box()
    body = system.bodies["box"]
    system.force("wind", body, 2 * system.ground.x, active=False)
    wall = system.ground.line(at=(20, 0), along="y")
    system.contact("box|wall", body.polygon((-1, -0.5), (1, -0.5), (1, 0.5), (-1, 0.5)), wall, enabled=False)
    automaton = detent.Automaton(system)
    fresh, windy = automaton.mode("fresh"), automaton.mode("windy", loads=["wind"])
    calm = automaton.mode("calm", contacts=["box|floor", "box|wall"])
    automaton.transition("wind rises", fresh, windy, when=system.time >= 0.1)
    automaton.transition("wind falls", windy, calm, when=system.time >= 1.2)
    return automaton
