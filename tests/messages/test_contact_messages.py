"""Each message about a contact names it, what was found there and what to do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import sympy

import detent
from detent import Coulomb, DetentError, ModelError, Newton, Poisson, System, UnknownNameError
from detent.model.shape import Shape
from detent.model.validation import checked_values

U, V = sympy.symbols("u v")


class Scene:
    """A ball above a floor, to make mistakes with."""

    def __init__(self) -> None:
        self.system = System("mine")
        self.size, self.mu = self.system.parameters(size=1, mu=0.3)
        self.x, self.y = self.system.coordinates("x", "y")
        self.ground = self.system.ground
        self.ball = self.system.particle(
            "ball", self.system.origin.offset("center", self.x * self.ground.x + self.y * self.ground.y), mass=1
        )
        self.floor, self.plane = self.ground.line(), self.ground.plane()
        self.other = System("theirs")

    def touch(self, shape: Shape, **laws: Any) -> None:
        self.system.contact("ball|floor", shape, self.floor if shape.planar is not False else self.plane, **laws)

    def roll(self, track: Shape) -> None:
        self.system.contact("ball|floor", self.ball.circle(0.1), track)


AT_ONCE: list[tuple[Callable[[Scene], Any], list[str]]] = [
    (lambda s: s.touch(s.ball.circle("1")), ["circle of the body 'ball'", "found '1'", "an expression was expected"]),
    (lambda s: s.ball.polygon((0, 0), (1, 2, 3)), ["polygon of the body 'ball'", "(1, 2, 3)", "two components"]),
    (lambda s: s.ball.circle(1, at=7), ["circle of the body 'ball'", "put at 7", "a point, two or three components"]),
    (lambda s: s.ball.circle(1, at=s.other.origin), ["point 'origin' of system 'theirs'", "cannot be mixed"]),
    (lambda s: s.ground.line(along="z"), ["line of the frame 'ground'", "'z'", "give 'x', 'y', '-x', '-y' or two"]),
    (lambda s: s.ground.line(along=(0, 0)), ["line of the frame 'ground'", "(0, 0) has no length"]),
    (lambda s: s.ground.plane("up"), ["plane of the frame 'ground'", "'up'", "three numbers"]),
    (lambda s: s.ground.plane((s.size, 0, 1)), ["not made of numbers", "turn a frame"]),
    (lambda s: s.ground.plane((0, 0, float("nan"))), ["plane of the frame 'ground'", "not made of finite real"]),
    (lambda s: s.ground.plane((0, 0, sympy.I)), ["plane of the frame 'ground'", "not made of finite real"]),
    (lambda s: s.ground.line(along=(float("inf"), 0)), ["line of the frame 'ground'", "not made of finite real"]),
    (lambda s: s.touch(s.ball.circle(sympy.Matrix([1]))), ["circle of the body 'ball'", "an expression was expected"]),
    (lambda s: s.ground.arc(1, 0, 1, inside="no"), ["arc of the frame 'ground'", "inside is 'no'", "True or False"]),
    (lambda s: s.ground.sphere(1, inside=(1, 2)), ["sphere of the frame 'ground'", "inside is (1, 2)"]),
    (lambda s: s.ground.curve(U, U, U, (0, 1), closed=1), ["curve of the frame 'ground'", "closed is 1"]),
    (lambda s: s.ground.track((0, 0), (1, 0), closed="x"), ["track of the frame 'ground'", "closed is 'x'"]),
    (lambda s: s.ground.surface(U, U, V, 0, ((0, 1), (0, 1))), ["surface of the frame 'ground'", "two parameters"]),
    (lambda s: s.ground.surface((U, V), U, V, 0, 3), ["surface of the frame 'ground'", "a range and a word"]),
    (lambda s: s.ground.profile([(0, 0), (1, 10**400), (2, 0), (3, 0)]), ["curve of the frame", "pairs of numbers"]),
    (lambda s: s.system.contact("c", s.ball, s.floor), ["contact 'c'", "a shape was expected", "body.circle(r)"]),
    (lambda s: s.touch(s.ball.circle(1), friction=0.3), ["its friction is 0.3", "detent.Coulomb(mu)"]),
    (lambda s: s.touch(s.ball.circle(1), impact=0.3), ["its impact is 0.3", "detent.Poisson(e)"]),
    (lambda s: s.touch(s.ball.circle(1), enabled="no"), ["contact 'ball|floor'", "enabled is 'no'", "give True, or"]),
    (lambda s: (s.system.contact("c corner 1", s.ball.circle(1), s.floor),
                s.system.contact("c", s.ball.polygon((0, 0), (1, 0), (0, 1)), s.floor)),
     ["contact 'c': its place 'c corner 1' has the name of a place of contact 'c corner 1'", "another name"]),
    (lambda s: Coulomb("0.3"), ["kinetic coefficient", "found '0.3'", "an expression was expected"]),
    (lambda s: Poisson(None), ["Poisson impact, its restitution", "found None"]),
    (lambda s: s.system.contact("c", s.ball.circle(1), s.ball.circle(2, at=(3, 0))),
     ["contact 'c'", "both shapes belong to the body 'ball'", "give shapes of two bodies"]),
    (lambda s: s.system.contact("c", s.floor, s.ground.circle(1)), ["both shapes belong to the frame 'ground'"]),
    (lambda s: s.system.contact("c", s.ball.circle(1), s.plane),
     ["contact 'c'", "circle of the body 'ball' lies in the plane", "plane of the frame 'ground' is in space"]),
    (lambda s: s.system.contact("c", s.ball.box(1, 1, 1), s.ground.cylinder(1, 1)),
     ["a box and a cylinder cannot touch", "the round edge of a cylinder", "give a capsule in place of the cylinder",
      "A box can touch: box, capsule, hollow sphere, plane, point, sphere"]),
    (lambda s: s.system.contact("c", s.ball.circle(1), s.other.ground.line()),
     ["contact 'c' of system 'mine'", "of system 'theirs'", "cannot be mixed"]),
    (lambda s: s.touch(s.ball.arc(1, 0, 2 * sympy.pi, inside=True)),
     ["arc of the body 'ball' and the line of the frame 'ground'", "no place where they could touch"]),
    (lambda s: s.ground.track((0, 0)), ["track of the frame 'ground'", "it has no piece", "after its start"]),
    (lambda s: s.ball.track((0, 0), detent.Turn((0, 1), s.x)), ["track of the body 'ball'", "x has no value yet"]),
    (lambda s: s.ground.curve(s.x, 1, 2, (0, 1)), ["curve of the frame", "its parameter is x", "sympy.Symbol"]),
    (lambda s: s.ground.curve(U, U, U, 3), ["curve of the frame 'ground'", "its range is 3", "give two values"]),
    (lambda s: s.ground.curve(U, U, U**2, (0, 1), closed=True),
     ["it is closed, but starts at (0, 0) and ends at (1, 1)", "a range after which it is back"]),
    (lambda s: s.ground.profile([(0, 0), (1, 0), (2, 1)]), ["it has 3 points", "give four or more"]),
    (lambda s: s.ground.profile("abc"), ["its points are 'abc'", "pairs of numbers"]),
    (lambda s: s.ground.surface((U,), U, U, U, ((0, 1),)), ["surface of the frame", "it needs two parameters"]),
    (lambda s: s.ground.curve(U, s.size, 0 * U, (0, 1)),
     ["curve of the frame 'ground': it stands still", "x = size, y = 0 do not change with u", "use point(at)"]),
    (lambda s: s.ground.surface((U, V), U + V, 2 * U + 2 * V, 0, ((0, 1), (0, 1))),
     ["surface of the frame 'ground': it is a line or a point", "different ways along u and v", "expressions of both"]),
    (lambda s: s.ground.surface((U, V), U, U**2, 1, ((0, 1), (0, 1))), ["it is a line or a point"]),
    (lambda s: s.system.contact("c", s.ball.circle(1), s.ground.rotated("wall", s.x, about="y").line()),
     ["the z axes of frame 'ground' and frame 'wall' are not parallel", "turn against each other about z"]),
    (lambda s: s.system.contact_status("c"), ["no contact named 'c'"]),
    (lambda s: (s.touch(s.ball.capsule(1, 2)), s.system.contact_status("ball|floor")),
     ["contact 'ball|floor' may touch in 2 places", "end 1, end 2"]),
    (lambda s: (s.touch(s.ball.circle(1)), s.system.contact_status("ball|floor", "corner 1")),
     ["no place of contact 'ball|floor' named 'corner 1'"]),
]  # fmt: skip

AT_FIRST_USE: list[tuple[Callable[[Scene], Any], list[str]]] = [
    (lambda s: s.touch(s.ball.circle(0)), ["circle of the body 'ball'", "its radius is 0", "greater than zero"]),
    (lambda s: s.touch(s.ball.circle(-s.size)), ["its radius is -1"]),
    (lambda s: s.touch(s.ball.circle(sympy.nan)), ["its radius is nan"]),
    (lambda s: s.touch(s.ball.circle(2j)), ["its radius is 2.0*I", "a finite real number"]),
    (lambda s: s.touch(s.ball.circle(sympy.sqrt(s.mu - 1))), ["its radius is sqrt(mu - 1)", "a finite real number"]),
    (lambda s: s.touch(s.ball.circle(s.x)), ["its radius is x", "not made of numbers and parameters"]),
    (lambda s: s.touch(s.ball.circle(1, at=(s.y, 0))), ["its offset x is y", "let points and frames do the moving"]),
    (lambda s: s.touch(s.ball.segment((1, 2), (1, 2))), ["it goes from (1, 2) to (1, 2)", "two ends that are apart"]),
    (lambda s: s.touch(s.ball.arc(1, 2, 1)), ["it sweeps -1 rad", "past its start angle"]),
    (lambda s: s.touch(s.ball.arc(1, 0, 7)), ["it sweeps 7 rad", "2 pi at the most"]),
    (lambda s: s.touch(s.ball.polygon((0, 0), (1, 0))), ["it has 2 corners", "three or more"]),
    (lambda s: s.touch(s.ball.polygon((0, 0), (0, 1), (1, 1), (1, 0))), ["clockwise", "give them counter-clockwise"]),
    (lambda s: s.touch(s.ball.polygon((0, 0), (1, 0), (0.2, 0.2), (0, 1))),
     ["it is not convex at its corner 3, (0.2, 0.2)", "several contacts with convex shapes"]),
    (lambda s: s.touch(s.ball.polygon((0, 0), (1, 0), (2, 0), (0, 1))), ["it is not convex at its corner 2, (1, 0)"]),
    (lambda s: s.touch(s.ball.polygon(*((sympy.cos(4*k*sympy.pi/5), sympy.sin(4*k*sympy.pi/5)) for k in range(5)))),
     ["it is not convex"]),
    (lambda s: s.roll(s.ground.track((0, 0), (1, 0), (1, 0))), ["its piece 2 has no length", "places that are apart"]),
    (lambda s: s.roll(s.ground.track((0, 0), detent.Turn((0, 0), 1))), ["its piece 1 turns about its own start"]),
    (lambda s: s.roll(s.ground.track((0, 0), detent.Turn((0, 1), 7))), ["its piece 1 turns by 7 rad", "at most 2 pi"]),
    (lambda s: s.roll(s.ground.track((0, 0), (1, 0), (0, 1), closed=True)),
     ["it is closed, but starts at (0, 0) and ends at (0, 1)", "let its last piece end"]),
    (lambda s: s.roll(s.ground.curve(U, U, U**2, (1, 0))), ["its u goes from 1 to 0", "the smaller value first"]),
    (lambda s: s.roll(s.ground.curve(U, U, s.y * U, (0, 1))), ["it holds t, y", "which is no parameter of the system"]),
    (lambda s: s.touch(s.ball.sphere(-1)), ["sphere of the body 'ball'", "its radius is -1"]),
    (lambda s: s.touch(s.ball.capsule(1, 0)), ["its length is 0"]),
    (lambda s: s.touch(s.ball.cylinder(0, 1)), ["cylinder of the body 'ball'", "its radius is 0"]),
    (lambda s: s.touch(s.ball.box(1, -1, 1)), ["box of the body 'ball'", "its length y is -1"]),
    (lambda s: s.touch(s.ball.rim(0)), ["rim of the body 'ball'", "its radius is 0"]),
    (lambda s: s.touch(s.ball.circle(1), impact=Poisson(1.5)), ["its restitution is 1.5", "from 0 to 1"]),
    (lambda s: s.touch(s.ball.circle(1), impact=Newton(-s.size)), ["its restitution is -1", "from 0 to 1"]),
    (lambda s: s.touch(s.ball.circle(1), impact=Newton(s.other.time)), ["'t'", "not part of the system 'mine'"]),
    (lambda s: s.touch(s.ball.circle(1), friction=Coulomb(-0.1)), ["its kinetic friction is -0.1", "not negative"]),
    (lambda s: s.touch(s.ball.circle(1), friction=Coulomb(sympy.nan)), ["its kinetic friction is nan"]),
    (lambda s: s.touch(s.ball.circle(1), friction=Coulomb(sympy.oo)), ["its kinetic friction is oo", "finite real"]),
    (lambda s: s.touch(s.ball.circle(1), impact=Poisson(1j)), ["its restitution is 1.0*I", "finite real"]),
    (lambda s: s.touch(s.ball.circle(1), friction=Coulomb(0.1, rolling=-1)), ["its rolling friction is -1"]),
    (lambda s: s.touch(s.ball.circle(1), friction=Coulomb(s.mu, static=0.2)),
     ["its static friction 0.2 is below its kinetic friction 0.3", "at least as large"]),
    (lambda s: (s.touch(s.ball.circle(1)), s.touch(s.ball.circle(1))), ["already a contact of that name"]),
    (lambda s: s.roll(s.ground.arc(1, float("nan"), 1)), ["nan"]),
]  # fmt: skip


@pytest.mark.parametrize("number", range(len(AT_ONCE)))
def test_what_cannot_be_a_contact_is_said_at_once(number: int) -> None:
    mistake, expected = AT_ONCE[number]
    with pytest.raises(DetentError) as caught:
        mistake(Scene())
    for text in expected:
        assert text in str(caught.value)


@pytest.mark.parametrize("number", range(len(AT_FIRST_USE)))
def test_what_depends_on_values_is_said_when_the_model_is_used(number: int) -> None:
    mistake, expected = AT_FIRST_USE[number]
    scene = Scene()
    mistake(scene)
    with pytest.raises(ModelError) as caught:
        checked_values(scene.system)
    for text in ["contact 'ball|floor'", *expected]:
        assert text in str(caught.value)


def test_all_faults_of_a_contact_are_reported_at_once() -> None:
    scene = Scene()
    scene.touch(scene.ball.circle(-1), friction=Coulomb(-1), impact=Poisson(2))
    with pytest.raises(ModelError) as caught:
        checked_values(scene.system)
    assert [text in str(caught.value) for text in ("radius", "kinetic", "restitution")] == [True] * 3


def test_one_wrong_coefficient_is_one_mistake() -> None:
    for coefficient in (-0.1, sympy.oo):
        scene = Scene()
        scene.touch(scene.ball.circle(1), friction=Coulomb(coefficient))
        with pytest.raises(ModelError, match="1 mistake in the model"):
            checked_values(scene.system)


def test_an_unknown_start_value_is_answered_by_the_names_that_a_user_gives() -> None:
    scene = Scene()
    scene.touch(scene.ball.circle(1))
    with pytest.raises(ModelError, match="start value 'z': there is nothing of that name") as caught:
        checked_values(scene.system, start={"z": 1})
    assert "status of" not in str(caught.value)
    assert "x_rate" in str(caught.value)


def test_laws_may_depend_on_where_and_when_and_how_fast() -> None:
    scene = Scene()
    system = scene.system
    icy = sympy.Piecewise((0.05, scene.x > 1), (scene.mu, True))
    scene.touch(
        scene.ball.circle(scene.size),
        friction=Coulomb(icy / (1 + system.slip_speed)),
        impact=Poisson(sympy.exp(-system.approach_speed) * sympy.sin(system.time) ** 2),
    )
    checked_values(system)


def test_a_parameter_without_a_value_is_said_once() -> None:
    scene = Scene()
    radius = scene.system.parameters(radius=None)
    scene.touch(scene.ball.circle(radius))
    with pytest.raises(ModelError) as caught:
        checked_values(scene.system)
    assert len(caught.value.faults) == 1


def test_a_track_whose_corners_change_with_the_parameters_is_refused() -> None:
    scene = Scene()
    scene.roll(scene.ground.track((0, 0), (1, 0), (2, scene.size)))
    checked_values(scene.system)
    with pytest.raises(ModelError, match="other corners stick out than with those it was declared with"):
        checked_values(scene.system, parameters={"size": -1})


def test_planar_shapes_may_lie_in_any_plane_that_is_one() -> None:
    scene = Scene()
    upright = scene.ground.rotated("upright", sympy.pi / 2, about="x")
    disk = scene.system.body("disk", scene.ball.center, upright.rotated("disk", scene.x), mass=1, inertia=(1, 1, 1))
    over = upright.rotated("half a turn", sympy.pi, about="y")
    for number, floor in enumerate((upright.line(), over.line())):
        assert scene.system.contact(f"disk|floor {number}", disk.circle(1), floor).planar


def test_a_status_is_a_discrete_state_for_each_place() -> None:
    scene = Scene()
    scene.touch(scene.ball.capsule(1, 2))
    names = [symbol.name for symbol in scene.system.discrete_states]
    assert names[1] == "status of ball|floor end 1"
    assert names[2:6] == [f"slip of ball|floor end 1.{word}" for word in ("1", "2", "near", "straight")]
    assert scene.system.contact_status("ball|floor", "end 2") in scene.system.discrete_states
    assert sympy.Eq(scene.system.contact_status("ball|floor", "end 2"), detent.ContactStatus.STICK).rhs == 2
    with pytest.raises(UnknownNameError):
        scene.system.contact_status("ball|floor", "end 3")


def test_a_follower_that_friction_jams_on_its_cam_is_told_without_guards_that_nobody_wrote() -> None:
    """In a guide it jams where the tangent of the pressure angle is 1/mu: e/R sin(angle) of an eccentric disk."""
    system = detent.System("cam")
    height, mu, radius, aside = system.coordinates("height"), 0.8, 0.1, 0.09
    follower = system.particle("follower", system.origin.offset("tip", height * system.ground.y), mass=0.5)
    system.spring("spring", height, stiffness=200, rest=-0.2)
    system.start(height=radius - aside)
    turning = system.ground.rotated("cam", 5 * system.time)
    disk = turning.circle(radius, at=system.origin.offset("middle", -aside * turning.y))
    system.contact("follower|cam", follower.point(), disk, friction=detent.Coulomb(mu))
    run = detent.simulate(system, until=1, check=False)
    assert run.outcome.word == "paradox"
    assert "contact 'follower|cam': its force grows beyond all numbers" in run.message
    assert aside / radius * np.sin(5 * run.final.time) == pytest.approx(1 / np.hypot(1, mu), abs=1e-9)


@pytest.mark.parametrize("name", [3, None, ["c"], sympy.Symbol("c")])
def test_a_status_is_asked_for_by_a_name(name: Any) -> None:
    scene = Scene()
    scene.touch(scene.ball.circle(1))
    with pytest.raises(UnknownNameError, match=r"there is no contact named .* Names that exist: ball\|floor"):
        scene.system.contact_status(name)


@pytest.mark.parametrize("name", [3, ["c"], ""])
def test_a_contact_has_a_name_that_is_a_text(name: Any) -> None:
    scene = Scene()
    scene.system.contact(name, scene.ball.circle(1), scene.floor)
    with pytest.raises(ModelError, match="its name is empty or no text"):
        checked_values(scene.system)
