"""A constraint that is first written down while the system moves: how soon it acts, and what it costs from then on.

The tip of an N-link chain is put on a line through its present place, with a new inclination every time, and let go
again. Three things are measured. How long it takes from the constraint to the first step under it, beside the same job
by SymPy. How long the stepper pauses while native code of the new mode is made beside it and swapped in. And what
a step of the minimal equations costs, beside a step of the same mode with multipliers.
"""

from __future__ import annotations

import gc
import math
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import count
from typing import Any, Final, final

import numpy as np
import sympy
from numpy.typing import NDArray
from sympy.physics import mechanics

from detent.dynamics.rows import RowNodes
from detent.expr.linear import solve_symmetric
from detent.formulation.compiled import CompiledSystem, Embedding
from detent.formulation.embedded import EmbeddedRunning
from detent.gallery.example import example
from detent.jit.calling import call_once
from detent.jit.program import Program, in_background
from detent.simulation.running_mode import RunningMode
from detent.simulation.simulation import Simulation
from detent.stepping.solver import Solver
from detent.stepping.trajectory_piece import TrajectoryPiece

from .derivation import cold_cache
from .detent_chain import chain_system
from .peers import LENGTH
from .peers.sympy_chain import _rods
from .runner import Row, quantity
from .timing import Batch, interleaved

if sys.platform == "linux":
    import resource

TITLE = "the tip of a running N-link chain put on a new line: time to the first step, pauses, cost of a step"

READY_MS: Final[dict[Embedding, dict[int, float]]] = {"numeric": {2: 1.0, 7: 3.0}, "symbolic": {2: 3.0, 7: 30.0}}
"""Milliseconds from a new constraint to the first step under it, at most, by embedding and links."""

FASTER_THAN_SYMPY: Final = 50.0

LINES: Final = 30
"""New lines, one after the other in one process, whose median counts."""

SYMPY_LINES: Final = {2: 7, 7: 3}
"""Lines that SymPy is given, by links; each takes it seconds with 7 links."""

PERIOD: Final = 1e-3
"""Simulated seconds between two looks at the clock, and the longest pause (s) allowed: the period of a servo."""

STEP: Final = 1e-4
STEPS: Final = 1000
"""A step of RK4 (s), and how many are timed together."""

MOST_PERIODS: Final = 50_000
"""Code that has not come after this many periods will not come."""

AGREEMENT: Final = 1e-9
"""Largest difference of accelerations, relative to the largest of them."""

FloatArray = NDArray[np.float64]


def run(quick: bool) -> list[Row]:
    """Rows with targets, for 2 and 7 links and, for the cost of a step, a four-bar linkage.

    >>> [row.unit for row in run(quick=True)][-1]
    'us'
    """
    links = (2,) if quick else (2, 7)
    rows = []
    for number in links:
        rows += ready_rows(number, lines=3 if quick else LINES, by_sympy=1 if quick else SYMPY_LINES[number])
    for number in links:
        rows += pause_rows(number, lines=1 if quick else LINES)
    for what, simulation in _constrained(links).items():
        rows += step_rows(what, simulation, budget_s=0.1 if quick else 2.0)
    return rows


# -- the tip on a line ----------------------------------------------------------------------------


@dataclass(frozen=True)
class Line:
    """A line through a place (m), inclined by an angle (rad): n . (tip - place) = 0.

    >>> Line(0.0, (1.0, 2.0)).expression(7.0, 3.0)
    1.0
    """

    inclination: float
    place: tuple[float, float]

    def expression(self, x: Any, y: Any) -> Any:
        """What must stay zero for a point at (x, y)."""
        normal = -math.sin(self.inclination), math.cos(self.inclination)
        return normal[0] * (x - self.place[0]) + normal[1] * (y - self.place[1])


@final
class TipOnLines:
    """A running chain whose tip is put on one line after another, no two inclined alike.

    >>> chain = TipOnLines(2, "numeric")
    >>> line = chain.new_line()
    >>> chain.put_on(line)
    >>> chain.go_on(0.01)
    >>> chain.simulation.mode, abs(line.expression(*chain.tip)) < 1e-12
    ('line', True)
    >>> chain.let_go()
    >>> chain.simulation.mode
    'free'
    """

    def __init__(self, links: int, embedding: Embedding, **settings: Any) -> None:
        system = chain_system(links)
        last = system.points[f"joint{links}"]
        self.links = links
        self._measures = last.along(system.ground.x), last.along(system.ground.y)
        # Bent, so that the tip can go every way; one turn of the golden angle after the other never repeats.
        bent = {f"q{number}": 0.3 + 0.2 * number for number in range(1, links + 1)}
        self._inclinations = (math.radians(137.50776405) * number for number in count(1))
        self.simulation = Simulation(system, start=bent, embedding=embedding, **settings)
        self.go_on(0.1)

    @property
    def tip(self) -> tuple[float, float]:
        """Where the tip is now, m."""
        state = self.simulation.state
        angles = np.cumsum([state[f"q{number}"] for number in range(1, self.links + 1)])
        return LENGTH * float(np.sin(angles).sum()), -LENGTH * float(np.cos(angles).sum())

    def new_line(self) -> Line:
        """A line through the tip, inclined as none before."""
        return Line(next(self._inclinations), self.tip)

    def put_on(self, line: Line) -> None:
        """Write a line down as an expression, and constrain the tip to it."""
        self.simulation.constrain("line", line.expression(*self._measures))

    def let_go(self) -> None:
        """Take the tip off its line, and let it move away a little."""
        self.simulation.release("line")
        self.go_on(0.005)

    def go_on(self, seconds: float) -> None:
        """Integrate on, then wait for native code that is being made."""
        self.simulation.advance(self.simulation.time + seconds)
        wait_for_compiler()


def wait_for_compiler() -> None:
    """Return when everything given to the background thread so far is done.

    >>> wait_for_compiler()
    """
    in_background(lambda: None).result()


def _rates(cell: NDArray[np.int64], simulation: Simulation) -> FloatArray:
    """The rates that a program gives at the state of a simulation."""
    state = np.array(simulation.state.values)
    out = np.empty(len(state))
    call_once(cell, simulation.time, state, simulation._context.values.vector, out)
    return out


def _embedded(simulation: Simulation) -> EmbeddedRunning:
    """What runs in the present mode of a simulation."""
    found = simulation._standing.mode.running
    assert isinstance(found, EmbeddedRunning)
    return found


def _check(what: str, found: FloatArray, expected: FloatArray) -> None:
    """A fast wrong answer is no answer."""
    difference = float(np.max(np.abs(found - expected)) / np.max(np.abs(expected)))
    if not difference <= AGREEMENT:
        raise ArithmeticError(
            f"accelerations of {what} differ by {difference:.2g} of the largest, at most {AGREEMENT:g} was expected; "
            "find out which of the two is wrong before timing them"
        )


# -- from a new constraint to the first step ------------------------------------------------------


@final
class SympyLines:
    """The same job by SymPy: KanesMethod with a dependent speed, lambdify, and the first accelerations.

    The bodies and their motion are there before the constraint, as detent's are.

    >>> upright = Line(np.pi / 2, (1.0, -1.0))  # it lets the level second rod fall, with (3/2) g / length
    >>> SympyLines(2).accelerations(upright, 0, np.array([0.0, np.pi / 2]), np.zeros(2)).round(9) + 0.0
    array([  0.   , -14.715])
    """

    def __init__(self, links: int) -> None:
        self._q, self._u = mechanics.dynamicsymbols(f"q:{links}"), mechanics.dynamicsymbols(f"u:{links}")
        self._ground = mechanics.ReferenceFrame("ground")
        self._bodies, self._loads = _rods(self._ground, self._q, self._u)
        angles = [sum(self._q[: number + 1]) for number in range(links)]
        length = sympy.nsimplify(LENGTH)
        self._tip = length * sum(map(sympy.sin, angles)), -length * sum(map(sympy.cos, angles))

    def accelerations(self, line: Line, dependent: int, angles: FloatArray, rates: FloatArray) -> FloatArray:
        """Everything from the line to the accelerations; the speed of number ``dependent`` depends on the others."""
        q, u = self._q, self._u
        free = [number for number in range(len(q)) if number != dependent]
        position = line.expression(*self._tip)
        motion = sum(position.diff(angle) * speed for angle, speed in zip(q, u, strict=True))
        kane = mechanics.KanesMethod(
            self._ground, [q[r] for r in free], [u[r] for r in free],
            [angle.diff() - speed for angle, speed in zip(q, u, strict=True)],
            q_dependent=[q[dependent]], configuration_constraints=[position],
            u_dependent=[u[dependent]], velocity_constraints=[motion],
        )  # fmt: skip
        kane.kanes_equations(self._bodies, self._loads)
        function = sympy.lambdify([q, u], [*kane.mass_matrix, *kane.forcing], modules="math", cse=True)
        values = np.array(function(angles.tolist(), rates.tolist()))
        solved = np.linalg.solve(values[: len(q) ** 2].reshape(len(q), len(q)), values[len(q) ** 2 :])
        result = np.empty(len(q))
        result[[*free, dependent]] = solved
        return result


def ready_rows(links: int, lines: int, by_sympy: int) -> list[Row]:
    """Time from a new constraint to the first step, and the same from its expression on beside SymPy.

    >>> [row.peer for row in ready_rows(2, lines=1, by_sympy=1)]
    ['limit', 'limit', 'SymPy', 'SymPy']
    """
    rows, written = [], {}
    for embedding, limits in READY_MS.items():
        ready, whole = _ready_seconds(links, embedding, lines)
        written[embedding] = float(np.median(whole))
        note = f"median of {lines}, {1e3 * ready.min():.3g} to {1e3 * ready.max():.3g} ms"
        what = f"{links} links, {embedding}, new constraint to first step"
        rows.append(Row.within(limits[links], what, ours=1e3 * float(np.median(ready)), unit="ms", note=note))
    theirs = 1e3 * _sympy_seconds(links, by_sympy)
    for embedding, ours in written.items():
        row = Row.at_least(
            FASTER_THAN_SYMPY if embedding == "numeric" else None, f"{links} links, {embedding}, from writing it down",
            ours=1e3 * ours, theirs=theirs, unit="ms", peer="SymPy", peer_version=sympy.__version__,
            note="KanesMethod, lambdify, first evaluation",
        )  # fmt: skip
        rows.append(row)
    return rows


def _ready_seconds(links: int, embedding: Embedding, lines: int) -> tuple[FloatArray, FloatArray]:
    """Seconds to the first step under each new line: as the mode reports it, and with writing the line down."""
    chain = TipOnLines(links, embedding)
    ready, whole = [], []
    for _ in range(lines):
        line = chain.new_line()
        began = time.perf_counter()
        chain.put_on(line)
        mode = chain.simulation._standing.mode
        chain.simulation.advance(chain.simulation.time + 0.005)
        assert mode.times.ready_seconds is not None
        ready.append(mode.times.ready_seconds)
        whole.append(mode.times.needed + mode.times.ready_seconds - began)
        chain.let_go()
    return np.array(ready), np.array(whole)


def _sympy_seconds(links: int, lines: int) -> float:
    """The median over some lines, whose accelerations are compared with ours."""
    chain, peer, seconds = TipOnLines(links, "numeric"), SympyLines(links), []
    for _ in range(lines):
        line, simulation = chain.new_line(), chain.simulation
        chain.put_on(line)
        (dependent,), state = _embedded(simulation).partition.dependent, simulation.state.values
        began = time.perf_counter()
        theirs = peer.accelerations(line, dependent, state[:links], state[links : 2 * links])
        seconds.append(time.perf_counter() - began)
        ours = _rates(simulation._standing.mode.running.rates, simulation)
        _check(f"{links} links on a line by SymPy and by detent", ours[links : 2 * links], theirs)
        chain.let_go()
    return float(np.median(seconds))


# -- pauses while native code is made -------------------------------------------------------------


@dataclass(frozen=True)
class Pauses:
    """Seconds from one piece of trajectory to the next, and which of them the system lengthened.

    >>> pauses = Pauses(np.array([1e-5, 4e-3, 2e-5]), np.array([False, True, False]))
    >>> str(pauses)
    'median 0.02 ms, 99.9 % 3.99 ms, longest 4 ms, 1 over 1 ms'
    >>> float(pauses.left_alone.max())
    2e-05
    """

    seconds: FloatArray
    taken_away: NDArray[np.bool_]
    """Whether the system gave the processor to another thread or program in the meantime."""

    @property
    def left_alone(self) -> FloatArray:
        """The pauses that are the library's own: its work, and waiting for Python's lock."""
        return self.seconds[~self.taken_away]

    def __str__(self) -> str:
        shown = (quantity(1e3 * float(np.percentile(self.seconds, percent)), "ms") for percent in (50.0, 99.9, 100.0))
        return "median {}, 99.9 % {}, longest {}, {} over 1 ms".format(*shown, int(np.sum(self.seconds > PERIOD)))


def pause_rows(links: int, lines: int) -> list[Row]:
    """The longest pause, with and without those that the system lengthened, beside a loop in which nothing is made.

    >>> [row.unit for row in pause_rows(2, lines=1)]
    ['ms', 'ms', 'ms']
    """
    busy, quiet = _pauses(links, lines)
    what = f"{links} links, live, a loop in Python, a period a call: longest pause until native code runs"
    alone = f"{np.sum(busy.taken_away)} of {len(busy.seconds)} left out"
    note = f"{busy}, {lines} modes; when nothing is made: {quiet}"
    late, floor = (1e3 * float(np.percentile(pauses.seconds, 99.9)) for pauses in (busy, quiet))
    longest, own = (1e3 * float(values.max(initial=0.0)) for values in (busy.seconds, busy.left_alone))
    quietest = 1e3 * float(quiet.seconds.max())
    peer = "when nothing is made"
    return [
        Row.at_most(None, what, ours=longest, theirs=quietest, unit="ms", peer=peer, note=note),
        Row.at_most(
            None, f"{what}, processor not taken away", ours=own, theirs=quietest, unit="ms", peer=peer, note=alone
        ),
        Row.at_most(
            None, f"{links} links, live, 99.9 % of pauses until native code runs", ours=late, theirs=floor, unit="ms",
            peer=peer,
        ),
    ]  # fmt: skip


def _pauses(links: int, lines: int) -> tuple[Pauses, Pauses]:
    """The pauses from a new line until native code runs, and as many afterwards.

    A loop as a servo has it, a period at a time, but without waiting for the period to pass: so nearly every moment of
    the compiler's work meets a step. The quiet pauses follow the busy ones of the same mode, so that what other
    programs do to the clock is in both.
    """
    busy: list[tuple[float, bool]] = []
    quiet: list[tuple[float, bool]] = []
    with cold_cache(), nothing_left_to_collect():
        chain = TipOnLines(links, "live", method="rk4", step=STEP)
        for _ in range(lines):
            chain.put_on(chain.new_line())
            _loop(chain.simulation, busy, partial(_is_native, chain.simulation))
            wait_for_compiler()
            _loop(chain.simulation, quiet, lambda: len(quiet) >= len(busy))
            chain.let_go()
    both = (zip(*pauses, strict=True) for pauses in (busy, quiet))
    first, second = (Pauses(np.array(seconds), np.array(taken)) for seconds, taken in both)
    return first, second


@contextmanager
def nothing_left_to_collect() -> Iterator[None]:
    """Spare the garbage collector what was there before: all that SymPy keeps would make each collection a long one."""
    gc.collect()
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


def _times_taken_away() -> int:
    """How often the system has taken the processor from this thread; always 0 where it does not tell."""
    if sys.platform == "linux":
        return resource.getrusage(resource.RUSAGE_THREAD).ru_nivcsw
    return 0


def _is_native(simulation: Simulation) -> bool:
    """Whether the equations that were made beside the run have been swapped in."""
    return _embedded(simulation).program is not None


def _loop(simulation: Simulation, pauses: list[tuple[float, bool]], done: Callable[[], bool]) -> None:
    last, times_taken = time.perf_counter(), _times_taken_away()
    for _ in range(MOST_PERIODS):
        simulation.advance(simulation.time + PERIOD)
        now, times_taken_now = time.perf_counter(), _times_taken_away()
        pauses.append((now - last, times_taken_now > times_taken))
        if done():
            return
        last, times_taken = now, times_taken_now
    raise RuntimeError(
        f"no native code for the mode '{simulation.mode}' was found after {MOST_PERIODS} periods, it was expected in "
        "less than a second; look for an error in the background thread"
    )


# -- the cost of a step ---------------------------------------------------------------------------


def _constrained(links: Sequence[int]) -> dict[str, Simulation]:
    """Simulations that stand in a constrained mode: chains, and a linkage."""
    found = {}
    for number in links:
        chain = TipOnLines(number, "symbolic")
        chain.put_on(chain.new_line())
        found[f"{number} links, tip on a line"] = chain.simulation
    return found | {"four-bar linkage": Simulation(example("four-bar-chain", loops=1).system, embedding="symbolic")}


def multiplier_program(compiled: CompiledSystem, rows: Sequence[RowNodes]) -> Program:
    """The rates of the same mode with multipliers, index 1, in code as straight as that of the minimal form.

        (B M^-1 B^T) lambda = gamma - B M^-1 f,        u' = M^-1 (f + B^T lambda)

    One factorisation of M serves f and every row of B. Nothing keeps such a solution on its constraints; terms that
    do would only add to the cost of a step.

    >>> chain = TipOnLines(2, "symbolic")
    >>> chain.put_on(chain.new_line())
    >>> rows = chain.simulation._standing.mode.running.active.rows
    >>> multiplier_program(chain.simulation._context.compiled, rows).size
    5
    """
    equations = compiled.equations
    graph, quantities, M = equations.graph, equations.quantities, equations.mass_matrix
    B = [[row.B.get(r, graph.zero) for r in range(len(M))] for row in rows]
    free = solve_symmetric(graph, M, equations.forcing)
    moved = [solve_symmetric(graph, M, line) for line in B]  # M^-1 B^T, one row of constraints each
    square = [[graph.dot(line, column) for column in moved] for line in B]
    right = [row.gamma - graph.dot(line, free) for row, line in zip(rows, B, strict=True)]
    multipliers = solve_symmetric(graph, square, right)
    rates = [value + graph.dot([column[r] for column in moved], multipliers) for r, value in enumerate(free)]
    constant, factors = equations.power_parts
    power = constant + graph.dot(factors, rates)
    return compiled.program([*quantities.q_rates, *rates, *quantities.s_rates, power])


def step_rows(what: str, simulation: Simulation, budget_s: float) -> list[Row]:
    """A step of each form, free to drift and with the state brought back onto the constraints after it.

    >>> linkage = Simulation(example("four-bar-chain", loops=1).system, embedding="symbolic")
    >>> [row.peer for row in step_rows("linkage", linkage, budget_s=0.1)]
    ['multipliers', 'multipliers']
    """
    mode, running = simulation._standing.mode, _embedded(simulation)
    assert running.program is not None
    minimal, multipliers = running.program, multiplier_program(simulation._context.compiled, running.active.rows)
    wait_for_compiler()
    minimal.compile()
    multipliers.compile()
    expected = _rates(minimal.cell, simulation)
    _check(f"{what} with multipliers and in minimal form", _rates(multipliers.cell, simulation), expected)
    instructions = f"{len(minimal.tape)} / {len(multipliers.tape)} instructions"
    rows = []
    for correction, how in ((None, "not corrected"), (running.correction, "corrected")):
        ours, theirs = (_batch(simulation, mode, program, correction) for program in (minimal, multipliers))
        seconds = interleaved({"ours": ours, "theirs": theirs}, budget_s)
        row = Row.at_least(
            1.0, f"{what}, step of RK4, {how}", ours=1e6 * seconds["ours"], theirs=1e6 * seconds["theirs"], unit="us",
            peer="multipliers", note=instructions,
        )  # fmt: skip
        rows.append(row)
    return rows


def _batch(simulation: Simulation, mode: RunningMode, program: Program, correction: NDArray[np.int64] | None) -> Batch:
    state = np.array(simulation.state.values)
    solver = Solver(
        program.cell, correction, width=len(state), values=simulation._context.values.vector, method="rk4", step=STEP,
        owner=(simulation, mode, program),
    )  # fmt: skip
    return Batch(partial(_steps, solver, simulation.time, state), STEPS)


def _steps(solver: Solver, start: float, state: FloatArray) -> list[TrajectoryPiece]:
    kept: list[TrajectoryPiece] = []
    solver.start(start, state)
    status = solver.advance(start + STEPS * STEP, kept.append)
    if status.failed:
        raise ArithmeticError(f"the steps to be timed ended with {status}; find a start from which they can be taken")
    return kept
