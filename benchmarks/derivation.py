"""From a finished model to code that runs: how long it takes, and how large the equations become."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final

import numpy as np

from detent.dynamics.equations_of_motion import EquationsOfMotion
from detent.formulation.compiled import compile_system
from detent.jit.program import in_background

from .detent_chain import chain_system, parameter_values, random_states
from .peers.sympy_chain import SympyChain
from .runner import Row

TITLE = "from a finished System to its rates, by the interpreter and as machine code, nothing cached on disk"

LIMITS: Final = {7: (0.050, 0.3), 50: (1.0, 10.0)}
"""Links, and the seconds until the rates run and until they run as machine code."""

SIZES: Final = (5, 10, 20, 40, 80)
"""Links for which the nodes are counted."""

LARGEST_EXPONENT: Final = 2.0

CACHE_FOLDER: Final = "DETENT_CACHE_DIR"


@contextmanager
def cold_cache() -> Iterator[None]:
    """Nothing compiled before is found on disk, and nothing compiled now is left there.

    >>> with cold_cache():
    ...     len(os.listdir(os.environ[CACHE_FOLDER]))
    0
    """
    before = os.environ.get(CACHE_FOLDER)
    with tempfile.TemporaryDirectory(prefix="detent-bench-", ignore_cleanup_errors=True) as folder:
        os.environ[CACHE_FOLDER] = folder
        try:
            yield
        finally:
            in_background(lambda: None).result()  # what is being compiled is written there too
            if before is None:
                del os.environ[CACHE_FOLDER]
            else:
                os.environ[CACHE_FOLDER] = before


def run(quick: bool) -> list[Row]:
    """Rows with limits, and SymPy's derivation beside ours.

    >>> all(row.ours > 0 for row in run(quick=True))
    True
    """
    _ready_and_native(2)  # loads the interpreter's kernel, which a process does once
    rows, native = [], {}
    for links in (7,) if quick else LIMITS:
        times = [_ready_and_native(links) for _ in range(2 if quick else 7)]
        ready, native[links] = (min(column) for column in zip(*times, strict=True))
        until_ready, until_native = LIMITS[links]
        rows.append(Row.within(1e3 * until_ready, f"{links} links, first evaluation", ours=1e3 * ready, unit="ms"))
        rows.append(Row.within(1e3 * until_native, f"{links} links, native", ours=1e3 * native[links], unit="ms"))
    if not quick:
        rows.append(_beside_sympy(7, native[7]))
    return rows + _growth(SIZES[:3] if quick else SIZES)


def _ready_and_native(links: int) -> tuple[float, float]:
    """Seconds from a new model to its first rates, and to its first rates as machine code."""
    system, state = chain_system(links), np.append(random_states(links, 1)[0], 0.0)
    with cold_cache():
        start = time.perf_counter()
        compiled = compile_system(system)
        values = parameter_values(compiled)
        compiled.rates(0.0, state, values)
        ready = time.perf_counter() - start
        compiled.rates.compile()
        compiled.rates(0.0, state, values)
        return ready, time.perf_counter() - start


def _beside_sympy(links: int, ours: float) -> Row:
    peer = SympyChain.build(links)
    return Row.at_least(
        None, f"{links} links, native", ours=1e3 * ours, theirs=1e3 * peer.derivation_s, unit="ms",
        peer=peer.name, peer_version=peer.version, note="KanesMethod and lambdify, model included",
    )  # fmt: skip


def _growth(sizes: Sequence[int]) -> list[Row]:
    """How the number of nodes grows: k of N^k, fitted to all sizes."""
    whole, unsolved = [], []
    for links in sizes:
        whole.append(len(compile_system(chain_system(links)).equations.graph))
        equations = EquationsOfMotion(chain_system(links))
        equations.unsolved_rates()
        unsolved.append(len(equations.graph))
    rows = []
    for what, counts in (("all that a run needs", whole), ("M and f alone", unsolved)):
        exponent = float(np.polyfit(np.log(sizes), np.log(counts), 1)[0])
        note = ", ".join(f"{links} links {count}" for links, count in zip(sizes, counts, strict=True))
        rows.append(
            Row.within(
                LARGEST_EXPONENT, f"nodes of {what} grow as links to the power", ours=exponent, unit="1", note=note
            )
        )
    return rows
