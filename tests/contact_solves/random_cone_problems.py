"""Random cone problems of every kind that contacts lead to, from a seed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from detent.contact_solves.cone_problem import ConeProblem

KINDS = ("generic", "redundant", "degenerate", "redundant and degenerate", "sliding", "bounded")


@dataclass(frozen=True)
class Drawn:
    """A problem, and what it is."""

    kind: str
    seed: int
    problem: ConeProblem


def drawn(seed: int, most: int = 12) -> Drawn:
    """The problem of a seed: 1 to ``most`` contacts in the plane or in space, friction up to 2."""
    numbers = np.random.default_rng([seed, 20])
    kind = KINDS[seed % len(KINDS)]
    dimension = int(numbers.integers(2, 4))
    contacts = int(numbers.integers(1, most + 1))
    rows = contacts * dimension
    speeds = int(numbers.integers(3 if dimension == 2 else 6, rows + 7))
    J = numbers.standard_normal((rows, speeds))
    if kind.startswith("redundant"):
        rank = int(numbers.integers(1, max(2, rows)))
        J = numbers.standard_normal((rows, rank)) @ numbers.standard_normal((rank, speeds)) / np.sqrt(rank)
        for contact in range(1, contacts):  # some twice
            if numbers.random() < 0.2:
                J[contact * dimension : (contact + 1) * dimension] = J[:dimension]
    before = numbers.standard_normal(speeds)  # a motion without contact, so that forces which stop it all exist
    still = (
        numbers.random(rows) < (1.0 if numbers.random() < 0.1 else 0.3)
        if "degenerate" in kind
        else np.zeros(rows, bool)
    )
    before -= np.linalg.lstsq(J[still], J[still] @ before, rcond=1e-10)[0]
    bias = J @ before
    bias[still | (np.abs(bias) < 1e-12)] = 0.0  # what is left where all are still is rounding
    if "degenerate" in kind and numbers.random() < 0.5:
        bias = with_idle_contacts(J, bias, contacts, dimension)
    friction = numbers.uniform(0.0, 2.0, contacts) * (numbers.random(contacts) > 0.1)
    sliding = None
    if kind == "sliding":
        directions = numbers.standard_normal((contacts, dimension - 1))
        directions /= np.linalg.norm(directions, axis=1, keepdims=True)
        sliding = [direction if numbers.random() < 0.5 else None for direction in directions]
    lower = numbers.uniform(0.0, 1.0, contacts) * (numbers.random(contacts) < 0.6) if kind == "bounded" else None
    return Drawn(kind, seed, ConeProblem(J, bias, friction, dimension, sliding, lower))


def with_idle_contacts(J: np.ndarray, bias: np.ndarray, contacts: int, dimension: int) -> np.ndarray:
    """The bias changed so that the last third of the contacts neither press nor move where the others solve it."""
    idle = contacts // 3
    first = (contacts - idle) * dimension
    if idle == 0 or np.linalg.matrix_rank(J) < len(J):
        return bias
    friction = np.full(contacts - idle, 0.5)
    solution = ConeProblem(J[:first], bias[:first], friction, dimension).solve()
    bias = bias.copy()
    bias[first:] = -J[first:] @ (J[:first].T @ solution.forces.ravel())
    return bias
