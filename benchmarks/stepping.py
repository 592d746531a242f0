"""The cost of one step of the classical Runge-Kutta method, in the stepper that runs use."""

from __future__ import annotations

from functools import partial
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from detent.formulation.compiled import CompiledSystem, compile_system
from detent.stepping.solver import Solver
from detent.stepping.trajectory_piece import TrajectoryPiece

from .detent_chain import chain_system, parameter_values, random_states
from .peers import PeerMissing
from .peers.mujoco_chain import MujocoChain
from .runner import Row
from .timing import Batch, interleaved

TITLE = "one step of RK4 for an N-link chain, every state kept, against MuJoCo's RK4"

STEPS: Final = 1000
STEP: Final = 1e-4
"""Seconds; with this many steps the chain moves a little and comes to no harm."""


def run(quick: bool) -> list[Row]:
    """One row per number of links.

    >>> [row.what for row in run(quick=True)]
    ['2 links']
    """
    rows = []
    for links in (2,) if quick else (2, 7):
        rows.append(_row(links, budget_s=0.1 if quick else 2.0))
    return rows


def _row(links: int, budget_s: float) -> Row:
    what, ours = f"{links} links", _our_steps(links)
    try:
        peer = MujocoChain.build(links)
    except PeerMissing as missing:
        seconds = interleaved({"detent": ours}, budget_s)["detent"]
        return Row.without_peer(what, ours=1e6 * seconds, unit="us", peer=MujocoChain.name, missing=missing)
    both = interleaved({"detent": ours, "peer": _their_steps(peer)}, budget_s)
    return Row.at_least(
        None, what, ours=1e6 * both["detent"], theirs=1e6 * both["peer"], unit="us",
        peer=peer.name, peer_version=peer.version, note="mj_step, RK4",
    )  # fmt: skip


def _our_steps(links: int) -> Batch:
    compiled = compile_system(chain_system(links))
    compiled.rates.compile()
    solver = Solver(
        compiled.cell, width=compiled.layout.width, values=parameter_values(compiled), method="rk4", step=STEP
    )
    start = np.append(random_states(links, 1)[0], 0.0)  # the work done so far is the last entry of the state
    return Batch(partial(_steps, compiled, solver, start), STEPS)


def _steps(owner: CompiledSystem, solver: Solver, start: NDArray[np.float64]) -> list[TrajectoryPiece]:
    """The trajectory from a state. The solver knows only the address of the code that ``owner`` must keep alive."""
    kept: list[TrajectoryPiece] = []
    solver.start(0.0, start)
    solver.advance(STEPS * STEP, kept.append)
    assert owner.rates.is_native
    return kept


def _their_steps(peer: MujocoChain) -> Batch:
    # The peer offers the integrator that takes one forward dynamics per step; its model is turned to RK4 in place.
    model: Any = peer._model
    model.opt.integrator = int(peer._engine.mjtIntegrator.mjINT_RK4)
    state = random_states(peer.links, 1)[0]
    return peer.ways(state[: peer.links], state[peer.links :])["mj_step"]
