"""Three ways to the same accelerations: recursion, factorisation on the graph, factorisation in the kernel."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest
from numpy.typing import NDArray

from detent import Frame, Joint, Point, System
from detent.dynamics.equations_of_motion import EquationsOfMotion
from detent.formulation.compiled import compile_system
from detent.jit.calling import call_once
from tests.physics.numbers import mass_and_forcing, numbers, random_state, values_of

KINDS = ("revolute", "prismatic", "ball", "universal", "revolute")


def random_joint(system: System, random: np.random.Generator, name: str, point: Point, frame: Frame) -> Joint:
    kind = KINDS[int(random.integers(len(KINDS)))]
    direction = [float(value) for value in random.normal(size=3)]
    if kind == "prismatic":
        return system.prismatic(name, point, frame, along=direction)
    if kind == "ball":
        return system.ball(name, point, frame)
    if kind == "universal":  # two hinges with no body between them
        frame = system.revolute(f"{name}_cross", point, frame, about="x").frame
    return system.revolute(name, point, frame, about=direction)


def random_tree(seed: int, joints: int) -> System:
    """Joints of every kind in a random tree, a body on each, now and then a second one on the same frame.

    The bodies are declared in any order.
    """
    random = np.random.default_rng(seed)
    system = System(f"tree {seed}")
    ends = [(system.origin, system.ground)]
    for number in range(joints):
        point, frame = ends[int(random.integers(max(0, len(ends) - 3), len(ends)))]
        joint = random_joint(system, random, f"j{number}", point, frame)
        x, y, z = (float(value) for value in random.uniform(-0.5, 0.5, size=3))
        centre = joint.point.offset(f"c{number}", x * joint.frame.x + y * joint.frame.y + z * joint.frame.z)
        ends.append((centre, joint.frame))
        system.damper(f"d{number}", centre, 0.1)
    for number in random.permutation(joints):
        centre, frame = ends[number + 1]
        moments = [float(value) for value in random.uniform(1, 1.5, size=3)]
        system.body(f"b{number}", centre, frame, float(random.uniform(0.5, 2)), (*moments, 0.1, -0.05, 0.02))
        if random.uniform() < 0.3:
            system.particle(f"p{number}", centre.offset(f"p{number}", frame.y / 3), 0.4)
    system.gravity(-9.81 * system.ground.y + 1 * system.ground.x)
    system.torque("motor", ends[-1][1], 2 * ends[-1][1].x, reaction=ends[1][1])
    return system


def in_the_kernel(system: System, state: Mapping[str, float]) -> NDArray[np.float64]:
    """u' by the numeric embedding."""
    compiled = compile_system(system, "numeric")
    given = values_of(system, state)
    x = np.array([*(given[name] for name in compiled.layout.names[:-1]), 0.0])
    parameters = np.array([given[symbol.name] for symbol in compiled.equations.quantities.parameters])
    out = np.empty(compiled.layout.width)
    assert call_once(compiled.cell, given["t"], x, parameters, out) == 0
    before = len(compiled.equations.quantities.coordinates)
    return out[before : before + len(compiled.equations.quantities.speeds)]


@pytest.mark.parametrize("seed", range(8))
def test_three_ways_give_the_same_accelerations(seed: int) -> None:
    system = random_tree(seed, joints=3 + seed % 4)
    equations = EquationsOfMotion(system)
    assert equations.tree is not None
    state = random_state(system, np.random.default_rng(seed))
    mass, forcing, _ = mass_and_forcing(system, state)
    expected = np.linalg.solve(mass, forcing)
    # Each way solves M u' = f to rounding, magnified by the condition of M.
    bound = 100 * np.finfo(float).eps * np.linalg.cond(mass) * np.abs(expected).max()
    for found in (
        numbers(equations, equations.factorised_accelerations(), state),
        numbers(equations, equations.recursive_accelerations(), state),
        in_the_kernel(system, state),
    ):
        np.testing.assert_allclose(found, expected, rtol=0, atol=bound)


@pytest.mark.parametrize("seed", range(4))
def test_the_choice_of_axes_does_not_matter(seed: int) -> None:
    system = random_tree(seed, joints=4)
    state = random_state(system, np.random.default_rng(seed))
    mass, forcing, _ = mass_and_forcing(system, state)
    along_ground = EquationsOfMotion(system, resolution=system.ground)
    other = numbers(along_ground, [value for row in along_ground.mass_matrix for value in row], state)
    np.testing.assert_allclose(other.reshape(mass.shape), mass, rtol=0, atol=1e-13 * np.abs(mass).max())
    np.testing.assert_allclose(
        numbers(along_ground, along_ground.forcing, state), forcing, rtol=0, atol=1e-12 * np.abs(forcing).max()
    )


@pytest.mark.parametrize("seed", range(4))
def test_the_mass_matrix_is_that_of_the_kinetic_energy(seed: int) -> None:
    """T = u M u / 2 where no motion is prescribed."""
    system = random_tree(seed, joints=5)
    equations = EquationsOfMotion(system)
    state = random_state(system, np.random.default_rng(seed))
    mass, _, _ = mass_and_forcing(system, state)
    u = np.array([state[speed.name] for speed in equations.quantities.speeds])
    (kinetic,) = numbers(equations, [equations.kinetic_energy], state)
    assert kinetic == pytest.approx(u @ mass @ u / 2, rel=1e-13)


def test_speeds_across_joints_form_no_tree_and_are_factorised() -> None:
    """Absolute angles: the first speed turns the upper body and carries the lower one along without turning it."""
    system = System("absolute angles")
    first, second = system.coordinates("first", "second")
    system.speeds(u1=first.rate, u2=first.rate + second.rate)
    upper = system.ground.rotated("upper", first)
    lower = upper.rotated("lower", second)
    elbow = system.origin.offset("elbow", -upper.y)
    system.body("upper", elbow, upper, 1, 0.1)
    system.body("lower", elbow.offset("tip", -lower.y), lower, 1, 0.1)
    system.gravity(-9.81 * system.ground.y)
    state = random_state(system, np.random.default_rng(3))
    mass, forcing, rates = mass_and_forcing(system, state)
    np.testing.assert_allclose(rates, np.linalg.solve(mass, forcing), rtol=1e-13)
    np.testing.assert_allclose(in_the_kernel(system, state), rates, rtol=1e-13)
