"""The swing bar against an independent computation."""

from __future__ import annotations

import numpy as np
import pytest

import detent
from tests.physics.bounds import accumulated

NAMES = ("q1", "joint_qw", "joint_qx", "joint_qy", "joint_qz")
EARLY = (-1.345807662062, 0.108194169948, -0.470031454420, 0.548374679365, 0.683117606621)
WEAK = (-1.121234465148, -0.866089711797, 0.337712247365, 0.208130848786, -0.304171988983)


@pytest.mark.parametrize("embedding", ["symbolic", "numeric"])
@pytest.mark.parametrize(("torque", "time", "reference"), [(2, 1, EARLY), (2, 2, (-1.946482181717,)), (1, 5, WEAK)])
def test_the_reference_states(torque: float, time: float, reference: tuple[float, ...], embedding: str) -> None:
    run = detent.example("swing-bar").simulate(
        until=time, parameters={"torque": torque}, rtol=1e-13, embedding=embedding
    )  # fmt: skip
    found = [run.final[name] for name in NAMES[: len(reference)]]
    # Half a unit in the last digit given, and the run's own error.
    np.testing.assert_allclose(found, reference, rtol=0, atol=5e-13 + accumulated(run))
    assert accumulated(run) < 1e-10


def test_the_work_of_drive_and_dampers_balances() -> None:
    run = detent.example("swing-bar").simulate(until=10, rtol=1e-11)
    assert run.audit.energy_balance < accumulated(run)
    assert abs(run.work[-1]) > 1


def test_it_starts_as_table_2_says() -> None:
    run = detent.example("swing-bar").simulate(until=0)
    assert run.parameters == {
        "l1": 1, "l2": 1, "l3": 0.5, "m1": 1, "m2": 1, "m3": 0.5, "g": 9.81, "b": 0.2, "torque": 2
    }  # fmt: skip
    half = np.sqrt(0.5)
    expected = {"q1": 0, "u1": -5, "joint_qw": half, "joint_qx": 0, "joint_qy": half, "joint_qz": 0}
    found = {name: run.start[name] for name in expected}
    assert found == pytest.approx(expected, abs=1e-15)
