"""A proof that a cone problem has no solution, or the statuses it may have: branch and bound with linear programs.

A *branch* says of some contacts whether they are open or pressed, and whether they stick or slip with a direction in
some arc. What it says of forces and motions is linear, or is enclosed by something linear: the cone by one with many
faces, forces on an arc by the segment between its chord and its tangents. A branch whose linear program has no solution
is finished; any other is divided. In the plane there are two directions, so that nothing is enclosed but decided.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from scipy.optimize import linprog

from detent.contact_solves.cone_problem import ConeProblem

FACES = 16
NARROW = 1e-4
"""An arc, in radians, that is not divided further."""


@dataclass(frozen=True)
class Branch:
    """What is said of one contact; None where nothing is."""

    pressed: bool | None = None
    sticks: bool | None = None
    arc: tuple[float, float] | None = None


class TooLong(Exception):
    """More branches than were allowed."""


def branches_left(problem: ConeProblem, most: int = 20_000) -> list[tuple[Branch, ...]]:
    """Branches that may hold a solution: none where there is none. In the plane each of them has one."""
    left, todo, tried = [], [tuple(Branch() for _ in range(problem.contacts))], 0
    while todo:
        branch = todo.pop()
        tried += 1
        if tried > most:
            raise TooLong(f"after {most} branches {len(todo)} are left")
        forces = possible_forces(problem, branch)
        if forces is None:
            continue
        parts = divided(problem, branch, forces)
        if not parts:
            left.append(branch)
        todo += parts
    return left


def divided(problem: ConeProblem, branch: tuple[Branch, ...], forces: np.ndarray) -> list[tuple[Branch, ...]]:
    """The parts of a branch, by what forces that satisfy its linear program violate most; nothing where it is done."""
    shape = (problem.contacts, problem.dimension)
    motions = (problem.rows @ (problem.rows.T @ forces) + problem.bias).reshape(shape)
    forces = forces.reshape(shape)
    best, most = None, (-1, 0.0)
    for contact, said in enumerate(branch):
        mu, slip = problem.friction[contact], float(np.linalg.norm(motions[contact][1:]))
        excess = mu * forces[contact][0] + forces[contact][1:] @ motions[contact][1:] / max(slip, 1e-300)
        is_free = not problem.given[contact] and mu > 0.0
        may_slip = said.pressed or problem.lower[contact] > 0.0
        if said.pressed is None:
            violated = (1, min(forces[contact][0] - problem.lower[contact], motions[contact][0]))
        elif said.sticks is None and is_free and may_slip:
            violated = (1, min(excess, slip))
        elif width(said) > NARROW:
            violated = (0, width(said))
        else:
            continue
        if violated > most:
            best, most = contact, violated
    if best is None:
        return []
    return [(*branch[:best], part, *branch[best + 1 :]) for part in parts_of(problem, branch[best])]


def parts_of(problem: ConeProblem, said: Branch) -> Iterator[Branch]:
    """All that may be said of a contact beyond what is."""
    if said.pressed is None:
        yield replace(said, pressed=False)
        yield replace(said, pressed=True)
    elif said.arc is not None:
        first, last = said.arc
        middle = 0.5 * (first + last)
        yield replace(said, arc=(first, middle))
        yield replace(said, arc=(middle, last))
    else:
        yield replace(said, sticks=True)
        angles = [0.0, math.pi] if problem.dimension == 2 else [quarter * math.pi / 2 for quarter in range(4)]
        size = 0.0 if problem.dimension == 2 else math.pi / 2
        yield from (replace(said, sticks=False, arc=(angle, angle + size)) for angle in angles)


def width(said: Branch) -> float:
    return said.arc[1] - said.arc[0] if said.arc else 0.0


def possible_forces(problem: ConeProblem, branch: tuple[Branch, ...]) -> np.ndarray | None:
    """Forces that solve the linear program of a branch, the smallest normal ones; None where there are none."""
    equal, below = Conditions(), Conditions()
    for contact, said in enumerate(branch):
        describe(problem, contact, said, equal, below)
    found = linprog(
        np.arange(len(problem.bias)) % problem.dimension == 0,
        A_eq=equal.matrix(), b_eq=equal.right(), A_ub=below.matrix(), b_ub=below.right(), bounds=(None, None),
        options={"primal_feasibility_tolerance": 1e-9},
    )  # fmt: skip
    if found.status == 2:
        return None
    return found.x if found.x is not None else np.zeros(len(problem.bias))


class Conditions:
    """Linear conditions, row by row."""

    def __init__(self) -> None:
        self.rows: list[np.ndarray] = []
        self.numbers: list[float] = []

    def add(self, row: np.ndarray, number: float) -> None:
        size = np.abs(row).max() or 1.0
        self.rows.append(row / size)
        self.numbers.append(number / size)

    def matrix(self) -> np.ndarray | None:
        return np.array(self.rows) if self.rows else None

    def right(self) -> np.ndarray | None:
        return np.array(self.numbers) if self.rows else None


def describe(problem: ConeProblem, contact: int, said: Branch, equal: Conditions, below: Conditions) -> None:
    """What a branch says of a contact."""
    d, mu, lower = problem.dimension, problem.friction[contact], problem.lower[contact]
    rows = slice(contact * d, (contact + 1) * d)
    G, bias, unit = problem.rows[rows] @ problem.rows.T, problem.bias[rows], np.eye(len(problem.bias))[rows]
    below.add(-unit[0], -lower)
    below.add(-G[0], bias[0])
    if said.pressed is not None:
        equal.add(*((G[0], -bias[0]) if said.pressed else (unit[0], lower)))
    if problem.given[contact] or mu == 0.0:
        for i in range(1, d):
            equal.add(unit[i] + mu * problem.directions[contact][i - 1] * unit[0], 0.0)
        return
    for angle in [0.0, math.pi] if d == 2 else 2 * math.pi * np.arange(FACES) / FACES:
        below.add(direction(angle, d) @ unit[1:] - mu * unit[0], 0.0)
    if said.sticks:
        for i in range(1, d):
            equal.add(G[i], -bias[i])
    elif said.arc is not None:
        first, last = said.arc
        middle, half = direction(0.5 * (first + last), d), 0.5 * (last - first)
        below.add(middle @ unit[1:] + mu * math.cos(half) * unit[0], 0.0)  # beyond the chord
        if d == 2:
            below.add(-middle @ G[1:], middle @ bias[1:])
            return
        for side in (direction(first + math.pi / 2, d), -direction(last + math.pi / 2, d)):
            below.add(-side @ G[1:], side @ bias[1:])
            below.add(side @ unit[1:], 0.0)
        for tangent in (direction(first, d), middle, direction(last, d)):
            below.add(-tangent @ unit[1:] - mu * unit[0], 0.0)


def direction(angle: float, dimension: int) -> np.ndarray:
    return np.array([math.cos(angle), math.sin(angle)])[: dimension - 1]
