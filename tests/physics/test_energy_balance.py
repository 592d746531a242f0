"""Energy in = energy out: T + V changes by the work of loads and prescribed motions and by nothing else.

Each case is a small system in which one kind of load does work; its audit must stay within the error that the
tolerance allows.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from sympy import cos, sin

import detent
from detent import Held, Run, Sampled, System
from detent.formulation.compiled import EMBEDDINGS, Embedding
from tests.physics.bounds import accumulated


def arm(name: str) -> tuple[System, detent.Joint, detent.Joint]:
    """Two rods in space: one turns about z, the other about a skew axis at its tip."""
    system = System(name)
    shoulder = system.revolute("shoulder", system.origin, system.ground, about="z", start=0.3)
    elbow = system.revolute(
        "elbow", system.origin.offset("tip", shoulder.frame.x), shoulder.frame, about=(1, 1, 0), start=-0.8
    )
    moments = (0.05, 0.3, 0.3)
    system.body("upper", system.origin.offset("upper", shoulder.frame.x / 2), shoulder.frame, 1, moments)
    system.body("lower", elbow.point.offset("lower", elbow.frame.x / 2), elbow.frame, 1, moments)
    system.gravity(-9.81 * system.ground.z)
    system.start(shoulder_rate=1.5, elbow_rate=-1)
    return system, shoulder, elbow


def force() -> System:
    system, _, elbow = arm("force")
    system.force("wind", elbow.point.offset("end", elbow.frame.x), 2 * system.ground.x + 1 * elbow.frame.y)
    return system


def force_with_reaction() -> System:
    system, shoulder, elbow = arm("force with reaction")
    end = elbow.point.offset("end", elbow.frame.x)
    system.force("muscle", end, 3 * shoulder.frame.z + shoulder.coordinates[0] * elbow.frame.y, reaction=elbow.point)
    return system


def torque_with_reaction() -> System:
    system, shoulder, elbow = arm("torque with reaction")
    system.torque("motor", elbow.frame, 2 * elbow.frame.x + 3 * elbow.frame.z, reaction=shoulder.frame)
    return system


def spring_by_expression() -> System:
    system, _, elbow = arm("spring by expression")
    system.spring("spring", sin(elbow.coordinates[0]), 20, rest=0.2)
    return system


def spring_between_points() -> System:
    system, _, elbow = arm("spring between points")
    end = elbow.point.offset("end", elbow.frame.x)
    system.spring("spring", (end, system.origin.offset("wall", 2 * system.ground.y)), 20, rest=0.5)
    return system


def linear_damper() -> System:
    system, shoulder, elbow = arm("linear damper")
    system.damper("damper", shoulder.speeds[0] - elbow.speeds[0] / 2, 0.7)
    return system


def quadratic_damper() -> System:
    system, _, elbow = arm("quadratic damper")
    system.damper("damper", elbow.coordinates[0].rate, 0.7, quadratic=True)
    return system


def damped_point() -> System:
    system, _, elbow = arm("damped point")
    system.damper("air", elbow.point.offset("end", elbow.frame.x), 0.4)
    return system


def quadratically_damped_point() -> System:
    system, _, elbow = arm("quadratically damped point")
    system.damper("air", elbow.point.offset("end", elbow.frame.x), 0.4, quadratic=True)
    return system


def damped_pair() -> System:
    system, _, elbow = arm("damped pair")
    end = elbow.point.offset("end", elbow.frame.x)
    system.damper("strut", (end, system.origin.offset("wall", 2 * system.ground.y)), 0.6)
    return system


def quadratically_damped_pair() -> System:
    system, _, elbow = arm("quadratically damped pair")
    end = elbow.point.offset("end", elbow.frame.x)
    system.damper("strut", (end, system.origin.offset("wall", 2 * system.ground.y)), 0.6, quadratic=True)
    return system


def potential_with_explicit_time() -> System:
    system, shoulder, elbow = arm("potential with explicit time")
    system.potential("field", 5 * sin(3 * system.time) * cos(shoulder.coordinates[0] - elbow.coordinates[0]))
    return system


def shaken_pivot() -> System:
    """The pivot moves as the time prescribes, with every kind of load on what hangs from it."""
    system = System("shaken pivot")
    time = system.time
    pivot = system.origin.offset("pivot", sin(4 * time) / 5 * system.ground.x + cos(3 * time) / 5 * system.ground.y)
    hinge = system.revolute("hinge", pivot, system.ground, start=1)
    bob = pivot.offset("bob", -hinge.frame.y)
    system.body("rod", bob, hinge.frame, 1, 0.1)
    system.gravity(-9.81 * system.ground.y)
    system.damper("air", bob, 0.2)
    system.damper("strut", (bob, system.origin), 0.1)
    system.force("push", bob, 1 * system.ground.x)
    system.spring("spring", (bob, system.origin.offset("wall", 2 * system.ground.x)), 3)
    system.torque("motor", hinge.frame, 0.5 * system.ground.z)
    return system


def turning_hoop() -> System:
    """A bead on a hoop that is turned about the vertical, faster and slower, with a torque partly against the hoop."""
    system = System("turning hoop")
    hoop = system.ground.rotated("hoop", 5 * system.time + sin(2 * system.time), about="z")
    bead = system.revolute("bead", system.origin, hoop, about="y", start=0.5)
    system.particle("bead", system.origin.offset("bead", -bead.frame.z), 1)
    system.gravity(-9.81 * system.ground.z)
    system.damper("air", system.bodies["bead"], 0.1)
    system.torque("motor", bead.frame, 2 * system.ground.z + 1 * hoop.y)
    return system


def speeds_with_a_remainder() -> System:
    """u = q' + Z: the speed is that of the slider against a belt that moves by itself."""
    system = System("speeds with a remainder")
    x = system.coordinates(x=0.3)
    slip = system.speeds(slip=x.rate - sin(system.time))
    system.particle("slider", system.origin.offset("slider", x * system.ground.x), 2)
    system.spring("spring", x, 30)
    system.damper("belt", slip, 1.5)
    return system


def input_as_a_function_of_time() -> System:
    system, _, elbow = arm("input as a function of time")
    push = system.input("push", 3 * sin(5 * system.time))
    system.torque("motor", elbow.frame, push * elbow.frame.z)
    return system


def held_input() -> System:
    system, _, elbow = arm("held input")
    push = system.input("push", Held([0.0, 0.5, 1.2], [1.0, -2.0, 4.0]))
    system.torque("motor", elbow.frame, push * elbow.frame.z)
    return system


def sampled_input() -> System:
    system, _, elbow = arm("sampled input")
    push = system.input("push", Sampled(0.1, lambda time, state: -4 * state["elbow"] - state["elbow_rate"]))
    system.torque("motor", elbow.frame, push * elbow.frame.z)
    return system


def integral_signal() -> System:
    """A controller with memory: the integral of the angle is a signal."""
    system, _, elbow = arm("integral signal")
    memory = system.signal("memory", elbow.coordinates[0])
    system.torque("motor", elbow.frame, -3 * memory * elbow.frame.x)
    return system


def ball_joint_with_loads() -> System:
    system = System("ball joint with loads")
    joint = system.ball("joint", system.origin, system.ground)
    end = joint.point.offset("end", joint.frame.x - joint.frame.z)
    system.body("body", joint.point.offset("center", joint.frame.x / 2), joint.frame, 1, (0.3, 0.4, 0.5))
    system.gravity(-9.81 * system.ground.z)
    system.start(joint_wx=2, joint_wy=1)
    system.damper("air", end, 0.2, quadratic=True)
    system.spring("spring", (end, system.origin.offset("wall", 3 * system.ground.y)), 5)
    system.torque("motor", joint.frame, 1 * joint.frame.z)
    return system


CONSERVATIVE = [spring_by_expression, spring_between_points]
WORKING = [
    force, force_with_reaction, torque_with_reaction, linear_damper, quadratic_damper, damped_point,
    quadratically_damped_point, damped_pair, quadratically_damped_pair, potential_with_explicit_time, shaken_pivot,
    turning_hoop, speeds_with_a_remainder, input_as_a_function_of_time, held_input, sampled_input, integral_signal,
    ball_joint_with_loads,
]  # fmt: skip


def checked_run(case: Callable[[], System], embedding: Embedding = "symbolic") -> Run:
    system = case()
    run = detent.simulate(system, until=3, rtol=1e-10, embedding=embedding)
    assert np.ptp(run.kinetic) > 1e-2
    assert run.audit.energy_balance < accumulated(run)
    return run


@pytest.mark.parametrize("case", CONSERVATIVE, ids=lambda case: case.__name__)
def test_conservative_loads_do_no_work_of_their_own(case: Callable[[], System]) -> None:
    assert np.abs(checked_run(case).work).max() == 0


@pytest.mark.parametrize("embedding", EMBEDDINGS)
@pytest.mark.parametrize("case", WORKING, ids=lambda case: case.__name__)
def test_the_work_of_a_load_is_what_the_energy_changes_by(case: Callable[[], System], embedding: Embedding) -> None:
    run = checked_run(case, embedding)
    assert np.abs(run.work).max() > 1e-2


@pytest.mark.parametrize(
    "case",
    [linear_damper, quadratic_damper, damped_point, quadratically_damped_point, damped_pair, quadratically_damped_pair],
    ids=lambda case: case.__name__,
)
def test_dampers_only_ever_take_energy(case: Callable[[], System]) -> None:
    run = checked_run(case)
    # Where a damper rests its work is constant but for the error of a step.
    assert np.diff(run.work).max() < 1e-10 * run.audit.energy_scale


def test_a_hoop_turned_at_a_constant_rate_keeps_the_jacobi_integral() -> None:
    """T2 - T0 + V stays, so the work is what T + V gains: 2 T0, the part of T from the hoop alone."""
    system = System("steady hoop")
    hoop = system.ground.rotated("hoop", 5 * system.time, about="z")
    bead = system.revolute("bead", system.origin, hoop, about="y", start=0.5)
    system.particle("bead", system.origin.offset("bead", -bead.frame.z), 1)
    system.gravity(-9.81 * system.ground.z)
    run = detent.simulate(system, until=3, rtol=1e-11)
    twice = 25 * np.sin(run.bead) ** 2
    np.testing.assert_allclose(run.work, twice - twice[0], atol=run.audit.energy_scale * accumulated(run))
