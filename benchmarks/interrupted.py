"""Work that is to be interrupted from the keyboard, over and over: what :mod:`benchmarks.interrupts` starts.

Each time it says that it begins, and then, when the interrupt has come out, that it has ended.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Final

import detent
from detent.jit.kernel_library import make_ready
from detent.simulation.needed_kernels import needed_kernels
from detent.simulation.simulation import Simulation

from .detent_chain import chain_system

BEGINS, ENDED = "begins", "ended"
FAR: Final = 1e9
"""A time that no run reaches, s."""
LINKS: Final = {"short": 3, "long": 60}


def of_a_system() -> Callable[[], object]:
    """Steps of a microsecond, a few seconds of which are kept."""
    simulation = Simulation(chain_system(LINKS["short"]), start={"q1": 1}, keep=1.0, embedding="symbolic")
    return lambda: simulation.advance(FAR)


def of_a_long_chain() -> Callable[[], object]:
    """Steps that take a thousand times as long."""
    simulation = Simulation(chain_system(LINKS["long"]), start={"q1": 1}, keep=1.0, embedding="numeric")
    return lambda: simulation.advance(FAR)


def of_a_live_run() -> Callable[[], object]:
    """A thread beside it takes the steps over."""
    simulation = Simulation(chain_system(LINKS["short"]), start={"q1": 1}, keep=1.0, embedding="live")
    return lambda: simulation.advance(FAR)


def of_an_automaton() -> Callable[[], object]:
    """A ball that bounces for ever."""
    ball = detent.example("bouncing-ball").automaton
    simulation = Simulation(ball, start={"y": 1, "v": 0}, parameters={"c": 1}, keep=1.0, embedding="symbolic")
    return lambda: simulation.advance(FAR)


def of_a_run_that_keeps_all() -> Callable[[], object]:
    """The run so far, up to a gigabyte of it, comes with the answer."""

    def work() -> None:
        detent.simulate(chain_system(LINKS["short"]), FAR, start={"q1": 1}, method="rk4", step=1e-4)

    return work


def of_a_derivation() -> Callable[[], object]:
    """A model's equations, before anything runs."""
    return lambda: Simulation(chain_system(LINKS["long"]), embedding="symbolic")


def of_a_mode() -> Callable[[], object]:
    """The equations of a mode that a constraint asks for, between two steps."""
    system = chain_system(12)
    simulation = Simulation(system, start={"q1": 1}, keep=1.0, embedding="symbolic")
    x = system.points["joint12"].along(system.ground.x)

    def work() -> None:
        if simulation.active:
            simulation.release("line")
        simulation.constrain("line", x - simulation.value(x))
        simulation.advance(simulation.time + 1e-3)

    return work


def of_kernels() -> Callable[[], object]:
    """The kernels of a first run, where no cache has them: other processes make them."""
    return lambda: make_ready(needed_kernels(detent.example("bouncing-ball").system, None, "live", "dop853"))


WORK: Final[dict[str, Callable[[], Callable[[], object]]]] = {
    "steps of a system": of_a_system,
    "steps that take long": of_a_long_chain,
    "steps of a live run": of_a_live_run,
    "an automaton's events": of_an_automaton,
    "a run that keeps everything": of_a_run_that_keeps_all,
    "the derivation of a model": of_a_derivation,
    "the derivation of a mode": of_a_mode,
    "the first compilation of kernels": of_kernels,
}
"""What there is to interrupt; each makes what is done until then."""


def main(name: str, times: int) -> None:
    """Be interrupted so many times."""
    work = WORK[name]()
    for _ in range(times):
        try:
            print(BEGINS, flush=True)
            while True:
                work()
        except (KeyboardInterrupt, detent.SimulationError):
            print(ENDED, flush=True)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
