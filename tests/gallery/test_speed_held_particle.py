"""The particle whose speed is held, against its closed form; embedding refuses it."""

from __future__ import annotations

import math

import numpy as np
import pytest

import detent
from detent.gallery.speed_held_particle import slope_sine


def test_it_turns_as_in_its_closed_form() -> None:
    run = detent.example("speed-held-particle").simulate(rtol=1e-12)
    known = [2 * slope_sine(time) for time in run.t]
    assert np.abs(run.y_rate - known).max() < 1e-10
    assert (run.final.x, run.final.y) == pytest.approx((1.044935018079891, -0.8980681369941673), abs=1e-11)
    assert math.hypot(run.final.x_rate, run.final.y_rate) == pytest.approx(2, abs=1e-14)


def test_embedding_refuses_it_and_names_who_can() -> None:
    with pytest.raises(detent.DetentError, match="not linear in the speeds"):
        detent.example("speed-held-particle").simulate(formulation="embedded")
