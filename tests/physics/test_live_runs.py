"""Live runs: another thread takes the trajectory and others look on; the motion is what it would be without them."""

from __future__ import annotations

import gc
import signal
import threading
import time

import numpy as np
import pytest

import detent
from detent.formulation.compiled import Embedding
from detent.formulation.embedded import EmbeddedRunning
from detent.jit.program import in_background
from tests.physics.test_choosing_again import bead_on_a_circle, bead_on_a_sphere
from tests.unit.stepping.hooks import AfterSteps

PATIENCE = 60.0
"""Seconds in which a thread that was told to end has done so, whatever else the machine has to do."""


def relays() -> set[threading.Thread]:
    return {thread for thread in threading.enumerate() if thread.name == "detent-handover"}


def test_runs_leave_no_threads_behind() -> None:
    before = relays()
    for _ in range(8):
        detent.simulate(bead_on_a_circle(), 0.5, embedding="live")
    in_background(lambda: None).result()
    gc.unfreeze()  # a live run sets aside what exists; what became garbage since then is looked at again
    gc.collect()
    most = 3  # whatever was used last may still be held; the others have been told to end
    left = time.monotonic() + PATIENCE
    while len(relays() - before) > most and time.monotonic() < left:
        time.sleep(1e-3)
    assert len(relays() - before) <= most


def test_a_run_that_follows_an_automaton_has_no_handover() -> None:
    before = set(threading.enumerate())
    simulation = detent.Simulation(detent.example("bouncing-ball").automaton, embedding="live")
    simulation.advance(0.1)
    assert not [thread for thread in set(threading.enumerate()) - before if thread.name == "detent-handover"]


@pytest.mark.parametrize("steps", [1, 100, 1000, 5000])
@pytest.mark.parametrize("embedding", ["live", "numeric"])
def test_an_interrupt_loses_no_step(embedding: Embedding, steps: int) -> None:
    simulation = detent.Simulation(bead_on_a_sphere(), embedding=embedding)
    hook = AfterSteps(simulation._context.solver, {steps: lambda: signal.raise_signal(signal.SIGINT)})
    with pytest.raises(detent.SimulationError, match="stopped at") as caught:
        simulation.advance(1e6)
    run = caught.value.run
    assert run is not None
    assert hook.failures == []
    assert len(np.unique(run.time)) == simulation._context.solver.steps + 1
    assert run.time[-1] == simulation.time
    assert np.isfinite(run.reactions["sphere"]).all()


def test_reactions_may_be_read_while_another_thread_advances() -> None:
    """The programs have working memory; whoever looks on has copies of his own."""
    expected = detent.Simulation(bead_on_a_sphere(), embedding="live", method="rk4", step=2e-4)
    expected.advance(10.0)
    for _ in range(6):
        simulation = detent.Simulation(bead_on_a_sphere(), embedding="live", method="rk4", step=2e-4)
        over = threading.Event()

        def look_on(simulation: detent.Simulation = simulation, over: threading.Event = over) -> None:
            while not over.is_set():
                simulation.reactions()

        watcher = threading.Thread(target=look_on)
        watcher.start()
        simulation.advance(10.0)
        over.set()
        watcher.join()
        assert simulation.state.values.tolist() == pytest.approx(expected.state.values.tolist(), abs=1e-6)


def test_every_split_that_is_used_again_gets_its_own_equations() -> None:
    simulation = detent.Simulation(bead_on_a_circle(), embedding="live", times=np.array([0.0]))
    simulation.advance(100.0)
    in_background(lambda: None).result()
    simulation.advance(200.0)
    splits = [mode.running for mode in simulation._standing.turned.values() if mode.times.steps > 0]
    assert len(splits) == 2
    assert all(isinstance(split, EmbeddedRunning) and split.replacement is not None for split in splits)
