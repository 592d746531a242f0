"""Constrained runs: interpreter and machine code give the same bits, and the other embeddings agree to rounding."""

from __future__ import annotations

from concurrent.futures import Future
from pathlib import Path

import numpy as np
import pytest

import detent
from detent.jit.program import Program

NAMES = ["four-bar-chain", "slider-crank", "andrews-squeezer", "rolling-disk", "tip-on-a-line", "closing-loop"]


def never(program: Program) -> Future[None]:
    return Future()


def at_once(program: Program) -> Future[None]:
    program.compile()
    return Future()


@pytest.mark.parametrize("name", NAMES)
def test_machine_code_early_late_or_never(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DETENT_CACHE_DIR", str(tmp_path))
    found = [detent.example(name).simulate().trajectory.state]
    for compiles in (never, at_once):
        monkeypatch.setattr(Program, "compile_later", compiles)
        found.append(detent.example(name).simulate().trajectory.state)
    assert found[0].tobytes() == found[1].tobytes()
    assert found[0].tobytes() == found[2].tobytes()


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("embedding", ["numeric", "live"])
def test_the_kernel_agrees_with_the_embedded_equations(name: str, embedding: str) -> None:
    example = detent.example(name)
    until = min(example.until, 1.0)
    one = example.simulate(until=until, rtol=1e-12)
    other = example.simulate(until=until, rtol=1e-12, embedding=embedding)
    scale = np.abs(one.trajectory.state).max()
    # Rounding differs at each step and the motion magnifies it: by far less than a thousand in these runs.
    np.testing.assert_allclose(other.final.values, one.final.values, rtol=0, atol=1e-9 * scale)
    for event, same in zip(one.events.of_kind("transition"), other.events.of_kind("transition"), strict=True):
        assert (event.time, event.target) == (same.time, same.target)
