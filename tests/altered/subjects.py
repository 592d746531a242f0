"""The files that are altered, and what becomes of them: a checkpoint is resumed, a result loaded, an object run."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import detent
from detent.expr.graph import Graph
from detent.expr.tape import STATE, Tape, build_tape
from detent.jit import object_cache
from detent.jit.kernels import KERNELS
from detent.jit.native import NativeCode
from detent.jit.program import Program
from detent.results import load, sample_run
from detent.results.contents import LENGTH_DIGITS
from detent.results.seal import seal
from detent.simulation.checkpoint import _digest
from tests.altered.alterations import altered_bytes, altered_tree
from tests.physics.contact_scenes import box, groove, sphere
from tests.unit.hybrid.models import ball

SEAL = len(seal(b""))


class Wrong(Exception):
    """A file that was altered was taken for what it had been."""


# -- checkpoints -----------------------------------------------------------------------------------------


def rail() -> detent.Automaton:
    """A bead that goes onto a rail of two rows, one of which says nothing new, and off again; a load and a count."""
    system = detent.System("bead")
    x, y = system.coordinates(x=0.0, y=0.0)
    push, count = system.input("push", 0.25), system.discrete("count")
    point = system.origin.offset("bead", x * system.ground.x + y * system.ground.y)
    bead = system.particle("bead", point, mass=system.parameters(m=1.5))
    system.force("push", bead, push * (system.ground.x + 0.5 * system.ground.y))
    system.force("wind", bead, 0.5 * system.ground.x, active=False)
    system.start(x_rate=1.0, y_rate=0.5)
    rows = [detent.holonomic(name, factor * (y - 0.5 * x)) for name, factor in (("a", 1), ("b", 3))]
    automaton = detent.Automaton(system)
    free, on = automaton.mode("free"), automaton.mode("rail", rows, loads=["wind"])
    automaton.transition("on", free, on, when=x >= 0.1, reset=[{count: count + 1}, detent.Impact()])
    automaton.transition("off", on, free, when=x >= 0.5)
    return automaton


def circle() -> detent.System:
    """A bead on a circle, and two more speeds that depend on it."""
    system = detent.System("circle")
    x, y, z = system.coordinates(x=1.0, y=0.0, z=0.0)
    for number, place in enumerate((x * system.ground.x + y * system.ground.y, z * system.ground.z)):
        system.particle(f"bead {number}", system.origin.offset(f"bead {number}", place), mass=1 + number)
    system.constrain(detent.holonomic("circle", x**2 + y**2 - 1))
    system.constrain(detent.holonomic("lift", z - y))
    system.start(y_rate=1.0)
    return system


def latch() -> detent.Automaton:
    automaton = detent.example("latch").automaton
    assert automaton is not None
    return automaton


def dropped() -> detent.Automaton:
    """A box that slides down a slope, and off it when the slope is taken away."""
    system = box(1.0, 0.5, 0.3, tilt=0.5)
    automaton = detent.Automaton(system)
    on, off = automaton.mode("on"), automaton.mode("off", contacts=[])
    automaton.transition("gone", on, off, when=system.time >= 0.3)
    return automaton


PULL = {"inputs": {"pull": detent.Held([0.0, 1.0, 1.2, 2.0], [0.0, 0.03, 0.0, 0.01])}}
FIXED: dict[str, Any] = {"method": "rk4", "step": 2e-3, "embedding": "symbolic"}
CHECKPOINTS: dict[str, tuple[Callable[[], Any], dict[str, Any], dict[str, Any], tuple[float, ...]]] = {
    "ball": (lambda: ball(0.5, accumulates=True), {}, {"embedding": "numeric"}, (0.2, 1.3)),
    "rail": (rail, {}, FIXED, (0.05, 0.3)),
    "circle": (circle, {}, {"method": "dopri5", "embedding": "numeric"}, (0.3,)),
    "latch": (latch, PULL, FIXED, (0.5, 1.1)),
    "groove": (lambda: groove(0.7, 0.3, 0.3, disk_y=1.0, disk_x=0.1), {}, FIXED, (0.3, 0.5)),
    "sphere": (lambda: sphere(0.2, ball_x_rate=1.0, ball_wx=3.0), {}, {"embedding": "numeric"}, (0.1, 1.0)),
    "dropped": (dropped, {}, FIXED, (0.1, 0.31)),
}
"""A model, its inputs, how it is run, and when checkpoints are written."""


class Checkpoints:
    """Checkpoints that are altered and resumed."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "altered.json"
        self.models = {name: made() for name, (made, *_) in CHECKPOINTS.items()}
        self.files: list[tuple[str, bytes, dict[str, Any]]] = []
        for name, (_, inputs, settings, stops) in CHECKPOINTS.items():
            simulation = detent.Simulation(self.models[name], **inputs, **settings)
            for stop in stops:
                simulation.advance(stop)
                simulation.checkpoint(self.path)
                self.files.append((name, self.path.read_bytes(), json.loads(self.path.read_bytes())))

    def __call__(self, numbers: random.Random) -> str:
        name, content, tree = numbers.choice(self.files)
        others = [other for _, _, other in self.files]
        sealed = numbers.random() < 0.75
        if sealed:
            try:
                altered = _sealed(tree, others, numbers)
            except (RecursionError, ValueError):
                return "cannot be written"
        else:
            altered = altered_bytes(content, numbers)
        self.path.write_bytes(altered)
        simulation = detent.resume(self.models[name], self.path, most_steps=300, **CHECKPOINTS[name][1])
        if not sealed and json.loads(altered) != tree:
            raise Wrong("a damaged checkpoint was resumed")
        simulation.advance(simulation.time + 0.02)
        simulation.result()
        return "went on"


def _sealed(tree: dict[str, Any], others: list[Any], numbers: random.Random) -> bytes:
    """Altered, with a checksum that fits."""
    tree = {key: value for key, value in tree.items() if key != "digest"}
    if numbers.random() < 0.4:  # the numbers by which compiled code finds its way
        field = numbers.choice(("choices", "choices", "choices", "signs", "zeno", "clock", "contacts", "values"))
        tree = tree | {field: altered_tree(tree[field], others, numbers)}
    else:
        tree = altered_tree(tree, others, numbers)
    return json.dumps({**tree, "digest": _digest(tree)}).encode()


# -- results ---------------------------------------------------------------------------------------------


class Results:
    """Result files that are altered and loaded."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "altered.nc"
        runs = [
            sample_run(),
            detent.simulate(ball(0.5, accumulates=True), 2.0),
            detent.simulate(rail(), 1.0),
            detent.simulate(rail(), 1.0, times=np.linspace(0, 1, 5)),
        ]
        self.files = []
        for run in runs:
            run.save(self.path)
            self.files.append(self.path.read_bytes())

    def __call__(self, numbers: random.Random) -> str:
        content = numbers.choice(self.files)
        way = numbers.choice(("damaged", "sealed again", "contents", "contents", "contents"))
        if way == "damaged":
            altered = altered_bytes(content, numbers)
        elif way == "sealed again":
            body = altered_bytes(content[:-SEAL], numbers)
            altered = body + seal(body)
        else:
            try:
                altered = self._with_contents(content, numbers)
            except (RecursionError, ValueError):
                return "cannot be written"
        self.path.write_bytes(altered)
        run = load(self.path)
        if way == "damaged" and altered != content:
            raise Wrong("a damaged result was loaded")
        for text in (repr(run), run.summary(), json.dumps(run.as_json()), repr(run.events), run._repr_html_()):
            text.encode()
        run.at(run.t[0])
        run.to_xarray()
        return "went on"

    def _with_contents(self, content: bytes, numbers: random.Random) -> bytes:
        body = content[:-SEAL]
        length = int(body[-LENGTH_DIGITS:])
        others = [json.loads(_contents(other)) for other in self.files]
        text = json.dumps(altered_tree(json.loads(_contents(content)), others, numbers)).encode()
        body = body[: -LENGTH_DIGITS - 2 - length] + b"\n" + text + f"\n{len(text):0{LENGTH_DIGITS}d}".encode()
        return body + seal(body)


def _contents(content: bytes) -> bytes:
    body = content[:-SEAL]
    return body[-LENGTH_DIGITS - 1 - int(body[-LENGTH_DIGITS:]) : -LENGTH_DIGITS - 1]


# -- objects ---------------------------------------------------------------------------------------------


class Objects:
    """Cached objects that are damaged or exchanged, and run.

    Not those that were changed and sealed again under their own key: they are code, and whoever can write to the
    folder can have it run. Others cannot write to it.
    """

    def __init__(self, folder: Path) -> None:
        KERNELS.address("interpret")  # from the usual cache
        os.environ["DETENT_CACHE_DIR"] = str(folder / "objects")
        self.tapes = [_tape(factor) for factor in (2.0, 3.0, 5.0)]
        self.expected = [_value(tape) for tape in self.tapes]
        self.paths = []
        for tape in self.tapes:
            known = set(object_cache.folder().glob("*")) if object_cache.folder().exists() else set()
            _native(tape)
            (path,) = set(object_cache.folder().glob("*.object")) - known
            self.paths.append(path)
        self.contents = [path.read_bytes() for path in self.paths]

    def __call__(self, numbers: random.Random) -> str:
        which = numbers.randrange(len(self.tapes))
        content = self.contents[which]
        match numbers.choice(("damaged", "exchanged", "sealed for another")):
            case "damaged":
                altered = altered_bytes(content, numbers)
            case "exchanged":
                altered = numbers.choice(self.contents)
            case _:
                head = len(object_cache.MAGIC) + 32
                payload = altered_bytes(content[head:], numbers)
                altered = object_cache.MAGIC + object_cache._digest("another", payload) + payload
        self.paths[which].write_bytes(altered)
        native = _native(self.tapes[which])
        if native.from_cache != (altered == content):
            raise Wrong("a damaged object was run")
        program = Program(self.tapes[which])
        program.compile()
        if not program.is_native or program(0.0, np.array([0.7]), np.zeros(0))[0] != self.expected[which]:
            raise Wrong("an object gave another value")
        return "went on" if altered == content else "compiled again"


def _tape(factor: float) -> Tape:
    graph = Graph()
    x = graph.leaf("x")
    return build_tape([x * x * factor + x], {"x": (STATE, 0)})


def _value(tape: Tape) -> float:
    return float(Program(tape)(0.0, np.array([0.7]), np.zeros(0))[0])


def _native(tape: Tape) -> NativeCode:
    return NativeCode(tape, KERNELS.address("table_function"))
