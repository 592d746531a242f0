"""How much of its past a run keeps: everything up to a bound, the last seconds, or its events."""

from __future__ import annotations

import itertools
import weakref
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sympy

import detent
from detent.formulation.workshop import MOST_YOUNG
from detent.jit.background import in_background
from detent.jit.program import Program
from detent.results.outcome import Outcome
from detent.simulation.account import Account
from detent.simulation.keeping import MOST_BYTES
from detent.simulation.record import MOST_MODES
from detent.simulation.simulation import Simulation
from tests.unit.simulation.systems import block, oscillator

DOCUMENTATION = Path(__file__).parents[3] / "docs" / "running.md"


def bouncing(**settings: Any) -> Simulation:
    """A ball that bounces for ever, up to 1 m: strikes at 0.4515 s, then every 0.903 s."""
    return Simulation(
        detent.example("bouncing-ball").automaton, start={"y": 1, "v": 0}, parameters={"c": 1}, embedding="symbolic",
        **settings,
    )  # fmt: skip


def pushed(**settings: Any) -> Simulation:
    """A block whose push changes every 0.1 s."""
    push = detent.Sampled(0.1, lambda t, state: -state["x"] + round(10 * t) % 2)
    return Simulation(block(push), method="rk4", step=0.01, embedding="symbolic", **settings)


# -- everything, up to a bound -----------------------------------------------------------------------


def test_the_bound_is_the_one_that_the_documentation_states() -> None:
    assert MOST_BYTES == 2**30
    assert "2**30 bytes" in DOCUMENTATION.read_text(encoding="utf-8")
    assert Simulation(oscillator(), embedding="symbolic").most_bytes == MOST_BYTES


def test_a_run_that_keeps_too_much_stops_and_says_what_to_do() -> None:
    with pytest.raises(detent.SimulationError, match=r"keeps .* of at most 50 kB.*keep=10.*most_bytes=") as caught:
        detent.simulate(oscillator(), 1000, method="rk4", step=0.01, most_bytes=50_000)
    assert caught.value.run is not None
    assert caught.value.run.outcome is Outcome.RECORD_FULL
    assert 0 < caught.value.run.t[-1] < 1000


def test_a_run_stopped_at_its_bound_goes_on_when_more_is_allowed(tmp_path: Path) -> None:
    simulation = Simulation(oscillator(), method="rk4", step=0.01, embedding="symbolic", most_bytes=50_000)
    with pytest.raises(detent.SimulationError):
        simulation.advance(100)
    simulation.checkpoint(tmp_path / "full.json")
    simulation.most_bytes = MOST_BYTES
    simulation.advance(100)
    resumed = detent.resume(oscillator(), tmp_path / "full.json")
    resumed.advance(100)
    whole = detent.simulate(oscillator(), 100, method="rk4", step=0.01)
    assert simulation.state.values.tolist() == resumed.state.values.tolist() == whole.trajectory.state[-1].tolist()
    assert np.array_equal(simulation.result().trajectory.state, whole.trajectory.state)


def test_what_a_run_counts_is_the_size_of_what_it_gives() -> None:
    simulation = pushed()
    simulation.advance(50)
    run = simulation.result()
    arrays = [run.t, run.trajectory.state, run.trajectory.rate, run.trajectory.dense, run.kinetic, run.potential]
    size = sum(array.nbytes for array in arrays if array is not None)
    assert size <= simulation._context.record.nbytes <= 1.5 * size


@pytest.mark.parametrize("keep", ["everything", "events", 2.0])
@pytest.mark.parametrize("begun", [bouncing, pushed])
def test_the_size_that_a_run_counts_follows_all_that_changes_it(begun: Any, keep: Any) -> None:
    simulation = begun(keep=keep)
    record, account, history = (
        simulation._context.record,
        simulation._context.record.account,
        simulation._context.record.history,
    )
    for until in (0.3, 1.0, 6.0, 12.0):
        simulation.advance(until)
        for look in (lambda: None, lambda: history.events, record.settle, simulation.result):
            look()
            worked_out = sum(column.nbytes for column in account._columns.values()) + account._reaction_bytes
            waiting = sum(batch.nbytes for batch in history._waiting)
            told = history._events.nbytes + history._segments.nbytes
            assert record.nbytes == record.recorder.nbytes + worked_out + waiting + told


@pytest.mark.parametrize("keep", ["all", 0, -1, float("nan"), float("inf"), None, True, [1]])
def test_what_cannot_be_kept_is_refused(keep: Any) -> None:
    with pytest.raises(detent.ValueProblem, match=r"keep is .*'everything', 'events'.* seconds"):
        detent.simulate(oscillator(), 1, keep=keep)


def test_times_and_keep_exclude_each_other() -> None:
    with pytest.raises(detent.ValueProblem, match="both times= and keep='events'"):
        detent.simulate(oscillator(), 1, times=[0.5], keep="events")


@pytest.mark.parametrize("most_bytes", [0, -1, "much", True, float("nan")])
def test_a_bound_must_be_a_size(most_bytes: Any) -> None:
    with pytest.raises(detent.ValueProblem, match=r"most_bytes is .* number of bytes"):
        detent.simulate(oscillator(), 1, most_bytes=most_bytes)


# -- the last seconds --------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [pushed, bouncing])
def test_the_last_seconds_are_those_of_the_whole_run(make: Any) -> None:
    whole, last = make(), make(keep=2.5)
    for simulation in (whole, last):
        for until in (10, 20, 31.4):
            simulation.advance(until)
    run, part = whole.result(), last.result()
    count = len(part.t)
    assert part.t[0] <= 31.4 - 2.5 < part.t[1]
    for name in run.names:
        assert np.array_equal(run[name][-count:], part[name], equal_nan=True), name
    assert part.at(30.0).values.tolist() == run.at(30.0).values.tolist()
    assert list(part.events) == [event for event in run.events if event.time >= part.t[0]]
    assert part.audit == run.audit


def test_a_run_says_that_it_kept_its_last_seconds_only() -> None:
    simulation = bouncing(keep=2.5)
    simulation.advance(100)
    run = simulation.result()
    assert run.outcome is Outcome.COMPLETED
    whole = bouncing()
    whole.advance(100)
    gone = len(whole.events) - len(run.events)
    assert gone > 100
    assert run.message == f"kept from t = {run.t[0]:.9g} on (keep=2.5); {gone} earlier events were let go"


@pytest.mark.parametrize("make", [pushed, bouncing])
def test_a_longer_run_keeps_no_more(make: Any) -> None:
    simulation, sizes = make(keep=1.0), []
    for until in (20, 200):
        while simulation.time < until:
            simulation.advance(simulation.time + 1.0)
        simulation.result()
        sizes.append(simulation._context.record.nbytes)
    assert sizes[1] <= 1.2 * sizes[0]


def test_a_run_that_keeps_its_last_seconds_may_take_any_number_of_steps() -> None:
    run = detent.simulate(oscillator(), 300, method="rk4", step=1e-4, keep=1.0, most_bytes=10_000_000)
    assert run.timing is not None
    assert run.timing.steps == 3_000_000


# -- events only -------------------------------------------------------------------------------------


def test_with_events_alone_the_states_before_and_after_them_are_kept() -> None:
    whole, events = bouncing(), bouncing(keep="events")
    for simulation in (whole, events):
        for until in (10, 20, 31.4):
            simulation.advance(until)
    run, part = whole.result(), events.result()
    assert part.events == run.events
    jumps = np.flatnonzero(np.diff(run.t) == 0)
    nodes = [0, *np.stack([jumps, jumps + 1]).T.ravel(), len(run.t) - 1]
    assert len(jumps) == len(run.events)
    for name in run.names:
        assert np.array_equal(run[name][nodes], part[name]), name
    assert part.audit == run.audit
    with pytest.raises(detent.DetentError, match="keep='events'"):
        part.at(0.1)


def test_constraints_that_come_and_go_are_events_too() -> None:
    x = (system := oscillator()).coordinate_list[0]
    whole, events = (
        Simulation(system, method="rk4", step=0.01, embedding="numeric", keep=keep) for keep in ("everything", "events")
    )
    for simulation in (whole, events):
        for number in range(3):
            simulation.advance(simulation.time + 0.5)
            simulation.constrain(f"catch {number}", x - simulation.value(x))
            simulation.advance(simulation.time + 0.5)
            simulation.release(f"catch {number}")
        simulation.advance(4)
    run, part = whole.result(), events.result()
    assert part.events == run.events
    assert len(part.t) == 2 * len(run.events.of_kind("transition")) + 2
    places = np.searchsorted(run.t, part.t[1:-1:2])
    for name in ("reaction of catch 0", "reaction of catch 2"):
        assert np.array_equal(run[name][places], part[name][1:-1:2], equal_nan=True), name
        assert np.isfinite(part[name]).any()


# -- putting it together -----------------------------------------------------------------------------


def test_every_node_is_worked_out_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """However often the run so far is looked at, and however many segments it has."""
    nodes: list[int] = []
    whole = Account.worked_out

    def counted(self: Account, segments: Any, time: np.ndarray, *more: Any) -> Any:
        nodes.append(len(time))
        return whole(self, segments, time, *more)

    monkeypatch.setattr(Account, "worked_out", counted)
    simulation = pushed()
    for until in range(1, 6):
        simulation.advance(until)
        simulation.result()
    assert sum(nodes) == len(simulation.result().t)
    assert len(simulation._context.history.segments.first) == 50


def test_equal_segments_that_follow_are_one() -> None:
    simulation = bouncing()
    simulation.advance(50)
    assert len(simulation.events) == 55
    assert len(simulation._context.history.segments.first) == 1


def test_a_run_so_far_stays_as_it_was() -> None:
    simulation = pushed(keep=1.0)
    simulation.advance(3)
    run = simulation.result()
    before = [run.trajectory.state.tolist(), run.energy.tolist(), [event.time for event in run.events]]
    simulation.advance(10)
    simulation.result()
    assert [run.trajectory.state.tolist(), run.energy.tolist(), [event.time for event in run.events]] == before


def test_a_live_run_keeps_few_of_the_modes_that_come_and_go() -> None:
    x = (system := oscillator()).coordinate_list[0]
    simulation, sizes = Simulation(system, method="rk4", step=0.01, embedding="numeric", keep=0.5), []
    for number in range(8 * MOST_MODES):
        simulation.constrain("catch", x - simulation.value(x))
        simulation.advance(simulation.time + 0.03)
        simulation.release("catch")
        simulation.advance(simulation.time + 0.03)
        if number >= 2 * MOST_MODES:
            sizes.append((simulation._context.record.nbytes, len(simulation._context.workshop._active)))
    assert simulation._context.history.segments.modes <= MOST_MODES + 2
    assert max(size for size, _ in sizes) <= 1.5 * min(size for size, _ in sizes)
    assert max(known for _, known in sizes) <= 4 * MOST_MODES
    assert np.isfinite(simulation.result().reactions["catch"]).any()


@pytest.mark.parametrize("embedding", ["numeric", "symbolic", "live"])
def test_constraints_written_anew_are_not_kept(embedding: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """After twice as many of them no more is held: nodes of the graph, what is remembered of them, programs, modes."""
    programs = weakref.WeakSet[Program]()
    whole = Program.__init__

    def init(self: Program, *given: Any) -> None:
        programs.add(self)
        whole(self, *given)

    monkeypatch.setattr(Program, "__init__", init)
    x = (system := oscillator()).coordinate_list[0]
    simulation = Simulation(system, method="rk4", step=0.01, embedding=embedding, keep=0.2)
    quantities, numbers = simulation._context.compiled.equations.quantities, itertools.count(1)

    def held(cycles: int) -> np.ndarray:
        """The most that was held in so many cycles."""
        most = np.zeros(5, dtype=int)
        for number in itertools.islice(numbers, cycles):
            written = sympy.sin(sympy.Rational(number, 7) * x) + x
            simulation.constrain("catch", written - simulation.value(written))
            simulation.advance(simulation.time + 0.03)
            in_background(lambda: None).result()
            simulation.release("catch")
            simulation.advance(simulation.time + 0.03)
            derivatives = [quantities._change, *quantities._partials.values()]
            known = len(quantities.convert._known), sum(len(derivative._known) for derivative in derivatives)
            counts = len(quantities.graph), *known, len(programs), simulation._context.history.segments.modes
            most = np.maximum(most, counts)
        return most

    begun = held(3 * MOST_MODES)
    assert (held(3 * MOST_MODES) <= 1.2 * begun).all()


def test_expressions_that_are_only_looked_at_are_not_kept() -> None:
    x = (system := oscillator()).coordinate_list[0]
    simulation = Simulation(system, method="rk4", step=0.01, embedding="numeric", keep=0.2)
    graph = simulation._context.compiled.equations.graph
    for number in range(1, MOST_YOUNG):
        assert simulation.value(number * x + number) == pytest.approx(number * simulation.value(x) + number)
    assert graph.young > MOST_YOUNG
    simulation.advance(0.1)
    assert graph.young < MOST_YOUNG / 10
    assert simulation.value(2 * x + 2) == pytest.approx(2 * simulation.value(x) + 2)
