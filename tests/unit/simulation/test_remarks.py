"""A run that completes but is doubtful or needlessly slow says so, once, with what to do about it."""

from __future__ import annotations

import json
import sys
import warnings
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from sympy import cos

import detent
from detent.cli import main
from detent.results.remarks import WORST_BALANCE, energy_remarks
from detent.simulation import stiffness
from detent.simulation.remarks import Remarks
from detent.stepping.trajectory_piece import TrajectoryPiece
from tests.unit.simulation.systems import oscillator

DAMPED = """
import detent
system = detent.System("damped")
x = system.coordinates(x=1)
system.particle("mass", system.origin.offset("mass", x*system.ground.x), mass=1)
system.spring("spring", x, 1)
system.damper("damper", x.rate, 1e6)
until = 1
"""


def damped() -> detent.System:
    """Overdamped: x creeps at 1e-6 1/s while its rate would settle within 1e-6 s."""
    names: dict[str, Any] = {}
    exec(DAMPED, names)
    made: detent.System = names["system"]
    return made


def stretched() -> detent.System:
    """A pendulum on a spring so hard that it vibrates ten thousand times while it swings once."""
    system = detent.System("stretched")
    length, angle = system.coordinates(length=1, angle=1)
    rod = system.ground.rotated("rod", angle)
    system.particle("bob", system.origin.offset("bob", -length * rod.y), mass=1)
    system.gravity(-9.81 * system.ground.y)
    system.spring("rod", length, 1e8, rest=1)
    return system


def silent(build: Any) -> detent.Run:
    """A run without its warnings."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", detent.DetentWarning)
        run: detent.Run = build()
        return run


# -- energy -------------------------------------------------------------------------------------------------


def test_a_fixed_step_that_is_too_long_is_told() -> None:
    with pytest.warns(detent.DetentWarning, match="energy balance is off by") as caught:
        run = detent.simulate(oscillator(), until=20, method="rk4", step=1.5)
    assert [str(one.message) for one in caught] == list(run.remarks)
    assert caught[0].filename == __file__
    assert run.outcome.word == "completed"
    assert run.audit.energy_balance > WORST_BALANCE
    assert "take a step smaller than 1.5 s, or an adaptive method" in run.remarks[0]
    assert f"  remark  {run.remarks[0]}" in run.summary().splitlines()
    assert run.as_json()["remarks"] == list(run.remarks)


def test_a_drive_that_is_too_fast_for_the_step_is_told() -> None:
    """A pendulum whose hinge shakes 20 times a second, with a step of 0.3 s."""
    system = detent.System("shaken")
    angle = system.coordinates(angle=0.3)
    hinge = system.origin.offset("hinge", 0.1 * cos(40 * 3.14 * system.time) * system.ground.y)
    system.particle("bob", hinge.offset("bob", -system.ground.rotated("rod", angle).y), mass=1)
    system.gravity(-9.81 * system.ground.y)
    run = silent(lambda: detent.simulate(system, until=5, method="rk4", step=0.3))
    assert run.outcome.word == "completed"
    assert len(run.remarks) == 1
    assert run.audit.energy_balance > 0.1


def test_a_loose_tolerance_is_told_with_its_own_remedy() -> None:
    run = silent(lambda: detent.simulate(oscillator(), until=500, rtol=0.1, method="dopri5"))
    assert "tighten rtol, which is 0.1" in run.remarks[0]


def test_a_thousandth_of_the_energy_is_too_much() -> None:
    assert energy_remarks(0.99e-3, 1.0, [1.0], 1e-9, None) == ()
    assert "(more than 0.001 is too much)" in energy_remarks(1.01e-3, 1.0, [1.0], 1e-9, None)[0]


def test_the_rounding_of_a_large_energy_is_no_motion() -> None:
    """A block that rests at 1e6 J and of which 1e-13 J tremble."""
    assert energy_remarks(1.0, 0.99e-4, [1e6], 1e-9, None) == ()
    assert len(energy_remarks(1.0, 1.01e-4, [1e6], 1e-9, None)) == 1


def test_a_good_run_has_no_remark() -> None:
    assert detent.simulate(oscillator(), until=20).remarks == ()


def test_remarks_are_kept_in_a_file(tmp_path: Path) -> None:
    run = silent(lambda: detent.simulate(oscillator(), until=20, method="rk4", step=1.5))
    run.save(tmp_path / "run.nc")
    assert detent.load(tmp_path / "run.nc").remarks == run.remarks != ()


# -- stiffness ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["dop853", "dopri5"])
def test_steps_that_only_stability_keeps_short_are_told_while_the_run_goes_on(method: str) -> None:
    simulation = detent.Simulation(damped(), method=method, embedding="symbolic")
    with pytest.warns(detent.DetentWarning, match="the equations are stiff") as caught:
        simulation.advance(1)
    (said,) = (str(one.message) for one in caught)
    assert "follow a motion of 'x_rate' that changes within 1e-06 s" in said
    assert "put a constraint in place of the stiff spring or damper" in said
    told_at = int(said.split(" steps")[0].split()[-1])
    assert stiffness.LOOK_EVERY == 100_000 <= told_at < simulation._context.solver.steps
    assert simulation.result().remarks == (said,)


def test_a_vibration_that_nobody_sees_is_told() -> None:
    run = silent(lambda: detent.simulate(stretched(), until=8))
    assert "follow a motion of 'length_rate' that changes within 0.0001 s" in run.remarks[0]


def test_a_constraint_in_its_place_needs_no_remark() -> None:
    """The remedy: the same swing in a few hundred steps."""
    system = stretched()
    system.constrain(detent.holonomic("stiff rod", system["length"] - 1))
    run = detent.simulate(system, until=8)
    assert run.timing is not None
    assert run.timing.steps < 500
    assert run.remarks == ()


def test_many_steps_for_what_everybody_sees_are_no_remark() -> None:
    run = detent.simulate(oscillator(), until=45_000, times=[0, 45_000])
    assert run.timing is not None
    assert run.timing.steps > stiffness.LOOK_EVERY
    assert run.remarks == ()


# -- on the command line ------------------------------------------------------------------------------------


def test_the_command_line_says_it_at_once_and_keeps_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "damped.py").write_text(DAMPED)
    monkeypatch.setattr(sys, "argv", ["detent", "run", str(tmp_path / "damped.py"), "--json"])
    with pytest.raises(SystemExit) as stop:
        main()
    assert stop.value.code == 0
    out, error = capsys.readouterr()
    (remark,) = json.loads(out)["remarks"]
    assert f"detent: {remark}" in error.splitlines()


@pytest.mark.parametrize(
    ("steps", "part", "followed", "told"),
    [
        (100_000, 0.99e-3, 0.101, True),
        (99_999, 0.99e-3, 0.101, False),  # too early
        (100_000, 1.01e-3, 0.101, False),  # too large a motion
        (100_000, 0.99e-3, 0.099, False),  # not what the steps follow
    ],
)
def test_the_numbers_that_make_a_run_stiff(
    monkeypatch: pytest.MonkeyPatch, steps: int, part: float, followed: float, told: bool
) -> None:
    simulation: Any = SimpleNamespace(
        options=detent.Options(), is_live=False, solver=SimpleNamespace(steps=steps), remarks=Remarks()
    )
    found = stiffness.FastestMotion(rate=followed / 0.01, part=part, name="x")
    monkeypatch.setattr(stiffness.StiffnessWatch, "_fastest", lambda *where: found)
    time = 0.01 * np.arange(20.0)
    piece = TrajectoryPiece(time, np.zeros((20, 3)), np.zeros((20, 3)), np.zeros((20, 0, 3)))
    silent(lambda: stiffness.StiffnessWatch(simulation, simulation).look(piece))
    assert bool(simulation.remarks.texts) is told
