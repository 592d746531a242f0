"""Validation finds every mistake at once, and nothing in a sound model."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import sympy

from detent import ModelError, System, simulate
from detent.model.validation import checked_values


def faults(system: System, **given: Any) -> list[str]:
    with pytest.raises(ModelError) as caught:
        checked_values(system, **given)
    return [str(fault) for fault in caught.value.faults]


def slider(**parameters: Any) -> System:
    system = System("slider")
    m = system.parameters(**({"m": 1} | parameters))
    mass = m[0] if isinstance(m, tuple) else m
    x = system.coordinates("x")
    system.particle("block", system.origin.offset("block", x * system.ground.x), mass=mass)
    return system


def test_a_sound_model_has_no_faults_and_its_values_are_numbers() -> None:
    values, states = checked_values(slider(m=sympy.pi / 2), {"m": "2*pi"}, {"x": np.float64(0.5)})
    assert values == {"m": 2 * math.pi}
    assert states == {"x": 0.5, "x_rate": 0.0}


def test_five_mistakes_are_five_numbered_faults() -> None:
    system = System("wrong")
    m, _ = system.parameters(m=-1, k=None)
    x = system.coordinates("x")
    system.coordinates("x")
    system.parameters(sin=1)
    point = system.origin.offset("p", x * system.ground.x)
    system.body("block", point, system.ground, mass=m, inertia=(1, 1, 5))
    with pytest.raises(ModelError) as caught:
        simulate(system, until=1)
    text = str(caught.value)
    assert text.startswith("5 mistakes in the model:\n  1. ")
    assert [line[:5] for line in text.splitlines()[1:]] == [f"  {n}. " for n in range(1, 6)]
    for thing in ("coordinate 'x'", "parameter 'sin'", "parameter 'k'", "mass is -1", "moments of inertia are 1, 1, 5"):
        assert thing in text


def test_mistakes_of_the_run_are_gathered_with_those_of_the_model() -> None:
    system = slider(m=0)
    found = faults(system, parameters={"M": 1}, start={"y": 1, "x": math.nan}, inputs={"push": 1})
    assert len(found) == 5
    assert [text.split(":")[0] for text in found] == [
        "parameter 'M'", "start value 'y'", "start value of 'x'", "input 'push'", "body 'block'",
    ]  # fmt: skip


def test_a_missing_value_hides_no_other_mistake() -> None:
    system = slider(m=None, density=2)
    system.particle("heavy", system.points["block"], mass=-system["density"])
    found = faults(system)
    assert len(found) == 2
    assert "parameter 'm'" in found[0]
    assert "body 'heavy': its mass is -2" in found[1]


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, "1e999", "one", 1j, [1, 2], 10**400, "().__class__"])
def test_a_value_that_is_no_finite_number_is_refused_by_name(value: Any) -> None:
    for given in ({"parameters": {"m": value}}, {"start": {"x": value}}):
        (found,) = faults(slider(), **given)
        assert found.startswith(("parameter 'm'", "start value of 'x'"))
        assert "number" in found


def test_text_values_are_read_by_the_allow_list_and_never_run() -> None:
    (found,) = faults(slider(), start={"x": "__import__('os').getcwd()"})
    assert "is not allowed" in found or "not offered" in found


@pytest.mark.parametrize("mass", [0, -1, -1e-300, sympy.nan, sympy.oo])
def test_a_mass_must_be_positive_and_finite(mass: Any) -> None:
    system = System("example")
    x = system.coordinates("x")
    system.particle("block", system.origin.offset("block", x * system.ground.x), mass=mass)
    (found,) = faults(system)
    assert found.startswith("body 'block': its mass")


IMPOSSIBLE = [
    (1, 1, 2.1),
    (1, 3, 1),
    (-1, 1, 1),
    (1, 1, 1, 2, 0, 0),
    (0.1, 0.1, 1),
    ((1, 0.9, 0), (0.9, 1, 0.9), (0, 0.9, 1)),
]
POSSIBLE = [
    (1, 1, 2),
    (1, 1, 1),
    (0, 1, 1),
    (0, 0, 0),
    (2, 3, 4, 0.1, 0.2, -0.1),
    ((2, 0.5, 0), (0.5, 2, 0), (0, 0, 2)),
    0,
    0.5,
]


@pytest.mark.parametrize("inertia", IMPOSSIBLE, ids=str)
def test_an_inertia_no_body_can_have_is_refused(inertia: Any) -> None:
    system = slider()
    system.body("bar", system.points["block"], system.ground, mass=1, inertia=inertia)
    (found,) = faults(system)
    assert found.startswith("body 'bar': its principal moments of inertia are")
    assert found.endswith("which no body can have; each must be at least zero and at most the sum of the other two.")


@pytest.mark.parametrize("inertia", POSSIBLE, ids=str)
def test_an_inertia_a_body_can_have_is_accepted(inertia: Any) -> None:
    system = slider()
    system.body("bar", system.points["block"], system.ground, mass=1, inertia=inertia)
    checked_values(system)


def test_the_triangle_inequality_scales() -> None:
    """A grain's moments are judged like a planet's: a plate is at the bound, and rounding must not refuse it."""
    for scale in (1e-25, 1.0, 1e30):
        system = slider()
        system.body(
            "plate", system.points["block"], system.ground, mass=1, inertia=(scale / 3, scale / 7, scale * 10 / 21)
        )
        checked_values(system)
        system.body("more", system.points["block"], system.ground, mass=1, inertia=(scale / 3, scale / 7, scale / 2))
        (found,) = faults(system)
        assert "'more'" in found


@pytest.mark.parametrize("length", [0.0, 0.99, 2.0])
def test_a_quaternion_must_have_unit_length(length: float) -> None:
    system = System("example")
    ball = system.ball("top", system.origin, system.ground)
    system.body("top", ball.point, ball.frame, mass=1, inertia=(1, 1, 1))
    (found,) = faults(system, start={"top_qw": length})
    assert found.startswith(f"quaternion (top_qw, top_qx, top_qy, top_qz): it starts with length {length:g}")
    assert found.endswith("give it start values of length 1.")


def test_a_quaternion_within_a_millionth_is_set_to_unit_length() -> None:
    system = System("example")
    ball = system.ball("top", system.origin, system.ground)
    system.body("top", ball.point, ball.frame, mass=1, inertia=(1, 1, 1))
    run = simulate(system, until=0, start={"top_qw": 1 + 5e-7})
    assert run.final.top_qw == 1.0


@pytest.mark.parametrize("kind", ["parameter", "coordinate", "speed", "signal", "input"])
@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("sin", "reserved for the function or constant 'sin'"),
        ("pi", "reserved for the function or constant 'pi'"),
        ("t", "reserved for an attribute of a run"),
        ("energy", "reserved for an attribute of a run"),
        ("work", "reserved for an attribute of a run"),
        ("_private", "reserved for an attribute of a run"),
        ("taken", "the name is taken by the parameter 'taken'"),
        ("two words", "not a plain identifier"),
        ("lambda", "a word of Python's own"),
        ("__class__", "not a plain identifier"),
        ("\u00b5", "Python reads its letters as '\u03bc'"),
        ("", "not a plain identifier"),
        ("q'", "not a plain identifier"),
    ],
)
def test_reserved_and_taken_names_of_every_kind(kind: str, name: str, found: str) -> None:
    system = System("example")
    system.parameters(taken=1)
    if kind == "parameter":
        system.parameters(**{name: 1})
    elif kind == "coordinate":
        system.coordinates(name)
    elif kind == "speed":
        system.speeds(name)
    elif kind == "signal":
        system.signal(name, rate=1)
    else:
        system.input(name, 1)
    reported = [text for text in faults(system) if text.startswith(f"{kind} '{name}': ")]
    assert any(found in text for text in reported), reported


def test_names_that_a_run_needs_for_itself_are_reserved() -> None:
    """Else ``run.final`` could be a coordinate."""
    from detent.model.names import name_fault
    from detent.results.run import Run

    public = [name for name in dir(Run) if not name.startswith("_")]
    fields = list(Run.__dataclass_fields__)
    unreserved = [name for name in {*public, *fields} if name_fault("coordinate", name, {}) is None]
    assert unreserved == []


@pytest.mark.parametrize("kind", ["frame", "point", "body", "load"])
def test_duplicate_frames_points_bodies_and_loads(kind: str) -> None:
    system = slider()
    make: dict[str, Any] = {
        "frame": lambda name: system.ground.rotated(name, 1),
        "point": lambda name: system.origin.offset(name, system.ground.x),
        "body": lambda name: system.particle(name, system.origin, mass=1),
        "load": lambda name: system.potential(name, 1),
    }
    make[kind]("same")
    make[kind]("same")
    make[kind](" ")
    make[kind](["a"])
    found = faults(system)
    assert found == [
        f"{kind} 'same': there is already a {kind} of that name; choose another name.",
        f"{kind} ' ': its name is empty or no text; give it a name.",
        f"{kind} ['a']: its name is empty or no text; give it a name.",
    ]


def test_an_automatic_speed_that_clashes_is_reported() -> None:
    system = slider()
    system.parameters(x_rate=1)
    (found,) = faults(system)
    assert found.startswith("speed 'x_rate': the name is taken by the parameter 'x_rate'")


def test_an_inertia_that_was_turned_by_numbers_is_symmetric_to_rounding() -> None:
    turn = np.linalg.qr(np.random.default_rng(5).normal(size=(3, 3)))[0]
    turned = turn @ np.diag([1.0, 2.0, 2.5]) @ turn.T
    turned[0, 1] = np.nextafter(turned[0, 1], 9)
    for given in (turned, turned.tolist()):
        system = System("bar")
        joint = system.free("bar", system.origin, system.ground)
        body = system.body("bar", joint.point, joint.frame, mass=1, inertia=given)
        assert float(body.inertia.xy) == pytest.approx(turned[1, 0], abs=1e-15)
