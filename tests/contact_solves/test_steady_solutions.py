"""Of several solutions of a cone problem the one that can be followed: NumPy counts all of them, and their signs.

In the plane a solution is one of the 4^n statuses. Its forces answer to motions by E G B (what must not move, and what
pushes). It is steady where the determinant of that is positive: a slip of one contact where W_nn > mu W_nt.
"""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from detent.contact_solves.cone_frame import ConeOutcome, ConeStatus
from detent.contact_solves.cone_problem import ConeProblem

CLEARLY = 1e-6
"""Determinants, over the product of the lengths of rows and columns, and conditions nearer to zero than this part are
not judged: methods may differ."""
OPEN, RIGHT, LEFT, STICK = range(4)


def all_solutions(rows: np.ndarray, bias: np.ndarray, mu: np.ndarray) -> list[tuple[np.ndarray, float]] | None:
    """The motions of each solution and its determinant; None where one is hardly one."""
    found, G = [], rows @ rows.T
    size = np.abs(bias).max()
    for statuses in product(range(4), repeat=len(mu)):
        pushes, reads = [], []
        for contact, status in enumerate(statuses):
            normal, tangent = np.eye(len(bias))[2 * contact : 2 * contact + 2]
            if status in (RIGHT, LEFT):
                pushes.append(normal - (mu[contact] if status == RIGHT else -mu[contact]) * tangent)
                reads.append(normal)
            elif status == STICK:
                pushes += [normal, tangent]
                reads += [normal, tangent]
        if not pushes:
            motions, forces, determinant = bias, np.zeros_like(bias), 1.0
        else:
            B, E = np.array(pushes).T, np.array(reads)
            A = E @ G @ B
            lengths = np.linalg.norm(E @ rows, axis=1)[:, None] * np.linalg.norm(rows.T @ B, axis=0)
            determinant = float(np.linalg.det(A / lengths))
            if abs(determinant) < CLEARLY:
                return None
            forces = B @ np.linalg.solve(A, -E @ bias)
            motions = G @ forces + bias
        margins = []
        for contact, status in enumerate(statuses):
            (N, T), (v, s) = (each[2 * contact : 2 * contact + 2] for each in (forces, motions))
            bounds = {OPEN: [v], RIGHT: [N, s], LEFT: [N, -s], STICK: [mu[contact] * N - abs(T)]}
            margins += bounds[status]
        margin = min(margins) / size
        if abs(margin) < CLEARLY:
            return None
        if margin > 0:
            found.append((motions, determinant))
    return found


def check(seed: int) -> tuple[bool, bool]:
    """Whether it was judged, and whether an unsteady solution was beside the steady one."""
    random = np.random.default_rng([seed, 4711])
    contacts = int(random.integers(1, 4))
    rows = random.normal(size=(2 * contacts, int(random.integers(2 * contacts, 2 * contacts + 4))))
    bias, mu = random.normal(size=2 * contacts), random.uniform(0.5, 10.0, contacts)
    found = all_solutions(rows, bias, mu)
    if not found:
        return False, False
    solution = ConeProblem(rows, bias, mu, dimension=2).solve(steady=True)
    assert solution.outcome == ConeOutcome.SOLVED, seed
    off = [np.abs(solution.motions.ravel() - motions).max() for motions, _ in found]
    best = int(np.argmin(off))
    assert off[best] < 1e-9 * max(1.0, np.abs(found[best][0]).max()), seed
    unsteady = [determinant < 0 for _, determinant in found]
    assert all(unsteady) or not unsteady[best], seed
    return True, any(unsteady) and not all(unsteady)


def count(seeds: range) -> tuple[int, int]:
    answers = [check(seed) for seed in seeds]
    return sum(judged for judged, _ in answers), sum(beside for _, beside in answers)


def test_of_several_solutions_a_steady_one_is_found() -> None:
    judged, beside = count(range(600))
    assert judged > 500
    assert beside > 15


@pytest.mark.slow
def test_of_thousands_of_problems_steady_solutions_are_found() -> None:
    judged, beside = count(range(600, 10_000))
    assert judged > 8_000
    assert beside > 500


@pytest.mark.parametrize("held", [ConeStatus.OPEN, ConeStatus.SLIP, ConeStatus.STICK])
def test_a_slip_whose_force_draws_in_is_left_though_it_held(held: ConeStatus) -> None:
    """G_nn - mu G_nt = -1: open, slip and stick are solutions (CONTACT: three), and slip can be followed by nothing."""
    problem = ConeProblem(np.linalg.cholesky([[1, 2], [2, 5]]), [1, 4], [1], dimension=2)
    solution = problem.solve(statuses=[held], slip=[[1.0]], steady=True)
    assert solution.statuses[0] == held if held != ConeStatus.SLIP else solution.statuses[0] != held


def test_where_forces_are_not_unique_it_is_told_as_if_contacts_gave_a_little() -> None:
    """The contact of the three solutions twice over, each row halved in force: what slips draws in all the same."""
    rows = np.linalg.cholesky([[1.0, 2.0], [2.0, 5.0]])
    problem = ConeProblem(np.vstack([rows, rows]), [1, 4, 1, 4], [1, 1], dimension=2)
    slips = [ConeStatus.SLIP] * 2
    assert problem.solve(statuses=slips, slip=[[1.0], [1.0]]).statuses == tuple(slips)
    found = problem.solve(statuses=slips, slip=[[1.0], [1.0]], steady=True)
    assert found.outcome == ConeOutcome.SOLVED
    assert ConeStatus.SLIP not in found.statuses
