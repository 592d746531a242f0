"""What is declared is there: joints bring their coordinates, speeds, signals, frames and points."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest
import sympy

from detent import Held, Sampled, System, UnknownNameError
from detent.errors import ValueProblem
from detent.model.validation import checked_values


def names(symbols: Any) -> list[str]:
    return [symbol.name for symbol in symbols]


def test_a_hinge_and_a_slider() -> None:
    system = System("example")
    hinge = system.revolute("hinge", system.origin, system.ground, about="y", start=0.5)
    slider = system.prismatic("slider", hinge.point, hinge.frame, along="x", start=2)
    assert names(hinge.coordinates) == ["hinge"]
    assert names(hinge.speeds) == ["hinge_rate"]
    assert hinge.point is system.origin
    assert hinge.frame is system.frames["hinge"]
    assert names(slider.coordinates) == ["slider"]
    assert names(slider.speeds) == ["slider_rate"]
    assert slider.frame is hinge.frame
    assert slider.point.position().express(hinge.frame) == (slider.coordinates[0], 0, 0)
    assert system.start_values == {"hinge": 0.5, "slider": 2}
    assert system.speed_definitions[slider.speeds[0]] == slider.coordinates[0].rate


def test_a_slider_along_any_direction_moves_metres() -> None:
    system = System("example")
    slider = system.prismatic("slider", system.origin, system.ground, along=(3, 0, 4))
    assert sympy.simplify(slider.point.position().magnitude() ** 2 - slider.coordinates[0] ** 2) == 0
    other = system.prismatic("other", system.origin, system.ground, along=system.ground.z)
    assert other.point.position().express(system.ground) == (0, 0, other.coordinates[0])


def test_planar_ball_and_free_joints() -> None:
    system = System("example")
    planar = system.planar("cart", system.origin, system.ground)
    assert names(planar.coordinates) == ["cart_x", "cart_y", "cart_angle"]
    assert names(planar.speeds) == ["cart_x_rate", "cart_y_rate", "cart_angle_rate"]
    ball = system.ball("shoulder", planar.point, planar.frame)
    assert ball.coordinates == ()
    assert names(ball.speeds) == ["shoulder_wx", "shoulder_wy", "shoulder_wz"]
    assert names(ball.signals) == ["shoulder_qw", "shoulder_qx", "shoulder_qy", "shoulder_qz"]
    assert checked_values(system)[1]["shoulder_qw"] == 1.0
    assert not ball.frame.rotation.along_parent
    free = system.free("body", system.origin, system.ground, spin_along_parent=True)
    assert free.frame.rotation.along_parent
    assert names(free.signals) == ["body_qw", "body_qx", "body_qy", "body_qz"]
    assert names(free.coordinates) == ["body_x", "body_y", "body_z"]
    assert len(free.speeds) == 6
    assert free.point is system.points["body"]
    assert free.frame is system.frames["body"]
    assert system.quaternions == [ball.signals, free.signals]
    assert system.faults == []


def test_coordinates_without_a_speed_get_one() -> None:
    system = System("example")
    a, b = system.coordinates("a", "b")
    u = system.speeds(u=2 * a.rate)
    assert {speed.name: str(rule) for speed, rule in system.all_speeds().items()} == {"u": "2*a'", "b_rate": "b'"}
    assert system["u"] == u
    assert system["b_rate"] in system.all_speeds()
    assert system["b"] == b
    with pytest.raises(UnknownNameError, match="there is no quantity named 'c'"):
        system["c"]


def test_quantities_print_and_survive_copying() -> None:
    system = System("example")
    q = system.coordinates("q")
    assert sympy.latex(q.rate) == r"\dot{q}"
    assert q.rate == q.rate
    assert q.is_real
    assert pickle.loads(pickle.dumps(q)) == q
    assert copy.deepcopy(q) == q
    assert repr(system) == "<system 'example': 1 coordinates, 1 speeds, 0 bodies, 0 loads>"


def test_a_held_input_keeps_each_value_until_the_next_time() -> None:
    held = Held([0.5, 1.0, 2.0], [5, 6, 7])
    at = [0.0, 0.5, 0.75, np.nextafter(1.0, 0.0), 1.0, 1.5, 2.0, 9.0]
    assert [held.value(float(time)) for time in at] == [5, 5, 5, 5, 6, 6, 7, 7]
    assert [held.next_change(time) for time in (0.0, 0.5, 1.9, 2.0)] == [0.5, 1.0, 2.0, np.inf]


@pytest.mark.parametrize("period", [0.1, 0.01, 1 / 3, 0.0173205])
def test_the_next_sampling_instant_lies_ahead(period: float) -> None:
    sampled = Sampled(period, lambda time, state: 0.0)
    random = np.random.default_rng(5)
    for number in [0, 1, 2, 3, 10, *random.integers(10, 10**10, size=2000).tolist()]:
        time = number * period
        # Had an instant come twice, a run would stand still there for ever.
        assert sampled.next_change(time) == (number + 1) * period
    assert sampled.next_change(2.5 * period) == 3 * period


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Held([0, 1], [1]), "a held input has 2 times and 1 values; give the same number of each"),
        (lambda: Held([], []), "0 times and 0 values"),
        (lambda: Held([1, 0], [1, 2]), "the times of a held input do not increase; sort the samples"),
        (lambda: Held([0, np.nan], [1, 2]), "a time or value that is not finite; remove or mend"),
        (lambda: Sampled(0.0, lambda time, state: 0.0), "the period 0.0; give a finite time greater than zero"),
        (lambda: Sampled(np.inf, lambda time, state: 0.0), "the period inf; give a finite time greater than zero"),
    ],
)
def test_an_input_that_makes_no_sense_is_refused_with_the_remedy(make: Any, message: str) -> None:
    with pytest.raises(ValueProblem, match=message):
        make()


def test_a_loads_own_name_and_form_are_kept() -> None:
    system = System("example")
    q = system.coordinates("q")
    tip = system.origin.offset("tip", q * system.ground.x)
    body = system.particle("bob", tip, mass=1)
    system.spring("spring", (tip, system.origin), stiffness=3, rest=1)
    system.spring("torsion", q, stiffness=2, rest=0.5)
    system.damper("drag", body, 0.1, quadratic=True)
    system.damper("dashpot", (tip, system.origin), 0.2)
    system.damper("hinge", q.rate, 0.3)
    system.force("push", body, system.ground.x, reaction=system.origin)
    system.torque("motor", system.ground, system.ground.z)
    assert list(system.loads) == ["spring", "torsion", "drag", "dashpot", "hinge", "push", "motor"]
    assert system.loads["torsion"].energy == (q - 0.5) ** 2
    assert system.loads["drag"].quadratic
    assert system.loads["push"].point is tip


def test_a_quantity_is_a_number_to_sympy() -> None:
    """What it stands for is its role; kind is SymPy's own word, which products of quantities ask for."""
    system = System("example")
    x = system.coordinates("x")
    assert x.role == "coordinate"
    assert x.kind == (3 * x + system.time).kind == sympy.Symbol("x").kind
