"""The same input gives the same bytes: in other processes, in threads, with machine code early, late or never."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import weakref
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from detent import System, simulate
from detent.formulation.compiled import compile_system
from detent.jit.program import Program
from tests.unit.simulation.systems import double_pendulum, spinning

UNTIL = 4.0

ELSEWHERE = """
import sys
from pathlib import Path
from tests.unit.simulation.test_same_input_same_bits import saved
saved(Path(sys.argv[1]))
"""


def saved(path: Path) -> bytes:
    simulate(double_pendulum(), UNTIL).save(path)
    return path.read_bytes()


def never(program: Program) -> Future[None]:
    return Future()


def at_once(program: Program) -> Future[None]:
    program.compile()
    return Future()


def test_machine_code_early_late_or_never(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DETENT_CACHE_DIR", str(tmp_path / "objects"))
    found = [saved(tmp_path / "late.nc"), saved(tmp_path / "cached.nc")]
    monkeypatch.setattr(Program, "compile_later", never)
    found.append(saved(tmp_path / "never.nc"))
    monkeypatch.setattr(Program, "compile_later", at_once)
    found.append(saved(tmp_path / "at once.nc"))
    assert len(set(found)) == 1


def test_other_processes(tmp_path: Path) -> None:
    here = saved(tmp_path / "here.nc")
    path = tmp_path / "there.nc"
    environment = os.environ | {"PYTHONHASHSEED": "99", "PYTHONPATH": os.pathsep.join(sys.path)}
    subprocess.run([sys.executable, "-c", ELSEWHERE, str(path)], check=True, env=environment)
    assert path.read_bytes() == here


@pytest.mark.parametrize("embedding", ["symbolic", "numeric"])
def test_runs_of_one_system_in_several_threads_do_not_meet(embedding: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Program, "compile_later", never)
    pulls = [3.0, 6.0, 9.0, 12.0]

    def final(system: System, g: float) -> bytes:
        # Long enough that the four are under way at the same time.
        run = simulate(system, 20, parameters={"g": g}, embedding=embedding, method="rk4", step=5e-4, times=[20])
        return run.final.values.tobytes()

    alone = [final(double_pendulum(), g) for g in pulls]
    shared = double_pendulum()
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda g: final(shared, g), pulls)) == alone


@pytest.mark.parametrize("make", [double_pendulum, spinning])
def test_the_two_embeddings_agree_to_rounding(make: object) -> None:
    symbolic = simulate(make(), 1.0, rtol=1e-12)
    numeric = simulate(make(), 1.0, rtol=1e-12, embedding="numeric")
    # Both follow the true motion within the tolerance, which grows by the sensitivity of one second.
    assert np.allclose(symbolic.final.values, numeric.final.values, rtol=0, atol=1e-9)
    assert symbolic.audit.energy_balance < 1e-10


def test_a_system_is_derived_once_and_again_when_it_grows() -> None:
    system = double_pendulum()
    first = compile_system(system)
    assert compile_system(system) is first
    assert compile_system(system, "numeric") is not first
    before = simulate(system, 1.0).final.a
    system.force("wind", system.points["tip"], 0.5 * system.ground.x)
    assert compile_system(system) is not first
    assert simulate(system, 1.0).final.a != before


def test_a_parameter_changes_without_deriving_again() -> None:
    system = double_pendulum()
    first = compile_system(system)
    slow, fast = simulate(system, 1.0, parameters={"g": 1}), simulate(system, 1.0, parameters={"g": 20})
    assert compile_system(system) is first
    assert slow.parameters == {"length": 1.0, "g": 1.0}
    assert slow.final.a != fast.final.a


def test_a_system_that_is_no_longer_used_goes_with_its_programs() -> None:
    system = double_pendulum()
    simulate(system, 0.1)
    gone = weakref.ref(system)
    del system
    gc.collect()
    assert gone() is None


def test_quaternions_keep_unit_length() -> None:
    run = simulate(spinning(), 5.0)
    assert run.audit.position_residual < 4e-16
    assert run.timing is not None
    assert run.timing.modes[0].mode == "free"
