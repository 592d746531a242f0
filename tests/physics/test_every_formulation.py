"""Every ready model in every formulation: it moves as it does embedded, or an error says which formulation can."""

from __future__ import annotations

import warnings
from collections import Counter
from typing import Any

import pytest

import detent
from detent.formulation.registry import FORMULATIONS
from detent.gallery.example import NAMES

UNTIL = {"four-bar-chain": 0.5, "painleve-rod": 0.1}
"""How long a model is compared, s, where neighbouring motions part soon; others for one second."""
REFERENCES = ("embedded", "corrected")
"""The second, where the first cannot express the model."""
WITHIN = {"embedded": 1e-5, "multipliers": 1e-5, "projection": 1e-5, "corrected": 1e-5, "dae": 1e-4,
          "sliding_manifold": 2e-2}  # fmt: skip
"""How far a state may be from the reference, relative to its size: what steps err by, at rtol 1e-8, may have grown a
thousandfold; the boundary layer of 1e-5 as well. Formulations that have contacts without events err by their step; of
these it is asked that they run."""
MAY_STOP = {"sliding_manifold": ("left the boundary layer",), "penalty": ("stiff",)}
"""Why a run may stop: gains and springs are the user's affair, and the message says so."""
LOOSE = [name for name, option in FORMULATIONS.items() if option.owns_contacts]
STEP = 1e-3


def settings_of(formulation: str, until: float) -> dict[str, Any]:
    fixed = formulation in LOOSE and formulation != "penalty"
    return {"until": until} | ({"method": "rk4", "step": STEP} if fixed else {"rtol": 1e-8})


def reference(name: str, until: float) -> detent.Run:
    for formulation in REFERENCES:
        try:
            return detent.example(name).simulate(until=until, rtol=1e-10, formulation=formulation)
        except detent.DetentError as error:
            refused = error
    raise refused


def verdict(name: str, formulation: str) -> str:
    """``right``, ``refused`` with a word on what to do, or what is wrong."""
    until = min(detent.example(name).until, UNTIL.get(name, 1.0))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", detent.DetentWarning)  # that a step is too long for a model is told so
            run = detent.example(name).simulate(formulation=formulation, **settings_of(formulation, until))
    except detent.SimulationError as error:
        told = any(reason in str(error) for reason in MAY_STOP.get(formulation, ()))
        return "refused" if told else f"stopped: {error}"
    except detent.DetentError as error:
        return "refused" if "use " in str(error) or "give " in str(error) else f"refused without advice: {error}"
    if formulation in LOOSE:
        return "right"
    known = reference(name, until)
    for quantity in known.layout.names[:-1]:
        there = known.final[quantity]
        if not abs(run.final[quantity] - there) <= WITHIN[formulation] * max(1.0, abs(there)):
            return f"wrong: {quantity} is {run.final[quantity]} and not {there}"
    return "right"


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("name", ["slider-crank", "disk-on-ramp", "latch", "bouncing-ball-contact"])
def test_a_model_runs_the_same_or_is_refused_with_advice(name: str, formulation: str) -> None:
    assert verdict(name, formulation) in ("right", "refused")


@pytest.mark.slow
@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_every_model_runs_the_same_or_is_refused_with_advice(formulation: str) -> None:
    found = {name: verdict(name, formulation) for name in NAMES}
    assert {name: each for name, each in found.items() if each not in ("right", "refused")} == {}
    assert Counter(found.values())["right"] > 0
