"""Impacts in the plane by a second method: Routh's lines for one contact, all statuses tried for several plastic."""

from __future__ import annotations

import itertools
import math

import numpy as np

from tests.physics.planar_scenes import Touch

OPEN, SLIP, STICK = 0, 1, 2


class NoAnswer(Exception):
    """More than one motion is possible, or none, or the reference does not know the law of what happens."""


def keller(W: np.ndarray, v: np.ndarray, touch: Touch) -> np.ndarray:
    """Impulse of one contact: Keller's equations over the normal impulse, piece by piece (Routh's lines)."""
    mu, holds, e = touch.mu, touch.holds, touch.restitution
    vn, vt = float(v[0]), float(v[1])
    start, p, pt, work, compressed, work_c = vn, 0.0, 0.0, 0.0, None, 0.0
    scale = math.hypot(vn, vt)
    for _ in range(20):
        if abs(vt) > 1e-14 * scale and mu > 0:
            s = math.copysign(1.0, vt)
            friction = -mu * s
        elif mu == 0:
            friction = 0.0
        elif abs(W[0, 1]) <= holds * W[1, 1]:
            friction, vt = -W[0, 1] / W[1, 1], 0.0
        else:
            friction, vt = -mu * math.copysign(1.0, W[0, 1]), 0.0
        dn, dt = W[0, 0] + W[0, 1] * friction, W[0, 1] + W[1, 1] * friction
        lengths = []
        if vt * dt < 0:
            lengths.append((-vt / dt, "slip"))
        if compressed is None:
            if dn > 0:
                lengths.append((-vn / dn, "compressed"))
        else:
            if dn <= 0:
                raise NoAnswer("approaches again in restitution")
            if touch.law == "Poisson":
                lengths.append(((1 + e) * compressed - p, "end"))
            elif touch.law == "Newton":
                lengths.append(((-e * start - vn) / dn, "end"))
            else:  # Stronge: vn^2/(2 dn) work more
                target = -(e**2) * work_c
                gained = target - (work - work_c)
                lengths.append(((-vn + math.sqrt(vn**2 + 2 * dn * gained)) / dn, "end"))
        if not lengths:
            raise NoAnswer("jams")
        length, why = min(lengths)
        work += vn * length + dn * length**2 / 2
        p, pt = p + length, pt + friction * length
        vn, vt = vn + dn * length, vt + dt * length
        if why == "slip":
            vt = 0.0
        elif why == "compressed":
            vn, compressed, work_c = 0.0, p, work
            if e == 0.0:
                return np.array([p, pt])
        else:
            return np.array([p, pt])
    raise NoAnswer("impact")


def plastic(W: np.ndarray, v: np.ndarray, members: list[int], keys: list[int], touches: list[Touch]) -> np.ndarray:
    """Impulses of several contacts at once without restitution: of all statuses those that agree with them."""
    found: list[np.ndarray] = []
    scale = float(np.abs(v).max())
    for combination in itertools.product([(OPEN, 0), (STICK, 0), (SLIP, 1), (SLIP, -1)], repeat=len(members)):
        rows, columns = [], []
        for k, (status, sign) in zip(members, combination, strict=True):
            i = 2 * keys.index(k)
            if status == OPEN:
                continue
            mu = touches[k].mu
            if mu == 0 and (status == STICK or sign < 0):
                break
            column = np.zeros(len(v))
            column[i] = 1.0
            if status == SLIP:
                column[i + 1] = -sign * mu
            rows.append(i)
            columns.append(column)
            if status == STICK:
                column = np.zeros(len(v))
                column[i + 1] = 1.0
                rows.append(i + 1)
                columns.append(column)
        else:
            impulse = np.zeros(len(v))
            if rows:
                C = np.array(columns)
                A = W[rows] @ C.T
                size, *_ = np.linalg.lstsq(A, -v[rows], rcond=1e-11)
                if np.linalg.matrix_rank(A, tol=1e-10 * np.abs(A).max()) < len(rows):
                    if np.abs(A @ size + v[rows]).max() < 1e-9 * scale:
                        raise NoAnswer("impulses are shared")
                    continue
                impulse = C.T @ size
            after = v + W @ impulse
            for k, (status, sign) in zip(members, combination, strict=True):
                i, mu = 2 * keys.index(k), touches[k].mu
                if impulse[i] < -1e-10 * scale or after[i] < -1e-10 * scale:
                    break
                if status == STICK and abs(impulse[i + 1]) > touches[k].holds * impulse[i] + 1e-10 * scale:
                    break
                if status == SLIP and mu > 0 and sign * after[i + 1] < -1e-10 * scale:
                    break
            else:
                if all(np.abs(W @ (impulse - other)).max() > 1e-7 * scale for other in found):
                    found.append(impulse)
    if len(found) != 1:
        raise NoAnswer(f"{len(found)} impacts")
    return found[0]
