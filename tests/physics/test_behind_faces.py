"""What is behind a face when a contact begins to count: across it, inside a body, or free on its far side."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest

import detent
from detent.results.outcome import Outcome

G = 9.81
Make = Callable[[Any], detent.Shape]

SHAPES: dict[str, Make] = {
    "disk": lambda body: body.circle(0.5),
    "square": lambda body: body.polygon((-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)),
    "point": lambda body: body.point(),
    "rod": lambda body: body.segment((0, -0.5), (0, 0.5)),
}
FACES: dict[str, Make] = {
    "line": lambda ground: ground.line(),
    "segment": lambda ground: ground.segment((-5, 0), (5, 0)),
    "straight track": lambda ground: ground.track((-5, 0), (-1, 0), (5, 0)),
    "arc": lambda ground: ground.rotated("down", 0).arc(1e6, 1.5707, 1.5709, at=(0, -1e6)),
    "polygon": lambda ground: ground.polygon((5, 0), (-5, 0), (-5, -9), (5, -9)),
}
"""All with their faces upwards, at y = 0."""
SOLID = ("line", "polygon")
QUICK = (("disk", "straight track"), ("square", "arc"), ("disk", "polygon"), ("point", "segment"), ("rod", "segment"))
every_pair = pytest.mark.parametrize(
    ("shape", "face"),
    [
        pytest.param(shape, face, marks=[] if (shape, face) in QUICK else pytest.mark.slow)
        for shape in SHAPES
        for face in FACES
    ],
)


def scene(shape: str, face: str, y: float, gravity: float = G) -> detent.System:
    system = detent.System("behind")
    joint = system.planar("body", system.origin, system.ground)
    body = system.body("body", joint.point, joint.frame, 1, 0.1)
    system.gravity(-gravity * system.ground.y)
    system.start(body_y=y)
    system.contact("body|face", SHAPES[shape](body), FACES[face](system.ground))
    return system


@every_pair
def test_what_is_behind_a_solid_face_is_refused_and_what_is_behind_a_thin_one_is_free(shape: str, face: str) -> None:
    system = scene(shape, face, -2.0)
    if face in SOLID:
        with pytest.raises(detent.DetentError, match=r"contact 'body\|face.*': its shapes overlap by \d\.?\d* m"):
            detent.simulate(system, until=0.1)
    else:
        run = detent.simulate(system, until=0.1)
        assert list(run.events) == []
        assert run["body_y"][-1] == pytest.approx(-2 - G * 0.1**2 / 2, rel=1e-12)


@pytest.mark.parametrize("face", FACES)
@pytest.mark.parametrize("shape", ["disk", "square", "rod"])
@pytest.mark.parametrize("y", [-0.2, 0.2])
def test_what_lies_across_a_face_is_refused_whichever_side_its_middle_is_on(shape: str, face: str, y: float) -> None:
    with pytest.raises(
        detent.DetentError, match=r"at the start, contact 'body\|face.*': its shapes overlap by 0\.\d+ m"
    ):
        detent.simulate(scene(shape, face, y), until=0.1)


@every_pair
def test_what_stands_on_a_face_at_the_start_is_not_refused(shape: str, face: str) -> None:
    run = detent.simulate(scene(shape, face, 0.0 if shape == "point" else 0.5), until=0.1)
    assert run["body_y"][-1] == pytest.approx(0.0 if shape == "point" else 0.5, abs=1e-9)


def enabled(shape: str, face: str, y: float) -> detent.Automaton:
    """The same at rest without gravity, where the contact begins to count at t = 0.05."""
    system = scene(shape, face, y, gravity=0.0)
    automaton = detent.Automaton(system)
    without, counts = automaton.mode("without", contacts=[]), automaton.mode("counts")
    automaton.transition("begins", without, counts, when=system.time >= 0.05)
    return automaton


@every_pair
@pytest.mark.parametrize("y", [-2.0, 0.2, *(pytest.param(y, marks=pytest.mark.slow) for y in (-0.2, 0.5, 0.9))])
def test_a_mode_enables_a_contact_where_it_could_start_and_refuses_it_elsewhere_with_the_same_depth(
    shape: str, face: str, y: float
) -> None:
    try:
        detent.simulate(scene(shape, face, y, gravity=0.0), until=0.1)
    except detent.DetentError as error:
        refused = str(error).removeprefix("at the start, ")
    else:
        refused = ""
    run = detent.simulate(enabled(shape, face, y), until=0.1, check=False)
    if refused:
        assert run.outcome == Outcome.IMPACT
        assert run.message == f"at t = 0.05, transition 'begins': {refused}"
        assert run.time[-1] == pytest.approx(0.05)
        assert run.mode == "without"
    else:
        assert run.outcome == Outcome.COMPLETED
        assert run.mode.split(",")[0] == "counts"
        assert run["body_y"][-1] == pytest.approx(y, abs=1e-12)


def test_a_contact_in_flight_with_a_shape_that_lies_across_is_refused_with_its_depth() -> None:
    system = detent.System("flight")
    joint = system.planar("body", system.origin, system.ground)
    body = system.body("body", joint.point, joint.frame, 1, 0.1)
    system.gravity(-G * system.ground.y)
    simulation = detent.Simulation(system)
    simulation.advance(0.1)
    at = -G * 0.1**2 / 2
    wall = system.ground.segment((-1, at + 0.2), (1, at + 0.2))
    with pytest.raises(detent.DetentError, match=r"contact 'body\|wall': its shapes overlap by 0\.3 m"):
        simulation.contact("body|wall", body.circle(0.5), wall)
    below = system.ground.segment((-1, 3), (1, 3))
    simulation.contact("body|wall", body.circle(0.5), below)
    simulation.advance(0.2)
    assert simulation.state.body_y == pytest.approx(-G * 0.2**2 / 2, rel=1e-11)


def test_what_comes_back_from_the_far_side_is_met_in_front() -> None:
    # up past the end of a shelf, over it, and down onto it
    system = detent.System("shelf")
    joint = system.planar("ball", system.origin, system.ground)
    ball = system.body("ball", joint.point, joint.frame, 1, 0.1)
    system.gravity(-G * system.ground.y)
    system.start(ball_x=-0.4, ball_y=-0.5, ball_x_rate=0.8, ball_y_rate=6.0)
    system.contact("ball|shelf", ball.point(), system.ground.segment((0, 0), (3, 0)))
    run = detent.simulate(system, until=1.5)
    lands = (6.0 + math.sqrt(36.0 - 2 * G * 0.5)) / G
    assert run.events.of_kind("impact")[0].time == pytest.approx(lands, rel=1e-11)
