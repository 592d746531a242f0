"""The units of the gallery, by dimensional analysis: in other units of length, mass and time, a run is the same run.

Parameters and start values are converted by the units that a model says; so is what comes out. A unit that is wrong, or
missing, gives another motion. The factors are powers of two, so that nothing but tolerances of the steps can differ.
"""

from __future__ import annotations

import re

import numpy as np
import pytest

import detent
from detent.model.units import known_units

METRE, KILOGRAM, SECOND = 2.0, 4.0, 0.5
"""What is 1 in SI units, in the others."""
BASE = {
    "m": METRE, "kg": KILOGRAM, "s": SECOND, "rad": 1.0, "N": KILOGRAM * METRE / SECOND**2,
}  # fmt: skip
UNTIL = 0.3
WITH_NUMBERS = {
    "ball-in-bowl": "mass, radii and gravity are numbers",
    "impact-oscillator": "mass, spring and drive are numbers",
    "kane-puzzle": "its rods are 1 kg and 1 m",
    "ladder": "its length is a number",
    "seven-link-biped": "all is numbers",
    "speed-held-particle": "gravity and the speed are numbers",
    "bouncing-ball": "its mass is a number",
    "bouncing-ball-contact": "its mass is a number",
}
"""Models that have numbers with units in them, so that they cannot be converted from outside."""
NO_UNIT = re.compile(r"mu.*|e\d?|c|r|quality|teeth|axial|diametral|e\d[xyz](_rate)?")
"""Coefficients of friction and restitution, counts, ratios, and components of unit vectors."""
CONVERTED = sorted(set(detent.examples()) - set(WITH_NUMBERS))


def factor(unit: str) -> float:
    """By what a number in a unit is multiplied: ``kg m^2``, ``N m/s``, ``m/s^2``.

    >>> factor("m/s^2"), factor("rad")
    (8.0, 1.0)
    """
    above, *below = unit.split("/")
    whole = 1.0
    for sign, words in ((1, above), *((-1, part) for part in below)):
        for word in words.split():
            base, _, power = word.partition("^")
            whole *= BASE[base] ** (sign * int(power or 1))
    return whole


@pytest.mark.parametrize("name", sorted(detent.examples()))
def test_coordinates_speeds_and_parameters_have_units(name: str) -> None:
    system = detent.example(name).system
    known = known_units(system)
    named = [each.name for each in (*system.coordinate_list, *system.all_speeds(), *system.parameter_values)]
    assert [each for each in named if each not in known and not NO_UNIT.fullmatch(each)] == []
    assert all(factor(unit) > 0 for unit in known.values())


def check_converted(name: str) -> None:
    made = detent.example(name)
    known = known_units(made.system)
    by = {each: factor(unit) for each, unit in known.items()}
    until = min(UNTIL, made.until)
    here = made.simulate(until=until)
    given = {symbol.name: float(value) for symbol, value in made.system.parameter_values.items()}
    parameters = {each: value * by.get(each, 1.0) for each, value in given.items()}
    first = here.at(0.0)
    start = {each: first[each] * by.get(each, 1.0) for each in (*here.layout.coordinates, *here.layout.speeds)}
    there = made.simulate(until=until * SECOND, parameters=parameters, start=start)
    assert [event.name for event in there.events.of_kind("transition")] == [
        event.name for event in here.events.of_kind("transition")
    ]
    for each in (*here.layout.coordinates, *here.layout.speeds):
        size = np.abs(here[each]).max()
        found, expected = there.final[each] / by.get(each, 1.0), here.final[each]
        assert found == pytest.approx(expected, rel=1e-5, abs=1e-6 * max(size, 1e-3)), each
    size = np.abs(here.kinetic).max()
    assert there.kinetic[-1] / factor("N m") == pytest.approx(here.kinetic[-1], rel=1e-5, abs=1e-6 * size)


@pytest.mark.parametrize("name", ["disk-on-ramp", "cam-follower", "latch", "v-groove"])
def test_a_run_in_other_units_is_the_same_run(name: str) -> None:
    check_converted(name)


@pytest.mark.slow
@pytest.mark.parametrize("name", CONVERTED)
def test_all_runs_in_other_units_are_the_same_runs(name: str) -> None:
    check_converted(name)
