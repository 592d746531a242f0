"""Each message about a model names the thing, what was found there and what to do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import sympy

from detent import DetentError, ModelError, System, holonomic, simulate
from detent.errors import ExpressionError
from detent.model.body import Body


class Scene:
    """One system to make mistakes in, and another one that does not belong."""

    def __init__(self) -> None:
        self.system = System("mine")
        self.other = System("theirs")
        self.q = self.system.coordinates("q")
        self.tip = self.system.origin.offset("tip", self.q * self.system.ground.x)
        self.foreign_tip = self.other.origin.offset("foreign tip", self.other.ground.x)
        self.foreign_frame = self.other.ground.rotated("foreign frame", 1)

    def bar(self, inertia: Any) -> Body:
        return self.system.body("bar", self.tip, self.system.ground, mass=1, inertia=inertia)


MIXED = "cannot be mixed"

AT_ONCE: list[tuple[Callable[[Scene], Any], list[str]]] = [
    # Constraints.
    (lambda s: s.system.constrain(s.q), ["found q", "constraint was expected", "a name and an expression"]),
    (lambda s: s.system.constrain(holonomic("stop", s.q), s.q), ["'stop'", "and q", "a name and an expression"]),
    (lambda s: s.system.constrain("stop", "q - 1"), ["'stop'", "found 'q - 1'", "an expression was expected"]),
    # Frames of two systems mixed.
    (lambda s: s.system.ground.x + s.other.ground.x,
     ["'ground' of system 'mine'", "'ground' of system 'theirs'", "build each system from its own frames"]),
    (lambda s: s.system.origin.offset("p", s.foreign_frame.x),
     ["point 'p' of system 'mine'", "frame 'foreign frame' of system 'theirs'", MIXED]),
    (lambda s: s.system.ground.x.dot(s.foreign_frame.x),
     ["'ground' of system 'mine'", "'foreign frame' of system 'theirs'", MIXED]),
    (lambda s: s.system.ground.x.express(s.foreign_frame), ["'foreign frame' of system 'theirs'", MIXED]),
    (lambda s: s.system.body("bar", s.foreign_tip, s.system.ground, mass=1, inertia=1),
     ["body 'bar' of system 'mine'", "point 'foreign tip' of system 'theirs'", MIXED]),
    (lambda s: s.system.body("bar", s.tip, s.foreign_frame, mass=1, inertia=1),
     ["body 'bar' of system 'mine'", "frame 'foreign frame' of system 'theirs'", MIXED]),
    (lambda s: s.system.particle("bob", s.foreign_tip, mass=1),
     ["particle 'bob' of system 'mine'", "'foreign tip' of system 'theirs'", MIXED]),
    (lambda s: s.system.force("push", s.foreign_tip, s.system.ground.x),
     ["force 'push' of system 'mine'", "'foreign tip' of system 'theirs'", MIXED]),
    (lambda s: s.system.force("push", s.tip, s.foreign_frame.x),
     ["force 'push' of system 'mine'", "'foreign frame' of system 'theirs'", MIXED]),
    (lambda s: s.system.force("push", s.tip, s.system.ground.x, reaction=s.foreign_tip),
     ["force 'push'", "'foreign tip' of system 'theirs'", MIXED]),
    (lambda s: s.system.torque("motor", s.foreign_frame, s.system.ground.x),
     ["torque 'motor'", "'foreign frame' of system 'theirs'", MIXED]),
    (lambda s: s.system.gravity(s.foreign_frame.x), ["gravity 'gravity'", "'foreign frame' of system 'theirs'", MIXED]),
    (lambda s: s.system.spring("spring", (s.tip, s.foreign_tip), 1),
     ["spring 'spring'", "'foreign tip' of system 'theirs'", MIXED]),
    (lambda s: s.system.damper("damper", (s.tip, s.foreign_tip), 1), ["damper 'damper'", "'foreign tip'", MIXED]),
    (lambda s: s.system.damper("damper", s.foreign_tip, 1), ["damper 'damper'", "'foreign tip'", MIXED]),
    # The wrong kind of thing.
    (lambda s: s.system.origin.offset("p", 3), ["point 'p'", "3, not a vector", "2*frame.x"]),
    (lambda s: s.system.gravity(9.81), ["gravity 'gravity'", "9.81 is not a vector", "-g*ground.y"]),
    (lambda s: s.system.force("push", s.tip, 5), ["force 'push'", "5 is not a vector", "along a frame's axes"]),
    (lambda s: s.system.torque("motor", s.system.ground, s.q), ["torque 'motor'", "q is not a vector", "frame's axes"]),
    (lambda s: s.system.force("push", s.system.ground, s.system.ground.x),
     ["force 'push'", "<frame 'ground'>", "a point or body was expected", "give one of this system"]),
    (lambda s: s.system.torque("motor", s.tip, s.system.ground.x),
     ["torque 'motor'", "<point 'tip'>", "a frame or body was expected", "give one of this system"]),
    (lambda s: s.system.body("bar", s.system.ground, s.system.ground, mass=1, inertia=1),
     ["body 'bar'", "<frame 'ground'>", "a point or body was expected"]),
    (lambda s: s.system.body("bar", s.tip, s.tip, mass=1, inertia=1),
     ["body 'bar'", "<point 'tip'>", "a frame or body was expected"]),
    (lambda s: s.system.spring("spring", (s.tip,), 1), ["spring 'spring'", "1 ends", "give two points"]),
    (lambda s: s.system.damper("drag", s.system.ground, 1), ["damper 'drag'", "<frame 'ground'>", "an expression"]),
    (lambda s: s.system.potential("V", "q**2"), ["potential 'V'", "'q**2'", "use numbers and the system's own"]),
    (lambda s: s.system.particle("bob", s.tip, mass=None), ["particle 'bob'", "None", "an expression was expected"]),
    (lambda s: s.system.speeds(u="q'"), ["speed 'u'", "an expression was expected"]),
    (lambda s: s.system.signal("s", rate=s.system.ground.x), ["signal 's'", "ground.x", "an expression was expected"]),
    (lambda s: s.system.input("push", "__import__('os')"), ["input 'push'", "an expression was expected"]),
    (lambda s: s.system.ground.rotated("arm", s.system.ground.x), ["frame 'arm'", "ground.x", "an expression"]),
    (lambda s: s.system.coordinates(3), ["coordinate 3", "no text", "give it a name"]),
    (lambda s: s.system.ground.x + 1, ["1 is added to the vector ground.x", "2*frame.x"]),
    (lambda s: s.system.ground.x - s.q, ["q is added to the vector ground.x", "2*frame.x"]),
    (lambda s: s.system.ground.x * s.system.ground.y, ["multiplied with *", "a.dot(b) or a.cross(b)"]),
    (lambda s: s.system.ground.x * "2", ["the factor of a vector", "'2'", "use numbers"]),
    # Axes and angles.
    (lambda s: s.system.ground.rotated("arm", 1, about="w"), ["frame 'arm'", "'w'", "use 'x', 'y', 'z' or"]),
    (lambda s: s.system.ground.rotated("arm", 1, about=(0, 0, 0)), ["frame 'arm'", "no direction", "not all zero"]),
    (lambda s: s.system.ground.rotated("arm", 1, about=(1, 0)), ["frame 'arm'", "no direction", "three components"]),
    (lambda s: s.system.ground.rotated("arm", 1, about=s.system.ground.rotated("b", 1).x),
     ["frame 'arm'", "not written in the frame 'ground'", "write it along ground.x"]),
    (lambda s: s.system.prismatic("slider", s.tip, s.system.ground, along="w"), ["joint 'slider'", "'w'", "use 'x'"]),
    (lambda s: s.system.ground.euler("top", (1, 2), "zxz"), ["frame 'top'", "2 angles", "'zxz'", "angle per letter"]),
    (lambda s: s.system.ground.euler("top", (1, 2, 3), "zxw"), ["frame 'top'", "'zxw'", "letters from x, y, z"]),
    (lambda s: s.system.ground.quaternion("top", (1, 0, 0), (0, 0, 0)), ["frame 'top'", "3 quaternion", "give four"]),
    (lambda s: s.system.ground.quaternion("top", (1, 0, 0, 0), s.system.ground.rotated("b", 1).x),
     ["frame 'top'", "its angular velocity b.x is not written in the frame 'ground'", "write it along ground.x"]),
    (lambda s: s.system.quaternion("top", s.system.ground.rotated("b", 1).x + s.system.ground.y),
     ["quaternion 'top'", "its angular velocity", "is not written in the frame 'b'", "write it along b.x"]),
    # Inertia.
    (lambda s: s.bar(((1, 0.1, 0), (0, 1, 0), (0, 0, 1))), ["body 'bar'", "not symmetric", "mend the products"]),
    (lambda s: s.bar(sympy.Matrix([[1, 2, 0], [0, 1, 0], [0, 0, 1]])), ["body 'bar'", "not symmetric"]),
    (lambda s: s.bar(np.array([[1, 1e-9, 0], [0, 1, 0], [0, 0, 1]])), ["body 'bar'", "not symmetric"]),
    (lambda s: s.bar((1, 2)), ["body 'bar'", "2 inertia values", "give one (about z", "three", "six"]),
    (lambda s: s.bar("heavy"), ["body 'bar'", "'heavy'", "an expression was expected"]),
]  # fmt: skip


@pytest.mark.parametrize("number", range(len(AT_ONCE)))
def test_a_mistake_that_shows_at_once(number: int) -> None:
    mistake, words = AT_ONCE[number]
    with pytest.raises(DetentError) as caught:
        mistake(Scene())
    for word in words:
        assert word in str(caught.value)


def cart() -> tuple[System, Any, Any]:
    system = System("cart")
    x, y = system.coordinates("x", "y")
    system.particle("block", system.origin.offset("block", x * system.ground.x + y * system.ground.y), mass=1)
    return system, x, y


def nonlinear(system: System, x: Any, y: Any) -> None:
    system.speeds(u=x.rate**2, v=y.rate)


def singular(system: System, x: Any, y: Any) -> None:
    system.speeds(u=x.rate + y.rate, v=2 * x.rate + 2 * y.rate)


def too_many(system: System, x: Any, y: Any) -> None:
    system.speeds(u=x.rate, v=y.rate, w=x.rate + y.rate)


def too_few(system: System, x: Any, y: Any) -> None:
    system.speeds(u=x.rate + y.rate)


def undefined(system: System, x: Any, y: Any) -> None:
    system.speeds("w")
    system.potential("V", sympy.Symbol("k") * x**2)


def of_another(system: System, x: Any, y: Any) -> None:
    system.potential("V", System("theirs").coordinates("z") * x)


def unsupported(system: System, x: Any, y: Any) -> None:
    system.potential("V", sympy.erf(x))


def moving_mass(system: System, x: Any, y: Any) -> None:
    system.particle("rocket", system.points["block"], mass=1 + x)


@pytest.mark.parametrize(
    ("mistake", "words"),
    [
        (nonlinear, ["speed 'u'", "not linear in the coordinates' rates", "define it as u = Y q' + Z"]),
        (singular, ["speeds 'u', 'v'", "Y is singular", "make the definitions independent"]),
        (too_many, ["system 'cart'", "3 speeds are defined by rates of 2 coordinates", "one speed per coordinate"]),
        (too_few, ["system 'cart'", "1 speeds are defined by rates of 2 coordinates", "one speed per coordinate"]),
        (undefined, ["'k' is not part of this system", "its names are", "Declare it"]),
        (of_another, ["'z' is not part of this system", "of the same system"]),
        (unsupported, ["'erf' in 'erf(x)' is not supported", "supported are"]),
        (moving_mass, ["body 'rocket'", "cannot be worked out", "'x'", "use parameters and numbers only"]),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_a_mistake_that_shows_when_the_equations_are_made(mistake: Any, words: list[str]) -> None:
    system, x, y = cart()
    mistake(system, x, y)
    with pytest.raises((ModelError, ExpressionError)) as caught:
        simulate(system, until=1)
    for word in words:
        assert word in str(caught.value)


def test_a_speed_that_moves_no_inertia_is_named_with_the_bodies_it_moves() -> None:
    system = System("top")
    ball = system.ball("spin", system.origin, system.ground)
    system.body("needle", ball.point, ball.frame, mass=1, inertia=(1, 1, 0))
    with pytest.raises(ModelError) as caught:
        simulate(system, until=1)
    text = str(caught.value)
    assert "system 'top': the mass matrix is singular" in text
    assert "speeds 'spin_wz' (they move 'needle')" in text
    assert "give those bodies mass or inertia in that direction, or remove the speed" in text


def test_a_coordinate_that_moves_nothing_is_named() -> None:
    system, _, _ = cart()
    system.coordinates("idle")
    with pytest.raises(ModelError, match=r"speeds 'idle_rate' \(they move no body\)"):
        simulate(system, until=1)


def test_two_speeds_that_move_a_body_the_same_way_are_both_named() -> None:
    system = System("twice")
    a, b = system.coordinates("a", "b")
    system.particle("bob", system.origin.offset("bob", (a + b) * system.ground.x), mass=1)
    with pytest.raises(ModelError, match=r"speeds 'a_rate', 'b_rate' \(they move 'bob'\)"):
        simulate(system, until=1)


def test_a_massless_end_of_a_long_chain_is_named() -> None:
    system = System("chain")
    joint, frame = system.origin, system.ground
    for number in range(14):
        frame = frame.rotated(f"link{number}", system.coordinates(f"q{number}"))
        if number < 13:
            system.body(f"link{number}", joint.offset(f"c{number}", -frame.y / 2), frame, mass=1, inertia=1)
        joint = joint.offset(f"joint{number}", -frame.y)
    with pytest.raises(ModelError, match=r"speeds 'q13_rate' \(they move no body\)"):
        simulate(system, until=1)
