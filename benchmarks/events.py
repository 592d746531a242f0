"""Events: what they cost while a run goes on, how exact they are, and how soon the mode behind one is ready.

The kneed walker: a step of RK4 with all guards of the mode looked at, beside the rate that seed 004 reports for this
model; and a walk of many steps, beside SciPy's ``solve_ivp`` with events on equations written by hand in NumPy. The
bouncing ball: bounces in ever shorter time, beside heyoka; and very many bounces of a ball that loses no speed, beside
fewer: what an event costs does not grow with their number. The three examples of seed 000: from the event that needs a
mode for the first time to the first step in it, derived then or beforehand.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import numpy as np

from detent.formulation.compiled import Embedding
from detent.gallery.example import Example, example
from detent.results.timing import ModeTiming
from detent.simulation.simulation import Simulation

from .derivation import cold_cache
from .embedding import wait_for_compiler
from .peers import GRAVITY, PeerMissing
from .peers.heyoka_ball import HeyokaBall
from .peers.scipy_walker import ScipyWalker
from .runner import Row, quantity
from .timing import Batch, interleaved

TITLE = "a walker's steps with guards, a ball's bounces, and the time until a mode behind an event is ready"

STEP: Final = 1e-3
"""A step of RK4 (s); the seed does not tell its own."""

SEED_RATE: Final = 17e3
"""Steps per second of flow and jump functions that seed 004 reports for the walker (section 3.2, Intel i7-7700)."""

FASTER_THAN_SEED: Final = 20.0
FASTER_THAN_SCIPY: Final = 100.0

METHODS: Final = {"dop853": "DOP853", "dopri5": "RK45"}
"""The same Runge-Kutta pairs under detent's names and SciPy's."""

WALK_RTOL: Final = 1e-8
LOOSE: Final = 1e-3
"""Relative tolerances; the loose one leaves the step to its upper bound."""

AGREEMENT: Final = 1e-6
"""How far a heel strike may be off, s."""

PERIOD: Final = 0.61048535108
"""Of the limit cycle on which both walkers start, s."""

BOUNCES: Final = 20
"""Half as high a speed each time; after some 27 of them heyoka loses the ball."""

HEIGHT, RESTITUTION = 1.0, 0.5
DROPS: Final = 4
"""Drops in a row, of ours as of the peer's; after the first, all that they need is in the processor's caches."""
BOUNCE_ERROR: Final = 1e-13
SLOWER_THAN_HEYOKA: Final = 2.7

LINEAR: Final = 1.2
"""What an event of very many may cost of one of fewer; 1 where nothing grows with their number."""
READINGS: Final = 10
"""Of many events and of fewer, in turn: a run of a tenth of a second seldom has the processor's caches for itself."""
BYTES_PER_EVENT: Final = 450.0
"""What a run may keep for a bounce: two nodes of 152 bytes with 16 for their energies, and some 40 for the event."""

SEED_EXAMPLES: Final = ("disk-on-ramp", "adjustable-fence", "conveyor-pendulum")
READY_MS: Final[dict[tuple[Embedding, bool], float]] = {
    ("numeric", False): 1.0, ("symbolic", False): 5.0, ("numeric", True): 0.2, ("symbolic", True): 0.2,
}  # fmt: skip
"""Milliseconds until a mode is ready, at most, by embedding and whether it was derived beforehand."""

PIECES: Final = 100
"""A run is advanced in so many pieces, so short that no mode is entered and left within one."""

READY_RUNS: Final = 9
"""Runs, each of a new model, whose median counts."""


def run(quick: bool) -> list[Row]:
    """Rows of all three parts.

    >>> {row.unit for row in run(quick=True)} == {"us", "ms", "s", "bytes"}
    True
    """
    budget_s, runs = (0.2, 1) if quick else (4.0, READY_RUNS)
    rows = [step_row(budget_s / 4), *walk_rows(steps=2 if quick else 20, budget_s=budget_s), *ball_rows(budget_s)]
    rows += many_rows(1_000, 2_000) if quick else many_rows(10_000, 100_000)
    for name in SEED_EXAMPLES[:1] if quick else SEED_EXAMPLES:
        rows += ready_rows(name, runs)
    return rows


# -- the walker -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Walk:
    """A walker that has been through all its modes, so that all their code is native, and goes on from there."""

    simulation: Simulation

    @classmethod
    def begun(cls, **settings: Any) -> Walk:
        """The walker after two steps, one with each leg.

        >>> Walk.begun(method="rk4", step=1e-3).simulation.time > 2 * PERIOD
        True
        """
        simulation = Simulation(_automaton(example("kneed-walker")), embedding="symbolic", **settings)
        simulation.advance(4.5 * PERIOD)
        wait_for_compiler()
        return cls(simulation)

    def go_on(self, steps: int) -> None:
        """So many steps of the walker."""
        self.simulation.advance(self.simulation.time + steps * PERIOD)


def step_row(budget_s: float) -> Row:
    """A step of RK4 with the guards of its mode, every state kept, events and impacts included.

    >>> step_row(budget_s=0.1).unit
    'us'
    """
    walk, steps = Walk.begun(method="rk4", step=STEP), 10
    batch = Batch(lambda: walk.go_on(steps), round(steps * PERIOD / STEP))
    seconds = interleaved({"steps": batch}, budget_s)["steps"]
    return Row.at_least(
        FASTER_THAN_SEED, f"kneed-walker, step of RK4 (h = {STEP:g} s) with guards", ours=1e6 * seconds,
        theirs=1e6 / SEED_RATE, unit="us", peer="seed 004", peer_version="as published",
        note=f"{1e-3 / seconds:.0f} kHz against {1e-3 * SEED_RATE:g} kHz on an i7-7700",
    )  # fmt: skip


def walk_rows(steps: int, budget_s: float) -> list[Row]:
    """Wall time per simulated second, and how exact both walks are: by the same pair with the same tolerances, and with
    the same step, where SciPy has no RK4 and its RK45 takes six evaluations for RK4's four.

    >>> [row.peer for row in walk_rows(steps=1, budget_s=0.1)]
    ['SciPy', 'SciPy', 'SciPy']
    """
    pairs = {
        f"{ours}, rtol {WALK_RTOL:g}": (Walk.begun(method=ours, rtol=WALK_RTOL), ScipyWalker(WALK_RTOL, theirs))
        for ours, theirs in METHODS.items()
    }
    fixed = Walk.begun(method="rk4", step=STEP), ScipyWalker(LOOSE, "RK45", longest_step=STEP)
    pairs[f"RK4 / RK45, step {STEP:g} s"] = fixed
    return [_walk_row(how, walk, peer, steps, budget_s) for how, (walk, peer) in pairs.items()]


def _walk_row(how: str, walk: Walk, peer: ScipyWalker, steps: int, budget_s: float) -> Row:
    # Pieces of some milliseconds each: a longer one would meet more of what else the machine does.
    both = interleaved(
        {"ours": Batch(partial(walk.go_on, 10), 10), "theirs": Batch(partial(peer.walk, 1), 1)}, budget_s
    )
    peer.walk(max(0, steps - len(peer.heel_strikes)))
    strikes = [event.time for event in walk.simulation.events if event.name.endswith("heel strikes")]
    errors = [_cycle_error(times[:steps]) for times in (strikes, peer.heel_strikes)]
    ours, theirs = (1e3 * seconds / PERIOD for seconds in both.values())
    return Row.at_least(
        FASTER_THAN_SCIPY, f"kneed-walker, one second of walking by {how}", ours=ours, theirs=theirs, unit="ms",
        peer=peer.name, peer_version=peer.version,
        note=f"heel strikes of {steps} steps off by {errors[0]:.1e} / {errors[1]:.1e} s",
    )  # fmt: skip


def _cycle_error(strikes: Sequence[float]) -> float:
    """How far heel strikes are from the multiples of the period, s; a fast wrong answer is no answer."""
    error = float(np.max(np.abs(np.array(strikes) - PERIOD * np.arange(1, len(strikes) + 1))))
    if not error <= AGREEMENT:
        raise ArithmeticError(
            f"a heel strike was found {error:.2g} s off the limit cycle, at most {AGREEMENT:g} s were expected; find "
            "out which of the two walkers stumbles before timing them"
        )
    return error


# -- the ball -------------------------------------------------------------------------------------


def bounce_times(count: int) -> list[float]:
    """When a ball dropped from HEIGHT strikes the floor: t_0 (1 + 2 (c + ... + c^i)), t_0 the time of the fall.

    >>> round(bounce_times(2)[1] / bounce_times(1)[0], 12)
    2.0
    """
    fall = (2 * HEIGHT / GRAVITY) ** 0.5
    return [fall * (1 + 2 * sum(RESTITUTION**power for power in range(1, number + 1))) for number in range(count)]


def ball_rows(budget_s: float) -> list[Row]:
    """The time that a number of bounces takes, and how exact they are.

    >>> ball_rows(budget_s=0.1)[0].met
    True
    """
    expected = bounce_times(BOUNCES + 1)
    until = (expected[-2] + expected[-1]) / 2
    what = f"bouncing-ball, {BOUNCES} bounces"
    peer: HeyokaBall | PeerMissing
    try:
        peer = HeyokaBall.build(HEIGHT, RESTITUTION)
    except PeerMissing as missing:
        peer = missing
    ours, theirs, times = _drops(until, peer, budget_s)
    rows = [Row.within(BOUNCE_ERROR, f"{what}, largest error of a time", ours=_error(times, expected), unit="s")]
    if isinstance(peer, PeerMissing):
        return [*rows, Row.without_peer(what, ours=1e3 * ours, unit="ms", peer=HeyokaBall.name, missing=peer)]
    note = f"largest error of theirs {_error(peer.drop(until), expected):.1e} s"
    row = Row.at_most(
        SLOWER_THAN_HEYOKA, what, ours=1e3 * ours, theirs=1e3 * theirs, unit="ms", peer=peer.name,
        peer_version=peer.version, note=note,
    )  # fmt: skip
    return [*rows, row]


def _drops(until: float, peer: HeyokaBall | PeerMissing, budget_s: float) -> tuple[float, float, list[float]]:
    """Seconds that our ball and the peer's take, the best of many in turn, and the times of our bounces.

    A simulation cannot be set back, so each ball of ours is a new one: as many are made as are dropped in a row, and
    only their advance is timed. The peer's is set back each time.
    """
    automaton, ours, theirs, times = _automaton(example("bouncing-ball")), float("inf"), float("inf"), list[float]()
    deadline = time.perf_counter() + budget_s
    while time.perf_counter() < deadline or not times:
        start, parameters = {"y": HEIGHT, "v": 0}, {"c": RESTITUTION, "g": GRAVITY}
        balls = [Simulation(automaton, start=start, parameters=parameters, embedding="symbolic") for _ in range(DROPS)]
        for ball in balls:
            began = time.perf_counter()
            ball.advance(until)
            ours = min(ours, time.perf_counter() - began)
        for _ in range(DROPS if isinstance(peer, HeyokaBall) else 0):
            began = time.perf_counter()
            peer.drop(until)
            theirs = min(theirs, time.perf_counter() - began)
        times = [event.time for event in balls[-1].events]
    return ours, theirs, times


def _error(times: Sequence[float], expected: Sequence[float]) -> float:
    if len(times) != BOUNCES:
        raise ArithmeticError(f"{len(times)} bounces were found, {BOUNCES} were expected; find out who lost the ball")
    return float(np.max(np.abs(np.array(times) - expected[:BOUNCES])))


def many_rows(few: int, many: int) -> list[Row]:
    """What a bounce costs in a run of many of them, from its start to the finished run, and what is kept for it.

    >>> [row.unit for row in many_rows(100, 200)]
    ['us', 'bytes']
    """
    seconds, kept = {few: float("inf"), many: float("inf")}, 0.0
    for _ in range(READINGS):
        for bounces in seconds:
            taken, kept = _many_bounces(bounces)
            seconds[bounces] = min(seconds[bounces], taken)
    what = f"bouncing-ball, {many} bounces without loss"
    row = Row.at_most(
        LINEAR, f"{what}, one bounce", ours=1e6 * seconds[many], theirs=1e6 * seconds[few], unit="us",
        peer=f"{few} bounces",
    )  # fmt: skip
    return [row, Row.within(BYTES_PER_EVENT, f"{what}, kept for a bounce", ours=kept, unit="bytes")]


def _many_bounces(bounces: int) -> tuple[float, float]:
    """Seconds of the processor and bytes for each bounce of a ball that loses no speed."""
    period = 2.0 * (2.0 * HEIGHT / GRAVITY) ** 0.5
    ball = Simulation(
        _automaton(example("bouncing-ball")), start={"y": HEIGHT, "v": 0}, parameters={"c": 1, "g": GRAVITY},
        embedding="symbolic",
    )  # fmt: skip
    began = time.thread_time()  # by the clock, the longer run would be charged for more of what others do meanwhile
    ball.advance(bounces * period)
    found = len(ball.result().events)
    if found != bounces:
        raise ArithmeticError(f"{found} bounces were found, {bounces} were expected; find out who lost the ball")
    return (time.thread_time() - began) / bounces, ball._context.record.nbytes / bounces


# -- the modes of the first seed's examples -------------------------------------------------------


def ready_rows(name: str, runs: int) -> list[Row]:
    """How long the slowest mode of an example takes until it is ready, by embedding, prefetched or not.

    >>> [row.unit for row in ready_rows("disk-on-ramp", runs=1)]
    ['ms', 'ms', 'ms', 'ms']
    """
    return [_ready_row(name, embedding, prefetch, runs) for embedding, prefetch in READY_MS]


def _ready_row(name: str, embedding: Embedding, prefetch: bool, runs: int) -> Row:
    found: dict[str, list[ModeTiming]] = {}
    for _ in range(runs):
        built = example(name)
        script = partial(_unhurried, script=built.settings.get("script"))
        with cold_cache():
            result = built.simulate(embedding=embedding, modes="ahead" if prefetch else "lazy", script=script)
        assert result.timing is not None
        for mode in result.timing.modes[1:]:  # the first is there before the run, no event needs it
            found.setdefault(mode.mode, []).append(mode)
    medians = {mode: float(np.median([each.ready_ms for each in times])) for mode, times in found.items()}
    what = f"{name}, {embedding}, {'prefetched' if prefetch else 'not prefetched'}, slowest mode ready"
    note = [f"{mode} {quantity(median, 'ms')}" for mode, median in medians.items()]
    late = {mode: sum(not each.prefetched for each in times) for mode, times in found.items() if prefetch}
    note += [f"{mode} came late {times} times" for mode, times in late.items() if times]
    return Row.within(
        READY_MS[embedding, prefetch], what, ours=max(medians.values()), unit="ms", note=", ".join(note)
    )  # fmt: skip


def _unhurried(simulation: Simulation, until: float, script: Callable[[Simulation, float], None] | None) -> None:
    """Give the background thread the time that it has in a run that keeps pace with the clock."""
    if script is not None:
        script(simulation, until)
    while simulation.time < until:
        simulation.advance(min(simulation.time + until / PIECES, until))
        wait_for_compiler()


def _automaton(built: Example) -> Any:
    assert built.automaton is not None
    return built.automaton
