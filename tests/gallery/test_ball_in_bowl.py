"""The ball in a bowl against its two integrals; test_braun_goldfarb.py has it under every formulation."""

from __future__ import annotations

import numpy as np

import detent
from detent.gallery.ball_in_bowl import ENERGY, INTEGRAL, first_integral


def test_energy_and_first_integral_stay_what_they_are() -> None:
    run = detent.example("ball-in-bowl").simulate(until=20, rtol=1e-11)
    assert np.abs(run.energy - ENERGY).max() < 1e-8
    assert np.abs(first_integral(run) - INTEGRAL).max() < 1e-9
    assert run.audit.position_residual < 1e-13
