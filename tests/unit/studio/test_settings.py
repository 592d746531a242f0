"""What can be set of a model before a run."""

from __future__ import annotations

import detent
from detent.studio.settings import ExampleSettings


def test_settings_have_the_units_of_the_model() -> None:
    units = {setting.name: setting.unit for setting in ExampleSettings(detent.example("pendulum"))}
    assert units == {"m": "kg", "length": "m", "g": "m/s^2", "angle": "rad", "angle_rate": "rad/s"}
