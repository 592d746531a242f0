"""Cone problems whose answers are known: forces, motions, statuses, and what is said of them."""

from __future__ import annotations

import numpy as np
import pytest

from detent.contact_solves.cone_frame import ConeOutcome, ConeStatus
from detent.contact_solves.cone_problem import ConeProblem, ConeSolution
from detent.errors import ValueProblem

G = 9.81
ROUNDING = 64 * 2.0**-52
"""Of a few sums and one small solve, over the largest force."""


def body(mass: float, inertia: np.ndarray, points: np.ndarray, frames: list[np.ndarray]) -> np.ndarray:
    """Rows of the contacts of one body, scaled by its mass; a frame has the normal and the tangents as rows."""
    rows = [
        np.concatenate([axis / np.sqrt(mass), np.cross(point, axis) @ np.linalg.inv(np.linalg.cholesky(inertia)).T])
        for point, frame in zip(points, frames, strict=True)
        for axis in frame
    ]
    return np.array(rows)


def plane_body(mass: float, inertia: float, points: list[tuple[float, float]], normals: list[float]) -> np.ndarray:
    """Rows of the contacts of one body in the plane; normals by their angle, tangents a quarter turn clockwise."""
    rows = []
    for (x, y), angle in zip(points, normals, strict=True):
        normal = np.array([np.cos(angle), np.sin(angle)])
        for axis in (normal, np.array([normal[1], -normal[0]])):
            rows.append([*(axis / np.sqrt(mass)), (x * axis[1] - y * axis[0]) / np.sqrt(inertia)])
    return np.array(rows)


def accelerations(rows: np.ndarray, solution: ConeSolution, free: np.ndarray) -> np.ndarray:
    """Of the speeds, scaled by the mass as the rows are."""
    return rows.T @ solution.forces.ravel() + free


def test_a_contact_in_space_slips_with_the_known_force() -> None:
    problem = ConeProblem([[2, 1, 1, 2], [0, 1, 2, -1], [-2, -1, -1, 2]], [-6, -6, 0], [0.3], dimension=3)
    solution = problem.solve()
    assert solution.statuses == (ConeStatus.SLIP,)
    expected = [0.59390276125793, 0.16967798183713, 0.054352797208232]
    np.testing.assert_allclose(solution.forces[0], expected, rtol=0, atol=5e-15)
    np.testing.assert_allclose(solution.slip[0], -solution.forces[0, 1:] / (0.3 * solution.forces[0, 0]), rtol=1e-14)


def slip_and_stick() -> ConeProblem:
    J = [
        [-2, 0, -2, 1, 2, -1, 0], [-2, -2, -1, 2, 2, 1, 0], [0, -2, -1, 2, 0, -1, -1],
        [1, -2, 2, 2, 0, 0, 1], [0, 0, -1, 0, 1, -2, -2], [1, -1, 2, -2, 2, -2, 0],
    ]  # fmt: skip
    return ConeProblem(J, [-7, -5, 2, -4, -1, -5], [0.5, 0.5], dimension=3)


def test_one_contact_slips_and_one_sticks_with_the_known_forces() -> None:
    expected = [
        [1.1620271147847, -0.24831731416406, -0.52527637045663],
        [0.82812017048458, -0.044592548829259, 0.16523566199241],
    ]
    solution = slip_and_stick().solve()
    assert solution.statuses == (ConeStatus.SLIP, ConeStatus.STICK)
    np.testing.assert_allclose(solution.forces, expected, rtol=0, atol=5e-14)


def test_what_held_gives_the_same_answer() -> None:
    cold = slip_and_stick().solve()
    warm = slip_and_stick().solve(cold.statuses, cold.forces, cold.slip)
    assert warm.statuses == cold.statuses
    np.testing.assert_allclose(warm.forces, cold.forces, rtol=1e-14)


THREE = ConeProblem(np.linalg.cholesky([[1, 2], [2, 5]]), [1, 4], [1], dimension=2)


@pytest.mark.parametrize(
    ("held", "slip", "forces"),
    [(ConeStatus.OPEN, 0, (0, 0)), (ConeStatus.SLIP, 1, (1, -1)), (ConeStatus.STICK, 0, (3, -2))],
)
def test_of_three_solutions_the_one_that_held_is_kept(held: ConeStatus, slip: int, forces: tuple[int, int]) -> None:
    solution = THREE.solve(statuses=[held], slip=[[slip]], count=True)
    assert (solution.statuses, solution.several) == ((held,), True)
    np.testing.assert_allclose(solution.forces[0], forces, rtol=1e-14)


def test_several_is_said_only_where_it_is_asked() -> None:
    assert not THREE.solve().several


def test_a_contact_that_slides_and_whose_normal_yields_the_wrong_way_has_no_force() -> None:
    """Painleve: G_nn - mu G_nt = -1, so that pressing lets it approach the more."""
    problem = ConeProblem(THREE.rows, [-1, 4], [1], dimension=2, sliding=[[1]])
    solution = problem.solve()
    assert (solution.outcome, solution.culprit) == (ConeOutcome.NONE, 0)


@pytest.mark.parametrize(
    ("height", "mu", "ratio"), [(4, 0.3, 31 / 34), (2, 1.0, 7 / 10), (2, 0.3, 19 / 31)]
)  # by hand: both corners at rest after the impact, or the one that strikes slides
def test_a_rocking_block_keeps_the_known_part_of_its_turning(height: float, mu: float, ratio: float) -> None:
    corners = [(-0.5, -height / 2), (0.5, -height / 2)]
    inertia = (1 + height**2) / 12
    rows = plane_body(1.0, inertia, corners, [np.pi / 2, np.pi / 2])
    before = np.array([height / 2, -0.5, -np.sqrt(inertia)])  # clockwise about the left corner, 1 rad/s
    solution = ConeProblem(rows, rows @ before, [mu, mu], dimension=2).solve()
    after = rows.T @ solution.forces.ravel() + before
    assert solution.outcome == ConeOutcome.SOLVED
    assert after[2] / before[2] == pytest.approx(ratio, abs=1e-14)


def test_a_box_at_rest_on_two_points_is_carried_equally_and_without_friction() -> None:
    rows = plane_body(2.0, 0.7, [(-1, -0.5), (1, -0.5)], [np.pi / 2, np.pi / 2])
    solution = ConeProblem(rows, rows @ [0, -G * np.sqrt(2), 0], [0.5, 0.5], dimension=2).solve()
    assert (solution.statuses, solution.exchanges) == ((ConeStatus.STICK, ConeStatus.STICK), 1)
    np.testing.assert_allclose(solution.forces, [[G, 0], [G, 0]], atol=ROUNDING * G)
    np.testing.assert_allclose(solution.motions, 0, atol=ROUNDING * G)


def box_on_a_slope(tilt: float, mu: float) -> tuple[np.ndarray, np.ndarray, ConeProblem]:
    """A box of 1 kg, 0.4 x 0.3 x 0.1, on its face, x downhill."""
    inertia = np.diag([0.3**2 + 0.1**2, 0.4**2 + 0.1**2, 0.4**2 + 0.3**2]) / 12
    points = np.array([(x, y, -0.05) for x in (-0.2, 0.2) for y in (-0.15, 0.15)])
    frame = np.array([[0, 0, 1], [1, 0, 0], [0, 1, 0]])
    rows, free = body(1.0, inertia, points, [frame] * 4), G * np.array([np.sin(tilt), 0, -np.cos(tilt), 0, 0, 0])
    return rows, free, ConeProblem(rows, rows @ free, np.full(4, mu), dimension=3)


def test_a_box_slides_on_its_face_with_the_known_acceleration() -> None:
    rows, free, problem = box_on_a_slope(0.6, 0.5)
    solution = problem.solve()
    assert solution.statuses == (ConeStatus.SLIP,) * 4
    expected = [1.49087147287332, 0, 0, 0, 0, 0]
    np.testing.assert_allclose(accelerations(rows, solution, free), expected, atol=1e-13)
    np.testing.assert_allclose(solution.forces[::2], solution.forces[1::2] * [1, 1, -1], atol=1e-13)  # left and right


@pytest.mark.parametrize(("factor", "status"), [(1 + 1e-9, ConeStatus.STICK), (1 - 1e-9, ConeStatus.SLIP)])
def test_a_box_sticks_just_inside_the_cone_and_slips_just_outside(factor: float, status: ConeStatus) -> None:
    _, _, problem = box_on_a_slope(0.3, np.tan(0.3) * factor)
    assert problem.solve().statuses == (status,) * 4


def test_a_slip_that_hardly_begins_goes_straight_down() -> None:
    """Its motion, 3e-9 m/s^2, has a rounding of 1e-16 across: a direction from that alone would be 1e-8 rad off."""
    _, _, problem = box_on_a_slope(0.3, np.tan(0.3) * (1 - 1e-9))
    np.testing.assert_allclose(problem.solve().slip, [[1.0, 0.0]] * 4, rtol=0, atol=ROUNDING)


def random_box_on_a_slope(random: np.random.Generator, short: float) -> tuple[np.ndarray, np.ndarray, ConeProblem]:
    """A box on its face, turned about the normal, that lacks a part of the friction that would hold it; x downhill."""
    turned, tilt = random.uniform(-3, 3), random.uniform(0.1, 1.2)
    axes = np.array([[np.cos(turned), -np.sin(turned), 0], [np.sin(turned), np.cos(turned), 0], [0, 0, 1]])
    a, b = random.uniform(0.05, 0.3, 2)
    h = random.uniform(0.1, 0.9) * min(a / abs(axes[0, 0]), b / abs(axes[1, 0])) / np.tan(tilt)
    x, y, z = random.uniform(0.3, 1, 3) * np.array([a, b, h]) ** 2 / 3
    inertia = axes @ np.diag([y + z, x + z, x + y]) @ axes.T
    points = np.array([(p, q, -h) for p in (a, -a) for q in (b, -b)]) @ axes.T
    rows = body(1.0, inertia, points, [np.array([[0, 0, 1], [1, 0, 0], [0, 1, 0]])] * 4)
    free = G * np.array([np.sin(tilt), 0, -np.cos(tilt), 0, 0, 0])
    friction = np.full(4, np.tan(tilt) * (1 - short))
    return rows, free, ConeProblem(rows, np.zeros(12), friction, dimension=3, free=free)


@pytest.mark.parametrize("short", [1e-3, 1e-5, 1e-7, 1e-9])
def test_corners_of_a_box_that_hardly_slides_go_the_same_way(short: float) -> None:
    """No force and no moment tells directions that turn against one another, and all that is across is rounding."""
    random = np.random.default_rng(1118)
    for _ in range(100):
        rows, free, problem = random_box_on_a_slope(random, short)
        solution = problem.solve()
        assert solution.statuses == (ConeStatus.SLIP,) * 4
        np.testing.assert_allclose(solution.slip, [[1.0, 0.0]] * 4, rtol=0, atol=4 * ROUNDING)
        accelerated = accelerations(rows, solution, free)
        np.testing.assert_allclose(accelerated[1:], np.zeros(5), rtol=0, atol=ROUNDING * G)


def test_motions_without_forces_are_of_as_many_speeds_as_there_are() -> None:
    with pytest.raises(ValueProblem, match="of 2 speeds were given where rows have 3; give as many"):
        ConeProblem(np.eye(3), np.zeros(3), [0.1], dimension=3, free=[1, 2])


def test_a_ball_rolls_in_a_groove_with_equal_forces_on_both_faces() -> None:
    """Half-angle psi = 45 degrees, axis x sloping by theta = 15; six rows have rank 5.

    The acceleration is g sin(theta)/(1 + (2/5)/sin^2(psi)). Friction 0.2 is enough, though forces of least norm need
    more.
    """
    half, slope = np.pi / 4, np.pi / 12
    normals = [np.array([0, side * np.cos(half), np.sin(half)]) for side in (1, -1)]
    frames = [np.array([n, [1, 0, 0], np.cross(n, [1, 0, 0])]) for n in normals]
    rows = body(1.0, 0.4 * 0.01 * np.eye(3), np.array([-0.1 * n for n in normals]), frames)
    free = G * np.array([np.sin(slope), 0, -np.cos(slope), 0, 0, 0])
    solution = ConeProblem(rows, rows @ free, [0.2, 0.2], dimension=3).solve()
    assert (solution.statuses, solution.exchanges) == ((ConeStatus.STICK, ConeStatus.STICK), 1)
    assert accelerations(rows, solution, free)[0] == pytest.approx(1.410563795809, abs=1e-12)
    np.testing.assert_allclose(np.abs(solution.forces[:, 1]), 0.564225518323, atol=1e-12)
    np.testing.assert_allclose(np.abs(solution.forces[0]), np.abs(solution.forces[1]), atol=ROUNDING * G)
    assert (np.linalg.norm(solution.forces[:, 1:], axis=1) < 0.2 * solution.forces[:, 0]).all()


@pytest.mark.parametrize(("mu", "status"), [(0.28, ConeStatus.STICK), (0.2, ConeStatus.SLIP)])
def test_a_ladder_at_60_degrees_rests_on_enough_friction(mu: float, status: ConeStatus) -> None:
    x, y = 0.5 * np.cos(np.pi / 3), 0.5 * np.sin(np.pi / 3)
    rows = plane_body(1.0, 1 / 12, [(x, -y), (-x, y)], [np.pi / 2, 0.0])
    solution = ConeProblem(rows, rows @ [0, -G, 0], [mu, mu], dimension=2).solve()
    assert solution.statuses == (status, status)


def wedge(count: bool, held: list[ConeStatus] | None = None) -> ConeSolution:
    """A disk of 1 kg in a wedge of 30 degrees with friction 1, pulled out with 2 N."""
    half = np.pi / 12
    angles = [np.pi / 2 - half, -np.pi / 2 + half]  # of the normals, the way out being x
    rows = plane_body(1.0, 0.5, [(-np.cos(angle), -np.sin(angle)) for angle in angles], angles)
    return ConeProblem(rows, rows @ [2, 0, 0], [1, 1], dimension=2).solve(statuses=held, count=count)


def test_a_disk_in_a_wedge_may_leave_or_stay() -> None:
    assert wedge(True).several
    leaves = wedge(True, [ConeStatus.OPEN, ConeStatus.OPEN])
    assert (leaves.statuses, leaves.several) == ((ConeStatus.OPEN, ConeStatus.OPEN), True)
    stays = wedge(True, [ConeStatus.STICK, ConeStatus.STICK])
    assert (stays.statuses, stays.several) == ((ConeStatus.STICK, ConeStatus.STICK), True)
    np.testing.assert_allclose(stays.motions, 0, atol=ROUNDING * 2)


def test_forces_of_a_jammed_disk_are_bounded_and_symmetric() -> None:
    """Nothing says how hard it is jammed: any N above sqrt(2) would do."""
    stays = wedge(False, [ConeStatus.STICK, ConeStatus.STICK])
    assert stays.exchanges == 1
    np.testing.assert_allclose(np.abs(stays.forces[0]), np.abs(stays.forces[1]), rtol=1e-12)
    assert np.sqrt(2) < stays.forces[0, 0] < 20


def test_a_contact_without_force_keeps_what_it_did() -> None:
    """A ball on the floor touches a wall beside it, along which nothing pushes."""
    rows = plane_body(1.0, 0.4, [(0, -1), (-1, 0)], [np.pi / 2, 0.0])
    problem = ConeProblem(rows, rows @ [0, -G, 0], [0.5, 0.5], dimension=2)
    for held in (ConeStatus.OPEN, ConeStatus.STICK, ConeStatus.SLIP):
        solution = problem.solve(statuses=[ConeStatus.STICK, held], slip=[[0], [1]])
        assert solution.statuses == (ConeStatus.STICK, held)
        np.testing.assert_allclose(solution.forces, [[G, 0], [0, 0]], atol=ROUNDING * G)


def test_a_bias_that_is_rounding_changes_no_status() -> None:
    rows = plane_body(1.0, 0.4, [(0, -1)], [np.pi / 2])
    for bias in ([3e-16, -2e-16], [-3e-16, 2e-16]):
        problem = ConeProblem(rows, bias, [0.5], dimension=2, rounding=1e-14)
        for held in (ConeStatus.OPEN, ConeStatus.STICK):
            assert problem.solve(statuses=[held]).statuses == (held,)


def test_walls_that_close_on_a_ball_have_no_solution() -> None:
    for dimension in (2, 3):
        rows = np.zeros((2 * dimension, dimension))
        rows[0, 0], rows[dimension, 0] = 1, -1
        rows[1, 1] = rows[dimension + 1, 1] = 1
        bias = np.zeros(2 * dimension)
        bias[[0, dimension]] = -1
        assert ConeProblem(rows, bias, [0.3, 0.3], dimension).solve().outcome == ConeOutcome.NONE


@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize("number", [np.nan, np.inf])
def test_a_number_that_is_none_is_refused(dimension: int, number: float) -> None:
    rows, bias = np.eye(2 * dimension), -np.ones(2 * dimension)
    bias[0] = number
    solution = ConeProblem(rows, bias, [0.5, 0.5], dimension).solve()
    assert (solution.outcome, solution.residual) == (ConeOutcome.NOT_CONVERGED, np.inf)


@pytest.mark.parametrize("mass", [1e-8, 1e8])
def test_units_of_mass_do_not_matter(mass: float) -> None:
    known = slip_and_stick()
    other = ConeProblem(known.rows / np.sqrt(mass), known.bias, known.friction, 3).solve()
    assert other.statuses == (ConeStatus.SLIP, ConeStatus.STICK)
    np.testing.assert_allclose(other.forces, mass * known.solve().forces, rtol=1e-13)


@pytest.mark.parametrize("force", [1e-30, 1e9, 1e15, 1e30])
def test_a_disk_is_held_on_a_slope_by_forces_of_any_size(force: float) -> None:
    """It rolls: of the pull along the slope friction takes 1/(1 + m r^2/I)."""
    rows = np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 1.0]]) / np.sqrt([1.0, 1.0, 0.5])
    solution = ConeProblem(rows, [-0.9 * force, -0.3 * force], [0.6], 2).solve()
    assert solution.statuses == (ConeStatus.STICK,)
    assert solution.forces[0] == pytest.approx([0.9 * force, 0.1 * force], rel=1e-14)


def test_rows_and_contacts_must_agree() -> None:
    with pytest.raises(ValueProblem, match="2 contacts in dimension 3 was given 3 rows and 3 biases; give dimension"):
        ConeProblem(np.eye(3), [1, 2, 3], [0.1, 0.1], dimension=3)
