"""Random programs: what somebody may do to a run with contacts while it goes on, and where it is saved meanwhile."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import detent
from tests.physics.random_automata import random_automaton

UNTIL = 1.2


@dataclass(frozen=True)
class Act:
    """Something that is done to a simulation at a time."""

    time: float
    word: str
    value: float = 0.0


WORDS = ("shelf", "no shelf", "laws", "release floor", "floor", "hold", "let go", "wall", "weight")


def random_acts(seed: int) -> list[Act]:
    random = np.random.default_rng([seed, 5])
    times = np.sort(random.uniform(0, UNTIL, int(random.integers(3, 9))))
    return [Act(float(time), str(random.choice(WORDS)), float(random.uniform(0.05, 0.9))) for time in times]


def random_system(seed: int) -> detent.System:
    """Two bodies of random kinds above a floor, one of which may meet the other."""
    random = np.random.default_rng([seed, 3])
    system = detent.System(f"program {seed}")
    g = system.parameters(g=9.81)
    system.gravity(-g * system.ground.y)
    shapes = []
    for number, name in enumerate(("one", "other")):
        joint = system.planar(name, system.origin, system.ground)
        body = system.body(name, joint.point, joint.frame, mass=float(random.uniform(0.5, 2)), inertia=0.05)
        round_ = bool(random.integers(2))
        size = float(random.uniform(0.1, 0.25))
        corners = ((-size, -0.1), (size, -0.1), (size, 0.1), (-size, 0.1))
        shapes.append(body.circle(size) if round_ else body.polygon(*corners))
        height = size if round_ else 0.1
        high = height + float(random.choice([0.0, random.uniform(0.02, 0.4)]))
        rates = {f"{name}_x_rate": float(random.uniform(-1, 2)) * (1 - number)}
        system.start(**{f"{name}_x": 0.9 * number, f"{name}_y": high, **rates})
        law = [None, detent.Coulomb(0.3), detent.Coulomb(0.4, static=0.6)][int(random.integers(3))]
        impact = detent.Poisson(float(random.choice([0.0, 0.3])))
        system.contact(f"{name}|floor", shapes[-1], system.ground.line(), friction=law, impact=impact)
    if random.integers(2):
        system.contact("one|other", *shapes, friction=detent.Coulomb(0.2))
    return system


def model_of(seed: int) -> Any:
    """A system, or an automaton whose modes enable contacts."""
    return random_automaton(seed) if seed % 3 == 0 else random_system(seed)


def first_body(system: detent.System) -> tuple[str, str, Any]:
    """The name of the contact of a model's first body with the floor, of its coordinate, and its shape."""
    name = "body|floor" if "body|floor" in system.contacts else "one|floor"
    names = [str(symbol) for symbol in system.coordinate_list]
    return name, next(each for each in ("one_x", "b_x", "x") if each in names), system.contacts[name].first


def done(simulation: detent.Simulation, act: Act) -> bool:
    """Whether it could be done; what cannot be is refused, and the run goes on as it was."""
    floor, x, shape = first_body(simulation.system)
    ground = simulation.system.ground
    acts: dict[str, Callable[[], None]] = {
        "shelf": lambda: simulation.contact("body|shelf", shape, ground.line(at=(0, -0.01 - act.value))),
        "no shelf": lambda: simulation.release("body|shelf"),
        "laws": lambda: simulation.contact(floor, friction=detent.Coulomb(act.value), impact=detent.Poisson(0.2)),
        "release floor": lambda: simulation.release(floor),
        "floor": lambda: simulation.contact(floor),
        "hold": lambda: simulation.constrain(detent.motion(f"hold {act.value:.6f}", simulation.system[f"{x}_rate"])),
        "let go": lambda: simulation.release(next(each for each in simulation.active if each.startswith("hold"))),
        "wall": lambda: simulation.contact("body|stop", shape, ground.line(at=(1.2 + act.value, 0), along="y")),
        "weight": lambda: simulation.set(g=4 + 9 * act.value),
    }
    try:
        acts[act.word]()
    except (detent.DetentError, StopIteration):
        return False
    return True


@dataclass(frozen=True)
class Told:
    """Where a run stands, what could be done to it, and why it ended."""

    state: bytes
    mode: str
    acts: tuple[bool, ...]
    ended: str


def went(
    seed: int, saves: tuple[float, ...], folder: Path, **options: Any
) -> tuple[Told, list[tuple[float, str, str]]]:
    """A run with its program, saved, loaded and gone on with at some times; all runs come to a halt at each of them."""
    simulation = detent.Simulation(model_of(seed), **options)
    acts, events, did = random_acts(seed), [], []
    stops = sorted([(act.time, 1, act) for act in acts] + [(time, 0, time) for time in save_times(seed)])
    ended = ""
    try:
        for time, _, what in [*stops, (UNTIL, 2, None)]:
            simulation.advance(time)
            if isinstance(what, Act):
                did.append(done(simulation, what))
            elif what in saves:
                events += told_events(simulation)
                path = folder / f"{seed} {time:.9f}.json"
                simulation.checkpoint(path)
                model = simulation.automaton if simulation.automaton is not None else simulation.system
                simulation = detent.resume(model, path)
    except detent.SimulationError as error:
        ended = str(error)
    events += told_events(simulation)
    instant = simulation._context.instant.state.tobytes()
    return Told(instant, simulation.mode, tuple(did), ended), events


def save_times(seed: int) -> tuple[float, ...]:
    """Times at which a run is saved, or only halted."""
    return tuple(np.random.default_rng([seed, 7]).uniform(0, UNTIL, 3).tolist())


def told_events(simulation: detent.Simulation) -> list[tuple[float, str, str]]:
    """What happened, and when. Not what is told once in each run, also in one that goes on, nor that a contact stays as
    it is: one whose guard is zero where a file is read is looked at there once more."""
    events = simulation.result().events
    told = [(event.time, event.kind, event.name) for event in events if event.kind not in ("remark", "shared")]
    return [each for each in told if not each[2].endswith(": stays")]
