"""The conditions of a cone problem in NumPy, written independently of the kernel."""

from __future__ import annotations

import numpy as np

from detent.contact_solves.cone_problem import ConeProblem


def natural_residual(problem: ConeProblem, forces: np.ndarray) -> float:
    """How far the natural map moves a force, over the largest force (or what the bias asks for, where there is none).

    With rho = 1/(mean of a contact's diagonal of G). It is De Saxce's map for the full cone, Alart and Curnier's where
    a force has a lower bound; both have the solutions as their fixed points.
    """
    d, G = problem.dimension, problem.rows @ problem.rows.T
    u = (G @ forces.ravel() + problem.bias).reshape(forces.shape)
    worst, without = 0.0, 0.0
    for contact in range(problem.contacts):
        block = slice(contact * d, (contact + 1) * d)
        rho = d / np.trace(G[block, block])
        mu, lower, force, motion = problem.friction[contact], problem.lower[contact], forces[contact], u[contact]
        if problem.given[contact]:
            normal = max(lower, force[0] - rho * motion[0])
            image = np.concatenate([[normal], -mu * normal * problem.directions[contact]])
        elif lower > 0.0:
            normal = max(lower, force[0] - rho * motion[0])
            y = force[1:] - rho * motion[1:]
            image = np.concatenate([[normal], y * min(1.0, mu * normal / max(np.linalg.norm(y), 1e-300))])
        else:
            shifted = motion + np.concatenate([[mu * np.linalg.norm(motion[1:])], np.zeros(d - 1)])
            image = on_cone(force - rho * shifted, mu)
        worst = max(worst, float(np.abs(image - force).max()))
        without = max(without, float(rho * np.abs(problem.bias[block]).max()))
    if worst == 0.0:
        return 0.0
    return worst / (float(np.abs(forces).max()) or without)


def on_cone(point: np.ndarray, mu: float) -> np.ndarray:
    """The point of the cone |t| <= mu n nearest to a point."""
    normal, length = point[0], float(np.linalg.norm(point[1:]))
    if normal >= 0.0 and length <= mu * normal:
        return point
    if mu * length <= -normal:
        return np.zeros_like(point)
    along = (normal + mu * length) / (1.0 + mu * mu)
    return np.concatenate([[along], mu * along * point[1:] / length])
