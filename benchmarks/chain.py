"""Forward dynamics of the chain, the solve included, against engines made for it and against SymPy."""

from __future__ import annotations

from typing import Final

import numpy as np

from .detent_chain import DetentChain, random_states
from .peers import Peer, PeerMissing
from .peers.mujoco_chain import MujocoChain
from .peers.pinocchio_chain import PinocchioChain
from .peers.sympy_chain import SympyChain
from .runner import Row
from .timing import interleaved

TITLE = "accelerations of an N-link chain; the target is on the fastest way of the faster engine"

TARGETS: Final = {2: 3.0, 7: 3.0, 20: 1.5, 50: 1.0}
"""Links, and how many times faster than the faster engine."""

ENGINES: Final[tuple[type[Peer], ...]] = (MujocoChain, PinocchioChain)

SYMPY_UP_TO: Final = 7
"""Links; its derivation takes seconds there, and minutes soon after."""

AGREEMENT: Final = 1e-9
"""Largest difference of accelerations, relative to the largest of them: 50 links cost some five digits of 16."""

CHECKED_STATES: Final = 5


def run(quick: bool) -> list[Row]:
    """One row per number of links and way of calling a peer.

    >>> [row.unit for row in run(quick=True)][-1]
    'us'
    """
    rows = []
    for links in (2,) if quick else TARGETS:
        rows += _rows(links, budget_s=0.1 if quick else 4.0)
    return rows


def _rows(links: int, budget_s: float) -> list[Row]:
    what, ours = f"{links} links", DetentChain.build(links)
    peers, missing = _peers(links)
    for peer in peers:
        _check(ours, peer)
    state = random_states(links, 1)[0]
    ways = [(peer, way, call) for peer in peers for way, call in peer.ways(state[:links], state[links:]).items()]
    contestants = {f"{peer.name} {way}": call for peer, way, call in ways}
    seconds = interleaved({"detent": ours.batch(), **contestants}, budget_s)
    our_us = 1e6 * seconds["detent"]
    engines = {kind.name for kind in ENGINES}
    fastest = min((seconds[f"{peer.name} {way}"] for peer, way, _ in ways if peer.name in engines), default=None)
    rows = [Row.without_peer(what, ours=our_us, unit="us", peer=name, missing=error) for name, error in missing.items()]
    for peer, way, _ in ways:
        theirs = seconds[f"{peer.name} {way}"]
        # Which engine is the faster one can be said only when all of them are there.
        target = TARGETS[links] if theirs == fastest and not missing else None
        row = Row.at_least(
            target, what, ours=our_us, theirs=1e6 * theirs, unit="us",
            peer=peer.name, peer_version=peer.version, note=way,
        )  # fmt: skip
        rows.append(row)
    return rows


def _peers(links: int) -> tuple[list[Peer], dict[str, PeerMissing]]:
    """The peers that take part, and those that are not installed."""
    kinds: list[type[Peer]] = [*ENGINES, SympyChain] if links <= SYMPY_UP_TO else [*ENGINES]
    peers: list[Peer] = []
    missing = {}
    for kind in kinds:
        try:
            peers.append(kind.build(links))
        except PeerMissing as error:
            missing[kind.name] = error
    return peers, missing


def _check(ours: DetentChain, peer: Peer) -> None:
    """A fast wrong answer is no answer."""
    links = ours.links
    for state in random_states(links, CHECKED_STATES):
        expected = peer.accelerations(state[:links], state[links:])
        found = ours.accelerations(state[:links], state[links:])
        difference = float(np.max(np.abs(found - expected)) / np.max(np.abs(expected)))
        if not difference <= AGREEMENT:
            raise ArithmeticError(
                f"accelerations of {links} links differ from {peer.name} {peer.version} by {difference:.2g} of the "
                f"largest, at most {AGREEMENT:g} was expected; find out which of the two is wrong before timing them"
            )
