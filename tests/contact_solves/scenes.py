"""What strikes: rods, boxes, spheres and chains, as the matrix W = J M^-1 J^T of their contact; normal first."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def rod(angle: float) -> np.ndarray:
    """A uniform rod of 1 kg and 1 m that strikes a floor with its lower end; (up, along the floor)."""
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[1 + 3 * c * c, -3 * s * c], [-3 * s * c, 1 + 3 * s * s]])


def turned(axis: int, angle: float) -> np.ndarray:
    """The rotation about an axis."""
    c, s = np.cos(angle), np.sin(angle)
    first, second = (axis + 1) % 3, (axis + 2) % 3
    matrix = np.eye(3)
    matrix[[first, first, second, second], [first, second, first, second]] = [c, -s, s, c]
    return matrix


def box(edges: Sequence[float], rotation: np.ndarray, mass: float = 1.0) -> np.ndarray:
    """A uniform box that strikes the floor with its lowest corner; (z, x, y)."""
    size = np.asarray(edges, dtype=float)
    corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * size / 2 @ rotation.T
    x, y, z = corners[np.argmin(corners[:, 2])]
    lever = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    inertia = rotation @ np.diag(mass / 12 * ((size**2).sum() - size**2)) @ rotation.T
    W = np.eye(3) / mass - lever @ np.linalg.inv(inertia) @ lever
    return W[np.ix_([2, 0, 1], [2, 0, 1])]


def sphere(mass: float = 1.0) -> np.ndarray:
    """A solid sphere: what turns it yields, so that along the floor it is 7/2 times as soft."""
    return np.diag([1.0, 3.5, 3.5]) / mass


def double_pendulum(first: float, second: float) -> tuple[np.ndarray, np.ndarray]:
    """(M, J) of two uniform rods of 1 kg and 1 m, by their angles from the vertical; the tip moves by J u, up first."""
    coupling = 0.5 * np.cos(second - first)
    M = np.array([[4 / 3, coupling], [coupling, 1 / 3]])
    J = np.array([[np.sin(first), np.sin(second)], [np.cos(first), np.cos(second)]])
    return M, J


def random_rotation(numbers: np.random.Generator) -> np.ndarray:
    orthogonal, _ = np.linalg.qr(numbers.standard_normal((3, 3)))
    return orthogonal * np.sign(np.linalg.det(orthogonal))


def random_yielding(numbers: np.random.Generator, size: int, ranks: Sequence[int]) -> np.ndarray:
    """W of some rank, coupled at random; of any size."""
    rank = int(numbers.choice(ranks))
    J = numbers.standard_normal((size, rank)) * 10.0 ** numbers.uniform(-1, 1, rank)
    return J @ J.T


def strongly_coupled(numbers: np.random.Generator) -> tuple[np.ndarray, np.ndarray, float]:
    """(W, velocity before, friction) so that slip in some directions drives the bodies together."""
    C, b = np.diag([1.0, 10.0 ** numbers.uniform(-2, 2)]), numbers.standard_normal(2) * 10.0 ** numbers.uniform(-1, 1)
    W = np.zeros((3, 3))
    W[0, 1:], W[1:, 0], W[1:, 1:] = b, b, C
    W[0, 0] = b @ np.linalg.solve(C, b) * (1 + 10.0 ** numbers.uniform(-3, 0))
    before, friction = numbers.standard_normal(3), numbers.uniform(0.3, 4)
    before[0] = -abs(before[0])
    return W, before, float(friction)
