"""Random cone problems are solved to 1e-11, or refused where a second method finds no solution either."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from detent.contact_solves.cone_frame import ConeOutcome, ConeStatus
from detent.contact_solves.cone_problem import ConeProblem, ConeSolution
from tests.contact_solves.branch_and_bound import TooLong, branches_left, possible_forces
from tests.contact_solves.natural_map import natural_residual
from tests.contact_solves.random_cone_problems import drawn

SOLVED_TO = 1e-11


def verdict(problem: ConeProblem, most: int) -> str:
    """What an independent look says of the answer to a problem."""
    solution = problem.solve()
    if solution.outcome == ConeOutcome.SOLVED:
        return "right" if is_right(problem, solution) else "wrong"
    if solution.outcome == ConeOutcome.NOT_CONVERGED:
        return "not converged"
    try:
        return "refused" if not branches_left(problem, most) else "wrongly refused"
    except TooLong:
        return "refused, and the second method takes too long"


def is_right(problem: ConeProblem, solution: ConeSolution) -> bool:
    """Whether the forces solve the problem, and statuses and directions say what they do."""
    right = natural_residual(problem, solution.forces) <= SOLVED_TO
    size = np.abs(solution.forces).max() or 1.0
    for contact, status in enumerate(solution.statuses):
        force = solution.forces[contact]
        if status == ConeStatus.OPEN:
            right = right and abs(force).max() == 0.0
        elif status == ConeStatus.SLIP:
            ray = -problem.friction[contact] * force[0] * solution.slip[contact]
            right = right and bool(np.abs(force[1:] - ray).max() <= SOLVED_TO * size)
    return right


@pytest.mark.parametrize("seed", range(200))
def test_a_random_problem_is_solved_or_rightly_refused(seed: int) -> None:
    drawn_one = drawn(seed, most=6)
    assert verdict(drawn_one.problem, most=4000) in ("right", "refused"), drawn_one.kind


@pytest.mark.parametrize("seed", range(60))
def test_what_held_is_found_again(seed: int) -> None:
    problem = drawn(seed).problem
    first = problem.solve()
    if first.outcome == ConeOutcome.SOLVED:
        again = problem.solve(first.statuses, first.forces, first.slip)
        assert again.statuses == first.statuses
        size = np.abs(first.forces).max()
        np.testing.assert_allclose(again.forces, first.forces, rtol=0, atol=1e-9 * size)  # G of condition up to 1e6


@pytest.mark.parametrize("seed", range(300))
def test_up_to_three_contacts_in_the_plane_agree_with_all_statuses_tried(seed: int) -> None:
    """Whether there is a solution, and whether there are several."""
    numbers = np.random.default_rng([seed, 21])
    contacts = int(numbers.integers(1, 4))
    rows = numbers.standard_normal((2 * contacts, 2 * contacts + 1))
    sliding = [[numbers.choice([-1.0, 1.0])] if numbers.random() < 0.5 else None for _ in range(contacts)]
    bias = numbers.standard_normal(2 * contacts) + 0.5
    problem = ConeProblem(rows, bias, numbers.uniform(0.0, 3.0, contacts), 2, sliding)
    motions = [
        rows @ (rows.T @ forces) + bias
        for branch in branches_left(problem)
        if (forces := possible_forces(problem, branch)) is not None
    ]
    solution = problem.solve(count=True)
    assert (solution.outcome == ConeOutcome.NONE) == (not motions)
    if motions:
        assert is_right(problem, solution)
        assert min(np.abs(solution.motions.ravel() - other).max() for other in motions) < 1e-6
        spread = max(np.abs(motions[0] - other).max() for other in motions)
        assert solution.several == (spread > 1e-6)


@pytest.mark.slow
def test_ten_thousand_random_problems_are_solved_or_rightly_refused() -> None:
    """Of 1 to 12 contacts, in the plane and in space, friction up to 2, redundant and degenerate ones included."""
    counts: Counter[tuple[str, str]] = Counter()
    for seed in range(10_000):
        one = drawn(seed)
        counts[one.kind, verdict(one.problem, most=30_000)] += 1
    print(dict(counts))
    assert sum(counts.values()) == 10_000
    assert {what for _, what in counts} == {"right", "refused"}
    assert {kind for kind, what in counts if what == "refused"} == {"sliding"}  # Painleve
    assert counts["sliding", "refused"] == 63  # as the documentation says
